"""Readings that look a cell up, or what lies between two."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from backends.understanding.matching import UNITS, is_key, label_column
from backends.understanding.operations import make, part_of
from backends.understanding.spans.periods import time_columns
from backends.understanding.spans.text import bare, name_words

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile
    from backends.understanding.operations import Parts, Reading
    from backends.understanding.spans.text import Question


UP = "higher|more|greater|larger|bigger|longer|heavier|taller|warmer|hotter"
DOWN = "lower|less|smaller|fewer|shorter|lighter|colder|cooler"
IS = "(?:is|was|are|were|has been)"
THE = r"(?:the |its |their |our )?"
TAIL = r"(?: (?:price|value|level|reading|temperature|score|amount|cost))?"
# The columns as they come in the question are A and B. +: A less B, -: B less A, 0: without a sign.
ENGLISH = [
    ("+", rf"how much (?:{UP}) {IS} {THE}A{TAIL} than {THE}B\b"),
    ("-", rf"how much (?:{DOWN}) {IS} {THE}A{TAIL} than {THE}B\b"),
    ("-", rf"how (?:much (?:{UP}) than|far above) {THE}A{TAIL} {IS} {THE}B\b"),
    ("+", rf"how (?:much (?:{DOWN}) than|far below) {THE}A{TAIL} {IS} {THE}B\b"),
    (
        "+",
        rf"(?:by )?how much (?:did|does|do|has) {THE}A{TAIL} (?:exceed(?:ed)?|beat(?:en)?|top(?:ped)?|surpass(?:ed)?|outstrip) {THE}B\b",
    ),
    (
        "+",
        rf"(?:by )?how (?:much|far) {IS} {THE}A{TAIL} (?:above|over|(?:{UP}) than|ahead of) {THE}B\b",
    ),
    (
        "-",
        rf"(?:by )?how (?:much|far) {IS} {THE}A{TAIL} (?:below|under|(?:{DOWN}) than|behind) {THE}B\b",
    ),
    ("0", rf"\b(?:difference|gap|spread|distance) between {THE}A{TAIL} and {THE}B\b"),
    ("0", rf"how far apart {IS} {THE}A{TAIL} and {THE}B\b"),
    ("0", rf"how much (?:did|do|does) {THE}A{TAIL} and {THE}B{TAIL} differ\b"),
    ("+", rf"\bA{TAIL} (?:minus|less) {THE}B\b"),
]
CHINESE = [
    (
        "+",
        "A(?:要|会|平均|总共|一共)?比B(?:要|平均|总共|一共)?(?:高|多|大|贵|长|重|快)(?:了|出)?(?:多少|几)",
    ),
    (
        "-",
        "A(?:要|会|平均|总共|一共)?比B(?:要|平均|总共|一共)?(?:低|少|小|便宜|短|轻|慢)(?:了)?(?:多少|几)",
    ),
    ("0", "A(?:和|与|跟|同)B(?:之间)?的?(?:平均)?(?:相差|差距|差额|差值|差多少|之差|的差)"),
    ("+", "A减去?B"),
    ("+", "A(?:超过|超出|高于|高出)B(?:了)?多少"),
]
PERCENT = re.compile(r"\bper ?cent(?:age)?\b|%|百分")


@dataclass(frozen=True)
class Between:
    """Two columns of which the second is taken off the first. gap: whichever is higher."""

    column: ColumnProfile
    less: ColumnProfile
    gap: bool


def find_between(question: Question, parts: Parts) -> Between | None:
    """Return the two columns a question sets against each other by name, and take its words for it;
    None otherwise.
    """
    if PERCENT.search(question.lower):
        return None
    named = sorted(named_columns(question, parts), key=lambda found: found[0])
    for (start, end, one), (begin, stop, two) in itertools.pairwise(named):
        if one is two or end > begin:
            continue
        text = question.lower
        joined = f"{text[:start]}A{text[end:begin]}B{text[stop:]}"
        shift = (end - start - 1) + (stop - begin - 1)
        for way, form in CHINESE if question.language == "zh" else ENGLISH:
            match = re.search(form, joined)
            b = start + 1 + begin - end
            if match is None or not match.start() <= start or match.end() <= b:
                continue
            free = [(match.start(), start), (end, begin), (stop, match.end() + shift)]
            if not all(question.free(a, z) for a, z in free if a < z):
                continue
            for a, z in free:
                if a < z:
                    question.take(a, z, " ")
            return Between(*((two, one) if way == "-" else (one, two)), gap=way == "0")
    return None


def named_columns(question: Question, parts: Parts) -> list[tuple[int, int, ColumnProfile]]:
    """Return where columns of numbers are called by their whole names, the unit aside."""
    found: list[tuple[int, int, ColumnProfile]] = []
    for column in parts.profile.columns:
        if column.role != "measure":
            continue
        words = name_words(column.name)
        units = [rf"(?:[\s_-]+{re.escape(w)})?" for w in words[1:] if w in UNITS]  # may be left out
        words = words[:1] + [w for w in words[1:] if w not in UNITS]
        if question.language == "zh" and not column.name.isascii():
            pattern = re.escape(bare(column.name))
        else:
            pattern = r"\b" + r"[\s_-]+".join(map(re.escape, words)) + "".join(units) + r"\b"
        found += [
            (m.start(), m.end(), column) for m in re.finditer(pattern, question.lower) if m[0]
        ]
    # "price" of "unit price" is the longer one's
    inside = {
        (a, b) for a, b, _ in found for c, d, _ in found if (c <= a and b <= d) and (c, d) != (a, b)
    }
    kept = [f for f in found if (f[0], f[1]) not in inside]
    return [f for f in kept if sum(f[:2] == other[:2] for other in kept) == 1]


def betweens(parts: Parts) -> list[Reading]:
    """Take one column off the other: of one row, or the sum or mean of several."""
    found = parts.between
    if found is None or "median" in parts.operations:
        return []
    computed = next((n for n in ("mean", "sum") if n in parts.operations), None)
    additive = found.column.additive is not False and found.less.additive is not False
    aggregate = None if parts.single else computed or ("sum" if additive else "mean")
    words = [f"{found.column.name} − {found.less.name}"]
    return [
        make(
            parts,
            "between",
            5.0,
            [aggregate or "", *words],
            column=found.column.name,
            less=found.less.name,
            how="gap" if found.gap else "absolute",
            aggregate=aggregate,
        )
    ]


COMPUTED = {
    "count",
    "mean",
    "median",
    "highest",
    "lowest",
    "difference",
    "change",
    "share",
    "distinct",
    "series",
}


def look_ups(parts: Parts) -> list[Reading]:
    """Read a cell of the row the conditions pick; without one row, the sum or mean over those they
    select.
    """
    made: list[Reading] = []
    computed = COMPUTED & parts.operations.keys()
    if not parts.conditions:
        return []
    if (
        not computed
        and not parts.single
        and parts.asks_for is None
        and not parts.asks_rows
        and parts.operations.get("list", 0.0) < 2
        and not re.match(r"(?:please )?(?:list|show|name|which|what|who|all|how)\b", parts.said)
    ):
        made.append(
            make(parts, "count", 1.6, ["count", "rows"])
        )  # "bug tickets of May": how many there are
    base = (1.6 if parts.single else -0.6) - (
        1.5 if computed and not parts.single else 0.9 if computed else 0.0
    )
    asked = parts.asks_for
    compared = parts.restricted
    if asked is not None and asked.name not in parts.held:
        if asked.role == "measure" and not parts.single and not computed:
            how = "sum" if asked.additive else "mean"
            made.append(make(parts, how, 2.4, [how, asked.name], column=asked.name))
        said = any(m.column is asked and m.score >= 0.6 for m in parts.matches)
        sure = (
            2.8 if said and asked.role != "measure" else 2.0
        )  # "which book was borrowed" asks for no date
        made.append(make(parts, "look_up", base + sure, [asked.name], columns=[asked.name]))
    for match in [m for m in parts.matches if m.column.name not in parts.held][:3]:
        column = match.column
        if column is asked:
            continue
        weak = match.weak
        if (
            asked is not column
            and not parts.single
            and (column.name in compared or is_code(column, parts))
        ):
            continue
        made.append(
            make(
                parts,
                "look_up",
                base + 1.8 * match.score,
                [column.name],
                weak=weak,
                columns=[column.name],
            )
        )
        if (
            column.role == "measure"
            and not parts.single
            and not computed
            and "sum" not in parts.operations
        ):
            how = "sum" if column.additive else "mean"
            first = (
                0.9 if asked is None or asked.role == "measure" else -0.6
            )  # "which dates" asks for dates
            made.append(
                make(
                    parts,
                    how,
                    first + 1.8 * match.score,
                    [how, column.name],
                    weak=weak,
                    column=column.name,
                )
            )
    return made


def is_code(column: ColumnProfile, parts: Parts) -> bool:
    """Tell whether a column only names the rows, which nobody asks for without saying so."""
    return column.role == "identifier" or (column.kind == "text" and is_key(column, parts.profile))


def latest(parts: Parts) -> list[Reading]:
    """A column in the newest row."""
    by = [c.name for c in time_columns(parts.profile)]
    if not by:
        return []
    return [
        make(
            parts,
            "latest",
            2 * m.score + (1.6 if m.column is parts.asks_for else 0.6),
            ["latest", m.column.name],
            weak=m.weak and m.column is not parts.asks_for,
            column=m.column.name,
            by=by,
        )
        for m in [*parts.matches[:4], *(m for m in parts.matches[4:] if m.column is parts.asks_for)]
        if m.column.name not in by and m.column.name not in parts.held
    ] + (
        [
            make(
                parts,
                "latest",
                3.2 if parts.asks_for is not None else 2.4,
                ["latest", by[0]],
                column=by[0],
                by=by,
            )
        ]
        if asks_time(parts, by[0])
        else []
    )


def asks_time(parts: Parts, name: str) -> bool:
    """Tell whether it is the time itself that is asked for."""
    asked = parts.asks_for
    return (asked is not None and asked.name == name) or bool(
        re.search(r"\bdate of\b|哪[天年月]|什么时候|日期", parts.said)
    )


ONE_THING = re.compile(r"(?:what['’]?s?|how|who|whose) ")  # asks for one thing, not for rows


def lists(parts: Parts) -> list[Reading]:
    """The values of the column asked for in the rows that meet the conditions."""
    if (
        not parts.conditions
        or {"highest", "lowest", "count", "mean", "sum", "series", "latest"}
        & parts.operations.keys()
    ):
        return []
    asked = parts.asks_for
    if asked is None and parts.asks_rows:
        asked = label_column(parts.profile)
    if asked is not None and asked.name in parts.restricted:
        asked = label_column(parts.profile)
    columns = [asked.name] if asked is not None else []
    return [
        make(
            parts,
            "list_rows",
            (2.6 if columns else 1.0) - (2.5 if parts.single else 0.0),
            ["list", *columns],
            weak=not columns
            and (parts.single or bool(parts.unknown) or bool(ONE_THING.match(parts.said))),
            columns=columns,
            distinct=bool(columns) and asked is not None and not is_key(asked, parts.profile),
        )
    ]


def series(parts: Parts) -> list[Reading]:
    """A measure over time."""
    times = time_columns(parts.profile)
    if not times or (not parts.conditions and not parts.measures):
        return []
    by = [c.name for c in times]
    unique = len(times) == 2 or is_key(times[0], parts.profile)
    part = part_of(times[0], parts)
    if part == "day" and unique:
        part = None
    made: list[Reading] = []
    usual = (
        unique
        and "mean" in parts.operations
        and not re.search(r"each|every|over time|trend|plot|chart|graph|每|各|逐|趋势", parts.said)
    )
    total = "sum" in parts.operations and not re.search(
        r"each|every|over time|(?:by|per) (?:month|quarter|year|day|week)|每|各|逐", parts.said
    )
    late = (
        2.5 if usual or total or parts.single else 0.0
    )  # the "average monthly bill" of a table of months is one number
    asked_each = re.search(
        r"\b(?:each|every|per|by|over"
        r" time|trend|daily|monthly|quarterly|yearly|annual|plot|chart|graph|history|develop)|每|逐|各|趋势|走势|变化|历年|折线|图",
        parts.said,
    )
    for match in parts.measures[:2]:
        aggregate = None
        if part is not None or not unique:
            aggregate = (
                "mean" if match.column.additive is False or "mean" in parts.operations else "sum"
            )
        keys = by[:1] if parts.part == "year" and times[0].role == "year" else by
        made.append(
            make(
                parts,
                "series",
                2 * match.score + (0.9 if asked_each else 0.0) - late,
                [match.column.name, f"by {part or ' '.join(keys)}"],
                weak=match.weak,
                by=keys,
                column=match.column.name,
                aggregate=aggregate,
                date_part=part,
            )
        )
    if "count" in parts.operations or all(m.weak for m in made):
        made.append(
            make(
                parts,
                "series",
                (3.4 if parts.asks_rows or all(m.weak for m in made) else 1.4) - late,
                ["count", f"by {part or ' '.join(by)}"],
                by=by,
                column=None,
                aggregate="count",
                date_part=part,
            )
        )
    return made
