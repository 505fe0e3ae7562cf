"""What is kept of tables, so that they stand on the dashboard before their files are read again."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import tempfile
import threading
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.data.readers import reader_of
from app.data.readers.parts import apart, part_path
from app.data.readers.structured import TypedTable
from app.data.readers.workbook import Sheet, SheetTable
from app.domain.widget import Series
from backends.data.column_types import Column
from backends.data.table import Table
from backends.data.values import Profile
from backends.paths import looks_folder

if TYPE_CHECKING:
    import duckdb

    from backends.data.values import Scalar


PAGE, CELLS, MOST_CELLS = (
    200,
    4000,
    100_000,
)  # rows read at once, cells a card measures, cells that are kept


@dataclass(frozen=True)
class Look:
    """The first look at a table. rows: its first ones. series: of its columns, those that were
    drawn so far.
    sheet: where it stands in a workbook. types: of its columns, as its file calls them.
    """

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


class KeptTable(Table):
    """A table that was read before, as the same content.

    content: of its file, which may be another by the time it is read, or gone. of: how the file's
    name ends, and which of its tables it is.
    """

    def __init__(self, look: Look, content: bytes, of: tuple[str, str], source: str) -> None:
        super().__init__(None, "", look.columns, source, look.profile.hash)
        self._look, self._content, self._of = look, content, of
        self._lock = threading.Lock()
        self._read: Table | None = None

    @property
    def is_read(self) -> bool:
        """Whether it was asked so far."""
        return self._read is not None

    def count(self) -> int:
        """Return the number of rows."""
        return self._look.profile.rows

    def rows(self, offset: int, limit: int) -> list[tuple[Scalar, ...]]:
        """Return rows `offset` to `offset + limit` in the source's order."""
        kept = self._look.rows
        if self._look.is_whole or offset + limit <= len(kept):
            return kept[offset : offset + limit]
        return super().rows(offset, limit)

    def _place(self) -> tuple[duckdb.DuckDBPyConnection, str]:
        with self._lock:
            if self._read is None:
                self._read = self._from_content()
            return self._read.connection, self._read.relation

    def _from_content(self) -> Table:
        with tempfile.TemporaryDirectory() as folder:
            ending, part = self._of
            file = Path(folder, f"table{ending}")
            file.write_bytes(self._content)
            path = part_path(file, part)
            return reader_of(path)(path, self.source, self.hash)


LIMIT_BYTES = (
    1 << 20
)  # of a file; a larger one is read at once, so that its first answer need not wait
ENDINGS = (
    ".csv",
    ".tsv",
    ".txt",
    ".json",
    ".jsonl",
    ".ndjson",
    ".parquet",
    ".xlsx",
    ".xls",
    ".ods",
)
# what decides how a table is read: with other code, what was kept is none of it any more
READING = (
    "app.data.readers.delimited",
    "app.data.readers.contents",
    "app.data.readers.workbook",
    "app.data.readers.structured",
    "app.data.kept",
    "app.data.views",
    "backends.data.column_types",
    "backends.data.periods",
    "backends.data.profile",
    "backends.data.rows",
    "backends.data.table",
    "backends.data.values",
)
log = logging.getLogger(__name__)


class Looks:
    """Looks in a folder; threads may call at once. ready: another folder, with looks that came
    along.

    Without them everything works as well, only later: what cannot be read or written is logged and
    left.
    """

    def __init__(self, folder: Path, ready: Path | None = None) -> None:
        self._folder, self._ready = folder, ready
        self._lock = threading.Lock()

    def find(self, path: Path, source: str, hash_: str) -> tuple[KeptTable, Look] | None:
        """Return a file's table as it was when it had this content; None if nothing is kept of
        that.
        """
        file, part = apart(path)
        told = self._told(self._name(path, hash_)) if file.suffix.lower() in ENDINGS else None
        if told is None:
            return None
        try:
            look = look_from(told)
            content = file.read_bytes()
        except (ValueError, KeyError, TypeError, OSError) as error:
            log.warning("The look kept at %s cannot be used: %s", path.name, error)
            return None
        digest = hashlib.sha256(content)
        digest.update(part.encode("utf-8", "surrogatepass"))
        if hash_ != digest.hexdigest()[: len(hash_)]:  # it was changed just now
            return None
        return KeptTable(look, content, (file.suffix.lower(), part), source), look

    def keep(self, path: Path, table: Table, profile: Profile) -> Look | None:
        """Keep a look at a table that was read; return it. None for one that is always read
        anew.
        """
        file, _ = apart(path)
        if file.suffix.lower() not in ENDINGS or file.stat().st_size > LIMIT_BYTES:
            return None
        look = look_at(table, profile)
        if look is not None:
            self.save(path, look)
        return look

    def save(self, path: Path, look: Look) -> None:
        """Write a look as it is now."""
        name = self._name(path, look.profile.hash)
        with self._lock:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                part = self._folder / f"{name}.{os.getpid()}"
                handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump({"code": self._code, **look.as_dict()}, file, ensure_ascii=False)
                os.replace(part, self._folder / name)
            except OSError as error:
                log.warning("The look at %s cannot be kept: %s", path.name, error)

    def leave_only(self, hashes: set[str]) -> None:
        """Remove all looks but those at tables of these hashes."""
        for path in self._folder.glob("*.json"):
            if path.name.partition(".")[0] not in hashes:
                path.unlink(missing_ok=True)

    def _told(self, name: str) -> dict[str, Any] | None:
        for folder in (self._folder, self._ready):
            told = read(folder / name) if folder is not None else None
            if told is not None and (folder == self._ready or told.get("code") == self._code):
                return told
        return None

    @cached_property
    def _code(self) -> str:
        """Name the code that reads tables."""
        digest = hashlib.sha256()
        for name in READING:
            specification = find_spec(name)
            assert specification is not None
            loader: Any = specification.loader
            digest.update(loader.get_data(specification.origin))
        return digest.hexdigest()[:16]

    @staticmethod
    def _name(path: Path, hash_: str) -> str:
        return f"{hash_}{apart(path)[0].suffix.lower()}.json"


def own_looks() -> Looks:
    """Return the looks of this data folder; that at the sample table came along."""
    return Looks(looks_folder(), Path(str(files("resources") / "samples" / "looks")))


def read(path: Path) -> dict[str, Any] | None:
    """Return what a file says; None for one that is not there, or says nothing."""
    try:
        told = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return told if isinstance(told, dict) else None
