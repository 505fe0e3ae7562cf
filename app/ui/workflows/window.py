"""The steps of a workflow in a window: looked at, changed, run again, kept under a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.data.editing.changes import changed
from app.ui.words import tr
from app.ui.workflows.form import StepForm
from app.ui.workflows.listing import came
from app.ui.workflows.words import changes, does, numbered

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.data.editing.fields import Path
    from app.data.editing.ground import Ground
    from app.ui.style.tokens import Tokens
    from backends.kernel.workflow.step import Workflow
    from backends.kernel.workflow.told import WorkflowResult

    On = Callable[[Workflow, WorkflowResult | None], Ground]


class StepsWindow(QDialog):
    """Signals: run_wanted(), stop_wanted(), keep_wanted().

    workflow: as it was changed; before: as it was opened, or last run. found: what came of that.
    """

    run_wanted = Signal()
    stop_wanted = Signal()
    keep_wanted = Signal()

    def __init__(
        self, workflow: Workflow, result: WorkflowResult | None, on: On, tokens: Tokens, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Steps"))
        self.resize(840, 680)
        self.workflow = self.before = workflow
        self.found = result
        self._on, self._busy, self._tokens = on, False, tokens
        self.list = QListWidget(self)
        self.list.setAccessibleName(tr("Steps"))
        self.list.setWordWrap(True)
        self.about = self._label("title")
        self.form = StepForm(self)
        self.form.changed.connect(self._take)
        self.came = self._label("")
        self.came.setTextFormat(Qt.TextFormat.RichText)
        self.told = self._label("muted")
        self.run = QPushButton(tr("Run again"), self)
        self.run.setObjectName("primary")
        self.run.setAutoDefault(False)
        self.run.clicked.connect(lambda: (self.stop_wanted if self._busy else self.run_wanted).emit())
        self.keep = QPushButton(tr("Keep in the library …"), self)
        self.keep.setAutoDefault(False)
        self.keep.clicked.connect(self.keep_wanted.emit)
        self._lay_out()
        self.list.currentRowChanged.connect(lambda _: self._show_step())
        QShortcut(QKeySequence("Ctrl+W"), self).activated.connect(self.close)
        QShortcut(QKeySequence("Ctrl+Return"), self).activated.connect(self.run.click)
        self._show_all()
        self._show_step()
        self.list.setFocus()

    def _lay_out(self) -> None:
        side = QFrame(self)
        side.setObjectName("sidebar")
        side.setFixedWidth(240)
        left = QVBoxLayout(side)
        left.setContentsMargins(10, 14, 10, 12)
        left.addWidget(self.list)
        held = QWidget(self)
        column = QVBoxLayout(held)
        column.setContentsMargins(24, 18, 24, 12)
        column.setSpacing(12)
        for part in (self.about, self.form, self.came):
            column.addWidget(part)
        column.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(held)
        held.setAutoFillBackground(False)
        scroll.viewport().setAutoFillBackground(False)
        below = QHBoxLayout()
        below.setContentsMargins(24, 8, 16, 14)
        below.setSpacing(8)
        below.addWidget(self.told, 1)
        below.addWidget(self.keep)
        below.addWidget(self.run)
        right = QVBoxLayout()
        right.addWidget(scroll, 1)
        right.addLayout(below)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(side)
        row.addLayout(right, 1)

    def _label(self, name: str) -> QLabel:
        made = QLabel(self)
        made.setObjectName(name)
        made.setWordWrap(True)
        made.setTextFormat(Qt.TextFormat.PlainText)
        made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return made

    @property
    def names(self) -> dict[str, str]:
        """What the tables are called, by uuid."""
        return self._on(self.workflow, self.found).names

    @property
    def changes(self) -> str:
        """What was changed since it ran, in words."""
        return changes(self.before, self.workflow, self.names)

    def set_busy(self, busy: bool) -> None:
        """Show that it runs; the button stops it then."""
        self._busy = busy
        self.run.setText(tr("Stop") if busy else tr("Run again"))
        self.keep.setEnabled(not busy)
        if busy:
            self.tell(tr("Running …"))

    def tell(self, text: str, *, wrong: bool = False) -> None:
        """Say something below."""
        self.told.setObjectName("problem" if wrong else "muted")
        self.told.style().unpolish(self.told)
        self.told.style().polish(self.told)
        self.told.setText(text)

    def show_result(self, workflow: Workflow, result: WorkflowResult) -> None:
        """Show what came of a run; a step that failed is gone to."""
        self.found = result
        if not result.failed:
            self.before = workflow
        self._show_all()
        ids = [step.id for step in self.workflow.steps]
        if result.failed:
            self.list.setCurrentRow(ids.index(result.failed[0].id))
        self._show_step()

    def _take(self, path: Path, value: object) -> None:
        step = self.workflow.steps[self.list.currentRow()]
        self.workflow = changed(self.workflow, step.id, path, value)
        told = self.changes
        self.tell(tr("Changed, not run yet: {changes}", changes=told) if told else "")
        QTimer.singleShot(0, self, self._after)  # the field that told it is about to be replaced

    def _after(self) -> None:
        self._show_all()
        self._show_step()

    def _show_all(self) -> None:
        """Name the steps, those that were changed and those that failed among them."""
        by_id = {told.id: told for told in self.found.steps} if self.found else {}
        row = max(0, self.list.currentRow())
        self.list.blockSignals(True)
        self.list.clear()
        for number, (old, step) in enumerate(zip(self.before.steps, self.workflow.steps, strict=True), 1):
            text = f"{number}  {does(step.interface)}"
            if old != step:
                text = tr("{step} (changed)", step=text)
            elif step.id in by_id and by_id[step.id].error:
                text = tr("{step} (failed)", step=text)
            self.list.addItem(text)
        self.list.setCurrentRow(row)
        self.list.blockSignals(False)

    def _show_step(self) -> None:
        step = self.workflow.steps[self.list.currentRow()]
        ground = self._on(self.workflow, self.found)
        self.about.setText(f"{self.list.currentRow() + 1}  {does(step.interface)}")
        self.form.show_step(step, ground, numbered(self.workflow))
        told = {one.id: one for one in self.found.steps}.get(step.id) if self.found else None
        self.came.setText(came(told, self._tokens) if self.found else "")
