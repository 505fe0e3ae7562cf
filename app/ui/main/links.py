"""Where the links of a conversation lead: to a cell, a page, a chart, another reading, the web."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QGuiApplication

from app.domain.events import Artifact, Citation, Citations, Status
from app.ui.chat.blocks.artifacts import artifact_at
from app.ui.main import boxes
from app.ui.words import tr
from app.ui.workflows.conversation import ConversationWorkflows

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.ui.main.session import Session


class Links:
    """Follows the links of one session's answers."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.flows = ConversationWorkflows(session)

    def follow(self, turn: Turn, link: str) -> None:
        """Do what a link of the conversation says."""
        session, board = self._session, self._session.board
        kind, _, rest = link.partition(":")
        if kind == "cite":
            self.reveal(turn, int(rest))
        elif kind == "alt":
            self._ask_alternative(turn, int(rest))
        elif kind == "art" and (artifact := artifact_at(turn, rest)) is not None:
            session.window.dashboard.show()
            board.show_chart(artifact)
        elif kind == "page" and rest.isdigit():
            session.coding.show_page(turn, int(rest))
        elif kind in ("pin", "csv") and (artifact := artifact_at(turn, rest)) is not None:
            board.exports.take(kind, artifact)
        elif kind == "flow":
            self.flows.open(turn, int(rest))
        elif kind == "save":
            board.exports.save_rows(session.window.view.table(turn, int(rest)))
        elif kind == "ask":
            session.submit(rest)
        elif kind == "rate":
            session.copilots.rate(turn, rest)
        elif kind == "act":
            self._act(turn, rest)
        elif kind in ("http", "https"):
            boxes.ask_to_leave(session.window, link)

    def act_on_last(self, what: str) -> None:
        """Do something of what stands below an answer with the last one."""
        if self._session.turns:
            self._act(self._session.turns[-1], what)

    def _act(self, turn: Turn, what: str) -> None:
        """Do what stands below an answer."""
        session = self._session
        if what == "copy":
            QGuiApplication.clipboard().setText(turn.answer())
        elif what == "read":
            session.deskpilot.voice.reader.begin(turn)
        elif what == "again":
            session.begin(turn.question, turn.parent, {})
        elif what == "steps":
            self.flows.open(turn)
        elif what == "edit":
            session.edit(turn)
        elif what.startswith("settings."):
            session.preferences.mend(what.removeprefix("settings."))
        elif what == "on":
            session.go_on()
        elif what in ("before", "after"):
            session.switch(turn, 1 if what == "after" else -1)

    def reveal(self, turn: Turn, number: int) -> None:
        """Show the cell of a citation; say so if its table has changed since."""
        session = self._session
        found: list[Citation] = [
            c for i in turn.items if isinstance(i, Citations) for c in i.citations
        ]
        if not 1 <= number <= len(found):
            return
        citation = found[number - 1]
        if citation.cell is None:
            self._show_source(turn, citation)
            return
        session.window.dashboard.show()
        if citation.widget not in session.deskpilot.widgets:
            session.notice(
                tr("This table is on no dashboard. Attach its file again (Ctrl+O) to see the cell.")
            )
            return
        stale = session.deskpilot.widgets.sources.is_stale(
            citation.widget, citation.cell.source_hash
        )
        if citation.cell.source_hash and stale:
            session.notice(
                tr("The table has changed since this answer; the cell may hold another value now.")
            )
        session.board.reveal(citation.widget, citation.cell)

    def _show_source(self, turn: Turn, citation: Citation) -> None:
        """Show the page, the site, the artifact or the widget of a citation that names no cell."""
        place = citation.details[0] if citation.kind == "document" and citation.details else None
        if place is not None:
            self._session.do(f"cited {place['path']}", self._show_document(citation, place))
        elif citation.quotes:
            self._session.window.dashboard.show()
            self._session.board.show_quotes(citation)
        elif citation.url:
            boxes.ask_to_leave(self._session.window, citation.url)
        elif citation.kind == "artifact":
            drawn = [i for i in turn.items if isinstance(i, Artifact) and i.uuid == citation.widget]
            if drawn and drawn[0].chart is not None:
                self._session.window.dashboard.show()
                self._session.board.show_chart(drawn[0])
        elif citation.widget in self._session.deskpilot.widgets:
            self._session.do(f"cited {citation.widget}", self._show_widget(citation))
        else:
            self._session.notice(tr("What this names is on no dashboard."))

    async def _show_widget(self, citation: Citation) -> None:
        """Show a widget; words it quotes are looked for where a copilot did not say where they
        stand.

        Raises: DeskpilotError.
        """
        deskpilot, page, quote = self._session.deskpilot, citation.page(), citation.quote()
        widget = deskpilot.widgets.get(citation.widget)
        found = list[list[float]]()
        if widget.type == "pdf" and page and quote:
            found = await deskpilot.documents.quote_boxes(widget.path, page, quote)
        sides = ("x0", "top", "x1", "bottom")
        boxes = [{"page": page, **dict(zip(sides, box, strict=True))} for box in found]
        self._session.window.dashboard.show()
        self._session.board.show_source(citation, boxes)

    async def _show_document(self, citation: Citation, place: dict[str, Any]) -> None:
        """Open the page of a passage, its words marked; a document that has changed since is told.

        Raises: DeskpilotError.
        """
        current = await self._session.deskpilot.documents.current_hash(place["path"])
        if current and current != place["hash"]:
            self._session.notice(
                tr("The document has changed since this answer; the passage may stand elsewhere.")
            )
        self._session.window.dashboard.show()
        boxes = [box for quote in citation.quotes for box in quote]
        await self._session.board.show_passage(place["path"], place["page"], place["quote"], boxes)

    def show_passage(self, path: str, page: int, quote: str) -> None:
        """Open a document at a page, a quote marked."""
        self._session.do(f"open {path}", self._open_passage(path, page, quote))

    async def _open_passage(self, path: str, page: int, quote: str) -> None:
        sides = ("x0", "top", "x1", "bottom")
        found = await self._session.deskpilot.documents.quote_boxes(path, page, quote)
        boxes = [{"page": page, **dict(zip(sides, box, strict=True))} for box in found]
        self._session.window.dashboard.show()
        await self._session.board.show_passage(path, page, quote, boxes)

    def _ask_alternative(self, turn: Turn, index: int) -> None:
        for item in turn.items:
            if isinstance(item, Status) and item.details and isinstance(item.details[0], dict):
                others = item.details[0].get("alternatives") or []
                if index < len(others):
                    self._session.learn(others[index])
                    options: dict[str, object] = {"deskpilot-reading": json.dumps(others[index])}
                    self._session.begin(turn.question, turn.id, options)
                return
