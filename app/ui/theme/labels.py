"""Labels for words: of a style, wrapped or ended in …, and never taken for markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent


def label(text: str, style: str, parent: QWidget, *, copied: bool = False) -> QLabel:
    """Return a label.

    style: a name of the style sheet, such as title, muted, caption or problem; copied: its words
    can be selected.
    """
    made = QLabel(text, parent)
    made.setObjectName(style)
    made.setWordWrap(True)
    made.setTextFormat(Qt.TextFormat.PlainText)
    if copied:
        made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


def field_label(text: str, field: QWidget, parent: QWidget) -> QLabel:
    """Return the caption of a field, which is called so unless it has a name of its own."""
    made = label(text, "caption", parent)
    made.setBuddy(field)
    field.setAccessibleName(field.accessibleName() or text)
    return made


class ElidedLabel(QLabel):
    """Plain text on one line; the whole of it in the tool tip where it is cut."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(text, parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def minimumSizeHint(self) -> QSize:
        """Shrink to a few letters."""
        return QSize(min(self.sizeHint().width(), 24), super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text, cut if need be."""
        painter = QPainter(self)
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        self.setToolTip(self.text() if text != self.text() else "")
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.rect(), int(flags), text)
