"""Where a table stands in a workbook, and what its cells are called there."""

from __future__ import annotations

import re
from dataclasses import dataclass

from backends.data.table import Table

PLAIN = re.compile(r"[^\W\d][\w.]*")
LIKE_A_CELL = re.compile(r"[A-Za-z]{1,3}\d+|[Rr]\d*([Cc]\d*)?|[Cc]\d*")


@dataclass(frozen=True)
class Sheet:
    """A sheet of a workbook. left, top: where its first cell of data is, columns and rows from 0. skipped: rows below
    it that hold nothing, and are not in the table. of: how many sheets the workbook shows."""

    name: str
    left: int = 0
    top: int = 1
    skipped: tuple[int, ...] = ()
    of: int = 1

    def row(self, ordinal: int) -> int:
        """Return in which row of the sheet a row of the table stands, from 1 as spreadsheets count."""
        row = self.top + ordinal
        for gap in self.skipped:
            if gap > row:
                break
            row += 1
        return row + 1

    def address(self, column: int, first: int, last: int | None = None) -> str:
        """Return what a cell, or those of a column from one row to another, are called: Orders!C3, 'Q 1'!C3:C14."""
        quoted = PLAIN.fullmatch(self.name) and not LIKE_A_CELL.fullmatch(self.name)
        sheet = self.name if quoted else "'" + self.name.replace("'", "''") + "'"
        letters = column_letters(self.left + column)
        end = f":{letters}{self.row(last)}" if last is not None and last != first else ""
        return f"{sheet}!{letters}{self.row(first)}{end}"

    def cells(self, columns: int, rows: int) -> str:
        """Return where a whole table stands, its heading left out: A2:F100."""
        first, last = column_letters(self.left), column_letters(self.left + columns - 1)
        return f"{first}{self.row(0)}:{last}{self.row(max(0, rows - 1))}"


class SheetTable(Table):
    """A table of a workbook, that knows where it stands."""

    def __init__(self, table: Table, sheet: Sheet) -> None:
        super().__init__(table.connection, table.relation, table.columns, table.source, table.hash)
        self.sheet = sheet


def column_letters(number: int) -> str:
    """Return what spreadsheets call a column, from 0: A, Z, AA."""
    letters, rest = "", number + 1
    while rest:
        rest, place = divmod(rest - 1, 26)
        letters = chr(ord("A") + place) + letters
    return letters
