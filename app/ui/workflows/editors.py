"""One argument of a step as something to choose or to type, with a line that says why a value is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCompleter,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.chat.blocks.document import code_font
from app.ui.settings.controls import Chooser, Switch
from app.ui.style.labels import label
from app.ui.style.polish import set_style
from app.ui.words import tr
from app.ui.workflows.choosing import Several
from app.ui.workflows.words import CHOSEN, LISTS, called, does, words_of

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent

    from app.data.editing.fields import Field

NOTHING = "\0"  # what stands for no choice


class Code(QPlainTextEdit):
    """Lines of code. Signals: left(text), once they were changed and the focus goes."""

    left = Signal(str)

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(text, parent)
        self.setFont(code_font())
        self.setTabChangesFocus(True)
        self.setFixedHeight(150)
        self._told = text

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell what was written."""
        super().focusOutEvent(event)
        if self.toPlainText() != self._told:
            self._told = self.toPlainText()
            self.left.emit(self._told)


class Editor(QWidget):
    """Edits one field. control: what has the focus; wrong: whether what it says is a fault.

    Signals: given(what was chosen or typed), typed() with each key.
    """

    given = Signal(object)
    typed = Signal()

    def __init__(self, field: Field, results: dict[str, str], parent: QWidget) -> None:
        super().__init__(parent)
        self.field = field
        self._results, self.wrong = results, False
        self.control = self._made()
        self.control.setAccessibleName(self.control.accessibleName() or called(field.name))
        self.setFocusProxy(self.control)
        self.control.setMinimumHeight(32)
        if isinstance(self.control, QPushButton):
            self.control.setAutoDefault(False)  # Return in a field would open it
        self.problem = label("", "problem", self)
        self.problem.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        row = QHBoxLayout()
        narrow = isinstance(self.control, Switch | QPushButton)
        row.addWidget(self.control, 0 if narrow else 1)
        row.addStretch(1 if narrow else 0)
        column.addLayout(row)
        column.addWidget(self.problem)

    def tell(self, text: str, *, wrong: bool = True) -> None:
        """Say why what was given is refused, or that it is looked for; nothing if all is well."""
        self.wrong = wrong and bool(text)
        set_style(self.problem, "problem" if wrong else "muted")
        self.problem.setText(text)
        self.problem.setVisible(bool(text))
        self.control.setAccessibleDescription(text)

    def _made(self) -> QWidget:
        field = self.field
        if field.kind == "switch":
            switch = Switch(self)
            switch.setChecked(bool(field.value))
            switch.toggled.connect(self.given.emit)
            return switch
        if field.kind == "code":
            return self._code()
        listed = field.kind == "choice" or (field.kind == "value" and field.many and field.choices)
        if not listed:
            return self._line()
        choices = tuple((value, self._label(value, text)) for value, text in field.choices)
        if field.many:
            held = cast("list[Any]", field.value or [])
            unlisted = tuple((v, str(v)) for v in held if v not in dict(field.choices))
            none = tr("choose …") if field.required else tr("all")
            several = Several(called(field.name), unlisted + choices, held, self, none)
            several.chosen.connect(self.given.emit)
            return several
        return self._chooser(choices)

    def _chooser(self, choices: tuple[tuple[Any, str], ...]) -> Chooser:
        chooser = Chooser(called(self.field.name), self)
        value = self.field.value
        open_ = self.field.required and value in (None, "")
        options = (
            [("", tr("choose …"))]
            if open_
            else []
            if self.field.required
            else [(NOTHING, tr("none"))]
        )
        options += [(str(value), text) for value, text in choices]
        chooser.set_options(
            options, NOTHING if value is None and not self.field.required else str(value or "")
        )
        chooser.chosen.connect(lambda text: self.given.emit(None if text == NOTHING else text))
        return chooser

    def _line(self) -> QLineEdit:
        line = QLineEdit(words_of(self.field.value, {}), self)
        if isinstance(self.field.value, float):
            line.setText(f"{self.field.value:.15g}")
        if self.field.kind == "day":
            line.setPlaceholderText("2024-03-31")
        if self.field.choices:
            completer = QCompleter([text for _, text in self.field.choices], line)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            line.setCompleter(completer)
        line.setProperty("told", line.text())
        line.textEdited.connect(lambda _: self.typed.emit())
        line.editingFinished.connect(lambda: self._typed(line))
        return line

    def _code(self) -> Code:
        made = Code(str(self.field.value or ""), self)
        made.left.connect(self.given.emit)
        return made

    def _typed(self, line: QLineEdit) -> None:
        if line.text() != line.property(
            "told"
        ):  # it is told twice when a box opens or the focus leaves
            line.setProperty("told", line.text())
            self.given.emit(line.text())

    def _label(self, value: Any, text: str) -> str:
        if self.field.name == "interface":
            return does(str(value))
        if self.field.name in LISTS and str(value) in CHOSEN:
            return tr(CHOSEN[str(value)])
        return self._results.get(str(value), text)
