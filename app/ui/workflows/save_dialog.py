"""The dialog that saves a workflow: its name and its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.services.library.workflows import offered
from app.ui.controls.labels import field_label, label
from app.ui.theme.i18n import tr
from app.ui.workflows.words import called, numbered, words_of

if TYPE_CHECKING:
    from backends.data.workflow.step import Workflow


class KeepWindow(QDialog):
    """The dialog. Signals: kept(name, description, {parameter: paths}).

    told: the name, which cannot be changed unless it is empty, and the description. named: the
    paths of its current parameters, by name.
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
        """Show why the workflow was not saved; the entered text stays."""
        self.problem.setText(text)
        self.problem.setVisible(bool(text))

    def set_busy(self, busy: bool) -> None:
        """Show whether the workflow is being validated."""
        self.save.setEnabled(not busy)
        self.save.setText(tr("Validating …") if busy else tr("Validate and save"))
