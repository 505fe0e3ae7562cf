"""Files as people have them: titles above the table, rows that hold nothing, numbers as written in
Germany.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.data.readers.workbook import heading
from app.data.sources import Sources
from tests.workbooks import Sheet, write_xlsx

if TYPE_CHECKING:
    from pathlib import Path

PADDED = """Umsatzbericht Nord GmbH;;;
Stand: 05.01.2024;;;
;;;
Datum;Kunde;Menge;Umsatz (€)
03.01.2023;Müller AG;12;1.234,50
;;;
17.01.2023;Café Größe;3;89,90
"""
BARE = """Umsatzbericht, Nord, GmbH

Datum;Kunde;Menge;Umsatz (€)
03.01.2023;Müller AG;12;1.234,50

17.01.2023;Café Größe;3;89,90
"""


@pytest.mark.parametrize("text", [PADDED, BARE])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_titles_above_a_table_are_no_columns(tmp_path: Path, text: str, encoding: str) -> None:
    path = tmp_path / "umsatz.csv"
    path.write_bytes(text.encode(encoding))
    source = Sources().add_file(path)
    assert [column.name for column in source.table.columns] == [
        "Datum",
        "Kunde",
        "Menge",
        "Umsatz (€)",
    ]
    assert [row[1:] for row in source.table.rows(0, 9)] == [
        ("Müller AG", 12, 1234.5),
        ("Café Größe", 3, 89.9),
    ]
    assert source.profile.rows == 2


def test_a_sheet_is_read_from_the_row_that_names_its_columns(tmp_path: Path) -> None:
    rows = [
        ["Staff list 2024"],
        ["exported by HR"],
        [],
        ["Name", "Salary", "Left"],
        ["Ann", 0, 0],
        [],
        ["Bob", 61500, 1],
    ]
    write_xlsx(tmp_path / "staff.xlsx", Sheet("Staff", rows))
    source = Sources().add_file(tmp_path / "staff.xlsx")
    assert [column.name for column in source.table.columns] == ["Name", "Salary", "Left"]
    assert source.table.rows(0, 9) == [("Ann", 0, 0), ("Bob", 61500, 1)]


@pytest.mark.parametrize(
    ("rows", "at"),
    [
        ([["a", "b"], ["1", "2"]], 0),
        ([["", "value"], ["0", "1.5"], ["1", "2.5"]], 0),  # numbered rows, as pandas writes them
        ([["", "", "c"], ["x", "y", "z"]], 0),
        (
            [["name", ""], ["Ann", "x"], ["Bob", "y"]],
            0,
        ),  # of two columns: the second row might be data
        ([["Report", ""], ["month", "sold"], ["May", "12"]], 1),
        ([["Population", "", ""], ["Country", "2019", "2020"], ["France", "1", "2"]], 1),
        (
            [["Report", "", ""], ["2019", "1", "2"], ["2020", "3", "4"]],
            0,
        ),  # no row of names follows
        ([["Report", "", ""], ["a", "a", "a"], ["b", "b", "b"]], 0),
        ([["Report"], ["one"], ["two"]], 0),
        ([["Report", "", ""]] * 30 + [["a", "b", "c"], ["1", "2", "3"]], 0),
        ([["Report", "", ""], ["a", "b", "c"]], 0),  # nothing below it
        ([], 0),
    ],
)
def test_only_what_is_plainly_a_title_is_passed_over(rows: list[list[str]], at: int) -> None:
    assert heading(rows) == at
