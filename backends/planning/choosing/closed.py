"""The closed set of steps: each interface with every argument it may have here, made of real
columns, values and results.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backends.data.steps import STEPS
from backends.planning.tables import View

if TYPE_CHECKING:
    from backends.planning.choosing.ground import Ground

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
    """Tell whether what an interface needs besides its arguments is there."""
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
