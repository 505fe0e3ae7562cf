"""Says in English words what a text in Chinese or Japanese is about, word by word.

The starter embedder reads English only; so it has something to compare. It is no translation and
nobody sees it. The words lie in resources/language/glosses.zh.txt and glosses.ja.txt, a word and
its English words a line.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Literal

from backends.query.lexicon import WIDE, simplified

Wide = Literal["zh", "ja"]


def in_english(text: str, language: Wide) -> str:
    """Return a text with each word of a script without spaces in English; the longest words first.
    Signs that no word has are left out; other scripts stay as they are.
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
    """Return the English of each word of a language, and the length of the longest one."""
    file = resources.files("resources.language") / f"glosses.{language}.txt"
    lines = (line.split("\t") for line in file.read_text("utf-8").splitlines() if "\t" in line)
    words = {word: english for word, english in lines}
    return words, max(map(len, words), default=0)
