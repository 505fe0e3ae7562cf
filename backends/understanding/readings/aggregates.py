"""Readings that add up, average or rank."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.understanding.matching import is_key, label_column
from backends.understanding.operations import direction, groupable, labels, make, part_of
from backends.understanding.spans.numbers import SIZES, is_money, is_sum_of_money, unit_held
from backends.understanding.spans.periods import time_columns
from backends.understanding.spans.text import name_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from backends.data.values import ColumnProfile
    from backends.understanding.matching import Match
    from backends.understanding.operations import Parts, Reading


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


QUANTITY = re.compile(r"qty|quantity|units|pieces|count", re.IGNORECASE)
CODED = re.compile(r"[A-Za-z]{1,4}[- ]?\d{2,}$")  # a flight number names no flight of its own
DIFFERENT = re.compile(r"\b(?:different|distinct|unique)\b|不同")


def aggregate(name: str) -> Callable[[Parts], list[Reading]]:
    """Return the builder of sum, mean or median."""

    def build(parts: Parts) -> list[Reading]:
        made: list[Reading] = []
        for match in parts.measures[:3]:
            natural = 0.0
            if match.column.additive is not None and name == "sum":
                natural = 0.4 if match.column.additive else -1.2
            natural += 0.6 if match.column is parts.asks_for else 0.0
            score = 2 * match.score + natural
            words = [name, match.column.name]
            made.append(make(parts, name, score, words, weak=match.weak, column=match.column.name))
        return made

    return build


def over_time(parts: Parts) -> bool:
    """Tell whether a number for each month, day … is asked for."""
    each = re.search(
        r"\b(?:each|every|per|by) (?:single"
        r" )?(?:year|quarter|month|day)\b|monthly|daily|yearly|每个?[月天年季]|各个?[月年季]|逐[月年日]",
        parts.said,
    )
    return "series" in parts.operations and bool(each) and bool(time_columns(parts.profile))


def counted_measure(parts: Parts) -> ColumnProfile | None:
    """Return the measure a count of a value adds up, if the question speaks of one."""
    sold = re.search(
        r"\b(?:ordered|sold|sell|bought|delivered|made|baked|shipped|returned|used|picked)\b",
        parts.said,
    )
    units = [c for c in parts.profile.columns if c.role == "measure" and QUANTITY.fullmatch(c.name)]
    if sold and len(units) == 1 and parts.conditions and units[0].name not in parts.restricted:
        return units[0]
    able = [
        m
        for m in parts.measures
        if m.score >= 0.75 and m.column.additive and not is_sum_of_money(m.column)
    ]
    able = [
        m for m in able if SIZES.get(unit_held(m.column) or "", ("",))[0] != "time"
    ]  # "how many finished"
    return (
        able[0].column
        if able and able[0].column.name not in parts.restricted and parts.conditions
        else None
    )


def counts(parts: Parts) -> list[Reading]:
    """Count rows, or the different values of the column the question counts, or add up what it
    counts.
    """
    asked = parts.asks_for
    rows = make(parts, "count", 1.6, ["count", "rows"])
    if asked is None or parts.asks_rows:
        rows.score += 0.8 if asked is None and not parts.asks_rows else 1.8
        if over_time(parts):
            rows.score -= 2.4
        summed = counted_measure(parts) if asked is None and not parts.asks_rows else None
        if (
            summed is not None
        ):  # "how many baguettes did we sell", of a table with a row for each day
            return [make(parts, "sum", 2.8, ["sum", summed.name], column=summed.name), rows]
        strong = max((m.score for m in parts.measures), default=0.0)
        rows.score -= 2.5 if parts.single and (not parts.asks_rows or strong >= 0.6) else 0.0
        return [rows]
    compared = parts.restricted
    if asked.name in compared or (asked.role != "measure" and is_key(asked, parts.profile)):
        rows.score += 1.8  # "how many orders had revenue over 500" counts orders
        return [rows]
    if asked.role == "measure":
        if (
            is_key(asked, parts.profile)
            and asked.integer
            and len(name_words(asked.name)) == 1
            and not unit_held(asked)
        ):
            return [rows]  # "how many units", of a table with a number for each
        if "mean" in parts.operations or not (asked.additive or is_money(asked)):
            return [rows]
        rows.score -= 1.0
        total = make(parts, "sum", 2.6, ["sum", asked.name], column=asked.name)
        return [total, rows]
    if asked.role in ("quarter", "month") and len(time_columns(parts.profile)) == 2:
        rows.score += 2.4  # of a table with a row for each quarter
    coded = sum(bool(CODED.match(str(v))) for v in asked.values) > 0.5 * len(asked.values)
    if parts.loosely or (
        asked.kind == "text" and asked.values and coded and not DIFFERENT.search(parts.said)
    ):
        rows.score += 1.4  # "how many flights" of a table with a flight status
    distinct = make(parts, "distinct", 2.2, ["different", asked.name], column=asked.name)
    if asked.role == "identifier" and not DIFFERENT.search(parts.said):
        rows.score += 0.8
    return [distinct, rows]


def distincts(parts: Parts) -> list[Reading]:
    """Count the different values of a column."""
    found = [m for m in parts.matches if m.column.name not in parts.held and m.score > 0.3][:2]
    asked = parts.asks_for
    made = [
        make(parts, "distinct", 2 * m.score, ["different", m.column.name], column=m.column.name)
        for m in found
    ]
    if asked is not None:
        made.append(make(parts, "distinct", 3.2, ["different", asked.name], column=asked.name))
    return made


def groups(parts: Parts) -> list[Reading]:
    """One number for each group."""
    if {"highest", "lowest"} & parts.operations.keys():
        return []
    grouped = [m for m in parts.groups if groupable(m.column, parts) and m.score >= 0.5]
    if parts.grouped_by is not None:
        grouped = [m for m in parts.matches if m.column is parts.grouped_by]
    if not grouped:
        return []
    by = grouped[0].column
    sure = 2.6 if parts.grouped_by is not None else -0.8
    if (
        by.kind in ("date", "time")
        and "mean" in parts.operations
        and re.search(r"\b(?:per|a|each) day\b|每天", parts.said)
    ):
        sure = -0.8  # "on average how many a day" is one number
    part = part_of(by, parts)
    made: list[Reading] = []
    for match in [m for m in parts.measures[:2] if m.score >= 0.45]:
        how = "mean" if "mean" in parts.operations or match.column.additive is False else "sum"
        how = "median" if "median" in parts.operations else how
        made.append(
            make(
                parts,
                "group",
                1.6 * match.score + 0.6 + sure,
                [how, match.column.name, f"by {by.name}"],
                by=by.name,
                column=match.column.name,
                aggregate=how,
                order=None,
                n=None,
                date_part=part,
            )
        )
    if "count" in parts.operations or not made:
        made.append(
            make(
                parts,
                "group",
                (2.2 if "count" in parts.operations else 0.4) + sure,
                ["count", f"by {by.name}"],
                by=by.name,
                column=None,
                aggregate="count",
                order=None,
                n=None,
                date_part=part,
            )
        )
    return made
