"""Whole readings of a question: an operation on columns under conditions, scored as one."""

from __future__ import annotations

from typing import Any

from backends.understanding.parts import Parts, Reading, dump, groupable, labels, make
from backends.understanding.spans.when import time_columns


def generate(parts: Parts) -> list[Reading]:
    """Return readings, best first, equal ones once."""
    made: list[Reading] = []
    for name, weight in parts.operations.items():
        for build in BUILDERS.get(name, ()):
            for reading in build(parts):
                reading.score += 2.0 * weight / 4
                made.append(reading)
    made.sort(key=lambda r: -r.score)
    seen: set[str] = set()
    return [r for r in made if (key := f"{r.interface}{r.arguments}") not in seen and not seen.add(key)]


def look_ups(parts: Parts) -> list[Reading]:
    """Read a cell: a column of the rows that the conditions select."""
    made: list[Reading] = []
    held = {c.column for c in parts.conditions}
    for match in [m for m in parts.matches if m.column.name not in held][:3]:
        score = 2 * match.score + (1.0 if any(c.op == "=" for c in parts.conditions) else -2.0)
        made.append(make(parts, "look_up", score, [match.column.name], columns=[match.column.name]))
    return made


def aggregates(name: str) -> Any:
    """Return the builder of sum, mean or median."""

    def build(parts: Parts) -> list[Reading]:
        made: list[Reading] = []
        for match in parts.measures[:3]:
            natural = 0.0
            if match.column.additive is not None and name == "sum":
                natural = 0.4 if match.column.additive else -1.2
            made.append(
                make(
                    parts,
                    name,
                    2 * match.score + natural,
                    [name, match.column.name],
                    column=match.column.name,
                )
            )
        return made

    return build


def counts(parts: Parts) -> list[Reading]:
    """Count rows, or the different values of the column the question counts."""
    made = [make(parts, "count", 1.0, ["count", "rows"])]
    asked = parts.asks_for
    if asked is not None and any(c.column == asked.name for c in parts.conditions):
        asked = None  # "how many orders had revenue over 500" counts orders
    if asked is not None and asked.role == "measure" and asked.additive:
        made.append(make(parts, "sum", 2.4, ["sum", asked.name], column=asked.name))
    elif (
        asked is not None
        and asked.role != "measure"
        and asked.distinct < parts.profile.rows
        and asked.role != "identifier"
    ):
        made.append(make(parts, "distinct", 1.6, ["different", asked.name], column=asked.name))
    return made


def distincts(parts: Parts) -> list[Reading]:
    """Count the different values of a column."""
    return [
        make(parts, "distinct", 2 * m.score, ["different", m.column.name], column=m.column.name)
        for m in parts.groups[:2]
    ]


def extremes(direction: str) -> Any:
    """Return the builder of highest or lowest: a value, the row it stands in, or a group."""

    def build(parts: Parts) -> list[Reading]:
        made: list[Reading] = []
        n = parts.top or 1
        asked = parts.asks_for
        for match in parts.measures[:3]:
            column = match.column
            base = 2 * match.score
            show = labels(parts, asked)
            named = [
                direction if n == 1 else f"top {n}" if direction == "highest" else f"bottom {n}",
                column.name,
            ]
            held = {c.column for c in parts.conditions}
            by = asked if asked is not None and asked.name not in held and groupable(asked, parts) else None
            if by is not None:
                how = "mean" if column.additive is False else "sum"
                if "mean" in parts.operations:
                    how = "mean"
                if "median" in parts.operations:
                    how = "median"
                if "highest" in parts.operations and parts.operations.get("sum", 0) > 0:
                    how = "sum"
                made.append(
                    make(parts, "group", base + 1.2, [*named[:1], how, column.name, f"by {by.name}"],
                         by=by.name, column=column.name, aggregate=how, order=direction, n=n, date_part=parts.part if by.kind in ("date", "time") else None)
                )  # fmt: skip
            bonus = 0.8 if by is None else 0.2
            made.append(
                make(
                    parts,
                    "extreme",
                    base + bonus,
                    named,
                    column=column.name,
                    direction=direction,
                    n=n,
                    show=show,
                )
            )
        made += extreme_counts(parts, direction, n)
        made += extreme_dates(parts, direction, n)
        return made

    return build


def extreme_counts(parts: Parts, direction: str, n: int) -> list[Reading]:
    """Which group has the most rows."""
    asked = parts.asks_for
    if asked is None or not groupable(asked, parts):
        return []
    strong = parts.measures[0].score if parts.measures else 0.0
    score = 2.2 if strong < 0.45 else 0.6
    return [
        make(parts, "group", score, [direction, "count", f"by {asked.name}"],
             by=asked.name, column=None, aggregate="count", order=direction, n=n, date_part=None)
    ]  # fmt: skip


def extreme_dates(parts: Parts, direction: str, n: int) -> list[Reading]:
    """Latest or earliest by a date column."""
    made: list[Reading] = []
    for match in parts.matches[:4]:
        if match.column.kind in ("date", "time") and match.score > 0.5:
            show = labels(parts, parts.asks_for)
            made.append(
                make(parts, "extreme", 2 * match.score, ["latest" if direction == "highest" else "earliest", match.column.name],
                     column=match.column.name, direction=direction, n=n, show=show)
            )  # fmt: skip
    return made


def differences(how: str) -> Any:
    """Return the builder of absolute or percent differences between two sides."""

    def build(parts: Parts) -> list[Reading]:
        if len(parts.sides) != 2:
            return []
        first, second = parts.sides
        words = ["difference" if how == "absolute" else "change in %"]
        made: list[Reading] = []
        for match in parts.measures[:3]:
            several = parts.profile.rows > 2 and not parts.operations.get("single")
            aggregate = ("mean" if match.column.additive is False else "sum") if several else None
            made.append(
                make(parts, "difference", 2 * match.score + 1.5, [*words, match.column.name],
                     column=match.column.name, first=dump(first), second=dump(second), how=how, aggregate=aggregate)
            )  # fmt: skip
        return made

    return build


def shares(parts: Parts) -> list[Reading]:
    """What part the conditions select, of the rows or of a measure's sum."""
    if not parts.conditions:
        return []
    part = parts.conditions[-1:] if len(parts.conditions) > 1 else parts.conditions
    rest = [c for c in parts.conditions if c not in part]
    made = [make(parts, "share", 1.2, ["share of rows"], where=rest, part=dump(part), column=None)]
    for match in parts.measures[:2]:
        if match.column.additive and match.score > 0.4:
            made.append(
                make(parts, "share", 2 * match.score, ["share of", match.column.name], where=rest, part=dump(part), column=match.column.name)
            )  # fmt: skip
    return made


def series(parts: Parts) -> list[Reading]:
    """A measure over time."""
    times = time_columns(parts.profile)
    if not times:
        return []
    by = [c.name for c in times]
    made: list[Reading] = []
    for match in parts.measures[:2]:
        aggregate = None
        if parts.part is not None or "mean" in parts.operations or "sum" in parts.operations:
            aggregate = "mean" if match.column.additive is False or "mean" in parts.operations else "sum"
        part = parts.part if times[0].kind in ("date", "time") else None
        keys = by[:1] if parts.part == "year" and times[0].role == "year" else by
        made.append(
            make(parts, "series", 2 * match.score + 0.3, [match.column.name, f"by {parts.part or ' '.join(keys)}"],
                 by=keys, column=match.column.name, aggregate=aggregate, date_part=part)
        )  # fmt: skip
    return made


def lists(parts: Parts) -> list[Reading]:
    """The rows, or the values of the column asked for, that meet the conditions."""
    if not parts.conditions:
        return []
    asked = parts.asks_for
    columns = [asked.name] if asked is not None else []
    shown = list(dict.fromkeys([*columns, *(c.column for c in parts.conditions)])) if columns else []
    single = [
        make(
            parts,
            "list_rows",
            1.4 + bool(asked),
            ["list", *columns],
            columns=columns or shown,
            distinct=bool(columns),
        )
    ]
    return single


def latest(parts: Parts) -> list[Reading]:
    """A measure in the newest row."""
    by = [c.name for c in time_columns(parts.profile)]
    if not by:
        return []
    return [
        make(parts, "latest", 2 * m.score + 0.6, ["latest", m.column.name], column=m.column.name, by=by)
        for m in parts.measures[:3]
    ]


def groups(parts: Parts) -> list[Reading]:
    """One number for each group."""
    if not parts.groups:
        return []
    by = parts.groups[0].column
    if not groupable(by, parts):
        return []
    made: list[Reading] = []
    for match in parts.measures[:2]:
        how = "mean" if "mean" in parts.operations or match.column.additive is False else "sum"
        made.append(
            make(parts, "group", 1.6 * match.score + 0.6 * parts.groups[0].score, [how, match.column.name, f"by {by.name}"],
                 by=by.name, column=match.column.name, aggregate=how, order=None, n=None, date_part=None)
        )  # fmt: skip
    if "count" in parts.operations:
        made.append(
            make(parts, "group", 1.5, ["count", f"by {by.name}"], by=by.name, column=None, aggregate="count", order=None, n=None, date_part=None)
        )  # fmt: skip
    return made


BUILDERS: dict[str, tuple[Any, ...]] = {
    "look_up": (look_ups,),
    "count": (counts,),
    "distinct": (distincts,),
    "sum": (aggregates("sum"),),
    "mean": (aggregates("mean"),),
    "median": (aggregates("median"),),
    "highest": (extremes("highest"),),
    "lowest": (extremes("lowest"),),
    "difference": (differences("absolute"),),
    "change": (differences("percent"),),
    "share": (shares,),
    "series": (series,),
    "list": (lists,),
    "latest": (latest,),
    "group": (groups,),
}
