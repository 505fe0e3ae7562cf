"""The notice at the bottom of a pane, with an Undo button if something can be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from app.ui.controls.labels import ElidedLabel
from app.ui.theme.i18n import tr

if TYPE_CHECKING:
    from PySide6.QtCore import QRect

SHOWN_MS, LONGER_MS, MARGIN = 8000, 60_000, 12


class Notice(QFrame):
    """A notice that hides after eight seconds, unless the mouse or the focus is on it.

    Signals: undone().
    """

    undone = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self.label = ElidedLabel("", self)
        self.undo = QPushButton(tr("Undo"), self)
        self.undo.setObjectName("link")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.addWidget(self.label, 1)
        row.addWidget(self.undo)
        self._timer = QTimer(self)
        self._timer.setInterval(SHOWN_MS)
        self._timer.timeout.connect(self._go)
        self.undo.clicked.connect(self._on_undo)
        self._key = QShortcut(QKeySequence(QKeySequence.StandardKey.Undo), parent)
        self._key.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._key.activated.connect(self._on_key)
        self.hide()

    def tell(self, text: str, *, undoable: bool = True, whole: bool = False) -> None:
        """Show a line of text for a while. whole: whether much was removed at once, so that the
        notice stays longer.
        """
        self.label.setText(text)
        self.undo.setVisible(undoable)
        self.undo.setAccessibleName(tr("{text}. Undo", text=text))
        self.show()
        self.raise_()
        self._timer.start(LONGER_MS if whole else SHOWN_MS)
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def fit(self, box: QRect) -> None:
        """Move to the bottom of a rectangle."""
        height = self.sizeHint().height()
        width = max(box.width() - 2 * MARGIN, 0)
        self.setGeometry(box.x() + MARGIN, box.bottom() - height - MARGIN, width, height)

    def _go(self) -> None:
        if not self.underMouse() and not self.undo.hasFocus():
            self._timer.stop()
            self.hide()

    def _on_key(self) -> None:
        if self.undo.isVisible():
            self._on_undo()

    def _on_undo(self) -> None:
        self._timer.stop()
        self.hide()
        self.undone.emit()
