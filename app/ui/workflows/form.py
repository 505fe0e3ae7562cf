"""The arguments of one step, to be changed; a value that is refused is told at its field, and not taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QPushButton, QWidget

from app.data.editing.changes import Wrong, is_sought, placed, read, unfit
from app.data.editing.fields import OPERATORS, fields_of
from app.ui.words import said, tr
from app.ui.workflows.editors import Editor
from app.ui.workflows.words import called
from backends.data.steps import STEPS

if TYPE_CHECKING:
    from app.data.editing.fields import Field, Ground, Path
    from backends.data.workflow.step import Step


class StepForm(QWidget):
    """Signals, each with the step's id first: changed(path, value) for what was taken, None takes an argument away;
    sought(field, what was given, ground) for what must be looked up; typed(path) with each key.
    """

    changed = Signal(str, object, object)
    sought = Signal(str, object, object, object)
    typed = Signal(str, object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.editors: dict[Path, Editor] = {}
        self.removers: dict[Path, QPushButton] = {}
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
    def problems(self) -> list[Editor]:
        """The fields that say why a value is refused."""
        return [editor for editor in self.editors.values() if editor.wrong]

    def show_step(self, step: Step, ground: Ground, results: dict[str, str]) -> None:
        """Show the arguments of a step; the field that has the focus keeps it."""
        focused = next((path for path, e in self.editors.items() if e.control.hasFocus()), None)
        self._clear()
        self._step = step
        for field in fields_of(step, ground):
            editor = Editor(field, results, self)
            editor.given.connect(lambda given, editor=editor: self._take(editor, given, ground))
            editor.typed.connect(lambda path=field.path: self.typed.emit(step.id, path))
            self.editors[field.path] = editor
        self._place(step)
        for path, text in unfit(step).items():
            if (editor := self._near(path)) is not None:
                editor.tell(said(text))
        if focused in self.editors:
            QTimer.singleShot(0, self, lambda: self._focus(focused))

    def _near(self, path: Path) -> Editor | None:
        """Return the field of an argument, or the first one of those it is made of."""
        inside = next((editor for at, editor in self.editors.items() if at[:1] == path[:1]), None)
        return self.editors.get(path) or self.editors.get(path[:1]) or inside

    def tell(self, step_id: str, path: Path, text: str, *, wrong: bool = True) -> bool:
        """Say something at a field, or nothing any more; return whether it is shown."""
        editor = (
            self.editors.get(path) if self._step is not None and self._step.id == step_id else None
        )
        if editor is not None:
            editor.tell(text, wrong=wrong)
        return editor is not None

    def focus_problem(self) -> None:
        """Go to the first field that is refused; to the first of all where none is."""
        first = next(iter(self.problems or self.editors.values()), None)
        if first is not None:
            path = first.field.path
            QTimer.singleShot(0, self, lambda: self._focus(path))  # once it is shown

    def _focus(self, path: Path | None) -> None:
        if path in self.editors:
            self.editors[path].control.setFocus()

    def _clear(self) -> None:
        self.editors, self.removers, self.add = {}, {}, None
        while (item := self._grid.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()

    def _place(self, step: Step) -> None:
        groups: dict[Path, list[Editor]] = {}
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

    def _line(self, path: Path, editors: list[Editor]) -> QWidget:
        """Return a condition on one line, with what takes it away."""
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

    def _take(self, editor: Editor, given: Any, ground: Ground) -> None:
        field: Field = editor.field
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

    def _change(self, path: Path, value: Any) -> None:
        assert self._step is not None
        self.changed.emit(self._step.id, path, value)
