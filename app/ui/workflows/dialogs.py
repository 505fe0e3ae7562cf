"""The dialogs for workflows: one saves a workflow with its parameters, and the other asks for the
parameters before a workflow runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QCompleter,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.data.workflow_editor.changes import Wrong, read
from app.data.workflow_editor.fields import ArgumentField, same
from app.services.library.workflows import offered
from app.ui.controls.labels import field_label, label
from app.ui.theme.i18n import said, tr
from app.ui.workflows.words import asked, called, numbered, words_of

if TYPE_CHECKING:
    from app.data.workflow_editor.fields import EditContext
    from backends.data.workflow.step import Parameter, Workflow


class KeepWindow(QDialog):
    """The dialog that saves a workflow. Signals: kept(name, description, {parameter: paths}).

    told: the workflow's name, which can be changed only if it is empty, and its description. named:
    the paths of the workflow's current parameters, by name.
    """

    kept = Signal(str, str, object)

    def __init__(
        self, workflow: Workflow, told: tuple[str, str], named: dict[str, str], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Save in the library"))
        self.resize(520, 420)
        name, about = told
        self.name, self.about = QLineEdit(name, self), QLineEdit(about, self)
        self.name.setReadOnly(bool(name))
        self.name.setPlaceholderText(tr("shop_sales"))
        self.rows: list[tuple[QCheckBox, QLineEdit, str]] = []
        self.problem = label("", "problem", self)
        self.problem.hide()
        self.save = QPushButton(tr("Validate and save"), self)
        self.save.setObjectName("primary")
        self.save.clicked.connect(self._save)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 18)
        column.setSpacing(8)
        for words, part in ((tr("Name"), self.name), (tr("Description"), self.about)):
            column.addWidget(field_label(words, part, self))
            column.addWidget(part)
        column.addWidget(label(tr("Asked for at each run"), "caption", self))
        column.addLayout(self._offers(workflow, named))
        column.addStretch(1)
        column.addWidget(self.problem)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.save)
        column.addLayout(row)

    def _offers(self, workflow: Workflow, named: dict[str, str]) -> QGridLayout:
        """Lay out the arguments that can become parameters, each with a field for the parameter's
        name.
        """
        grid = QGridLayout()
        grid.setColumnStretch(0, 1)
        steps, taken = (
            numbered(workflow),
            {p: n for n, places in named.items() for p in places.split(",")},
        )
        for number, (place, value) in enumerate(offered(workflow).items()):
            step, *path = place.split(".")
            argument = next(part for part in reversed(path) if not part.isdigit())
            text = tr(
                "{argument}: {value} ({step})",
                argument=called(argument),
                value=words_of(value, {}),
                step=steps[step],
            )
            box, line = (
                QCheckBox(text, self),
                QLineEdit(taken.get(place, argument.rstrip("_")), self),
            )
            line.setAccessibleName(tr("Name of the parameter {text}", text=text))
            line.setFixedWidth(140)
            box.setChecked(place in taken)
            line.setEnabled(place in taken)
            box.toggled.connect(line.setEnabled)
            grid.addWidget(box, number, 0)
            grid.addWidget(line, number, 1)
            self.rows.append((box, line, place))
        return grid

    def _save(self) -> None:
        named: dict[str, str] = {}
        for box, line, place in self.rows:
            if box.isChecked():
                name = line.text().strip()
                named[name] = f"{named[name]},{place}" if name in named else place
        self.kept.emit(self.name.text(), self.about.text(), named)

    def tell(self, text: str) -> None:
        """Show why the workflow was not saved; the text that was entered stays."""
        self.problem.setText(text)
        self.problem.setVisible(bool(text))

    def set_busy(self, busy: bool) -> None:
        """Show whether the workflow is being validated."""
        self.save.setEnabled(not busy)
        self.save.setText(tr("Validating …") if busy else tr("Validate and save"))


KINDS: dict[str, Any] = {"number": "number", "date": "day", "text": "text"}


class ValuesWindow(QDialog):
    """The dialog that asks for the values of a workflow's parameters. Signals: given({parameter:
    value}).
    """

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
        """Read and report the entries; if any are rejected, the first rejected field gets the
        focus.
        """
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
