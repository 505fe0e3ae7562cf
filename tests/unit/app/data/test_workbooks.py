"""Workbooks of several sheets, databases of several tables: each is a table of its own, and knows
where it stands.
"""

from __future__ import annotations

import sqlite3
import zipfile
from typing import TYPE_CHECKING

import duckdb
import pytest

from app.data.library.library_file import parsing_file
from app.data.readers import FORMATS, tables_of
from app.data.readers.parts import SEVERAL, TableRef, hash_of, name_of
from app.data.readers.workbook import WorkbookSheet as Place
from app.data.readers.workbook import read_xlsx
from app.data.sources import Sources
from app.data.tables import Looks, uuid_of
from app.domain.errors import SourceError
from app.services.dashboard.table_notes import too_many
from tests.workbooks import Formatted, Sheet, write_ods, write_xlsx

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.slow

ORDERS = [["item", "sold"], ["tea", 3], ["milk", 4]]
COSTS = [
    ["Costs of the year"],
    [],
    ["item", "cost", "paid"],
    ["rent", 900, 1],
    [],
    ["light", 70, 0],
]
SHEETS = (
    Sheet("Secret", [["a", "b"], [1, 2]], "hidden"),
    Sheet("Orders", ORDERS),
    Sheet("Empty", []),
    Sheet("Only a title", [["A title"]]),
    Sheet("Costs 2024", COSTS, left=1, top=2),
    Sheet("Deep", [["x", "y"], [5, 6]], "veryHidden"),
)


def test_each_sheet_that_is_shown_and_holds_rows_is_a_table(tmp_path: Path) -> None:
    book = write_xlsx(tmp_path / "shop.xlsx", *SHEETS)
    before, sources = hash_of(book), Sources()
    paths = tables_of(book)
    assert [str(path.relative_to(tmp_path)) for path in paths] == [
        "shop.xlsx/Orders",
        "shop.xlsx/Costs 2024",
    ]
    orders, costs = map(sources.add_file, paths)
    assert (orders.profile.name, orders.table.rows(0, 9)) == ("Orders", [("tea", 3), ("milk", 4)])
    assert (costs.profile.name, costs.table.rows(0, 9)) == (
        "Costs 2024",
        [("rent", 900, 1), ("light", 70, 0)],
    )
    assert orders.table.hash != costs.table.hash
    assert sources.add_file(book).table.rows(0, 9) == orders.table.rows(0, 9)
    assert hash_of(book) == before


@pytest.mark.parametrize(
    ("code", "unit"),
    [
        ("[$£-809]#,##0.00", "£"),
        ('_-"£"* #,##0.00_-;-"£"* #,##0.00_-', "£"),
        ('#,##0.00 "€"', "€"),
        ("#,##0.00\\ [$€-407]", "€"),
        ("[Red]$#,##0.00;[Blue]-$#,##0.00", "$"),
        ('_ "¥"* #,##0.00_ ', "¥"),
        ("[$CHF-807] #,##0.00", "CHF"),
        ("[$-409]#,##0.00", None),
        ('0.0 "km"', None),
        ("#,##0.00", None),
    ],
)
def test_the_money_that_a_workbook_shows_beside_its_numbers_is_their_unit(
    tmp_path: Path, code: str, unit: str | None
) -> None:
    rows = [
        ["Invoices"],
        [],
        ["Customer", "Net", "Hours", "Mixed", "Paid (USD)"],
        ["Harrow", Formatted(1050.5, code), 3, Formatted(2, code), Formatted(7, code)],
        [],
        ["Calder", Formatted(20, code), 4, 5, Formatted(8, code)],
    ]
    book = write_xlsx(
        tmp_path / "b.xlsx", Sheet("One", ORDERS), Sheet("Bills", rows, left=2, top=4)
    )
    source = Sources().add_file(tables_of(book)[1])
    units = {column.name: column.unit for column in source.profile.columns}
    assert units == {
        "Customer": None, "Net": unit, "Hours": None, "Mixed": None, "Paid (USD)": "USD",
    }  # fmt: skip
    assert source.table.rows(0, 9) == [("Harrow", 1050.5, 3, 2, 7), ("Calder", 20, 4, 5, 8)]


def test_a_sheet_of_libreoffice_is_one_too(tmp_path: Path) -> None:
    sheets = (Sheet("Orders", ORDERS), Sheet("Gone", ORDERS, "hidden"), Sheet("Kosten", COSTS))
    paths = tables_of(write_ods(tmp_path / "shop.ods", *sheets))
    assert [path.name for path in paths] == ["Orders", "Kosten"]
    source = Sources().add_file(paths[1])
    assert source.table.rows(0, 9) == [("rent", 900, 1), ("light", 70, 0)]
    assert source.sheet is not None
    assert source.sheet.address(1, 1) == "Kosten!B6"


@pytest.mark.parametrize(
    "sheets", [[Sheet("Sheet1", ORDERS)], [Sheet("Sheet1", ORDERS), Sheet("Notes", [], "hidden")]]
)
def test_a_workbook_of_one_sheet_is_one_table_called_after_its_file(
    tmp_path: Path, sheets: list[Sheet]
) -> None:
    book = write_xlsx(tmp_path / "my_shop.xlsx", *sheets)
    assert tables_of(book) == [book]
    source = Sources().add_file(book)
    assert (source.uuid, source.profile.name) == (uuid_of(book), "my shop")


def test_what_is_hidden_is_read_where_nothing_is_shown(tmp_path: Path) -> None:
    book = write_xlsx(
        tmp_path / "b.xlsx", Sheet("One", ORDERS, "hidden"), Sheet("Two", COSTS, "hidden")
    )
    assert [path.name for path in tables_of(book)] == ["One", "Two"]


def test_cells_are_called_as_spreadsheets_call_them(tmp_path: Path) -> None:
    source = Sources().add_file(tables_of(write_xlsx(tmp_path / "shop.xlsx", *SHEETS))[1])
    assert source.sheet is not None
    assert source.sheet.address(0, 0) == "'Costs 2024'!B6"
    assert source.sheet.address(1, 1) == "'Costs 2024'!C8"
    assert source.sheet.address(1, 0, 1) == "'Costs 2024'!C6:C8"
    assert Place("Orders", 25, 9).address(1, 0) == "Orders!AA10"
    assert Place("Bob's").address(701, 0) == "'Bob''s'!ZZ2"
    assert [Place(name).address(0, 0) for name in ("A1", "R1C1", "1st", "销售")] == [
        "'A1'!A2",
        "'R1C1'!A2",
        "'1st'!A2",
        "销售!A2",
    ]


def test_the_parsing_file_of_a_sheet_says_where_it_stands(tmp_path: Path) -> None:
    told = parsing_file(
        Sources().add_file(tables_of(write_xlsx(tmp_path / "shop.xlsx", *SHEETS))[1])
    )
    assert (told["kind"], told["sheet"], told["cells"]) == ("xlsx", "Costs 2024", "B6:D8")
    assert told["description"] == "The sheet Costs 2024 of shop.xlsx."
    assert told["last_row"] == {"item": "light", "cost": 70, "paid": 0}


def test_a_sheet_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    book = write_xlsx(tmp_path / "shop.xlsx", *SHEETS)
    with pytest.raises(SourceError, match=r"shop.xlsx has no sheet 'Prices'.*Orders") as caught:
        Sources().add_file(book / "Prices")
    assert "Secret" not in caught.value.remedy
    with pytest.raises(SourceError, match="no rows in its sheet Only a title"):
        Sources().add_file(book / "Only a title")
    book.unlink()
    with pytest.raises(SourceError, match="cannot be found"):
        Sources().add_file(book / "Orders")


def test_a_look_at_a_sheet_is_kept_as_at_any_table(tmp_path: Path) -> None:
    looks, paths = Looks(tmp_path / "looks"), tables_of(write_xlsx(tmp_path / "shop.xlsx", *SHEETS))
    read = [Sources(looks=looks).add_file(path) for path in paths]
    for path, first in zip(paths, read, strict=True):
        again = Sources(looks=looks).add_file(path)
        assert again.table.rows(0, 9) == first.table.rows(0, 9)
        assert (again.sheet, again.profile) == (first.sheet, first.profile)
        assert again.table.one(f"SELECT count(*) FROM {again.table.relation}") == (2,)


def test_a_sheet_may_be_called_anything(tmp_path: Path) -> None:
    file = tmp_path / "b.xlsx"
    for name in ("..", ".", "a.csv", "50%", "%41", "a/b", "Q1 'x'", "销售 😀", "main.sold"):
        assert TableRef.of(TableRef(file, name).path) == TableRef(file, name)
    named = ("notes.md", "..", "50%")
    paths = tables_of(write_xlsx(file, *(Sheet(name, ORDERS) for name in named)))
    assert [Sources().add_file(path).table.count() for path in paths] == [2, 2, 2]
    (tmp_path / "folder.xlsx").mkdir()
    inside = tmp_path / "folder.xlsx" / "t.csv"
    assert TableRef.of(inside) == TableRef(inside)
    assert name_of(file / "Tabelle2") == "b Tabelle2"


def in_duckdb(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE sold AS SELECT i AS n, 'No ' || i AS name FROM range(5) t(i)"
        )
        connection.execute("CREATE SCHEMA old")
        connection.execute("CREATE TABLE old.sold AS SELECT 7 AS n, 'seven' AS name")
        connection.execute("CREATE TABLE empty_one (n INT)")
        connection.execute("CREATE VIEW big AS SELECT * FROM sold WHERE n > 2")


def in_sqlite(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE sold (n INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT)")
    connection.executemany("INSERT INTO sold (name) VALUES (?)", [(f"No {i}",) for i in range(5)])
    connection.execute("CREATE TABLE \"old/sold\" AS SELECT 7 AS n, 'seven' AS name")
    connection.execute("CREATE TABLE empty_one (n INT)")
    connection.execute("CREATE VIEW big AS SELECT * FROM sold WHERE n > 3")
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    ("ending", "make", "names"),
    [
        ("duckdb", in_duckdb, ["sold", "old.sold", "big"]),
        ("sqlite", in_sqlite, ["sold", "old%2Fsold", "big"]),
    ],
)
def test_each_table_and_view_of_a_database_file_is_one(
    tmp_path: Path, ending: str, make: Callable[[Path], None], names: list[str]
) -> None:
    file = tmp_path / f"my shop.{ending}"
    make(file)
    before, sources = hash_of(file), Sources()
    paths = tables_of(file)
    assert [path.name for path in paths] == names
    read = [sources.add_file(path) for path in paths]
    assert [source.profile.rows for source in read] == [5, 1, 2]
    assert read[1].table.rows(0, 2) == [(7, "seven")]
    told = parsing_file(read[2])
    assert (told["kind"], told["table"]) == (ending, "big")
    assert told["description"] == f"The table big of my shop.{ending}."
    assert sources.add_file(file).profile.rows == 5
    with pytest.raises(SourceError, match="no table 'gone'"):
        sources.add_file(file / "gone")
    assert hash_of(file) == before


def test_of_very_many_tables_the_shell_is_told_their_names(tmp_path: Path) -> None:
    many = [Sheet(f"Week {n}", ORDERS) for n in range(1, 20)]
    book = write_xlsx(tmp_path / "year.xlsx", *many)
    error = too_many(book, tables_of(book))
    assert error.text.startswith("year.xlsx has 19 tables: Week 1, Week 2, ")
    assert error.text.endswith("Week 12, +7.")
    assert error.remedy == "Specify the one you need, such as year.xlsx/Week 1."


@pytest.mark.parametrize("sound", [True, False])
def test_a_workbook_that_unpacks_without_end_is_refused(tmp_path: Path, sound: bool) -> None:
    path = write_xlsx(tmp_path / "a.xlsx", Sheet("One", [["a", "b"], ["x", 1.0]]))
    packed = zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(path, "a", packed) as archive, archive.open("xl/zeros", "w") as file:
        for _ in range(1 if sound else 120):
            file.write(bytes(1024**2))
    if sound:
        assert read_xlsx(path, "u", "h").columns
        return
    with pytest.raises(SourceError, match="unpacks to 120 MB, far too much"):
        read_xlsx(path, "u", "h")


def test_every_format_that_holds_several_tables_names_them() -> None:
    assert {suffix for form in FORMATS if form.names for suffix in form.suffixes} == SEVERAL
