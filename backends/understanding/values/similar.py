"""Values by another name: women for F, German for Germany, rainy for rain, a slip of the pen."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import yaml

from backends.understanding.spans.text import CJK, lexicon, name_words, stem
from backends.understanding.values.link import Link, make

if TYPE_CHECKING:
    from backends.data.values import Profile, Scalar
    from backends.understanding.spans.text import Question

FUZZY = 0.84
STATE = re.compile("^(?:已|未|待|在|正在|被)|(?:中|了|的|过)$")
RESERVED = re.compile(
    "first|second|third|fourth|half|quarter|under|over|above|below|after|before|between|more|less|least|most|than|home|homes|house|houses|number"
)


@cache
def place_names() -> dict[str, list[str]]:
    """Return, for each country, people and state, the other ways to write it."""
    raw = yaml.safe_load((files("resources.understanding") / "places.yaml").read_text("utf-8"))
    names: dict[str, list[str]] = {}
    for nation, others in raw["nations"].items():
        for name in (nation, *(o for o in others if len(o) > 3)):
            names[name] = [nation, *others]
    return names | {
        state: [state, code] for state, code in raw["states"].items() if state not in names
    }


# a group of people or things by another word
ALIASES = {
    "female": ["f", "w", "female"],
    "women": ["f", "w", "female", "woman"],
    "woman": ["f", "w", "female"],
    "girls": ["f", "w", "female", "girl"],
    "male": ["m", "male"],
    "men": ["m", "male", "man"],
    "man": ["m", "male"],
    "boys": ["m", "male", "boy"],
    "女生": ["女"],
    "男生": ["男"],
    "女性": ["女"],
    "男性": ["男"],
    "女士": ["女"],
    "先生": ["男"],
}


def abbreviated(question: Question, profile: Profile) -> list[Link]:
    """Link "did not finish" to DNF: the words a value of capitals is the beginnings of."""
    found: list[Link] = []
    for column in profile.columns:
        for value in column.values if column.kind == "text" and column.distinct <= 30 else ():
            text = str(value)
            if not re.fullmatch("[A-Z]{3,5}", text):
                continue
            pattern = r"\b" + " ".join(f"{c.lower()}[a-z]*" for c in text) + r"\b"
            match = re.search(pattern, question.lower)
            if match and question.free(match.start(), match.end()):
                question.take(match.start(), match.end(), "VAL")
                found.append(Link((column.name,), value, match.start(), match.end(), exact=False))
    return found


def states(question: Question, profile: Profile) -> list[Link]:
    """Link what is left of a state without the small words around it: 退款了 to 已退款."""
    found: list[Link] = []
    for column in profile.columns:
        if (
            column.kind != "text"
            or column.role != "category"
            or not column.complete
            or column.distinct > 30
        ):
            continue
        cores = {str(v): STATE.sub("", str(v)) for v in column.values}
        for value, core in cores.items():
            alone = list(cores.values()).count(core) == 1 and core not in profile.name
            if (
                core != value
                and len(core) >= 2
                and alone
                and not any(core in c.name for c in profile.columns)
            ):
                for match in re.finditer(re.escape(core), question.lower):
                    if question.free(match.start(), match.end()):
                        found.append(
                            make(
                                question,
                                [(column.name, value)],
                                match.start(),
                                match.end(),
                                exact=False,
                            )
                        )
    return found


def alias(question: Question, profile: Profile, word: str, start: int, end: int) -> Link | None:
    """Link a word to a value by another name: women to F, German to Germany."""
    wanted = ALIASES.get(word) or place_names().get(word) or []
    for said, values in ALIASES.items() if CJK.search(word) else ():
        if said in word:
            at = word.index(said)
            wanted, start, end = values, start + at, start + at + len(said)
    places = [
        (c.name, v)
        for c in profile.columns
        if c.kind == "text"
        for v in c.values
        if str(v).lower() in wanted
    ]
    return make(question, places, start, end, exact=False) if places else None


def fuzzy(question: Question, profile: Profile, word: str, start: int, end: int) -> Link | None:
    """Link a word that is nearly a value, or one word of a value that no other value has."""
    if (
        CJK.search(word)
        or len(word) < 4
        or word in lexicon("en").stop
        or word in column_words(profile)
    ):
        return None
    if any(c.isdigit() for c in word) or RESERVED.fullmatch(word):
        return None  # a code that is nearly another code is another one
    if word in ordinary() and not rhymes(word, profile):
        return None
    capital = question.text[start].isupper() and start > 0
    plain = not capital and (word in lexicon("en").common or word in lexicon("en").concepts)
    subject = {stem(w) for w in name_words(profile.name)} | {stem(w) for w in column_words(profile)}
    best: tuple[float, str, Scalar] | None = None
    for column in profile.columns:
        if column.kind != "text" or column.role in ("identifier", "period"):
            continue
        with_word = [v for v in column.values if word in re.split(r"[\s\-/&]+", str(v).lower())]
        named = capital or (not plain and stem(word) not in subject and column.distinct <= 30)
        if len(with_word) == 1 and column.complete and named:
            return make(question, [(column.name, with_word[0])], start, end, exact=False)
        for value in column.values:
            text = str(value).lower()
            alike = stem(text) == stem(word) or word in (
                text + "y",
                text + text[-1:] + "y",
                text + "ly",
            )  # rainy, sunny, jointly
            if len(text) >= 3 and text.isalpha() and alike and stem(word) not in subject:
                return make(question, [(column.name, value)], start, end, exact=False)
            if len(word) >= 5 and text[:1] == word[:1] and abs(len(text) - len(word)) <= 2:
                score = SequenceMatcher(None, word, text).ratio()
                if score >= FUZZY and (best is None or score > best[0]):
                    best = (score, column.name, value)
    return make(question, [(best[1], best[2])], start, end, exact=False) if best else None


def rhymes(word: str, profile: Profile) -> bool:
    """Tell whether a word is a value with an ending: rainy of rain."""
    values = {
        str(v).lower()
        for c in profile.columns
        if c.kind == "text" and c.distinct <= 30
        for v in c.values
    }
    return any(word in (v + "y", v + v[-1:] + "y") for v in values if len(v) >= 3)


@cache
def ordinary() -> frozenset[str]:
    """Return the words that columns are called by: near to a value in letters, they mean none."""
    known = lexicon("en")
    meant = [
        w for words in (*known.concepts.values(), *known.abbreviations.values()) for w in words
    ]
    return frozenset(meant) | known.concepts.keys()


def column_words(profile: Profile) -> set[str]:
    """Return the words of all column names, and their stems."""
    words = {w for c in profile.columns for w in name_words(c.name)}
    return words | {stem(w) for w in words} | {w + "s" for w in words}
