"""The dialog that reports a bad answer and shows what is sent and to whom."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.domain.copilot import OTHER, WRONG
from app.ui.theme.i18n import mark, tr

WIDTH = 420
SHOWN = {WRONG: mark("Incorrect or made up"), OTHER: mark("Something else")}


class RateAnswer(QDialog):
    """The dialog that reports a bad answer. Signals: sent(tags, comment)."""

    sent = Signal(list, str)

    def __init__(self, name: str, host: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("What is wrong with it?"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        told = QLabel(
            tr(
                "Sent to {name} at {host}: the question, its answer, and your comment.",
                name=name,
                host=host,
            ),
            self,
        )
        told.setTextFormat(Qt.TextFormat.PlainText)
        told.setWordWrap(True)
        told.setFixedWidth(WIDTH)
        told.setObjectName("muted")
        self.tags = {tag: QCheckBox(tr(text), self) for tag, text in SHOWN.items()}
        self.comment = QPlainTextEdit(self)
        self.comment.setAccessibleName(tr("Comment"))
        self.comment.setPlaceholderText(tr("Optional"))
        self.comment.setTabChangesFocus(True)
        self.comment.setFixedHeight(72)
        self.cancel, self.send = QPushButton(tr("Cancel"), self), QPushButton(tr("Send"), self)
        self.send.setObjectName("primary")
        self.send.setDefault(True)
        self.cancel.clicked.connect(self.reject)
        self.send.clicked.connect(self._send)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.send)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        column.setSpacing(12)
        for part in (told, *self.tags.values(), self.comment):
            column.addWidget(part)
        column.addLayout(buttons)

    def _send(self) -> None:
        chosen = [tag for tag, box in self.tags.items() if box.isChecked()]
        self.sent.emit(chosen, self.comment.toPlainText().strip())
        self.accept()
