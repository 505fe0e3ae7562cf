"""What is kept of a table: what it takes to show it, and nothing an answer is made of."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from app.data.readers.sheet import Sheet, SheetTable
from app.data.readers.typed import TypedTable
from app.domain.widget import Series
from backends.data.column_types import Column
from backends.data.values import Profile

if TYPE_CHECKING:
    from backends.data.table import Table
    from backends.data.values import Scalar

PAGE, CELLS, MOST_CELLS = (
    200,
    4000,
    100_000,
)  # rows read at once, cells a card measures, cells that are kept


@dataclass(frozen=True)
class Look:
    """The first look at a table. rows: its first ones. series: of its columns, those that were drawn so far.
    sheet: where it stands in a workbook. types: of its columns, as its file calls them."""

    columns: list[Column]
    profile: Profile
    rows: list[tuple[Scalar, ...]]
    series: dict[str, Series] = field(default_factory=dict[str, Series])
    sheet: Sheet | None = None
    types: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def is_whole(self) -> bool:
        """Whether these are all rows."""
        return len(self.rows) == self.profile.rows

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        told: dict[str, Any] = {
            "columns": [asdict(column) for column in self.columns],
            "profile": self.profile.model_dump(),
            "rows": self.rows,
            "series": {name: asdict(one) for name, one in self.series.items()},
        }
        told |= {"sheet": asdict(self.sheet)} if self.sheet is not None else {}
        return told | ({"types": self.types} if self.types else {})


def look_at(table: Table, profile: Profile) -> Look | None:
    """Return the first look at a table; None for one too wide to keep one."""
    width = len(table.columns)
    rows = max(
        PAGE * 2, (CELLS // width // PAGE + 2) * PAGE
    )  # all that a card measures, and a page to scroll
    if rows * width > MOST_CELLS:
        return None
    elsewhere = {
        "source": "",
        "name": "",
        "symbols": [],
    }  # told by where the file lies, not by its content
    sheet = table.sheet if isinstance(table, SheetTable) else None
    types = table.types if isinstance(table, TypedTable) else {}
    first = table.rows(0, rows)
    return Look(
        table.columns, profile.model_copy(update=elsewhere), first, sheet=sheet, types=types
    )


def look_from(told: dict[str, Any]) -> Look:
    """Return a look that was kept.

    Raises: ValueError, KeyError or TypeError for what is none.
    """
    sheet = told.get("sheet")
    return Look(
        [Column(**column | {"periods": tuple(column["periods"])}) for column in told["columns"]],
        Profile.model_validate(told["profile"]),
        [tuple(row) for row in told["rows"]],
        {name: series_from(one) for name, one in told["series"].items()},
        Sheet(**sheet | {"skipped": tuple(sheet["skipped"])}) if sheet else None,
        told.get("types", {}),
    )


def series_from(told: dict[str, Any]) -> Series:
    """Return a series that was kept."""
    made: dict[str, Any] = {
        name: tuple(one) if isinstance(one, list) else one for name, one in told.items()
    }
    return Series(**made)
