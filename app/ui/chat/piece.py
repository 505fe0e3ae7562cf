"""A piece of a turn: its kind, source and document, which grows while the answer is streamed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from app.domain.events import Artifact
from app.ui.chat.charts import chart_document, chart_of_table, source_of
from app.ui.chat.lines import PieceKind
from app.ui.controls.actions import Unfold, UnfoldText
from app.ui.controls.labels import fit_document
from app.ui.markdown.builder import extend_rows, extend_text, set_markdown
from app.ui.markdown.code import extend_code, set_code
from app.ui.markdown.document import BlockDocument, fit_picture, picture, picture_within
from app.ui.markdown.inline import marks_in
from app.ui.markdown.tables import PLAIN, SHOWN, TableLayout, shortened
from app.ui.theme.style import text_font
from app.ui.theme.tokens import CAPTION_PX, CHART_HEIGHT, CHROME_PX, TEXT_PX

if TYPE_CHECKING:
    from app.ui.theme.tokens import Tokens


PART = 120_000  # characters of an item shown before the user asks for more
LONG = 12_000  # characters: a longer paragraph is divided into parts
MOST, LINES = 4_000, 60  # characters and lines of such a part
SEEN = 0.9  # the text ends at a line break, if there is one after this share of the limit


class ShownPart(NamedTuple):
    """The displayed part of a text, the length of the rest, and the action that shows more."""

    text: str
    left: int
    more: UnfoldText | None


def part_of(text: str, index: int, opened: set[Unfold]) -> ShownPart:
    """Return the visible part of an item's text. opened: the parts the user has expanded."""
    number = 0
    while UnfoldText(index, number) in opened:
        number += 1
    limit = (number + 1) * PART
    if len(text) <= limit:
        return ShownPart(text, 0, None)
    line = text.rfind("\n", int(limit * SEEN), limit)
    end = line if line > 0 else limit
    return ShownPart(text[:end], len(text) - end, UnfoldText(index, number))


def is_long(block: str) -> bool:
    """Return whether a paragraph should be divided into parts."""
    return len(block) > LONG or block.count("\n") >= 2 * LINES


class ParagraphPart(NamedTuple):
    """A part of a paragraph, and the text between it and the previous part; None for the first
    part.
    """

    text: str
    joint: str | None


def divided(block: str) -> list[ParagraphPart]:
    """Divide a paragraph into parts, between lines or words if possible."""
    made: list[ParagraphPart] = []
    at, joint, ends = (
        0,
        None,
        [found.start() for found in re.finditer("\n", block)][LINES - 1 :: LINES],
    )
    while len(block) - at > MOST or ends:
        while ends and ends[0] <= at:
            ends.pop(0)
        end = max(block.rfind(mark, at + MOST // 2, at + MOST) for mark in "\n ")
        end, gap = (end, 1) if end > 0 else (at + MOST, 0)
        if ends and ends[0] < at + MOST:
            end, gap = ends.pop(0), 1
        if end >= len(block):
            break
        made.append(ParagraphPart(block[at:end], joint))
        joint = block[end : end + gap]
        at = end + gap
    return [*made, ParagraphPart(block[at:], joint)]


WAITS = 4
LONG_PIECE = 20_000  # characters of a question that are shown
# pixels, used to estimate the height of what is not laid out yet
LINE, LETTER, GUESSED_IMAGE = 21, 7, 240


@dataclass
class Piece:
    """A piece of a turn: its kind, its source, and its document once that was needed.

    source: Markdown for text, code and tables, JSON for charts, HTML for the rest. height: in
    pixels, when last laid out. aside: a text at its right end. view: how a table is displayed.
    saved: whether the line above it can save the whole table. cites: the number of citations its
    marks may refer to. joint: for a piece that continues a paragraph, the text between it and the
    previous piece; None otherwise.
    """

    kind: PieceKind
    source: str
    aside: str = ""
    view: TableLayout = PLAIN
    saved: bool = False
    cites: int = 0
    joint: str | None = None
    document: BlockDocument | None = None
    height: int = 0
    waited: int = 0

    @property
    def is_chart(self) -> bool:
        """Return whether the piece is drawn as a chart: a chart of the answer, or a table shown as
        a chart.
        """
        return self.kind == "chart" or self.view.chart

    def chart(self) -> str:
        """Return the source of its chart; see `charts.source_of`."""
        if self.kind == "chart":
            return self.source
        made = chart_of_table(self.source, self.cites)
        return source_of(made) if made is not None else source_of(Artifact("chart", "", []))

    def room(self, width: int) -> int:
        """Return its height in pixels: as last laid out, otherwise estimated from its length."""
        if self.height or self.kind == "image":
            return self.height or GUESSED_IMAGE
        if self.is_chart:
            return CHART_HEIGHT
        lines = self.source.count("\n") + 1
        if self.kind == "table":
            return 35 * min(SHOWN + 1, lines)
        return LINE * max(lines, len(self.source) * LETTER // max(1, width))

    def lay_out(self, width: int, tokens: Tokens) -> bool:
        """Lay out the piece for a width; return whether this was necessary."""
        if self.kind == "image":
            self.document = self.document or picture(self.source)
            if self.height and self.document.textWidth() == width:
                return False
            fit_picture(self.document, width)
        elif self.is_chart:
            if self.document is not None and self.document.textWidth() == width and self.height:
                return False
            self.document = chart_document(self.chart(), width, tokens)
        elif self.document is None:
            self.document = self._build(tokens)
            fit_document(self.document, self.source)
        elif self.document.textWidth() == width and self.height:
            return False
        if self.document.textWidth() != width:  # even setting the same width would lay it out again
            self.document.setTextWidth(width)
        self.height = ceil(self.document.size().height())
        return True

    def update(self, source: str, tokens: Tokens) -> bool:
        """Change the source; return whether it differs. Text that was only extended is appended."""
        if source is self.source or source == self.source:
            return False
        old, self.source, self.height = self.source, source, 0
        if self.document is None:
            return True
        self.document.forget_links()
        fit_document(self.document, source, len(old) if source.startswith(old) else 0)
        if not self._grown(self.document, old, tokens):
            self.document = None
        return True

    def _grown(self, document: BlockDocument, old: str, tokens: Tokens) -> bool:
        """Append the new part of the source; return whether that was possible."""
        if self.kind == "text":
            return extend_text(document, old, self.source)
        if self.kind == "code":
            return extend_code(document, old, self.source, tokens)
        return (
            self.kind == "table"
            and self.view == PLAIN
            and extend_rows(document, old, self.source, tokens)
        )

    def look(self, view: TableLayout) -> bool:
        """Change how a table is displayed; return whether that is different."""
        if view == self.view:
            return False
        self.view, self.document, self.height = view, None, 0
        return True

    def cite(self, count: int) -> bool:
        """Update the number of citations; return whether any citation marks changed."""
        before, self.cites = self.cites, count
        if self.document is not None:
            self.document.cites = count
        if self.kind not in ("text", "table") or "[" not in self.source:
            return False
        if len(marks_in(self.source, before)) == len(marks_in(self.source, count)):
            return False
        self.document, self.height = None, 0
        return True

    def take_up(self) -> bool:
        """Schedule a new layout if the piece waited for formulas or a chart; return whether it did.

        This is tried only a few times, because a text with more formulas than the cache holds would
        wait forever.
        """
        waited = self.document is not None and self.document.waits and self.waited < WAITS
        if waited and self.is_chart:
            self.document = None  # the height stays the same
        elif waited:
            self.document, self.height, self.waited = None, 0, self.waited + 1
        return waited

    def _build(self, tokens: Tokens) -> BlockDocument:
        document = BlockDocument(text_font(SMALL.get(self.kind, TEXT_PX)))
        document.cites = self.cites
        if self.kind == "code":
            set_code(document, self.source, tokens)
        elif self.kind in ("text", "table"):
            table = self.kind == "table"
            source = shortened(self.source, self.view, SHOWN) if table else self.source
            set_markdown(document, source, tokens, picture_within, self.view)
        elif self.kind == "question":
            document.setPlainText(
                self.source if len(self.source) <= LONG_PIECE else f"{self.source[:LONG_PIECE]}\n…"
            )
        else:
            document.setHtml(self.source)
        return document


SMALL = {
    "step": CHROME_PX,
    "reading": CHROME_PX,
    "state": CHROME_PX,
    "citation": CAPTION_PX,
    "actions": CAPTION_PX,
}


@dataclass(frozen=True, order=True)
class TextPosition:
    """The position of a character: the indexes of its turn, its piece, and the character. Positions
    are ordered as they are read.
    """

    entry: int
    piece: int
    character: int
