"""Readings that make one number of many rows, or one for each group."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.understanding.matching.rows import is_key
from backends.understanding.parts import groupable, make, part_of
from backends.understanding.spans.text import name_words
from backends.understanding.spans.units import SIZES, is_money, is_sum_of_money, unit_held
from backends.understanding.spans.when import time_columns

if TYPE_CHECKING:
    from collections.abc import Callable

    from backends.data.values import ColumnProfile
    from backends.understanding.parts import Parts, Reading


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
