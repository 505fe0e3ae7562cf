"""The content of a widget as text, for copilots."""

from __future__ import annotations

import io
import logging
import re
from html.parser import HTMLParser
from typing import Any

from app.domain.errors import BackendError
from app.openbb.content import Content, bytes_of, kind_of, readable

WORDS = 50_000  # most characters sent to a copilot


def words_of(content: Content) -> str:
    """Return the text of a widget's content."""
    return kind_of(content.type).words(content)


def page_words(content: Content) -> str:
    """Return the text of a page, without markup."""
    reader = Words()
    reader.feed(content.value)
    return re.sub(r"\n{3,}", "\n\n", "".join(reader.found)).strip()


def own_words(content: Content) -> str:
    """Return content that already is text."""
    return str(content.value)


def indexed_words(content: Content) -> str:
    """Return a note on how to obtain the text of documents, which is in the index."""
    return f"{content.value['name']}: search it with a query."


def chart_words(content: Content) -> str:
    """Return the data of a chart, without its style."""
    traces = content.value.get("data", [])
    return readable([drawn(trace) for trace in traces if isinstance(trace, dict)])


def pdf_words(content: Content) -> str:
    """Return the text of PDF files, page by page."""
    return "\n\n".join(f"# {file['filename']}\n\n{pages_of(file)}" for file in content.value)


def files_words(content: Content) -> str:
    """Return the text of several files."""
    return "\n\n".join(f"# {file['filename']}\n\n{words_of_file(file)}" for file in content.value)


def picture_words(content: Content) -> str:
    """Return the names of pictures, which a copilot cannot see."""
    names = ", ".join(str(file.get("filename")) for file in content.value)
    return f"{names}: a picture. This terminal cannot tell what it shows."


def words_of_file(file: dict[str, str]) -> str:
    """Return the text of one of several files."""
    kind = file["kind"]
    if kind == "pdf":
        return pages_of(file)
    if kind == "image":
        return words_of(Content("image", [file]))
    return words_of(Content(kind, bytes_of(file).decode("utf-8", "replace")))


def pages_of(file: dict[str, str]) -> str:
    """Return the text of a PDF file, page by page; if there is none, return the reason."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(
        logging.CRITICAL
    )  # the error says what is wrong with the file
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
    """Return the data of a chart's trace without its style."""
    return {k: trace[k] for k in ("name", "type", "x", "y", "z", "labels", "values") if k in trace}


class Words(HTMLParser):
    """Collects the text of a page, without scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Start a new line at each block element."""
        self._hidden += tag in ("script", "style")
        if tag in ("p", "div", "br", "li", "tr", "h1", "h2", "h3"):
            self.found.append("\n")

    def handle_endtag(self, tag: str) -> None:
        """Handle the end of a script or style element."""
        if tag in ("script", "style") and self._hidden:
            self._hidden -= 1

    def handle_data(self, data: str) -> None:
        """Collect visible text."""
        if not self._hidden:
            self.found.append(data)
