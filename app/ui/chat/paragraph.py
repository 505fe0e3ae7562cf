"""Divides a very long paragraph while it grows: settled lines become separate pieces, and only the
rest is laid out again.

The paragraph is cut at the start of a line, so nothing moves. When it ends or wraps differently, it
becomes one piece again.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from app.ui.controls.labels import fit_document
from app.ui.markdown.builder import parser, set_markdown
from app.ui.markdown.document import BlockDocument, picture_within
from app.ui.markdown.formulas import MARKS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.ui.chat.piece import Piece
    from app.ui.theme.tokens import Tokens

LONG = 900  # characters: a longer paragraph is cut
AGAIN = 150  # additional characters before the next attempt to cut
STAYS = 2  # lines at the end that are never cut off, because the last may still change
TRIES = 4  # lines at whose start a cut is attempted
WORD = re.compile(r"[^\s*_`\[\]<>\\~$\u202f\u2028\ufffc]{2,24}")
CLOSED = re.compile(r"\[[^\[\]]*\]")  # brackets that cannot become a link: neither ( nor [ follows
OPENS = re.compile(
    r"`|\[|\$(?![\d\s])|~~|\*(?!\s|$)|(?<![^\W_])_(?!\s|$)"
)  # markup that later text may close
UNDERLINE = re.compile(r"\n {0,3}(?:=+|-+) *$")  # turns all the text above it into a heading


class MovedPieces(NamedTuple):
    """Pieces that were cut or joined.

    piece: the index of the first. before, after: the characters at which the pieces began before
    and after the change, counted over all of them.
    """

    piece: int
    before: list[int]
    after: list[int]

    def place(self, piece: int, character: int) -> tuple[int, int]:
        """Return the current position of a character."""
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

    length: the length of its source. begins: the characters at which its pieces begin.
    """

    number: int = -1  # index of its first piece
    length: int = 0
    tried: int = 0  # length of the rest when a cut was last attempted
    begins: list[int] = field(default_factory=lambda: [0])

    @property
    def parts(self) -> int:
        """Return the number of pieces that no longer change."""
        return len(self.begins) - 1

    def goes_on(self, number: int, block: str) -> bool:
        """Return whether a block is still the same paragraph and has at most gained text."""
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
        """Settle the first lines of the last piece if it is long and laid out; return whether this
        was done.

        last: the index the last piece must have; if it has another index, all of it is laid out
        again.
        """
        piece = pieces[last] if 0 <= last == self.number + self.parts < len(pieces) else None
        if piece is None or piece.kind != "text" or piece.document is None or not piece.height:
            return False
        if len(piece.source) < max(LONG, self.tried + AGAIN):
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
    """The unsettled part of a paragraph: its source, the number of pieces before it, and whether a
    piece was just cut off.
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
        """Join the paragraph of an item into one piece, because it no longer grows."""
        if (settled := self._settled.pop(index, None)) is not None:
            settled.join(pieces, self.moved)

    def join(self, pieces: list[Piece]) -> bool:
        """Join every paragraph into one piece; return whether any was divided."""
        cut = [settled for settled in self._settled.values() if settled.parts]
        for settled in cut:
            settled.join(pieces, self.moved)
        return bool(cut)


class SettledParts(NamedTuple):
    """The two halves of a source text, their documents, and the displayed text between them."""

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
    """Yield the characters at which the last lines of a paragraph begin, starting with the lowest
    line.

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

    units: their number in UTF-16 code units, which is how Qt counts.
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
