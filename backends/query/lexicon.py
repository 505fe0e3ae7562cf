"""Words as data: for each language, the words for operations, for times, and for the concepts of
columns.

The files in `resources/language` are read once. A word has one or more senses, such as `mean`, `max
age`, `concept revenue`. Code uses only senses, never words.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Literal, cast

import yaml
from rapidfuzz.distance import OSA

Language = Literal["en", "zh", "ja"]
LANGUAGES = ("en", "zh", "ja")
# senses that require the exact word and not just its stem: plots are often plots of land
EXACT = re.compile(r"month |weekday |chart$")
LONGEST = 12  # maximum number of tokens in an entry
TOKEN = re.compile(
    r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|[^\W\d_\u2e80-\u2fff\u3005-\u3007\u3031-\u9fff]+(?:['’][^\W\d_]+)*"
    r"|[\u2e80-\u2fff\u3005-\u3007\u3031-\u9fffー]|[^\s\w]"
)
WIDE = re.compile(r"[\u2e80-\u2fff\u3005-\u3007\u3031-\u9fffー]")
Key = tuple[str, ...]


@dataclass(frozen=True)
class Token:
    """A word, a number, a symbol, or one character of a script without spaces.

    text: the token as written. key: the form in which it is compared: in lower case and without its
    ending. start, end: its position in the text. wide: whether its script has no spaces between
    words.
    """

    text: str
    key: str
    start: int
    end: int
    wide: bool

    @property
    def number(self) -> bool:
        """Whether the token is a number in digits."""
        return self.text[0].isdigit()

    @property
    def word(self) -> bool:
        """Whether the token is a word in a script with spaces."""
        return not self.wide and self.text[0].isalpha()


class Lexicon:
    """The words of one or more languages.

    Raises: FileNotFoundError for a language that has no file.
    """

    def __init__(self, languages: tuple[str, ...], folders: tuple[Any, ...] = ()) -> None:
        places = (*folders, resources.files("resources.language"))
        self.senses: dict[Key, tuple[str, ...]] = {}
        self.abbreviations: dict[str, str] = {}
        self.of_days: dict[str, str] = {}  # abbreviations in the names of date columns
        self.about: dict[str, set[Key]] = {"table": set(), "ask": set()}
        self.acts: set[str] = set()  # verbs, given by their keys
        self._exact: dict[str, set[str]] = {}
        self._stops: set[str] = set()
        # results are cached, because the same words occur repeatedly
        self.key = lru_cache(maxsize=2**16)(self._key)
        self._suffixes: list[tuple[str, str, int]] = []
        loaded = [_load(language, places) for language in languages]
        for data in loaded:
            for ending, instead, least in cast("list[list[Any]]", data.get("endings", [])):
                self._suffixes.append((str(ending), str(instead), int(least)))
        for data in loaded:
            for short, whole in cast("dict[str, str]", data.get("abbreviations", {})).items():
                self.abbreviations[str(short)] = whole
            self.of_days |= cast("dict[str, str]", data.get("abbreviations of days", {}))
            for part in ("senses", "concepts"):
                prefix = "concept " if part == "concepts" else ""
                for sense, words in cast("dict[str, str]", data.get(part, {})).items():
                    for phrase in words.split("|"):
                        self._add(phrase, prefix + sense)
            for part, words in cast("dict[str, str]", data.get("about", {})).items():
                for phrase in words.split("|"):
                    self.about[part].add(tuple(token.key for token in self.tokens(phrase)))
            for word in cast("str", data.get("stop", "")).split():
                self._add(word.replace("_", " "), "stop")
                self._stops.add(word)
            self.acts |= {self.key(word) for word in cast("str", data.get("acts", "")).split()}
        self.relations: dict[str, dict[str, Any]] = _load("concepts", places)
        # senses that compare one column with another
        self.compared = {s for kind in ("pairs", "gaps") for s in self.relations.get(kind, {})}
        self.vocabulary = {key for keys in self.senses for key in keys if len(key) > 2}

    def _add(self, phrase: str, sense: str) -> None:
        tokens = self.tokens(phrase)
        keys = tuple(token.key for token in tokens)
        if not keys or len(keys) > LONGEST:
            return
        if EXACT.match(sense):
            self._exact.setdefault(sense, set()).add(_bare(tokens[0].text))
        known = self.senses.get(keys, ())
        if sense not in known:
            self.senses[keys] = (*known, sense)

    def tokens(self, text: str) -> list[Token]:
        """Return the tokens of a text."""
        text = unicodedata.normalize("NFKC", text)
        return [
            Token(m[0], self.key(m[0]), m.start(), m.end(), bool(WIDE.match(m[0])))
            for m in TOKEN.finditer(text)
        ]

    def _key(self, word: str) -> str:
        """Return the form in which a word is compared."""
        written = word.lower().translate(simplified())
        word = re.sub(r"['’]", "", re.sub(r"['’]s$|s['’]$", "", written)) or written
        if len(word) > 1 and word[0].isalpha() and not WIDE.match(word):
            for ending, instead, least in self._suffixes:
                if word.endswith(ending) and len(word) - len(ending) >= least:
                    word = word[: -len(ending)] + instead or word
                    break
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
                word = word[:-1]
        return word.replace(",", "") if word[:1].isdigit() else word

    def senses_of(self, tokens: list[Token]) -> tuple[str, ...]:
        """Return the senses that a sequence of words has."""
        found = self.senses.get(tuple(token.key for token in tokens), ())
        first = _bare(tokens[0].text)
        if (
            "stop" in found
            and len(tokens) == 1
            and first not in self._stops
            and len(tokens[0].key) <= 3
        ):
            found = tuple(s for s in found if s != "stop")  # "Wes" does not mean we
        return tuple(s for s in found if not EXACT.match(s) or first in self._exact[s])

    def concepts(self, keys: Key) -> list[str]:
        """Return the concepts that the words of a name stand for. The longest entries are matched
        first.
        """
        found: list[str] = []
        taken: set[int] = set()
        for size in range(min(LONGEST, len(keys)), 0, -1):
            for at in range(len(keys) - size + 1):
                if taken & set(range(at, at + size)):
                    continue
                named = [
                    s[8:] for s in self.senses.get(keys[at : at + size], ()) if s[:8] == "concept "
                ]
                if named:
                    taken |= set(range(at, at + size))
                    found += [one for one in named if one not in found]
        return found

    def nearness(self, asked: str, named: str) -> float:
        """Return how similar a concept in a question is to a concept of a column, from 0 to 1."""
        if asked == named:
            return 1.0
        near = cast("dict[str, float]", self.relations.get("near", {}).get(asked, {}))
        return float(near.get(named, 0.0))


@cache
def simplified() -> dict[int, str]:
    """Return a map from the code points of traditional Chinese characters to the simplified
    characters.
    """
    data = _load("traditional", (resources.files("resources.language"),))
    return {ord(pair[0]): pair[1] for pair in cast("str", data["pairs"]).split()}


def _bare(word: str) -> str:
    """Return a word in lower case without its apostrophe: dont for Don't."""
    return re.sub(r"['’]", "", word.lower())


@cache
def _load(name: str, places: tuple[Any, ...]) -> dict[str, Any]:
    for place in places:
        file = place / f"{name}.yaml"
        if file.is_file():
            return cast(
                "dict[str, Any]", yaml.load(file.read_text("utf-8"), Loader=yaml.BaseLoader)
            )
    raise FileNotFoundError(f"There is no lexicon {name}.yaml.")


KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa]")
HAN = re.compile(r"[\u3400-\u9fff]")


def language_of(text: str) -> Language:
    """Return the language of a text, judged by its characters."""
    return "ja" if KANA.search(text) else "zh" if HAN.search(text) else "en"


def languages_of(question: str, names: str) -> tuple[str, ...]:
    """Return the languages in which the words are looked up.

    A question counts as Japanese if it contains kana, or if it is about a table that does. Chinese
    characters have other meanings in Japanese.

    names: the words of the table. These may be in English, whatever the language of the question.
    """
    if KANA.search(question):
        return ("en", "ja")
    if HAN.search(question):
        return ("en", "ja") if KANA.search(names) else ("en", "zh")
    return LANGUAGES


@cache
def lexicon(languages: tuple[str, ...] = LANGUAGES) -> Lexicon:
    """Return the lexicon of some languages. Each lexicon is read only once."""
    return Lexicon(languages)


def mended(key: str, known: set[str]) -> str | None:
    """Return the known word that a mistyped word was probably meant to be, or None if there is
    none.
    """
    if len(key) < 4:
        return None
    allowed = 1 if len(key) < 7 else 2
    best: tuple[float, str] | None = None
    for word in known:
        if abs(len(word) - len(key)) > allowed or len(word) < 3:
            continue
        distance = OSA.distance(key, word, score_cutoff=allowed)
        if distance > allowed:
            continue
        cost = distance + (0.5 if word[0] != key[0] else 0) + (0.2 if len(word) < len(key) else 0)
        if best is None or cost < best[0]:
            best = (cost, word)
    return best[1] if best and best[0] < allowed + 0.5 else None
