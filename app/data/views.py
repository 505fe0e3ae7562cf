"""Views of a table: sorted and filtered rows, a column over time, and the cells behind a number."""

from __future__ import annotations

import itertools
import re
import weakref
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from app.domain.dashboard import ColumnSeries
from app.domain.errors import SourceError
from backends.data.conditions import where
from backends.data.errors import KernelError
from backends.data.table import ORDINAL, quote
from backends.data.values import Condition, Scalar

if TYPE_CHECKING:
    import numpy as np

    from app.data.tables import OpenTable
    from app.domain.events import CellRef
    from backends.data.table import Table
    from backends.data.values import Profile

PLACE = "_place"
NUMBERS = itertools.count(1)
COMPARED = re.compile(r"^\s*(>=|<=|!=|=|>|<)\s*(.+?)\s*$")
BETWEEN = re.compile(r"^\s*(.+?)\s*\.\.\s*(.+?)\s*$")


@dataclass(frozen=True)
class RowOrder:
    """The sort column, and the column filters, such as `> 5`, `1..3` or `abc`."""

    column: str = ""
    descending: bool = False
    filters: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def is_plain(self) -> bool:
        """Return whether rows are in the order of the source."""
        return not self.column and not self.filters

    def as_dict(self) -> dict[str, Any]:
        """Return its fields as JSON values, from which `RowOrder(**fields)` restores it."""
        return asdict(self)


class RowView:
    """Sorted and filtered rows of a table. Raises: SourceError for a filter that does not fit its
    column.

    The rows are copied once, so that any part of a million rows can be read as quickly as from the
    source. The copy is dropped when it is no longer used.
    """

    def __init__(self, table: Table, order: RowOrder) -> None:
        self._table = table
        conditions = [condition_of(table, column, text) for column, text in order.filters.items()]
        name = f"arranged_{next(NUMBERS)}"
        names = ", ".join([ORDINAL, *(quote(c.name) for c in table.columns)])
        try:
            clause, bound = where(table, conditions)
            key = f"{ORDINAL}"
            if order.column:
                side = "DESC" if order.descending else "ASC"
                key = f"{table.order_key(order.column)} {side} NULLS LAST, {ORDINAL}"
            table.query(
                f"CREATE TABLE {name} AS SELECT row_number() OVER (ORDER BY {key}) - 1 AS {PLACE},"
                f" {names} FROM {table.relation} WHERE {clause} ORDER BY {PLACE}",
                bound,
            )
            self.places: np.ndarray = table.array(
                f"SELECT {ORDINAL} FROM {name} ORDER BY {PLACE}", []
            )
        except KernelError as error:
            raise SourceError(error.text, error.remedy) from error
        self.count, self._name = len(self.places), name
        weakref.finalize(self, table.query, f"DROP TABLE IF EXISTS {name}").atexit = False

    def rows(self, offset: int, limit: int) -> list[tuple[Scalar, ...]]:
        """Return rows `offset` to `offset + limit` in this order."""
        names = ", ".join(quote(c.name) for c in self._table.columns)
        sql = (
            f"SELECT {names} FROM {self._name} WHERE {PLACE} >= ? AND {PLACE} < ? ORDER BY {PLACE}"
        )
        return self._table.query(sql, [offset, offset + limit])

    def source_row(self, row: int) -> int:
        """Return the number of a row in the source."""
        return int(self.places[row])

    def row_of(self, source_row: int) -> int | None:
        """Return the position of a source row in this view, or None if the row is filtered out."""
        found = (self.places == source_row).nonzero()[0]
        return int(found[0]) if len(found) else None


def condition_of(table: Table, column: str, text: str) -> Condition:
    """Return a filter as a condition.

    Raises: SourceError.
    """
    kind = table.column(column).kind
    text = text.strip()
    if found := BETWEEN.match(text):
        return Condition(
            column=column, op="between", value=[typed(kind, found[1]), typed(kind, found[2])]
        )
    if found := COMPARED.match(text):
        return Condition.model_validate(
            {"column": column, "op": found[1], "value": typed(kind, found[2])}
        )
    if kind == "number":
        return Condition(column=column, op="=", value=typed(kind, text))
    return Condition(column=column, op="contains", value=text)


def typed(kind: str, text: str) -> Scalar:
    """Convert a value to the type of its column.

    Raises: SourceError.
    """
    if kind != "number":
        return text
    try:
        return float(text.replace(",", ""))
    except ValueError as error:
        raise SourceError(
            f"{text!r} is not a number.", "Write it like > 5, 1..3 or = 2."
        ) from error


POINTS = 1000


def time_columns(profile: Profile) -> list[str]:
    """Return the columns that state the time of a row: one with dates or periods, or one for the
    year and one for a part of the year. Return an empty result if there are none.
    """
    for column in profile.columns:
        if column.kind in ("date", "time") or column.role == "period":
            return [column.name]
    found = {
        c.role: c.name for c in reversed(profile.columns) if c.role in ("year", "quarter", "month")
    }
    part = found.get("quarter") or found.get("month")
    return [name for name in (found.get("year"), part) if name] if "year" in found else []


def numbers(profile: Profile) -> list[str]:
    """Return the numeric columns that are worth plotting over time."""
    return [c.name for c in profile.columns if c.role == "measure"]


def series(source: OpenTable, column: str) -> ColumnSeries:
    """Return a column in chronological order: about 1,000 evenly spaced points, always including
    the last two.

    Raises: SourceError if the table has no such numeric column, or no time column.
    """
    by, table = time_columns(source.profile), source.table
    if not by or column not in numbers(source.profile):
        raise SourceError(
            f"{source.path.name} no longer has numbers {column!r} over time.", "Remove this tile."
        )
    keys, value = ", ".join(quote(name) for name in by), quote(column)
    rows = table.query(
        f"WITH placed AS (SELECT {keys}, {value}, {ORDINAL}, row_number() OVER (ORDER BY {keys},"
        f" {ORDINAL}) - 1 AS nth, count(*) OVER () AS total FROM {table.relation} WHERE {value} IS"
        f" NOT NULL) SELECT {keys}, {value}, {ORDINAL} FROM placed WHERE nth % greatest(1, total //"
        f" {POINTS}) = 0 OR nth >= total - 2 ORDER BY nth"
    )
    profile = source.profile.column(column)
    quarter = any(c.name == by[-1] and c.role == "quarter" for c in source.profile.columns)
    return ColumnSeries(
        name=column,
        unit=(profile.unit if profile else None) or "",
        labels=tuple(label(row[:-2], quarter=quarter) for row in rows),
        values=tuple(float(row[-2]) for row in rows),
        rows=tuple(int(row[-1]) for row in rows),
    )


def label(keys: tuple[Scalar, ...], *, quarter: bool) -> str:
    """Return a point in time in its usual written form, such as 2009 Q3, 2009-03 or 2009-03-31."""
    if len(keys) == 1:
        return str(keys[0]).removesuffix(" 00:00:00")
    return f"{keys[0]} Q{keys[1]}" if quarter else f"{keys[0]}-{int(str(keys[1])):02d}"


def rows_cited(table: Table, cell: CellRef) -> np.ndarray | None:
    """Return, for each row, whether it contains a cited cell. Return None if the copilot's citation
    cannot be interpreted.
    """
    import numpy as np

    try:
        wheres = [[Condition.model_validate(one) for one in each] for each in cell.where]
        made = [where(table, conditions) for conditions in wheres]
        if not made:
            return None
        clause = " OR ".join(f"({sql})" for sql, _ in made)
        bound = [value for _, values in made for value in values]
        found = np.zeros(table.count(), dtype=bool)
        found[table.array(f"SELECT {ORDINAL} FROM {table.relation} WHERE {clause}", bound)] = True
        return found
    except (
        ValidationError,
        KernelError,
        TypeError,
    ):  # the source is untrusted; the first cell that it cites is shown nevertheless
        return None
