"""Code in the conversation: the card that asks before code runs, and the highlight on the running
line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFontMetrics,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.domain.code import LANGUAGES, SHOWN
from app.ui.markdown.code import colour, language_of
from app.ui.markdown.document import code_font
from app.ui.theme.i18n import tr
from app.ui.theme.style import polish, set_style
from app.ui.theme.tokens import COLUMN, LIGHT, RADIUS, Tokens

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.services.consents import Consent
    from app.ui.chat.turn import TurnEntry


LINES = (2, 12)  # minimum and maximum number of lines of code shown
PAD = 10
NAMES = {
    "python": "python",
    "shell": "bash",
    "javascript": "javascript",
    "r": "r",
    "html": "html",
}


class CodeCard(QFrame):
    """Asks whether code may run.

    Signals: answered(whether the code may run, the code, whether the answer applies for the rest of
    the conversation).
    """

    answered = Signal(bool, str, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.setMaximumWidth(COLUMN + 40)
        self.setAccessibleName(tr("Code waiting for permission"))
        self._tokens = LIGHT
        self._language = ""
        self.title, self.about = QLabel(self), QLabel(self)
        self.title.setObjectName("cardTitle")
        self.about.setWordWrap(True)
        self.about.setTextFormat(Qt.TextFormat.PlainText)
        self.code = QPlainTextEdit(self)
        self.code.setAccessibleName(tr("Code"))
        self.code.setTabChangesFocus(True)
        self.code.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.code.textChanged.connect(self._dress_code)
        self.always = QCheckBox(tr("Don't ask again in this conversation"), self)
        self.deny, self.edit, self.run = (
            QPushButton(tr("Deny"), self),
            QPushButton(tr("Edit"), self),
            QPushButton(tr("Run"), self),
        )
        self.run.setObjectName("primary")
        self.deny.clicked.connect(lambda: self._answer(False))
        self.edit.clicked.connect(self._on_edit)
        self.run.clicked.connect(lambda: self._answer(True))
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(8)
        column.addWidget(self.title)
        column.addWidget(self.code)
        column.addWidget(self.about)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.always)
        row.addStretch(1)
        for button in (self.deny, self.edit, self.run):
            row.addWidget(button)
        column.addLayout(row)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.hide()

    def ask(self, consent: Consent) -> None:
        """Show code and ask whether it may run; it does not run until the user answers."""
        proposal = consent.code
        assert proposal is not None
        self._language = NAMES[proposal.language]
        self.title.setText(tr("Run this {language} code?", language=SHOWN[proposal.language]))
        cut_off = tr(
            "The code runs in a sandbox without network access and without access to your files."
        )
        open_ = tr("This machine has no sandbox: the code can read your files and use the network.")
        limits = tr("Limits: {limits}.", limits=proposal.limits)
        self.about.setText(f"{cut_off if proposal.boxed else open_} {limits}")
        set_style(self.about, "muted" if proposal.boxed else "wrong")
        self.always.setChecked(False)
        self.code.setReadOnly(True)
        self.edit.setEnabled(True)
        self.code.setPlainText(proposal.code)
        low, high = LINES
        lines = min(high, max(low, proposal.code.count("\n") + 1))
        margins = 2 * PAD + 2 * int(self.code.document().documentMargin()) + 14
        self.code.setFixedHeight(QFontMetrics(code_font()).lineSpacing() * lines + margins)
        self.show()

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme."""
        self._tokens = tokens
        families = ", ".join(f'"{name}"' for name in code_font().families())
        self.code.setStyleSheet(
            f"QPlainTextEdit {{ font-family: {families}; font-size: {code_font().pixelSize()}px;"
            f" background: {tokens.code}; border: 1px solid transparent; border-radius:"
            f" {RADIUS}px; "
            f'padding: {PAD}px; }} QPlainTextEdit[readOnly="false"] {{ border: 1px solid'
            f" {tokens.accent}; }}"
        )
        self._dress_code()

    def _on_edit(self) -> None:
        self.code.setReadOnly(False)
        polish(self.code)
        self.edit.setEnabled(False)
        self.code.setFocus()

    def _answer(self, allowed: bool) -> None:
        self.answered.emit(allowed, self.code.toPlainText(), self.always.isChecked())

    def _dress_code(self) -> None:
        """Apply syntax colours to the code without changing its text."""
        document = self.code.document()
        if self._language and not document.isEmpty():
            self.code.blockSignals(True)
            colour(document, self.code.toPlainText(), self._language, self._tokens)
            self.code.blockSignals(False)


@dataclass(frozen=True)
class RunningLine:
    """The line of code that is running. turn: None if no code is running. line: counted from 1."""

    turn: Turn | None = None
    line: int | None = None

    def marks_of(self, place: int, entry: TurnEntry) -> list[QAbstractTextDocumentLayout.Selection]:
        """Return the highlight to paint in a piece of a turn."""
        if self.turn is None or self.line is None or entry.turn.id != self.turn.id:
            return []
        code = [
            n
            for n, p in enumerate(entry.pieces)
            if p.kind == "code" and language_of(p.source) in LANGUAGES
        ]
        document = entry.pieces[place].document
        if not code or code[-1] != place or document is None:
            return []
        block = document.findBlockByNumber(self.line - 1)
        if not block.isValid():
            return []
        mark = QAbstractTextDocumentLayout.Selection()
        mark.cursor = QTextCursor(block)
        mark.format.setBackground(QColor(entry.tokens.flash))
        mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        return [mark]
