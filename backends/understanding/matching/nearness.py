"""How near the words of a question are in meaning to what a table is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from backends.understanding.spans.text import CJK, Question, Word, lexicon, name_words

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from backends.data.values import ColumnProfile, Profile

    Embed = Callable[[list[str]], Awaitable[np.ndarray]]


class Nearness:
    """Cosines between the phrases of a question and the names in a table; all zero without an
    embedder.
    """

    def __init__(self) -> None:
        self._columns: dict[str, float] = {}
        self._words: dict[str, float] = {}
        self._subject: dict[str, float] = {}
        self._pairs: dict[tuple[str, str], float] = {}

    def pair(self, word: str, column: str) -> float:
        """Return how near a word is to a column's name."""
        return self._pairs.get((word, column), 0.0)

    def column(self, name: str) -> float:
        """Return how near a column's name is to the nearest phrase: a cosine."""
        return self._columns.get(name, 0.0)

    def word(self, text: str) -> float:
        """Return how near a word is to the nearest name of the table: its title, a column.

        Not a value: a word near to one is a condition that nothing took.
        """
        return self._words.get(text, 0.0)

    def subject(self, text: str) -> float:
        """Return how near a word is to what a row is: the table's title and the names of its
        ids.
        """
        return self._subject.get(text, 0.0)

    @classmethod
    async def of(cls, question: Question, profile: Profile, embed: Embed | None) -> Nearness:
        """Embed what is needed, in one call."""
        made = cls()
        words = content(question.words())
        if embed is None or not words or question.language != "en":
            return made
        phrases = [" ".join(words[i : i + n]) for n in (1, 2, 3) for i in range(len(words) - n + 1)]
        names = [spoken(c) for c in profile.columns]
        subjects = [s for s in (" ".join(name_words(profile.name)), *subject_words(profile)) if s]
        vectors = await embed([*phrases, *names, *subjects])
        table = vectors[: len(phrases)] @ vectors[len(phrases) :].T
        for column, cosine in zip(profile.columns, table[:, : len(names)].max(axis=0), strict=True):
            made._columns[column.name] = float(cosine)
        about = table[:, len(names) : len(names) + len(subjects)]
        for i, word in enumerate(words):
            made._words[word] = float(table[i].max())
            made._pairs |= {
                (word, c.name): float(v) for c, v in zip(profile.columns, table[i], strict=False)
            }
            made._subject[word] = float(about[i].max()) if subjects else 0.0
        return made


def content(words: list[Word]) -> list[str]:
    """Return the words that may mean something of the table, each once."""
    stop = lexicon("en").stop
    kept = [
        w.text
        for w in words
        if w.text not in stop and not CJK.search(w.text) and not w.text[0].isdigit()
    ]
    return list(dict.fromkeys(kept))


def spoken(column: ColumnProfile) -> str:
    """Return a column's name as one would say it."""
    short = lexicon("en").abbreviations
    return " ".join(short.get(w, [w])[0] for w in name_words(column.name)) or column.name


def subject_words(profile: Profile) -> list[str]:
    """Return what a row is called: the words of the title, and of the ids but their "id"."""
    ids = [
        c for c in profile.columns if c.role == "identifier" or c.name == profile.columns[0].name
    ]
    said = [w for c in ids for w in name_words(c.name)]
    small = {
        "id",
        "no",
        "nr",
        "number",
        "code",
        "ref",
        "name",
        "date",
        "key",
        "year",
        "month",
        "quarter",
        "day",
        "week",
        "time",
        "the",
        "of",
        "and",
        "data",
        "log",
        "list",
    }
    return list(
        dict.fromkeys(
            w for w in [*name_words(profile.name), *said] if w not in small and not w.isdigit()
        )
    )
