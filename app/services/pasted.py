"""Long texts that were pasted: written as files, so that they can go along with questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.domain.errors import SourceError

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 100  # lines that are looked at to tell whether a text is a table


def write_pasted(text: str, folder: Path) -> Path:
    """Write a text under a name of its own and return where: as a table if it came from a spreadsheet.

    Raises: SourceError.
    """
    ending = "tsv" if is_table(text) else "txt"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        number = 1 + sum(1 for _ in folder.iterdir())
        while (path := folder / f"Pasted text {number}.{ending}").exists():
            number += 1
        path.write_text(text, "utf-8", errors="replace")
    except OSError as error:
        raise SourceError(
            "The pasted text can't be kept.",
            "Check that the disk is not full and the data folder can be written.",
        ) from error
    return path


def is_table(text: str) -> bool:
    """Tell whether each line has the same cells with tabs between, as spreadsheets copy them."""
    lines = [line for line in text.splitlines()[:ROWS] if line]
    counts = {line.count("\t") for line in lines}
    return len(lines) > 1 and len(counts) == 1 and counts != {0}
