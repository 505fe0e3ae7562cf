"""A note typed by the user."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QTimer, Signal
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from app.openbb.kinds import NOTE
from app.ui.controls.labels import fit_editor, is_endless
from app.ui.dashboard.bodies import WidgetView
from app.ui.theme.i18n import tr

SETTLED_MS = 400


class NoteBody(QPlainTextEdit):
    """The text of a note. Signals: written(text) shortly after the last key press, and when the
    field loses the focus.
    """

    written = Signal(str)

    def __init__(self, text: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        fit_editor(self, text)
        self.setPlainText(text)
        self.setObjectName("note")
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setPlaceholderText(tr("Write a note. You can attach it to questions."))
        self._timer = QTimer(self, singleShot=True, interval=SETTLED_MS)
        self._timer.timeout.connect(self._tell)
        self.textChanged.connect(self._timer.start)
        self.textChanged.connect(lambda: fit_editor(self, self.toPlainText()))

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Insert pasted text, breaking very long words."""
        if source.hasText() and is_endless(source.text()):
            fit_editor(self, source.text())
        super().insertFromMimeData(source)

    def keep(self) -> None:
        """Report the text now."""
        if self._timer.isActive():
            self._timer.stop()
            self._tell()

    def _tell(self) -> None:
        self.written.emit(self.toPlainText())


VIEW = WidgetView(NOTE, lambda content, name: NoteBody(str(content.value), name), enlarges=False)
