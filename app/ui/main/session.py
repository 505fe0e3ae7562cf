"""The session of a window: its open conversation, which is connected with the services, and the
search in that conversation.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from app.domain.conversation import Thread, is_temporary
from app.domain.copilot import Instructions, RequestOffer
from app.domain.errors import DeskpilotError
from app.domain.events import Citations, Ended
from app.domain.settings import INSTRUCTIONS
from app.services.conversation.history import TRASH_DAYS
from app.services.conversation.turns import offer_for, refused
from app.ui.chat.charts import charts
from app.ui.chat.places import count_in
from app.ui.controls import message_boxes
from app.ui.copilots.controller import CopilotController
from app.ui.dashboard.board import Board
from app.ui.main.attachments import ContextController
from app.ui.main.code import CodeView, ConsentQuestions
from app.ui.main.conversation_workflows import ConversationWorkflows
from app.ui.main.conversations import Chats
from app.ui.main.drafts import Drafts, QuestionQueue, QueuedQuestion
from app.ui.main.help import HelpWindow
from app.ui.main.links import LinkController
from app.ui.models.picker import ModelPicking
from app.ui.settings.preferences import Preferences
from app.ui.settings.window import MODELS
from app.ui.theme.i18n import place_for, told, tr
from app.ui.voice.voice import VoiceController

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from app.domain.conversation import Conversation, Draft, Turn
    from app.domain.events import Item, Reading
    from app.services.deskpilot import Deskpilot
    from app.services.tasks import Do
    from app.services.voice.talk import Begun
    from app.ui.controls.actions import Action
    from app.ui.main.window import MainWindow


class FindController:
    """Connects the find bar with the conversation. do: a function that starts a named task and
    shows its errors.
    """

    def __init__(self, session: WindowSession, do: Do) -> None:
        self._session, self._do = session, do
        # for each match: the row of its turn, and its index in the turn
        self._places: list[tuple[int, int]] = []
        self._at = -1
        self._words = ""
        self._from: int | None = None

    def begin(self, words: str = "", row: int | None = None) -> None:
        """Show the find bar. words: the text to find. row: the turn at which to start."""
        self._from = row
        bar = self._session.window.finder
        if not bar.property("joined"):
            bar.setProperty("joined", True)
            bar.wanted.connect(lambda text: self._do("find", self._find(text)))
            bar.stepped.connect(self.step)
            bar.closed.connect(self._leave)
        bar.begin(words)

    async def _find(self, text: str) -> None:
        turns, self._words = list(self._session.turns), text.strip()
        if self._words:
            await self._session.deskpilot.history.read(turns)
            self._session.window.view.show_read()
        counts = [count_in(turn, self._words) if self._words else 0 for turn in turns]
        self._places = [
            (row, number) for row, count in enumerate(counts) for number in range(count)
        ]
        self._at = -1
        self._session.window.view.mark_found(self._words)
        begin, self._from = self._from, None
        here = [n for n, (row, _) in enumerate(self._places) if begin is not None and row >= begin]
        if here:
            self._at = here[0] - 1
            self.step(1)
        elif self._places:
            self.step(-1)  # the most recent match is the most likely to be the one wanted
        else:
            self._session.window.finder.tell(0, 0)

    def step(self, by: int) -> None:
        """Show the next or previous match, wrapping around at the ends."""
        if not self._places:
            return
        first = len(self._places) - 1 if by < 0 else 0
        self._at = first if self._at < 0 else (self._at + by) % len(self._places)
        row, number = self._places[self._at]
        self._session.window.view.show_found(row, number)
        self._session.window.finder.tell(self._at + 1, len(self._places))

    def end(self) -> None:
        """Close the find bar, because another chat is shown."""
        if self._words:
            self._session.window.finder.hide()
            self._places, self._words = [], ""
            self._session.window.view.mark_found("")

    def _leave(self) -> None:
        self._places, self._words = [], ""
        self._session.window.view.mark_found("")
        self._session.window.view.setFocus()


def last_open(conversations: list[Conversation], draft: Draft | None) -> str | None:
    """Return the conversation that was open last: the one in which the user typed after the last
    answer or, failing that, the latest one.

    Return None if that conversation had not begun. conversations: the latest one first. draft: the
    latest draft.
    """
    if draft is not None and draft.written_at > conversations[0].updated_at:
        if not draft.conversation_id:
            return None
        if any(one.id == draft.conversation_id for one in conversations):
            return draft.conversation_id
    return conversations[0].id


GO_ON = "Go on."
# number of turns loaded when a found turn is shown at the top, or at the end of a branch
FOUND_TURNS = 24


class WindowSession(QObject):
    """The session of a window with its open conversation."""

    def __init__(self, window: MainWindow, deskpilot: Deskpilot) -> None:
        super().__init__(window)
        self.window = window
        self.deskpilot = deskpilot
        self.conversation_id: str | None = None
        self.chat = Thread([])
        self._temporary = self.reopened = False
        self._instructions = ""  # the instructions for this chat, saved with it once it has begun
        self.running: Turn | None = None
        self._busy = self._stopped = False
        self._starting = True  # True until the last session is restored
        self._loading = False  # whether the open conversation is still being loaded
        self._queue = QuestionQueue(window.composer, self._stop_answer, self._waits_for)
        self.copilots = CopilotController(
            window,
            window.topbar.copilot,
            window.composer,
            deskpilot.history,
            deskpilot.widgets,
            deskpilot.copilots,
            deskpilot.choice,
            deskpilot.corrections,
            deskpilot.belt,
            self.do,
            self.notice,
        )
        self.board = Board(window.dashboard, deskpilot, self.do)
        charts().draw = self.board.painter.draw
        self.board.painter.ended.connect(charts().end)
        self.context = ContextController(
            window,
            deskpilot.widgets,
            deskpilot.dashboard,
            deskpilot.attachments,
            deskpilot.skills,
            deskpilot.documents,
            deskpilot.pages,
            self.board,
            self.do,
        )
        self.context.is_temporary = lambda: self._temporary
        self.drafts = Drafts(
            window.composer,
            deskpilot.history,
            lambda: self.conversation_id,
            lambda: self._temporary,
            lambda: self._queue.texts,
            self.do,
            window.early,
        )
        self._queue.changed = self.drafts.keep
        window.sidebar.list.draft_of = self.drafts.of
        for text in window.early.hand_over(lambda: self._queue.texts) if window.early else []:
            self._queue.put(QueuedQuestion(text))
        self.chats = Chats(self, self.do)
        self.finding = FindController(self, self.do)
        self.voice = VoiceController(
            window,
            window.composer,
            window.view,
            deskpilot.widgets,
            deskpilot.settings,
            deskpilot.models,
            deskpilot.tasks,
            deskpilot.sound,
            deskpilot.voice,
            self.do,
            self.submit,
        )
        self.allowing = ConsentQuestions(window, deskpilot.dashboard.consents)
        self.coding = CodeView(
            window, deskpilot.turns, deskpilot.widgets, deskpilot.dashboard, deskpilot.live, self.do
        )
        self.preferences = Preferences(window, deskpilot, self.do, self.copilots.talks_at)
        self.links = LinkController(
            self,
            self.board,
            self.coding,
            self.copilots,
            self.preferences,
            ConversationWorkflows(self, self.chats),
        )
        self._help: HelpWindow | None = None
        self.models = ModelPicking(
            window.topbar.model,
            window.topbar.context,
            deskpilot.settings,
            deskpilot.models,
            self.do,
        )
        deskpilot.models.subscribe(self.models.read)
        self.copilots.ours_changed.connect(self.models.set_ours)
        self.copilots.host_changed.connect(window.set_host)
        self.copilots.rated.connect(window.view.refresh)
        self._join_preferences(window, deskpilot)
        deskpilot.turns.subscribe(self._on_item)
        deskpilot.widgets.subscribe(self._on_widgets)
        self.board.unread.connect(self._queue.give_back)
        window.composer.submitted.connect(self.submit)
        window.composer.stopped.connect(self.stop)
        window.dashboard_sized.connect(self.board.set_width)
        self.board.live.passage_wanted.connect(window.passage_wanted)
        self.board.live.asking_wanted.connect(window.asking_wanted)
        self.board.live.linked.connect(lambda link: message_boxes.ask_to_leave(window, link))
        window.sidebar.new_wanted.connect(self.new_chat)
        window.passage_wanted.connect(self.links.show_passage)
        window.asking_wanted.connect(self.context.ask_about)
        window.composer.edited.connect(self._ask_edited)
        window.composer.editor.edit_wanted = self.edit
        window.view.pressed.connect(self.follow)
        window.view.reading_wanted.connect(self._read)
        window.view.clicked.connect(self._after_click)
        for button in window.welcome.examples:
            button.clicked.connect(
                lambda _=False, pressed=button: self._ask_example(pressed.question)
            )

    def _join_preferences(self, window: MainWindow, deskpilot: Deskpilot) -> None:
        """Connect the settings and the help window with the bars and the window."""
        preferences, offering = self.preferences, self.preferences.offering
        window.topbar.model.all_wanted.connect(lambda: preferences.show_models())
        window.topbar.model.wanted.connect(preferences.show_models)
        window.topbar.model.search_wanted.connect(preferences.search_models)
        window.sidebar.settings_wanted.connect(lambda: preferences.open("appearance"))
        window.sidebar.models_wanted.connect(lambda: preferences.open(MODELS))
        window.sidebar.embedders_wanted.connect(preferences.show_embedders)
        window.sidebar.help_wanted.connect(self.open_help)
        preferences.replayed.connect(window.replayed)
        preferences.passage_wanted.connect(window.passage_wanted)
        preferences.asking_wanted.connect(window.asking_wanted)
        offering.starters_offered.connect(window.set_starters)
        offering.offered.connect(window.welcome.add_below)
        offering.larger_offered.connect(window.dock)
        offering.left.connect(window.composer.editor.setFocus)
        window.set_offline(deskpilot.network.is_offline)
        deskpilot.network.subscribe(window.set_offline)

    def open_help(self, page: str = "") -> None:
        """Show the help. page: the page to open."""
        if self._help is None:
            self._help = HelpWindow(self.window)
            self._help.link_wanted.connect(
                lambda link: message_boxes.ask_to_leave(self.window, link)
            )
        self._help.open_at(page)

    @property
    def turns(self) -> list[Turn]:
        """Return the visible turns, oldest first: one branch of the conversation."""
        return self.chat.path

    async def end(self) -> None:
        """Save what the window shows before it closes. Raises: StoreError."""
        self.board.end()
        await self.drafts.aclose()

    def reopen(self) -> None:
        """Close the window and open it again with the saved state."""
        self.reopened = True
        self.window.leave_wanted.emit()

    def start(self) -> None:
        """Restore the last session; on the first run, open the sample table."""
        self.do("restore", self._bring_back())
        if self.deskpilot.note is not None:
            self.notice(told(self.deskpilot.note))
        self.deskpilot.tasks.start("watch documents", self._watch_documents())

    async def _watch_documents(self) -> None:
        """Keep the libraries up to date with the disk.

        Errors of the index are reported where it is used.
        """
        with suppress(DeskpilotError):
            await self.deskpilot.documents.watch(lambda: self.running is not None)

    def submit(self, text: str, begun: Begun | None = None) -> None:
        """Send a question.

        It is queued while an answer is being received, an attached file is being read, or the
        window is starting. begun: a function that is called with the turn.
        """
        if self._busy or self._waits_for():
            self._queue.put(QueuedQuestion(text, begun))
        else:
            self.begin(text, self.turns[-1].id if self.turns else None, {}, begun)

    def _ask_example(self, text: str) -> None:
        self.window.composer.editor.setFocus()  # the button just pressed is about to disappear
        self.submit(text)

    def _after_click(self) -> None:
        """Focus the text field, unless the item that was clicked took the focus."""
        if self.window.focusWidget() is self.window.view:
            self.window.composer.editor.setFocus()

    def _stop_answer(self) -> bool:
        return self.running is not None and self.deskpilot.turns.stop(self.running.id)

    def stop(self) -> None:
        """Cancel editing. If nothing is being edited, stop the voice and the answer, and put queued
        questions back into the text field.
        """
        if self.window.composer.leave_edit():
            return
        self.voice.stop()
        self._queue.give_back()
        running = self._stop_answer()
        self._stopped = self._busy and not running  # the question is still being sent

    def again(self) -> None:
        """Ask the last question again, as another branch."""
        if self.turns and self.turns[-1].is_read:
            self.begin(self.turns[-1].question, self.turns[-1].parent, {})

    def edit(self, turn: Turn | None = None) -> None:
        """Edit a question, by default the last one; the new question becomes another branch."""
        if self.turns:
            turn = turn or self.turns[-1]
            if turn.is_read:
                self.window.composer.begin_edit(turn.id, turn.question)

    def _ask_edited(self, turn_id: str, text: str) -> None:
        turn = next((turn for turn in self.chat.turns if turn.id == turn_id), None)
        if turn is not None and self._busy:
            self.notice(
                tr("An answer is still in progress. Stop it first, or wait for it to finish.")
            )
            self.window.composer.begin_edit(turn_id, text)
        elif turn is not None:
            self.begin(text, turn.parent, {})

    def go_on(self) -> None:
        """Ask the copilot to continue its last answer."""
        if self.turns and not self._busy:
            self.submit(GO_ON)

    def switch(self, turn: Turn | None, step: int) -> None:
        """Show the next (1) or previous (-1) branch of a turn; without a turn, use the last turn
        that has branches.
        """
        branches = self.chat.branches()
        turn = turn or next((t for t in reversed(self.turns) if t.id in branches), None)
        if turn is None or self._busy or not self.chat.switch(turn, step):
            return
        row = self.window.view.flow.row_of(turn)
        self._show_turns(row)
        if self.conversation_id is not None and not is_temporary(self.conversation_id):
            self.do("branch", self.deskpilot.history.show(self.conversation_id, self.turns[-1]))

    def new_chat(self) -> None:
        """Start a conversation; it is not stored until it contains a question."""
        self._leave(temporary=False)
        self.do("list", self.chats.list())

    def new_temporary_chat(self) -> None:
        """Start a conversation that is never stored."""
        self._leave(temporary=True)
        self.do("list", self.chats.list())

    def _leave(self, *, temporary: bool) -> None:
        self._part()
        self.deskpilot.tasks.cancel("window open")  # this stops the loading of the previous chat
        self._loading = False
        self._empty(None, temporary=temporary)
        self._show_turns()
        self.do("attachments", self.deskpilot.attachments.open(None, []))
        self.window.composer.editor.setFocus()

    def open_chat(self, conversation_id: str, turn_id: str = "", found: str = "") -> None:
        """Open a conversation.

        turn_id: the turn to scroll to. found: the text found in that turn. Text and questions typed
        from now on no longer go to the previous conversation.
        """
        self._part()
        if conversation_id != self.conversation_id:
            self._empty(conversation_id, temporary=False)
            self._loading = True
            self.window.show_loading(self.window.sidebar.list.title_of(conversation_id))
        self.do("open", self._load(conversation_id, turn_id, found))

    def _empty(self, conversation_id: str | None, *, temporary: bool) -> None:
        """Switch to another conversation whose turns have not been loaded yet."""
        self.drafts.keep()
        self.conversation_id, self.chat, self._temporary = conversation_id, Thread([]), temporary
        self.drafts.show()
        self._instructions = ""
        self.window.set_temporary(temporary)

    async def _load(self, conversation_id: str, turn_id: str, found: str) -> None:
        """Load a conversation and send the questions queued in the meantime; if it cannot be read,
        start a new one.
        """
        try:
            if self._loading:
                await self.deskpilot.attachments.open(None, [])
            await self._open(conversation_id, turn_id, found)
        except DeskpilotError:
            self.new_chat()
            raise
        self._loading = False
        self._queue.show()
        self._ask_next()

    def _part(self) -> None:
        """Stop all tasks of this conversation; the code of a temporary conversation is deleted."""
        self.finding.end()
        self.window.composer.leave_edit()
        self.preferences.offering.leave()
        self.models.leave()
        self.stop()
        self.deskpilot.attachments.leave()
        if (uid := self.conversation_id) is not None and is_temporary(uid):
            self.do("forget code", self.deskpilot.turns.forget_code(uid))

    def instruct(self) -> None:
        """Ask the user for this chat's instructions, unless it is still being loaded."""
        if self._loading:
            return
        message_boxes.ask_words(
            self.window,
            tr("Instructions for this chat"),
            tr(
                "Sent with every question in this chat, in addition to those in the settings. "
                "Answers from tables and documents don't follow them, nor does the starter model."
            ),
            self._instructions,
            lambda text: self.do("instruct", self._instruct(text)),
        )

    async def _instruct(self, text: str) -> None:
        self._instructions = text.strip()
        uid = self.conversation_id
        if uid is not None and not is_temporary(uid):
            await self.deskpilot.history.instruct(uid, text)

    async def _instructed(self, offer: RequestOffer) -> RequestOffer:
        """Return a question's attachments with the instructions from the settings and from this
        chat.

        Raises: SetupError.
        """
        texts = [await self.deskpilot.settings.get(INSTRUCTIONS), self._instructions]
        told = [Instructions("instructions", text) for text in texts if text]
        return replace(offer, selected=[*told, *offer.selected])

    def attach_files(self, paths: list[str]) -> None:
        """Open files as widgets and attach them."""
        self.context.attach_files(paths)

    def follow(self, turn: Turn, action: Action) -> None:
        """Run the action of a link in an answer."""
        self.links.follow(turn, action)

    def notice(self, text: str) -> None:
        """Show a message box without blocking the window."""
        message_boxes.tell(self.window, text)

    def begin(
        self,
        text: str,
        parent: str | None,
        options: dict[str, object],
        begun: Begun | None = None,
    ) -> None:
        """Send a question as a turn after `parent`, unless an answer is being received.

        The session is then busy until the answer has ended.
        """
        if not self._busy:
            self._busy, self._stopped = True, False
            self.drafts.send(text)
            self.do("ask", self._ask(text, parent, options, begun))

    def learn(self, reading: Reading) -> None:
        """Store which interpretation of a question was meant, unless the chat is temporary."""
        if self.conversation_id is not None and is_temporary(self.conversation_id):
            return
        self.do("learn", self.deskpilot.corrections.learn(reading))

    async def _bring_back(self) -> None:
        try:
            await self._restore()
        finally:
            self._started()

    def _started(self) -> None:
        """Show that the last session has been restored, and send the questions queued in the
        meantime.
        """
        self.window.welcome.restored()
        if self._starting:
            self._starting = False
            self._queue.show()
            self._ask_next()

    async def _restore(self) -> None:
        widgets = self.deskpilot.widgets
        await self.chats.list()
        await self.copilots.restore()
        await self.preferences.restore()
        self.models.read()
        await self.deskpilot.voice.choices.load()
        self.voice.restored()
        await self.deskpilot.dashboard.restore()
        self.window.set_dashboard_width(self.deskpilot.dashboard.width)
        await widgets.place()
        conversations = await self.deskpilot.history.conversations()
        draft = await self.drafts.load()
        if conversations and (uid := last_open(conversations, draft)) is not None:
            await self._open(uid)
        else:
            await self.chats.list()  # list the chats again, now with their drafts
        await self.drafts.begin()
        self.window.welcome.restored()
        self.do("read tables", widgets.read_placed())
        self.do("clean", self.deskpilot.clean())
        if not widgets.all() and not conversations:
            await self.deskpilot.dashboard.show_sample(
                Path(str(files("resources") / "samples")), tr
            )
        self._started()
        await self.deskpilot.history.empty_trash(days=TRASH_DAYS)
        self.deskpilot.meaning.follow(self.deskpilot.turns)
        await self.deskpilot.service.address()

    async def _ask(
        self, text: str, parent: str | None, options: dict[str, object], begun: Begun | None
    ) -> None:
        """Send a question; if there is an error, it goes back into the text field."""
        asked = False
        try:
            asked = await self._put(text, parent, options, begun)
        finally:
            if not asked:
                self._give_back(text)

    def _give_back(self, text: str) -> None:
        turn, self.running, self._busy = self.running, None, False
        self.window.composer.set_answering(False)
        self.window.composer.take_back([text])
        self.drafts.arrived()
        if turn is not None and self.chat.drop(turn):
            self._show_turns()

    async def _put(
        self, text: str, parent: str | None, options: dict[str, object], begun: Begun | None
    ) -> bool:
        """Send a question; return whether it was sent.

        The question is not sent if the user left a new chat before the chat was created.
        """
        deskpilot, find = self.deskpilot, self.copilots.find()
        uid, chat = self.conversation_id, self.chat
        if uid is None:
            chat_made = await deskpilot.history.begin(text, temporary=self._temporary)
            if self.chat is chat:
                self.conversation_id = chat_made.id
                deskpilot.attachments.begin(chat_made.id)
                self.drafts.take_along()
                await self._instruct(self._instructions)
                await self.chats.list()
            if self.chat is not chat or self.conversation_id is None:
                await deskpilot.history.delete(chat_made.id)
                await self.chats.list()
                return False
            uid = chat_made.id
        turn = deskpilot.turns.new_turn(uid, text, parent)
        moved = self.chat.add(turn)
        before = self.turns[:-1]
        self.running = turn
        if begun is not None:
            begun(turn)
        self.window.show_conversation(empty=False)
        self.window.composer.set_answering(True)
        if moved:
            self._show_turns()
        else:
            self.window.view.add_turn(turn)
        with suppress(DeskpilotError):  # the turn reports the error when the question is sent
            await deskpilot.turns.keep(turn)
        self.drafts.arrived()
        await deskpilot.widgets.attached_opened()
        options = options | await self.copilots.options()
        # otherwise, the user has left this conversation
        here = turn.conversation_id == self.conversation_id
        attached = [w.uuid for w in deskpilot.widgets.attached()] if here else []
        try:
            if here:
                attached += [uid for uid in await self.copilots.tables() if uid not in attached]
            await deskpilot.widgets.reread(attached)
            offer = offer_for(deskpilot.widgets, attached, options=options, boards=deskpilot.boards)
            offer = self.copilots.equipped(offer)
            offer = await self._instructed(offer) if here else offer
        # raised if a file is no longer a valid table; the turn reports the error
        except DeskpilotError as error:
            offer, find = RequestOffer(), partial(refused, error)
        deskpilot.turns.ask(before, turn, find, offer)
        if self._stopped:
            deskpilot.turns.stop(turn.id)
        return True

    async def _open(self, conversation_id: str, turn_id: str = "", found: str = "") -> None:
        attachments = self.deskpilot.attachments
        chat = await self.deskpilot.history.thread(conversation_id)
        attached = await attachments.of(conversation_id)
        instructions = (await self.deskpilot.history.get(conversation_id)).instructions
        self.drafts.keep()
        self.chat = chat
        self.conversation_id, self._temporary = conversation_id, False
        self.drafts.show()
        self._instructions = instructions
        self.window.set_temporary(False)
        await attachments.open(conversation_id, attached)
        if turn_id:
            self.chat.show(turn_id)
        row = next((n for n, t in enumerate(self.turns) if turn_id and t.id == turn_id), None)
        if row is not None:
            await self.deskpilot.history.read(self.turns[row : row + FOUND_TURNS])
        self._show_turns(row)
        await self.chats.list()
        if found:
            self.finding.begin(found, row)

    def _read(self, turns: list[Turn]) -> None:
        """Load turns that the view needs and that are still only in the store."""

        async def read() -> None:
            await self.deskpilot.history.read(turns)
            self.window.view.show_read()

        self.do(f"read turns from {turns[0].id}", read())

    def _show_turns(self, row: int | None = None) -> None:
        """Show the branch at its end, or with a turn at the top."""
        if self.turns and not self.turns[-1].is_read:  # not loaded if the branch was left long ago
            self._read([turn for turn in self.turns[-FOUND_TURNS:] if not turn.is_read])
        self.window.view.set_turns(self.turns, self.chat.branches())
        self.window.show_conversation(empty=not self.turns)
        if row is not None:
            self.window.view.to_turn(row)

    def _on_item(self, turn: Turn, item: Item) -> None:
        took = f"{time.time() - turn.created_at:.1f} s" if isinstance(item, Ended) else ""
        self.window.view.touch(turn, took)
        if (
            isinstance(item, Citations)
            and item.shows_a_cell()
            and self.window.dashboard.isVisible()
        ):
            # If the user has hidden the dashboard or filtered out the row, the cell is shown only
            # when the citation is clicked.
            self.links.reveal(turn, 1, wanted=False)
            self.board.answer.bring(turn)
        if isinstance(item, Citations) and item.shows_a_page() and self.voice.has_asked(turn):
            # users who speak their questions do not click anything, so the page opens by itself
            self.links.reveal(turn, 1)
        if isinstance(item, Ended):
            self.running, self._busy = None, False
            self.window.composer.set_answering(False)
            if turn.conversation_id == self.conversation_id:
                self.models.on_ended(turn)
            if not self.copilots.name and turn.conversation_id == self.conversation_id:
                offering, with_data = self.preferences.offering, self.deskpilot.widgets.attached()
                self.do(
                    "offer a larger model",
                    offering.offer_larger(self.turns, with_data=bool(with_data)),
                )
            if not is_temporary(turn.conversation_id):
                self.do("about", self.chats.tell_about(turn.conversation_id))
            self._ask_next()

    def _on_widgets(self) -> None:
        """Send the question that was waiting for files, once they have been read."""
        self._queue.show()
        self._ask_next()

    def _waits_for(self) -> str:
        """Return why no question can be sent now; empty if one can."""
        if self._starting:
            return tr("Will be asked once Deskpilot is ready")
        if self._loading:
            return tr("Will be asked once this chat is loaded")
        files = ", ".join(self.deskpilot.widgets.reading())
        return tr("Will be asked once {files} is read", files=files) if files else ""

    def _ask_next(self) -> None:
        """Send the next queued question, unless something else has to finish first."""
        if self._busy or not self._queue.texts or self._waits_for():
            return
        if (following := self._queue.next()) is not None:
            self.submit(following.text, following.begun)

    def do(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        """Run a named task and show its errors."""

        async def guarded() -> None:
            try:
                await work
            except DeskpilotError as error:
                page, way = place_for(str(error))
                message_boxes.tell(
                    self.window,
                    told(error),
                    tr(way) if page else "",
                    partial(self.preferences.mend, page) if page else None,
                )

        task = self.deskpilot.tasks.start(f"window {name}", guarded())
        # close the work in case the task was replaced before it started
        task.add_done_callback(lambda _: work.close())
