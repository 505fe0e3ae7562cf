"""Replace the words of a Chinese or Japanese text with English words, one by one.

The starter embedder reads only English; these words give it something to compare. The result is not
a translation, and users never see it. The words are in resources/language/glosses.zh.txt and
glosses.ja.txt. Each line contains a word and its English equivalent.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Literal

from backends.query.lexicon import WIDE, simplified

Wide = Literal["zh", "ja"]


def in_english(text: str, language: Wide) -> str:
    """Return a text in which each word in a script without spaces is replaced by English words. The
    longest words are matched first. Characters that match no word are left out; text in other
    scripts is not changed.
    """
    if not WIDE.search(text):
        return text
    words, longest = glosses(language)
    if language == "zh":
        text = text.translate(simplified())
    made: list[str] = []
    at = 0
    while at < len(text):
        size = next((n for n in range(longest, 0, -1) if text[at : at + n] in words), 0)
        if size:
            made.append(f" {words[text[at : at + size]]} ")
        elif not WIDE.match(text[at]):
            made.append(text[at])
        at += size or 1
    return " ".join("".join(made).split())


@cache
def glosses(language: Wide) -> tuple[dict[str, str], int]:
    """Return a language's words with their English equivalents, and the length of the longest
    word.
    """
    file = resources.files("resources.language") / f"glosses.{language}.txt"
    lines = (line.split("\t") for line in file.read_text("utf-8").splitlines() if "\t" in line)
    words = {word: english for word, english in lines}
    return words, max(map(len, words), default=0)
