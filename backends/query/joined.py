"""Two tables read as one, if a column in one of them identifies the rows of the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from backends.data.query import Call, Column, Join, Query
from backends.query.annotate import letters

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile, Profile

SHARED = 0.9  # minimum share of a column's values for which the other table must have a row
MOST = 6  # maximum number of pairs of tables that are tried for one question


@dataclass(frozen=True)
class JoinedTable:
    """A table extended row by row with the columns of another one.

    profile: the profile of both tables together; its source is not the source of an actual table.
    further: the columns that only the second table has. second: all columns of the second table.
    paired: whether each row of the first table has its own row in the second.
    """

    profile: Profile
    first: Profile
    join: Join
    further: frozenset[str]
    second: frozenset[str]
    paired: bool

    def query_of(self, query: Query) -> Query | None:
        """Return a query of the joined table as a query of the two tables. Return None if one of
        the tables is enough.
        """
        written = query.model_dump(mode="json")
        named = set(_columns_in(written))
        if not self.further & named:
            return None
        if named <= self.further and not _counts_rows(written):
            return None  # each row of the first table would add the same number again
        if self.paired and named <= self.second:
            return None  # the second table alone answers the question
        return Query.model_validate(self._with_tables(written))

    def _with_tables(self, part: Any) -> Any:
        if isinstance(part, list):
            return [self._with_tables(one) for one in cast("list[Any]", part)]
        if not isinstance(part, dict):
            return part
        made = {key: self._with_tables(one) for key, one in cast("dict[str, Any]", part).items()}
        if made.get("source") == self.profile.source:
            made |= {"source": self.first.source, "joins": [self.join.model_dump(mode="json")]}
        return made


def _columns_in(part: Any) -> list[str]:
    """Return the names of the columns that a serialised query uses."""
    if isinstance(part, list):
        return [name for one in cast("list[Any]", part) for name in _columns_in(one)]
    if not isinstance(part, dict):
        return []
    held = cast("dict[str, Any]", part)
    own = [str(held["name"])] if held.get("kind") == "column" else []
    return own + [name for one in held.values() for name in _columns_in(one)]


def _counts_rows(part: Any) -> bool:
    """Return whether a serialised query counts rows."""
    if isinstance(part, list):
        return any(_counts_rows(one) for one in cast("list[Any]", part))
    if not isinstance(part, dict):
        return False
    held = cast("dict[str, Any]", part)
    counts = held.get("kind") == "aggregate" and held.get("name") == "count"
    return (counts and not held.get("args")) or any(_counts_rows(one) for one in held.values())


def joined_tables(profiles: list[Profile]) -> list[JoinedTable]:
    """Return the pairs of tables in which one table describes the things that the other one
    names.
    """
    made: list[JoinedTable] = []
    for place, first in enumerate(profiles):
        for other, second in enumerate(profiles):
            if place == other:
                continue
            keys = _keys(first, second, dated=place < other)
            if keys is not None:
                made.append(_joined(first, second, *keys))
    return made[:MOST]


def _joined(
    first: Profile, second: Profile, here: ColumnProfile, there: ColumnProfile
) -> JoinedTable:
    names = {column.name.lower() for column in first.columns}
    further = [c for c in second.columns if c is not there and c.name.lower() not in names]
    named = any(c.kind == "text" and c.distinct == second.rows for c in further)
    coded = here.kind == "number" or any(c.isdigit() for value in here.values for c in str(value))
    # a depot that has a name is referred to by its name, not by its number
    columns = [c for c in first.columns if not (c is here and named and coded)]
    columns += further
    profile = first.model_copy(
        update={
            "source": f"{first.source}+{second.source}",
            "hash": f"{first.hash}+{second.hash}",
            "name": f"{first.name} {second.name}",
            "columns": columns,
        }
    )
    on = Call(
        name="=",
        args=(
            Column(name=here.name, source=first.source),
            Column(name=there.name, source=second.source),
        ),
    )
    join = Join(source=second.source, on=on, outer=True)
    return JoinedTable(
        profile,
        first,
        join,
        frozenset(c.name for c in further),
        frozenset(c.name for c in second.columns),
        paired=here.distinct == first.rows,
    )


def _keys(
    first: Profile, second: Profile, *, dated: bool
) -> tuple[ColumnProfile, ColumnProfile] | None:
    """Return a column of the first table that identifies rows of the second, and the matching
    column of the second table.

    dated: whether these may be dates, if both tables have one row for each day.
    """
    found: list[tuple[bool, ColumnProfile, ColumnProfile]] = []
    for there in second.columns:
        if there.role == "measure" or there.missing or there.distinct < second.rows:
            continue
        for here in first.columns:
            same = letters(here.name) == letters(there.name)
            if here.kind != there.kind or here.role == "measure":
                continue
            if here.kind == "text" and here.role != "period":
                known = set(there.values)
                shared = sum(value in known for value in here.values)
                fits = bool(here.values) and shared >= SHARED * len(here.values)
            elif here.kind == "number":
                fits = same and here.role == "identifier"
            else:
                fits = dated and here.distinct == first.rows and _overlap(here, there)
            if fits:
                found.append((same, here, there))
    if not found:
        return None
    _, here, there = max(found, key=lambda one: one[0])
    return here, there


def _overlap(one: ColumnProfile, other: ColumnProfile) -> bool:
    """Return whether the date ranges of two columns overlap."""
    if None in (one.low, one.high, other.low, other.high):
        return False
    return str(one.low) <= str(other.high) and str(other.low) <= str(one.high)
