"""Which of a list a sentence means, and where in it something is put: English and Chinese."""

from __future__ import annotations

import re

from backends.copilot.acting.patterns import pattern, table

ORDINALS = {
    w: n
    for n, w in enumerate(
        [
            "first",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
            "eleventh",
            "twelfth",
        ],
        1,
    )
}
COUNTED = {
    w: n
    for n, w in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 1
    )
}
DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九十")} | {"两": 2}
PLACE = re.compile(
    rf"\b({'|'.join(ORDINALS)}|\d+(?:st|nd|rd|th))\b(?={table()['after']})"
    rf"|(?:\b(?:number|no\.?|nr\.?|item|task|todo|entry|position)|#)\s*(\d+|{'|'.join(COUNTED)})\b"
    rf"|第\s*([零一二三四五六七八九十两]+|\d+)\s*[条项个件位则行]?{table()['after_chinese']}",
    re.IGNORECASE,
)


def place_of(text: str) -> int | None:
    """Return which of a list is meant; None if none is, or several are."""
    found = {
        number(next(group for group in match.groups() if group)) for match in PLACE.finditer(text)
    }
    return found.pop() if len(found) == 1 else at_top(text) if not found else None


def put_at(text: str) -> int | None:
    """Return where in a list something is to be put; None if that is not said."""
    found = pattern("put_at").search(text)
    place = number(next((group for group in found.groups() if group), "")) if found else 0
    return place or at_top(text)


def at_top(text: str) -> int | None:
    """Return 1 if the top of a list is meant."""
    return 1 if pattern("top").search(text) else None


def number(text: str) -> int:
    """Return an ordinal or a number in digits or characters; 0 if it is none."""
    if digits := re.fullmatch(r"(\d+)(?:st|nd|rd|th)?", text, re.IGNORECASE):
        return int(digits[1])
    if known := (ORDINALS | COUNTED).get(text.lower()):
        return known
    tens, ten, ones = text.rpartition("十")
    if not ten:
        return DIGITS.get(text[-1:], 0)
    return (DIGITS.get(tens, 1) if tens else 1) * 10 + (DIGITS.get(ones, 0) if ones else 0)
