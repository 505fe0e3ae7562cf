"""Columns with Chinese names in questions that do not cut words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.understanding.matching.match import Match
from backends.understanding.spans.text import CJK, Word, bare, lexicon
from backends.understanding.spans.units import unit_held, unit_said

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile

SUPERLATIVES = ("最高", "最低", "最大", "最小", "最多", "最少")  # 收益率最高 names no 最高价
COUNTED = re.compile(r"(?:多少|几)个?([\u3400-\u9fffa-z°]{1,3})")


def characters(words: list[Word], column: ColumnProfile) -> Match:
    """Score a column with a Chinese name: whole name, then shared character pairs, then
    concepts.
    """
    concepts = lexicon("zh").concepts
    name = bare(column.name)
    best, used, at = 0.0, set[int](), list[int]()
    for i, word in enumerate(words):
        score, place = 0.0, 0
        if name and name in word.text:
            score, place = 1.0 + 0.02 * len(name), word.text.index(name)
        elif len(name) >= 2:
            shared = max(
                (
                    n
                    for n in range(len(name), 1, -1)
                    if any(p in word.text and p not in SUPERLATIVES for p in parts(name, n))
                ),
                default=0,
            )
            core = re.sub("(?<=..)(?:日期|时间)$", "", name)
            score = 0.9 * shared / len(name) if shared >= 2 else 0.0
            if core != name and core in word.text:
                score, place = 0.75, word.text.index(core)  # 入职最早 is by 入职日期
        for said, meant in concepts.items():
            if said not in word.text or any(
                len(o) > len(said) and said in o and o in word.text for o in concepts
            ):
                continue
            fits = [
                k
                for k, m in enumerate(meant)
                if (m in name if CJK.search(m) else name.startswith(m))
            ]
            near = 0.68 - 0.02 * fits[0] if fits and said in word.text else 0.0
            if near > score:
                score, place = near, word.text.index(said)
        if score > best:
            best, used, at = score, {i}, [word.start + place]
    held = unit_held(column)
    for i, word in enumerate(words if held else ()):
        said = COUNTED.search(word.text)
        if said and any(unit_said(said[1][:size]) == held for size in (3, 2, 1)):
            return Match(column, best + 0.45, used | {i}, [*at, word.start + said.start()])
    return Match(column, best, used, at)


def parts(name: str, size: int) -> list[str]:
    """Return the parts of a name that are so many characters long."""
    return [name[k : k + size] for k in range(len(name) - size + 1)]
