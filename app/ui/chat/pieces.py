"""A turn as pieces, each a small document: the question, steps, the reading, words, citations, actions."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from app.domain.events import CallResult, Citations, Ended, Status, Suggestions
from app.domain.stream import Message
from app.ui.chat.markdown import FENCE, Cutter, Document, make_document, set_block
from app.ui.style.theme import text_font
from app.ui.style.tokens import CAPTION_PX, CHROME_PX

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.domain.events import Citation
    from app.ui.style.tokens import Tokens

Kind = Literal["question", "step", "reading", "text", "code", "citation", "state", "actions"]


@dataclass
class Piece:
    """One piece: what it is, its source, and its document once it was needed.

    source: Markdown for text and code, HTML for the rest. width: it was laid out for; height: then.
    """

    kind: Kind
    source: str
    document: Document | None = None
    width: int = -1
    height: int = 0

    def lay_out(self, width: int, tokens: Tokens) -> int:
        """Return the height at a width; nothing is done again that was done for it."""
        if self.document is None:
            self.document = make_document()
            self.set_source()
            self.fill(tokens)
            self.width = -1
        if width != self.width:  # setTextWidth lays out anew even for the same width
            self.document.setTextWidth(width)
            self.width = width
            self.height = int(self.document.size().height() + 0.5)
        return self.height

    def set_source(self) -> None:
        """Choose the font of what is not the answer itself."""
        assert self.document is not None
        if self.kind in ("step", "reading", "citation", "actions", "state"):
            small = self.kind in ("citation", "actions")
            self.document.setDefaultFont(text_font(CAPTION_PX if small else CHROME_PX))

    def fill(self, tokens: Tokens) -> None:
        """Put the source into the document."""
        assert self.document is not None
        if self.kind in ("text", "code"):
            set_block(self.document, self.source, tokens)
        elif self.kind == "question":
            self.document.setPlainText(self.source)
        else:
            self.document.setDefaultStyleSheet(f"a {{ color: {tokens.accent}; text-decoration: none; }}")
            self.document.setHtml(self.source)

    def update(self, source: str) -> None:
        """Change what it says; it is laid out when it is next needed."""
        if source != self.source:
            self.source = source
            self.document = None
            self.width = -1


@dataclass
class Entry:
    """One turn as it is shown. height: as estimated until it was laid out at `width`."""

    turn: Turn
    pieces: list[Piece] = field(default_factory=list[Piece])
    open_steps: set[int] = field(default_factory=set[int])
    cutters: dict[int, Cutter] = field(default_factory=dict[int, Cutter])
    height: int = 0
    width: int = -1

    def rebuild(self, tokens: Tokens) -> None:
        """Make the pieces of the turn as it stands; pieces that say the same are kept with their layout."""
        made = compose(self.turn, self.open_steps, tokens, self.cutters)
        for i, (kind, source) in enumerate(made):
            if i < len(self.pieces) and self.pieces[i].kind == kind:
                self.pieces[i].update(source)
            elif i < len(self.pieces):
                self.pieces[i] = Piece(kind, source)
            else:
                self.pieces.append(Piece(kind, source))
        del self.pieces[len(made) :]
        self.width = -1


def compose(
    turn: Turn, opened: set[int], tokens: Tokens, cutters: dict[int, Cutter]
) -> list[tuple[Kind, str]]:
    """Return the pieces of a turn as kind and source."""
    made: list[tuple[Kind, str]] = [("question", turn.question)]
    number = 0
    for index, item in enumerate(turn.items):
        if isinstance(item, Status):
            made.append(status(item, tokens))
        elif isinstance(item, CallResult):
            made.append(("step", step(index, item, opened, tokens)))
        elif isinstance(item, Message) and item.role == "assistant":
            for block in cutters.setdefault(index, Cutter()).blocks(item.content):
                made.append(("code" if FENCE.match(block) else "text", block))
        elif isinstance(item, Citations):
            for citation in item.citations:
                number += 1
                made.append(("citation", cited(number, citation, tokens)))
        elif isinstance(item, Suggestions):
            made.append(("step", " &nbsp; ".join(map(suggestion, item.suggestions))))
        elif isinstance(item, Ended):
            made += ending(item, tokens)
    return made


def status(item: Status, tokens: Tokens) -> tuple[Kind, str]:
    """The reading of the question, or one quiet line; a warning in red."""
    if item.details and isinstance(item.details[0], dict) and "interpretation" in item.details[0]:
        return "reading", understood(item, tokens)
    colour = tokens.danger if item.level in ("WARNING", "ERROR") else tokens.muted
    return "step", f"<span style='color:{colour}'>{html.escape(item.message)}</span>"


def suggestion(text: str) -> str:
    """A question one might ask, as a link."""
    return f"<a href='ask:{html.escape(text, quote=True)}'>{html.escape(text)}</a>"


def step(index: int, result: CallResult, opened: set[int], tokens: Tokens) -> str:
    """One quiet line for a call; opened, its arguments and result."""
    name, arguments = tool_of(result)
    arrow = "▾" if index in opened else "▸"
    time = f"{result.seconds * 1000:.0f} ms"
    word = "Failed" if result.failed else {"get_widget_data": "Sent"}.get(result.function, "Computed")
    line = (
        f"<a href='step:{index}' style='color:{tokens.faint}'>{arrow}</a> {word}"
        f" <span style='color:{tokens.muted}'>{html.escape(name)} &nbsp; {time}</span>"
    )
    if index in opened:
        body = html.escape(arguments[:2000])
        line += f"<pre style='color:{tokens.muted}; white-space:pre-wrap'>{body}</pre>"
    return line


def tool_of(result: CallResult) -> tuple[str, str]:
    """Return what was run in a word or two, and its result as text to read."""
    try:
        value = json.loads(result.content)
    except ValueError:
        return result.function, result.content
    name = result.function
    if isinstance(value, dict) and "interface" in value:
        name = f"{str(value['interface']).replace('_', ' ')} · {rows_of(int(value.get('matched', 0)))}"
        value = {k: v for k, v in value.items() if v not in (None, [], "")}
    elif isinstance(value, dict) and "error" in value:
        name = str(value["error"])
    return name, json.dumps(value, ensure_ascii=False, indent=1)


def rows_of(count: int) -> str:
    """Return a number of rows in words."""
    return "1 row" if count == 1 else f"{count:,} rows"


def understood(status: Status, tokens: Tokens) -> str:
    """The reading in words, its alternatives as links."""
    details = status.details[0] if status.details and isinstance(status.details[0], dict) else {}
    others = details.get("alternatives") or []
    interpretation = details.get("interpretation") or {}
    asking = interpretation.get("decision") == "ask"
    shown = [] if asking else list(interpretation.get("words") or [])
    links = " &nbsp; ".join(
        f"<a href='alt:{i}'>{html.escape(' · '.join(differing(other, shown)))}?</a>"
        for i, other in enumerate(others[: 3 if asking else 2])
    )
    head, said = (
        ("Did you mean:", "") if asking else ("Understood:", f"{html.escape(status.message)} &nbsp; ")
    )
    return f"<span style='color:{tokens.muted}'>{head}</span> {said}{links}"


def differing(reading: dict[str, Any], shown: list[str]) -> list[str]:
    """Return the words of a reading that another does not have; all if it has them all."""
    words = [str(word) for word in reading.get("words") or []]
    return [word for word in words if word not in shown] or words


def cited(number: int, citation: Citation, tokens: Tokens) -> str:
    """Where a number comes from."""
    where = html.escape(citation.name or "source")
    if citation.cell is not None:
        where += f", row {citation.cell.row + 1:,}, {html.escape(citation.cell.column)}"
    return f"<a href='cite:{number}'>[{number}]</a> <span style='color:{tokens.muted}'>{where}: {html.escape(str(citation.value))}</span>"


def ending(ended: Ended, tokens: Tokens) -> list[tuple[Kind, str]]:
    """How it ended, if not well, and what can be done with the answer."""
    made: list[tuple[Kind, str]] = []
    if ended.state != "done":
        text = html.escape(f"{ended.text} {ended.remedy}".strip())
        colour = tokens.muted if ended.state == "stopped" else tokens.danger
        made.append(
            (
                "state",
                f"<span style='color:{colour}'>{text}</span> &nbsp; <a href='act:again'>Send again</a>",
            )
        )
    else:
        grey = f"style='color:{tokens.faint}'"
        made.append(
            (
                "actions",
                f"<a {grey} href='act:copy'>Copy</a> &nbsp;&nbsp; <a {grey} href='act:again'>Try again</a>",
            )
        )
    return made
