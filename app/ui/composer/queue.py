"""The parts above the text field that show queued questions and the notice of an edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from app.ui.controls.keys import named_after
from app.ui.controls.labels import ElidedLabel
from app.ui.theme.i18n import tr
from app.ui.theme.icons import icon
from app.ui.theme.tokens import LIGHT, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable


MOST = 4  # maximum number of questions shown; any others are only counted


class Waiting(QWidget):
    """The queued questions, one per line.

    Signals: sent(n) to send question n now, taken(n) to edit it, dropped(n) to discard it.
    """

    sent = Signal(int)
    taken = Signal(int)
    dropped = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._tokens: Tokens = LIGHT
        self._questions: list[str] = []
        self._reason = ""
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 2)
        self._column.setSpacing(2)
        self.hide()

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self._tokens = tokens
        self.show_questions(self._questions, self._reason)

    def show_questions(self, questions: list[str], reason: str) -> None:
        """Show the questions in the order they will be sent. reason: why no question can be sent
        now; empty if one can be.
        """
        self._questions, self._reason = list(questions), reason
        while item := self._column.takeAt(0):
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for number, question in enumerate(questions[:MOST]):
            self._column.addWidget(self._line(number, question))
        if questions and reason:
            self._column.insertWidget(0, caption(reason, self))
        if len(questions) > MOST:
            self._column.addWidget(caption(tr("and %n more", "", len(questions) - MOST), self))
        self.setVisible(bool(questions))

    def _line(self, number: int, question: str) -> QWidget:
        line = QWidget(self)
        words = ElidedLabel(" ".join(question.split()), line)
        words.setObjectName("muted")
        row = QHBoxLayout(line)
        row.setContentsMargins(2, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(caption(tr("Next") if number == 0 else tr("Then"), line))
        row.addWidget(words, 1)
        told = words.text()[:60]
        buttons = [("edit", tr("Edit"), self.taken), ("close", tr("Discard"), self.dropped)]
        if not self._reason:
            buttons.insert(0, ("send", tr("Ask now"), self.sent))
        for name, label, signal in buttons:
            row.addWidget(
                small(
                    name, f"{label}: {told}", label, self._tokens, lambda s=signal: s.emit(number)
                )
            )
        return line


class EditNotice(QWidget):
    """Says that a question is being edited. Signals: left()."""

    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        label = tr("Cancel editing")
        self._close = small("close", label, label, LIGHT, self.left.emit)
        named_after(self._close, "turn.stop", label)
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 0, 0, 2)
        row.addWidget(caption(tr("Editing your question. The old one stays as a branch."), self), 1)
        row.addWidget(self._close)
        self.hide()

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self._close.setIcon(icon("close", tokens.muted, 14))


def caption(text: str, parent: QWidget) -> QLabel:
    """Return a label in small, muted type."""
    label = QLabel(text, parent)
    label.setObjectName("caption")
    return label


def small(
    name: str, spoken: str, label: str, tokens: Tokens, pressed: Callable[[], object]
) -> QToolButton:
    """Return a small button. spoken: its accessible name."""
    button = QToolButton()
    button.setObjectName("tile")
    button.setAccessibleName(spoken)
    button.setToolTip(label)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setIconSize(QSize(14, 14))
    button.setIcon(icon(name, tokens.muted, 14))
    button.clicked.connect(lambda _=False: pressed())
    return button
