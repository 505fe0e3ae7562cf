"""The actions of an answer's links: showing a cell, a page, a chart, another interpretation or a
web page.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication

from app.documents.passages import Box
from app.domain.events import Artifact, Citation, Citations, CitedPassage, QuoteBox, Status
from app.ui.chat.artifacts import artifact_at
from app.ui.controls import message_boxes
from app.ui.controls.actions import (
    Ask,
    ChangeAnswer,
    Cite,
    OpenAddress,
    OpenArtifact,
    OpenPage,
    OpenSettings,
    OpenWorkflow,
    Rate,
    Reinterpret,
    SaveTable,
    TakeArtifact,
    TakeTable,
)
from app.ui.theme.i18n import tr

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.ui.controls.actions import Action, Deed, Way
    from app.ui.copilots.controller import CopilotController
    from app.ui.dashboard.board import Board
    from app.ui.main.code import CodeView
    from app.ui.main.conversation_workflows import ConversationWorkflows
    from app.ui.main.conversations import OpenChat
    from app.ui.settings.preferences import Preferences


class LinkController:
    """Runs the actions of links in one session's answers."""

    def __init__(
        self,
        session: OpenChat,
        board: Board,
        code: CodeView,
        copilots: CopilotController,
        preferences: Preferences,
        workflows: ConversationWorkflows,
    ) -> None:
        self._session = session
        self._board = board
        self._code = code
        self._copilots = copilots
        self._preferences = preferences
        self._workflows = workflows

    def follow(self, turn: Turn, action: Action) -> None:
        """Run the action of a link in an answer."""
        session = self._session
        match action:
            case Cite(number):
                self.reveal(turn, number)
            case Reinterpret(alternative):
                self._ask_alternative(turn, alternative)
            case OpenArtifact():
                self._show_artifact(artifact_at(turn, action))
            case OpenPage():
                self._code.show_page(turn, action)
            case TakeArtifact():
                self._take(action.way, artifact_at(turn, action))
            case TakeTable(way, piece):
                self._take(way, session.window.view.chart(turn, piece))
            case SaveTable(piece):
                self._board.exports.save_rows(session.window.view.table(turn, piece))
            case OpenWorkflow(item):
                self._workflows.open(turn, item)
            case Ask(text):
                session.submit(text)
            case Rate(vote):
                self._copilots.rate(turn, vote)
            case ChangeAnswer(deed):
                self._change(turn, deed)
            case OpenSettings(page):
                self._preferences.mend(page)
            case OpenAddress(url):
                message_boxes.ask_to_leave(session.window, url)
            case _:
                pass

    def act_on_last(self, deed: Deed) -> None:
        """Run an action on the last answer."""
        if self._session.turns:
            self._change(self._session.turns[-1], deed)

    def _show_artifact(self, artifact: Artifact | None) -> None:
        if artifact is not None:
            self._session.window.dashboard.show()
            self._board.show_chart(artifact)

    def _take(self, way: Way, artifact: Artifact | None) -> None:
        if artifact is not None:
            self._board.exports.take(way, artifact)

    def _change(self, turn: Turn, deed: Deed) -> None:
        session = self._session
        match deed:
            case "copy":
                QGuiApplication.clipboard().setText(turn.answer())
            case "read":
                session.deskpilot.voice.reader.begin(turn)
            case "again":
                session.begin(turn.question, turn.parent, {})
            case "steps":
                self._workflows.open(turn)
            case "edit":
                session.edit(turn)
            case "on":
                session.go_on()
            case "before":
                session.switch(turn, -1)
            case "after":
                session.switch(turn, 1)

    def reveal(self, turn: Turn, number: int, *, wanted: bool = True) -> None:
        """Show the cell of a citation, and tell the user if the table has changed since the answer.

        wanted: whether the user clicked the citation; if so, filters that hide the cell are
        removed.
        """
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
                tr(
                    "This table is not on a dashboard. Attach its file again (Ctrl+O) to see the "
                    "cell."
                )
            )
            return
        stale = session.deskpilot.widgets.sources.is_stale(
            citation.widget, citation.cell.source_hash
        )
        if citation.cell.source_hash and stale:
            session.notice(
                tr(
                    "The table has changed since this answer; the cell may now hold a different "
                    "value."
                )
            )
        self._board.reveal(citation.widget, citation.cell, wanted=wanted)

    def _show_source(self, turn: Turn, citation: Citation) -> None:
        """Show the source of a citation that has no cell: a page, a website, an artifact or a
        widget.
        """
        passage = citation.passage
        if passage is not None:
            self._session.do(f"cited {passage.path}", self._show_document(citation, passage))
        elif citation.quotes:
            self._session.window.dashboard.show()
            self._board.show_quotes(citation)
        elif citation.url:
            message_boxes.ask_to_leave(self._session.window, citation.url)
        elif citation.kind == "artifact":
            drawn = [i for i in turn.items if isinstance(i, Artifact) and i.uuid == citation.widget]
            if drawn and drawn[0].chart is not None:
                self._session.window.dashboard.show()
                self._board.show_chart(drawn[0])
        elif citation.widget in self._session.deskpilot.widgets:
            self._session.do(f"cited {citation.widget}", self._show_widget(citation))
        else:
            self._session.notice(tr("This source is not on a dashboard."))

    async def _show_widget(self, citation: Citation) -> None:
        """Show a widget; if the copilot did not give the positions of the quotes, search for them.

        Raises: DeskpilotError.
        """
        deskpilot, page, quote = self._session.deskpilot, citation.page(), citation.quote()
        widget = deskpilot.widgets.get(citation.widget)
        found = list[Box]()
        if widget.type == "pdf" and page and quote:
            found = await deskpilot.documents.quote_boxes(widget.path, page, quote)
        boxes = [QuoteBox(page, *box) for box in found]
        self._session.window.dashboard.show()
        self._board.show_source(citation, boxes)

    async def _show_document(self, citation: Citation, passage: CitedPassage) -> None:
        """Open the page of a passage and highlight its text; tell the user if the document has
        changed since the answer.

        Raises: DeskpilotError.
        """
        current = await self._session.deskpilot.documents.current_hash(passage.path)
        if current and current != passage.hash:
            self._session.notice(
                tr("The document has changed since this answer; the passage may be elsewhere.")
            )
        self._session.window.dashboard.show()
        boxes = [box for quote in citation.quotes for box in quote]
        await self._board.show_passage(passage.path, passage.page, passage.quote, boxes)

    def show_passage(self, path: str, page: int, quote: str) -> None:
        """Open a document at a page and highlight a quote on it."""
        self._session.do(f"open {path}", self._open_passage(path, page, quote))

    async def _open_passage(self, path: str, page: int, quote: str) -> None:
        found = await self._session.deskpilot.documents.quote_boxes(path, page, quote)
        boxes = [QuoteBox(page, *box) for box in found]
        self._session.window.dashboard.show()
        await self._board.show_passage(path, page, quote, boxes)

    def _ask_alternative(self, turn: Turn, index: int) -> None:
        for item in turn.items:
            if isinstance(item, Status) and item.reading is not None:
                others = item.reading.alternatives
                if index < len(others):
                    self._session.learn(others[index])
                    wire = json.dumps(others[index].wire)
                    options: dict[str, object] = {"deskpilot-reading": wire}
                    # sent after the last turn, so that no turn is hidden
                    last = self._session.turns[-1].id
                    self._session.begin(turn.question, last, options)
                return
