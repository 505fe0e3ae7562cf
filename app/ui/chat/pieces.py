"""A turn as pieces, each a small document: the question, steps, the reading, words, citations, actions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Literal

from app.domain.events import Call, CallResult, Citations, Ended, Status, Suggestions
from app.domain.stream import Message
from app.ui.chat.blocks import steps
from app.ui.chat.blocks.code import extend_code, set_code
from app.ui.chat.blocks.document import Document
from app.ui.chat.blocks.markdown import extend_text, set_markdown
from app.ui.chat.blocks.split import FENCE, Splitter
from app.ui.style.theme import text_font
from app.ui.style.tokens import CAPTION_PX, CHROME_PX, TEXT_PX

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.ui.style.tokens import Tokens

Kind = Literal["question", "step", "reading", "text", "code", "table", "citation", "state", "actions"]
SMALL = {
    "step": CHROME_PX,
    "reading": CHROME_PX,
    "state": CHROME_PX,
    "citation": CAPTION_PX,
    "actions": CAPTION_PX,
}
TABLE = re.compile(r"^\s*\|?.*\|.*\n\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*(?:\n|$)")


@dataclass
class Piece:
    """One piece: what it is, its source, and its document once it was needed.

    source: Markdown for text, code and tables, HTML for the rest. height: in pixels, as laid out.
    aside: a word at its right end.
    """

    kind: Kind
    source: str
    aside: str = ""
    document: Document | None = None
    height: int = 0

    def lay_out(self, width: int, tokens: Tokens) -> bool:
        """Lay out for a width; return whether there was anything to do."""
        if self.document is None:
            self.document = self._build(tokens)
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
        grown = (self.kind == "text" and extend_text(self.document, old, source)) or (
            self.kind == "code" and extend_code(self.document, old, source, tokens)
        )
        if not grown:
            self.document = None
        return True

    def _build(self, tokens: Tokens) -> Document:
        document = Document(text_font(SMALL.get(self.kind, TEXT_PX)))
        if self.kind == "code":
            set_code(document, self.source, tokens)
        elif self.kind in ("text", "table"):
            set_markdown(document, self.source, tokens)
        elif self.kind == "question":
            document.setPlainText(self.source)
        else:
            document.setHtml(self.source)
        return document


@dataclass
class Entry:
    """One turn as it is shown. width: for which it was laid out; -1 if it has to be again."""

    turn: Turn
    pieces: list[Piece] = field(default_factory=list[Piece])
    opened: set[str] = field(default_factory=set[str])
    width: int = -1
    aside: str = ""
    _splitters: dict[int, Splitter] = field(default_factory=dict[int, Splitter])

    def rebuild(self, tokens: Tokens) -> int:
        """Make the pieces of the turn as it stands; return the first that changed."""
        made = self._compose(tokens)
        first = len(made)
        for i, (kind, source) in enumerate(made):
            if i >= len(self.pieces) or self.pieces[i].kind != kind:
                self.pieces[i : i + 1] = [Piece(kind, source)]
                first = min(first, i)
            elif self.pieces[i].update(source, tokens):
                first = min(first, i)
            if kind == "actions":
                self.pieces[i].aside = self.aside
        del self.pieces[len(made) :]
        self.width = -1
        return first

    def _compose(self, tokens: Tokens) -> list[tuple[Kind, str]]:
        made: list[tuple[Kind, str]] = [("question", self.turn.question)]
        call: Call | None = None
        for index, item in enumerate(self.turn.items):
            if isinstance(item, Message):
                made += self._words(index, item)
            elif isinstance(item, Call):
                call = item
            elif isinstance(item, CallResult):
                opened = f"step:{index}" in self.opened
                made.append(("step", steps.step(index, call, item, opened=opened, tokens=tokens)))
            elif isinstance(item, Status):
                made.append(status(item, tokens))
            elif isinstance(item, Citations) and item.citations:
                opened = "act:citations" in self.opened
                made.append(("citation", steps.cited(item.citations, opened=opened, tokens=tokens)))
            elif isinstance(item, Suggestions) and item.suggestions:
                made.append(("step", steps.suggestions(item.suggestions, tokens)))
            elif isinstance(item, Ended):
                made.append(ending(item, tokens))
        if len(made) == 1 and self.turn.state == "running":
            made.append(("step", steps.grey("Reading the question …", tokens.faint)))
        if self.turn.state == "interrupted" and made[-1][0] != "state":
            made.append(ending(Ended("interrupted", "The answer was interrupted."), tokens))
        return made

    def _words(self, index: int, item: Message) -> list[tuple[Kind, str]]:
        if item.role != "assistant" or not isinstance(item.content, str):
            return []
        splitter = self._splitters.setdefault(index, Splitter())
        return [(kind_of(block), block) for block in splitter.update(item.content)]


def kind_of(block: str) -> Kind:
    """Return what a block of Markdown is painted as."""
    if FENCE.match(block.split("\n", 1)[0]):
        return "code"
    return "table" if "|" in block and TABLE.match(block) else "text"


def status(item: Status, tokens: Tokens) -> tuple[Kind, str]:
    """The reading of the question, or one quiet line; a warning in red."""
    if item.details and isinstance(item.details[0], dict) and "interpretation" in item.details[0]:
        return "reading", steps.understood(item, item.details[0], tokens)
    colour = tokens.danger if item.level in ("WARNING", "ERROR") else tokens.muted
    return "step", steps.grey(item.message, colour)


def ending(item: Ended, tokens: Tokens) -> tuple[Kind, str]:
    """What can be done with the answer, or how it ended."""
    return (
        ("actions", steps.actions(tokens)) if item.state == "done" else ("state", steps.state(item, tokens))
    )
