"""Labels that fit their space and break long words, and text as HTML, with untrusted text
escaped.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from PySide6 import QtCore
from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QTextDocument, QTextOption
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QSizePolicy, QTextEdit, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from app.ui.controls.actions import Action


LONGEST = 1500  # in characters; scripts without spaces already break between any two characters
BREAKS = r"\s\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef"
ENDLESS = re.compile(
    rf"(?<![^{BREAKS}])[^{BREAKS}]{{{LONGEST}}}"
)  # compiled once; it matches only at the start of a word
AT_WORDS, ANYWHERE = (
    QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere,
    QTextOption.WrapMode.WrapAnywhere,
)


def is_endless(text: str) -> bool:
    """Return whether a text contains a word of at least `LONGEST` characters."""
    return len(text) >= LONGEST and ENDLESS.search(text) is not None


def fit_document(document: QTextDocument, text: str, known: int = 0) -> None:
    """Make a document with very long words quick to lay out.

    known: the number of characters at its start that have already been checked.
    """
    option = document.defaultTextOption()
    if known and option.wrapMode() == ANYWHERE:
        return
    wanted = ANYWHERE if is_endless(text[max(0, known - LONGEST) :]) else AT_WORDS
    if option.wrapMode() != wanted:
        option.setWrapMode(wanted)
        document.setDefaultTextOption(option)


def fit_editor(editor: QPlainTextEdit | QTextEdit, text: str) -> None:
    """Make a text field with very long words quick to lay out."""
    wanted = ANYWHERE if is_endless(text) else AT_WORDS
    if editor.wordWrapMode() != wanted:
        editor.setWordWrapMode(wanted)


def label(text: str, style: str, parent: QWidget, *, copied: bool = False) -> QLabel:
    """Return a label.

    style: a name from the style sheet, such as title, muted, caption or problem. copied: whether
    its text can be selected and copied.
    """
    made = QLabel(text, parent)
    made.setObjectName(style)
    made.setWordWrap(True)
    made.setTextFormat(QtCore.Qt.TextFormat.PlainText)
    if copied:
        made.setTextInteractionFlags(QtCore.Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


def field_label(text: str, field: QWidget, parent: QWidget) -> QLabel:
    """Return the caption of a field; it becomes the field's accessible name unless the field
    already has one.
    """
    made = label(text, "caption", parent)
    made.setBuddy(field)
    field.setAccessibleName(field.accessibleName() or text)
    return made


class ElidedLabel(QLabel):
    """Plain text on one line; if the text does not fit, the tooltip shows all of it."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(text, parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.setTextFormat(QtCore.Qt.TextFormat.PlainText)

    def minimumSizeHint(self) -> QSize:
        """Return a minimum size with room for only a few letters."""
        return QSize(min(self.sizeHint().width(), 24), super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text, shortened if necessary."""
        painter = QPainter(self)
        text = self.fontMetrics().elidedText(
            self.text(), QtCore.Qt.TextElideMode.ElideRight, self.width()
        )
        self.setToolTip(self.text() if text != self.text() else "")
        flags = QtCore.Qt.AlignmentFlag.AlignVCenter | QtCore.Qt.AlignmentFlag.AlignLeft
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.rect(), int(flags), text)


GAP = " &nbsp; "
UNBROKEN = 60


def link(action: Action, text: str, style: str = "") -> str:
    """Return a text as a link that runs an action."""
    return around(action, html.escape(text), style)


def around(action: Action, made: str, style: str = "") -> str:
    """Return HTML as a link that runs an action."""
    href = html.escape(action.href, quote=True)
    return f"<a href='{href}' style='text-decoration:none;{style}'>{made}</a>"


def grey(text: str, colour: str) -> str:
    """Return a text as HTML in a colour."""
    return f"<span style='color:{colour}'>{html.escape(text)}</span>"


def unbroken(text: str) -> str:
    """Keep a text on one line, unless it is probably longer than a line."""
    return text.replace(" ", "\u00a0") if len(text) <= UNBROKEN else text
