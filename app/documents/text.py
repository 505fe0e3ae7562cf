"""The text of a document, page by page, whatever its format."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from app.domain.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

LARGEST = 2 * 1024**3  # bytes of a file
PAGES = 20_000
ROOM = 0.5  # of a line's height, above a line that begins a paragraph on a scanned page
CHARACTERS = 50_000_000  # of a whole document


@dataclass(frozen=True)
class DocumentPage:
    """One page, slide, sheet or chapter.

    number: its place, from 1. label: what is printed on it, or its name; empty where it is the
    number. text: in reading order. headings: (offset in the text, heading). scanned: it holds a
    picture and no usable text, so its words are not known.
    """

    number: int
    text: str
    label: str = ""
    headings: tuple[tuple[int, str], ...] = ()
    scanned: bool = False


@dataclass(frozen=True)
class PagePicture:
    """A page as a picture. pixels: four bytes each, blue, green, red and one unused, row by row.
    scale: pixels of a point. boxes: left, top, right, bottom of what is marked, in pixels.
    """

    width: int
    height: int
    pixels: bytes
    scale: float = 1.0
    boxes: tuple[tuple[float, float, float, float], ...] = ()


@dataclass(frozen=True)
class ScanLine:
    """A line that OCR read on a page. box: left, top, right, bottom in points from the upper left
    corner.
    """

    text: str
    box: tuple[float, float, float, float]


def scan_text(lines: Sequence[ScanLine]) -> tuple[str, list[int]]:
    """Return the text of a page that OCR has read, and where each line starts in it.

    An empty line is where the page leaves room, so that a title is no part of the sentence below
    it.
    """
    text, starts = "", list[int]()
    for at, line in enumerate(lines):
        if at:
            above, below = lines[at - 1].box, line.box
            room = below[1] - above[3]
            text += "\n\n" if room > ROOM * (below[3] - below[1]) else "\n"
        starts.append(len(text))
        text += line.text
    return text, starts


@dataclass(frozen=True)
class DocumentText:
    """A document as text.

    kind: its format, such as `pdf`. title: from its metadata; empty without one.
    """

    kind: str
    pages: tuple[DocumentPage, ...]
    title: str = ""

    @property
    def unread(self) -> tuple[int, ...]:
        """The numbers of the pages whose words are not known."""
        return tuple(page.number for page in self.pages if page.scanned)


# The module of each format is imported when a file of it is read.
_FORMATS = {
    "pdf": ("pdf", (".pdf",)),
    "docx": ("office", (".docx", ".docm")),
    "pptx": ("office", (".pptx", ".pptm")),
    "xlsx": ("office", (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")),
    "epub": ("web", (".epub",)),
    "html": ("web", (".html", ".htm", ".xhtml")),
    "mail": ("plain", (".eml",)),
    "markdown": ("plain", (".md", ".markdown")),
    "text": ("plain", (".txt", ".text", ".log", ".rst", ".tex", ".org", ".adoc", ".srt", ".vtt")),
    "code": (
        "plain",
        (
            *(".py", ".js", ".ts", ".tsx", ".jsx", ".java", ".c", ".h", ".cpp", ".hpp", ".cs"),
            *(".go", ".rs", ".rb", ".php", ".swift", ".kt", ".scala", ".r", ".jl", ".lua", ".sh"),
            *(".sql", ".css", ".toml", ".yaml", ".yml", ".ini", ".cfg", ".xml"),
        ),
    ),
}
KINDS = {suffix: kind for kind, (_, suffixes) in _FORMATS.items() for suffix in suffixes}


def document_kind(path: Path) -> str | None:
    """Return the format of a file by its name; None for one that is not read as a document."""
    return KINDS.get(path.suffix.lower())


def is_document(name: str) -> bool:
    """Return whether a file of this name is read as a document."""
    return os.path.splitext(name)[1].lower() in KINDS  # noqa: PTH122 - a Path for each of 10,000


def read_document(path: Path) -> DocumentText:
    """Read a document.

    Raises: DocumentError.
    """
    kind = document_kind(path)
    if kind is None:
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
    module = import_module(f"app.documents.formats.{_FORMATS[kind][0]}")
    read: Callable[[Path, str], DocumentText] = module.read
    try:
        document = read(path, kind)
    except OSError as error:
        raise DocumentError(f"{path.name} can't be read.", "Check the file.") from error
    if len(document.pages) > PAGES or sum(len(p.text) for p in document.pages) > CHARACTERS:
        raise DocumentError(
            f"{path.name} has more text than can be searched ({PAGES:,} pages).", "Split it."
        )
    return document
