"""A turn as pieces: question, steps, interpretation, text, citations and actions."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.domain.events import (
    Artifact,
    CallResult,
    Citations,
    CopilotCall,
    Ended,
    Rateable,
    Status,
    Suggestions,
    is_thought_begun,
)
from app.domain.stream import Message
from app.services.conversation.exchange import head_of, tables_of
from app.services.library.workflows import ran_at, ran_in
from app.ui.chat import artifacts, lines
from app.ui.chat.citations import cited
from app.ui.chat.lines import PieceKind
from app.ui.chat.piece import (
    GrowingParagraphs,
    ParagraphPart,
    Piece,
    ShownPart,
    divided,
    is_long,
    part_of,
)
from app.ui.controls.actions import OpenArtifact, OpenPage, Unfold, UnfoldCitations, UnfoldStep
from app.ui.controls.labels import GAP, grey, link
from app.ui.markdown.code import pages_in
from app.ui.markdown.split import FENCE, BlockSplitter
from app.ui.markdown.tables import PLAIN, TableLayout
from app.ui.theme.i18n import said, tr

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.domain.events import Reading
    from app.ui.theme.tokens import Tokens


@dataclass
class TurnEntry:
    """A turn as displayed.

    tops: the top of each piece, in pixels from the turn's top, and the bottom of the last piece, as
    laid out for `width`. dirty: the first piece that has to be laid out. branch: the position of
    this question among its alternatives, and their number.
    """

    turn: Turn
    opened: set[Unfold]
    tokens: Tokens
    pieces: list[Piece] = field(default_factory=list[Piece])
    tops: list[int] = field(default_factory=lambda: [0])
    width: int = -1
    dirty: int = 0
    partial: bool = False  # whether the heights of some pieces are estimated
    aside: str = ""
    branch: tuple[int, int] = (1, 1)
    cites: int = 0
    is_read: bool = True  # whether the turn's items had been loaded when the pieces were created
    views: dict[int, TableLayout] = field(
        default_factory=dict[int, TableLayout]
    )  # the tables that are displayed in a way other than the default
    _spans: list[tuple[object, int]] = field(
        default_factory=list["tuple[object, int]"]
    )  # each item, with the number of its pieces
    _splitters: dict[int, BlockSplitter] = field(default_factory=dict[int, BlockSplitter])
    growing: GrowingParagraphs = field(default_factory=GrowingParagraphs)
    _held: set[int] = field(
        default_factory=set[int]
    )  # messages to process again once they are complete
    _heads: set[tuple[str, ...]] = field(
        default_factory=set[tuple[str, ...]]
    )  # headers of tables that were sent separately from the text

    def rebuild(self) -> int:
        """Update the turn; return the first piece that changed.

        Unchanged parts are not processed.
        """
        self.dirty = min(
            self.dirty, len(self.pieces)
        )  # the turn may not have been laid out since the last update
        self.is_read = self.turn.is_read
        if (heads := set(tables_of(self.turn))) != self._heads:
            self._heads = heads  # a table that also appears in the text is shown only once
            self.refresh()
        at, call = self._span(0, 0, "question", [("question", self.turn.question)]), None
        for index, item in enumerate(self.turn.items, 1):
            call = item if isinstance(item, CopilotCall) else call
            known = self._spans[index] if index < len(self._spans) else (None, 0)
            if known[0] is item and (index not in self._held or self._grows(index)):
                at += known[1]
            elif isinstance(item, Message):
                at = self._words(index, at, item)
            else:
                # the text may turn out to be a model's reasoning
                self.growing.end(index, self.pieces)
                at = self._span(index, at, item, self._compose(index - 1, item, call))
        last = last_of(self.turn, self.pieces[at - 1].kind, self.tokens, self.branch)
        at = self._span(len(self.turn.items) + 1, at, None, last)
        del self.pieces[at:], self._spans[len(self.turn.items) + 2 :]
        if self.pieces[-1].kind == "actions":
            self.pieces[-1].aside = self.aside
        tables = (place for place, piece in enumerate(self.pieces) if piece.kind == "table")
        items = [item for item, count in self._spans for _ in range(count)]
        for number, place in enumerate(tables):
            self.pieces[place].saved = isinstance(items[place], Artifact | Status)
            view = self.views.get(number, PLAIN)._replace(cut=self.pieces[place].saved)
            if self.pieces[place].look(view):
                self.dirty = min(self.dirty, place)
        self.dirty = min(self.dirty, at)
        self._cite()
        return self.dirty

    def _cite(self) -> None:
        """Show markers for the citations received so far; a bracketed number that has no matching
        citation remains plain text.
        """
        cites = sum(len(item.citations) for item in self.turn.items if isinstance(item, Citations))
        if cites != self.cites:
            self.cites = cites
            changed = [place for place, piece in enumerate(self.pieces) if piece.cite(cites)]
            self.dirty = min(self.dirty, *changed, len(self.pieces))

    def between(self, top: int, bottom: int) -> range:
        """Return the pieces between two positions, given in pixels from the turn's top."""
        first = max(0, bisect_right(self.tops, top) - 1)
        return range(first, min(len(self.pieces), bisect_right(self.tops, bottom, first)))

    def look(self, piece: Piece, view: TableLayout) -> None:
        """Change how a table is displayed; this takes effect with the next rebuild."""
        tables = [p for p in self.pieces if p.kind == "table"]
        self.views[next(n for n, table in enumerate(tables) if table is piece)] = view

    def _grows(self, index: int) -> bool:
        """Return whether more text may be added to an item. index: its index; the question has
        index 0.
        """
        return self.turn.state == "running" and index == len(self.turn.items)

    def refresh(self) -> None:
        """Process every item again in the next rebuild, because something was expanded or
        collapsed.
        """
        self._spans = [(None, count) for _, count in self._spans]

    def _span(
        self, index: int, at: int, item: object, made: list[tuple[PieceKind, str]], kept: int = 0
    ) -> int:
        """Insert `made` after the first `kept` pieces of an item; return where the next item
        starts.
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
        splitter = self._splitters.setdefault(index, BlockSplitter())
        old = self._spans[index][1] if index < len(self._spans) else 0
        before = min(splitter.closed, old)
        grows = self._grows(index)
        asking = asking_in(self.turn)
        text = lines.without_choices(item.content, asking) if asking else item.content
        part = ShownPart(text, 0, None) if grows else part_of(text, index, self.opened)
        blocks = splitter.update(part.text)
        self._held.discard(index)
        if self._heads:
            self.growing.end(index, self.pieces)
            left = [b for b in blocks if kind_of(b) != "table" or head_of(b) not in self._heads]
            return self._span(index, at, item, [(kind_of(block), block) for block in left])
        if not grows and (part.left or any(map(is_long, blocks))):
            self.growing.end(index, self.pieces)
            return self._long(index, at, item, blocks, part)
        if blocks and grows and kind_of(blocks[-1]) == "table":
            blocks[-1] = whole_rows(blocks[-1])
            self._held.add(index)
        kept = min(before, splitter.closed)
        made: list[tuple[PieceKind, str]] = [(kind_of(block), block) for block in blocks[kept:]]
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

    def _long(self, index: int, at: int, item: Message, blocks: list[str], part: ShownPart) -> int:
        """Show a text whose paragraphs are too long to be one piece each, or the visible part of
        it.
        """
        made, joints = list[tuple[PieceKind, str]](), list[str | None]()
        for block in blocks:
            kind = kind_of(block)
            cuts = divided(block) if kind == "text" else [ParagraphPart(block, None)]
            for cut in cuts:
                made.append((kind, cut.text))
            joints += [cut.joint for cut in cuts]
        if part.more is not None:
            made.append(("step", lines.more(part.more, part.left, self.tokens)))
            joints.append(None)
        end = self._span(index, at, item, made)
        for piece, joint in zip(self.pieces[at:end], joints, strict=True):
            piece.joint = joint
        return end

    def take_up(self) -> bool:
        """Schedule a new layout for pieces that were waiting for formulas or charts; return whether
        there were any.
        """
        waited = [place for place, piece in enumerate(self.pieces) if piece.take_up()]
        self.dirty = min([self.dirty, *waited])
        return bool(waited)

    def rejoin(self) -> None:
        """Join the pieces of each paragraph into one, because lines now wrap differently."""
        if self.growing.join(self.pieces):
            self.refresh()
            self.rebuild()

    def _compose(
        self, index: int, item: object, call: CopilotCall | None
    ) -> list[tuple[PieceKind, str]]:
        tokens = self.tokens
        if isinstance(item, CallResult):
            opened, ran = UnfoldStep(index) in self.opened, ran_at(self.turn, index)
            if ran is not None:
                return [
                    ("step", lines.workflow_line(ran, item.seconds, opened=opened, tokens=tokens))
                ]
            return [("step", lines.step(index, call, item, opened=opened, tokens=tokens))]
        if isinstance(item, Status):
            return self._status(index, item)
        if isinstance(item, Artifact):
            return list(artifacts.pieces_of(item, OpenArtifact(index), tokens))
        if isinstance(item, Citations) and item.citations:
            opened = UnfoldCitations() in self.opened
            return [("citation", cited(item.citations, opened=opened, tokens=tokens))]
        if isinstance(item, Suggestions) and item.suggestions:
            return [("step", lines.suggestions(item.suggestions, tokens))]
        if not isinstance(item, Ended):
            return []
        rateable = next((i for i in self.turn.items if isinstance(i, Rateable)), None)
        flow, told = ran_in(self.turn) is not None, is_told(item, self.turn)
        asking = asking_in(self.turn)
        choices: list[tuple[PieceKind, str]] = (
            [("reading", lines.choices(asking, tokens))]
            if asking is not None and asking.alternatives and has_words(self.turn)
            else []
        )
        last = ending(item, tokens, self.branch, rateable, flow=flow, told=told)
        return [*choices, *fenced_pages(self.turn, tokens), last]

    def _status(self, index: int, item: Status) -> list[tuple[PieceKind, str]]:
        """Return the line of a step; if it is expanded, include its details and artifacts.

        Hidden steps return nothing.
        """
        if item.hidden:
            return []
        if item.passing or (item.reading is not None and item.reading.asks):
            shown = self._grows(index + 1) if item.passing else not has_words(self.turn)
            (self._held.add if shown else self._held.discard)(index + 1)
            # a clarifying question is part of the answer's text, followed by the choices
            if not shown:
                return []
        made, opened = status(item, self.tokens), UnfoldStep(index) in self.opened
        if is_thought_begun(item):
            grows = self._grows(index + 1)
            (self._held.add if grows else self._held.discard)(index + 1)
            return lines.thinking(index, item, grows=grows, opened=opened, tokens=self.tokens)
        if made[0] == "reading" or not (item.details or item.thought or item.artifacts):
            return [made]
        found: list[tuple[PieceKind, str]] = [
            ("step", lines.detailed(index, item, made[1], opened=opened, tokens=self.tokens))
        ]
        for number, artifact in enumerate(item.artifacts if opened else []):
            found += artifacts.pieces_of(artifact, OpenArtifact(index, number), self.tokens)
        return found


def asking_in(turn: Turn) -> Reading | None:
    """Return the interpretation with which a copilot asks which alternative is meant; None if the
    copilot does not ask.
    """
    found = (item.reading for item in turn.items if isinstance(item, Status) and item.reading)
    return next((reading for reading in found if reading.asks), None)


def has_words(turn: Turn) -> bool:
    """Return whether a copilot has answered with text."""
    return any(
        isinstance(item, Message) and (item.role, item.type) == ("assistant", "message")
        for item in turn.items
    )


OUTPUT = "text"  # heading above the output of code
TABLE = re.compile(r"^\s*\|?.*\|.*\n\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*(?:\n|$)")


def whole_rows(block: str) -> str:
    """Return a growing table without its last line if that is an incomplete row."""
    before, _, last = block.rpartition("\n")
    cells = block.split("\n", 1)[0].count("|")
    return block if last.rstrip().endswith("|") and last.count("|") >= cells else before


def shown(item: Message, index: int, tokens: Tokens) -> list[tuple[PieceKind, str]]:
    """Return code and its output as code blocks, or a picture.

    For a page or a file, return a line that mentions it.
    """
    if (
        item.recipient == "assistant"
        or not isinstance(item.content, str)
        or not item.content.strip()
    ):
        return []
    if item.type == "code" and item.format == "html":
        return [page_line(OpenPage(index), tokens)]
    if item.type in ("code", "console"):
        mark = "`" * max(
            3, 1 + max((len(run) for run in re.findall("`+", item.content)), default=0)
        )
        head = item.format if item.type == "code" else OUTPUT
        return [("code", f"{mark}{head}\n{item.content.rstrip()}\n{mark}")]
    if item.type == "image" and (item.format or "").startswith("base64"):
        return [("image", item.content)]
    return (
        [("text", f"*{item.type}: {item.format or item.content[:200]}*")]
        if item.type in ("image", "file")
        else []
    )


def page_line(opens: OpenPage, tokens: Tokens) -> tuple[PieceKind, str]:
    """Return the line that mentions a page and contains a link to open it."""
    opening = link(opens, tr("Show on the dashboard"), f"color:{tokens.accent}")
    return "step", grey(tr("A page"), tokens.text) + GAP + opening


def fenced_pages(turn: Turn, tokens: Tokens) -> list[tuple[PieceKind, str]]:
    """Return a line for each page that an answer's text contains as a code block."""
    return [
        page_line(OpenPage(index, number), tokens)
        for index, item in enumerate(turn.items)
        if isinstance(item, Message)
        and (item.role, item.type) == ("assistant", "message")
        and isinstance(item.content, str)
        for number in range(len(pages_in(item.content)))
    ]


def kind_of(block: str) -> PieceKind:
    """Return the kind of piece for a block of Markdown."""
    if FENCE.match(block.split("\n", 1)[0]):
        return "code"
    return "table" if "|" in block and TABLE.match(block) else "text"


def status(item: Status, tokens: Tokens) -> tuple[PieceKind, str]:
    """Return the interpretation of the question or a short line of text; warnings are red."""
    if item.reading is not None:
        return "reading", lines.understood(item.message, item.reading, tokens)
    colour = tokens.danger if item.level in ("WARNING", "ERROR") else tokens.muted
    return "step", grey(said(item.message), colour)


def ending(
    item: Ended,
    tokens: Tokens,
    branch: tuple[int, int],
    rateable: Rateable | None = None,
    *,
    flow: bool = False,
    told: bool = False,
) -> tuple[PieceKind, str]:
    """Return the actions of an answer, or a line that says how it ended.

    branch: the question's position among its alternatives, and their number. flow: whether a
    workflow produced the answer. told: whether the line above already shows the error.
    """
    if item.state == "done":
        return "actions", lines.actions(tokens, rateable, branch, flow=flow)
    return "state", lines.state(item, tokens, branch, told=told)


def is_told(item: Ended, turn: Turn) -> bool:
    """Return whether a line of the turn already shows the text of its end."""
    return any(
        isinstance(i, Status) and not i.hidden and i.message == item.text for i in turn.items
    )


def last_of(
    turn: Turn, before: PieceKind, tokens: Tokens, branch: tuple[int, int]
) -> list[tuple[PieceKind, str]]:
    """Return the last piece of a turn, which says that the turn is starting, waiting for text, or
    interrupted; return nothing if no such piece is needed.

    before: the kind of the piece that is currently the last.
    """
    if not turn.is_read:
        return []
    state, last = turn.state, turn.items[-1] if turn.items else None
    if before == "question" and state == "running":
        return [("step", grey(tr("Reading the question …"), tokens.faint))]
    if (
        state == "running"
        and isinstance(last, Status)
        and last.level == "INFO"
        and not last.details
        and last.reading is None
        and last.thought is None
        and not last.passing
    ):
        return [
            ("step", grey(tr("Writing the answer …"), tokens.faint))
        ]  # the wait can be long, because a model may have to be loaded first
    if state == "interrupted" and before != "state":
        return [ending(Ended("interrupted", tr("The answer was interrupted.")), tokens, branch)]
    return []
