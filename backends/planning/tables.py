"""What a plan needs to know about tables: their time columns, who or what their rows are about,
what they measure, and which tables belong together.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

import yaml

from backends.data.periods import days_of
from backends.planning.text import CJK
from backends.query.annotate import Annotation, Embed
from backends.query.parser import spoken_words, words_of

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile, Profile, Scalar
    from backends.planning.times import Grain

PRICES = ("adj_nav", "nav", "close", "price", "收盘价", "收盘", "单位净值", "净值", "价格")
# Parts of a company's name that are ignored.
LEGAL = re.compile(
    r"(?<=..)(?:股份有限公司|有限责任公司|基金管理有限公司|有限公司|基金管理|基金|集团|公司)$|(?<=\w)(?:,?"
    r" (?:inc|ltd|llc|corp|co|plc|gmbh|ag|s\.a)\.?)$"
)
PRICED = re.compile(r"(?:价|价格)(?:[(（].*[)）])?$|(?<![a-z])price(?![a-z])", re.IGNORECASE)
GRAINS: tuple[tuple[Grain, float, float], ...] = (
    ("year", 300, 400),
    ("quarter", 80, 100),
    ("month", 26, 35),
    ("week", 6, 8),
    ("day", 0, 4),
)


def plain(text: str) -> str:
    """Return a text in the form in which it is compared: with normalised characters, in lower
    case.
    """
    return unicodedata.normalize("NFKC", text).lower()


@lru_cache
def aliases() -> dict[str, list[str]]:
    """Return the synonyms of common column names."""
    raw = yaml.safe_load((files("resources.planning") / "aliases.yaml").read_text("utf-8"))
    return {plain(str(name)): [plain(str(p)) for p in phrases] for name, phrases in raw.items()}


@dataclass(frozen=True)
class Place:
    """A value in the data that a request names: its position in the data, and how it is written
    there.
    """

    source: str
    column: str
    value: Scalar


@dataclass(frozen=True)
class Entity:
    """Words in a request that match a value, and every column that contains the value."""

    said: str
    at: int
    places: tuple[Place, ...]

    def of(self, source: str) -> list[Place]:
        """Return the places where the value occurs in one table."""
        return [place for place in self.places if place.source == source]


@dataclass(frozen=True)
class Metric:
    """A numeric column that a request refers to.

    score: above 1 if the request uses the column's name; otherwise the similarity. at, size: the
    position and length of the name in the request, in characters, if the request uses it.
    """

    source: str
    column: str
    score: float
    at: int = 0
    size: int = 0


@dataclass(frozen=True)
class TableLink:
    """Two columns from different tables that contain the same things."""

    source: str
    column: str
    other: str
    other_column: str


class WordsLink(NamedTuple):
    """How certainly a text names a column, and where in the text."""

    score: float
    at: int


NO_LINK = WordsLink(0.0, 0)
LIKELY, SURE = 0.6, 0.75  # minimum scores at which a numeric or text column is matched


class View:
    """A table, represented by its profile."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.uuid = profile.source
        self.time = time_columns(profile)
        self.texts = [c for c in profile.columns if c.kind == "text" and c.name not in self.time]
        self.numbers = [
            c
            for c in profile.columns
            if c.kind == "number" and c.role == "measure" and c.name not in self.time
        ]
        self.grain: Grain | None = grain_of(profile, self.time)

    def has(self, *names: str) -> str | None:
        """Return the first of these columns that exists in the table, ignoring case."""
        known = {plain(c.name): c.name for c in self.profile.columns}
        return next((known[n] for n in names if n in known), None)

    @property
    def price(self) -> str | None:
        """Return the column meant by "price": the closing price of shares, or the value
        of funds.
        """
        if named := self.has(*PRICES):
            return named
        like = [c.name for c in self.numbers if PRICED.search(c.name)]
        return like[0] if len(like) == 1 else None

    @property
    def candles(self) -> dict[str, str] | None:
        """Return the open, high, low and close columns, and the volume column if there is one.
        Return None if the table has no candlestick data.
        """
        found = {
            n: self.has(n, f"{z}价", z)
            for n, z in (("open", "开盘"), ("high", "最高"), ("low", "最低"), ("close", "收盘"))
        }
        if not all(found.values()):
            return None
        volume = self.has("vol", "volume", "成交量")
        return {k: v for k, v in found.items() if v} | ({"volume": volume} if volume else {})

    @property
    def entity(self) -> str | None:
        """Return the text column that says who or what each row is about. Each name occurs in
        several rows, or in one row of a list.
        """
        named = [c for c in self.texts if c.role in ("category", "identifier") and c.distinct > 1]
        named = [
            c
            for c in named
            if not re.search(r"desc|text|content|内容|介绍|备注|标题|title", c.name, re.IGNORECASE)
        ]
        names = [
            c for c in named if re.search(r"name|名|entity|symbol|ticker", c.name, re.IGNORECASE)
        ]
        return next((c.name for c in [*names, *named]), None)


def time_columns(profile: Profile) -> list[str]:
    """Return the date column, or the columns with the year and the quarter or month; none if the
    table has none of these.
    """
    days = [c for c in profile.columns if c.kind in ("date", "time")]
    if days:
        likely = [
            c
            for c in days
            if re.search(r"date|day|time|日期|时间|月|period|end", c.name, re.IGNORECASE)
        ]
        return [max(likely or days, key=lambda c: c.distinct).name]
    if period := next((c for c in profile.columns if c.role == "period"), None):
        return [period.name]
    year = next((c for c in profile.columns if c.role == "year"), None)
    if year is None:
        return []
    part = next((c for c in profile.columns if c.role in ("quarter", "month")), None)
    return [year.name, part.name] if part else [year.name]


def grain_of(profile: Profile, time: list[str]) -> Grain | None:
    """Return the time interval between the rows of one entity."""
    if not time:
        return None
    column = profile.column(time[-1])
    assert column is not None
    if column.role in ("year", "quarter", "month"):
        return column.role
    if column.role == "period":
        days = [d for v in column.values[:5] if (d := days_of(str(v)))]
        size = max(((b - a).days + 1 for a, b in days), default=31)
    else:
        low, high = str(column.low)[:10], str(column.high)[:10]
        if column.distinct < 2 or not re.match(r"\d{4}-\d\d-\d\d", low):
            return None
        size = (dt.date.fromisoformat(high) - dt.date.fromisoformat(low)).days / (
            column.distinct - 1
        )
    often = (
        column.kind == "date" and profile.rows >= 3 * column.distinct
    )  # some days have several rows, as with exams or games
    for grain, least, most in GRAINS:
        if least <= size <= most:
            return grain
    return "day" if often else None


def find_entities(text: str, views: list[View]) -> tuple[list[Entity], str]:
    """Return the table values that a request names, in order, and the rest of the request. Where
    values overlap, the longest is used.
    """
    said = plain(text)
    places: dict[str, list[Place]] = {}
    for view in views:
        for column in view.texts:
            for value in column.values:
                key = plain(str(value)).strip()
                for said_so in dict.fromkeys((key, LEGAL.sub("", key))):
                    if len(said_so) > 1 or CJK.search(said_so):
                        places.setdefault(said_so, []).append(Place(view.uuid, column.name, value))
    taken: list[tuple[int, int]] = []
    found: list[Entity] = []
    for key in sorted(places, key=len, reverse=True):
        pattern = (
            re.escape(key)
            if CJK.search(key)
            else rf"(?<![a-z0-9]){re.escape(key)}(?:'s|s)?(?![a-z0-9])"
        )
        for match in re.finditer(pattern, said):
            if all(match.end() <= a or match.start() >= b for a, b in taken):
                taken.append(match.span())
                found.append(Entity(key, match.start(), tuple(places[key])))
    found.sort(key=lambda e: e.at)
    once = {e.said: e for e in reversed(found)}
    rest = said
    for start, end in sorted(taken, reverse=True):
        rest = f"{rest[:start]} {'#' * 2} {rest[end:]}"
    return sorted(once.values(), key=lambda e: e.at), rest


def find_columns(
    text: str, views: list[View], today: dt.date, embed: Embed | None
) -> tuple[list[Metric], list[Metric]]:
    """Return the numeric columns and the text columns that a request refers to, the most certain
    first.

    text: the request. Its masked parts do not name a column.
    """
    said = plain(text)
    bare = said.replace("#", " ")  # same length as `said`
    numbers, texts = list[Metric](), list[Metric]()
    for view in views:
        table = words_of(view.profile, spoken_words(bare, view.profile))
        links = read_links(Annotation(bare, table, today, embed))
        for column in view.numbers:
            link = links.get(column.name, NO_LINK)
            alias, at, size = called(said, column)
            score = max(alias, link.score)
            if score >= LIKELY:
                place, size = (at, size) if alias >= link.score else (link.at, 0)
                numbers.append(Metric(view.uuid, column.name, score, place, size))
        names = {c.name for c in view.texts if c.distinct > 1}
        texts += [
            Metric(view.uuid, name, link.score, link.at)
            for name, link in links.items()
            if name in names and link.score >= SURE
        ]
    return sorted(numbers, key=lambda m: -m.score), sorted(texts, key=lambda m: -m.score)


def read_links(annotation: Annotation) -> dict[str, WordsLink]:
    """Return how certainly a text names each column of a table, and where."""
    found: dict[str, WordsLink] = {}
    for span in annotation.spans:
        if span.period is not None or span.has("stop"):
            continue
        for link in span.columns:
            if link.score > found.get(link.column.name, NO_LINK).score:
                at = annotation.tokens[span.first].start
                found[link.column.name] = WordsLink(link.score, at)
    return found


def called(said: str, column: ColumnProfile) -> tuple[float, int, int]:
    """Return how certainly a request refers to a column by its name, meaning or an alias, and
    where. Longer matches are more certain.
    """
    name = plain(column.name)
    phrases = [(name, 0.2), (name.replace("_", " "), 0.2), (name.replace("_", "-"), 0.2)]
    phrases += [(p, 0.0) for p in aliases().get(name, [])]
    phrases += [
        (p.strip(), 0.1)
        for p in re.split(r"[/、,，;；()（）]", plain(column.meaning))
        if len(p.strip()) > 1
    ]
    best, at, size = 0.0, 0, 0
    for phrase, more in phrases:
        pattern = (
            re.escape(phrase)
            if CJK.search(phrase)
            else rf"(?<![a-z0-9_]){re.escape(phrase)}(?![a-z0-9_])"
        )
        match = re.search(pattern, said)
        width = len(phrase) * (2 if CJK.search(phrase) else 1)
        if match and (score := 1.0 + more + width / 100) > best:
            best, at, size = score, match.start(), len(phrase)
    return best, at, size


def find_links(views: list[View]) -> list[TableLink]:
    """Return pairs of text columns from two tables that contain the same things, most similar
    first.
    """
    found: list[tuple[float, TableLink]] = []
    for one in views:
        for other in views:
            if one is other:
                continue
            for a in one.texts:
                for b in other.texts:
                    share = overlap(a, b)
                    if share >= 0.5:
                        found.append(
                            (
                                share + 0.1 * (a.name == b.name),
                                TableLink(one.uuid, a.name, other.uuid, b.name),
                            )
                        )
    return [link for _, link in sorted(found, key=lambda f: -f[0])]


def overlap(one: ColumnProfile, other: ColumnProfile) -> float:
    """Return how many values two columns have in common, as a share of the values in the smaller
    column.
    """
    a, b = ({plain(str(v)) for v in c.values} for c in (one, other))
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0
