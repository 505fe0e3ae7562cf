"""Mistyped words, mended by the words the question could be about."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.understanding.spans.numbers import WORDS
from backends.understanding.spans.text import CJK, lexicon, name_words, stem

if TYPE_CHECKING:
    from backends.data.values import Profile

CUES = (
    "average median highest lowest total number percentage different distinct between cheapest"
    " expensive largest smallest people number customers orders received submissions payment"
    " members visitors employees products quantity price amount cost difference recent recently"
    " latest maximum minimum share list without before after during january february march april"
    " june july august september october november december quarter month year"
)
SHORTHAND = {
    "ppl": "people",
    "avg": "average",
    "whats": "what is",
    "hows": "how is",
    "w/o": "without",
    "b/w": "between",
}
SQUARED = re.compile(r"\b(square|cubic) met(?:re|er)s?\b", re.IGNORECASE)
HALVES = re.compile(
    r"\b(\d+|one|two|three|four|five|six|seven|eight|nine|ten) and a half\b", re.IGNORECASE
)
WORD = re.compile(r"[A-Za-z]{4,}")
# 1990-1, as a table with a year and a quarter writes it
YEAR_QUARTER = re.compile(r"(?<![\d.-])(?P<year>(?:18|19|20)\d\d)-(?P<q>[1-4])(?![\d.%-])")


def mend(text: str, profile: Profile) -> str:
    """Return the question with a word that is one slip away from a known one put right.

    A slip: a letter too many, missing, wrong, or two swapped; two slips in ten letters and more.
    Only words that are no common ones are touched, and only if one known word is near.
    """
    if CJK.search(text):
        return text
    text = SQUARED.sub(lambda m: "m2" if m[1].lower() == "square" else "m3", text)
    text = HALVES.sub(lambda m: f"{WORDS.get(m[1].lower(), m[1])}.5", text)
    names = [c.name.lower().replace("_", " ") for c in profile.columns]
    for phrase, meant in lexicon("en").phrases.items():
        if not any(phrase in name for name in names):
            text = re.sub(rf"\b{phrase}\b", meant, text, flags=re.IGNORECASE)
    known = vocabulary(profile)
    concepts = lexicon("en").concepts
    common = (
        lexicon("en").stop
        | lexicon("en").common
        | concepts.keys()
        | {w for ws in concepts.values() for w in ws}
    )

    def put_right(match: re.Match[str]) -> str:
        said = match[0]
        word = said.lower()
        if word in SHORTHAND:
            return SHORTHAND[word]
        if (
            word in known
            or word in common
            or stem(word) in known
            or stem(word) in common
            or len(word) < 4
        ):
            return said
        limit = 2 if len(word) >= 10 else 1
        near = {
            k
            for k in known
            if k[0] == word[0] and abs(len(k) - len(word)) <= limit and slips(word, k) <= limit
        }
        near = {k for k in near if len(k) >= 5 and stem(k) != stem(word)}
        return near.pop() if len(near) == 1 else said

    return WORD.sub(put_right, text)


def vocabulary(profile: Profile) -> set[str]:
    """Return the words a question about a table may be spelt by."""
    words = set(CUES.split())
    short = lexicon("en").abbreviations
    for column in profile.columns:
        for word in name_words(column.name):
            words |= {word, *short.get(word, [])}
        if column.kind == "text" and column.role == "category":
            words |= {
                w.lower()
                for v in column.values
                for w in re.findall(r"[A-Za-z]+", str(v))
                if w.islower() or column.distinct <= 12
            }
    words |= set(name_words(profile.name))
    return {w for w in words if len(w) >= 4 and w.isascii()}


def slips(one: str, two: str) -> int:
    """Return the number of letters to add, drop, change or swap with the next, between two
    words.
    """
    before: list[int] = []
    row = list(range(len(two) + 1))
    for i, a in enumerate(one, 1):
        last, before, row = before, row, [i]
        for j, b in enumerate(two, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == two[j - 2] and one[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]


def quarters_said(text: str, profiles: list[Profile]) -> str:
    """Return the question with "1990-1" said out as a quarter, if that is how these tables tell the
    time: a year and a quarter.
    """
    if not profiles or not all(
        {"year", "quarter"} <= {c.role for c in p.columns} for p in profiles
    ):
        return text
    chinese = CJK.search(text)
    return YEAR_QUARTER.sub(r"\g<year>年第\g<q>季度" if chinese else r"Q\g<q> \g<year>", text)
