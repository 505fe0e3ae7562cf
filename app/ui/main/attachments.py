"""The controller of attachments: opened files, attached widgets, and their cost in tokens."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu

from app.services.conversation.attachments import Costs, write_pasted
from app.services.dashboard.tiles import is_sample
from app.services.dashboard.widgets import VIEWS
from app.services.documents import ATTACHED
from app.ui.composer.choice import PickerItem
from app.ui.controls import message_boxes
from app.ui.dashboard.chart_tiles import ANSWER
from app.ui.documents.page import library_name
from app.ui.theme.i18n import tr
from backends.paths import data_folder

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.conversation import Attachment
    from app.domain.copilot import Skill
    from app.services.conversation.attachments import Attachments
    from app.services.conversation.skills import Skills
    from app.services.dashboard.tiles import Dashboard
    from app.services.dashboard.web_pages import WidgetPages
    from app.services.dashboard.widgets import Widgets
    from app.services.documents import Documents
    from app.services.tasks import Do
    from app.ui.dashboard.board import Board
    from app.ui.main.window import MainWindow

LONGEST = 24  # maximum number of characters of the text after a name


def shortened(text: str) -> str:
    """Return a text, shortened to fit."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


class ContextController:
    """Connects the composer's chips with the widgets. do: a function that starts a named task and
    shows its errors.
    """

    def __init__(
        self,
        window: MainWindow,
        widgets: Widgets,
        dashboard: Dashboard,
        attachments: Attachments,
        skills: Skills,
        documents: Documents,
        pages: WidgetPages,
        board: Board,
        do: Do,
    ) -> None:
        self._window = window
        self._widgets, self._dashboard = widgets, dashboard
        self._board = board
        self._do = do
        self.is_temporary: Callable[[], bool] = bool  # returns whether the open chat is temporary
        self.commands: list[PickerItem] = []  # the choices offered after /
        window.composer.editor.pasted.connect(self._attach_text)
        self._documents = documents
        self.ways: QMenu | None = None
        self._costs = Costs(widgets)
        widgets.subscribe(self._show)
        window.composer.reading_stopped.connect(widgets.stop_arrival)
        window.composer.files.connect(self.attach_files)
        window.composer.attach_wanted.connect(self.offer_ways)
        window.composer.attached.connect(lambda uid: board.set_context(uid, True))
        window.composer.detached.connect(lambda uid: board.set_context(uid, False))
        window.composer.context_chosen.connect(
            lambda chosen: do("choose context", self._widgets.attach_some(chosen))
        )
        self._pages = pages
        window.composer.typed.connect(
            lambda text: window.composer.set_links(self._pages.missing(text))
        )
        window.composer.link_wanted.connect(lambda url: do(f"fetch {url}", self._fetch(url)))
        window.composer.skills_wanted.connect(lambda: do("skills", self._offer_skills()))
        self._skills = skills
        self._skills.subscribe(self._ask_to_keep)
        self._attachments = attachments
        self._attachments.subscribe(self._show_missing)
        window.dashboard.carried.connect(self._on_carried)
        window.dashboard.tabs.file_wanted.connect(self._choose_for_dashboard)

    def choose_files(self) -> None:
        """Ask for files; then focus the text field."""
        self._window.composer.editor.setFocus()
        message_boxes.choose_files(self._window, self.attach_files)

    def _choose_for_dashboard(self) -> None:
        """Ask for files to show on the open dashboard."""
        self._window.composer.editor.setFocus()
        message_boxes.choose_files(
            self._window, lambda paths: self._do(f"add {paths}", self._board.add(paths, here=True))
        )

    def attach_files(self, paths: list[str]) -> None:
        """Open files as widgets and attach them; a folder is attached as a document library."""
        folders = [path for path in paths if Path(path).is_dir()]
        self.attach_folders(folders)
        if files := [path for path in paths if path not in folders]:
            self._do(f"attach {files}", self._board.add(files))

    def ask_about(self, path: str, words: str) -> None:
        """Attach a document and put a question into the text field."""
        self._do(f"attach {path}", self._board.add([path]))
        self._window.composer.take_back([words])
        self._window.activateWindow()
        self._window.composer.editor.setFocus()

    def offer_ways(self) -> None:
        """Offer the kinds of attachments: files, a folder of documents, or a library."""
        self._do("offer libraries", self._offer_ways())

    async def _offer_ways(self) -> None:
        names = [name for name in await self._documents.libraries() if name != ATTACHED]
        button = self._window.composer.attach
        menu = QMenu(button)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Tables or documents …")).triggered.connect(self.choose_files)
        menu.addAction(tr("Folder of documents …")).triggered.connect(self.choose_folder)
        if names:
            menu.addSection(tr("Libraries"))
        for name in names:
            menu.addAction(library_name(name).replace("&", "&&")).triggered.connect(
                lambda _=False, name=name: self._do(f"attach {name}", self._attach_library(name))
            )
        self.ways = menu
        menu.popup(
            button.mapToGlobal(button.rect().topLeft()) - QPoint(0, menu.sizeHint().height())
        )

    def choose_folder(self) -> None:
        """Ask the user for a folder of documents."""
        message_boxes.choose_folder(
            self._window,
            tr("Attach a folder of documents"),
            lambda path: self.attach_folders([path]),
        )

    def attach_folders(self, paths: list[str]) -> None:
        """Attach folders of documents; the documents are read in the background."""
        for path in paths:
            self._do(f"attach folder {path}", self._attach_folder(path))

    async def _attach_library(self, name: str) -> None:
        await self._widgets.add_library(name)
        await self._dashboard.detach_sample()

    async def _attach_folder(self, path: str) -> None:
        await self._widgets.add_library(Path(path).name, path)
        await self._dashboard.detach_sample()
        await self._documents.update(paths=[await self._documents.attach(Path(path))])

    def _attach_text(self, text: str) -> None:
        """Attach a long text that was pasted.

        A temporary chat leaves nothing on disk, so in such a chat the text is inserted into the
        field instead.
        """
        if self.is_temporary():
            self._window.composer.editor.insertPlainText(text)
        else:
            self._do("attach text", self._attach_pasted(text))

    async def _attach_pasted(self, text: str) -> None:
        path = await asyncio.to_thread(
            write_pasted, text, data_folder() / "pasted", tr("Pasted text")
        )
        await self._board.add([str(path)])

    async def _fetch(self, url: str) -> None:
        """Fetch the page whose chip the user clicked, and attach the page to questions."""
        await self._pages.add(url)
        composer = self._window.composer
        composer.set_links(self._pages.missing(composer.editor.toPlainText()))

    async def _offer_skills(self) -> None:
        """Offer the current commands and skills, because a shell command may have changed the
        skills.
        """
        known = await self._skills.all()
        made = [PickerItem(s.slug, f"/skill:{s.slug}", shortened(s.description)) for s in known]
        self._window.composer.set_choices("/", [*self.commands, *made])

    def _ask_to_keep(self, skill: Skill) -> None:
        """Show a skill that a copilot proposed, and ask whether to save it."""
        text = tr(
            "The copilot proposes a skill, {slug}. Save it? Its text is sent when you call it.",
            slug=skill.slug,
        )
        message_boxes.ask_to_keep(
            self._window,
            text,
            skill.content,
            lambda: self._do("keep skill", self._skills.accept(skill.slug)),
            lambda: self._do("leave skill", self._skills.remove(skill.slug)),
        )

    def _show_missing(self) -> None:
        """List the missing attachments of this conversation, with buttons to find or
        remove them.
        """
        missing, absent = self._attachments.missing, self._window.composer.absent
        absent.show_missing(missing)
        for number, one in enumerate(missing):
            remove, find = absent.buttons[number]
            remove.clicked.connect(
                lambda _=False, a=one.attachment: self._do(
                    f"remove {a.widget}", self._attachments.remove(a)
                )
            )
            if find is not None:
                find.clicked.connect(lambda _=False, a=one.attachment: self._find_again(a))

    def _find_again(self, attachment: Attachment) -> None:
        """Ask the user for the file of a missing attachment."""
        message_boxes.choose_files(
            self._window,
            lambda paths: self._do(
                f"find {attachment.widget}",
                self._attachments.find_again(attachment, Path(paths[0])),
            ),
        )

    def _on_carried(self, uid: str, point: QPoint) -> None:
        """Attach a widget that was dropped on the conversation."""
        chat = self._window.chat
        if uid != ANSWER and chat.rect().contains(chat.mapFromGlobal(point)):
            self._board.set_context(uid, True)

    def _show(self) -> None:
        """Show the widgets, which of them are attached, and their cost."""
        widgets, composer = self._widgets, self._window.composer
        # These are the tables as they were last read; a file replaced since then is reread
        # elsewhere.
        opened = {w.uuid: widgets.sources.opened(w.uuid) for w in widgets.attached()}
        counts = {
            uid: table.profile.rows
            for uid, table in opened.items()
            if table is not None and widgets.is_open(uid)
        }
        placed = [w for w in widgets.all() if w.type not in VIEWS]
        composer.set_widgets(placed)
        composer.set_arriving([arrival for arrival in widgets.arriving if arrival.attach])
        composer.set_attached(attached := widgets.attached(), counts)
        self._do("costs", self._costs.tell(composer.set_costs))
        self._window.welcome.set_context(
            sample=any(is_sample(w) for w in attached),
            own=any(not is_sample(w) for w in attached),
            placed=bool(placed),
        )
