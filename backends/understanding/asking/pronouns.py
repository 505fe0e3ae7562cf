"""The columns that "who", "when", "where", "what kind" and "the names of" ask for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.understanding.matching.rows import label_column, person_column
from backends.understanding.spans.when import time_columns

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile
    from backends.understanding.asking.nouns import Nouns

NAMED = re.compile(r"\b(ids?|names|addresses|titles|codes|numbers) (?:of|from|in|with|for)\b")
PLACE = re.compile(
    r"city|town|place|location|country|region|site|station|branch|office|port|origin|venue|address|from|where|城市|地区|地点|地址|省|目的地|位置|站",
    re.IGNORECASE,
)
KIND = re.compile(r"type|kind|species|category|breed|class\b|genre|variety", re.IGNORECASE)
EVERYBODY = re.compile(
    r"name|employee|customer|member|guest|student|pupil|player|runner|singer|patient|person|staff",
    re.I,
)
MAKERS = re.compile(
    r"\bwho (?:\w+"
    r" )?(?:wrote|authored|invented|directed|composed|painted|founded|discovered|sang|sings|stars?|starred|designed|built|owns)\b"
)
MADE_BY = re.compile(
    r"author|writer|director|composer|artist|painter|founder|inventor|singer|designer|builder|owner|by$",
    re.IGNORECASE,
)
METHOD = re.compile(r"method|payment|tender|pay(?:ing)?[_ ]?(?:type|mode)", re.IGNORECASE)
TRANSPORT = re.compile(r"travel|transport|mode|commute", re.IGNORECASE)
HOW = (
    (
        re.compile(
            r"^how (?:did|was|were|is|are|do|does|has|have)\b.*\b(?:pay|paid|pays|settled?)\b"
        ),
        METHOD,
    ),
    (
        re.compile(
            r"^how (?:did|do|does|is|are)\b.*\b(?:travels?|commute|get (?:to|here|home)|come"
            r" (?:to|here))\b"
        ),
        TRANSPORT,
    ),
)
REASON = re.compile(r"reason|cause|complaint|purpose|原因|事由", re.IGNORECASE)
WHEN = re.compile(
    r"\bwhen\b|\b(?:which|what)"
    r" (?:day|date|year|month|quarter)|什么时候|哪一?[天年月]|几月|哪个(?:季度|月)|何时"
)
STEPS = (
    ("quarter", re.compile(r"\bwhich quarter|哪一?个?季度")),
    ("month", re.compile(r"\bwhich month|哪一?个?月")),
    ("year", re.compile(r"\bwhich year|哪一?年")),
)


def time_or_person(nouns: Nouns) -> tuple[ColumnProfile | None, bool]:
    """Return the column "when", "which month" or "who" asks for, and whether it is only a guess."""
    masked = nouns.question.masked()
    for role, said in STEPS:
        named = [c for c in nouns.profile.columns if c.role == role]
        if named and said.search(masked):
            return named[0], False
    times = time_columns(nouns.profile)
    if times and WHEN.search(masked):
        dates = [
            m.column for m in nouns.matches if m.column.kind in ("date", "time") and m.score >= 0.5
        ]
        return (dates or times)[0], False
    for said, column in HOW:
        if said.search(nouns.text):
            return next((c for c in nouns.profile.columns if column.search(c.name)), None), False
    if re.match(r"why\b|为什么|what (?:was|is|were) .* for\W*$", nouns.text):
        return next((c for c in nouns.profile.columns if REASON.search(c.name)), None), False
    return person(nouns) if re.search(r"\bwho(?:se|m)?\b|谁|哪位|哪个人", masked) else (None, False)


def person(nouns: Nouns) -> tuple[ColumnProfile | None, bool]:
    """Return the column "who" asks for; a role nothing in the question speaks of is only a
    guess.
    """
    english = nouns.question.language == "en"
    column = person_column(nouns.matches)
    if column is None:
        label = label_column(nouns.profile)
        named = (
            english and label is not None and label.kind == "text" and label.role != "identifier"
        )
        return (label if named else None), False
    score = next(m.score for m in nouns.matches if m.column is column)
    if english and MAKERS.search(nouns.text) and not MADE_BY.search(column.name):
        return column, True  # who borrowed a book is not who wrote it
    return column, english and score < 0.5 and not EVERYBODY.search(column.name)


def codes_or_names(nouns: Nouns) -> ColumnProfile | None:
    """Return the column that "ticket ids of …" or "addresses in …" names."""
    match = NAMED.search(nouns.text)
    if match is None:
        return None
    if match[1].startswith(("id", "code", "number")):
        return next((c for c in nouns.profile.columns if c.role == "identifier"), None)
    if match[1].startswith("name"):
        start, end = nouns.after(match.end())
        named = nouns.column(start, start + len(nouns.text[start:end].split(" ")[0]))
        if named is not None and named.role == "category":
            return named
        return person_column(nouns.matches) or label_column(nouns.profile)
    return nouns.column(match.start(1), match.end(1))


def place_column(nouns: Nouns) -> ColumnProfile | None:
    """Return the column "where" asks for."""
    places = [m for m in nouns.matches if m.column.kind == "text" and PLACE.search(m.column.name)]
    if re.search(r"\bfrom\b", nouns.text):
        places.sort(
            key=lambda m: not re.search(r"orig|from|prev|source|start", m.column.name, re.I)
        )
    if re.search("[到往至]哪", nouns.text):
        places.sort(key=lambda m: not re.search("收|目的|到达", m.column.name))
    elif re.search("从哪|自哪", nouns.text):
        places.sort(key=lambda m: not re.search("寄|出发|始发|来源", m.column.name))
    return places[0].column if places else None


def kind_column(nouns: Nouns) -> ColumnProfile | None:
    """Return the column that says what kind of thing a row is."""
    return next(
        (c for c in nouns.profile.columns if KIND.search(c.name) and c.kind == "text"), None
    )
