"""One plugin, or one server of tools: what it is, what it may do, who answers for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.ui.style.labels import label
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
    """A plugin. The buttons are `accept`, `token`, `terms` and `remove`; those that have no use are hidden."""

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
