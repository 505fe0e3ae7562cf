"""The few steps worth choosing among: those that words nothing stands for yet may ask for, the
likeliest first.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import yaml

from backends.data.steps import STEPS
from backends.data.workflow.step import HANDLES
from backends.planning.choosing.choice import Option, key_of
from backends.planning.choosing.closed import ways
from backends.planning.tables import aliases, plain
from backends.understanding.spans.text import CJK, stem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backends.data.values import Profile
    from backends.planning.choosing.closed import Way
    from backends.planning.choosing.course import Course
    from backends.planning.choosing.ground import Ground
    from backends.understanding.matching.nearness import Embed

MOST = 7  # steps a model is shown
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
    """Tell whether a step may stand for a word at all: for what it asks, as a number, or as a part
    of a column's name.

    A form alone, such as a pie, is no step: why the plan does without it is asked of the person.
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
    """Tell whether words are some of these; of Chinese, whether they hold one."""
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
    """Tell whether a word is a number."""
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
    """Tell whether a step holds a column against itself."""
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
