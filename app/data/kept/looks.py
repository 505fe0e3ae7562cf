"""The looks at tables that are kept on disk, each under the hash of its file's content."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import threading
from functools import cached_property
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.data.kept.look import look_at, look_from
from app.data.kept.table import KeptTable
from app.data.readers.parts import apart
from backends.paths import looks_folder

if TYPE_CHECKING:
    from app.data.kept.look import Look
    from backends.data.table import Table
    from backends.data.values import Profile

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
READING = (  # what decides how a table is read: with other code, what was kept is none of it any more
    "app.data.readers.delimited",
    "app.data.readers.contents",
    "app.data.readers.heading",
    "app.data.readers.sheet",
    "app.data.readers.structured",
    "app.data.readers.typed",
    "app.data.readers.workbook",
    "app.data.kept.look",
    "app.data.views",
    "backends.data.column_types",
    "backends.data.periods",
    "backends.data.profile",
    "backends.data.column_types",
    "backends.data.rows",
    "backends.data.periods",
    "backends.data.table",
    "backends.data.values",
)
log = logging.getLogger(__name__)


class Looks:
    """Looks in a folder; threads may call at once. ready: another folder, with looks that came along.

    Without them everything works as well, only later: what cannot be read or written is logged and left.
    """

    def __init__(self, folder: Path, ready: Path | None = None) -> None:
        self._folder, self._ready = folder, ready
        self._lock = threading.Lock()

    def find(self, path: Path, source: str, hash_: str) -> tuple[KeptTable, Look] | None:
        """Return a file's table as it was when it had this content; None if nothing is kept of that."""
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
        """Keep a look at a table that was read; return it. None for one that is always read anew."""
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
