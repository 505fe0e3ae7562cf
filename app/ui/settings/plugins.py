"""The page of plugins and servers of tools: what each may do, and a way to add each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QPixmap
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.theme.labels import label
from app.ui.words import said, tr

if TYPE_CHECKING:
    from app.tools.mcp.server import McpServer
    from app.tools.plugins.plugin import Plugin


SIDE = 40  # of a logo, in points


class ToolRow(QFrame):
    """A row with a picture, words and buttons; what is foreign in it is never taken for markup."""

    def __init__(self, name: str, picture: bytes, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("newsItem")  # a hairline below
        self._title = name
        self.words = QVBoxLayout()
        self.words.setSpacing(3)
        self.say(name, "strong")
        self.buttons = QVBoxLayout()
        self.buttons.setSpacing(4)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 10, 0, 10)
        row.setSpacing(12)
        logo = QLabel(self)
        logo.setFixedSize(SIDE, SIDE)
        made = QPixmap()
        logo.setVisible(made.loadFromData(picture))
        if not made.isNull():
            kept = Qt.AspectRatioMode.KeepAspectRatio
            logo.setPixmap(
                made.scaled(SIDE, SIDE, kept, Qt.TransformationMode.SmoothTransformation)
            )
        row.addWidget(logo, alignment=Qt.AlignmentFlag.AlignTop)
        row.addLayout(self.words, 1)
        row.addLayout(self.buttons)
        row.setAlignment(self.buttons, Qt.AlignmentFlag.AlignTop)

    def say(self, text: str, name: str = "muted") -> QLabel:
        """Add a line of words, if there are any."""
        made = label(text, name, self)
        made.setVisible(bool(text))
        self.words.addWidget(made)
        return made

    def button(self, text: str) -> QPushButton:
        """Add a button."""
        made = QPushButton(text, self)
        made.setObjectName("link")
        made.setAccessibleName(f"{text}: {self._title}")
        self.buttons.addWidget(made, alignment=Qt.AlignmentFlag.AlignRight)
        return made


class PluginRow(ToolRow):
    """A plugin. The buttons are `accept`, `token`, `terms` and `remove`; those that have no use are
    hidden.
    """

    def __init__(self, plugin: Plugin, picture: bytes, parent: QWidget) -> None:
        super().__init__(plugin.name, picture, parent)
        manifest, installed = plugin.manifest, plugin.installed
        self.plugin = plugin
        self.say(manifest.about, "")
        reads = [tool.name for tool in plugin.tools if not tool.writes]
        writes = [tool.name for tool in plugin.tools if tool.writes]
        self.say(tr("Reads: {names}", names=", ".join(reads)) if reads else "")
        self.say(tr("Asks you before: {names}", names=", ".join(writes)) if writes else "")
        self.say(tr("Asked at {places}", places=", ".join(installed.origins)))
        self.say(tr("Contact: {who}", who=manifest.contact) if manifest.contact else "")
        warnings = [*manifest.warnings, *plugin.specification.warnings]
        self.warnings = self.say("\n".join(map(said, warnings)))
        self.warnings.hide()
        if plugin.stale:
            self.say(tr("It cannot be reached now; what it published last is used."))
        why = "; ".join(map(said, installed.why))
        self.say(
            tr("It has changed, and waits for you: {why}", why=why) if installed.waiting else "",
            "problem",
        )
        self.accept = self.button(tr("Agree"))
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
    """A server of the Model Context Protocol. The button is `remove`."""

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


class Progress(QWidget):
    """A line that says what is being done, over a bar that moves; nobody knows how long a server
    takes.
    """

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
        """Show what is being done; nothing hides the line."""
        self.told.setText(doing)
        self.bar.setAccessibleName(doing)
        self.setVisible(bool(doing))
        if doing:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, doing))


class PluginsPage(QWidget):
    """Signals: add_wanted(address), serve_wanted(name, program or address), and by names:
    accept_wanted, token_wanted, remove_wanted, end_wanted (for a server); terms_wanted(address).
    """

    add_wanted = Signal(str)
    serve_wanted = Signal(str, str)
    accept_wanted = Signal(str)
    token_wanted = Signal(str)
    remove_wanted = Signal(str)
    end_wanted = Signal(str)
    terms_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: list[PluginRow] = []
        self.servers: list[ServerRow] = []
        self.problem = label("", "problem", self)
        self.problem.hide()
        self.progress = Progress(self)
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
        self._list, self._served = QVBoxLayout(), QVBoxLayout()
        self._none = label(tr("There is none yet."), "muted", self)
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 22, 28, 22)
        column.setSpacing(10)
        column.addWidget(label(tr("Plugins"), "title", self))
        column.addWidget(
            label(
                tr("Services that copilots may call. Before one changes something you are asked."),
                "muted",
                self,
            )
        )
        column.addLayout(self._line(self.address, self.add))
        column.addWidget(self.problem)
        column.addWidget(self.progress)
        column.addLayout(self._list)
        column.addWidget(self._none)
        column.addWidget(label(tr("Servers of the Model Context Protocol"), "heading", self))
        column.addLayout(self._line(self.name, self.program, self.serve))
        column.addLayout(self._served)
        column.addStretch(1)

    def show_plugins(self, plugins: list[tuple[Plugin, bytes]], servers: list[McpServer]) -> None:
        """Show what there is: plugins with their pictures, and servers."""
        for layout in (self._list, self._served):
            while (item := layout.takeAt(0)) is not None:
                if (old := item.widget()) is not None:
                    old.hide()
                    old.deleteLater()
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

    def tell(self, text: str) -> None:
        """Say what went wrong; nothing if all is well."""
        self.problem.setText(text)
        self.problem.setVisible(bool(text))

    def set_busy(self, busy: bool, doing: str = "") -> None:
        """Show that a server is being asked. doing: what that is, where it may take long."""
        for button in (self.add, self.serve):
            button.setEnabled(not busy)
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
