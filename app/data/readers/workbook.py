"""Spreadsheets and SQLite files: choose a sheet or table, find its header row, name its cells, and
read the currency signs shown beside its numbers.
"""

from __future__ import annotations

import datetime as dt
import posixpath
import re
import sqlite3
import zipfile
import zlib
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from app.data.readers.parts import latest_day
from app.domain.database import quote, unique
from app.domain.errors import SourceError
from backends.data.errors import KernelError
from backends.data.table import Table, table_from_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from python_calamine import CalamineWorkbook


BOOK = "xl/workbook.xml"
SAMPLE = 200  # rows checked; a column contains money if its cells in these rows agree
# number of bytes read at a time, and maximum number of bytes read from the list of formats
CHUNK, LARGEST = 1 << 16, 16 * 1024**2
CURRENCY = r"[€$£¥￥₩₹]|元|円|CHF|EUR|USD|GBP|JPY|CNY"
SIGN = re.compile(
    rf'\[\$({CURRENCY})(?:-[0-9A-Fa-f]+)?\]|"\s*({CURRENCY})\s*"|\\?([€$£¥￥₩₹])(?![^\[]*\])'
)
CELL = re.compile(r"([A-Z]{1,3})\d+")
ROW = re.compile(r"[0-9]{1,7}")
UNREADABLE = (
    *(OSError, KeyError, ValueError, EOFError, RuntimeError, NotImplementedError),
    *(zipfile.BadZipFile, zlib.error, expat.ExpatError),
)


class _Enough(Exception):
    """Parsing can stop, because everything was found or because the XML declares a document type,
    which no workbook does."""


def money_signs(path: Path, sheet: str, first: int) -> dict[int, str]:
    """Return the currency signs by column, counted from 0, for each column whose numbers all have
    the same sign.

    first: the first row of numbers, counted from 1. The result is empty for a file that is not an
    XML-based Excel workbook.
    """
    with suppress(*UNREADABLE), zipfile.ZipFile(path) as book:
        if BOOK in book.namelist() and (signs := signs_of_styles(book)):
            return signs_of_columns(book, part_of(book, sheet), signs, first)
    return {}


def sign_in(code: str) -> str:
    """Return the currency sign in a number format code, such as £ in `[$£-809]#,##0.00`."""
    found = SIGN.search(code.partition(";")[0])
    return next(filter(None, found.groups()), "") if found else ""


def signs_of_styles(book: zipfile.ZipFile) -> dict[str, str]:
    """Return the currency signs for each cell style."""
    codes: dict[str, str] = {}
    styles: list[str] = []
    inside = False

    def begin(name: str, said: dict[str, str]) -> None:
        nonlocal inside
        if name == "numFmt":
            codes[said.get("numFmtId", "")] = said.get("formatCode", "")
        elif name == "cellXfs":
            inside = True
        elif name == "xf" and inside:
            styles.append(said.get("numFmtId", ""))

    def end(name: str) -> None:
        if name == "cellXfs":
            raise _Enough

    parse(book, "xl/styles.xml", begin, end, LARGEST)
    signs = {str(style): sign_in(codes.get(one, "")) for style, one in enumerate(styles)}
    return {style: sign for style, sign in signs.items() if sign}


def part_of(book: zipfile.ZipFile, sheet: str) -> str:
    """Return the name of the archive part that contains a sheet.

    Raises: KeyError.
    """
    related: dict[str, str] = {}
    targets: dict[str, str] = {}

    def name_sheet(name: str, said: dict[str, str]) -> None:
        if name == "sheet":
            ids = [value for key, value in said.items() if key.endswith(":id")]
            related[said.get("name", "")] = "".join(ids)

    def name_part(name: str, said: dict[str, str]) -> None:
        if name == "Relationship":
            targets[said.get("Id", "")] = said.get("Target", "")

    parse(book, BOOK, name_sheet, lambda _: None, LARGEST)
    parse(book, "xl/_rels/workbook.xml.rels", name_part, lambda _: None, LARGEST)
    target = targets[related[sheet]]
    return target[1:] if target.startswith("/") else posixpath.normpath(f"xl/{target}")


def signs_of_columns(
    book: zipfile.ZipFile, part: str, signs: dict[str, str], first: int
) -> dict[int, str]:
    """Return the currency signs of a sheet by column. See `money_signs`."""
    found: dict[int, set[str]] = {}
    row = 0
    cell: dict[str, str] = {}

    def begin(name: str, said: dict[str, str]) -> None:
        nonlocal row, cell
        if name == "row":
            row = int(said["r"]) if ROW.fullmatch(said.get("r", "")) else row + 1
            if row >= first + SAMPLE:
                raise _Enough
        elif name == "c":
            cell = said
        elif name == "v" and row >= first and cell.get("t", "n") == "n":
            at = CELL.fullmatch(cell.get("r", ""))
            if at is not None:
                found.setdefault(number_of(at[1]), set()).add(signs.get(cell.get("s", ""), ""))

    parse(book, part, begin, lambda _: None, None)
    return {at: next(iter(held)) for at, held in found.items() if len(held) == 1 and held != {""}}


def number_of(letters: str) -> int:
    """Return the number of a column, counted from 0, given its letters."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def parse(
    book: zipfile.ZipFile,
    part: str,
    begin: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None],
    most: int | None,
) -> None:
    """Parse the XML of a part until `_Enough` is raised. most: the maximum number of bytes to read.
    The handlers receive names without their namespace.

    Raises: ExpatError, KeyError.
    """
    reader = expat.ParserCreate()

    def refuse(*_: object) -> None:
        raise _Enough

    reader.StartDoctypeDeclHandler = refuse
    reader.StartElementHandler = lambda name, said: begin(name.rpartition(":")[2], said)
    reader.EndElementHandler = lambda name: end(name.rpartition(":")[2])
    with suppress(_Enough), book.open(part) as file:
        for chunk in chunks(file.read, most):
            reader.Parse(chunk)


def chunks(read: Callable[[int], bytes], most: int | None) -> Iterator[bytes]:
    """Yield the content of a part, up to `most` bytes."""
    passed = 0
    while (most is None or passed < most) and (chunk := read(CHUNK)):
        passed += len(chunk)
        yield chunk


PLAIN = re.compile(r"[^\W\d][\w.]*")
LIKE_A_CELL = re.compile(r"[A-Za-z]{1,3}\d+|[Rr]\d*([Cc]\d*)?|[Cc]\d*")


@dataclass(frozen=True)
class WorkbookSheet:
    """A sheet of a workbook. left, top: the position of its first data cell, counted from 0.
    skipped: the empty rows below that cell, which are not in the table. of: the number of visible
    sheets.
    """

    name: str
    left: int = 0
    top: int = 1
    skipped: tuple[int, ...] = ()
    of: int = 1

    def row(self, ordinal: int) -> int:
        """Return the number of the sheet's row, counted from 1 as in spreadsheets, that a row of
        the table comes from."""
        row = self.top + ordinal
        for gap in self.skipped:
            if gap > row:
                break
            row += 1
        return row + 1

    def address(self, column: int, first: int, last: int | None = None) -> str:
        """Return the spreadsheet address of a cell, or of a column's cells from one row to another,
        such as Orders!C3 or 'Q 1'!C3:C14.
        """
        quoted = PLAIN.fullmatch(self.name) and not LIKE_A_CELL.fullmatch(self.name)
        sheet = self.name if quoted else "'" + self.name.replace("'", "''") + "'"
        letters = column_letters(self.left + column)
        end = f":{letters}{self.row(last)}" if last is not None and last != first else ""
        return f"{sheet}!{letters}{self.row(first)}{end}"

    def cells(self, columns: int, rows: int) -> str:
        """Return the cell range of a whole table without its header, such as A2:F100."""
        first, last = column_letters(self.left), column_letters(self.left + columns - 1)
        return f"{first}{self.row(0)}:{last}{self.row(max(0, rows - 1))}"


class SheetTable(Table):
    """A table from a workbook, with its sheet."""

    def __init__(self, table: Table, sheet: WorkbookSheet) -> None:
        super().__init__(table.connection, table.relation, table.columns, table.source, table.hash)
        self.sheet = sheet


def column_letters(number: int) -> str:
    """Return the letters for a column number, counted from 0, such as A, Z or AA."""
    letters, rest = "", number + 1
    while rest:
        rest, place = divmod(rest - 1, 26)
        letters = chr(ord("A") + place) + letters
    return letters


# number of rows that are searched for a header; a header further down belongs to a second table
SOUGHT = 20
WIDE = 0.6  # share of the non-empty columns that a header must name
NUMBER = re.compile(r"[-+(]?[€$£¥]?\s*\d[\d.,\s'’]*\s*[%€$£¥]?\)?")
DATE = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}\b.*")
YEAR = re.compile(r"(1[89]|20)\d\d")


def heading(rows: Iterable[Sequence[str]]) -> int:
    """Return the row that contains the column names. This is 0 unless the rows above a later header
    are clearly not headers themselves.

    A title row has hardly any filled cells. In the header row below the titles, most cells are
    filled, with different words or years.
    """
    first = [[cell.strip() for cell in row] for row in islice(rows, SOUGHT)]
    width = max((len(filled(row)) for row in first), default=0)
    few = max(1, width // 3)
    if width < 2 or not first or not is_title(first[0], few):
        return 0
    for i, row in enumerate(first[:-1]):
        if is_heading(row, width):
            return i if width > 2 or any(map(tells, first[i + 1 :])) else 0
        if not is_title(row, few):
            return 0
    return 0


def filled(row: list[str]) -> list[str]:
    """Return the cells that are not empty."""
    return [cell for cell in row if cell]


def is_title(row: list[str], few: int) -> bool:
    """Return whether a row has at most `few` filled cells, starting from the left. For example,
    ",value" is not a title but the header of a numbered table.
    """
    cells = filled(row)
    return not cells or (len(cells) <= few and bool(row[0]))


def is_heading(row: list[str], width: int) -> bool:
    """Return whether a row names columns: most cells are filled, all different, and none is a
    number or a date.
    """
    cells = filled(row)
    names = [cell for cell in cells if not YEAR.fullmatch(cell)]
    each = len(set(cells)) == len(cells) >= max(2, WIDE * width)
    return each and bool(names) and not tells(names)


def tells(row: list[str]) -> bool:
    """Return whether a row contains a number or a date, as data rows do."""
    return any(NUMBER.fullmatch(cell) or DATE.fullmatch(cell) for cell in row)


# a size in bytes, and a multiple of the file's size, that no real workbook exceeds when unpacked
UNPACKED, RATIO = 100 * 1024**2, 150
LISTED = 12  # maximum number of sheets or tables listed in an error message
LOOKED_AT = 100  # number of rows of a sheet that are checked for content


def read_xlsx(path: Path, source: str, hash_: str, part: str = "") -> Table:
    """Read a sheet, by default the first one with rows, starting at its header row. Empty rows are
    dropped.

    Raises: SourceError.
    """
    with closing(opened(path)) as book:
        shown = sheets_shown(book)
        if part and part not in book.sheet_names:
            raise missing(path, part, "sheet", shown)
        for name in [part] if part else shown:
            found = laid_out(path, book, name)
            if found is not None:
                sheet, rows, title = found
                until = latest_day(path, f"{name} {title}")
                made = table_from_rows(rows, source=source, hash_=hash_, until=until)
                place = WorkbookSheet(*sheet, of=len(shown))
                return SheetTable(with_money(made, path, place), place)
    raise SourceError(
        (
            f"{path.name} has no rows in its sheet {part}."
            if part
            else f"{path.name} has no sheet with rows."
        ),
        "Attach a spreadsheet with a header and rows.",
    )


def with_money(table: Table, path: Path, sheet: WorkbookSheet) -> Table:
    """Return a table whose money columns have the currency sign that the workbook shows."""
    signs = money_signs(path, sheet.name, sheet.row(0))
    columns = [
        replace(column, currency=signs.get(sheet.left + at, ""))
        if column.kind == "number" and not column.percent and not column.currency
        else column
        for at, column in enumerate(table.columns)
    ]
    return Table(table.connection, table.relation, columns, table.source, table.hash)


def sheets_in(path: Path) -> list[str]:
    """Return the names of the visible sheets that have rows, in order. If there is only one sheet,
    it is not checked for rows.

    Raises: SourceError.
    """
    with closing(opened(path)) as book:
        shown = sheets_shown(book)
        if len(shown) < 2:
            return shown
        return [n for n in shown if laid_out(path, book, n, LOOKED_AT) or laid_out(path, book, n)]


def opened(path: Path) -> CalamineWorkbook:
    """Open a workbook.

    Raises: SourceError.
    """
    from python_calamine import CalamineError, CalamineWorkbook  # imported with the first workbook

    check_unpacked(path)
    try:
        return CalamineWorkbook.from_path(str(path))
    except (CalamineError, OSError) as error:
        raise unreadable(path) from error


def check_unpacked(path: Path) -> None:
    """Check that a workbook does not unpack to far more data than real workbooks do.

    Raises: SourceError.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(part.file_size for part in archive.infolist())
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return  # the workbook is old or damaged, which its reader reports
    if size > UNPACKED and size > RATIO * path.stat().st_size:
        raise SourceError(
            f"{path.name} unpacks to {size // 1024**2:,} MB, far too much for a workbook of "
            "its size.",
            "Save it again and attach the new file.",
        )


def sheets_shown(book: CalamineWorkbook) -> list[str]:
    """Return the names of the visible sheets, or of all sheets if none is visible."""
    from python_calamine import SheetTypeEnum, SheetVisibleEnum

    sheets = [one for one in book.sheets_metadata if one.typ == SheetTypeEnum.WorkSheet]
    seen = [one.name for one in sheets if one.visible == SheetVisibleEnum.Visible]
    return seen or [one.name for one in sheets]


def read_sheet(path: Path, book: CalamineWorkbook, name: str) -> Any:
    """Return a sheet.

    Raises: SourceError.
    """
    from python_calamine import CalamineError

    try:
        return book.get_sheet_by_name(name)
    except CalamineError as error:
        raise unreadable(path) from error


def laid_out(
    path: Path, book: CalamineWorkbook, name: str, most: int | None = None
) -> tuple[tuple[str, int, int, tuple[int, ...]], list[dict[str, Any]], str] | None:
    """Return the position of a sheet's table, its rows and the text above it, or None if it has no
    rows. most: the maximum number of rows to read.

    Raises: SourceError.
    """
    sheet = read_sheet(path, book, name)
    cells = [[plain(cell) for cell in row] for row in sheet.to_python(nrows=most)]
    at = heading([["" if cell is None else str(cell) for cell in row] for row in cells])
    filled = [n for n in range(at + 1, len(cells)) if any(cell is not None for cell in cells[n])]
    if not filled:
        return None
    names = unique(["" if cell is None else str(cell) for cell in cells[at]])
    rows = [dict(zip(names, cells[n], strict=False)) for n in filled]
    above, left = sheet.start or (0, 0)
    held = set(filled)
    skipped = tuple(above + n for n in range(filled[0], filled[-1]) if n not in held)
    title = " ".join(str(cell) for row in cells[:at] for cell in row if cell is not None)
    return (name, left, above + filled[0], skipped), rows, title


def read_sqlite(path: Path, source: str, hash_: str, part: str = "") -> Table:
    """Read a table or view, by default the largest table. The file is opened read-only.

    Raises: SourceError.
    """
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            sized = sizes(connection)
            if part and part not in sized:
                raise missing(path, part, "table", list(sized))
            if not part and not any(sized.values()):
                raise SourceError(
                    f"{path.name} has no table with rows.", "Attach a database with rows."
                )
            name = part or max(sized, key=lambda one: (sized[one], one))
            rows = [dict(row) for row in connection.execute(f"SELECT * FROM {quote(name)}")]
        if not rows:
            raise SourceError(
                f"{path.name} has no rows in its table {name}.", "Choose another table."
            )
        return table_from_rows(
            [{k: plain(v) for k, v in row.items()} for row in rows], source=source, hash_=hash_
        )
    except (sqlite3.Error, KernelError) as error:
        raise SourceError(
            f"{path.name} is not a readable SQLite file.", "Check the file."
        ) from error


def tables_in(path: Path) -> list[str]:
    """Return the names of the non-empty tables in a SQLite file, largest first, followed by those
    of its views.

    Raises: SourceError.
    """
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            sized = sizes(connection)
            found = connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY name"
            )
            views = [str(row[0]) for row in found]
    except sqlite3.Error as error:
        raise SourceError(
            f"{path.name} is not a readable SQLite file.", "Check the file."
        ) from error
    filled = [name for name, rows in sized.items() if rows and name not in views]
    return [*sorted(filled, key=lambda one: (-sized[one], one)), *views]


def sizes(connection: sqlite3.Connection) -> dict[str, int]:
    """Return the tables and views of a SQLite file with their row counts. The rows of views are not
    counted, so their count is 0.
    """
    listed = (
        "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE"
        " 'sqlite\\_%' ESCAPE '\\'"
    )
    made: dict[str, int] = {}
    for name, kind in connection.execute(listed).fetchall():
        counted = f"SELECT count(*) FROM {quote(name)}"
        made[str(name)] = int(connection.execute(counted).fetchone()[0]) if kind == "table" else 0
    return made


def unreadable(path: Path) -> SourceError:
    """Return the error for a file that is not a spreadsheet."""
    return SourceError(f"{path.name} is not a readable spreadsheet.", "Save it again as .xlsx.")


def missing(path: Path, part: str, kind: str, there: list[str]) -> SourceError:
    """Return the error for a sheet or table that does not exist in a file. kind: sheet or table."""
    more = [f"+{len(there) - LISTED}"] if len(there) > LISTED else []
    named = ", ".join([*there[:LISTED], *more])
    return SourceError(f"{path.name} has no {kind} {part!r}.", f"It has: {named}.")


def plain(value: Any) -> Any:
    """Return a cell as a JSON value: dates as ISO text, and floats without a fraction as
    integers.
    """
    if isinstance(value, dt.date | dt.datetime | dt.time):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    return None if value == "" else value
