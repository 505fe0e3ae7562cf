"""The document formats. Formats that are read in the same way share a module. All formats are
listed here.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.documents.formats import mail, office, pdf, plain, web
from app.documents.passages import (
    CHARACTERS,
    LARGEST,
    PAGES,
    DocumentText,
)
from app.domain.errors import DocumentError


@dataclass(frozen=True)
class DocumentFormat:
    """A document format: its name, the suffixes of its files, and the function that reads one,
    given its path and name.

    The function imports other packages only when it is called.
    """

    kind: str
    suffixes: tuple[str, ...]
    read: Callable[[Path, str], DocumentText]


_ALL = (
    DocumentFormat("pdf", (".pdf",), pdf.read),
    DocumentFormat("docx", (".docx", ".docm"), office.read),
    DocumentFormat("pptx", (".pptx", ".pptm"), office.read),
    DocumentFormat("xlsx", (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods"), office.read),
    DocumentFormat("epub", (".epub",), web.read),
    DocumentFormat("html", (".html", ".htm", ".xhtml"), web.read),
    DocumentFormat("mail", (".eml",), mail.read),
    DocumentFormat("markdown", (".md", ".markdown"), plain.read),
    DocumentFormat(
        "text",
        (".txt", ".text", ".log", ".rst", ".tex", ".org", ".adoc", ".srt", ".vtt"),
        plain.read,
    ),
    DocumentFormat(
        "code",
        (
            *(".py", ".js", ".ts", ".tsx", ".jsx", ".java", ".c", ".h", ".cpp", ".hpp", ".cs"),
            *(".go", ".rs", ".rb", ".php", ".swift", ".kt", ".scala", ".r", ".jl", ".lua", ".sh"),
            *(".sql", ".css", ".toml", ".yaml", ".yml", ".ini", ".cfg", ".xml"),
        ),
        plain.read,
    ),
)
FORMATS = {suffix: one for one in _ALL for suffix in one.suffixes}


def document_kind(path: Path) -> str | None:
    """Return the format of a file based on its name, or None if it is not read as a document."""
    known = FORMATS.get(path.suffix.lower())
    return known.kind if known is not None else None


def is_document(name: str) -> bool:
    """Return whether a file with this name is read as a document."""
    return os.path.splitext(name)[1].lower() in FORMATS  # noqa: PTH122 - a Path for each of 10,000


def read_document(path: Path) -> DocumentText:
    """Read a document.

    Raises: DocumentError.
    """
    known = FORMATS.get(path.suffix.lower())
    if known is None:
        raise DocumentError(
            f"{path.name}: this file type isn't supported.",
            "Use PDF, Word, PowerPoint, Excel, EPUB, HTML, mail, Markdown or text.",
        )
    try:
        size = path.stat().st_size
    except OSError as error:
        raise DocumentError(f"{path.name} can't be opened.", "Check the file.") from error
    if size > LARGEST:
        raise DocumentError(f"{path.name} is larger than 2 GB.", "Split it.")
    if size == 0:
        raise DocumentError(f"{path.name} is empty.", "Check the file.")
    try:
        document = known.read(path, known.kind)
    except OSError as error:
        raise DocumentError(f"{path.name} can't be read.", "Check the file.") from error
    if len(document.pages) > PAGES or sum(len(p.text) for p in document.pages) > CHARACTERS:
        raise DocumentError(
            f"{path.name} has more text than can be searched ({PAGES:,} pages).", "Split it."
        )
    return document
