"""The possible meanings of each span of a question: a column, a value, a date, a number,
a sense.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from backends.data.periods import days_of
from backends.data.values import ColumnProfile, Profile, Scalar
from backends.query.dates import Clock, DateReader, Period
from backends.query.lexicon import LONGEST, Lexicon, Token, mended, simplified
from backends.query.translated import is_translation

Embed = Callable[[list[str]], np.ndarray]
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
CLOCK = re.compile(r"^\d{1,2}:\d{2}(:\d{2})?$")
PLURAL = re.compile(r"[a-z]s$", re.IGNORECASE)  # an English plural
DEGREES = re.compile("[°º][CF]|[℃℉]")
OUTCOMES = frozenset({"win", "loss", "draw", "wins", "losses", "draws"})
# "from Wuhan to Shanghai": the concepts of the two columns
ENDS = {"since": "origin", "to": "destination"}
WEEKDAYS = ("月", "火", "水", "木", "金", "土", "日")
CALENDAR = frozenset(
    {"stop", "rows", "percent", "%", *(f"unit {n}" for n in ("day", "week", "month", "quarter"))}
    | {"unit year", "ask count", "ask amount", "to", "of", "and", "-", "per", "/", "a", "m", "in"}
)  # words that are not the unit of a column, or that usually mean something else
OF_UNIT = 0.42  # score of a unit that several columns share
OF_ONE_UNIT = 0.7  # score of a unit that only one column has
COUNTING = ("max", "min", "sum", "mean", "median", "ask count", "distinct")
FILLERS = ("of", "in", "the", "a", "to", "for")
TOPIC = ("は", "が")  # 重さは is the column 重さ, whatever else the word can mean
LITTLE = frozenset({"with", "in", "on", "at", "by", "from", "for", "to", "of", "and", "or"})
CURRENCIES = ("$", "£", "€", "¥")
PUNCTUATION = ".,;:!?-–—/\\'\"()[]。、，；：？！「」（）"
OPENING, CLOSING = ("(", "（", "["), (")", "）", "]")
PRICED = re.compile(r"\s*[$£€¥元円]\s*/")
UNIT_SIGNS = ("/", "²", "³")  # after a letter they form a unit, such as m/s
NEAR_ENOUGH = 0.42  # minimum cosine similarity of a word and a column's name
NEAR_VALUE = 0.5  # minimum cosine similarity of a word and a value
MANY = 5  # maximum number of values for which one word is still likely to mean all of them
EMBEDDED = 300  # maximum number of values of a table that are compared by meaning


@dataclass(frozen=True)
class ColumnLink:
    """A column that a span may name. score: from 0 to 1."""

    column: ColumnProfile
    score: float


@dataclass(frozen=True)
class ValueLink:
    """Values of a column that a span may name: a single value, or all values that contain
    its word.
    """

    column: ColumnProfile
    values: tuple[Scalar, ...]
    score: float


@dataclass
class Span:
    """Tokens and everything they may stand for. unknown: the tokens have no known meaning. guessed:
    the meaning was only guessed from embeddings.
    """

    first: int
    last: int
    text: str
    senses: tuple[str, ...] = ()
    columns: list[ColumnLink] = field(default_factory=list[ColumnLink])
    values: list[ValueLink] = field(default_factory=list[ValueLink])
    period: Period | None = None
    number: float | None = None
    clock: tuple[int, int] | None = None
    unknown: bool = False
    guessed: bool = False

    @property
    def concepts(self) -> list[str]:
        """The concepts of a column that the span may mean."""
        return [sense[8:] for sense in self.senses if sense.startswith("concept ")]

    def has(self, *senses: str) -> bool:
        """Return whether the span has at least one of these senses."""
        return any(sense in self.senses for sense in senses)


@dataclass(frozen=True)
class ColumnWords:
    """A column with its words.

    whole: all its words joined, including the unit. raw: the letters and digits of its name. parts:
    its words, including the unit. meaning: the words of its description. dated: whether its values
    are dates. clocked: whether its values are times of day. units: the names of its unit, as keys
    and senses. beside: who the number belongs to, such as the patient in `Patient age`; a question
    about patients does not mean their age.
    """

    column: ColumnProfile
    keys: tuple[str, ...]
    whole: str
    raw: str
    short: tuple[str, ...]
    meaning: tuple[str, ...]
    concepts: tuple[str, ...]
    dated: bool
    clocked: bool
    numbering: bool = False
    ordinal: bool = False
    units: frozenset[str] = frozenset()
    beside: frozenset[str] = frozenset()
    parts: frozenset[str] = frozenset()


class TableWords:
    """The words of one table, as they appear in questions."""

    def __init__(self, profile: Profile, words: Lexicon) -> None:
        self.profile, self.words = profile, words
        self.columns = [self._words_of(column) for column in profile.columns]
        about = " ".join((profile.name, profile.description, *profile.symbols))
        self.title = {t.key for t in words.tokens(about)}
        self.vectors: np.ndarray | None = None
        self.kept: dict[str, np.ndarray] = {}  # vectors by text, used by `writer`

    @cached_property
    def names(self) -> set[tuple[str, ...]]:
        """The names of the table, as keys: its full name and the parts of it that have at least two
        words or characters. Names that a column also has are left out, because they mean the
        column.
        """
        parts = [self.profile.name, *re.split(r"[·|/:()（）]|\s[-–—]\s", self.profile.name)]
        found = {tuple(t.key for t in self.words.tokens(p) if t.key.isalnum()) for p in parts}
        columns = {"".join(one.keys) for one in self.columns}
        return {keys for keys in found if len(keys) > 1 and "".join(keys) not in columns}

    def _words_of(self, column: ColumnProfile) -> ColumnWords:
        bare = re.sub(
            r"[(（\[][^)）\]]*[)）\]]|[#%]", " ", unicodedata.normalize("NFKC", column.name)
        )
        bare = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", bare) or column.name
        tokens = self.words.tokens(bare.strip() or column.name)
        keys: list[str] = []
        short: list[str] = []
        for token in tokens:
            if not token.word and not token.wide and not token.number:
                continue
            written = re.sub(r"\W", "", token.text.lower())
            whole = self.words.abbreviations.get(written)
            if column.kind in ("date", "time"):
                whole = self.words.of_days.get(written, whole)
            if whole:
                keys += [t.key for t in self.words.tokens(whole)]
                short.append(token.key)
            else:
                keys.append(token.key)
                if token.word and (len(token.text) <= 4 or f"{token.text}." in column.name):
                    short.append(token.key)
        meant = tuple(self.words.concepts(tuple(keys)))
        if not meant and column.unit and len(bare.strip()) == 1:  # 高(cm) is the height
            sized = self.words.tokens(f"{bare.strip()}{self.words.relations['measure']}")
            meant = tuple(self.words.concepts(tuple(t.key for t in sized)))
        if PRICED.match(column.name):  # $/gal is the price per gallon
            keys.insert(0, "price")
        told = tuple(t.key for t in self.words.tokens(column.meaning) if t.key[0].isalnum())
        meant += tuple(self.words.concepts(told))
        if column.unit:  # a day's maximum in °C is its temperature
            unit = tuple(t.key for t in self.words.tokens(column.unit))
            meant += tuple(c for c in self.words.concepts((*keys, *unit)) if c not in meant)
        if DEGREES.search(column.unit or "") and "temperature" not in meant:  # Max °C
            meant += ("temperature",)
        texts = [v for v in column.values[:20] if isinstance(v, str)]
        return ColumnWords(
            column,
            tuple(keys),
            "".join(t.key for t in self.words.tokens(column.name) if t.key.isalnum()),
            letters(column.name),
            tuple(short),
            told,
            meant,
            dated=column.kind in ("date", "time") or column.role == "period",
            numbering=column.role == "identifier"
            or _names_rows(column, self.profile)
            or (_numbers_rows(column, self.profile.rows) and not set(meant) - {"number"}),
            ordinal=column.integer
            and not (len(keys) > 1 and keys[0] == "number")  # "Number seen" is a count
            and column.unit is None
            and YEAR.search(column.name) is None
            and column.distinct <= 40
            and bool(
                set(meant) & {"grade", "category", "type", "number", "schoolclass", "year", "month"}
            ),
            clocked=bool(texts) and all(CLOCK.match(v) for v in texts),
            units=self._units_of(column),
            beside=self._beside(column, tuple(keys)) if not column.meaning else frozenset(),
            parts=frozenset(re.findall(r"[^\W\d_]{2,}", column.name.lower())),
        )

    def _beside(self, column: ColumnProfile, keys: tuple[str, ...]) -> frozenset[str]:
        """Return the people and things named before the quantity in the name of a number column."""
        if column.kind != "number":
            return frozenset()
        whole = set(self.words.concepts(keys))
        head = next(
            (
                found
                for at in range(1, len(keys))
                if (found := set(self.words.concepts(keys[at:])) - self._persons) and found & whole
            ),
            set[str](),
        )
        return frozenset(whole & self._persons - head) if head else frozenset()

    @cached_property
    def _persons(self) -> set[str]:
        return set(self.words.relations.get("persons", ())) - {"name"}

    def _units_of(self, column: ColumnProfile) -> frozenset[str]:
        """Return the names of a number column's unit, such as min, minutes or unit minute. A
        column's whole name may be its unit: Gal, Minutes.
        """
        if column.kind != "number":
            return frozenset()
        tokens = self.words.tokens(column.unit or column.name)
        if not column.unit and not any(s[:5] == "unit " for s in self.words.senses_of(tokens)):
            return frozenset()
        found = {t.key for t in tokens[:1]}
        signs: dict[str, list[str]] = self.words.relations.get("currencies", {})
        found |= {f"concept {name}" for name, held in signs.items() if column.unit in held}
        for size in (1, len(tokens)):
            found |= set(self.words.senses_of(tokens[:size]))
        return frozenset(found - CALENDAR)

    def link_units(self, keys: tuple[str, ...], senses: tuple[str, ...]) -> list[ColumnLink]:
        """Return the number columns whose unit the words name: how many minutes, in euros."""
        if len(keys) > 1 and not any(s.startswith(("unit ", "concept ")) for s in senses):
            return []
        named = {"".join(keys), *senses} - CALENDAR
        held = [one.column for one in self.columns if one.units & named]
        return [ColumnLink(column, OF_UNIT if len(held) > 1 else OF_ONE_UNIT) for column in held]

    def of(self, column: ColumnProfile) -> ColumnWords:
        """Return the words of a column."""
        return next(one for one in self.columns if one.column.name == column.name)

    def values_of(self, link: ColumnLink, text: str) -> list[ValueLink]:
        """Return the value of a column that equals the whole text."""
        found = [v for v in link.column.values if letters(str(v)) == text]
        sure = link.score >= 0.95 and link.column.kind == "text" and len(text) > 2
        return [ValueLink(link.column, (found[0],), 0.95)] if found and sure else []

    def coded(self, link: ColumnLink, text: str) -> list[ValueLink]:
        """Return the value of a single-letter column that is the first letter of a text: R for
        right.
        """
        codes = [str(v) for v in link.column.values]
        letters_only = all(len(code) == 1 and code.isalpha() for code in codes)
        sure = link.score >= 0.95 and link.column.kind == "text" and 1 < len(codes) < 9
        if not sure or not letters_only or not text.isascii() or len(text) < 3:
            return []
        found = [v for v in link.column.values if str(v).lower() == text[0]]
        return [ValueLink(link.column, (found[0],), 0.8)] if found else []

    @cached_property
    def vocabulary(self) -> set[str]:
        """All words used in the names and values of the table's columns."""
        found = {key for one in self.columns for key in (*one.keys, *one.meaning)}
        for keys, _, _ in self.values:
            found |= {key for key in keys if key.isalpha()}
        for column in self.profile.columns:  # including words in brackets: Size (rods)
            found |= {t.key for t in self.words.tokens(column.name) if t.word}
        return found

    @cached_property
    def raws(self) -> frozenset[str]:
        """The names of the columns, reduced to letters and digits."""
        return frozenset(one.raw for one in self.columns)

    @cached_property
    def column_keys(self) -> frozenset[str]:
        """The words in the columns' names."""
        return frozenset(key for one in self.columns for key in one.keys if len(key) > 2)

    @cached_property
    def mendable(self) -> set[str]:
        """The words that typing errors may be corrected to: those of the columns, and those of
        values if they are long enough.
        """
        return {k for one in self.columns for k in one.keys} | {
            k for k in self.vocabulary if len(k) >= 5
        }

    @cached_property
    def prefixes(self) -> set[str]:
        """The values that may be abbreviated words."""
        return {
            k[0]
            for k, one, _ in self.values
            if one.column.name in self.codes and len(k) == 1 and 3 <= len(k[0]) <= 5
        }

    @cached_property
    def values(self) -> list[tuple[tuple[str, ...], ColumnWords, Scalar]]:
        """The values of text columns, as the keys of their words."""
        found: list[tuple[tuple[str, ...], ColumnWords, Scalar]] = []
        for one in self.columns:
            if (
                (one.column.kind not in ("text", "boolean") and not one.ordinal)
                or one.dated
                or one.clocked
            ):
                continue
            for value in one.column.values:
                if isinstance(value, str):
                    keys = tuple(t.key for t in self.words.tokens(value) if t.key.isalnum())
                    if keys:
                        found.append((keys, one, value))
        return found

    @cached_property
    def signs(self) -> dict[str, list[ValueLink]]:
        """The values that are a single symbol, such as ○ or ×."""
        found: dict[str, list[ValueLink]] = {}
        for one in self.columns:
            for value in one.column.values:
                text = unicodedata.normalize("NFKC", str(value))
                if len(text) == 1 and not text.isalnum() and text not in PUNCTUATION:
                    found.setdefault(text, []).append(ValueLink(one.column, (value,), 1.0))
        return found

    @cached_property
    def embedded(self) -> list[tuple[ColumnWords, Scalar]]:
        """The values that are compared with words by meaning: those of columns with few values."""
        few = [
            (one, value)
            for _, one, value in self.values
            if one.column.distinct <= 60 and len(str(value)) > 3
        ]
        return few[:EMBEDDED]

    @cached_property
    def value_concepts(self) -> dict[str, list[tuple[ColumnWords, Scalar]]]:
        """Return the values, grouped by the concept that each one as a whole stands for."""
        found: dict[str, list[tuple[ColumnWords, Scalar]]] = {}
        for keys, one, value in self.values:
            whole = [s[8:] for s in self.words.senses.get(keys, ()) if s.startswith("concept ")]
            if not whole and one.column.name in self.shortened:
                whole = self._begun_by(keys)
            for concept in whole:
                found.setdefault(concept, []).append((one, value))
        for one in self.columns:
            for value in (
                range(int(one.column.low), int(one.column.high) + 1)
                if one.ordinal
                and isinstance(one.column.low, int)
                and isinstance(one.column.high, int)
                else ()
            ):
                for sense in self.words.senses.get((str(value),), ()):
                    if sense.startswith("concept ") and value > 20:
                        found.setdefault(sense[8:], []).append((one, value))
        return found

    @cached_property
    def shortened(self) -> set[str]:
        """The columns in which most values are abbreviated words: Res, Com, Ind. In a column that
        also contains solo, Deb is a name.
        """
        by: dict[str, list[bool]] = {}
        for keys, one, _ in self.values:
            if one.column.name in self.codes:
                by.setdefault(one.column.name, []).append(bool(self._begun_by(keys)))
        return {name for name, begun in by.items() if sum(begun) > 0.5 * len(begun)}

    def _begun_by(self, keys: tuple[str, ...]) -> list[str]:
        """Return the concepts of the words that begin with a short value."""
        if len(keys) != 1 or not 3 <= len(keys[0]) <= 5 or not keys[0].isascii():
            return []
        return list(
            dict.fromkeys(
                s[8:]
                for k, senses in self.words.senses.items()
                if len(k) == 1 and k[0].startswith(keys[0])
                for s in senses
                if s.startswith("concept ")
            )
        )

    @cached_property
    def years(self) -> dict[str, ColumnProfile]:
        """Return the number columns named after years, if no column contains dates."""
        if any(one.dated for one in self.columns):
            return {}
        found: dict[str, ColumnProfile] = {}
        for one in self.columns:
            year = YEAR.search(one.column.name)
            if one.column.kind == "number" and year is not None:
                found.setdefault(year[0], one.column)
        return found if len(found) > 1 else {}

    @cached_property
    def calendar(self) -> dict[str, list[tuple[int, ColumnWords, Scalar]]]:
        """The values of columns that contain only months or days of the week, with their
        numbers.
        """
        found: dict[str, list[tuple[int, ColumnWords, Scalar]]] = {}
        for name in ("month", "weekday"):
            for one in self.columns:
                values = [v for v in one.column.values if isinstance(v, str)]
                numbers = [self._number_of(v, name) for v in values]
                if one.column.kind == "text" and values and all(numbers):
                    held = zip(numbers, values, strict=True)
                    found.setdefault(name, []).extend((n, one, v) for n, v in held)
        return found

    @cached_property
    def weekdays(self) -> list[ColumnProfile]:
        """The columns that contain only days of the week."""
        return list(
            {o.column.name: o.column for _, o, _ in self.calendar.get("weekday", [])}.values()
        )

    def _number_of(self, value: str, name: str) -> int:
        """Return the number of a month or weekday, or 0 for anything else."""
        if name == "weekday" and value.strip() in WEEKDAYS:
            return WEEKDAYS.index(value.strip()) + 1
        senses = self.words.senses_of(self.words.tokens(value)) if value.strip() else ()
        said = [s.split()[1] for s in senses if s.startswith(f"{name} ")]
        wide = re.fullmatch(r"(\d{1,2})月", value.strip()) if name == "month" else None
        return int(said[0]) if said else int(wide[1]) if wide else 0

    def months_of(self, period: Period) -> list[ValueLink]:
        """Return the values that name the months in a period."""
        held = self.calendar.get("month", [])
        if (
            not held
            or period.start is None
            or period.end is None
            or (period.end - period.start).days > 366
        ):
            return []
        first, last = period.start.month, period.end.month
        values = tuple(v for n, _, v in held if first <= n <= last)
        return [ValueLink(held[0][1].column, values, 0.97)] if values else []

    @cached_property
    def codes(self) -> set[str]:
        """The columns whose values are short codes."""
        by: dict[str, list[str]] = {}
        for _, one, value in self.values:
            by.setdefault(one.column.name, []).append(str(value))
        return {
            name
            for name, values in by.items()
            if len(values) <= 30
            and sum(len(v) <= 5 and " " not in v for v in values) >= 0.6 * len(values)
        }

    @cached_property
    def value_index(self) -> dict[str, list[int]]:
        """The positions in `values` at which a word occurs."""
        found: dict[str, list[int]] = {}
        for i, (keys, _, _) in enumerate(self.values):
            for key in dict.fromkeys(keys):
                found.setdefault(key, []).append(i)
        return found

    def reach(self) -> tuple[dt.date | None, dt.date | None]:
        """Return the first and last date in the table."""
        lows: list[dt.date] = []
        highs: list[dt.date] = []
        for one in self.columns:
            if not one.dated:
                if one.column.role == "year" and one.column.low and one.column.high:
                    lows.append(dt.date(int(one.column.low), 1, 1))
                    highs.append(dt.date(int(one.column.high), 12, 31))
                continue
            low, high = (_days(v) for v in (one.column.low, one.column.high))
            if low and high:
                lows.append(low[0])
                highs.append(high[1])
        return (min(lows), max(highs)) if lows else (None, None)

    @cached_property
    def monthly(self) -> bool:
        """Return whether the table's dates only stand for months: the first and last dates are the
        first of a month, or are written as months.
        """
        ends = [
            _days(end)
            for one in self.columns
            if one.dated and one.column.distinct > 1
            for end in (one.column.low, one.column.high)
        ]
        return bool(ends) and all(
            days is not None
            and days[0].day == 1
            and (days[0] == days[1] or 27 <= (days[1] - days[0]).days <= 30)
            for days in ends
        )

    def columns_of(self, period: Period) -> list[ColumnLink]:
        """Return the number columns that are named after a year or another period: 2021, 2022,
        2023.
        """
        if period.start is None or period.end is None:
            return []
        whole = period.start.strftime("%m%d") == "0101" and period.end.strftime("%m%d") == "1231"
        year = str(period.start.year) if whole and period.start.year == period.end.year else ""
        found: list[ColumnLink] = []
        for one in self.columns:
            if one.column.kind != "number":
                continue
            said = days_of(one.column.name)
            named = bool(year) and re.search(rf"(?<!\d){year}(?!\d)", one.column.name) is not None
            if named or said == (period.start, period.end):
                exact = said is not None or one.column.name.strip() == year
                found.append(ColumnLink(one.column, 0.97 if exact else 0.8))
        return found

    def link_columns(
        self, keys: tuple[str, ...], concepts: list[str], text: str = ""
    ) -> list[ColumnLink]:
        """Return the columns that words may name, most likely first. text: the words as written."""
        found: list[ColumnLink] = []
        joined = "".join(keys)
        raw = letters(text)
        ended = keys[-1].isalnum() or keys[-1] in (*")）]%", *CURRENCIES)
        begun = keys[0][0].isalnum() or keys[0] in CURRENCIES
        written = len(keys) > 1 and len(raw) > 2 and begun and ended
        spelled = text.strip().lower() if written else ""
        exact = any(one.column.name.lower() == spelled for one in self.columns)
        for one in self.columns:
            score = self._likeness(keys, joined, one)
            if raw == one.raw and written:  # $/gal is not Gal
                score = 1.0 if not exact or one.column.name.lower() == spelled else 0.8
            for concept in concepts:
                for rank, named in enumerate(one.concepts):
                    near = self.words.nearness(concept, named)
                    if near:
                        aside = 0.5 if named in one.beside else 1.0
                        score = max(score, 0.85 * near * aside - 0.04 * min(rank, 3))
            if score >= 0.3:
                found.append(ColumnLink(one.column, score))
        found = self._of_rows(raw, found)
        return sorted(found, key=lambda link: -link.score)

    def _of_rows(self, raw: str, links: list[ColumnLink]) -> list[ColumnLink]:
        """Return the links of a word, with lower scores where several columns begin with it: 会员
        refers to the subject of the columns 会员编号 and 会员类型, not to either column.
        """
        if raw.isascii() or len(raw) < 2 or raw in self.raws:
            return links
        begun = [
            one.column
            for one in self.columns
            if one.column.kind == "text" and one.raw.startswith(raw)
        ]
        if len(begun) < 2:
            return links
        return [
            ColumnLink(link.column, min(link.score, 0.6)) if link.column in begun else link
            for link in links
        ]

    def _likeness(self, keys: tuple[str, ...], joined: str, one: ColumnWords) -> float:
        name = "".join(one.keys)
        if keys[0][0].isalnum() and keys[-1][0].isalnum():  # the two words of "follow-up" in a name
            keys = (keys[0], *(key for key in keys[1:] if key[0].isalnum()))
        if joined == name or "".join(keys) == name or (one.short and keys == one.short):
            return 1.0
        begun = keys[0].isalnum() or keys[0] == "#" or (keys[0] in OPENING and keys[-1] in CLOSING)
        ended = keys[-1].isalnum() or keys[-1] == "%" or keys[-1] in CLOSING
        ended = ended and (keys[-1] not in CLOSING or any(key in OPENING for key in keys))
        if begun and ended and "".join(key for key in keys if key.isalnum()) == one.whole:
            return 1.0
        if not any(key[0].isalnum() for key in keys):
            return 0.0
        if keys[:2] == ("number", "of") and keys[2:] == one.keys and one.column.kind == "number":
            return 0.98  # "the number of nights", with a column named Nights
        if len(keys) == 2 and keys[0] == one.whole and self._completes(keys[1]):
            return 0.92  # "the asking price", with a column named Asking £
        if one.meaning and joined == "".join(one.meaning):
            return 0.98
        if one.meaning and len(joined) > 3 and all(key in one.meaning for key in keys):
            return 0.5 + 0.4 * len(keys) / len(one.meaning)
        if is_translation(keys, one.raw, one.keys, self.words):
            return 0.92
        wide = len(keys) > 1 and all(not key.isascii() for key in keys)
        if one.dated and len(name) > 2 and joined in (f"{name}日", f"{name}日期", f"{name}时间"):
            return 0.9
        if wide and joined in name:
            return 0.5 + 0.45 * len(joined) / len(name)
        if len(keys) == 1 and not keys[0].isascii():
            if name == f"{keys[0]}数":  # 多少条, with a column named 条数
                return 0.7
            return 0.0 if len(name) > 2 or keys[0] not in name else 0.5
        common = [key for key in keys if key in one.keys and (len(key) > 1 or key.isdigit())]
        if common and len(common) == len(keys):
            return 0.55 + 0.4 * len(common) / len(one.keys)
        if len(keys) == 1 and any(
            4 <= len(k) < len(keys[0]) and keys[0].startswith(k) for k in one.keys
        ):
            return 0.55 + 0.25 / len(one.keys)
        if len(keys) == 1 and any(
            2 <= len(s) < len(keys[0]) and keys[0].startswith(s) for s in one.short
        ):
            return 0.62
        return 0.0

    def _completes(self, key: str) -> bool:
        """Return whether a word only completes a column's name, such as price or level."""
        return "compound" in self.words.senses.get((key,), ())

    def link_values(self, keys: tuple[str, ...], concepts: list[str], text: str) -> list[ValueLink]:
        """Return the values that words may name, most likely first."""
        by: dict[str, tuple[ColumnProfile, dict[Scalar, float]]] = {}

        def add(one: ColumnWords, value: Scalar, score: float) -> None:
            known = by.setdefault(one.column.name, (one.column, {}))[1]
            known[value] = max(known.get(value, 0.0), score)

        numbers = self.words.relations.get("numbers", ())
        for concept in concepts:
            for one, value in self.value_concepts.get(concept, []):
                add(one, value, 0.5 if concept in numbers else 0.82)
        joined = "".join(keys)
        wide = any(not key.isascii() for key in keys)
        idle = all("stop" in self.words.senses.get((key,), ()) for key in keys)
        for i in self.value_index.get(keys[0], []):
            named, one, value = self.values[i]
            if named == keys:
                add(one, value, 1.0)
            elif idle:
                continue  # "on the" does not mean Blood on the Tracks
            elif len(joined) >= (2 if wide else 3):
                at = named.index(keys[0])
                if named[at : at + len(keys)] == keys:
                    # "ward" refers to the column Ward rather than to the value Castle Ward
                    column = len(keys) == 1 and keys[0] in self.column_keys
                    column = column or (wide and any(joined in one.raw for one in self.columns))
                    part = 0.55 + 0.35 * len(keys) / len(named)
                    # "panels washed" in a comment
                    remark = len(keys) == 1 and "comment" in one.concepts
                    add(one, value, part * (0.6 if column or remark else 1.0))
        if wide and len(joined) == 2:  # 早上, 晚上, 收到, 送出, with the values 早, 晚, 收, 送
            for named, one, value in self.values:
                filler = "stop" in self.words.senses.get(named, ())  # 是谁 is not the value 是
                if named == (keys[0][0],) and one.column.distinct <= 6 and not filler:
                    add(one, value, 0.72)
        denies = "not" in self.words.senses.get(keys, ())  # "not" is not a longer form of "no"
        if not wide and not denies and len(joined) >= 3:
            for _, one, value in self.values:
                code = "".join(letters(str(value)).split())  # "yes", whose key is "ye"
                if (
                    one.column.name not in self.codes
                    or not 2 <= len(code) <= 5
                    or not code.isalpha()
                ):
                    continue
                if joined.startswith(code) and len(keys) == 1 and joined != code:
                    add(
                        one,
                        value,
                        (
                            0.72
                            if keys[0] in self.words.vocabulary
                            or len(joined) <= len(code) + 2
                            or (len(code) > 2 and str(value).isupper())
                            else 0.5
                        ),
                    )
                elif (
                    len(code) >= 2
                    and str(value).isupper()
                    and (len(keys) > 1 or keys not in self.words.senses)
                    and not (len(keys) == 2 and keys[-1] in FILLERS)
                    and _abbreviates(code, keys)
                ):
                    add(one, value, 0.62)
        links: list[ValueLink] = []
        for column, scored in by.values():
            best = max(scored.values())
            kept = tuple(v for v, s in scored.items() if s >= best - 0.12)
            exact = tuple(v for v, s in scored.items() if s == 1.0)
            kept = exact or kept
            many = 0.05 * (len(kept) > 1) + 0.3 * (len(kept) > MANY)
            links.append(ValueLink(column, kept, best - many))
        return sorted(links, key=lambda link: -link.score)


def _numbers_rows(column: ColumnProfile, rows: int) -> bool:
    """Return whether a column of unique whole numbers merely numbers the rows."""
    low, high = column.low, column.high
    if not column.integer or column.unit is not None or column.distinct != rows or rows < 20:
        return False
    return isinstance(low, int) and isinstance(high, int) and high - low < 3 * rows


def _names_rows(column: ColumnProfile, profile: Profile) -> bool:
    """Return whether the first column contains whole numbers that identify the rows, such as 1, 2,
    3 or 77002, 77010.
    """
    if column.name != profile.columns[0].name or not column.integer or column.unit is not None:
        return False
    low, high = column.low, column.high
    counted = low in (0, 1) and isinstance(high, int) and high - int(low) == profile.rows - 1
    return column.distinct == profile.rows and (counted or profile.rows >= 12)


def _days(value: Scalar) -> tuple[dt.date, dt.date] | None:
    try:
        day = dt.date.fromisoformat(str(value)[:10])
    except ValueError:
        return days_of(str(value)) if value else None
    return day, day


def _abbreviates(code: str, keys: tuple[str, ...]) -> bool:
    """Return whether a code abbreviates words: by their initials, or by letters of one word in
    order.
    """
    # "in staff" is not the department IT, and "ended with" is not the patient E.W.
    if len(keys) > 1:
        initials = "".join(k[0] for k in keys if k[0].isalpha())
        return initials == code and not LITTLE & set(keys)
    word = "".join(k for k in keys if k.isalpha())
    if len(word) <= len(code) or word[0] != code[0]:
        return False
    rest = iter(word)
    return all(letter in rest for letter in code) and len(code) >= 2 and len(word) <= 3 * len(code)


class Annotation:
    """A question divided into spans."""

    def __init__(
        self, text: str, table: TableWords, today: dt.date, embed: Embed | None = None
    ) -> None:
        # until a table's current day has ended, the day before counts as today
        if isinstance(today, dt.datetime):
            today = table.profile.today(today)
        self.text = unicodedata.normalize("NFKC", text)
        self.table, self.words = table, table.words
        tokens = self.words.tokens(self.text)
        self.mended = 0
        self.tokens = [self._mend(token) for token in tokens]
        low, high = table.reach()
        self.clock = Clock(today, low, high, table.monthly)
        reader = DateReader(
            self.words,
            self.text,
            self.tokens,
            self.clock,
            day_first=not any(t.wide for t in tokens),
        )
        self.dates = [
            d
            for d in reader.spans()
            if not any(t.text in table.years for t in self.tokens[d.first : d.last])
            and not self._is_named(d.first, d.last)
        ]
        self.spans = self._cut()
        self._weigh_places()
        if embed is not None:
            self._embed(embed)

    def _is_named(self, first: int, last: int) -> bool:
        """Return whether tokens are part of a value or column name that is written in full: Winter
        wheat, May Fair, Rent 2026.
        """
        for start in range(max(0, first - 3), first + 1):
            for end in range(last, min(len(self.tokens), last + 6) + 1):
                keys = tuple(t.key for t in self.tokens[start:end])
                whole = len(keys) > max(1, last - first)
                if whole and any(v.score == 1.0 for v in self.table.link_values(keys, [], "")):
                    return True
                text = self.text[self.tokens[start].start : self.tokens[end - 1].end]
                if whole and letters(text) in self.table.raws:  # the column Rent 2026
                    return True
        return False

    def _mend(self, token: Token) -> Token:
        """Correct a typing error in an unknown word."""
        if not token.word or len(token.key) < 3:
            return token
        words, vocabulary = self.words, self.table.vocabulary
        if (
            token.key in self.table.title
            or token.key in vocabulary
            or token.key in words.vocabulary
            or (token.key,) in words.senses
        ):
            return token
        raw = re.sub(r"\W", "", token.text.lower())
        whole = words.abbreviations.get(raw)
        if whole:
            return Token(token.text, words.key(whole), token.start, token.end, wide=False)
        codes = [code for code in self.table.prefixes if token.key.startswith(code)]
        if codes:
            near = mended(token.key, words.vocabulary)
            return (
                Token(token.text, near, token.start, token.end, wide=False)
                if near and near.startswith(codes[0])
                else token
            )
        if any(
            key.startswith(token.key) or token.key.startswith(key)
            for key in vocabulary
            if len(key) > 3
        ):
            return token
        near = (
            mended(token.key, self.table.mendable)
            or mended(token.key, words.vocabulary)
            or (mended(raw, words.vocabulary) if raw != token.key else None)
        )
        short = near is not None and len(token.key) < 5 and near not in self.table.mendable
        # "tent" is not a typing error for "test"
        if near is None or (short and sorted(near) != sorted(token.key)):
            return token
        self.mended += 1
        return Token(token.text, near, token.start, token.end, wide=False)

    def _span(self, first: int, last: int) -> Span | None:
        """Return a span with its possible meanings, or None if it has none."""
        tokens = self.tokens[first:last]
        keys: tuple[str, ...] = tuple(t.key for t in tokens)
        text = self.text[tokens[0].start : tokens[-1].end]
        senses = self.words.senses_of(tokens)
        span = Span(first, last, text, senses)
        concepts = span.concepts
        stop = "stop" in senses and not set(concepts) - {"yes", "no"}
        if any(t.key[0].isalnum() for t in tokens) and not (stop and len(keys) == 1):
            if not any(t.number for t in tokens) or len(keys) > 1:
                span.columns = self.table.link_columns(keys, concepts, text)
                if not span.columns or span.columns[0].score < OF_ONE_UNIT:
                    span.columns = _likeliest([*self.table.link_units(keys, senses), *span.columns])
            if len(keys) > 2 and tokens[-1].text in TOPIC:
                named = self.table.link_columns(keys[:-1], [], text[:-1])
                span.columns = [*(k for k in named if k.score >= 0.95), *span.columns]
            spelled = tuple(key for key in keys if key.isalnum())
            if tokens[0].key.isalnum() and tokens[-1].key.isalnum():
                span.values = self._as_written(
                    self.table.link_values(spelled, concepts, text), tokens[0].start
                )
        if not span.senses and not span.columns and self._is_of_title(tokens):
            # 运输 in the table 货车运输台账; here 充电 does not mean 星星充电 alone
            span.values = [link for link in span.values if link.score >= 0.9]
            span.senses = () if span.values else ("stop",)
        if len(tokens) == 1 and not tokens[0].key.isalnum():
            span.values = self.table.signs.get(tokens[0].text, [])
        if "rows" in senses:  # "the games" means the rows, and hardly ever the value tourney
            span.values = [
                link if link.score == 1.0 else replace(link, score=0.55 * link.score)
                for link in span.values
            ]
        if len(tokens) == 1 and tokens[0].word and tokens[0].key in self.table.title:
            span.values = [  # "the moons" in a list of moons does not mean the value Moon
                link if text in map(str, link.values) else replace(link, score=0.55 * link.score)
                for link in span.values
            ]
            if text.islower() and not senses and not span.columns and text != tokens[0].key:
                span.senses = ("rows", "stop")
        if stop and len(keys) == 1:
            span.columns = self._named_so(tokens[0])
            beside = self.tokens[max(0, first - 1) : last + 1]
            if span.has("half day morning", "half day evening") and not any(
                token.text in ("I", "i") for token in beside
            ):  # "in the am", where a column has the values am and pm
                near = self.table.link_values(keys, [], text)
                span.values = [link for link in near if link.score == 1.0]
            if len(text) == 1 and text.isupper() and tokens[0].start:
                span.values = [
                    ValueLink(one.column, (value,), 0.9)
                    for _, one, value in self.table.values
                    if str(value) == text
                ][:1]
        elif stop:
            span.columns = [link for link in span.columns if link.score >= 0.95]
            span.values = [link for link in span.values if link.score >= 0.95 and len(text) > 2]
        # "in" hardly ever means the column In
        elif len(keys) == 1 and "stop" in senses and text.islower():
            span.columns = [
                replace(link, score=min(link.score, 0.55))
                if link.column.name.lower() == text != link.column.name
                else link
                for link in span.columns
            ]
        if len(tokens) == 1 and tokens[0].word:
            self._weigh_case(span)
            # in "did I lift", "lift" does not mean the column Lift
            if first and text.islower() and self._is_done_by(first):
                span.columns = [replace(k, score=0.5 * k.score) for k in span.columns]
        if (
            len(tokens) == 1
            and tokens[0].wide
            and self.text[: tokens[0].start].endswith(("多少", "几"))
        ):
            span.columns = [  # 多少条, with a column named 条数
                replace(k, score=0.97) if k.column.name == f"{text}数" else k for k in span.columns
            ]
        if len(tokens) == 1 and tokens[0].number:
            span.number = float(tokens[0].key)
            year = self.table.years.get(tokens[0].text)
            span.columns = [ColumnLink(year, 0.97)] if year else []
        # 日 means day; it means Sunday only next to other weekdays
        if "unit day" in senses and len(keys) == 1:
            span.values = [v for v in span.values if v.column not in self.table.weekdays]
            span.columns = [k for k in span.columns if k.column not in self.table.weekdays]
        days = [int(s.split()[1]) for s in senses if s.startswith("weekday ")]
        for number, one, value in self.table.calendar.get("weekday", []) if days else []:
            if number == days[0]:
                span.values.insert(0, ValueLink(one.column, (value,), 0.9))
        numbers = [float(s.split()[1]) for s in senses if s.startswith("number ")]
        if numbers:
            span.number = numbers[0]
        if span.senses or span.columns or span.values or span.number is not None:
            return span
        return None

    def _is_of_title(self, tokens: list[Token]) -> bool:
        """Return whether a word of several characters is part of the table's name."""
        if len(tokens) < 2 or not all(t.wide for t in tokens):
            return False
        word = "".join(t.key for t in tokens)
        return word.rstrip("子") in letters(self.table.profile.name)  # 房子 in 看房记录

    def _as_written(self, links: list[ValueLink], start: int) -> list[ValueLink]:
        """Among values that differ only in their signs, keep the one that is written: O+ and not
        O-.
        """
        ahead = self.text[start:].lower()
        made: list[ValueLink] = []
        for link in links:
            if len(link.values) > 1 and link.score >= 0.9:
                written = [v for v in link.values if ahead.startswith(str(v).lower())]
                if longest := max(written, key=lambda v: len(str(v)), default=None):
                    made.append(replace(link, values=(longest,), score=1.0))
                    continue
            made.append(link)
        return made

    def _weigh_places(self) -> None:
        """Use neighbouring words to choose between values.

        If two columns share a value, prefer the column that the previous word names: "from Thrupp
        to Oxford" with columns From and To. A word before a column may stand for a one-letter code,
        as in "the right arm". A filler after a column may be a value: the result "pass".
        """
        spoken = [s for s in self.spans if letters(s.text)]
        for before, span in pairwise(spoken):
            if span.has("stop") and not span.values and before.columns:
                span.values = self.table.values_of(before.columns[0], letters(span.text))
            elif span.columns and not before.columns and not before.values:
                before.values = self.table.coded(span.columns[0], letters(before.text))
        for before, span in pairwise(self.spans):
            named = letters(before.text)
            end = next((ENDS[sense] for sense in before.senses if sense in ENDS), None)
            # in "won", the result of the match, not of the toss
            ended = OUTCOMES & {*span.senses, *span.concepts}
            wanted = {*([end] if end else []), *(["result"] if ended else [])}
            own = [
                v
                for v in span.values
                if letters(v.column.name) == named or wanted & {*self.table.of(v.column).concepts}
            ]
            if own and len(span.values) > 1:
                rest = [replace(v, score=v.score - 0.2) for v in span.values if v not in own]
                span.values = [*own, *rest]

    def _weigh_case(self, span: Span) -> None:
        """Use case to choose a meaning: "IT" is the department but "it" the pronoun; "Sales" is the
        value, but "people" means the rows.
        """
        text = span.text
        if text.islower() and span.has("stop"):  # "in" is not the state IN
            span.values = [v for v in span.values if not all(str(x).isupper() for x in v.values)]
        if len(text) > 1 and text.isupper():
            exact = [
                ValueLink(one.column, (value,), 1.0)
                for _, one, value in self.table.values
                if str(value) == text
            ]
            if exact:
                span.values, span.senses = exact[:2], ()
        elif span.has("rows") and text.islower():
            span.values = [
                (
                    ValueLink(v.column, v.values, 0.55 * v.score)
                    if all(str(value)[:1].isupper() for value in v.values)
                    else v
                )
                for v in span.values
            ]

    def _named_so(self, token: Token) -> list[ColumnLink]:
        """Return the columns whose whole name is a word that is mostly a filler (In, Out, Came), or
        whose name starts with this abbreviation in capitals: DO (mg/L).
        """
        if len(token.text) > 1 and token.text.isupper():
            written = re.compile(rf"{token.text}(?![A-Za-z])")
            shouted = [o for o in self.table.columns if written.match(o.column.name)]
            if len(shouted) == 1:
                return [ColumnLink(shouted[0].column, 1.0)]
        named = [
            o
            for o in self.table.columns
            if o.column.name.lower() == token.text.lower() or o.keys == (token.key,)
        ]
        likely = 0.9 if named and token.text == named[0].column.name and token.start else 0.55
        if self._is_counted(token):  # "how many runs"
            likely = 0.95
        if token.key in ("in", "on", "at", "for", "to", "of", "by", "from") and likely < 0.9:
            return []
        return [ColumnLink(one.column, likely) for one in named if len(token.text) > 1]

    def _is_done_by(self, at: int) -> bool:
        """Return whether the words before this one make it a verb: "did we lift"."""
        return any(
            "doer" in self.words.senses_of(self.tokens[start:at])
            for start in range(max(0, at - 2), at)
        )

    def _is_counted(self, token: Token) -> bool:
        """Return whether the word before this one makes it a noun: "how many runs", "the most
        runs".
        """
        ahead = [t for t in self.tokens if t.end <= token.start][-1:]
        senses = self.words.senses_of(ahead) if ahead else ()
        return any(s in COUNTING for s in senses) or (
            bool(ahead) and ahead[0].key in self.words.relations["counting"]
        )

    def _cut(self) -> list[Span]:
        """Return the best division of the text into spans that do not overlap."""
        size = len(self.tokens)
        dated = {d.first: d for d in self.dates}
        inside = {i for d in self.dates for i in range(d.first, d.last)}
        best: list[tuple[float, list[Span]]] = [(0.0, [])] + [(-1.0, [])] * size
        for at in range(size):
            total, spans = best[at]
            if total < 0:
                continue
            if end := self._called(at):  # the table's name
                text = self.text[self.tokens[at].start : self.tokens[end - 1].end]
                if total + 60 > best[end][0]:
                    best[end] = (total + 60, [*spans, Span(at, end, text, ("stop", "title"))])
                continue
            if at in dated:
                date = dated[at]
                text = self.text[self.tokens[at].start : self.tokens[date.last - 1].end]
                made = Span(at, date.last, text, period=date.period)
                single = self._span(at, date.last) if date.last - at <= 3 else None
                if single:
                    made.values = [v for v in single.values if v.score > 0.9]
                made.columns = self.table.columns_of(date.period)
                keys = tuple(t.key for t in self.tokens[at : date.last])
                if len(keys) > 1 and not made.columns:  # "last year", with a column named Last yr
                    links = self.table.link_columns(keys, [], text)
                    made.columns = [link for link in links if link.score >= 0.7]
                made.values += self.table.months_of(date.period)
                if total + 50 > best[date.last][0]:
                    best[date.last] = (total + 50, [*spans, made])
                continue
            for end in range(at + 1, min(size, at + LONGEST) + 1):
                if any(i in inside for i in range(at, end)):
                    break
                span = self._span(at, end)
                if span is None:
                    if end > at + 1:
                        continue
                    token = self.tokens[at]
                    span = Span(at, end, token.text, unknown=token.word or token.wide)
                weight = self._weight(span)
                if total + weight > best[end][0]:
                    best[end] = (total + weight, [*spans, span])
        return self._clocked(self._merged(best[size][1]))

    def _called(self, at: int) -> int:
        """Return the end of the table's name if it starts at this token, otherwise 0."""
        for names in sorted(self.table.names, key=len, reverse=True):
            end = at + len(names)
            if tuple(t.key for t in self.tokens[at:end]) == names:
                return end
        return 0

    @property
    def names_table(self) -> bool:
        """Whether the question names the table it is about."""
        return any(span.has("title") for span in self.spans)

    def _weight(self, span: Span) -> float:
        size = span.last - span.first
        quality = 0.0
        if span.values:
            quality = max(quality, 0.4 + span.values[0].score)
        if span.columns:
            quality = max(quality, 0.3 + span.columns[0].score)
        if span.senses:
            quality = max(quality, self._worth_of_senses(span))
        if span.number is not None:
            quality = max(quality, 1.0)
        return quality * size**1.25

    def _worth_of_senses(self, span: Span) -> float:
        """Return the weight of a span's general meaning.

        It is low for a single filler. A filler of several words is more certain than the words in
        it: "I mean" does not ask for an average.
        """
        if span.senses != ("stop",):
            return 1.1
        return 0.45 if span.last - span.first == 1 else 1.05

    def _merged(self, spans: list[Span]) -> list[Span]:
        """Join neighbouring unknown characters of a script without spaces into one span, and join
        numbers to their multipliers.
        """
        made: list[Span] = []
        for span in spans:
            last = made[-1] if made else None
            wide = self.tokens[span.first].wide
            if (
                last
                and last.unknown
                and span.unknown
                and wide
                and self.tokens[last.first].wide
                and last.last == span.first
            ):
                made[-1] = Span(last.first, span.last, last.text + span.text, unknown=True)
                continue
            times = next((float(s.split()[1]) for s in span.senses if s.startswith("times ")), None)
            follows = self.tokens[span.last].text if span.last < len(self.tokens) else ""
            measured = any(
                letters(span.text) in (letters(c.column.unit or ""), letters(c.column.name))
                for c in self.table.columns
            )
            if (
                times
                and not measured  # "25 m deep" and "the 100 m" are not millions
                and last
                and last.number is not None
                and last.last == span.first
                and follows not in UNIT_SIGNS
            ):
                made[-1] = Span(
                    last.first, span.last, last.text + span.text, number=last.number * times
                )
                continue
            made.append(span)
        return made

    def _clocked(self, spans: list[Span]) -> list[Span]:
        """Read 9:30, 10 am, 5 in the evening and 10時 as times of day."""
        made: list[Span] = []
        i = 0
        while i < len(spans):
            span = spans[i]
            ahead = spans[i + 1 : i + 5]
            if (
                span.number is not None
                and 0 <= span.number <= 24
                and span.number == int(span.number)
            ):
                texts = [s.text for s in ahead]
                if len(ahead) > 1 and texts[0] == ":" and ahead[1].number is not None:
                    span.clock, span.last, span.number = (
                        (int(span.number), int(ahead[1].number)),
                        ahead[1].last,
                        None,
                    )
                    made.append(span)
                    i += 3
                    continue
                half = next(
                    (
                        j
                        for j, s in enumerate(ahead)
                        if s.has("half day morning", "half day afternoon", "half day evening")
                    ),
                    None,
                )
                counted = half == 0 and PLURAL.search(ahead[0].text)  # "7 nights"
                if (
                    half is not None
                    and not counted
                    and all(s.has("stop") or s.has("of") or s.has("oclock") for s in ahead[:half])
                ):
                    hour = int(span.number)
                    late = ahead[half].has("half day afternoon", "half day evening") and hour < 12
                    span.clock, span.last, span.number = (
                        (hour + 12 * late, 0),
                        ahead[half].last,
                        None,
                    )
                    made.append(span)
                    i += half + 2
                    continue
                if ahead and ahead[0].has("oclock"):
                    span.clock, span.last, span.number = (int(span.number), 0), ahead[0].last, None
                    made.append(span)
                    i += 2
                    continue
            made.append(span)
            i += 1
        return made

    def touches(self) -> bool:
        """Return whether any word concerns the table: its columns, values, rows, dates or a
        computation.

        Words that a single query cannot answer, such as those that ask for a forecast, do not
        count.
        """
        if any(s.has("beyond") for s in self.spans):
            return False
        asks = (
            "sum",
            "mean",
            "median",
            "count",
            "distinct",
            "share",
            "max",
            "min",
            "rows",
            "next",
            "previous",
            "ask count",
            "ask amount",
        )
        return any(
            (s.columns and not any(x.startswith("ask ") for x in s.senses))
            or s.values
            or s.period is not None
            or s.has(*asks)
            or any(x.startswith(("max ", "min ")) for x in s.senses)
            or s.has(*self.words.relations["pairs"])
            or ("owed" in s.concepts and any("paid" in o.concepts for o in self.table.columns))
            or s.has("sold out")
            or set(s.concepts) & set(self.words.relations["products"])
            for s in self.spans
        )

    def _embed(self, embed: Embed) -> None:
        """Link words that neither their spelling nor the lexicon explains to the columns with the
        most similar meaning.
        """
        open_ = [
            s
            for s in self.spans
            if s.unknown
            and self.tokens[s.first].word
            and len(s.text) > 3
            and self.tokens[s.first].key not in self.table.title
        ]
        if not open_:
            return
        table = self.table
        if table.vectors is None:
            names = [_spoken(one.column.name) for one in table.columns]
            table.vectors = _normal(embed(names + [str(value) for _, value in table.embedded]))
        near = _normal(embed([s.text.lower() for s in open_])) @ table.vectors.T
        size = len(table.columns)
        for row, span in zip(near, open_, strict=True):
            span.guessed = True
            for i in np.argsort(-row[:size])[:2]:
                if row[i] >= NEAR_ENOUGH:
                    span.columns.append(
                        ColumnLink(table.columns[int(i)].column, 0.3 + 0.4 * float(row[i]))
                    )
            near_values = [int(i) for i in np.argsort(-row[size:])[:2]]
            alike = [i for i in near_values if row[size + i] >= NEAR_VALUE]
            held = {table.embedded[i][0].column.name for i in alike}
            if (
                len(alike) > 1
                and len(held) == 1
                and row[size + alike[1]] > 0.9 * row[size + alike[0]]
            ):
                alike = []  # "cattle" covers both bulls and heifers, so it means neither alone
            for i in alike:
                one, value = table.embedded[i]
                span.values.append(
                    ValueLink(one.column, (value,), 0.2 + 0.6 * float(row[size + i]))
                )


def _likeliest(links: list[ColumnLink]) -> list[ColumnLink]:
    """Return each column once, most likely first."""
    best: dict[str, ColumnLink] = {}
    for link in sorted(links, key=lambda one: -one.score):
        best.setdefault(link.column.name, link)
    return list(best.values())


def letters(text: str) -> str:
    """Return the letters and digits of a text, with Chinese characters in simplified form."""
    plain = unicodedata.normalize("NFKC", text).translate(simplified())
    return re.sub(r"[\W_]", "", plain).lower()


def _spoken(name: str) -> str:
    """Return a column's name as people say it, without its unit and symbols."""
    bare = re.sub(r"[(（\[][^)）\]]*[)）\]]|[#%_]", " ", name)
    return re.sub(r"\s+", " ", bare).strip().lower() or name


def _normal(vectors: np.ndarray) -> np.ndarray:
    vectors = np.asarray(vectors, dtype=np.float32)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
