"""What a copy of a database's table says of itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from app.domain.database import FOLDER, KEY, Copied

if TYPE_CHECKING:
    from pathlib import Path


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
