"""A table that is shown from what is kept of it, and read once it is asked."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from app.data.readers import reader_of
from app.data.readers.parts import part_path
from backends.data.table import Table

if TYPE_CHECKING:
    import duckdb

    from app.data.kept.look import Look
    from backends.data.values import Scalar


class KeptTable(Table):
    """A table that was read before, as the same content.

    content: of its file, which may be another by the time it is read, or gone. of: how the file's name ends, and which of its
    tables it is.
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
