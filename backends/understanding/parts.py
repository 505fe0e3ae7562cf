"""What a question was taken apart into, and what it is put together to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from backends.data.values import Condition, Profile
from backends.understanding.matching.measures import measures
from backends.understanding.matching.rows import CODED, NAMING, is_key, label_column
from backends.understanding.spans.when import months_of, time_columns

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile
    from backends.understanding.matching.match import Match
    from backends.understanding.readings.between import Between


class Reading(BaseModel):
    """One way to understand a question, complete enough to be computed.

    words: what is shown, such as ["mean", "close", "Jun 2023"]; conditions: those of them that
    restrict the rows. slots: for a question that follows. weak: the column is little more than a
    guess.
    template: the question with marks for its values, by which it is known again.
    """

    interface: str
    arguments: dict[str, Any]
    words: list[str]
    conditions: list[str] = []
    score: float = 0.0
    slots: dict[str, Any] = {}
    weak: bool = False
    template: str = ""


@dataclass
class Parts:
    """What was found in the question, before it is put together.

    text: the question in lower case; said: the same, spans masked. places: where each condition
    stands in the text. sides: two selections the question sets against each other. asks_for: the
    column whose values are asked for; guessed: that is a guess; loosely: only a part of its name
    was said. asks_rows: the rows themselves are asked for. grouped_by: the column for each value of
    which one number is asked for. unknown: the noun asked for, if nothing of the table is meant by
    it. between: two columns that are set against each other.
    """

    profile: Profile
    text: str
    said: str
    operations: dict[str, float]
    matches: list[Match]
    conditions: list[Condition] = field(default_factory=list[Condition])
    places: list[int] = field(default_factory=list[int])
    sides: list[list[Condition]] = field(default_factory=list[list[Condition]])
    condition_words: list[str] = field(default_factory=list[str])
    top: int | None = None
    asks_for: ColumnProfile | None = None
    asks_rows: bool = False
    grouped_by: ColumnProfile | None = None
    unknown: str = ""
    guessed: bool = False
    loosely: bool = False
    part: str | None = None
    between: Between | None = None

    def add(self, made: list[Condition], words: str, place: int) -> None:
        """Add conditions and how they are shown."""
        self.conditions = [*self.conditions, *made]
        self.places = [*self.places, *([place] * len(made))]
        self.condition_words.append(words)

    @property
    def held(self) -> set[str]:
        """Columns that a condition fixes to one value."""
        return {c.column for c in self.conditions if c.op in ("=", "empty")}

    @property
    def restricted(self) -> set[str]:
        """Columns that any condition is on."""
        return {c.column for c in self.conditions}

    @property
    def measures(self) -> list[Match]:
        """Columns of numbers, best first."""
        return measures(self)

    @property
    def groups(self) -> list[Match]:
        """Columns one can group by, best first."""
        return [
            m
            for m in self.matches
            if m.column.role != "measure" and m.column.name not in self.restricted and m.score > 0.3
        ]

    @property
    def single(self) -> bool:
        """Whether the conditions pick one row."""
        for condition in self.conditions:
            column = self.profile.column(condition.column)
            one = condition.op == "=" or (
                condition.op == "in"
                and isinstance(condition.value, list)
                and len(condition.value) == 1
            )
            if column is not None and one and is_key(column, self.profile):
                return True
        times = time_columns(self.profile)
        return len(times) == 2 and {c.name for c in times} <= self.held


def make(
    parts: Parts,
    interface: str,
    score: float,
    words: list[str],
    *,
    weak: bool = False,
    **arguments: Any,
) -> Reading:
    """Put a reading together."""
    conditions = arguments.pop("where", parts.conditions)
    where = dump(conditions)
    slots = {"interface": interface, "where": where, **arguments}
    return Reading(
        interface=interface,
        arguments={"source": parts.profile.source, "where": where, **arguments},
        words=[w for w in [*words, *parts.condition_words] if w],
        conditions=[w for w in parts.condition_words if w],
        score=score,
        slots=slots,
        weak=weak,
    )


def dump(conditions: list[Condition]) -> list[dict[str, Any]]:
    """Return conditions as JSON values."""
    return [c.model_dump(exclude=set() if c.other else {"other"}) for c in conditions]


def labels(parts: Parts, asked: ColumnProfile | None) -> list[str]:
    """Return the columns that tell which row it is: what was asked for, a name, the time."""
    named = [asked.name] if asked is not None and asked.role != "measure" else []
    label = label_column(parts.profile)
    unique = [label.name] if label is not None else []
    times = [c.name for c in time_columns(parts.profile)]
    texts = [c.name for c in parts.profile.columns if c.kind == "text" and c.role == "category"]
    nameless = label is None or label.role == "identifier"
    names = [n for n in texts if NAMING.search(n) and not CODED.search(n)][:1] if nameless else []
    texts = names or texts[:1]
    return list(dict.fromkeys([*named, *unique, *times, *texts]))[:4]


def part_of(column: ColumnProfile, parts: Parts) -> str | None:
    """Return the part its values are cut to when one groups by a column of dates or written
    periods.
    """
    if column.kind in ("date", "time"):
        return parts.part
    size = {"year": 12, "quarter": 3}.get(parts.part or "", 0)
    return (
        parts.part
        if column.role == "period" and column.complete and size > months_of(column)
        else None
    )


def groupable(column: ColumnProfile, parts: Parts) -> bool:
    """Tell whether a column's values gather several rows."""
    if column.kind in ("date", "time"):
        return parts.part is not None and not (
            parts.part == "day" and is_key(column, parts.profile)
        )
    if part_of(column, parts) is not None:
        return True
    return column.role != "measure" and 1 < column.distinct < 0.9 * (
        parts.profile.rows - column.missing
    )
