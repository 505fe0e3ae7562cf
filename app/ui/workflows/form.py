"""The arguments of a step as a form that explains why a value was rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QCompleter,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.data.workflow_editor.changes import Wrong, is_sought, placed, read, unfit
from app.data.workflow_editor.fields import OPERATORS, fields_of
from app.ui.controls.fields import Chooser, Switch
from app.ui.controls.labels import label
from app.ui.markdown.document import code_font
from app.ui.theme.i18n import said, tr
from app.ui.theme.style import set_style
from app.ui.workflows.words import CHOSEN, LISTS, called, does, words_of
from backends.data.steps import STEPS

if TYPE_CHECKING:
    from PySide6.QtGui import QAction, QFocusEvent, QKeyEvent, QMouseEvent

    from app.data.workflow_editor.fields import ArgumentField, ArgumentPath, EditContext
    from backends.data.workflow.step import Step


NAMED = 4  # maximum number of chosen values listed on the button


class TickMenu(QMenu):
    """A menu that stays open while items are selected."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Select or clear the item under the mouse."""
        if not self._tick(self.actionAt(event.position().toPoint())):
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Select or clear an item with Space; Return and Escape close the menu."""
        if event.key() != Qt.Key.Key_Space or not self._tick(self.activeAction()):
            super().keyPressEvent(event)

    def _tick(self, action: QAction | None) -> bool:
        if action is None or not action.isCheckable():
            return False
        action.trigger()
        return True


class Several(QPushButton):
    """A button that shows the chosen values. Signals: chosen(list) when the menu closes after a
    change.

    nothing: the text shown if no value is chosen; by default "all".
    """

    chosen = Signal(object)

    def __init__(
        self,
        name: str,
        choices: tuple[tuple[Any, str], ...],
        value: list[Any],
        parent: QWidget,
        nothing: str = "",
    ) -> None:
        super().__init__(parent)
        self._name, self._before = name, list(value)
        self._nothing = nothing or tr("all")
        self.value = list(value)
        self.choices = TickMenu(self)
        self._words = dict(choices)
        for one, words in choices:
            action = self.choices.addAction(words)
            action.setCheckable(True)
            action.setChecked(one in value)
            action.toggled.connect(lambda on, one=one: self._toggle(one, on))
        self.choices.aboutToHide.connect(self._hidden)
        self.setMenu(self.choices)
        self._show()

    def _toggle(self, one: Any, on: bool) -> None:
        self.value = [v for v in self.value if v != one] + ([one] if on else [])
        self._show()

    def _show(self) -> None:
        words = [self._words.get(v, str(v)) for v in self.value]
        text = ", ".join(words[:NAMED]) + (" …" if len(words) > NAMED else "")
        self.setText(f"{text or self._nothing}  ▾")
        self.setAccessibleName(f"{self._name}: {', '.join(words) or self._nothing}")

    def _hidden(self) -> None:
        if self.value != self._before:
            self._before = list(self.value)
            self.chosen.emit(self.value)


NOTHING = "\0"  # this represents no choice


class Code(QPlainTextEdit):
    """A field for code. Signals: left(text) when it loses the focus after its text has changed."""

    left = Signal(str)

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(text, parent)
        self.setFont(code_font())
        self.setTabChangesFocus(True)
        self.setFixedHeight(150)
        self._told = text

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Report the text."""
        super().focusOutEvent(event)
        if self.toPlainText() != self._told:
            self._told = self.toPlainText()
            self.left.emit(self._told)


class FieldEditor(QWidget):
    """The editor of a field. control: the part that takes the focus. wrong: whether its value was
    rejected.

    Signals: given(value), typed() for each key press.
    """

    given = Signal(object)
    typed = Signal()

    def __init__(self, field: ArgumentField, results: dict[str, str], parent: QWidget) -> None:
        super().__init__(parent)
        self.field = field
        self._results, self.wrong = results, False
        self.control = self._made()
        self.control.setAccessibleName(self.control.accessibleName() or called(field.name))
        self.setFocusProxy(self.control)
        self.control.setMinimumHeight(32)
        if isinstance(self.control, QPushButton):
            # otherwise, pressing Return in another field would open the dialog
            self.control.setAutoDefault(False)
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
        """Show why an entry was rejected, or that it is being looked up; an empty text hides the
        message.
        """
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
        ):  # because editingFinished is emitted twice when a message box opens or the focus moves
            line.setProperty("told", line.text())
            self.given.emit(line.text())

    def _label(self, value: Any, text: str) -> str:
        if self.field.name == "interface":
            return does(str(value))
        if self.field.name in LISTS and str(value) in CHOSEN:
            return tr(CHOSEN[str(value)])
        return self._results.get(str(value), text)


class StepForm(QWidget):
    """The form for a step.

    Signals, each with the step's id first: changed(path, value) for an accepted value, or None to
    remove an argument; sought(field, entered text, ground) for a value that must be looked up;
    typed(path) for each key press.
    """

    changed = Signal(str, object, object)
    sought = Signal(str, object, object, object)
    typed = Signal(str, object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.editors: dict[ArgumentPath, FieldEditor] = {}
        self.removers: dict[ArgumentPath, QPushButton] = {}
        self.add: QPushButton | None = None
        self._step: Step | None = None
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnMinimumWidth(0, 110)
        self._grid.setColumnStretch(1, 1)
        self.setMaximumWidth(560)

    @property
    def problems(self) -> list[FieldEditor]:
        """Return the fields whose values were rejected."""
        return [editor for editor in self.editors.values() if editor.wrong]

    def show_step(self, step: Step, ground: EditContext, results: dict[str, str]) -> None:
        """Show the arguments of a step; a field that has the focus keeps it."""
        focused = next((path for path, e in self.editors.items() if e.control.hasFocus()), None)
        self._clear()
        self._step = step
        for field in fields_of(step, ground):
            editor = FieldEditor(field, results, self)
            editor.given.connect(lambda given, editor=editor: self._take(editor, given, ground))
            editor.typed.connect(lambda path=field.path: self.typed.emit(step.id, path))
            self.editors[field.path] = editor
        self._place(step)
        for path, text in unfit(step).items():
            if (editor := self._near(path)) is not None:
                editor.tell(said(text))
        if focused in self.editors:
            QTimer.singleShot(0, self, lambda: self._focus(focused))

    def _near(self, path: ArgumentPath) -> FieldEditor | None:
        """Return the field of an argument, or the first field of its parts."""
        inside = next((editor for at, editor in self.editors.items() if at[:1] == path[:1]), None)
        return self.editors.get(path) or self.editors.get(path[:1]) or inside

    def tell(self, step_id: str, path: ArgumentPath, text: str, *, wrong: bool = True) -> bool:
        """Show a text beside a field, or hide it; return whether the field exists."""
        editor = (
            self.editors.get(path) if self._step is not None and self._step.id == step_id else None
        )
        if editor is not None:
            editor.tell(text, wrong=wrong)
        return editor is not None

    def focus_problem(self) -> None:
        """Focus the first rejected field; if there is none, the first field."""
        first = next(iter(self.problems or self.editors.values()), None)
        if first is not None:
            path = first.field.path
            QTimer.singleShot(0, self, lambda: self._focus(path))  # once the form is visible

    def _focus(self, path: ArgumentPath | None) -> None:
        if path in self.editors:
            self.editors[path].control.setFocus()

    def _clear(self) -> None:
        self.editors, self.removers, self.add = {}, {}, None
        while (item := self._grid.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()

    def _place(self, step: Step) -> None:
        groups: dict[ArgumentPath, list[FieldEditor]] = {}
        for path, editor in self.editors.items():
            groups.setdefault(path[:-1] if "where" in path else path, []).append(editor)
        for row, (path, editors) in enumerate(groups.items()):
            label = QLabel(called("where" if "where" in path else editors[0].field.name), self)
            label.setObjectName("muted")
            label.setBuddy(editors[0].control)
            label.setFixedHeight(32)
            self._grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(
                self._line(path, editors) if "where" in path else editors[0], row, 1
            )
        if "where" in STEPS[step.interface].arguments.model_fields:
            self.add = self._link(tr("Add a condition"), tr("Add a condition"))
            self.add.clicked.connect(self._add)
            self._grid.addWidget(self.add, len(groups), 1, Qt.AlignmentFlag.AlignLeft)

    def _line(self, path: ArgumentPath, editors: list[FieldEditor]) -> QWidget:
        """Return a condition on one line, with the button that removes it."""
        held = QWidget(self)
        row = QHBoxLayout(held)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for editor in editors:
            row.addWidget(editor, 1)
        remove = self._link(
            tr("Remove"), tr("Remove the condition on {column}", column=editors[0].field.value)
        )
        remove.clicked.connect(lambda: self._change(path, None))
        row.addWidget(remove, 0, Qt.AlignmentFlag.AlignTop)
        self.removers[path] = remove
        return held

    def _link(self, text: str, name: str) -> QPushButton:
        made = QPushButton(text, self)
        made.setObjectName("link")
        made.setAutoDefault(False)
        made.setAccessibleName(name)
        return made

    def _add(self) -> None:
        assert self._step is not None
        field = next(
            (e.field for e in self.editors.values() if e.field.path[-1] in ("columns", "by")), None
        )
        held: list[Any] = self._step.arguments.get("where") or []
        column = field.choices[0][0] if field is not None and field.choices else ""
        self._change(
            ("where",), placed(held, (len(held),), {"column": column, "op": OPERATORS[-1]})
        )

    def _take(self, editor: FieldEditor, given: Any, ground: EditContext) -> None:
        field: ArgumentField = editor.field
        if is_sought(field):
            assert self._step is not None
            self.sought.emit(self._step.id, field, given, ground)
            return
        try:
            value = read(field, given, ground)
        except Wrong as error:
            editor.tell(said(error.text))
            return
        editor.tell("")
        self._change(field.path, value)

    def _change(self, path: ArgumentPath, value: Any) -> None:
        assert self._step is not None
        self.changed.emit(self._step.id, path, value)
