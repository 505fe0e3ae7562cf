"""The mark in a model's folder that says it is whole, written last."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from pydantic import ValidationError

from backends.catalog.entries import Entry, LocalSource

if TYPE_CHECKING:
    from pathlib import Path

MARK = "installed.json"  # a folder without it is not a model


def write_mark(folder: Path, entry: Entry) -> None:
    """Mark a folder as holding a whole model; an imported one describes itself there."""
    told: dict[str, object] = {"id": entry.id, "files": [f.model_dump() for f in entry.source.files]}
    if isinstance(entry.source, LocalSource):
        told["entry"] = entry.model_dump(mode="json")
    part = folder / f"{MARK}.part"
    part.write_text(json.dumps(told), "utf-8")
    os.replace(part, folder / MARK)


def read_mark(mark: Path) -> Entry | None:
    """Return the imported model a mark describes; None for any other mark."""
    try:
        told = json.loads(mark.read_text("utf-8"))
        return Entry.model_validate(told["entry"] | {"id": mark.parent.name})
    except (OSError, ValueError, KeyError, TypeError, ValidationError):
        return None
