"""The text of files and widgets that are not tables, for copilots."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING

from app.data.readers.csv_file import SAMPLE_BYTES, separator_of
from app.data.readers.parts import TableRef
from app.domain.errors import SourceError
from app.openbb.content import WORDS, Content, words_of

if TYPE_CHECKING:
    from app.domain.dashboard import Widget


KINDS = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".pdf": "pdf",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    **dict.fromkeys((".docx", ".docm", ".pptx", ".pptm", ".epub", ".eml"), "document"),
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"), "image"),
}

LIMIT_BYTES = 100 * 1024 * 1024  # maximum size of a file that is read


def document_kind(path: Path) -> str | None:
    """Return the kind of document that a file is, or None if it is a table. A text file with
    columns counts as a table.

    Raises: SourceError if a text file cannot be read.
    """
    kind = KINDS.get(path.suffix.lower()) if not TableRef.of(path).part else None
    if kind != "text":
        return kind
    try:
        with path.expanduser().open("rb") as file:
            sample = file.read(SAMPLE_BYTES)
    except OSError as error:
        raise SourceError(
            f"{path.name} cannot be found or read.", "Check the path and its permissions."
        ) from error
    return None if is_table(sample.decode("utf-8", "ignore")) else kind


def is_table(text: str) -> bool:
    """Return whether a text has several lines and the first ones all have the same number of
    cells."""
    lines = [line for line in text.splitlines()[:20] if line.strip()]
    separator = separator_of(text)
    return (
        len(lines) > 1
        and len({line.count(separator) for line in lines}) == 1
        and separator in lines[0]
    )


def read_document(widget: Widget) -> Content:
    """Return the content of a widget that is not a table.

    Raises: SourceError.
    """
    if widget.type == "note":
        return Content("note", widget.text)
    if widget.type in ("library", "document"):  # their text is in the document index
        return Content(widget.type, {"name": widget.name, "path": widget.path})
    path = Path(widget.path)
    try:
        if path.stat().st_size > LIMIT_BYTES:
            raise SourceError(
                f"{path.name} is larger than {LIMIT_BYTES // 1024**2} MB.", "Reduce it."
            )
        if widget.backend or widget.type in ("plotly", "raw"):
            told = json.loads(path.read_text("utf-8"))
            return Content(str(told["type"]), told["value"])
        if widget.type in ("pdf", "image"):
            held = base64.b64encode(path.read_bytes()).decode()
            return Content(widget.type, [{"filename": path.name, "content": held}])
        return Content(widget.type, path.read_text("utf-8-sig", errors="replace"))
    except OSError as error:
        raise SourceError(
            f"{path.name} cannot be found or read.", "Check the path and its permissions."
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise SourceError(f"{path.name} is damaged.", "Refresh the widget.") from error


def text_of(widget: Widget) -> str:
    """Return the text of a widget for copilots, with a note if it was shortened.

    Raises: SourceError.
    """
    content = read_document(widget)
    text = words_of(content)
    if len(text) <= WORDS:
        return text
    return f"{text[:WORDS]}\n\n(Only the first {WORDS:,} of {len(text):,} characters are here.)"
