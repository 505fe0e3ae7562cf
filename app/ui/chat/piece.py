"""A piece of a turn: its kind, source and document, which grows while the answer is streamed.

A very long paragraph is divided while it grows: settled lines become separate pieces, and only the
rest is laid out again.

The paragraph is cut at the start of a line, so nothing moves. When the paragraph ends or its lines
wrap differently, it becomes one piece again.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from app.domain.events import Artifact
from app.ui.chat.charts import chart_document, chart_of_table, source_of
from app.ui.chat.lines import PieceKind
from app.ui.controls.actions import Unfold, UnfoldText
from app.ui.controls.labels import fit_document
from app.ui.markdown.builder import extend_rows, extend_text, parser, set_markdown
from app.ui.markdown.code import extend_code, set_code
from app.ui.markdown.document import BlockDocument, fit_picture, picture, picture_within
from app.ui.markdown.formulas import MARKS
from app.ui.markdown.inline import marks_in
from app.ui.markdown.tables import PLAIN, SHOWN, TableLayout, shortened
from app.ui.theme.style import text_font
from app.ui.theme.tokens import CAPTION_PX, CHART_HEIGHT, CHROME_PX, TEXT_PX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.ui.theme.tokens import Tokens


PART = 120_000  # number of characters of an item shown before the user asks for more
LONG = 12_000  # characters: a paragraph longer than this is divided into parts
MOST, LINES = 4_000, 60  # maximum number of characters and lines in such a part
SEEN = 0.9  # the text is cut at a line break if there is one beyond this fraction of the limit


class ShownPart(NamedTuple):
    """The displayed part of a text, the length of the rest, and the action that shows more."""

    text: str
    left: int
    more: UnfoldText | None


def part_of(text: str, index: int, opened: set[Unfold]) -> ShownPart:
    """Return the visible part of an item's text. opened: the parts that the user has expanded."""
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
    """A part of a paragraph, and the text between it and the previous part, which is None for the
    first part.
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
LONG_PIECE = 20_000  # number of characters of a question that are shown
# in pixels; used to estimate the height of pieces that are not laid out yet
LINE, LETTER, GUESSED_IMAGE = 21, 7, 240


@dataclass
class Piece:
    """A piece of a turn: its kind, its source and, once it is needed, its document.

    source: Markdown for text, code and tables, JSON for charts, HTML for all other kinds. height:
    in pixels, as last laid out. aside: the text at its right edge. view: how a table is displayed.
    saved: whether the line above the piece offers to save the whole table. cites: the number of
    citations that its marks may refer to. joint: for a piece that continues a paragraph, the text
    between it and the previous piece; None otherwise.
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
        """Return whether the piece is drawn as a chart: it is either a chart from the answer or a
        table shown as a chart.
        """
        return self.kind == "chart" or self.view.chart

    def chart(self) -> str:
        """Return the source of its chart; see `charts.source_of`."""
        if self.kind == "chart":
            return self.source
        made = chart_of_table(self.source, self.cites)
        return source_of(made) if made is not None else source_of(Artifact("chart", "", []))

    def room(self, width: int) -> int:
        """Return the piece's height in pixels: its height as last laid out, or an estimate from its
        length.
        """
        if self.height or self.kind == "image":
            return self.height or GUESSED_IMAGE
        if self.is_chart:
            return CHART_HEIGHT
        lines = self.source.count("\n") + 1
        if self.kind == "table":
            return 35 * min(SHOWN + 1, lines)
        return LINE * max(lines, len(self.source) * LETTER // max(1, width))

    def lay_out(self, width: int, tokens: Tokens) -> bool:
        """Lay out the piece for a given width; return whether this was necessary."""
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
        if self.document.textWidth() != width:  # even an unchanged width causes a new layout
            self.document.setTextWidth(width)
        self.height = ceil(self.document.size().height())
        return True

    def update(self, source: str, tokens: Tokens) -> bool:
        """Change the source; return whether it has changed. If the text was only extended, the new
        part is appended.
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
        """Change how a table is displayed; return whether this changed anything."""
        if view == self.view:
            return False
        self.view, self.document, self.height = view, None, 0
        return True

    def cite(self, count: int) -> bool:
        """Update the number of citations; return whether any citation mark changed."""
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
        """Schedule a new layout if the piece was waiting for formulas or a chart; return whether it
        was.

        This is attempted only a few times, because a text with more formulas than the cache holds
        would otherwise wait forever.
        """
        waited = self.document is not None and self.document.waits and self.waited < WAITS
        if waited and self.is_chart:
            self.document = None  # the height does not change
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
    """The position of a character: the index of its turn, the index of its piece, and its index in
    the piece. Positions are in reading order.
    """

    entry: int
    piece: int
    character: int


LONG_PARAGRAPH = 900  # characters: a longer paragraph is cut
AGAIN = 150  # number of additional characters before the next attempt to cut
STAYS = 2  # number of lines at the end that are never cut off, because the last one may change
TRIES = 4  # number of lines at whose start a cut is attempted
WORD = re.compile(r"[^\s*_`\[\]<>\\~$\u202f\u2028\ufffc]{2,24}")
CLOSED = re.compile(r"\[[^\[\]]*\]")  # brackets that cannot become a link: neither ( nor [ follows
OPENS = re.compile(
    r"`|\[|\$(?![\d\s])|~~|\*(?!\s|$)|(?<![^\W_])_(?!\s|$)"
)  # markup that later text may close
UNDERLINE = re.compile(r"\n {0,3}(?:=+|-+) *$")  # turns all the text above it into a heading


class MovedPieces(NamedTuple):
    """Pieces that were cut or joined.

    piece: the index of the first of these pieces. before, after: the character positions at which
    the pieces began before and after the change, counted across all of them.
    """

    piece: int
    before: list[int]
    after: list[int]

    def place(self, piece: int, character: int) -> tuple[int, int]:
        """Return where a character is after the change."""
        number = piece - self.piece
        if number < 0:
            return piece, character
        if number >= len(self.before):
            return piece - len(self.before) + len(self.after), character
        at = self.before[number] + character
        number = bisect_right(self.after, at) - 1
        return self.piece + number, at - self.after[number]


@dataclass
class SettledText:
    """The settled part of a paragraph.

    length: the length of its source. begins: the character positions at which its pieces begin.
    """

    number: int = -1  # index of its first piece
    length: int = 0
    tried: int = 0  # length of the remaining text when a cut was last attempted
    begins: list[int] = field(default_factory=lambda: [0])

    @property
    def parts(self) -> int:
        """Return the number of pieces that no longer change."""
        return len(self.begins) - 1

    def goes_on(self, number: int, block: str) -> bool:
        """Return whether a block is still the same paragraph, with at most new text added at its
        end.
        """
        return number == self.number and not UNDERLINE.search(block, max(0, self.length - 1))

    def join(self, pieces: list[Piece], moved: list[MovedPieces]) -> None:
        """Join the pieces into one.

        When more text arrives, the first piece takes over the text of all of them.
        """
        if self.parts:
            moved.append(MovedPieces(self.number, self.begins, [0]))
            for piece in pieces[self.number : self.number + self.parts + 1]:
                piece.joint = None
        self.number, self.length, self.tried, self.begins = -1, 0, 0, [0]

    def cut_off(
        self, pieces: list[Piece], last: int, tokens: Tokens, moved: list[MovedPieces]
    ) -> bool:
        """Settle the first lines of the last piece if it is long and has been laid out; return
        whether this was done.

        last: the expected index of the last piece. If its index is different, nothing is settled,
        and the whole piece is laid out again.
        """
        piece = pieces[last] if 0 <= last == self.number + self.parts < len(pieces) else None
        if piece is None or piece.kind != "text" or piece.document is None or not piece.height:
            return False
        if len(piece.source) < max(LONG_PARAGRAPH, self.tried + AGAIN):
            return False
        self.tried = len(piece.source)
        made = cut(piece.source, piece.document, tokens)
        if made is None:
            return False
        before, shown = self.begins, made.first.characterCount() - 1 + len(made.joint)
        self.length += len(piece.source) - len(made.tail)
        self.tried, self.begins = 0, [*before, before[-1] + shown]
        follows = replace(piece, source=made.tail, joint=made.joint, document=made.second, height=0)
        pieces.insert(last + 1, follows)
        piece.source, piece.document, piece.height = made.head, made.first, 0
        moved.append(MovedPieces(self.number, before, self.begins))
        return True


class Rest(NamedTuple):
    """The unsettled rest of a paragraph: its source, the number of pieces before it, and whether a
    piece has just been cut off.
    """

    source: str
    parts: int
    cut: bool


class GrowingParagraphs:
    """The growing paragraphs of a turn. moved: cuts and joins that have not been processed yet."""

    def __init__(self) -> None:
        self.moved: list[MovedPieces] = []
        self._settled: dict[int, SettledText] = {}

    def rest(
        self, index: int, pieces: list[Piece], places: range, block: str, tokens: Tokens
    ) -> Rest:
        """Turn the settled beginning of a paragraph into pieces, and return the rest.

        index: the index of the item. places: the indexes of the item's pieces.
        """
        settled = self._settled.setdefault(index, SettledText())
        if not settled.goes_on(places.start, block):
            settled.join(pieces, self.moved)
            settled.number = places.start
        made = settled.cut_off(pieces, places.stop - 1, tokens, self.moved)
        return Rest(block[settled.length :], settled.parts, made)

    def end(self, index: int, pieces: list[Piece]) -> None:
        """Join the pieces of an item's paragraph into one, because the paragraph no longer
        grows.
        """
        if (settled := self._settled.pop(index, None)) is not None:
            settled.join(pieces, self.moved)

    def join(self, pieces: list[Piece]) -> bool:
        """Join the pieces of each paragraph into one; return whether any paragraph was divided."""
        cut = [settled for settled in self._settled.values() if settled.parts]
        for settled in cut:
            settled.join(pieces, self.moved)
        return bool(cut)


class SettledParts(NamedTuple):
    """The two parts of a source text, their documents, and the displayed text between them."""

    head: str
    tail: str
    first: BlockDocument
    second: BlockDocument
    joint: str


def cut(source: str, document: BlockDocument, tokens: Tokens) -> SettledParts | None:
    """Cut a paragraph at the start of one of its last lines.

    Return None if that position cannot be found in the source.
    """
    shown = document.toPlainText()
    for at in starts(document, shown):
        for here in places(source, shown, at):
            made = halves(source, here, document, tokens)
            if (
                made is not None
                and made.first.toPlainText() == shown[:at].rstrip(" ")
                and made.second.toPlainText() == shown[at:]
            ):
                return made
    return None


def starts(document: BlockDocument, shown: str) -> Iterator[int]:
    """Yield the character positions at which the last lines of a paragraph begin, starting with the
    lowest line.

    shown: the displayed text of the paragraph.
    """
    if document.blockCount() != 1 or document.firstBlock().textList():
        return
    layout = document.firstBlock().layout()
    last = layout.lineCount() - STAYS
    for line in range(last, max(0, last - TRIES), -1):
        begin = layout.lineAt(line).textStart()
        yield begin if shown.isascii() else in_letters(shown, begin)


def in_letters(text: str, units: int) -> int:
    """Return the number of characters at the start of a text.

    units: their length in UTF-16 code units, which Qt counts.
    """
    return len(
        text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "surrogatepass")
    )


def places(source: str, shown: str, at: int) -> Iterator[int]:
    """Yield the possible positions of a displayed character in the source, most likely first."""
    behind = len(source.rstrip(" \n")) - (len(shown) - at)  # markup can only make the source longer
    if source.startswith(shown[at:], behind):
        yield behind
        return
    if (word := WORD.match(shown, at)) is None:
        return
    for _ in range(2):
        behind = source.rfind(word[0], 0, max(0, behind) + len(word[0]))
        if behind <= 0:
            return
        yield behind
        behind -= 1


def halves(source: str, at: int, like: BlockDocument, tokens: Tokens) -> SettledParts | None:
    """Return the halves of a source text; None if markup may span the cut."""
    head, tail = source[:at].rstrip(" \n"), source[at:]
    if not head or not is_settled(head):
        return None
    first, second = BlockDocument(like.defaultFont()), BlockDocument(like.defaultFont())
    for document, half in ((first, head), (second, tail)):
        document.cites = like.cites
        set_markdown(document, half, tokens, picture_within)
        fit_document(document, half)
        if (
            document.plain_end is None
            or document.blockCount() != 1
            or document.firstBlock().textList()
        ):
            return None
    return SettledParts(head, tail, first, second, " " if len(head) < at else "")


def is_settled(source: str) -> bool:
    """Return whether a source text is a paragraph without markup that later text could close."""
    found = parser().parse(source)
    if [token.type for token in found] != ["paragraph_open", "inline", "paragraph_close"]:
        return False
    children = found[1].children or []
    words = "".join(child.content if child.type == "text" else " " for child in children)
    while words != (words := CLOSED.sub("", words)):
        pass
    formulas = sum(child.markup in MARKS for child in children)
    return OPENS.search(words) is None and sum(map(source.count, MARKS)) == formulas
