"""The dialog that asks for the parameters of a workflow before it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCompleter,
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.data.workflow_editor.changes import Wrong, read
from app.data.workflow_editor.fields import ArgumentField, same
from app.ui.controls.labels import field_label, label
from app.ui.theme.i18n import said, tr
from app.ui.workflows.words import asked, words_of

if TYPE_CHECKING:
    from app.data.workflow_editor.fields import EditContext
    from backends.data.workflow.step import Parameter, Workflow

KINDS: dict[str, Any] = {"number": "number", "date": "day", "text": "text"}


class ValuesWindow(QDialog):
    """The dialog. Signals: given({parameter: value})."""

    given = Signal(object)

    def __init__(self, name: str, workflow: Workflow, ground: EditContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Run {name}", name=name))
        self.resize(420, 120)
        self._ground, self._parameters = ground, workflow.parameters
        self.lines: dict[str, QLineEdit] = {}
        self.problems: dict[str, QLabel] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 18)
        column.setSpacing(6)
        for parameter in workflow.parameters:
            self._add(parameter, column)
        self.run = QPushButton(tr("Run"), self)
        self.run.setObjectName("primary")
        self.run.clicked.connect(self._run)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.run)
        column.addLayout(row)

    def _add(self, parameter: Parameter, column: QVBoxLayout) -> None:
        words = asked(parameter.name)
        line = QLineEdit(words_of(parameter.default, {}), self)
        line.setToolTip(parameter.description)
        if parameter.choices:
            line.setCompleter(QCompleter([str(choice) for choice in parameter.choices], line))
        problem = label("", "problem", self)
        problem.hide()
        for part in (field_label(words, line, self), line, problem):
            column.addWidget(part)
        self.lines[parameter.name], self.problems[parameter.name] = line, problem

    def _run(self) -> None:
        """Read the entries and report them; the first rejected field gets the focus."""
        values: dict[str, Any] = {}
        wrong: list[str] = []
        for parameter in self._parameters:
            choices = same(list(parameter.choices))
            kind = "value" if choices else KINDS[parameter.type]
            field = ArgumentField(
                (parameter.name,), kind, required=True, choices=choices, column=("", parameter.name)
            )
            problem = self.problems[parameter.name]
            try:
                values[parameter.name] = read(
                    field, self.lines[parameter.name].text(), self._ground
                )
                problem.hide()
            except Wrong as error:
                problem.setText(said(error.text))
                problem.show()
                wrong.append(parameter.name)
        if wrong:
            self.lines[wrong[0]].setFocus()
            return
        self.accept()
        self.given.emit(values)
