"""One column set against another in the same rows: "how much higher was high than low",
最高价比最低价高多少.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from backends.understanding.matching.match import UNITS
from backends.understanding.parts import make
from backends.understanding.spans.text import bare, name_words

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile
    from backends.understanding.parts import Parts, Reading
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
