"""Readings of superlatives: a value, the row it stands in, or the group with the most."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.understanding.matching.rows import label_column
from backends.understanding.operations import direction
from backends.understanding.parts import groupable, labels, make, part_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from backends.data.values import ColumnProfile
    from backends.understanding.matching.match import Match
    from backends.understanding.parts import Parts, Reading

ONE = re.compile(
    r"\b(?:fastest|slowest|quickest|record|personal best|single|individual|ever|one-off|any one|at"
    r" once)\b|单次|单笔|单个|单月|一次|的一[笔单条]"
)
OVERALL = re.compile(
    r"\b(?:in total|altogether|overall|combined|add(?:s|ed)? up|sum|total|average|mean|on"
    r" average|typically)\b|总|平均|合计|加起来|人均"
)


def extremes(operation: str) -> Callable[[Parts], list[Reading]]:
    """Return the builder of highest or lowest."""

    def build(parts: Parts) -> list[Reading]:
        made: list[Reading] = []
        by = asked_group(parts)
        for match in parts.measures[:3]:
            if by is not None:
                made.append(of_group(parts, operation, match, by))
            made.append(of_rows(parts, operation, match, by))
        return [*made, *most_rows(parts, operation, by), *in_time(parts, operation)]

    return build


def asked_group(parts: Parts) -> ColumnProfile | None:
    """Return the column whose groups are compared."""
    asked = parts.asks_for
    fixed = {c.column for c in parts.conditions if c.op in ("=", "empty")}
    if asked is None or asked.name in fixed or not groupable(asked, parts):
        return None
    return asked


def said_end(operation: str, n: int) -> str:
    """Return how an end of the order is shown."""
    return operation if n == 1 else f"top {n}" if operation == "highest" else f"bottom {n}"


def of_group(parts: Parts, operation: str, match: Match, by: ColumnProfile) -> Reading:
    """Which group has the highest sum or mean of a measure."""
    column = match.column
    rate = column.additive is False and "sum" not in parts.operations
    how = "mean" if rate or "mean" in parts.operations else "sum"
    if "median" in parts.operations:
        how = "median"
    end = direction(parts.said, operation, column)
    n = parts.top or 1
    whole = bool(OVERALL.search(parts.said))
    bonus = 1.8 if whole else 1.3 if column.additive else 0.7
    if ONE.search(parts.said) and not whole:
        bonus = 0.2
    part = part_of(by, parts)
    return make(
        parts,
        "group",
        2 * match.score + bonus,
        [said_end(end, n), how, column.name, f"by {by.name}"],
        weak=match.weak,
        by=by.name,
        column=column.name,
        aggregate=how,
        order=end,
        n=n,
        date_part=part,
    )


def of_rows(parts: Parts, operation: str, match: Match, by: ColumnProfile | None) -> Reading:
    """The highest value of a measure, and the row it stands in."""
    end = direction(parts.said, operation, match.column)
    n = parts.top or 1
    asked = parts.asks_for or (label_column(parts.profile) if parts.asks_rows else None)
    if asked is match.column:
        asked = None
    bonus = 0.9
    if {"mean", "median"} & parts.operations.keys() and by is None:
        bonus = (
            1.2 if asked is not None else 0.0
        )  # "the highest average …" of no group is no value of the table
    return make(
        parts,
        "extreme",
        2 * match.score + bonus,
        [said_end(end, n), match.column.name],
        weak=match.weak,
        column=match.column.name,
        direction=end,
        n=n,
        show=labels(parts, asked),
    )


def most_rows(parts: Parts, operation: str, by: ColumnProfile | None) -> list[Reading]:
    """Which group has the most rows."""
    if by is None:
        return []
    n = parts.top or 1
    strong = max((m.score for m in parts.measures), default=0.0)
    score = 2.6 if strong < 0.42 else 1.9 if strong < 0.6 else 0.6
    if re.search(
        r"\b(?:most|fewest|least)"
        r" (?:often|frequent|common|popular)|\b(?:rarest|commonest)\b|最常见|最受欢迎|最热门|人次最|次数最|数量最|单数?最|件数?最|笔数?最",
        parts.said,
    ):
        score = max(score, 3.6)
    if {"mean", "median", "sum"} & parts.operations.keys():
        score -= 0.8
    part = part_of(by, parts)
    return [
        make(
            parts,
            "group",
            score,
            [said_end(operation, n), "count", f"by {by.name}"],
            by=by.name,
            column=None,
            aggregate="count",
            order=operation,
            n=n,
            date_part=part,
        )
    ]


def in_time(parts: Parts, operation: str) -> list[Reading]:
    """Latest or earliest by a date, or by a year that something was built or founded in."""
    made: list[Reading] = []
    n = parts.top or 1
    for match in parts.matches[:4]:
        column = match.column
        aged = (
            re.search(r"\b(?:old|young|new|early|earli|late|recent|first|last)", parts.said)
            or not parts.said.isascii()
        )
        if (
            (column.kind in ("date", "time") or column.role in ("year", "period"))
            and match.score > 0.5
            and aged
        ):
            end = direction(parts.said, operation, column)
            shown = labels(
                parts, parts.asks_for or (label_column(parts.profile) if parts.asks_rows else None)
            )
            made.append(
                make(
                    parts,
                    "extreme",
                    2 * match.score,
                    ["latest" if end == "highest" else "earliest", column.name],
                    column=column.name,
                    direction=end,
                    n=n,
                    show=shown,
                )
            )
    return made
