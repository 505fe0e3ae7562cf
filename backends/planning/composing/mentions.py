"""What a request mentions of a table, in the words of both."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import yaml

from backends.planning.columns import SUPERLATIVES
from backends.planning.tables import aliases, plain
from backends.planning.text import CJK, glossary, lexicon, name_words, stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from backends.data.values import ColumnProfile
    from backends.planning.tables import View


Kind = str

LETTER = re.compile("[a-z]")


@dataclass(frozen=True)
class Stretch:
    """A stretch of the request and what explains it."""

    start: int
    end: int
    kind: Kind


class Said:
    """The request in one form of each character, lower case. Positions hold throughout."""

    def __init__(self, question: str) -> None:
        self.text = plain(question)
        self.spans: list[Stretch] = []

    def free(self, start: int, end: int) -> bool:
        """Return whether nothing explains a stretch yet."""
        return all(end <= s.start or start >= s.end for s in self.spans)

    def take(self, start: int, end: int, kind: Kind) -> None:
        """Mark a stretch as explained."""
        self.spans.append(Stretch(start, end, kind))

    def left(self, *but: Kind) -> str:
        """Return the text with blanks where it is explained, but by these kinds."""
        made = list(self.text)
        for span in self.spans:
            if span.kind not in but:
                made[span.start : span.end] = "\0" * (span.end - span.start)
        return "".join(made)

    def whole(self, form: re.Pattern[str], left: str) -> list[str]:
        """Return what of the text is left as whole words, however much of them was explained:
        "average", not "verage".
        """
        found: list[str] = []
        for match in form.finditer(left):
            start, end = match.span()
            if end - start < 3:  # an ending
                found.append(match[0])
                continue
            while start and LETTER.match(self.text, start - 1):
                start -= 1
            while end < len(self.text) and LETTER.match(self.text, end):
                end += 1
            found.append(self.text[start:end])
        return found

    def find(self, form: re.Pattern[str], *but: Kind) -> Iterator[re.Match[str]]:
        """Yield where a form stands in what is not explained yet."""
        yield from form.finditer(self.left(*but))


@dataclass(frozen=True)
class Derived:
    """A quantity that is made of columns: its names and its formula over words of columns'
    names.
    """

    names: tuple[str, ...]
    formula: str
    percent: bool


@dataclass(frozen=True)
class Vocabulary:
    """kinds: groups of words for one kind of thing. measures: word of a column's name → what it is
    called.
    fluff: words that restrict nothing; fluff_zh: the same, the longest first.
    """

    kinds: tuple[frozenset[str], ...]
    measures: dict[str, tuple[str, ...]]
    derived: tuple[Derived, ...]
    fluff: frozenset[str]
    fluff_zh: tuple[str, ...]

    def same_kind(self, word: str) -> frozenset[str]:
        """Return all words for the kinds of thing a word names, itself included."""
        return frozenset({word}).union(*(group for group in self.kinds if word in group))


@lru_cache
def vocabulary() -> Vocabulary:
    """Return the vocabulary."""
    raw: dict[str, Any] = yaml.safe_load(
        (files("resources.planning") / "vocabulary.yaml").read_text("utf-8")
    )
    derived = tuple(
        Derived(
            tuple(plain(str(n)) for n in one["names"]),
            plain(str(one["formula"])),
            bool(one.get("percent")),
        )
        for one in raw["derived"]
    )
    zh = sorted(set(str(raw["fluff_zh"]).split()), key=len, reverse=True)
    return Vocabulary(
        tuple(frozenset(plain(str(w)) for w in group) for group in raw["kinds"]),
        {plain(str(k)): tuple(plain(str(p)) for p in v) for k, v in raw["measures"].items()},
        derived,
        frozenset(str(raw["fluff"]).split()),
        tuple(zh),
    )


@lru_cache
def listed(name: str) -> frozenset[str]:
    """Return a list of words by its name."""
    raw: dict[str, Any] = yaml.safe_load(
        (files("resources.planning") / "vocabulary.yaml").read_text("utf-8")
    )
    return frozenset(str(raw[name]).split())


Names = tuple[tuple[str, ...], ...]
COUNTED = re.compile(r"总?(?:人数|数量?|次数)|量|额")
LITTLE = frozenset({"of", "the", "no", "num", "number", "count"})


@lru_cache
def terms() -> dict[str, Names]:
    """Return the English names of columns by the Chinese words for them, each name as its words."""
    raw: dict[str, str] = yaml.safe_load(
        (files("resources.language") / "terms.yaml").read_text("utf-8")
    )
    apart = {zh: (*((w,) for w in en), tuple(en)) for zh, en in glossary().items()}
    return apart | {
        zh: tuple(tuple(n.split()) for n in names.split(",")) for zh, names in raw.items()
    }


@lru_cache
def chinese() -> dict[str, frozenset[str]]:
    """Return the Chinese words by the stem of the one English word that says the same."""
    found: dict[str, set[str]] = {}
    for zh, names in terms().items():
        for name in names:
            if len(name) == 1:
                found.setdefault(stem(name[0]), set()).add(zh)
    return {word: frozenset(zh) for word, zh in found.items()}


@lru_cache(maxsize=512)
def heard(text: str) -> dict[int, list[tuple[int, Names]]]:
    """Return the Chinese words of a text that columns are called by: where each starts, where it
    ends, its names.
    """
    found: dict[int, list[tuple[int, Names]]] = {}
    for zh, names in terms().items():
        at = text.find(zh)
        while at >= 0:
            found.setdefault(at, []).append((at + len(zh), names))
            at = text.find(zh, at + 1)
    return found


@lru_cache(maxsize=4096)
def named_by(name: str) -> dict[str, str]:
    """Return the stems of the words of an English name, each with the one that stands there:
    quantity of qty; none of a Chinese name.
    """
    words = [w for w in name_words(name) if not w.isdigit() and w not in LITTLE]
    if CJK.search(name):
        return {}
    core = [w for w in words if w not in listed("units")] or words
    known = lexicon("en").abbreviations
    return {stem(said): stem(w) for w in core for said in (*known.get(w, ()), w)}


@lru_cache(maxsize=8192)
def compounds(name: str, text: str) -> tuple[tuple[str, float], ...]:
    """Return the Chinese words of a text, next to each other, that say all words of an English
    name: 新增病例 of New Cases.
    """
    meant = named_by(name)
    words = frozenset(meant.values())
    places = heard(text) if words else {}
    found: set[str] = set()

    def go_on(start: int, at: int, said: frozenset[str]) -> None:
        for end, names in places.get(at, ()):
            for one in names:
                more = frozenset(meant.get(stem(w), "") for w in one if w not in LITTLE)
                if not more <= words or more <= said:
                    continue
                if said | more == words:
                    tail = COUNTED.match(text, end)
                    found.update({text[start:end], text[start : tail.end() if tail else end]})
                else:
                    go_on(start, end + text.startswith("的", end), said | more)

    for start in places:
        go_on(start, start, frozenset())
    return tuple((zh, 1.15 if len(words) > 1 else 0.9) for zh in sorted(found))


@lru_cache(maxsize=4096)
def in_english(name: str) -> tuple[tuple[str, float], ...]:
    """Return what a column of a Chinese name may be called in English: new cases of 新增病例."""
    places = heard(name) if CJK.search(name) else {}
    found: dict[str, float] = {}

    def go_on(at: int, said: tuple[str, ...], parts: int) -> None:
        for end, names in places.get(at, ()):
            tail = COUNTED.match(name, end)
            whole = end == len(name) or (tail is not None and tail.end() == len(name))
            for one in names:
                if whole:
                    found[" ".join((*said, *one))] = 1.15
                elif parts < 3:
                    go_on(end + name.startswith("的", end), (*said, *one), parts + 1)

    go_on(0, (), 1)
    return tuple(
        (en, sure) for en, sure in found.items() if len(en) > 2 and en not in lexicon("en").stop
    )


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
    """Return the mentions that do not overlap, the longest and surest kept; none if two columns of
    one table are as sure.
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
