"""The one column of money of a table, where a question speaks of money without naming it."""

from __future__ import annotations

import re
from itertools import pairwise

from backends.understanding.matching.match import GUESS, Match
from backends.understanding.spans.text import Question, Word, name_words, stem
from backends.understanding.spans.units import is_sum_of_money

MUCH = {
    "much",
    "money",
    "spent",
    "spend",
    "spending",
    "cost",
    "costs",
    "pay",
    "paid",
    "charge",
    "charged",
    "earn",
    "earned",
    "worth",
    "expensive",
    "cheap",
    "cheapest",
    "priciest",
    "pricey",
    "costly",
    "costliest",
    "dearest",
    "generous",
    "given",
    "raised",
    "donated",
    "donation",
    "paying",
    "pays",
    "brings",
    "cash",
}


def the_only_money(
    matches: list[Match], words: list[Word], question: Question, subject: set[str]
) -> None:
    """Raise the one column of money where money is spoken of, or a number of what a row is: "the
    average donation".
    """
    able = [m for m in matches if m.column.role == "measure" and is_sum_of_money(m.column)]
    best = max((m.score for m in matches if m.column.role == "measure"), default=0.0)
    if len(able) != 1 or question.language == "zh":
        return
    plain = bool({"total", "amount", "sum", "takings"} & set(name_words(able[0].column.name)))
    if NOT_MONEY.search(question.lower):
        return
    money = [
        w for w in words if w.text in MUCH or stem(w.text) in MUCH or (plain and w.text in INCOME)
    ]
    rows = [
        w for one, w in pairwise(words) if OF_ROWS.fullmatch(one.text) and stem(w.text) in subject
    ]
    rows = [
        w
        for w in rows
        if not any(
            stem(w.text) == stem(n)
            for m in matches
            if m.column.role == "measure"
            for n in name_words(m.column.name)
        )
    ]
    rows = rows if best < GUESS else []
    if money or rows:
        able[0].score = max(able[0].score, 0.66)
        able[0].places = able[0].places or [(money or rows)[0].start]
        able[0].words |= {i for i, w in enumerate(words) if w in (money or rows)}


NOT_MONEY = re.compile(
    r"\bweighs?\b|\bhow much (?!money|cash|altogether|overall|more|less|in"
    r" total|the|our|each|per|a\b|an\b|to\b|for\b|it\b)(?!(?:do|does|did|is|are|was|were|has|have|had|will|we|i|they|he|she|you)\b)[a-z]{3,}"
)
INCOME = {"revenue", "takings", "turnover", "income", "earnings", "sales", "value"}
OF_ROWS = re.compile(
    "average|avg|mean|median|typical|largest|biggest|smallest|total|highest|lowest|single"
)
