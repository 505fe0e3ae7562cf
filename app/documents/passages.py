"""Passages: the parts of a page that are searched and cited.

The text of a document, page by page, regardless of its format.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


# maximum number of tokens in a passage by our estimate; real tokenizers count up to about 256
TOKENS = 200
# The ends of paragraphs, then of sentences, in Latin text and in Chinese and Japanese text.
END = re.compile(r"\n\s*\n|(?<=[.!?…])\s+|(?<=[。！？；])|\n")
STOPS = ".!?:;。！？；：…"
BULLET = re.compile(r"[•‣▪·*\-–—#]|\(?[0-9a-zA-Z]{1,3}[.)]\s")
# A full stop that does not end a sentence: after an abbreviation, or after the day before a month.
ABBREVIATED = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|Nos|Fig|vs|e\.g|i\.e|cf|approx|Nr|Abs|Art|z\.\s?B|bzw|ca|Str|p|pp|M|Mme)"
    r"|(?<![^\W_])[A-Za-z])\.\s+$"
)
ORDINAL = re.compile(r"(?<!\d)\d{1,2}\.\s+$")
MONTH = re.compile(
    r"(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|jan|feb|mar|apr|maj|jun|jul|aug|sep|okt|nov|dec)"
)
# maximum number of characters in a wrapped line, and share of the longest line's length from which
# a line counts as full
WRAPPED, FULL = 160, 0.7
WORD = re.compile(r"[^\W_]{1,16}|_{1,16}|[^\w\s]")
LONGEST = 16  # maximum number of characters per token in a passage
WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f]")


@dataclass(frozen=True)
class Passage:
    """A part of a page. start, end: its start and end in the page's text. heading: the heading
    above it.
    """

    page: int
    start: int
    end: int
    text: str
    heading: str = ""


def token_count(text: str) -> int:
    """Estimate the number of tokens in a text as 1.3 per word of up to 16 letters and one per wide
    character.
    """
    wide = len(WIDE.findall(text))
    return wide + int(1.3 * len(WORD.findall(WIDE.sub(" ", text))))


def split_page(page: DocumentPage, limit: int = TOKENS) -> list[Passage]:
    """Split a page into passages of whole sentences, with at most `limit` tokens each.

    A sentence that is longer than this is split between words, so no passage exceeds the limit.
    """
    passages: list[Passage] = []
    start = end = 0
    places = [at for at, _ in page.headings]
    for first, last in sentences(page.text, limit):
        heading_here = bisect_right(places, first) > bisect_right(places, start)
        full = is_over(page.text, start, last, limit)
        if end > start and (
            full or (heading_here and token_count(page.text[start:end]) > limit // 4)
        ):
            passages += cut(page, places, start, end)
            start = first
        end = last
    return passages + cut(page, places, start, len(page.text))


def is_over(text: str, start: int, end: int, limit: int) -> bool:
    """Return whether a part of a text has more tokens than a passage may have. The tokens of a very
    long part are not counted.
    """
    return end - start > LONGEST * limit or token_count(text[start:end]) > limit


def sentences(text: str, limit: int) -> list[tuple[int, int]]:
    """Return the spans of sentences. Those longer than `limit` tokens are split."""
    spans: list[tuple[int, int]] = []
    for first, last in spans_of(text):
        while is_over(text, first, last, limit):
            step = 4 * limit
            while token_count(text[first : first + step]) > limit:
                step = step * 3 // 4
            blank = text.rfind(" ", first + 1, first + step)
            middle = min(blank + 1 if blank > first else first + step, last)
            spans.append((first, middle))
            first = middle
        if last > first:
            spans.append((first, last))
    return spans


def spans_of(text: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences in a text, without gaps. The end of a wrapped line does not
    end a sentence.
    """
    longest = max(map(len, text.splitlines()), default=0)
    ends = [
        m.end()
        for m in END.finditer(text)
        if not goes_on(text, m, longest) and not is_abbreviated(text, m.end())
    ]
    edges = [0, *ends, *([len(text)] if not ends or ends[-1] < len(text) else [])]
    return [(first, last) for first, last in pairwise(edges) if last > first]


def is_abbreviated(text: str, end: int) -> bool:
    """Return whether the full stop before a position in a text does not end a sentence."""
    before = text[max(0, end - 24) : end]
    if ORDINAL.search(before):
        return MONTH.match(text, end) is not None
    return ABBREVIATED.search(before) is not None


def goes_on(text: str, end: re.Match[str], longest: int) -> bool:
    """Return whether a line break is within a sentence, that is, whether it does not follow a full
    stop, and either follows a full line or precedes a lower-case letter.

    longest: the number of characters in the longest line. Lines that are as long as paragraphs are
    not wrapped.
    """
    if end[0] != "\n":
        return False
    start = text.rfind("\n", 0, end.start()) + 1
    before = text[start : end.start()].rstrip()
    behind = text[end.end() : end.end() + 80].lstrip()
    if not before or not behind or before[-1] in STOPS or BULLET.match(behind):
        return False
    if behind[0].islower() or before[-1] in ",-–、，":
        return True
    return longest <= WRAPPED and len(before) >= FULL * longest


def cut(page: DocumentPage, places: list[int], start: int, end: int) -> list[Passage]:
    """Return the passage between two positions on a page, or an empty list if there is only white
    space.

    places: the positions of the page's headings.
    """
    text = page.text[start:end]
    inner = text.strip()
    if not inner:
        return []
    start += len(text) - len(text.lstrip())
    at = bisect_right(places, start)
    heading = page.headings[at - 1][1] if at else ""
    return [Passage(page.number, start, start + len(inner), inner, heading)]


LARGEST = 2 * 1024**3  # maximum size of a file, in bytes
PAGES = 20_000
# smallest gap above a line that starts a paragraph on a scanned page, as a share of the line's
# height
ROOM = 0.5
CHARACTERS = 50_000_000  # maximum number of characters in a whole document


Box = tuple[float, float, float, float]  # left, top, right, bottom in points


@dataclass(frozen=True)
class DocumentPage:
    """A page, slide, sheet or chapter.

    number: its position, counted from 1. label: the number printed on it, or its name. It is empty
    if it is the same as `number`. text: its text in reading order. headings: pairs of (offset in
    the text, heading). scanned: whether it is an image without usable text, so that its words are
    unknown.
    """

    number: int
    text: str
    label: str = ""
    headings: tuple[tuple[int, str], ...] = ()
    scanned: bool = False


@dataclass(frozen=True)
class PagePicture:
    """A page as an image. pixels: the pixels row by row, four bytes each: blue, green, red and one
    unused. scale: the number of pixels per point. boxes: the left, top, right and bottom of the
    marked places, in pixels.
    """

    width: int
    height: int
    pixels: bytes
    scale: float = 1.0
    boxes: tuple[tuple[float, float, float, float], ...] = ()


@dataclass(frozen=True)
class ScanLine:
    """A line that OCR read on a page. box: its left, top, right and bottom, in points from the
    upper left corner.
    """

    text: str
    box: tuple[float, float, float, float]


def scan_text(lines: Sequence[ScanLine]) -> tuple[str, list[int]]:
    """Return the text of a page that OCR has read, and the position in it at which each line
    starts.

    A gap on the page becomes an empty line so that a title is not joined with the sentence below
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

    kind: its format, such as `pdf`. title: the title from its metadata, or empty if there is none.
    """

    kind: str
    pages: tuple[DocumentPage, ...]
    title: str = ""

    @property
    def unread(self) -> tuple[int, ...]:
        """The numbers of the pages whose words are unknown."""
        return tuple(page.number for page in self.pages if page.scanned)
