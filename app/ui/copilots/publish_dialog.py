"""The dialog that publishes an assistant: it offers permissions and shows the token once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.ui.controls.labels import field_label, label
from app.ui.theme.i18n import tr

if TYPE_CHECKING:
    from app.domain.assistant import Assistant
    from app.domain.tool import Tool


class PublishWindow(QDialog):
    """The dialog that publishes an assistant.

    Signals: agreed(granted) with the calls, as (server, tool), that are allowed from now on.
    """

    agreed = Signal(list)

    def __init__(self, one: Assistant, tools: list[Tool], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Publish {name}", name=one.name))
        self.resize(520, 320)
        told = tr(
            "Anyone with the token can use it. Calls you allow here run without asking; you "
            "can revoke this at any time."
        )
        self.boxes = [
            (tool, self._box(tool, (tool.server, tool.name) in one.granted)) for tool in tools
        ]
        self.problem = label("", "problem", self)
        self.problem.hide()
        self.publish = QPushButton(tr("Publish"), self)
        self.publish.setObjectName("primary")
        self.publish.setAutoDefault(False)
        self.publish.clicked.connect(self._send)
        self.token = QLineEdit(self)
        self.token.setReadOnly(True)
        self.caption = field_label(tr("Token (shown only once)"), self.token, self)
        self.copy = QPushButton(tr("Copy"), self)
        self.copy.setAccessibleName(tr("Copy token"))
        self.copy.setAutoDefault(False)
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.token.text()))
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 18)
        column.setSpacing(8)
        column.addWidget(label(told, "muted", self))
        column.addWidget(self._list(), 1)
        line = QHBoxLayout()
        line.addWidget(self.token, 1)
        line.addWidget(self.copy)
        column.addWidget(self.caption)
        column.addLayout(line)
        column.addWidget(self.problem)
        last = QHBoxLayout()
        last.addStretch(1)
        last.addWidget(self.publish)
        column.addLayout(last)
        for part in (self.caption, self.token, self.copy):
            part.hide()

    def show_token(self, token: str) -> None:
        """Show the token; it is shown only this once."""
        for _, box in self.boxes:
            box.setEnabled(False)
        self.problem.hide()
        self.publish.hide()
        self.token.setText(token)
        for part in (self.caption, self.token, self.copy):
            part.show()
        self.copy.setFocus()

    def fail(self, text: str) -> None:
        """Show why the assistant was not published."""
        self.problem.setText(text)
        self.problem.show()

    def _list(self) -> QScrollArea:
        """Return the check boxes in a scrollable list, because there may be many."""
        held = QWidget(self)
        held.setAutoFillBackground(False)
        column = QVBoxLayout(held)
        column.setContentsMargins(0, 0, 0, 0)
        for _, box in self.boxes:
            column.addWidget(box)
        column.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(held)
        scroll.viewport().setAutoFillBackground(False)
        return scroll

    def _box(self, tool: Tool, on: bool) -> QCheckBox:
        does = tr("makes changes") if tool.writes else tr("only reads")
        text = tr("{tool} of {server} ({does})", tool=tool.name, server=tool.server, does=does)
        box = QCheckBox(text.replace("&", "&&"), self)
        box.setChecked(on)
        return box

    def _send(self) -> None:
        self.agreed.emit([(tool.server, tool.name) for tool, box in self.boxes if box.isChecked()])
