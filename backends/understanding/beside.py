"""Comparisons of two columns with each other: "more deaths than births", 库存低于安全库存."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.data.values import Condition
from backends.understanding.spans.text import bare, name_words

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile
    from backends.understanding.parts import Parts
    from backends.understanding.spans.text import Question

WORD = re.compile(r"[^\W\u3400-\u9fff]+|[\u3400-\u9fff]")
MORE = "higher|greater|more|larger|bigger|above|over|exceed(?:s|ed|ing)?|later"
LESS = "lower|less|smaller|fewer|below|under|earlier"
BESIDE = [
    (
        ">",
        re.compile(
            rf" (?:level |value )?(?:(?:is|was|are|were) )?(?:{MORE}) (?:than )?(?:the |its |their"
            r" |our )?"
        ),
    ),
    (
        "<",
        re.compile(
            rf" (?:level |value )?(?:(?:is|was|are|were) )?(?:{LESS}) (?:than )?(?:the |its |their"
            r" |our )?"
        ),
    ),
    (
        "=",
        re.compile(
            r" ?(?:=|equals?|(?:is|was|are|were) (?:equal to|the same as)) ?(?:the |its |their )?"
        ),
    ),
    (">", re.compile("(?:都|已经?)?(?:高于|超过|大于|多于|超出)")),
    ("<", re.compile("(?:都|已经?)?(?:低于|少于|小于|不足|不到)")),
]


def place_columns(question: Question, parts: Parts) -> None:
    """Read "more deaths than births" and 库存低于安全库存 as a comparison of two columns."""
    measures = [
        m for m in parts.matches if m.column.role == "measure" and m.score >= 0.55 and m.places
    ]
    for one in measures:
        for two in measures:
            first, second = min(one.places), min(two.places)
            if one is two or first >= second:
                continue
            word = WORD.match(question.lower, first)
            end = first + len(spoken_name(question, one.column, first)) or (
                word.end() if word else first
            )
            last = max(p for p in one.places if p < second)
            if last > first and (word := WORD.match(question.lower, last)):
                end = max(end, word.end())  # "stock on hand"
            op = beside(question.lower[:first], question.lower[end:second])
            if op and question.free(end, second):
                made = {"column": one.column.name, "op": op, "other": two.column.name}
                parts.add(
                    [Condition.model_validate(made)],
                    f"{one.column.name} {op} {two.column.name}",
                    first,
                )
                question.take(end, second, "> COL")
                return
    below_limit(question, parts)


LIMITS = re.compile(r"reorder|minimum|safety|threshold|安全|最低|警戒|订货点", re.IGNORECASE)
STOCKS = re.compile(r"qty|quantity|stock|on[ _]?hand|库存|数量|existing", re.IGNORECASE)


def below_limit(question: Question, parts: Parts) -> None:
    """Read "which products are below their reorder level" as stock under the limit, where the table
    has one of each.
    """
    said = re.search(rf"\b(?:{LESS})(?: than)? (?:the|its|their) |低于|少于|不足", question.lower)
    limits = [
        m
        for m in parts.matches
        if m.column.role == "measure" and LIMITS.search(m.column.name) and m.places
    ]
    stocks = [
        m.column
        for m in parts.matches
        if m.column.role == "measure" and STOCKS.search(m.column.name)
    ]
    stocks = [c for c in stocks if not LIMITS.search(c.name)]
    if (
        not said
        or len(limits) != 1
        or len(stocks) != 1
        or not 0 <= min(limits[0].places) - said.end() <= 2
    ):
        return
    made = {"column": stocks[0].name, "op": "<", "other": limits[0].column.name}
    parts.add(
        [Condition.model_validate(made)],
        f"{stocks[0].name} < {limits[0].column.name}",
        said.start(),
    )
    question.take(said.start(), said.end(), "> COL")


def spoken_name(question: Question, column: ColumnProfile, place: int) -> str:
    """Return as much of a column's name as the question says at a place."""
    names = [bare(column.name), " ".join(name_words(column.name))]
    return max(
        (
            n[:size]
            for n in names
            for size in range(len(n) + 1)
            if question.lower.startswith(n[:size], place)
        ),
        key=len,
    )


def beside(before: str, between: str) -> str | None:
    """Return the comparison that stands between two columns."""
    if re.fullmatch(r"s? (?:\w+ )?than (?:the |its |their )?", between):
        if re.search(r"\bmore\b[^,.]{0,25}$", before):
            return ">"
        return "<" if re.search(r"\b(?:fewer|less)\b[^,.]{0,25}$", before) else None
    return next(
        (
            op
            for op, pattern in BESIDE
            if pattern.fullmatch(between.lstrip("s") if between[:2] == "s " else between)
        ),
        None,
    )
