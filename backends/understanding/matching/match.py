"""A column and how well it fits a question."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile

GENERIC = {
    "total",
    "average",
    "avg",
    "mean",
    "number",
    "num",
    "count",
    "value",
    "amount",
    "rate",
    "name",
    "type",
    "id",
    "date",
    "unit",
    "of",
    "the",
    "per",
    "in",
    "is",
    "数",
    "名",
    "日期",
    "时间",
}
UNITS = {
    "c",
    "f",
    "kg",
    "g",
    "km",
    "m",
    "cm",
    "mm",
    "mi",
    "kwh",
    "mwh",
    "min",
    "h",
    "s",
    "ms",
    "usd",
    "eur",
    "gbp",
    "cny",
    "jpy",
    "pct",
    "pcm",
    "kn",
    "t",
    "kt",
    "lb",
    "l",
    "musd",
    "meur",
    "mgbp",
    "kusd",
    "keur",
    "kgbp",
    "ml",
    "mb",
    "gb",
    "ha",
    "kmh",
    "mph",
    "m2",
    "m3",
    "sqm",
}


@dataclass
class Match:
    """How well a column fits the question: a score from 0 to about 1, the words that say so, and
    where.
    """

    column: ColumnProfile
    score: float
    words: set[int] = field(default_factory=set[int])
    places: list[int] = field(default_factory=list[int])

    @property
    def weak(self) -> bool:
        """Whether the column is little more than a guess."""
        return self.score < GUESS


GUESS = 0.42  # the score from which on a column was spoken of
