"""What the window does: joins its signals to the services. Not a widget, so it may await."""

from __future__ import annotations

import json
import time
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QPoint
from PySide6.QtGui import QGuiApplication

from app.domain.errors import DeskpilotError
from app.domain.events import Artifact, Call, CallResult, Citation, Citations, Ended, Status
from app.domain.stream import Chunk
from app.services.dashboard.costs import Costs
from app.services.turns import offer_for
from app.services.widgets import VIEWS
from app.ui import boxes
from app.ui.chat.blocks.artifacts import artifact_at
from app.ui.copilots.choosing import Choosing
from app.ui.dashboard.board import Board
from app.ui.dashboard.living.answer_chart import ANSWER
from app.ui.settings.preferences import Preferences
from app.ui.voice.voice import Voice

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from app.domain.conversation import Turn
    from app.domain.events import Item
    from app.services.deskpilot import Deskpilot
    from app.ui.window import Window

SAMPLE = "us_macro.csv"  # the table the examples of the first page ask about


class Session(QObject):
    """The open conversation of one window."""

    def __init__(self, window: Window, deskpilot: Deskpilot) -> None:
        super().__init__(window)
        self.window = window
        self.deskpilot = deskpilot
        self.conversation_id: str | None = None
        self.turns: list[Turn] = []
        self.running: Turn | None = None
        self._busy = self._stopped = False
        self._queue: list[str] = []
        self.copilots = Choosing(window, deskpilot, self._do, self.notice)
        self._costs = Costs(deskpilot.widgets)
        self.board = Board(window.dashboard, deskpilot, self._do)
        self.voice = Voice(window, deskpilot, self._do, self.submit)
        self.preferences = Preferences(window, deskpilot, self._do, self.copilots.talks_at)
        deskpilot.turns.subscribe(self._on_item)
        deskpilot.widgets.subscribe(self._on_widgets)
        window.composer.submitted.connect(self.submit)
        window.composer.stopped.connect(self.stop)
        window.composer.files.connect(self.attach_files)
        window.composer.attach_wanted.connect(self.choose_files)
        window.composer.attached.connect(lambda uid: self.board.set_context(uid, True))
        window.composer.detached.connect(lambda uid: self.board.set_context(uid, False))
        window.dashboard_sized.connect(self.board.set_width)
        window.dashboard.carried.connect(self._on_carried)
        window.dashboard.tabs.file_wanted.connect(self.choose_files)
        self.board.live.linked.connect(lambda link: boxes.ask_to_leave(window, link))
        window.sidebar.new_wanted.connect(self.new_chat)
        window.sidebar.opened.connect(self.open_chat)
        window.sidebar.delete_wanted.connect(self.delete_chat)
        window.view.linked.connect(self.follow)
        for button in window.welcome.examples:
            button.clicked.connect(lambda _=False, pressed=button: self.submit(pressed.text()))

    def start(self) -> None:
        """Bring back the last session; on the first run open the sample table."""
        self._do("restore", self._restore())

    def submit(self, text: str) -> None:
        """Ask; while an answer comes, the question waits its turn."""
        if self._busy:
            self._queue.append(text)
            self.window.composer.set_waiting(self._queue)
        else:
            self._begin(text, self.turns[-1].id if self.turns else None, {})

    def stop(self) -> None:
        """Stop the voice and the answer that comes; what waited behind it goes back where it was typed."""
        self.voice.stop()
        self.window.composer.take_back(self._queue)
        self._queue.clear()
        self.window.composer.set_waiting(self._queue)
        running = self.running is not None and self.deskpilot.turns.stop(self.running.id)
        self._stopped = self._busy and not running  # the question is still on its way

    def again(self) -> None:
        """Ask the last question once more, as a branch beside it."""
        if self.turns:
            self._begin(self.turns[-1].question, self.turns[-1].parent, {})

    def copy_last(self) -> None:
        """Copy the words of the last answer."""
        if self.turns:
            QGuiApplication.clipboard().setText(self.turns[-1].answer())

    def read_last(self) -> None:
        """Read the last answer aloud."""
        if self.turns:
            self.deskpilot.voice.reader.begin(self.turns[-1])

    def new_chat(self) -> None:
        """Begin a conversation; it is kept once something was asked."""
        self.stop()
        self.conversation_id, self.turns = None, []
        self._show_turns()
        self._do("list", self._list())
        self.window.composer.editor.setFocus()

    def open_chat(self, conversation_id: str) -> None:
        """Open a conversation."""
        self.stop()
        self._do("open", self._open(conversation_id))

    def delete_chat(self, conversation_id: str) -> None:
        """Remove a conversation."""
        if conversation_id == self.conversation_id:
            self.new_chat()
        self._do("delete", self._delete(conversation_id))

    def choose_files(self) -> None:
        """Let the person choose tables."""
        boxes.choose_files(self.window, self.attach_files)

    def attach_files(self, paths: list[str]) -> None:
        """Open files as widgets and attach them."""
        self._do(f"attach {paths}", self.board.add(paths))

    def follow(self, turn: Turn, link: str) -> None:
        """Do what a link of the conversation says."""
        kind, _, rest = link.partition(":")
        if kind == "cite":
            self.reveal(turn, int(rest))
        elif kind == "alt":
            self._ask_alternative(turn, int(rest))
        elif kind == "art" and (artifact := artifact_at(turn, rest)) is not None:
            self.window.dashboard.show()
            self.board.show_chart(artifact)
        elif kind in ("pin", "csv") and (artifact := artifact_at(turn, rest)) is not None:
            self.board.exports.take(kind, artifact)
        elif kind == "ask":
            self.submit(rest)
        elif link == "act:copy":
            QGuiApplication.clipboard().setText(turn.answer())
        elif link == "act:read":
            self.deskpilot.voice.reader.begin(turn)
        elif link == "act:again":
            self._begin(turn.question, turn.parent, {})
        elif kind in ("http", "https"):
            boxes.ask_to_leave(self.window, link)

    def reveal(self, turn: Turn, number: int) -> None:
        """Show the cell of a citation; say so if its table has changed since."""
        found: list[Citation] = [c for i in turn.items if isinstance(i, Citations) for c in i.citations]
        if not 1 <= number <= len(found):
            return
        citation = found[number - 1]
        if citation.cell is None:
            if citation.quotes:
                self.window.dashboard.show()
                self.board.show_quotes(citation)
            elif citation.url:
                boxes.ask_to_leave(self.window, citation.url)
            return
        self.window.dashboard.show()
        if self.deskpilot.widgets.sources.is_stale(citation.widget, citation.cell.source_hash):
            self.notice("The table has changed since this answer; the cell may hold another value now.")
        self.board.reveal(citation.widget, citation.cell)

    def notice(self, text: str) -> None:
        """Tell something in a box that does not stop the window."""
        boxes.tell(self.window, text)

    def _ask_alternative(self, turn: Turn, index: int) -> None:
        for item in turn.items:
            if isinstance(item, Status) and item.details and isinstance(item.details[0], dict):
                others = item.details[0].get("alternatives") or []
                if index < len(others):
                    self._do("learn", self.deskpilot.corrections.learn(others[index]))
                    self._begin(turn.question, turn.id, {"deskpilot-reading": json.dumps(others[index])})
                return

    async def _restore(self) -> None:
        widgets = self.deskpilot.widgets
        await self.copilots.restore()
        await self.preferences.restore()
        await self.deskpilot.voice.choices.load()
        self.voice.restored()
        await self.deskpilot.dashboard.restore()
        self.window.set_dashboard_width(self.deskpilot.dashboard.width)
        await widgets.restore()
        await self.deskpilot.live.clean()
        conversations = await self.deskpilot.history.conversations()
        if not widgets.all() and not conversations:
            await self.deskpilot.dashboard.show_sample(Path(str(files("resources") / "samples")))
        if conversations:
            await self._open(conversations[0].id)
        else:
            await self._list()
        await self.deskpilot.service.address()

    def _begin(self, text: str, parent: str | None, options: dict[str, object]) -> None:
        """Ask, unless an answer is coming; from here on the session is busy."""
        if not self._busy:
            self._busy, self._stopped = True, False
            self._do("ask", self._ask(text, parent, options))

    async def _ask(self, text: str, parent: str | None, options: dict[str, object]) -> None:
        deskpilot, find = self.deskpilot, self.copilots.find()
        if self.conversation_id is None:
            self.conversation_id = (await deskpilot.history.begin(text)).id
            await self._list()
        turn = deskpilot.turns.new_turn(self.conversation_id, text, parent)
        before = list(self.turns)
        self.turns.append(turn)
        self.running = turn
        self.window.show_conversation(empty=False)
        self.window.composer.set_answering(True)
        self.window.view.add_turn(turn)
        await deskpilot.widgets.opened()
        options = options | await self.copilots.options()
        attached = [w.uuid for w in deskpilot.widgets.attached()]
        offer = offer_for(deskpilot.widgets, attached, options=options, boards=deskpilot.boards)
        deskpilot.turns.ask(before, turn, find, offer)
        if self._stopped:
            deskpilot.turns.stop(turn.id)

    async def _open(self, conversation_id: str) -> None:
        self.conversation_id = conversation_id
        self.turns = await self.deskpilot.history.open(conversation_id)
        self._show_turns()
        await self._list()

    async def _list(self) -> None:
        found = await self.deskpilot.history.conversations()
        self.window.sidebar.show_conversations(found, self.conversation_id)

    async def _delete(self, conversation_id: str) -> None:
        await self.deskpilot.history.delete(conversation_id)
        await self._list()

    def _show_turns(self) -> None:
        self.window.view.set_turns(self.turns)
        self.window.show_conversation(empty=not self.turns)

    def _on_item(self, turn: Turn, item: Item) -> None:
        took = f"{time.time() - turn.created_at:.1f} s" if isinstance(item, Ended) else ""
        if isinstance(item, Chunk | Status | Call | CallResult | Citations | Ended | Artifact):
            self.window.view.touch(turn, took)
        if isinstance(item, Artifact):
            self.board.show_chart(item)
        if isinstance(item, Citations) and item.shows_a_cell() and self.window.dashboard.isVisible():
            self.reveal(turn, 1)  # who hid the dashboard presses the citation to have it back
        if isinstance(item, Ended):
            self.running, self._busy = None, False
            self.window.composer.set_answering(False)
            if self._queue:
                following = self._queue.pop(0)
                self.window.composer.set_waiting(self._queue)
                self.submit(following)

    def _on_carried(self, uid: str, point: QPoint) -> None:
        """Let a widget that was dragged onto the conversation go along with questions."""
        chat = self.window.chat
        if uid != ANSWER and chat.rect().contains(chat.mapFromGlobal(point)):
            self.board.set_context(uid, True)

    def _on_widgets(self) -> None:
        widgets = self.deskpilot.widgets
        counts = {
            w.uuid: widgets.sources.source(w.uuid).profile.rows
            for w in widgets.attached()
            if widgets.is_open(w.uuid)
        }
        self.window.composer.set_widgets([w for w in widgets.all() if w.type not in VIEWS])
        self.window.composer.set_attached(widgets.attached(), counts)
        self._do("costs", self._costs.tell(self.window.composer.set_costs))
        self.window.welcome.set_sample(
            any(w.path and Path(w.path).name == SAMPLE for w in widgets.attached())
        )

    def _do(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        async def guarded() -> None:
            try:
                await work
            except DeskpilotError as error:
                self._busy = self.running is not None
                self.notice(str(error))

        task = self.deskpilot.tasks.start(f"window {name}", guarded())
        task.add_done_callback(lambda _: work.close())  # it may have been replaced before it began
