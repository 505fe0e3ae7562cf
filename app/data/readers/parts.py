"""The tables inside a file, and copies of database tables."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from app.domain.database import FOLDER, KEY, TableCopy
from app.domain.errors import SourceError
from backends.data.computation import part
from backends.data.periods import until_of


def copied(path: Path) -> TableCopy | None:
    """Return the origin of a copy of a database table, or None for any other file."""
    if path.suffix != ".parquet" or path.parent.parent.name != FOLDER:
        return None
    import duckdb

    from backends.data.table import connect

    try:
        found = (
            connect()
            .execute(
                "SELECT value FROM parquet_kv_metadata(?) WHERE key = ?", [str(path), KEY.encode()]
            )
            .fetchone()
        )
        raw: Any = json.loads(bytes(found[0]).decode()) if found else None
        return TableCopy(**raw) if isinstance(raw, dict) else None
    except (duckdb.Error, ValueError, TypeError):
        return None


def latest_day(path: Path, title: str) -> dt.date:
    """Return the latest date that a day without a year in a file can refer to.

    title: the text above its table. A year in this text or in the file's name applies to such days.
    """
    written = dt.date.fromtimestamp(path.stat().st_mtime)
    return until_of(f"{path.stem} {title}", written)


SEVERAL = frozenset((".xlsx", ".xls", ".ods", ".sqlite", ".sqlite3", ".db", ".duckdb", ".ddb"))
PIECE = 1 << 20
UNSAFE = re.compile(r"[%/\\\x00-\x1f]|^\.+$")  # what a path component cannot contain
UNNAMED = re.compile(  # default names of sheets
    r"(sheet|tabelle|table|blad|ark|feuil|feuille|hoja|foglio|folha|planilha|arkusz|лист|工作表|シート)[\s_]*\d*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class TableRef:
    """A reference to a table: a file and the name of a table in it, or an empty name for the file's
    default table.

    As a path, it is written in the form book.xlsx/Orders.
    """

    file: Path
    part: str = ""

    @classmethod
    def of(cls, path: Path) -> TableRef:
        """Return the table that a path names."""
        if path.parent.suffix.lower() in SEVERAL and not path.parent.is_dir():
            return cls(path.parent, unquote(path.name))
        return cls(path)

    @property
    def path(self) -> Path:
        """Return the path of this table."""
        safe = UNSAFE.sub(lambda found: "".join(f"%{ord(c):02X}" for c in found[0]), self.part)
        return self.file / safe if safe else self.file

    @property
    def suffix(self) -> str:
        """Return the suffix of its file, in lower case."""
        return self.file.suffix.lower()


def name_of(path: Path) -> str:
    """Return the name of a file's table. For an unnamed sheet, it includes the file's name."""
    ref = TableRef.of(path)
    stem = ref.file.stem.replace("_", " ")
    words = ref.part.replace("_", " ").strip()
    return stem if not words else f"{stem} {words}" if UNNAMED.fullmatch(words) else words


def file_name(path: Path) -> str:
    """Return a file's name and the name of the table in it, for people to read."""
    ref = TableRef.of(path)
    return f"{ref.file.name}/{ref.part}" if ref.part else ref.file.name


def hash_of(path: Path) -> str:
    """Return the first 16 hex digits of the SHA-256 hash of a file's content and of the name of the
    table in it.
    """
    ref = TableRef.of(path)
    file = ref.file
    digest = hashlib.sha256()
    try:
        with file.open("rb") as content:
            size, done = max(1, file.stat().st_size), 0
            while piece := content.read(PIECE):
                with part(min(1.0, done / size), min(1.0, (done + len(piece)) / size)):
                    digest.update(piece)
                done += len(piece)
    except OSError as error:
        raise SourceError(f"{file.name} cannot be read.", "Check its permissions.") from error
    digest.update(ref.part.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]
