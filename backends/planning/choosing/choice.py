"""The steps one may choose from: closed sets, cut to a short list, and their variants."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import yaml

from backends.data.steps import STEPS
from backends.data.workflow.step import HANDLES, Step
from backends.planning.checking.offer import of_steps
from backends.planning.checking.single import doubts
from backends.planning.tables import View, aliases, plain
from backends.planning.text import CJK, stem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backends.data.values import Profile
    from backends.data.workflow.output import Preview
    from backends.data.workflow.step import Workflow
    from backends.planning.choosing.course import Course, Ground
    from backends.planning.columns import Embed


# Interfaces whose arguments are more than choices: text of a query, names, other interfaces,
# several charts.
NOT_CHOSEN = frozenset(["query", "rename", "loop_rank", "overlay", "stack", "read_constituents"])
BY_CODE = frozenset(
    ["title", "name", "names", "label", "save", "written", "level", "description", "order_by"]
)
NUMBERS = frozenset(["value", "y", "first", "values", "close", "high", "low", "open"])
NUMBERS_OF = {
    ("correlation", "x"),
    ("correlations", "x"),
    ("mean_median", "column"),
    ("combine", "column"),
    ("summarise", "columns"),
    ("resample", "columns"),
    ("rank", "by"),
    ("scatter", "x"),
}
ANY = {("read_value", "column"), ("line", "x"), ("bar", "x")}
LAGS = {"year": 1, "quarter": 4, "month": 12}

Columns = dict[str, str]  # name → kind


@dataclass(frozen=True)
class Way:
    """One interface over one result or table. arguments: all that each may be; a None leaves it
    out.
    """

    interface: str
    arguments: dict[str, list[Any]]


def ways(ground: Ground) -> list[Way]:
    """Return every way to go on from here: over each result that is held, and from each table."""
    made: list[Way] = []
    for name, interface in STEPS.items():
        if name in NOT_CHOSEN:
            continue
        needs = interface.arguments.model_fields
        if "source" in needs:
            made += [
                w for p in ground.profiles if (w := of_table(name, View(p), ground)) is not None
            ]
        elif "left" in needs:
            made += merges(name, ground)
        else:
            made += [
                w
                for key, known in ground.frames.items()
                if (w := over(name, key, known, ground)) is not None
            ]
    return made


def over(name: str, handle: str, columns: Columns, ground: Ground) -> Way | None:
    """Return the way an interface goes over a result; None if the result lacks what it needs."""
    schema = STEPS[name].arguments.model_json_schema()
    found: dict[str, list[Any]] = {}
    for key, about in schema["properties"].items():
        required = key in schema.get("required", [])
        if key == "data":
            found[key] = [handle]
            continue
        known = None if key in BY_CODE else possible(name, key, about, columns, ground)
        if not known and required and key not in BY_CODE:
            return None
        if known:
            found[key] = known if required else [None, *known]
    return Way(name, found) if fits(name, found, columns) else None


def possible(
    name: str, key: str, about: dict[str, Any], columns: Columns, ground: Ground
) -> list[Any]:
    """Return all that an argument may be over some columns."""
    numbers = [c for c, kind in columns.items() if kind == "number"]
    days = [c for c, kind in columns.items() if kind in ("date", "time")]
    texts = [c for c, kind in columns.items() if kind in ("text", "boolean")]
    ways_ = [way for way in about.get("anyOf", [about]) if way.get("type") != "null"]
    one = ways_[0]
    if key == "where":
        return [[condition] for condition in conditions(columns, ground)]
    if key == "second":
        return [*numbers, *ground.numbers]
    if key == "time":
        return []  # the only column of days is taken by itself
    if key in ("aggregates", "panes"):
        return [[v] for v in one["items"]["enum"]] if "enum" in one.get("items", {}) else []
    if "enum" in one:
        return list(one["enum"])
    if one.get("type") == "boolean":
        return [True, False]
    if one.get("type") == "integer":
        return counts(name, key, ground)
    if key in NUMBERS or (name, key) in NUMBERS_OF:
        named = numbers
    else:
        named = list(columns) if (name, key) in ANY else [*texts, *days] if key != "by" else texts
    if (name, key) == ("summarise", "by"):
        named = [*texts, *days]
    return [[c] for c in named] if one.get("type") == "array" else named


def counts(name: str, key: str, ground: Ground) -> list[int]:
    """Return the whole numbers an argument may be: those a request says, and those everybody
    means.
    """
    said = [n for n in ground.numbers if isinstance(n, int) and 0 < n <= 1000]
    if key == "row":
        return [0, -1]
    if key == "lag":
        return list(dict.fromkeys([1, *LAGS.values()]))
    return list(dict.fromkeys([1, *said])) if key == "n" else said


def conditions(columns: Columns, ground: Ground) -> list[dict[str, Any]]:
    """Return conditions on rows: a number or a value that a request says, or another column of
    numbers.
    """
    numbers = [c for c, kind in columns.items() if kind == "number"]
    made = [
        {"column": c, "op": op, "value": n}
        for c in numbers
        for n in [*ground.numbers, 0]
        for op in (">", ">=", "<", "<=", "=")
    ]
    made += [{"column": a, "op": ">", "other": b} for a in numbers for b in numbers if a != b]
    texts = [c for c, kind in columns.items() if kind == "text"]
    return made + [
        {"column": c, "op": op, "value": v}
        for c in texts
        for v in ground.values(c)
        for op in ("=", "!=")
    ]


def fits(name: str, found: dict[str, list[Any]], columns: Columns) -> bool:
    """Return whether what an interface needs besides its arguments is there."""
    dated = any(kind in ("date", "time") for kind in columns.values())
    if name in ("forecast", "candlestick", "resample"):
        return dated and (name != "candlestick" or {"open", "high", "low", "close"} <= set(columns))
    if name == "unpivot":
        return False  # a column alone is none
    return (
        name not in ("compute", "correlation", "scatter")
        or len(found.get("first") or found["x"]) > 0
    )


def merges(name: str, ground: Ground) -> list[Way]:
    """Return the ways two results can be laid side by side: on a column of days or text that both
    have.
    """
    frames = ground.frames
    made: list[Way] = []
    for left, right in itertools.combinations(frames, 2):
        on = [
            c
            for c, kind in frames[left].items()
            if kind in ("date", "time", "text") and frames[right].get(c) == kind
        ]
        if on:
            made.append(Way(name, {"left": [left], "right": [right], "on": [[c] for c in on]}))
    return made


def of_table(name: str, view: View, ground: Ground) -> Way | None:
    """Return the way an interface reads a table; None if the table lacks what it needs."""
    profile, needs = view.profile, STEPS[name].arguments.model_fields
    numbers = [[c.name] for c in view.numbers]
    named = {c.name: values for c in view.texts if (values := ground.values(c.name))}
    by = [c.name for c in view.texts if c.distinct > 1]
    found: dict[str, list[Any]] = {"source": [profile.source]}
    if "time" in needs:
        if not view.time and needs["time"].is_required():
            return None
        found["time"] = [view.time] if view.time else [None]
    conditions_ = [
        [{"column": c, "op": "=", "value": v}] for c, values in named.items() for v in values
    ]
    found["where"] = [None, *conditions_]
    if "value" in needs:
        found["value"] = [c for [c] in numbers]
    elif name == "read_rows":
        found["columns"] = [None]
    else:
        found["columns"] = numbers
    if name != "read_rows":
        found["by"] = by if needs["by"].is_required() else [None, *by]
    return Way(name, found) if all(found.values()) and "value" not in needs else None


DONE = "done"  # what is chosen where nothing more is needed
NAMED = "computed"  # a column that a step makes and nobody names
CELL = 40  # characters of a cell a model sees
SYSTEM = "You choose the next step of a computation, one at a time. You answer in JSON."


@dataclass(frozen=True)
class Option:
    """One step, whole. accounts: the words of the request it stands for."""

    interface: str
    arguments: dict[str, Any]
    accounts: frozenset[str]
    score: float

    @property
    def key(self) -> str:
        """Return what tells it from others."""
        return key_of(self.interface, self.arguments)


def schema_of(options: list[Option], *, may_end: bool = True) -> dict[str, Any]:
    """Return the schema of a choice: one of these steps, or none of them."""
    held: dict[str, list[dict[str, Any]]] = {}
    for option in options:
        held.setdefault(option.interface, []).append(option.arguments)
    ends = [branch(DONE, None)] if may_end else []
    return {"anyOf": [*(branch(name, known) for name, known in held.items()), *ends]}


def branch(name: str, known: list[dict[str, Any]] | None) -> dict[str, Any]:
    """Return the schema of a step by its interface and the arguments it may have."""
    fields: dict[str, Any] = {"step": {"const": name}}
    if known is not None:
        fields["arguments"] = {"enum": known}
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def prompt(ground: Ground, options: list[Option], error: str = "", *, may_end: bool = True) -> str:
    """Return what a model is asked. error: why the step before failed, if one did."""
    held = [told(name, one) for name, one in ground.seen.items()]
    left = ", ".join(f"“{word}”" for word in ground.unread)
    listed = [json.dumps(as_said(o.interface, o.arguments), ensure_ascii=False) for o in options]
    ends = [f"{json.dumps({'step': DONE})} (nothing more is needed)"] if may_end else []
    parts = [
        f"Request: {ground.question}",
        "Results so far:\n" + "\n".join(f"- {line}" for line in held) if held else "",
        f"Not done yet: {left}" if left else "",
        f"The last step failed: {error}" if error else "",
        "Steps to choose from:\n" + "\n".join(f"- {line}" for line in [*listed, *ends]),
        "Choose the next step.",
    ]
    return "\n\n".join(part for part in parts if part)


def told(name: str, one: Preview) -> str:
    """Return what a model sees of a result: its shape, columns, first and last row."""
    if one.kind == "value":
        return f"{name}: {cell(one.name)} = {cell(one.value)}"
    columns = ", ".join(f"{c} ({kind})" for c, kind in one.columns.items())
    ends = [", ".join(cell(v) for v in row) for row in (one.first, one.last)]
    return f"{name}: {one.rows} rows; columns {columns}; first row: {ends[0]}; last row: {ends[1]}"


def cell(value: Any) -> str:
    """Return a cell as a model sees it."""
    return str(value)[:CELL].replace("\n", " ")


def key_of(interface: str, arguments: dict[str, Any]) -> str:
    """Return what tells a step from others."""
    return f"{interface} {sorted(arguments.items(), key=str)}"


def as_said(interface: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return a step as a model says it."""
    return {"step": interface, "arguments": arguments}


def read_choice(text: str, options: list[Option]) -> Option | str | None:
    """Return the option a model's answer names, `done`, or None for an answer that is neither."""
    try:
        said: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict):
        return None
    if said.get("step") == DONE:
        return DONE
    return next((o for o in options if as_said(o.interface, o.arguments) == said), None)


def step_of(option: Option, ground: Ground) -> Step:
    """Return an option as the next step."""
    named = {"name": free_name(ground)} if option.interface == "compute" else {}
    return Step(
        id=ground.next_id(),
        interface=option.interface,
        arguments=option.arguments | named,
        description=words(option),
    )


def free_name(ground: Ground) -> str:
    """Return a name for a column that no result has yet."""
    taken = {c for columns in ground.frames.values() for c in columns}
    return next(
        name for n in range(1, 100) if (name := f"{NAMED} {n}" if n > 1 else NAMED) not in taken
    )


def words(option: Option) -> str:
    """Return a step in words: its interface and what goes into it."""
    said = [option.interface]
    for name, value in option.arguments.items():
        if name in ("data", "left", "right", "source", "time"):
            continue
        if name == "where":
            said += [
                " ".join(str(c[k]) for k in ("column", "op", "value", "other") if k in c)
                for c in value
            ]
        elif name == "descending":
            said.append("highest first" if value else "lowest first")
        elif isinstance(value, bool):
            said += [name] if value else []
        else:
            said.append(
                ", ".join(map(str, value))
                if isinstance(value, list)
                else f"{name} {value}"
                if isinstance(value, int)
                else str(value)
            )
    return " · ".join(said)


EMPTY = "No row meets these conditions."
MOST = 7  # that a model is shown
TAKEN = ("data", "left", "right", "charts", "source")  # what a step is of stays as it is
SAID = (
    "start",
    "end",
    "at",
    "since",
    "entities",
    "entity",
    "steps",
    "name",
)  # and what bounds it, which was asked for


def variants(
    workflow: Workflow, failed: str, error: str, ground: Ground
) -> list[tuple[Option, Workflow]]:
    """Return a few other forms of a step that failed, each with its workflow: such as serve all the
    workflow serves.

    Where no row was found, only another condition can find some.
    """
    step = next((s for s in workflow.steps if s.id == failed), None)
    if step is None or step.interface not in STEPS:
        return []
    views = ground.request.views
    before = set(doubts(ground.request, of_steps(workflow.steps, views)))
    found: list[tuple[Option, Workflow]] = []
    empty = error == EMPTY
    for arguments in changed(step, ground):
        if empty and arguments.get("where") == step.arguments.get("where"):
            continue
        steps = [
            s.model_copy(update={"arguments": arguments}) if s.id == failed else s
            for s in workflow.steps
        ]
        if set(doubts(ground.request, of_steps(steps, views))) <= before:
            option = Option(step.interface, arguments, frozenset(), 0.0)
            found.append((option, workflow.model_copy(update={"steps": steps})))
        if len(found) == MOST:
            break
    return found


def changed(step: Step, ground: Ground) -> Iterator[dict[str, Any]]:
    """Yield the arguments of a step with one of them left out, a condition less, or another value
    that is possible here.
    """
    fields = STEPS[step.interface].arguments.model_fields
    for name, value in step.arguments.items():
        if name == "where" and isinstance(value, list):
            for n in range(len(value)):
                less = [one for at, one in enumerate(value) if at != n]
                yield {
                    k: v
                    for k, v in (step.arguments | {"where": less}).items()
                    if k != "where" or less
                }
        elif name not in (*TAKEN, *SAID) and name in fields and not fields[name].is_required():
            yield {k: v for k, v in step.arguments.items() if k != name}
    for way in ways(ground):
        taken = {k: v[0] for k, v in way.arguments.items() if k in TAKEN}
        if way.interface != step.interface or any(
            step.arguments.get(k) != v for k, v in taken.items()
        ):
            continue
        for name, known in way.arguments.items():
            if name in step.arguments and name not in (*TAKEN, *SAID, "where"):
                yield from (
                    step.arguments | {name: v}
                    for v in known
                    if v not in (None, step.arguments[name])
                )


SAME = 3  # of one interface
WEIGHED = 80  # steps that are held against what is demanded
FILLED = 2000  # sets of arguments of one interface over one result that are looked at
KEPT = frozenset(["n", "by"])  # arguments that are worth choosing though no word asks for them
NONE: frozenset[str] = frozenset()
NEAR = 0.5  # from which a word is near another in meaning


@lru_cache
def cues() -> dict[str, frozenset[str]]:
    """Return the words that ask for each kind of step."""
    raw = yaml.safe_load((files("resources.planning") / "choosing.yaml").read_text("utf-8"))
    return {str(kind): frozenset(plain(str(word)) for word in words) for kind, words in raw.items()}


def kinds_of(interface: str, name: str, value: Any) -> Iterator[str]:
    """Yield the kinds of step an argument makes one of."""
    told = (
        value[0] if isinstance(value, list) and value and not isinstance(value[0], dict) else value
    )
    yield f"{interface}.{name}={str(told).lower() if isinstance(told, bool) else told}"
    yield f"{interface}.{name}"


async def near_words(unread: tuple[str, ...], embed: Embed | None) -> dict[str, frozenset[str]]:
    """Return the kinds of steps each word may ask for: it is one of their words, or near one in
    meaning.
    """
    found = {word: {kind for kind, said in cues().items() if called(word, said)} for word in unread}
    open_ = [
        w for w in unread if not found[w] and not CJK.search(w) and not any(c.isdigit() for c in w)
    ]
    if embed is not None and open_:
        words = sorted({w for said in cues().values() for w in said if not CJK.search(w)})
        vectors = await embed([*open_, *words])
        likeness = vectors[: len(open_)] @ vectors[len(open_) :].T
        for word, row in zip(open_, likeness, strict=True):
            near = {words[i] for i in range(len(words)) if row[i] >= NEAR}
            found[word] = {kind for kind, said in cues().items() if near & said}
    return {word: frozenset(kinds) for word, kinds in found.items()}


def stands(word: str, kinds: frozenset[str], profiles: tuple[Profile, ...]) -> bool:
    """Return whether a step may stand for a word at all: for what it asks, as a number, or as a
    part of a column's name.

    A form alone, such as a pie, is no step: why the plan does without it is asked of the user.
    """
    told = plain(
        " ".join(f"{c.name.replace('_', ' ')} {c.meaning}" for p in profiles for c in p.columns)
    )
    known = (
        word in told
        if CJK.search(word)
        else stem(word) in {stem(w) for w in re.findall(r"[a-z]+", told)}
    )
    possible = [kind for kind in kinds if STEPS[kind.partition(".")[0]].kind != "visualization"]
    return bool(possible) or is_number(word) or known


def called(word: str, said: frozenset[str]) -> bool:
    """Return whether words are some of these; of Chinese, whether they hold one."""
    if CJK.search(word):
        return any(one in word for one in said if CJK.search(one))
    stems = {stem(one) for one in said if " " not in one}
    return word in said or any(stem(part) in stems for part in re.findall(r"[a-z][a-z-]+", word))


class Accounts:
    """Which words left over a step stands for: by what it does, and by its columns, values and
    numbers.
    """

    def __init__(self, ground: Ground, near: dict[str, frozenset[str]]) -> None:
        self._ground, self._near = ground, near
        self._known: dict[str, frozenset[str]] = {}

    def of(self, interface: str, name: str = "", value: Any = None) -> frozenset[str]:
        """Return the words that an interface stands for, or one of its arguments."""
        key = f"{interface} {name} {value!r}"
        if key not in self._known:
            self._known[key] = self._read(interface, name, value)
        return self._known[key]

    def _read(self, interface: str, name: str, value: Any) -> frozenset[str]:
        if not name:
            return frozenset(w for w, kinds in self._near.items() if interface in kinds)
        kinds = set(kinds_of(interface, name, value))
        said = [] if name in HANDLES or name == "source" else list(flat(value))
        numbers = {float(v) for v in said if isinstance(v, int | float) and not isinstance(v, bool)}
        texts = [v for v in said if isinstance(v, str)]
        told = plain(" ".join(self._ground.words_of(t) for t in texts))
        told += " " + " ".join(" ".join(aliases().get(plain(t), [])) for t in texts)
        words = {stem(w) for w in re.findall(r"[a-z]+", told)}
        return frozenset(
            w
            for w, asked in self._near.items()
            if kinds & asked
            or (is_number(w) and float(w) in numbers)
            or (w in told if CJK.search(w) else stem(w) in words)
        )


def flat(value: Any) -> Iterator[Any]:
    """Yield the values within a value."""
    if isinstance(value, dict):
        for one in value.values():
            yield from flat(one)
    elif isinstance(value, list):
        for one in value:
            yield from flat(one)
    else:
        yield value


def is_number(word: str) -> bool:
    """Return whether a word is a number."""
    return re.fullmatch(r"\d+(?:\.\d+)?", word) is not None


async def shortlist(course: Course, ground: Ground, embed: Embed | None) -> list[Option]:
    """Return the few steps that stand for some of the words left over, the likeliest first: such as
    serve what the plan so far does not, and bring in nothing that nobody asked for.
    """
    before = set(course.doubts(ground))
    near = await near_words((*ground.unread, *before), embed)
    found = likeliest(ground, near, frozenset(course.tried))
    weighed: list[Option] = []
    for option in found:
        after = set(course.with_(option, ground).doubts(ground))
        words = option.accounts & set(ground.unread) | (before - after)
        if words and not after - before:
            weighed.append(
                replace(option, accounts=frozenset(words), score=len(words) + option.score / 10)
            )
    weighed.sort(key=lambda o: -o.score)
    kept: list[Option] = []
    held: Counter[str] = Counter()
    for option in weighed:
        if held[option.interface] < SAME and len(kept) < MOST:
            held[option.interface] += 1
            kept.append(option)
    return kept


def likeliest(
    ground: Ground, near: dict[str, frozenset[str]], tried: frozenset[str]
) -> list[Option]:
    """Return the steps that words left over may ask for, the likeliest first, as many as are worth
    weighing.
    """
    accounts = Accounts(ground, near)
    done = tried | {key_of(s.interface, s.arguments) for s in ground.steps}
    last = list(ground.frames)[-1:]
    found: list[Option] = []
    for way in ways(ground):
        for arguments, words in asked_for(way, accounts):
            option = Option(
                way.interface, arguments, words, len(words) + likely(arguments, last, ground)
            )
            if option.key not in done and not idle(arguments):
                found.append(option)
    return sorted(found, key=lambda o: -o.score)[:WEIGHED]


def idle(arguments: dict[str, Any]) -> bool:
    """Return whether a step holds a column against itself."""
    pairs = (("first", "second"), ("x", "y"), ("rows", "columns"))
    return any(one in arguments and arguments[one] == arguments.get(other) for one, other in pairs)


def asked_for(way: Way, accounts: Accounts) -> Iterator[tuple[dict[str, Any], frozenset[str]]]:
    """Yield the sets of arguments of a way that stand for some word, with those words. What may be
    left out and stands for none is left out.
    """
    own = accounts.of(way.interface)
    parts: list[list[tuple[str, Any, frozenset[str]]]] = []
    for name, known in way.arguments.items():
        read = [
            (name, v, accounts.of(way.interface, name, v) if v is not None else NONE) for v in known
        ]
        kept = [one for one in read if one[2] or one[1] is None]
        parts.append(read if None not in known or name in KEPT else kept)
    if not own and not any(words for part in parts for _, _, words in part):
        return
    for chosen in itertools.islice(itertools.product(*parts), FILLED):
        words = own.union(*(words for _, _, words in chosen))
        if words:
            yield {name: value for name, value, _ in chosen if value is not None}, words


def likely(arguments: dict[str, Any], last: list[str], ground: Ground) -> float:
    """Return how likely a step is besides its words: over the last result, of columns that the
    request names or that were computed last, with no more said than is needed.
    """
    newest = arguments.get("data") in last
    columns = ground.frames.get(str(arguments.get("data")), {})
    numbers = [c for c, kind in columns.items() if kind == "number"]
    used = {str(v) for v in flat(arguments)} & set(numbers)
    foreign = [c for c in used if c != numbers[-1] and not ground.names(c)]
    return (
        0.5 * newest
        + 0.3 * bool(used and numbers[-1] in used)
        - 0.6 * len(foreign)
        - 0.05 * len(arguments)
    )
