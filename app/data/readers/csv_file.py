"""Read CSV and similar files with any separator and the usual encodings. Rows of unequal length are
reported.
"""

from __future__ import annotations

import codecs
import csv
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from app.data.readers.parts import latest_day
from app.data.readers.workbook import SOUGHT, heading
from app.domain.database import literal, quote, unique
from app.domain.errors import SourceError

if TYPE_CHECKING:
    from backends.data.table import Table

SAMPLE_BYTES = 256 * 1024
# cells may exceed the limit of Python's reader, which is 131,072 characters by default
csv.field_size_limit(SAMPLE_BYTES)
SEPARATORS = ",;\t|"
COLUMNS = 2000
BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_delimited(path: Path, source: str, hash_: str) -> Table:
    """Read a file of delimited text. Every cell is read as text first, and the kernel converts it.

    Raises: SourceError.
    """
    with path.open("rb") as file:
        sample = file.read(SAMPLE_BYTES)
    encoding = encoding_of(path, sample)
    text = sample.decode(encoding, errors="ignore")
    separator = separator_of(text)
    header, above = header_of(text, separator)
    check_header(path, text, header)
    with tempfile.TemporaryDirectory() as folder:
        readable = path
        if encoding not in ("utf-8", "utf-8-sig"):
            readable = Path(folder) / "utf8.csv"
            recode(path, readable, encoding)
        title = " ".join(text.splitlines()[:above])
        return load(path, readable, FileShape(separator, header, above, title), source, hash_)


class FileShape(NamedTuple):
    """The layout of a file: its separator, its column names, and the number and text of the lines
    above the column names.
    """

    separator: str
    header: list[str]
    above: int = 0
    title: str = ""


def load(path: Path, readable: Path, shape: FileShape, source: str, hash_: str) -> Table:
    """Read the file with DuckDB, leaving out rows that are completely empty.

    Raises: SourceError, naming the line that does not fit.
    """
    import duckdb  # imported here because checking whether a text is a table does not need it

    from backends.data.table import connect, table_from_sql

    until = latest_day(path, shape.title)
    names = unique(shape.header)
    columns = "{" + ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names) + "}"
    select = (
        f"SELECT * FROM read_csv(?, delim = {literal(shape.separator)}, header = true, columns ="
        f" {columns}, auto_detect = false, quote = '\"', escape = '\"', strict_mode = false,"
        f" null_padding = false, max_line_size = 10000000, skip = {shape.above})"
    )
    if len(names) > 1:  # in a file with one column, an empty row is a missing value
        select += f" WHERE coalesce({', '.join(map(quote, names))}) IS NOT NULL"
    try:
        return table_from_sql(
            connect(), select, [str(readable)], source=source, hash_=hash_, until=until
        )
    except duckdb.Error as error:
        line = re.search(
            r"Line: (\d+)", str(error)
        )  # the rest is DuckDB's advice about its own options
        where = (
            f"line {int(line[1]):,} does not match the header"
            if line
            else str(error).splitlines()[0]
        )
        if "unicode" in str(error).lower() and line:
            raise SourceError(
                f"{path.name} does not use a single encoding: line {int(line[1]):,} is not UTF-8.",
                "Save it as UTF-8.",
            ) from error
        raise SourceError(
            f"{path.name} is not a regular table: {where}.",
            f"Each row needs {len(names)} cells, like the header; fix that row and attach the "
            "file again.",
        ) from error


def header_of(text: str, separator: str) -> tuple[list[str], int]:
    """Return the column names and the number of lines above them."""
    lines = text.splitlines(keepends=True)[: 2 * SOUGHT] if text.strip() else [""]
    reader = csv.reader(lines, delimiter=separator)
    rows, ends = [], [0]
    for row in reader:
        rows.append(row)
        ends.append(reader.line_num)
    at = heading(rows)
    return rows[at], ends[at]


def encoding_of(path: Path, sample: bytes) -> str:
    """Return the encoding of a file.

    Raises: SourceError if the file is not text.
    """
    for bom, name in BOMS:
        if sample.startswith(bom):
            return name
    if b"\x00" in sample:
        raise SourceError(
            f"{path.name} is not a text file.",
            "Attach a table: CSV, Parquet, Excel, JSON or SQLite.",
        )
    whole = len(sample) < SAMPLE_BYTES
    if reads_as(sample, "utf-8", whole):
        return "utf-8"
    check_one_encoding(path, sample if whole else sample[:-3])
    if reads_as(sample, "gb18030", whole) and is_chinese(sample):
        return "gb18030"
    return "cp1252" if reads_as(sample, "cp1252", whole) else "latin-1"


def reads_as(sample: bytes, encoding: str, whole: bool) -> bool:
    """Return whether bytes can be decoded with an encoding. If the bytes are not the whole file,
    their last character may be incomplete.
    """
    try:
        codecs.getincrementaldecoder(encoding)().decode(sample, final=whole)
    except UnicodeDecodeError:
        return False
    return True


def is_chinese(sample: bytes) -> bool:
    """Return whether the non-ASCII bytes come in pairs, as in Chinese characters.

    Single non-ASCII bytes are accented letters. For example, "ø" and a following "b" could also be
    read as one Chinese character.
    """
    runs = re.findall(rb"[\x80-\xff]+", sample)
    return sum(len(run) % 2 == 0 for run in runs) > 0.7 * len(runs)


def check_one_encoding(path: Path, sample: bytes) -> None:
    """Check that text that is not valid UTF-8 is not mostly UTF-8.

    Raises: SourceError, naming the first line that is not UTF-8.
    """
    lines = sample.split(b"\n")
    wrong = [i for i, line in enumerate(lines) if not reads_as(line, "utf-8", True)]
    right = [line for line in lines if not line.isascii() and reads_as(line, "utf-8", True)]
    if wrong and right and len(right) >= len(wrong):
        raise SourceError(
            f"{path.name} does not use a single encoding: line {wrong[0] + 1:,} is not UTF-8, "
            "but others are.",
            "Save it as UTF-8.",
        )


def separator_of(text: str) -> str:
    """Return the separator that splits all or most of the first lines into the same number of
    cells, which must be at least two.
    """
    lines = [line for line in text.splitlines()[:20] if line.strip()]

    def fit(separator: str) -> tuple[bool, bool, int, int]:
        widths = [len(row) for row in csv.reader(lines, delimiter=separator)]
        widest = max(widths, default=0)
        usual = max((widths.count(width) for width in set(widths) if width > 1), default=0)
        return widest > 1, len(set(widths)) == 1, usual, widest

    best = max(SEPARATORS, key=fit)
    return best if fit(best)[0] else ","


def check_header(path: Path, text: str, header: list[str]) -> None:
    """Check that there is a header and not too many columns.

    Raises: SourceError.
    """
    if not text.strip():
        raise SourceError(f"{path.name} is empty.", "Attach a file with a header and rows.")
    if len([line for line in text.splitlines() if line.strip()]) < 2:
        raise SourceError(f"{path.name} has a header but no rows.", "Attach a file with rows.")
    if len(header) > COLUMNS:
        raise SourceError(
            f"{path.name} has {len(header):,} columns; up to {COLUMNS:,} can be shown.",
            "Keep the ones you need.",
        )


def recode(path: Path, target: Path, encoding: str) -> None:
    """Write a copy of a file in UTF-8.

    Raises: SourceError.
    """
    try:
        with (
            path.open(encoding=encoding, newline="") as source,
            target.open("w", encoding="utf-8", newline="") as copy,
        ):
            while piece := source.read(1 << 20):
                copy.write(piece)
    except UnicodeError as error:
        raise SourceError(
            f"{path.name} does not use a single encoding ({encoding} was tried).",
            "Save it as UTF-8.",
        ) from error
