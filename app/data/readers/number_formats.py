"""The currency signs that an Excel workbook shows beside its numbers, taken from the formats of the
cells.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING
from xml.parsers import expat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

BOOK = "xl/workbook.xml"
SAMPLE = 200  # rows of a sheet; a column is one of money if its cells in these rows agree
# bytes read at a time, and the largest size of the list of formats
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
    """Everything was found, or the XML declares a document type, which no workbook does."""


def money_signs(path: Path, sheet: str, first: int) -> dict[int, str]:
    """Return the currency sign of each column whose numbers all have the same one, by column,
    counted from 0.

    first: the first row of numbers, counted from 1. Empty for a file that is not an XML-based Excel
    workbook.
    """
    with suppress(*UNREADABLE), zipfile.ZipFile(path) as book:
        if BOOK in book.namelist() and (signs := signs_of_styles(book)):
            return signs_of_columns(book, part_of(book, sheet), signs, first)
    return {}


def sign_in(code: str) -> str:
    """Return the currency sign in the code of a number format, such as £ in `[$£-809]#,##0.00`."""
    found = SIGN.search(code.partition(";")[0])
    return next(filter(None, found.groups()), "") if found else ""


def signs_of_styles(book: zipfile.ZipFile) -> dict[str, str]:
    """Return the currency signs by cell style."""
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
    """Return the currency signs of a sheet by column; see `money_signs`."""
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
    """Return the number of a column, counted from 0, from its letters."""
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
    """Parse the XML of a part until `_Enough` is raised. most: the number of bytes to read. Names
    are passed without their namespace.

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
