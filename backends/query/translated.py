"""Column names translated from Chinese to English, and from English to Chinese.

新增病例 stands for `New Cases`, admissions for 入院人数.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib import resources
from typing import cast

import yaml

from backends.query.lexicon import WIDE, Lexicon

COUNTED = re.compile(
    r"总?(?:人数|数量?|次数)|量|额"
)  # words that only say that something is counted
LITTLE = frozenset({"of", "the", "no", "num", "number", "count", "name"})
PARTS = 3  # maximum number of Chinese words in one name
Names = tuple[tuple[str, ...], ...]


@cache
def dictionary() -> dict[str, Names]:
    """Return the English names of columns, each as a tuple of words, by the Chinese words for
    them.
    """
    folder = resources.files("resources.language")
    glossary, terms = (
        cast("dict[str, str]", yaml.safe_load((folder / f"{name}.yaml").read_text("utf-8")))
        for name in ("glossary", "terms")
    )
    made: dict[str, Names] = {}
    for word, meant in glossary.items():
        names = meant.split()
        made[word] = (*((one,) for one in names), tuple(names))
    for word, listed in terms.items():
        made[word] = tuple(tuple(name.split()) for name in listed.split(","))
    return made


@cache
def _longest() -> int:
    return max(map(len, dictionary()))


@lru_cache(maxsize=8192)
def english_of(text: str, words: Lexicon) -> frozenset[frozenset[str]]:
    """Return the English names for a Chinese text, if it consists only of known words. Each name is
    a set of the keys of its words, so their order does not matter.
    """
    found: set[frozenset[str]] = set()

    def go_on(at: int, said: frozenset[str], parts: int) -> None:
        for end in range(at + 1, min(len(text), at + _longest()) + 1):
            for name in dictionary().get(text[at:end], ()):
                more = said | {words.key(word) for word in name if word not in LITTLE}
                tail = COUNTED.match(text, end)
                if end == len(text) or (tail is not None and tail.end() == len(text)):
                    found.add(more)
                elif parts < PARTS:
                    go_on(end + text.startswith("的", end), more, parts + 1)

    go_on(0, frozenset(), 1)
    return frozenset(found - {frozenset()})


def is_translation(
    keys: tuple[str, ...], name: str, named: tuple[str, ...], words: Lexicon
) -> bool:
    """Return whether some words are the translation of a column name, from English to Chinese or
    the reverse.

    keys: the keys of the words. name: the name of the column, in lower case without spaces. named:
    the keys of the words in this name.
    """
    said = "".join(keys)
    asked = WIDE.search(said) is not None
    if asked == (WIDE.search(name) is not None) or len(said) < 2:
        return False
    chinese, english = (said, named) if asked else (name, keys)
    little = {words.key(word) for word in LITTLE}
    whole = frozenset(key for key in english if key not in little and key[0].isalnum())
    return bool(whole) and whole in english_of(chinese, words)
