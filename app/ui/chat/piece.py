"""One piece of a turn: what it is, its source, its document, which grows with it, part by part
where it has no end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from app.ui.chat.blocks.code import extend_code, set_code
from app.ui.chat.blocks.document import Document
from app.ui.chat.blocks.inline import marks_in
from app.ui.chat.blocks.markdown import extend_rows, extend_text, set_markdown
from app.ui.chat.blocks.picture import fit_picture, picture, picture_within
from app.ui.chat.blocks.pieces import SMALL, Kind
from app.ui.chat.tables import PLAIN, SHOWN, View, shortened
from app.ui.theme.labels import fit_document
from app.ui.theme.theme import text_font
from app.ui.theme.tokens import TEXT_PX

if TYPE_CHECKING:
    from app.ui.theme.tokens import Tokens


PART = 120_000  # characters of an item that are shown until one asks for more
LONG = 12_000  # characters of a paragraph that is laid out in stretches
MOST, LINES = 4_000, 60  # characters, and lines, of a stretch
SEEN = 0.9  # of what a part may hold, behind which it ends with a line


class Part(NamedTuple):
    """What of a text is shown, how much is left, and what asks for more."""

    text: str
    left: int
    more: str


def part_of(text: str, index: int, opened: set[str]) -> Part:
    """Return what of an item's text is shown. opened: what was asked for."""
    number = 0
    while f"more:{index}.{number}" in opened:
        number += 1
    limit = (number + 1) * PART
    if len(text) <= limit:
        return Part(text, 0, "")
    line = text.rfind("\n", int(limit * SEEN), limit)
    end = line if line > 0 else limit
    return Part(text[:end], len(text) - end, f"more:{index}.{number}")


def is_long(block: str) -> bool:
    """Tell whether a paragraph is better laid out in stretches."""
    return len(block) > LONG or block.count("\n") >= 2 * LINES


class Cut(NamedTuple):
    """A stretch of a paragraph, and what stands between it and the one before; None for the
    first.
    """

    text: str
    joint: str | None


def divided(block: str) -> list[Cut]:
    """Return a paragraph in stretches, cut between lines or words where there are any."""
    made: list[Cut] = []
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
        made.append(Cut(block[at:end], joint))
        joint = block[end : end + gap]
        at = end + gap
    return [*made, Cut(block[at:], joint)]


WAITS = 4
LONG_PIECE = 20_000  # characters of a question that are shown
LINE, LETTER, GUESSED_IMAGE = 21, 7, 240  # pixels, of what was not laid out yet


@dataclass
class Piece:
    """One piece: what it is, its source, and its document once it was needed.

    source: Markdown for text, code and tables, HTML for the rest. height: in pixels, as laid out.
    aside: a word at its right end. view: how a table is looked at. saved: a line above it saves all
    of it.
    cites: how many citations its marks may name.
    joint: of a paragraph that goes on from the piece before, what stands between the two; None
    elsewhere.
    """

    kind: Kind
    source: str
    aside: str = ""
    view: View = PLAIN
    saved: bool = False
    cites: int = 0
    joint: str | None = None
    document: Document | None = None
    height: int = 0
    waited: int = 0

    def room(self, width: int) -> int:
        """Return its height in pixels: as it was last laid out, else as its letters let guess."""
        if self.height or self.kind == "image":
            return self.height or GUESSED_IMAGE
        lines = self.source.count("\n") + 1
        if self.kind == "table":
            return 35 * min(SHOWN + 1, lines)
        return LINE * max(lines, len(self.source) * LETTER // max(1, width))

    def lay_out(self, width: int, tokens: Tokens) -> bool:
        """Lay out for a width; return whether there was anything to do."""
        if self.kind == "image":
            self.document = self.document or picture(self.source)
            if self.height and self.document.textWidth() == width:
                return False
            fit_picture(self.document, width)
        elif self.document is None:
            self.document = self._build(tokens)
            fit_document(self.document, self.source)
        elif self.document.textWidth() == width and self.height:
            return False
        if self.document.textWidth() != width:  # the same width would be laid out anew too
            self.document.setTextWidth(width)
        self.height = ceil(self.document.size().height())
        return True

    def update(self, source: str, tokens: Tokens) -> bool:
        """Change what it says; return whether that was a change. Text that only grows is added
        to.
        """
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

    def _grown(self, document: Document, old: str, tokens: Tokens) -> bool:
        """Add what the source has grown by; return whether that was possible."""
        if self.kind == "text":
            return extend_text(document, old, self.source)
        if self.kind == "code":
            return extend_code(document, old, self.source, tokens)
        return (
            self.kind == "table"
            and self.view == PLAIN
            and extend_rows(document, old, self.source, tokens)
        )

    def look(self, view: View) -> bool:
        """Look at a table in another way; return whether that is another."""
        if view == self.view:
            return False
        self.view, self.document, self.height = view, None, 0
        return True

    def cite(self, count: int) -> bool:
        """Take up how many citations there are; return whether other words are marks now."""
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
        """Be laid out anew if it waited for formulas, which are drawn by now; return whether it
        did.

        A text of more formulas than are kept would wait for ever, so it does a few times.
        """
        waited = self.document is not None and self.document.waits and self.waited < WAITS
        if waited:
            self.document, self.height, self.waited = None, 0, self.waited + 1
        return waited

    def _build(self, tokens: Tokens) -> Document:
        document = Document(text_font(SMALL.get(self.kind, TEXT_PX)))
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
