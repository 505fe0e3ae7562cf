"""Values of the data that occur in a question."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from backends.understanding.spans.text import CJK, lexicon, stem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backends.kernel import ColumnProfile, Profile, Scalar
    from backends.understanding.spans.text import Question

NEGATION = re.compile(
    r"(?:\b(?:not|except(?: for)?|excluding|without|other than|apart from|neither|nor|non|outside|[a-z]+n['’]t)\b[ -]?(?:in |from |of |the |for |by )*|除了?|不是|非|不含|不在|不包括|不算)$"
)
FUZZY = 0.84


@dataclass(frozen=True)
class Link:
    """A value that occurs in the question.

    columns: where it may belong, the likeliest first. negated: the question excludes it.
    exact: written as in the data, case and plural aside.
    """

    columns: tuple[str, ...]
    value: Scalar
    start: int
    end: int
    exact: bool
    negated: bool = False


def find_links(question: Question, profile: Profile, extra: dict[str, list[str]] | None = None) -> list[Link]:
    """Take values that occur in the question out of it, the longest first.

    extra: values found by the terminal in columns too large to list, by column.
    """
    found: list[Link] = []
    for text, places in sorted(candidates(profile, extra).items(), key=lambda item: -len(item[0])):
        for start, end in occurrences(question, text):
            if question.free(start, end) and not names_column(question, profile, start, end, places):
                found.append(make(question, places, start, end, exact=True))
    for word in question.words():
        link = fuzzy(question, profile, word.text, word.start, word.end)
        if link is not None:
            found.append(link)
    return sorted(found, key=lambda link: link.start)


def candidates(profile: Profile, extra: dict[str, list[str]] | None) -> dict[str, list[tuple[str, Scalar]]]:
    """Return values worth looking for, in lower case, and the columns they stand in."""
    stop = lexicon("en").stop | lexicon("zh").stop
    places: dict[str, list[tuple[str, Scalar]]] = {}
    for column in profile.columns:
        if column.kind not in ("text", "boolean") or column.role == "period":
            continue
        for value in [*column.values, *(extra or {}).get(column.name, [])]:
            text = str(value).lower().strip()
            short = len(text) < (1 if CJK.search(text) else 2)
            if (not short and text not in stop and not text.replace(".", "").isdigit()) or (
                text.isdigit() and len(text) >= 3
            ):
                places.setdefault(text, []).append((column.name, value))
    return places


def occurrences(question: Question, text: str) -> Iterator[tuple[int, int]]:
    """Yield where a value stands in the question as a word of its own, plural included."""
    pattern = re.escape(text).replace(r"\ ", r"[ \-]")
    if not CJK.search(text):
        pattern = rf"(?<![A-Za-z0-9]){pattern}(?:e?s|'s)?(?![A-Za-z0-9])"
    for match in re.finditer(pattern, question.lower):
        yield match.start(), match.end()


def names_column(
    question: Question, profile: Profile, start: int, end: int, places: list[tuple[str, Scalar]]
) -> bool:
    """Tell whether the stretch is rather the name of another column, as in "the red wine count"."""
    said = question.lower[start:end]
    return any(
        c.name.lower().replace("_", " ") == said
        for c in profile.columns
        if c.name not in {p[0] for p in places}
    )


def make(question: Question, places: list[tuple[str, Scalar]], start: int, end: int, *, exact: bool) -> Link:
    """Take the stretch and return its link; a column whose name stands nearby comes first."""
    near = question.lower[max(0, start - 24) : end + 16]
    order = sorted(
        places, key=lambda p: -any(len(w) > 2 and w in near for w in re.split(r"[_\s]+", p[0].lower()))
    )
    negation = NEGATION.search(question.lower[:start])
    at = negation.start() if negation else start
    if negation and (beyond := re.match("以外|之外|外", question.lower[end:])):
        end += beyond.end()
    question.take(at, end, "VAL")
    columns = tuple(dict.fromkeys(column for column, _ in order))
    return Link(columns, order[0][1], at, end, exact, negated=negation is not None)


def fuzzy(question: Question, profile: Profile, word: str, start: int, end: int) -> Link | None:
    """Link a word that is nearly a value, or one word of a value that no other value has."""
    if CJK.search(word) or len(word) < 4 or word in lexicon("en").stop or word in column_words(profile):
        return None
    best: tuple[float, str, Scalar] | None = None
    for column in profile.columns:
        if column.kind != "text" or column.role in ("identifier", "period"):
            continue
        with_word = [v for v in column.values if word in re.split(r"[\s\-/&]+", str(v).lower())]
        if len(with_word) == 1 and column.complete and len(word) >= 4:
            return make(question, [(column.name, with_word[0])], start, end, exact=False)
        for value in column.values:
            text = str(value).lower()
            if len(word) >= 5 and text[:1] == word[:1] and abs(len(text) - len(word)) <= 2:
                score = SequenceMatcher(None, word, text).ratio()
                if score >= FUZZY and (best is None or score > best[0]):
                    best = (score, column.name, value)
    return make(question, [(best[1], best[2])], start, end, exact=False) if best else None


def column_words(profile: Profile) -> set[str]:
    """Return the words of all column names, and their stems."""
    words = {w for c in profile.columns for w in re.split(r"[_\s()]+", c.name.lower()) if w}
    return words | {stem(w) for w in words} | {w + "s" for w in words}


def numbered(question: Question, column: ColumnProfile) -> tuple[int, int, int] | None:
    """Return a number that follows the column's name ("store 12") and where both stand."""
    name = re.escape(column.name.lower().replace("_", " "))
    match = re.search(rf"(?<![a-z]){name}\s*(?:no\.?|number|#|号)?\s*(\d+)(?!\d)", question.lower)
    if match is None or not question.free(match.start(1), match.end(1)):
        return None
    return int(match[1]), match.start(), match.end()
