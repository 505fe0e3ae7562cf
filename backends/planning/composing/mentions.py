"""Where a request names columns: by their name, a part of it, their meaning, or what such columns
are called.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from backends.planning.composing.vocabulary import (
    chinese,
    compounds,
    in_english,
    listed,
    vocabulary,
)
from backends.planning.tables import aliases, plain
from backends.understanding.matching.characters import SUPERLATIVES
from backends.understanding.spans.text import CJK, lexicon, name_words, stem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from backends.data.values import ColumnProfile
    from backends.planning.composing.said import Said
    from backends.planning.tables import View

SPLIT = re.compile(
    r"[/、,，;；:：()（）=]| or | in | per | of the |(?<=[a-z])"
    r" (?=[\u3400-\u9fff])|(?<=[\u3400-\u9fff]) (?=[a-z])"
)

# Words for what is made of numbers, whatever these are called; 分 and the like say in what they are
# counted.
OF_NUMBERS = re.compile(
    r"(?:平均|总|均|最高|最低)(?P<zh>[分价值额量数])|(?P<price>价格)|(?=中位数|平均|\b(?:average|mean|median)\b)|\b(?P<en>marks?|grades?|scores?|prices?|points|values|amounts?|results?)\b"
)


@dataclass(frozen=True)
class Mention:
    """A column that is named. how surely: 1 and more by its whole name. said: the words that name
    it.
    """

    start: int
    end: int
    source: str
    column: str
    score: float
    said: str = ""


@lru_cache(maxsize=4096)
def phrases(name: str, meaning: str) -> tuple[tuple[str, float], ...]:
    """Return what a column of a name and meaning may be called, each with how surely."""
    low = plain(name)
    found: dict[str, float] = {low: 1.3, low.replace("_", " "): 1.3}
    words = [w for w in name_words(name) if not w.isdigit()]
    core = [w for w in words if w not in listed("units")] or words
    spelled = [lexicon("en").abbreviations.get(w, [w])[0] for w in core]
    add(found, [(" ".join(core), 1.2), (" ".join(spelled), 1.15)])
    if len(core) > 1 and not CJK.search(name):
        add(
            found,
            [
                (core[-1], 0.8),
                (core[0], 0.8),
                (" ".join(core[-2:]), 0.95),
                (" ".join(core[:2]), 0.95),
            ],
        )
    known = vocabulary().measures
    for key in {low, "_".join(core), *core, *spelled}:
        whole = key in (low, "_".join(core))
        add(
            found,
            [
                (p, 1.1 if whole or len(core) == 1 else 0.85)
                for p in (*known.get(key, ()), *aliases().get(key, []))
            ],
        )
    for key, called in known.items():
        if CJK.search(key) and key in low:
            add(found, [(p, 1.05 * len(key) / len(low) if key != low else 1.1) for p in called])
    add(found, parts_of(meaning))
    if CJK.search(name):
        add(found, pieces(low, 1.0))
    ends = {stem(w) for w in (*core[:1], *core[-1:])}
    add(found, [(zh, 0.9) for word in ends for zh in chinese().get(word, ())])
    add(found, in_english(low))
    return tuple((p, s) for p, s in found.items() if len(p) > 1 and p not in listed("generic"))


def add(found: dict[str, float], more: Iterable[tuple[str, float]]) -> None:
    """Keep phrases, each with the surest score."""
    for phrase, score in more:
        if phrase:
            found[phrase] = max(score, found.get(phrase, 0.0))


def parts_of(meaning: str) -> list[tuple[str, float]]:
    """Return the parts of a column's meaning, and the words at their ends."""
    made: list[tuple[str, float]] = []
    stop = lexicon("en").stop
    parts = [p.strip() for p in SPLIT.split(plain(meaning))]
    firsts = {
        next((p for p in parts if bool(CJK.search(p)) is zh and len(p) > 1), "")
        for zh in (True, False)
    }
    for part in parts:
        i = 0 if part in firsts else 1
        if len(part) < 2:
            continue
        sure = 1.1 if i == 0 else 0.75
        if CJK.search(part):
            made += [(part, sure), *pieces(part, 0.85 if i == 0 else 0.5)]
            continue
        words = [w for w in name_words(part) if w not in stop and w not in listed("units")]
        made.append((" ".join(words), sure))
        if len(words) > 1 and i == 0:
            made += [(" ".join(words[-2:]), 0.95), (words[-1], 0.75), (words[0], 0.7)]
    return made


def pieces(name: str, most: float) -> list[tuple[str, float]]:
    """Return the parts of a Chinese name of at least two characters."""
    made: list[tuple[str, float]] = []
    for size in range(2, len(name)):
        for at in range(len(name) - size + 1):
            part = name[at : at + size]
            if CJK.search(part) and "_" not in part and part not in SUPERLATIVES:
                made.append((part, most * (0.55 + 0.4 * size / len(name))))
    return made


def form_of(phrase: str) -> str:
    """Return a pattern of a phrase: plurals, and any space or dash between its words."""
    if CJK.search(phrase):
        return re.escape(phrase)
    body = r"[\s_-]+".join(
        re.sub(r"(?<=[a-z])(?=\d)|(?<=\d)(?=\d)", lambda _: r"[.]?", re.escape(w))
        for w in phrase.split()
    )
    body = re.sub(r"y$", "(?:y|ie)", body)
    return rf"(?<![a-z0-9_]){body}(?:'s|s|es)?(?![a-z0-9_])"


def find_columns(
    said: Said, columns: list[tuple[View, ColumnProfile]], least: float = 0.7
) -> list[Mention]:
    """Return where columns are named, in order, one column at each place; those that several may be
    are left out unless one is called so more surely. What is found is not taken.
    """
    text = said.left()
    found: list[Mention] = []
    for view, column in columns:
        for phrase, score in (*phrases(column.name, column.meaning), *compounds(column.name, text)):
            if score < least or (CJK.search(phrase) and phrase not in text):
                continue
            width = len(phrase) * (2 if CJK.search(phrase) else 1)
            for match in re.finditer(form_of(phrase), text):
                sure = score + 0.02 * min(width, 20) + 0.03 * (column.name == view.price)
                found.append(Mention(*match.span(), view.uuid, column.name, sure, match[0]))
    return apart(found)


def apart(found: list[Mention]) -> list[Mention]:
    """Return the mentions that do not overlap, the longest and surest kept; none where two columns
    of one table are as sure.
    """
    kept: list[Mention] = []
    for one in sorted(found, key=lambda m: (-(m.end - m.start), -m.score)):
        rivals = [
            m
            for m in found
            if (m.start, m.end) == (one.start, one.end)
            and m.source == one.source
            and m.column != one.column
        ]
        if any(m.score >= one.score - 0.02 for m in rivals):
            continue
        if all(
            one.end <= k.start
            or k.end <= one.start
            or ((one.start, one.end) == (k.start, k.end) and one.source != k.source)
            for k in kept
        ):
            kept.append(one)
    return sorted(kept, key=lambda m: m.start)


def kinds_of(column: ColumnProfile, table: str, text: str) -> list[tuple[str, float]]:
    """Return what the things are called that a column of text names: "shop" of shop_id, "股票" of
    ticker.

    table: the name of the table, if each of its rows is such a thing. text: where they may be
    called so in Chinese.
    """
    low = plain(column.name)
    words = [w for w in name_words(column.name) if not w.isdigit()]
    core = [w for w in words if w not in listed("suffixes")] or words
    found: dict[str, float] = {low: 1.3, low.replace("_", " "): 1.3, " ".join(core): 1.2}
    if CJK.search(low):
        bare = re.sub(r"(名称|简称|全称|姓名|名|编号|代码|名字)$", "", low) or low
        found[bare] = 1.2
        add(found, in_english(bare))
        if len(bare) > 2:
            add(found, [(bare[-2:], 0.9)])
        core = [bare, bare[-2:]]
    if table:
        add(found, [(w, 0.9) for w in name_words(table)[-1:]])
    for part in (p.strip() for p in SPLIT.split(plain(column.meaning))[:1]):
        meant = [w for w in name_words(part) if w not in lexicon("en").stop]
        add(
            found,
            [(part, 1.1)] if CJK.search(part) else [(w, 0.9) for w in {*meant[:1], *meant[-1:]}],
        )
        core = [*core, *meant[:1], *meant[-1:]]
    for word in [*core, *(name_words(table)[-1:] if table else [])]:
        one = singular(word)
        add(found, [(w, 0.85) for w in vocabulary().same_kind(one)])
    add(found, compounds(" ".join(core), text))
    drawn = {
        p for p in found if re.search(rf"\b{re.escape(p)} (?:chart|graph|plot)\b", text)
    }  # no bus line
    drawn |= {
        p for p in ("kind", "type", "sort") if f"{p} of " in text
    }  # it is what stands behind that is meant
    return [(p, s) for p, s in found.items() if (len(p) > 1 or CJK.search(p)) and p not in drawn]


def singular(word: str) -> str:
    """Return an English word without the ending of its plural."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word
