"""Voice in the composer: dictated text in the text field, and the bar above it.

Dictated text is black once it is final and grey while it may still change. The bar shows the sound
level, the transcript or an offer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QPainter,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from app.services.voice.languages import WIDE
from app.ui.theme.i18n import tr
from app.ui.theme.style import set_style
from app.ui.theme.tokens import LIGHT, Tokens

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent
    from PySide6.QtWidgets import QPlainTextEdit

    from app.ui.theme.tokens import Tokens


BARS, WIDTH, GAP = 14, 3, 2
EVERY = 3  # number of levels per bar; fifty levels arrive each second


class Meter(QWidget):
    """Shows the sound levels of the last second, from 0 to 1, with the newest on the right."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(BARS * (WIDTH + GAP), 18)
        self.setAccessibleName(tr("Sound level"))
        self._tokens: Tokens = LIGHT
        self.levels = [0.0] * BARS
        self._taken: list[float] = []

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self._tokens = tokens
        self.update()

    def clear(self) -> None:
        """Remove all levels."""
        self.levels = [0.0] * BARS
        self._taken.clear()
        self.update()

    def add(self, level: float) -> None:
        """Add the next level, from 0 to 1."""
        self._taken.append(level)
        if len(self._taken) == EVERY:
            self.levels = [*self.levels[1:], max(self._taken)]
            self._taken.clear()
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bars."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for index, level in enumerate(self.levels):
            height = 3 + level * (self.height() - 3)
            colour = self._tokens.accent if level > 0.15 else self._tokens.hairline
            painter.setBrush(QColor(colour))
            bar = QRectF(index * (WIDTH + GAP), (self.height() - height) / 2, WIDTH, height)
            painter.drawRoundedRect(bar, 1.5, 1.5)


class VoiceBar(QFrame):
    """The state of voice input and output, on one line.

    Signals: dismissed() from its close button, acted() from its action button.
    """

    dismissed = Signal()
    acted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.meter = Meter(self)
        self.label = QLabel(self)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setWordWrap(True)
        self.button = QPushButton(tr("Cancel"), self)
        self.button.setObjectName("link")
        self.button.clicked.connect(self.dismissed)
        self.action = QPushButton(self)
        self.action.setAccessibleName(tr("Features"))  # until an action gives it a text
        self.action.clicked.connect(self.acted)
        self.action.hide()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        row.addWidget(self.meter)
        row.addWidget(self.label, 1)
        row.addWidget(self.action)
        row.addWidget(self.button)
        self.hide()

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self.meter.set_tokens(tokens)

    def tell(
        self,
        text: str,
        *,
        button: str,
        action: str = "",
        metered: bool = False,
        wrong: bool = False,
        silent: bool = False,
    ) -> None:
        """Show a line of text.

        action: the label of the action button. wrong: whether the text reports an error. silent:
        whether screen readers skip it.
        """
        news = (text != self.label.text() or self.isHidden()) and not silent
        self.label.setText(text)
        set_style(self.label, "wrong" if wrong else "muted")
        self.button.setText(button)
        self.button.setAccessibleName(f"{button}: {text}")
        self.action.setText(action)
        self.action.setAccessibleName(f"{action}: {text}")
        self.action.setVisible(bool(action))
        if metered and self.meter.isHidden():
            self.meter.clear()
        self.meter.setVisible(metered)
        self.show()
        if news:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))


class DictationText:
    """The part of the text field, at the cursor, that is rewritten during dictation.

    Undo removes it in a single step. Until the first word is recognised, the user can type as
    usual.
    """

    def __init__(self, editor: QPlainTextEdit, tokens: Tokens) -> None:
        self._editor = editor
        self._grey = QTextCharFormat()
        self._grey.setForeground(QColor(tokens.faint))
        self._start = self._end = 0
        self._placed = self._glued = self._begun = False

    def _place(self) -> None:
        """Start the dictated text at the cursor; the field is read-only until the text is final."""
        editor, cursor = self._editor, self._editor.textCursor()
        self._placed = True
        self._start = self._end = cursor.selectionEnd()
        cursor.setPosition(self._start)
        editor.setTextCursor(cursor)
        before = editor.toPlainText()[: self._start][-1:]
        self._glued = bool(before) and not before.isspace() and not WIDE.match(before)
        editor.setReadOnly(True)

    def show(self, committed: str, open_: str) -> None:
        """Show the transcript so far."""
        if committed or open_ or self._placed:
            self._write([(committed, QTextCharFormat()), (open_, self._grey)])

    def settle(self, text: str) -> None:
        """Write the final dictated text."""
        if text or self._placed:
            self._write([(text, QTextCharFormat())])
        self._editor.setReadOnly(False)

    def _write(self, parts: list[tuple[str, QTextCharFormat]]) -> None:
        if not self._placed:
            self._place()
        cursor = QTextCursor(self._editor.document())
        if self._begun:
            cursor.joinPreviousEditBlock()
        else:
            cursor.beginEditBlock()
        cursor.setPosition(self._start)
        cursor.setPosition(self._end, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        said = "".join(text for text, _ in parts)
        if said and self._glued:
            cursor.insertText(" ", QTextCharFormat())
        for text, form in parts:
            cursor.insertText(text, form)
        cursor.endEditBlock()
        self._begun = True
        self._end = cursor.position()
        self._editor.setTextCursor(cursor)
        self._editor.ensureCursorVisible()
