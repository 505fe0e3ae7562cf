"""The page of plugins and MCP servers, and its controller."""

from __future__ import annotations

import shlex
import webbrowser
from typing import TYPE_CHECKING, Any

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QInputDialog,
    QLineEdit,
    QMessageBox,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.domain.errors import DeskpilotError, ToolError
from app.domain.tool import McpEntry
from app.services.tools.gallery import OFFERED
from app.ui.controls import message_boxes
from app.ui.controls.fields import ToolRow
from app.ui.controls.labels import label
from app.ui.theme.i18n import mark, said, tr
from app.ui.theme.i18n import told as in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from app.services.deskpilot import Tools
    from app.services.tasks import Do, Work
    from app.services.tools.gallery import Offered
    from app.tools.mcp.server import McpServer
    from app.tools.plugins.discovery import FoundPlugin
    from app.tools.plugins.plugin import Plugin


BUTTONS = {"": mark("Add"), "folder": mark("Choose folder …"), "address": mark("Enter address …")}
# For each entry: its name, its purpose and its permissions, which are shown before it is added.
GALLERY = {
    "files": (
        mark("Files in a folder"),
        mark("Lists, finds, reads and writes text files."),
        mark(
            "Can read everything in the folder you choose. Asks you before it writes a file. Has "
            "no other access."
        ),
    ),
    "git": (
        mark("Git repository"),
        mark("Shows status, history and changes, makes commits and branches."),
        mark("Can read the repository you choose. Asks you before it changes anything."),
    ),
    "time": (
        mark("Time"),
        mark("Tells the time in any city, and converts between time zones."),
        mark("Can read this machine's clock. Has no other access."),
    ),
    "web-pages": (
        mark("Web pages"),
        mark("Reads a web page as text."),
        mark(
            "Contacts other machines, and asks you before each page. Does not work while "
            "Deskpilot is offline."
        ),
    ),
    "postgresql": (
        mark("PostgreSQL database"),
        mark("Lists and describes tables, and runs SELECT."),
        mark("Can only read. Asks you before each query. The password is kept in the keyring."),
    ),
    "to-do": (
        mark("To-do list"),
        mark("A sample plugin: notes things to do."),
        mark(
            "Runs on this machine while Deskpilot is open; its list is not kept afterwards. Asks "
            "you before it changes the list."
        ),
    ),
}


class PluginRow(ToolRow):
    """The row for a plugin. Its buttons are `accept`, `token`, `terms` and `remove`; those that do
    not apply are hidden.
    """

    def __init__(self, plugin: Plugin, picture: bytes, parent: QWidget) -> None:
        super().__init__(plugin.name, picture, parent)
        manifest, installed = plugin.manifest, plugin.installed
        self.plugin = plugin
        self.say(manifest.about, "")
        reads = [tool.name for tool in plugin.tools if not tool.writes]
        writes = [tool.name for tool in plugin.tools if tool.writes]
        self.say(tr("Reads: {names}", names=", ".join(reads)) if reads else "")
        self.say(tr("Asks before: {names}", names=", ".join(writes)) if writes else "")
        self.say(tr("Calls go to {places}", places=", ".join(installed.origins)))
        self.say(tr("Contact: {who}", who=manifest.contact) if manifest.contact else "")
        warnings = [*manifest.warnings, *plugin.specification.warnings]
        self.warnings = self.say("\n".join(map(said, warnings)))
        self.warnings.hide()
        if plugin.stale:
            self.say(tr("It can't be reached now, so its last known version is used."))
        why = "; ".join(map(said, installed.why))
        self.say(
            tr("It has changed and needs your approval: {why}", why=why)
            if installed.waiting
            else "",
            "problem",
        )
        self.accept = self.button(tr("Approve"))
        self.accept.setVisible(installed.waiting is not None)
        self.token = self.button(tr("Sign in …"))
        self.token.setVisible(manifest.auth.way != "none")
        self.terms = self.button(tr("Terms"))
        self.terms.setVisible(bool(manifest.legal))
        self.mended = self.button(tr("%n warnings", "", len(warnings)))
        self.mended.setVisible(bool(warnings))
        self.mended.clicked.connect(lambda: self.warnings.setVisible(self.warnings.isHidden()))
        self.remove = self.button(tr("Remove"))


class ServerRow(ToolRow):
    """The row for an MCP server. Its button is `remove`."""

    def __init__(self, server: McpServer, parent: QWidget) -> None:
        super().__init__(server.name, b"", parent)
        self.server = server
        self.say(server.entry.origin, "")
        self.say(tr("%n tools", "", len(server.tools)))
        self.say(said(server.problem), "problem")
        self.warnings = self.say("\n".join(map(said, server.warnings)))
        self.warnings.hide()
        self.simplified = self.button(tr("%n warnings", "", len(server.warnings)))
        self.simplified.setVisible(bool(server.warnings))
        self.simplified.clicked.connect(lambda: self.warnings.setVisible(self.warnings.isHidden()))
        self.remove = self.button(tr("Remove"))


class GalleryRow(ToolRow):
    """The row for an entry in the gallery. Its button is `add`."""

    def __init__(self, offered: Offered, is_added: bool, parent: QWidget) -> None:
        title, does, may = GALLERY[offered.id]
        super().__init__(tr(title), b"", parent)
        self.offered = offered
        self.say(tr(does), "")
        self.say(tr(may))
        self.add = self.button(tr("Added") if is_added else tr(BUTTONS[offered.asks]))
        self.add.setEnabled(not is_added and not offered.missing)
        if offered.missing:
            self.say(tr("Needs {program}, which is not on this machine.", program=offered.program))


class BusyLine(QWidget):
    """A line that shows the current activity, above an indeterminate progress bar."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.told = label("", "muted", self)
        self.bar = QProgressBar(self)
        self.bar.setRange(0, 0)
        self.bar.setFixedHeight(6)
        self.bar.setTextVisible(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.told)
        column.addWidget(self.bar)
        self.hide()

    def tell(self, doing: str) -> None:
        """Show the current activity; an empty text hides the line."""
        self.told.setText(doing)
        self.bar.setAccessibleName(doing)
        self.setVisible(bool(doing))
        if doing:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, doing))


class PluginsPage(QWidget):
    """The page of plugins and MCP servers.

    Signals: add_wanted(address), serve_wanted(name, program or address), terms_wanted(address),
    offer_wanted(gallery entry); with a name: accept_wanted, token_wanted, remove_wanted, and
    end_wanted to remove a server.
    """

    add_wanted = Signal(str)
    serve_wanted = Signal(str, str)
    accept_wanted = Signal(str)
    token_wanted = Signal(str)
    remove_wanted = Signal(str)
    end_wanted = Signal(str)
    terms_wanted = Signal(str)
    offer_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: list[PluginRow] = []
        self.servers: list[ServerRow] = []
        self.offers: list[GalleryRow] = []
        self.problem = label("", "problem", self)
        self.problem.hide()
        self.progress = BusyLine(self)
        self.address = self._field(tr("Address of a plugin, such as http://127.0.0.1:7781"))
        self.add = QPushButton(tr("Add plugin …"), self)
        self.name = self._field(tr("Name"))
        self.name.setMaximumWidth(130)
        self.program = self._field(tr("Program and its arguments, or an address"))
        self.serve = QPushButton(tr("Add server"), self)
        for field, button in ((self.address, self.add), (self.program, self.serve)):
            field.returnPressed.connect(button.click)
        self.add.clicked.connect(lambda: self.add_wanted.emit(self.address.text().strip()))
        self.serve.clicked.connect(
            lambda: self.serve_wanted.emit(self.name.text().strip(), self.program.text().strip())
        )
        self._list, self._served, self._offered = QVBoxLayout(), QVBoxLayout(), QVBoxLayout()
        self._none = label(tr("No plugins yet."), "muted", self)
        self._no_server = label(tr("No MCP servers yet."), "muted", self)
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 22, 28, 22)
        column.setSpacing(10)
        column.addWidget(label(tr("Plugins"), "title", self))
        column.addWidget(
            label(
                tr("Services that copilots can call. You are asked before one makes changes."),
                "muted",
                self,
            )
        )
        column.addLayout(self._line(self.address, self.add))
        column.addWidget(self.problem)
        column.addWidget(self.progress)
        column.addLayout(self._list)
        column.addWidget(self._none)
        column.addWidget(label(tr("MCP servers"), "heading", self))
        column.addLayout(self._line(self.name, self.program, self.serve))
        column.addLayout(self._served)
        column.addWidget(self._no_server)
        column.addWidget(label(tr("Gallery"), "heading", self))
        column.addWidget(
            label(tr("These come with Deskpilot; add them with one click."), "muted", self)
        )
        column.addLayout(self._offered)
        column.addStretch(1)

    def show_plugins(self, plugins: list[tuple[Plugin, bytes]], servers: list[McpServer]) -> None:
        """Show the plugins with their pictures, and the servers."""
        for layout in (self._list, self._served):
            clear(layout)
        self.rows = [PluginRow(plugin, picture, self) for plugin, picture in plugins]
        for row in self.rows:
            name, legal = row.plugin.id, row.plugin.manifest.legal
            row.accept.clicked.connect(lambda _=False, name=name: self.accept_wanted.emit(name))
            row.token.clicked.connect(lambda _=False, name=name: self.token_wanted.emit(name))
            row.remove.clicked.connect(lambda _=False, name=name: self.remove_wanted.emit(name))
            row.terms.clicked.connect(lambda _=False, legal=legal: self.terms_wanted.emit(legal))
            self._list.addWidget(row)
        self.servers = [ServerRow(server, self) for server in servers]
        for row in self.servers:
            row.remove.clicked.connect(
                lambda _=False, name=row.server.id: self.end_wanted.emit(name)
            )
            self._served.addWidget(row)
        self._none.setVisible(not self.rows)
        self._no_server.setVisible(not self.servers)

    def show_gallery(self, offers: list[tuple[Offered, bool]]) -> None:
        """Show the gallery's entries, each with a note of whether it has been added."""
        clear(self._offered)
        self.offers = [GalleryRow(offered, is_added, self) for offered, is_added in offers]
        for row in self.offers:
            row.add.clicked.connect(
                lambda _=False, offered=row.offered: self.offer_wanted.emit(offered)
            )
            self._offered.addWidget(row)

    def tell(self, text: str) -> None:
        """Show an error; an empty text hides it."""
        self.problem.setText(text)
        self.problem.setVisible(bool(text))

    def set_busy(self, busy: bool, doing: str = "") -> None:
        """Show whether a server is being contacted. doing: the description of an activity that
        takes longer.
        """
        for button in (self.add, self.serve):
            button.setEnabled(not busy)
        for row in self.offers:
            row.setEnabled(not busy)
        self.progress.tell(doing if busy else "")

    def _line(self, *parts: QWidget) -> QHBoxLayout:
        line = QHBoxLayout()
        for part in parts:
            line.addWidget(part)
        return line

    def _field(self, told: str) -> QLineEdit:
        made = QLineEdit(self)
        made.setPlaceholderText(told)
        made.setAccessibleName(told)
        return made


def clear(layout: QVBoxLayout) -> None:
    """Remove all rows from a list."""
    while (item := layout.takeAt(0)) is not None:
        if (old := item.widget()) is not None:
            old.hide()
            old.deleteLater()


class PluginController(QObject):
    """Controls the page. It reads plugins and servers each time they are shown, because a shell
    command may have changed them.
    """

    def __init__(self, page: PluginsPage, belt: Tools, do: Do) -> None:
        super().__init__(page)
        self._page, self._belt, self._do = page, belt, do
        plugins, mcp = belt.plugins, belt.mcp
        page.add_wanted.connect(
            lambda url: (
                self.start(
                    "look at plugin",
                    lambda: self._look(url),
                    tr("Reading what {address} can do …", address=url),
                )
                if url
                else None
            )
        )
        page.serve_wanted.connect(
            lambda name, told: self.start(
                "add server",
                lambda: self._serve(name, told),
                tr("Starting {name} and reading its tools …", name=name) if name and told else "",
            )
        )
        page.accept_wanted.connect(lambda name: self.start("agree", lambda: plugins.accept(name)))
        page.token_wanted.connect(self._sign_in)
        page.terms_wanted.connect(lambda link: message_boxes.ask_to_leave(page.window(), link))
        page.remove_wanted.connect(
            lambda name: self._ask_to_remove(name, lambda: plugins.remove(name))
        )
        page.end_wanted.connect(lambda name: self._ask_to_remove(name, lambda: mcp.remove(name)))

        page.offer_wanted.connect(self._add_offered)

    def read(self) -> None:
        """Update the page."""
        self.start("read plugins", self._restore)

    async def _restore(self) -> None:
        await self._belt.plugins.restore()
        await self._belt.mcp.restore()
        if self._belt.plugins.problems:
            raise ToolError("\n".join(self._belt.plugins.problems))

    def start(self, name: str, work: Work, doing: str = "") -> None:
        """Run an action, show any error, and update the page. doing: the text shown while the
        action runs.
        """

        async def run() -> None:
            self._page.set_busy(True, doing)
            if doing:
                self._page.tell("")
            try:
                await work()
                problem = ""
            except DeskpilotError as error:
                problem = in_words(error)
            if shiboken6.isValid(self._page):
                self._page.set_busy(False)
                self._page.tell(problem)
                plugins = [
                    (plugin, self._belt.plugins.picture(plugin.id))
                    for plugin in self._belt.plugins.all()
                ]
                self._page.show_plugins(plugins, self._belt.mcp.all())
                added = self._belt.gallery.is_added
                self._page.show_gallery([(offered, added(offered)) for offered in OFFERED])

        self._do(name, run())

    def _add_offered(self, offered: Offered) -> None:
        """Add an entry of the gallery, after asking for the folder or address that it needs."""

        def add(given: str = "") -> None:
            name = tr(GALLERY[offered.id][0])
            doing = tr("Starting {name} and reading its tools …", name=name)
            self.start(
                "add from gallery", lambda: self._belt.gallery.add(offered, given.strip()), doing
            )

        if offered.asks == "folder":
            message_boxes.choose_folder(self._page, tr(GALLERY[offered.id][0]), add)
        elif offered.asks == "address":
            label = tr("Address of the database, such as postgresql://user:password@127.0.0.1/shop")
            self._ask_for(label, QLineEdit.EchoMode.Normal, add)
        else:
            add()

    async def _look(self, url: str) -> None:
        """Inspect a plugin and show what it requires."""
        found = await self._belt.plugins.look(url)
        buttons = QMessageBox.StandardButton.Cancel
        box = message_boxes.opened(self._page.window(), told(found), buttons)
        box.setTextFormat(Qt.TextFormat.PlainText)
        if found.warnings:
            box.setDetailedText("\n".join(found.warnings))
        take = box.addButton(tr("Add"), QMessageBox.ButtonRole.AcceptRole)
        take.clicked.connect(lambda: self.start("take plugin", lambda: self._take(found)))

    async def _take(self, found: FoundPlugin) -> None:
        plugin = await self._belt.plugins.add(found)
        self._page.address.clear()
        if plugin.manifest.auth.way != "none":
            self._sign_in(plugin.id)

    async def _serve(self, name: str, told: str) -> None:
        """Add a server. told: an address, or a program with its arguments.

        Raises: ToolError.
        """
        if not name or not told:
            raise ToolError(tr("A server needs a name, and a program or an address."))
        is_address = told.startswith(("http://", "https://"))
        try:
            entry = (
                McpEntry(name, url=told) if is_address else McpEntry(name, tuple(shlex.split(told)))
            )
        except ValueError as error:
            raise ToolError(tr("The program's arguments have an unclosed quote.")) from error
        await self._belt.mcp.add(entry, {})
        self._page.name.clear()
        self._page.program.clear()

    def _sign_in(self, name: str) -> None:
        """Ask for a plugin's token, or sign in to it in the browser.

        Signing in requires the client id that the plugin issued to Deskpilot; the user is asked for
        it first.
        """
        plugins = self._belt.plugins
        if plugins.get(name).manifest.auth.way != "oauth":
            label = tr(
                "Your token for {name}; it is stored in the keyring.",
                name=plugins.get(name).name,
            )
            self._ask(label, QLineEdit.EchoMode.Password, lambda token: plugins.tell(name, token))
            return
        label = tr("Client id for {name}:", name=plugins.get(name).name)
        self._ask(
            label,
            QLineEdit.EchoMode.Normal,
            lambda client: plugins.sign_in(name, {"client_id": client}, webbrowser.open),
        )

    def _ask(
        self,
        label: str,
        echo: QLineEdit.EchoMode,
        given: Callable[[str], Coroutine[Any, Any, None]],
    ) -> None:
        self._ask_for(label, echo, lambda text: self.start("sign in", lambda: given(text.strip())))

    def _ask_for(
        self, label: str, echo: QLineEdit.EchoMode, given: Callable[[str], object]
    ) -> None:
        dialog = QInputDialog(self._page.window())
        dialog.setWindowTitle("Deskpilot")
        dialog.setLabelText(label)
        dialog.setTextEchoMode(echo)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.textValueSelected.connect(given)
        dialog.open()

    def _ask_to_remove(self, name: str, remove: Work) -> None:
        text = tr("Remove {name}? Copilots can no longer call it.", name=name)
        message_boxes.ask_first(
            self._page.window(), text, tr("Remove"), lambda: self.start("remove tools", remove)
        )


def told(found: FoundPlugin) -> str:
    """Return a text that says what the user should know before adding a plugin."""
    manifest, operations = found.manifest, found.specification.operations
    lines = [
        manifest.name,
        manifest.about,
        "",
        tr("Calls go to {places}", places=", ".join(found.origins)),
    ]
    reads = ", ".join(operation.name for operation in operations if not operation.writes)
    writes = ", ".join(operation.name for operation in operations if operation.writes)
    lines += [tr("Reads: {names}", names=reads)] if reads else []
    lines += [tr("Asks before: {names}", names=writes)] if writes else []
    lines += [tr("Contact: {who}", who=manifest.contact)] if manifest.contact else []
    lines += ["", tr("%n warnings", "", len(found.warnings))] if found.warnings else []
    return "\n".join(lines)
