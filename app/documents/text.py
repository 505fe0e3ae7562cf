"""The text of a document, page by page, regardless of its format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LARGEST = 2 * 1024**3  # bytes of a file
PAGES = 20_000
# gap above a line that starts a paragraph on a scanned page, as a share of the line's height
ROOM = 0.5
CHARACTERS = 50_000_000  # characters of a whole document


Box = tuple[float, float, float, float]  # left, top, right, bottom in points


@dataclass(frozen=True)
class DocumentPage:
    """A page, slide, sheet or chapter.

    number: its position, counted from 1. label: the number printed on it, or its name; empty if it
    is the same as number. text: in reading order. headings: (offset in the text, heading). scanned:
    whether it is a picture without usable text, so that its words are unknown.
    """

    number: int
    text: str
    label: str = ""
    headings: tuple[tuple[int, str], ...] = ()
    scanned: bool = False


@dataclass(frozen=True)
class PagePicture:
    """A page as a picture. pixels: row by row, four bytes each: blue, green, red and one unused.
    scale: the number of pixels in a point. boxes: left, top, right, bottom of the marked places, in
    pixels.
    """

    width: int
    height: int
    pixels: bytes
    scale: float = 1.0
    boxes: tuple[tuple[float, float, float, float], ...] = ()


@dataclass(frozen=True)
class ScanLine:
    """A line that OCR read on a page. box: left, top, right, bottom, in points from the upper left
    corner.
    """

    text: str
    box: tuple[float, float, float, float]


def scan_text(lines: Sequence[ScanLine]) -> tuple[str, list[int]]:
    """Return the text of a page that OCR has read, and where each line starts in it.

    A gap on the page becomes an empty line, so that a title is not joined with the sentence below
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

    kind: its format, such as `pdf`. title: from its metadata; empty if there is none.
    """

    kind: str
    pages: tuple[DocumentPage, ...]
    title: str = ""

    @property
    def unread(self) -> tuple[int, ...]:
        """The numbers of the pages whose words are unknown."""
        return tuple(page.number for page in self.pages if page.scanned)
