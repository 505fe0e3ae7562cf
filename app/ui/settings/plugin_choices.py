"""What the page of plugins does: joins it to the services. Not a widget, so it may await."""

from __future__ import annotations

import shlex
import webbrowser
from typing import TYPE_CHECKING, Any

import shiboken6
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QInputDialog, QLineEdit, QMessageBox

from app.domain.errors import DeskpilotError, ToolError
from app.domain.tool import McpEntry
from app.ui.main import boxes
from app.ui.words import told as in_words
from app.ui.words import tr

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from app.services.tasks import Do, Work
    from app.services.tools.toolbox import Belt
    from app.tools.plugins.discovery import Found
    from app.ui.settings.plugins import PluginsPage


class Taking(QObject):
    """Reads plugins and servers anew each time they are shown: the shell may have changed them."""

    def __init__(self, page: PluginsPage, belt: Belt, do: Do) -> None:
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
        page.terms_wanted.connect(lambda link: boxes.ask_to_leave(page.window(), link))
        page.remove_wanted.connect(
            lambda name: self._ask_to_remove(name, lambda: plugins.remove(name))
        )
        page.end_wanted.connect(lambda name: self._ask_to_remove(name, lambda: mcp.remove(name)))

    def read(self) -> None:
        """Show what there is now."""
        self.start("read plugins", self._restore)

    async def _restore(self) -> None:
        await self._belt.plugins.restore()
        await self._belt.mcp.restore()
        if self._belt.plugins.problems:
            raise ToolError("\n".join(self._belt.plugins.problems))

    def start(self, name: str, work: Work, doing: str = "") -> None:
        """Do something, say what went wrong, and show what there is then. doing: shown until it is
        done.
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

        self._do(name, run())

    async def _look(self, url: str) -> None:
        """Look at a plugin and lay before the person what it wants."""
        found = await self._belt.plugins.look(url)
        buttons = QMessageBox.StandardButton.Cancel
        box = boxes.opened(self._page.window(), told(found), buttons)
        box.setTextFormat(Qt.TextFormat.PlainText)
        if found.warnings:
            box.setDetailedText("\n".join(found.warnings))
        take = box.addButton(tr("Take it"), QMessageBox.ButtonRole.AcceptRole)
        take.clicked.connect(lambda: self.start("take plugin", lambda: self._take(found)))

    async def _take(self, found: Found) -> None:
        plugin = await self._belt.plugins.add(found)
        self._page.address.clear()
        if plugin.manifest.auth.way != "none":
            self._sign_in(plugin.id)

    async def _serve(self, name: str, told: str) -> None:
        """Add a server: an address, or a program and its arguments.

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
            raise ToolError(tr("The quotes in the program's arguments do not close.")) from error
        await self._belt.mcp.add(entry, {})
        self._page.name.clear()
        self._page.program.clear()

    def _sign_in(self, name: str) -> None:
        """Ask for a token, or for the name a plugin knows this program by, and sign in in the
        browser.
        """
        plugins = self._belt.plugins
        if plugins.get(name).manifest.auth.way != "oauth":
            label = tr(
                "The token by which {name} knows you; it is kept in the keyring.",
                name=plugins.get(name).name,
            )
            self._ask(label, QLineEdit.EchoMode.Password, lambda token: plugins.tell(name, token))
            return
        label = tr("What {name} calls this program (client id):", name=plugins.get(name).name)
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
        dialog = QInputDialog(self._page.window())
        dialog.setWindowTitle("Deskpilot")
        dialog.setLabelText(label)
        dialog.setTextEchoMode(echo)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.textValueSelected.connect(
            lambda text: self.start("sign in", lambda: given(text.strip()))
        )
        dialog.open()

    def _ask_to_remove(self, name: str, remove: Work) -> None:
        text = tr("Remove {name}? Copilots can call it no more.", name=name)
        boxes.ask_first(
            self._page.window(), text, tr("Remove"), lambda: self.start("remove tools", remove)
        )


def told(found: Found) -> str:
    """Return what a person should know of a plugin before it is taken."""
    manifest, operations = found.manifest, found.specification.operations
    lines = [
        manifest.name,
        manifest.about,
        "",
        tr("Asked at {places}", places=", ".join(found.origins)),
    ]
    reads = ", ".join(operation.name for operation in operations if not operation.writes)
    writes = ", ".join(operation.name for operation in operations if operation.writes)
    lines += [tr("Reads: {names}", names=reads)] if reads else []
    lines += [tr("Asks you before: {names}", names=writes)] if writes else []
    lines += [tr("Contact: {who}", who=manifest.contact)] if manifest.contact else []
    lines += ["", tr("%n warnings", "", len(found.warnings))] if found.warnings else []
    return "\n".join(lines)
