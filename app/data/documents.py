"""Files and widgets that are no tables: what stands in them, and their words for copilots."""

from __future__ import annotations

import base64
import io
import json
import logging
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.data.readers.delimited import SAMPLE_BYTES, separator_of
from app.data.readers.parts import apart
from app.domain.errors import BackendError, SourceError
from app.domain.widget_content import Content, bytes_of, readable

if TYPE_CHECKING:
    from app.domain.widget import Widget

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
LIMIT_BYTES, WORDS = 100 * 1024 * 1024, 50_000  # of a file; characters that a copilot is sent


def kind_of(path: Path) -> str | None:
    """Return what kind of document a file is, None for a table; text with columns is a table.

    Raises: SourceError for a text file that cannot be read.
    """
    kind = KINDS.get(path.suffix.lower()) if not apart(path)[1] else None
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
    """Tell whether each of the first lines has the same number of cells, and there are several."""
    lines = [line for line in text.splitlines()[:20] if line.strip()]
    separator = separator_of(text)
    return (
        len(lines) > 1
        and len({line.count(separator) for line in lines}) == 1
        and separator in lines[0]
    )


def read_document(widget: Widget) -> Content:
    """Return what stands in a widget that is no table.

    Raises: SourceError.
    """
    if widget.type == "note":
        return Content("note", widget.text)
    if widget.type in ("library", "document"):  # the index of documents holds their words
        return Content(widget.type, {"name": widget.name, "path": widget.path})
    path = Path(widget.path)
    try:
        if path.stat().st_size > LIMIT_BYTES:
            raise SourceError(
                f"{path.name} is larger than {LIMIT_BYTES // 1024**2} MB.", "Cut it down."
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
    """Return a widget in words for copilots; what is cut is said.

    Raises: SourceError.
    """
    content = read_document(widget)
    text = words_of(content)
    if len(text) <= WORDS:
        return text
    return f"{text[:WORDS]}\n\n(Only the first {WORDS:,} of {len(text):,} characters are here.)"


def words_of(content: Content) -> str:
    """Return what is written in some content."""
    if content.type == "html":
        reader = Words()
        reader.feed(content.value)
        return re.sub(r"\n{3,}", "\n\n", "".join(reader.found)).strip()
    if content.type in ("markdown", "text", "note"):
        return str(content.value)
    if content.type in ("library", "document"):
        return f"{content.value['name']}: search it with a query."
    if content.type == "plotly":
        return readable(
            [drawn(trace) for trace in content.value.get("data", []) if isinstance(trace, dict)]
        )
    if content.type == "pdf":
        return "\n\n".join(f"# {file['filename']}\n\n{pages_of(file)}" for file in content.value)
    if content.type == "files":
        return "\n\n".join(
            f"# {file['filename']}\n\n{words_of_file(file)}" for file in content.value
        )
    if content.type == "image":
        names = ", ".join(str(file.get("filename")) for file in content.value)
        return f"{names}: a picture. This terminal cannot tell what it shows."
    return readable(content.value)


def words_of_file(file: dict[str, str]) -> str:
    """Return what is written in one of several files."""
    kind = file["kind"]
    if kind == "pdf":
        return pages_of(file)
    if kind == "image":
        return words_of(Content("image", [file]))
    return words_of(Content(kind, bytes_of(file).decode("utf-8", "replace")))


def pages_of(file: dict[str, str]) -> str:
    """Return the words of a PDF file, page by page; why there are none if there are none."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(
        logging.CRITICAL
    )  # what is wrong with a file is told by its error
    made, size = [], 0
    try:
        for number, page in enumerate(PdfReader(io.BytesIO(bytes_of(file))).pages, 1):
            made.append(f"(page {number})\n{page.extract_text().strip()}")
            size += len(made[-1])
            if size > WORDS:
                break
    except (
        PyPdfError,
        BackendError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
    ) as error:
        return f"(The file cannot be read: {error})"
    return "\n\n".join(made)


def drawn(trace: dict[str, Any]) -> dict[str, Any]:
    """Return what a trace of a chart shows, without how."""
    return {k: trace[k] for k in ("name", "type", "x", "y", "z", "labels", "values") if k in trace}


class Words(HTMLParser):
    """Collects the words of a page, without its scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a line with each block."""
        self._hidden += tag in ("script", "style")
        if tag in ("p", "div", "br", "li", "tr", "h1", "h2", "h3"):
            self.found.append("\n")

    def handle_endtag(self, tag: str) -> None:
        """Leave a script or style."""
        if tag in ("script", "style") and self._hidden:
            self._hidden -= 1

    def handle_data(self, data: str) -> None:
        """Keep words that are seen."""
        if not self._hidden:
            self.found.append(data)
