"""What a question was taken apart into, and what it is put together to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from backends.kernel import Condition, Profile
from backends.understanding.spans.when import time_columns

if TYPE_CHECKING:
    from backends.kernel import ColumnProfile
    from backends.understanding.columns import Match


class Reading(BaseModel):
    """One way to understand a question, complete enough to be computed.

    words: what is shown, such as ["mean", "close", "Jun 2023"]; conditions: those of them that
    restrict the rows. slots: for a question that follows.
    """

    interface: str
    arguments: dict[str, Any]
    words: list[str]
    conditions: list[str] = []
    score: float = 0.0
    slots: dict[str, Any] = {}


@dataclass
class Parts:
    """What was found in the question, before it is put together.

    sides: two selections the question sets against each other.
    """

    profile: Profile
    operations: dict[str, float]
    matches: list[Match]
    conditions: list[Condition]
    sides: list[list[Condition]] = field(default_factory=list)
    condition_words: list[str] = field(default_factory=list)
    top: int | None = None
    asks_for: ColumnProfile | None = None
    part: str | None = None

    @property
    def measures(self) -> list[Match]:
        """Columns of numbers, best first."""
        held = {c.column for c in self.conditions if c.op == "="}
        return [m for m in self.matches if m.column.role == "measure" and m.column.name not in held]

    @property
    def groups(self) -> list[Match]:
        """Columns one can group by, best first."""
        held = {c.column for c in self.conditions}
        return [
            m
            for m in self.matches
            if m.column.role != "measure" and m.column.name not in held and m.score > 0.3
        ]


def make(parts: Parts, interface: str, score: float, words: list[str], **arguments: Any) -> Reading:
    """Put a reading together."""
    conditions = arguments.pop("where", parts.conditions)
    where = [c.model_dump() for c in conditions]
    slots = {"interface": interface, "where": where, **{k: v for k, v in arguments.items()}}
    return Reading(
        interface=interface,
        arguments={"source": parts.profile.source, "where": where, **arguments},
        words=[w for w in [*words, *parts.condition_words] if w],
        conditions=[w for w in parts.condition_words if w],
        score=score,
        slots=slots,
    )


def dump(conditions: list[Condition]) -> list[dict[str, Any]]:
    """Return conditions as JSON values."""
    return [c.model_dump() for c in conditions]


def labels(parts: Parts, asked: ColumnProfile | None) -> list[str]:
    """Return the columns that tell which row it is: what was asked for, a name, the time."""
    named = [asked.name] if asked is not None and asked.role != "measure" else []
    times = [c.name for c in time_columns(parts.profile)]
    texts = [c for c in parts.profile.columns if c.kind == "text" and c.role != "period"]
    unique = [c.name for c in texts if c.distinct >= 0.9 * parts.profile.rows][:1]
    others = [c.name for c in texts if c.name not in unique][:1]
    return list(dict.fromkeys([*named, *unique, *times, *others]))[:4]


def groupable(column: ColumnProfile, parts: Parts) -> bool:
    """Tell whether a column's values gather several rows."""
    if column.kind in ("date", "time"):
        return parts.part is not None
    return column.role != "measure" and column.distinct < 0.9 * parts.profile.rows and column.distinct > 1
