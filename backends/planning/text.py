"""The text of a request: its script, and how it writes days."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backends.data.values import Profile

CJK = re.compile(r"[\u3400-\u9fff\u3040-\u30ff]")
SPACED = re.compile(
    r"(?<=\d)\s+(?=[年月日号季周天])|(?<=[年月第])\s+(?=[\d一二三四上下第])|(?<=[\d一二三四])\s+(?=季度|四半期)"
)


def tight(text: str) -> str:
    """Return a text without the spaces that some people put between digits and 年, 月 or 日."""
    return SPACED.sub("", text)


@lru_cache(maxsize=32768)
def stem(word: str) -> str:
    """Return an English word without plural and tense endings: bookings and booked both become
    book.
    """
    for endings in (
        (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("es", "e"), ("s", "")),
        (("ing", ""), ("ed", ""), ("e", "")),
    ):
        for ending, instead in endings:
            if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
                word = word[: -len(ending)] + instead
                break
    return word


# 1990-1, as in tables with a year and a quarter
YEAR_QUARTER = re.compile(r"(?<![\d.-])(?P<year>(?:18|19|20)\d\d)-(?P<q>[1-4])(?![\d.%-])")


def quarters_said(text: str, profiles: list[Profile]) -> str:
    """Return the question with "1990-1" written out as a quarter, if the tables give time as a year
    and a quarter.
    """
    if not profiles or not all(
        {"year", "quarter"} <= {c.role for c in p.columns} for p in profiles
    ):
        return text
    chinese = CJK.search(text)
    return YEAR_QUARTER.sub(r"\g<year>年第\g<q>季度" if chinese else r"Q\g<q> \g<year>", text)
