"""The controller of the list of conversations.

The module also defines how other parts of the window access the open conversation.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QDateTime, QLocale, QPoint, QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.domain.errors import DeskpilotError, NoConversation
from app.domain.semantic_search import by_chat, fused
from app.openbb.charts import height_of
from app.services.conversation.exchange import FORMS as TEXTS
from app.services.conversation.exchange import Phrasing
from app.ui.chat.charts import charts
from app.ui.chat.citations import source_words
from app.ui.controls import message_boxes
from app.ui.theme.i18n import told, tr
from app.ui.theme.tokens import CHART_HEIGHT, COLUMN, LIGHT
from backends.paths import store_file

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from app.domain.conversation import Conversation, Thread, Turn
    from app.domain.events import Reading
    from app.services.conversation.exchange import Place
    from app.services.deskpilot import Deskpilot
    from app.services.tasks import Do
    from app.ui.main.window import MainWindow


BACKUP, ALL, FILES = "deskpilot-chats.sqlite", "deskpilot-chats.json", "*.zip *.json"
DENSITY = 2.0  # number of picture pixels per pixel of the page
FORMS = {"md": "Markdown", "html": "HTML", "pdf": "PDF", "json": "JSON"}


class Chats:
    """Connects the sidebar with the conversations. do: a function that starts a named task and
    shows its errors.
    """

    def __init__(self, session: OpenChat, do: Do) -> None:
        self._session, self._do = session, do
        self._history, self._sidebar = session.deskpilot.history, session.window.sidebar
        # the conversations that Undo restores, the last one first
        self._removed: list[Conversation] = []
        self._in_trash = False
        self._meant: set[tuple[str, str]] = set()  # the turns that were found only by meaning
        sidebar, rows = self._sidebar, self._sidebar.list
        sidebar.search_wanted.connect(lambda wanted: do("search", self._search(wanted)))
        sidebar.closed.connect(self._leave_search)
        sidebar.undone.connect(self.undo)
        sidebar.more_wanted.connect(self._show_more)
        rows.opened.connect(self._open)
        rows.trash_wanted.connect(self.trash)
        rows.renamed.connect(lambda uid, title: do(f"rename {uid}", self._rename(uid, title)))
        rows.menu_wanted.connect(lambda uid, at: do("menu", self._show_menu(uid, at)))

    def find(self) -> None:
        """Focus the search field."""
        self._sidebar.show()
        self._sidebar.search.setFocus()
        self._sidebar.search.selectAll()

    async def list(self) -> None:
        """Show the current conversations or, while the trash is open, those in the trash."""
        if self._in_trash:
            self._sidebar.show_trash(await self._history.trashed())
            return
        found = await self._history.conversations()
        self._sidebar.show_conversations(found, self._session.conversation_id)

    async def tell_about(self, uid: str) -> None:
        """Update the line below a conversation's title."""
        try:
            self._sidebar.list.tell_about(await self._history.get(uid))
        # it has been permanently removed in the meantime, so its row is gone, too
        except NoConversation:
            return

    async def _search(self, wanted: str) -> None:
        self._in_trash = False
        found = await self._history.search(wanted)
        self._sidebar.show_found(found, wanted)
        meaning = self._session.deskpilot.meaning
        try:
            meant = await meaning.search(wanted)
        except DeskpilotError as error:
            if self._sidebar.search.text().strip() != wanted:
                return
            self._sidebar.note.tell(tr("Found by keyword only. {why}", why=told(error)))
            return
        if self._sidebar.search.text().strip() != wanted:
            return  # the search has been left or changed in the meantime
        together = fused(found, meant.found)
        self._meant = {
            (one.conversation_id, one.turn_id) for one in together if one.by == "meaning"
        }
        self._sidebar.show_found(together, wanted)
        marked = any(one.by == "meaning" for one in by_chat(together))
        self._sidebar.note.show_meant(meant, marked=marked)
        if meant.read < meant.of:
            meaning.go_on()

    def _leave_search(self) -> None:
        self._session.deskpilot.meaning.forget()
        self.leave_trash()

    def _open(self, uid: str, turn_id: str) -> None:
        if self._in_trash:
            message_boxes.ask_first(
                self._session.window,
                tr("This chat is in the trash. Restore it to read it?"),
                tr("Restore"),
                lambda: self._do(f"back {uid}", self._take_back(uid)),
            )
            return
        by_words = turn_id and (uid, turn_id) not in self._meant
        words = self._sidebar.search.text().split() if by_words else []
        self._session.open_chat(uid, turn_id, " ".join(words))

    def trash(self, uid: str) -> None:
        """Move a conversation to the trash; if it is already there, ask whether it should be
        removed permanently.
        """
        if self._in_trash:
            text = tr("Delete this conversation permanently?")
            message_boxes.ask_first(
                self._session.window,
                text,
                tr("Remove"),
                lambda: self._do(f"delete {uid}", self._delete(uid)),
            )
            return
        self._do(f"trash {uid}", self._trash(uid))

    async def _trash(self, uid: str) -> None:
        one = await self._history.get(uid)
        await self._history.trash(uid)
        self._removed.append(one)
        if uid == self._session.conversation_id:
            self._session.new_chat()
        await self.list()
        self._sidebar.told.tell(tr("Moved to trash: {title}", title=one.title))
        self._sidebar.list.enter()

    def undo(self) -> None:
        """Restore the conversations that were last moved to the trash."""
        if self._removed:
            one = self._removed.pop()
            self._do(f"back {one.id}", self._take_back(one.id))

    async def _take_back(self, uid: str) -> None:
        await self._history.take_back(uid)
        self._in_trash = False
        await self.list()
        self._session.open_chat(uid)

    async def _delete(self, uid: str) -> None:
        await self._history.delete(uid)
        await self.list()

    async def _rename(self, uid: str, title: str) -> None:
        await self._history.rename(uid, title)
        await self.list()

    async def _pin(self, uid: str, pinned: bool) -> None:
        await self._history.pin(uid, pinned=pinned)
        await self.list()

    async def _move(self, uid: str, folder: str) -> None:
        await self._history.move(uid, folder)
        await self.list()

    def leave_trash(self) -> None:
        """Show the conversations again."""
        self._in_trash = False
        self._do("list", self.list())

    def show_trash(self) -> None:
        """Show the trash."""
        self._sidebar.show()
        self._sidebar.search.clear()
        self._in_trash = True
        self._do("list", self.list())

    async def _show_menu(self, uid: str, at: QPoint) -> None:
        """Open the menu of a conversation."""
        one, menu = await self._history.get(uid), self._menu()
        if self._in_trash:
            add(menu, tr("Restore"), lambda: self._do(f"back {uid}", self._take_back(uid)))
            add(menu, tr("Delete permanently …"), lambda: self.trash(uid))
            menu.popup(at)
            return
        pin = tr("Unpin") if one.pinned else tr("Pin")
        add(menu, tr("Rename\tF2"), lambda: self._sidebar.list.begin_rename(uid))
        add(menu, pin, lambda: self._do(f"pin {uid}", self._pin(uid, not one.pinned)))
        if uid == self._session.conversation_id:
            add(menu, tr("Instructions …"), self._session.instruct)
        into = menu.addMenu(tr("Move to folder"))
        for name in await self._history.folders():
            if name != one.folder:
                add(into, name, lambda name=name: self._do(f"move {uid}", self._move(uid, name)))
        add(into, tr("New folder …"), lambda: self._name_folder(uid))
        if one.folder:
            add(
                into,
                tr("Remove from {folder}", folder=one.folder),
                lambda: self._do(f"move {uid}", self._move(uid, "")),
            )
        out = menu.addMenu(tr("Export"))
        for form, text in FORMS.items():
            add(out, f"{text} …", lambda form=form: self._ask_export(one, form))
        menu.addSeparator()
        add(menu, tr("Delete\tDel"), lambda: self.trash(uid))
        menu.popup(at)

    def _name_folder(self, uid: str) -> None:
        message_boxes.ask_text(
            self._session.window,
            tr("Name of the folder"),
            "",
            lambda name: self._do(f"move {uid}", self._move(uid, name)),
        )

    def _show_more(self) -> None:
        """Open the menu that applies to all conversations."""
        menu, window = self._menu(), self._session.window
        menu.addActions(window.findChildren(QAction, "chat.temporary"))
        menu.addSeparator()
        add(menu, tr("Import chats …"), self.ask_import)
        add(menu, tr("Export all …"), self.ask_export)
        add(menu, tr("Back up …"), self.ask_back_up)
        add(menu, tr("Restore …"), self.ask_restore)
        menu.addSeparator()
        if self._in_trash:
            add(menu, tr("Back to chats"), self.leave_trash)
            add(menu, tr("Empty the trash …"), self._ask_empty)
        else:
            add(menu, tr("Trash"), self.show_trash)
        button = self._sidebar.others
        menu.popup(button.mapToGlobal(button.rect().bottomLeft()))

    def _menu(self) -> QMenu:
        menu = QMenu(self._sidebar)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return menu

    def _ask_export(self, one: Conversation, form: str) -> None:
        message_boxes.choose_place(
            self._session.window,
            f"{one.title}.{form}",
            lambda path: self._do("export", self._export(one.id, form, Path(path))),
        )

    async def _export(self, uid: str, form: str, path: Path) -> None:
        exchange = self._session.deskpilot.exchange
        pictures = await self._chart_pictures(uid) if form in ("html", "pdf") else None
        text_form = TEXTS.get(form)
        if text_form is not None:
            await exchange.write(uid, text_form, path, pictures, phrasing())
        else:
            from app.ui.chat.pdf import write_pdf

            write_pdf(await exchange.text(uid, "html", pictures, phrasing()), path)
        self._tell_saved(path)

    async def _chart_pictures(self, uid: str) -> dict[Place, bytes]:
        """Draw a conversation's charts for printing; charts that cannot be drawn are left out."""
        found = await self._session.deskpilot.exchange.charts(uid)
        draw = charts().draw
        if not found or draw is None:
            return {}
        taken: dict[Place, asyncio.Future[bytes]] = {}
        for place, chart in found.items():
            taken[place] = asyncio.get_running_loop().create_future()
            size = QSize(COLUMN, height_of(chart, LIGHT.scale, CHART_HEIGHT))
            draw(chart, LIGHT, size, DENSITY, "png", partial(give, taken[place]))
        made = {place: await picture for place, picture in taken.items()}
        return {place: picture for place, picture in made.items() if picture}

    def _tell_saved(self, path: Path) -> None:
        self._sidebar.told.tell(tr("Saved {name}", name=path.name), undoable=False)

    def ask_import(self) -> None:
        """Ask the user for files of exported conversations, and import these."""
        message_boxes.choose_some(self._session.window, tr("Import chats"), FILES, self._take_in)

    def ask_export(self) -> None:
        """Write all conversations to a file chosen by the user."""
        message_boxes.choose_place(self._session.window, ALL, self._export_all)

    def ask_back_up(self) -> None:
        """Write a backup of all data to a file chosen by the user."""
        message_boxes.choose_place(self._session.window, BACKUP, self._back_up)

    def ask_restore(self) -> None:
        """Ask the user for a backup, and for confirmation before it replaces all data."""
        message_boxes.choose_some(
            self._session.window,
            tr("Backup"),
            "*.sqlite",
            lambda paths: self._ask_restore(Path(paths[0])),
        )

    def _ask_restore(self, path: Path) -> None:
        text = tr(
            "Replace all chats, dashboards and choices with {name}?\n\nThe current ones are "
            "backed up first. The window then reopens.",
            name=path.name,
        )
        message_boxes.ask_first(
            self._session.window,
            text,
            tr("Restore"),
            lambda: self._do("restore", self._restore(path)),
        )

    async def _restore(self, path: Path) -> None:
        session = self._session
        session.stop()
        await (
            session.deskpilot.dashboard.save()
        )  # so that no pending change overwrites the restored data
        await self._history.bring_back(path, store_file().parent)
        session.reopen()

    def _export_all(self, path: str) -> None:
        async def write() -> None:
            await self._session.deskpilot.exchange.write_all(Path(path))
            self._tell_saved(Path(path))

        self._do("export", write())

    def _take_in(self, paths: list[str]) -> None:
        async def read() -> None:
            for path in paths:
                made = await self._session.deskpilot.exchange.read(Path(path))
                await self.list()
                if made:
                    self._session.open_chat(made[-1].id)

        self._do("import", read())

    def _back_up(self, path: str) -> None:
        async def write() -> None:
            await self._history.back_up(Path(path))
            self._tell_saved(Path(path))

        self._do("back up", write())

    def _ask_empty(self) -> None:
        text = tr("Permanently delete everything in the trash?")
        message_boxes.ask_first(
            self._session.window, text, tr("Remove"), lambda: self._do("empty", self._empty())
        )

    async def _empty(self) -> None:
        await self._history.empty_trash()
        await self.list()


def phrasing() -> Phrasing:
    """Return the texts that surround an exported conversation, in the language of the window."""

    def day(seconds: float) -> str:
        at = QDateTime.fromSecsSinceEpoch(int(seconds))
        return QLocale().toString(at, QLocale.FormatType.ShortFormat)

    return Phrasing(day, source_words, tr("Understood:") + " {}")


def give(future: asyncio.Future[bytes], picture: bytes) -> None:
    """Pass a picture to the waiting task, unless it has stopped waiting because the window
    closed.
    """
    if not future.done():
        future.set_result(picture)


def add(menu: QMenu, text: str, run: Callable[[], object]) -> None:
    """Add an entry to a menu."""
    menu.addAction(text).triggered.connect(lambda _=False: run())


class OpenChat(Protocol):
    """The part of the session used by the list of chats, the links in answers and the workflows."""

    window: MainWindow
    deskpilot: Deskpilot
    conversation_id: str | None
    chat: Thread
    running: Turn | None

    @property
    def turns(self) -> list[Turn]:
        """Return the visible turns, oldest first."""
        ...

    def do(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        """Run a named task and show its errors."""
        ...

    def notice(self, text: str) -> None:
        """Show a message box without blocking the window."""
        ...

    def new_chat(self) -> None:
        """Start a conversation."""
        ...

    def open_chat(self, conversation_id: str, turn_id: str = "", found: str = "") -> None:
        """Open a conversation."""
        ...

    def instruct(self) -> None:
        """Ask the user for this chat's instructions."""
        ...

    def reopen(self) -> None:
        """Close the window and open it again with the saved state."""
        ...

    def submit(self, text: str) -> None:
        """Send a question; it is queued while an answer is being received."""
        ...

    def begin(self, text: str, parent: str | None, options: dict[str, object]) -> None:
        """Send a question as a turn after `parent`."""
        ...

    def stop(self) -> None:
        """Stop the answer."""
        ...

    def edit(self, turn: Turn | None = None) -> None:
        """Edit a question; by default the last one."""
        ...

    def go_on(self) -> None:
        """Ask the copilot to continue its last answer."""
        ...

    def switch(self, turn: Turn | None, step: int) -> None:
        """Show the next (1) or previous (-1) branch of a turn."""
        ...

    def learn(self, reading: Reading) -> None:
        """Store which interpretation of a question was meant."""
        ...
