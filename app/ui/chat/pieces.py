"""A turn as pieces, each a small document: the question, steps, the reading, words, citations, actions."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING

from app.domain.chats.thoughts import is_begun
from app.domain.events import Artifact, Call, CallResult, Citations, Ended, Rateable, Status, Suggestions
from app.domain.stream import Message
from app.services.replay.answers import ran_at, ran_in
from app.ui.chat.blocks import artifacts, steps
from app.ui.chat.blocks.code import extend_code, set_code
from app.ui.chat.blocks.document import Document
from app.ui.chat.blocks.inline import marks_in
from app.ui.chat.blocks.making import SMALL, Kind, ending, kind_of, last_of, shown, status, whole_rows
from app.ui.chat.blocks.markdown import extend_rows, extend_text, set_markdown
from app.ui.chat.blocks.picture import fit_picture, picture, picture_within
from app.ui.chat.blocks.split import Splitter
from app.ui.chat.growing.paragraph import Growing
from app.ui.chat.tables.ordered import PLAIN, View
from app.ui.style.long_words import fit_document
from app.ui.style.theme import text_font
from app.ui.style.tokens import TEXT_PX
from app.ui.workflows import listing

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.ui.style.tokens import Tokens


@dataclass
class Piece:
    """One piece: what it is, its source, and its document once it was needed.

    source: Markdown for text, code and tables, HTML for the rest. height: in pixels, as laid out.
    aside: a word at its right end. view: how a table is looked at. saved: a line above it saves all of it.
    cites: how many citations its marks may name.
    joint: of a paragraph that goes on from the piece before, what stands between the two; None elsewhere.
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
        """Change what it says; return whether that was a change. Text that only grows is added to."""
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
        return self.kind == "table" and self.view == PLAIN and extend_rows(document, old, self.source, tokens)

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

    def _build(self, tokens: Tokens) -> Document:
        document = Document(text_font(SMALL.get(self.kind, TEXT_PX)))
        document.cites = self.cites
        if self.kind == "code":
            set_code(document, self.source, tokens)
        elif self.kind in ("text", "table"):
            set_markdown(document, self.source, tokens, picture_within, self.view)
        elif self.kind == "question":
            document.setPlainText(self.source)
        else:
            document.setHtml(self.source)
        return document


@dataclass
class Entry:
    """One turn as it is shown.

    tops: where each piece begins, in pixels from the turn's top, and where the last one ends, as laid
    out for `width`. dirty: the first piece that has to be laid out. branch: which of how many asked here it is.
    """

    turn: Turn
    opened: set[str]
    tokens: Tokens
    pieces: list[Piece] = field(default_factory=list[Piece])
    tops: list[int] = field(default_factory=lambda: [0])
    width: int = -1
    dirty: int = 0
    aside: str = ""
    branch: tuple[int, int] = (1, 1)
    cites: int = 0
    views: dict[int, View] = field(default_factory=dict[int, View])  # of tables that are looked at otherwise
    _spans: list[tuple[object, int]] = field(default_factory=list["tuple[object, int]"])  # item, its pieces
    _splitters: dict[int, Splitter] = field(default_factory=dict[int, Splitter])
    growing: Growing = field(default_factory=Growing)
    _held: set[int] = field(default_factory=set[int])  # messages to be looked at again once they are whole
    _heads: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])  # of tables beside the words

    def rebuild(self) -> int:
        """Take up the turn as it stands; return the first piece that changed. What is as before costs nothing."""
        self.dirty = len(self.pieces)
        if (heads := artifacts.heads_of(self.turn)) != self._heads:
            self._heads = heads  # a table that stands in the words, too, is shown once
            self.refresh()
        at, call = self._span(0, 0, "question", [("question", self.turn.question)]), None
        for index, item in enumerate(self.turn.items, 1):
            call = item if isinstance(item, Call) else call
            known = self._spans[index] if index < len(self._spans) else (None, 0)
            if known[0] is item and (index not in self._held or self._grows(index)):
                at += known[1]
            elif isinstance(item, Message):
                at = self._words(index, at, item)
            else:
                self.growing.end(index, self.pieces)  # words may turn out to be a thought
                at = self._span(index, at, item, self._compose(index - 1, item, call))
        last = last_of(self.turn.state, self.pieces[at - 1].kind, self.tokens, self.branch)
        at = self._span(len(self.turn.items) + 1, at, None, last)
        del self.pieces[at:], self._spans[len(self.turn.items) + 2 :]
        if self.pieces[-1].kind == "actions":
            self.pieces[-1].aside = self.aside
        tables = (place for place, piece in enumerate(self.pieces) if piece.kind == "table")
        for number, place in enumerate(tables):
            self.pieces[place].saved = "href='csv:" in self.pieces[place - 1].source
            view = self.views.get(number, PLAIN)._replace(cut=self.pieces[place].saved)
            if self.pieces[place].look(view):
                self.dirty = min(self.dirty, place)
        self.dirty = min(self.dirty, at)
        self._cite()
        return self.dirty

    def _cite(self) -> None:
        """Let the marks of citations that have come be seen; a number in brackets without one stays words."""
        cites = sum(len(item.citations) for item in self.turn.items if isinstance(item, Citations))
        if cites != self.cites:
            self.cites = cites
            changed = [place for place, piece in enumerate(self.pieces) if piece.cite(cites)]
            self.dirty = min(self.dirty, *changed, len(self.pieces))

    def look(self, piece: Piece, view: View) -> None:
        """Look at one of the tables in another way, with the next rebuild."""
        tables = [p for p in self.pieces if p.kind == "table"]
        self.views[next(n for n, table in enumerate(tables) if table is piece)] = view

    def _grows(self, index: int) -> bool:
        """Tell whether words of an item may still come. index: its place, the question at 0."""
        return self.turn.state == "running" and index == len(self.turn.items)

    def refresh(self) -> None:
        """Look at every item again with the next rebuild: something was opened or closed."""
        self._spans = [(None, count) for _, count in self._spans]

    def _span(self, index: int, at: int, item: object, made: list[tuple[Kind, str]], kept: int = 0) -> int:
        """Let `made` follow the first `kept` pieces of an item; return where the next item begins."""
        old = self._spans[index][1] if index < len(self._spans) else 0
        start, end = at + kept, at + old
        for kind, source in made:
            if start >= end:
                self.pieces.insert(start, Piece(kind, source, cites=self.cites))
                self.dirty, end = min(self.dirty, start), end + 1
            elif self.pieces[start].kind != kind:
                self.pieces[start] = Piece(kind, source, cites=self.cites)
                self.dirty = min(self.dirty, start)
            elif self.pieces[start].update(source, self.tokens):
                self.dirty = min(self.dirty, start)
            start += 1
        if start < end:
            del self.pieces[start:end]
            self.dirty = min(self.dirty, start)
        self._spans[index : index + 1] = [(item, start - at)]
        return start

    def _words(self, index: int, at: int, item: Message) -> int:
        if (item.role, item.type) != ("assistant", "message") or not isinstance(item.content, str):
            return self._span(index, at, item, shown(item, index - 1, self.tokens))
        splitter = self._splitters.setdefault(index, Splitter())
        old = self._spans[index][1] if index < len(self._spans) else 0
        before = min(splitter.closed, old)
        blocks = splitter.update(item.content)
        self._held.discard(index)
        if self._heads:
            self.growing.end(index, self.pieces)
            left = [b for b in blocks if kind_of(b) != "table" or artifacts.head_of(b) not in self._heads]
            return self._span(index, at, item, [(kind_of(block), block) for block in left])
        if blocks and self._grows(index) and kind_of(blocks[-1]) == "table":
            blocks[-1] = whole_rows(blocks[-1])
            self._held.add(index)
        kept = min(before, splitter.closed)
        made: list[tuple[Kind, str]] = [(kind_of(block), block) for block in blocks[kept:]]
        if self._grows(index) and [kind for kind, _ in made] == ["text"]:
            rest = self.growing.rest(index, self.pieces, range(at + kept, at + old), made[0][1], self.tokens)
            if rest.cut:
                self._spans[index] = (None, self._spans[index][1] + 1)
                self.dirty = min(self.dirty, at + old - 1)
            if rest.parts:
                self._held.add(index)
            made = [("text", rest.source)]
            kept += rest.parts
        else:
            self.growing.end(index, self.pieces)
        return self._span(index, at, item, made, kept)

    def rejoin(self) -> None:
        """Let every paragraph be one piece again: its lines begin elsewhere."""
        if self.growing.join(self.pieces):
            self.refresh()
            self.rebuild()

    def _compose(self, index: int, item: object, call: Call | None) -> list[tuple[Kind, str]]:
        tokens = self.tokens
        if isinstance(item, CallResult):
            opened, ran = f"step:{index}" in self.opened, ran_at(self.turn, index)
            if ran is not None:
                return [("step", listing.line(ran, item.seconds, opened=opened, tokens=tokens))]
            return [("step", steps.step(index, call, item, opened=opened, tokens=tokens))]
        if isinstance(item, Status):
            return self._status(index, item)
        if isinstance(item, Artifact):
            return list(artifacts.pieces_of(item, f"art:{index}", tokens))
        if isinstance(item, Citations) and item.citations:
            opened = "act:citations" in self.opened
            return [("citation", steps.cited(item.citations, opened=opened, tokens=tokens))]
        if isinstance(item, Suggestions) and item.suggestions:
            return [("step", steps.suggestions(item.suggestions, tokens))]
        if not isinstance(item, Ended):
            return []
        rateable = next((i for i in self.turn.items if isinstance(i, Rateable)), None)
        return [ending(item, tokens, self.branch, rateable, flow=ran_in(self.turn) is not None)]

    def _status(self, index: int, item: Status) -> list[tuple[Kind, str]]:
        """One line; opened, its details and what came of it. Nothing of what is to be hidden."""
        if item.hidden:
            return []
        made, opened = status(item, self.tokens), f"step:{index}" in self.opened
        if is_begun(item):
            grows = self._grows(index + 1)
            (self._held.add if grows else self._held.discard)(index + 1)
            return steps.thinking(index, item, grows=grows, opened=opened, tokens=self.tokens)
        if made[0] == "reading" or not (item.details or item.artifacts):
            return [made]
        found: list[tuple[Kind, str]] = [
            ("step", steps.detailed(index, item, made[1], opened=opened, tokens=self.tokens))
        ]
        for number, artifact in enumerate(item.artifacts if opened else []):
            found += artifacts.pieces_of(artifact, f"art:{index}.{number}", self.tokens)
        return found
