"""Which tables a file holds, and a copy of it that stays as it is."""

from __future__ import annotations

import hashlib
import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from app.domain.database import FOLDER, KEY, Copied
from app.domain.errors import SourceError
from backends.data.stopping import part


def copied(path: Path) -> Copied | None:
    """Return what a file is a copy of; None for any other file."""
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
        return Copied(**raw) if isinstance(raw, dict) else None
    except (duckdb.Error, ValueError, TypeError):
        return None


# by the ending of a file: the module, and its function that names what there is, the usual one
# first
PARTED = {
    ".xlsx": ("workbook", "sheets_in"),
    ".xls": ("workbook", "sheets_in"),
    ".ods": ("workbook", "sheets_in"),
    ".sqlite": ("workbook", "tables_in"),
    ".sqlite3": ("workbook", "tables_in"),
    ".db": ("workbook", "tables_in"),
    ".duckdb": ("structured", "tables_in"),
    ".ddb": ("structured", "tables_in"),
}
PIECE = 1 << 20
UNSAFE = re.compile(r"[%/\\\x00-\x1f]|^\.+$")  # what a part of a path cannot be
UNNAMED = re.compile(  # what a sheet is called that nobody gave a name
    r"(sheet|tabelle|table|blad|ark|feuil|feuille|hoja|foglio|folha|planilha|arkusz|лист|工作表|シート)[\s_]*\d*",
    re.IGNORECASE,
)


def apart(path: Path) -> tuple[Path, str]:
    """Return the file of a path, and which of its tables is meant: book.xlsx/Orders; none for a
    file itself.
    """
    if path.parent.suffix.lower() in PARTED and not path.parent.is_dir():
        return path.parent, unquote(path.name)
    return path, ""


def part_path(file: Path, name: str) -> Path:
    """Return the path of one table of a file."""
    safe = UNSAFE.sub(lambda found: "".join(f"%{ord(c):02X}" for c in found[0]), name)
    return file / safe if safe else file


def tables_of(path: Path) -> list[Path]:
    """Return the paths of a file's tables where there are several, the one first that the file
    itself stands for.

    Raises: SourceError for what cannot be read.
    """
    file, part = apart(path.expanduser().absolute())
    if part or file.suffix.lower() not in PARTED or not file.is_file():
        return [path]
    module, function = PARTED[file.suffix.lower()]
    names: list[str] = getattr(import_module(f"app.data.readers.{module}"), function)(file)
    return [part_path(file, name) for name in names] if len(names) > 1 else [path]


def name_of(path: Path) -> str:
    """Return what a file's table is called; a sheet that nobody named is called after its file,
    too.
    """
    file, part = apart(path)
    stem = file.stem.replace("_", " ")
    words = part.replace("_", " ").strip()
    return stem if not words else f"{stem} {words}" if UNNAMED.fullmatch(words) else words


def file_name(path: Path) -> str:
    """Return a file's name, and which of its tables is meant, as people write it."""
    file, part = apart(path)
    return f"{file.name}/{part}" if part else file.name


def hash_of(path: Path) -> str:
    """Return the SHA-256 of a file's content, and of which of its tables is meant, 16 hex
    digits.
    """
    file, name = apart(path)
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
    digest.update(name.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]
