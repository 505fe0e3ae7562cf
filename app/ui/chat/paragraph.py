"""Very long paragraphs: settled lines become pieces of their own, and only the rest is laid out
again.

A cut is made at the start of a line, so nothing moves. When the paragraph ends or wraps
differently, it is one piece again.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from app.ui.controls.labels import fit_document
from app.ui.markdown.builder import parser, set_markdown
from app.ui.markdown.document import BlockDocument
from app.ui.markdown.formulas import MARKS
from app.ui.markdown.picture import picture_within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.ui.chat.piece import Piece
    from app.ui.theme.tokens import Tokens

LONG = 900  # characters; a paragraph with more of them is cut
AGAIN = 150  # characters that have to come before another try
STAYS = 2  # lines at the end that are not cut off: the last may still change
TRIES = 4  # lines a cut is looked for at
WORD = re.compile(r"[^\s*_`\[\]<>\\~$\u202f\u2028\ufffc]{2,24}")
CLOSED = re.compile(r"\[[^\[\]]*\]")  # no link comes of it any more: neither ( nor [ stands behind
OPENS = re.compile(
    r"`|\[|\$(?![\d\s])|~~|\*(?!\s|$)|(?<![^\W_])_(?!\s|$)"
)  # what later words may close
UNDERLINE = re.compile(r"\n {0,3}(?:=+|-+) *$")  # makes a heading of all that stands above


class MovedPieces(NamedTuple):
    """Pieces that were cut, or joined: the first of them, and at which of all its characters each
    began, and begins.
    """

    piece: int
    before: list[int]
    after: list[int]

    def place(self, piece: int, character: int) -> tuple[int, int]:
        """Return the present position of a character."""
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
    """What of one paragraph has settled. length: of its source; begins: at which of its characters
    each piece does.
    """

    number: int = -1  # of its first piece
    length: int = 0
    tried: int = 0  # the length of the rest at which a cut was last looked for
    begins: list[int] = field(default_factory=lambda: [0])

    @property
    def parts(self) -> int:
        """How many pieces do not change any longer."""
        return len(self.begins) - 1

    def goes_on(self, number: int, block: str) -> bool:
        """Return whether a block is the paragraph it was, and still at most words."""
        return number == self.number and not UNDERLINE.search(block, max(0, self.length - 1))

    def join(self, pieces: list[Piece], moved: list[MovedPieces]) -> None:
        """Make its pieces one again: the first takes up all with the next words."""
        if self.parts:
            moved.append(MovedPieces(self.number, self.begins, [0]))
            for piece in pieces[self.number : self.number + self.parts + 1]:
                piece.joint = None
        self.number, self.length, self.tried, self.begins = -1, 0, 0, [0]

    def cut_off(
        self, pieces: list[Piece], last: int, tokens: Tokens, moved: list[MovedPieces]
    ) -> bool:
        """Settle the first lines of its last piece if that is long and laid out; return whether it
        did.

        last: the piece that has to be the last; otherwise all is laid out again.
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
    """The unsettled part of a paragraph: its source, the number of pieces before it, and whether
    one is new.
    """

    source: str
    parts: int
    cut: bool


class GrowingParagraphs:
    """The growing paragraphs of a turn. moved: cuts and joins that are not processed yet."""

    def __init__(self) -> None:
        self.moved: list[MovedPieces] = []
        self._settled: dict[int, SettledText] = {}

    def rest(
        self, index: int, pieces: list[Piece], places: range, block: str, tokens: Tokens
    ) -> Rest:
        """Turn the settled beginning of a paragraph into pieces; return the rest.

        index: index of the item. places: positions of the item's pieces, first to last.
        """
        settled = self._settled.setdefault(index, SettledText())
        if not settled.goes_on(places.start, block):
            settled.join(pieces, self.moved)
            settled.number = places.start
        made = settled.cut_off(pieces, places.stop - 1, tokens, self.moved)
        return Rest(block[settled.length :], settled.parts, made)

    def end(self, index: int, pieces: list[Piece]) -> None:
        """Make the paragraph of an item one piece again, since it no longer grows."""
        if (settled := self._settled.pop(index, None)) is not None:
            settled.join(pieces, self.moved)

    def join(self, pieces: list[Piece]) -> bool:
        """Make every paragraph one piece again; return whether any was not."""
        cut = [settled for settled in self._settled.values() if settled.parts]
        for settled in cut:
            settled.join(pieces, self.moved)
        return bool(cut)


class SettledParts(NamedTuple):
    """The two halves of a source, their documents, and the text between them as displayed."""

    head: str
    tail: str
    first: BlockDocument
    second: BlockDocument
    joint: str


def cut(source: str, document: BlockDocument, tokens: Tokens) -> SettledParts | None:
    """Cut a paragraph at the beginning of one of its last lines; None if the place is unknown."""
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
    """Yield the characters at which the last lines of a paragraph begin, from below. shown: its
    text.
    """
    if document.blockCount() != 1 or document.firstBlock().textList():
        return
    layout = document.firstBlock().layout()
    last = layout.lineCount() - STAYS
    for line in range(last, max(0, last - TRIES), -1):
        begin = layout.lineAt(line).textStart()
        yield begin if shown.isascii() else in_letters(shown, begin)


def in_letters(text: str, units: int) -> int:
    """Return how many letters so many units of UTF-16 are, in which Qt counts."""
    return len(
        text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "surrogatepass")
    )


def places(source: str, shown: str, at: int) -> Iterator[int]:
    """Yield the possible positions of a displayed character in its source, the likeliest first."""
    behind = len(source.rstrip(" \n")) - (len(shown) - at)  # markup only makes a source longer
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
    """Return the halves of a source; None if markup may span the cut."""
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
    """Return whether a source is a paragraph nothing of which can be closed by words
    that follow.
    """
    found = parser().parse(source)
    if [token.type for token in found] != ["paragraph_open", "inline", "paragraph_close"]:
        return False
    children = found[1].children or []
    words = "".join(child.content if child.type == "text" else " " for child in children)
    while words != (words := CLOSED.sub("", words)):
        pass
    formulas = sum(child.markup in MARKS for child in children)
    return OPENS.search(words) is None and sum(map(source.count, MARKS)) == formulas
