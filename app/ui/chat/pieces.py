"""A turn as pieces, each a small document: the question, steps, the reading, words, citations,
actions.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.domain.events import (
    Artifact,
    Call,
    CallResult,
    Citations,
    Ended,
    Rateable,
    Status,
    Suggestions,
)
from app.domain.stream import Message
from app.domain.thoughts import is_begun
from app.services.library.answers import ran_at, ran_in
from app.ui.chat.blocks import artifacts, steps
from app.ui.chat.blocks.pieces import (
    Kind,
    ending,
    is_told,
    kind_of,
    last_of,
    shown,
    status,
    whole_rows,
)
from app.ui.chat.blocks.split import Splitter
from app.ui.chat.paragraph import Growing
from app.ui.chat.piece import Cut, Part, Piece, divided, is_long, part_of
from app.ui.chat.tables import PLAIN, View
from app.ui.workflows import lines

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.ui.theme.tokens import Tokens


@dataclass
class Entry:
    """One turn as it is shown.

    tops: where each piece begins, in pixels from the turn's top, and where the last one ends, as
    laid out for `width`. dirty: the first piece that has to be laid out. branch: which of how many
    asked here it is.
    """

    turn: Turn
    opened: set[str]
    tokens: Tokens
    pieces: list[Piece] = field(default_factory=list[Piece])
    tops: list[int] = field(default_factory=lambda: [0])
    width: int = -1
    dirty: int = 0
    partial: bool = False  # heights of some pieces are guessed
    aside: str = ""
    branch: tuple[int, int] = (1, 1)
    cites: int = 0
    views: dict[int, View] = field(
        default_factory=dict[int, View]
    )  # of tables that are looked at otherwise
    _spans: list[tuple[object, int]] = field(
        default_factory=list["tuple[object, int]"]
    )  # item, its pieces
    _splitters: dict[int, Splitter] = field(default_factory=dict[int, Splitter])
    growing: Growing = field(default_factory=Growing)
    _held: set[int] = field(
        default_factory=set[int]
    )  # messages to be looked at again once they are whole
    _heads: set[tuple[str, ...]] = field(
        default_factory=set[tuple[str, ...]]
    )  # of tables beside the words

    def rebuild(self) -> int:
        """Take up the turn as it stands; return the first piece that changed. What is as before
        costs nothing.
        """
        self.dirty = min(
            self.dirty, len(self.pieces)
        )  # it may not have been laid out since the last time
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
        last = last_of(self.turn, self.pieces[at - 1].kind, self.tokens, self.branch)
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
        """Let the marks of citations that have come be seen; a number in brackets without one stays
        words.
        """
        cites = sum(len(item.citations) for item in self.turn.items if isinstance(item, Citations))
        if cites != self.cites:
            self.cites = cites
            changed = [place for place, piece in enumerate(self.pieces) if piece.cite(cites)]
            self.dirty = min(self.dirty, *changed, len(self.pieces))

    def between(self, top: int, bottom: int) -> range:
        """Return the pieces between two heights, from the turn's top."""
        first = max(0, bisect_right(self.tops, top) - 1)
        return range(first, min(len(self.pieces), bisect_right(self.tops, bottom, first)))

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

    def _span(
        self, index: int, at: int, item: object, made: list[tuple[Kind, str]], kept: int = 0
    ) -> int:
        """Let `made` follow the first `kept` pieces of an item; return where the next item
        begins.
        """
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
        grows = self._grows(index)
        part = Part(item.content, 0, "") if grows else part_of(item.content, index, self.opened)
        blocks = splitter.update(part.text)
        self._held.discard(index)
        if self._heads:
            self.growing.end(index, self.pieces)
            left = [
                b
                for b in blocks
                if kind_of(b) != "table" or artifacts.head_of(b) not in self._heads
            ]
            return self._span(index, at, item, [(kind_of(block), block) for block in left])
        if not grows and (part.left or any(map(is_long, blocks))):
            self.growing.end(index, self.pieces)
            return self._long(index, at, item, blocks, part)
        if blocks and grows and kind_of(blocks[-1]) == "table":
            blocks[-1] = whole_rows(blocks[-1])
            self._held.add(index)
        kept = min(before, splitter.closed)
        made: list[tuple[Kind, str]] = [(kind_of(block), block) for block in blocks[kept:]]
        if grows and [kind for kind, _ in made] == ["text"]:
            rest = self.growing.rest(
                index, self.pieces, range(at + kept, at + old), made[0][1], self.tokens
            )
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

    def _long(self, index: int, at: int, item: Message, blocks: list[str], part: Part) -> int:
        """Show a text, or a part of it, whose paragraphs are too long for one piece each."""
        made, joints = list[tuple[Kind, str]](), list[str | None]()
        for block in blocks:
            kind = kind_of(block)
            cuts = divided(block) if kind == "text" else [Cut(block, None)]
            for cut in cuts:
                made.append((kind, cut.text))
            joints += [cut.joint for cut in cuts]
        if part.left:
            made.append(("step", steps.more(part.more, part.left, self.tokens)))
            joints.append(None)
        end = self._span(index, at, item, made)
        for piece, joint in zip(self.pieces[at:end], joints, strict=True):
            piece.joint = joint
        return end

    def take_up(self) -> bool:
        """Lay out anew what waited for formulas; return whether anything did."""
        waited = [place for place, piece in enumerate(self.pieces) if piece.take_up()]
        self.dirty = min([self.dirty, *waited])
        return bool(waited)

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
                return [("step", lines.line(ran, item.seconds, opened=opened, tokens=tokens))]
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
        flow, told = ran_in(self.turn) is not None, is_told(item, self.turn)
        return [ending(item, tokens, self.branch, rateable, flow=flow, told=told)]

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
