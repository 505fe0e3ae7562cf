"""The steps of a workflow in a window: looked at, changed, put in another order, run again, kept
under a name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.data.editing.changes import changed, unfit
from app.ui.theme.labels import label
from app.ui.theme.polish import set_style
from app.ui.words import tr
from app.ui.workflows.form import StepForm
from app.ui.workflows.lines import came
from app.ui.workflows.step_list import Arranging, StepSide
from app.ui.workflows.words import changes, does, numbered

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QKeyEvent

    from app.data.editing.fields import Ground, Path
    from app.ui.theme.tokens import Tokens
    from backends.data.workflow.step import Workflow
    from backends.data.workflow.told import WorkflowResult

    On = Callable[[Workflow, WorkflowResult | None], Ground]


class StepsWindow(QDialog):
    """Signals: run_wanted(), part_wanted() for the steps before the one that is chosen,
    stop_wanted(), keep_wanted().

    workflow: as it was changed; before: as it was opened, or last run. found: what came of that.
    """

    run_wanted = Signal()
    part_wanted = Signal()
    stop_wanted = Signal()
    keep_wanted = Signal()

    def __init__(
        self,
        workflow: Workflow,
        result: WorkflowResult | None,
        on: On,
        tokens: Tokens,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Steps"))
        self.resize(840, 680)
        self.workflow = self.before = workflow
        self.found = result
        self._on, self._busy, self._tokens = on, False, tokens
        self.side = StepSide(tokens, self)
        self.list = self.side.list
        self.about = label("", "title", self, copied=True)
        self.form = StepForm(self)
        self.form.changed.connect(self._take)
        unknown = tr("What this step takes was not computed yet, so its columns are not known.")
        self.unknown = label(unknown, "muted", self, copied=True)
        self.part = self._button(tr("Compute the steps before it"), self.part_wanted.emit)
        self.came = label("", "", self, copied=True)
        self.came.setTextFormat(Qt.TextFormat.RichText)
        self.told = label("", "muted", self, copied=True)
        self.run = self._button(
            tr("Run again"), lambda: (self.stop_wanted if self._busy else self.run_wanted).emit()
        )
        self.run.setObjectName("primary")
        self.keep = self._button(tr("Keep in the library …"), self.keep_wanted.emit)
        self._lay_out()
        self.arranging = Arranging(self)
        self.list.currentRowChanged.connect(lambda _: self.show_step())
        QShortcut(QKeySequence("Ctrl+W"), self).activated.connect(self.close)
        QShortcut(QKeySequence("Ctrl+Return"), self).activated.connect(self.run.click)
        self.show_all()
        self.show_step()
        self.list.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the last change back, unless a field takes the key for what was typed in it."""
        if event.matches(QKeySequence.StandardKey.Undo):
            self.arranging.undo()
        else:
            super().keyPressEvent(event)

    def _lay_out(self) -> None:
        held = QWidget(self)
        column = QVBoxLayout(held)
        column.setContentsMargins(24, 18, 24, 12)
        column.setSpacing(12)
        for part in (self.about, self.unknown):
            column.addWidget(part)
        column.addWidget(self.part, 0, Qt.AlignmentFlag.AlignLeft)
        for part in (self.form, self.came):
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
        row.addWidget(self.side)
        row.addLayout(right, 1)

    def _button(self, text: str, pressed: Callable[[], object]) -> QPushButton:
        made = QPushButton(text, self)
        made.setAutoDefault(False)
        made.clicked.connect(lambda: pressed())
        return made

    def ground(self, workflow: Workflow | None = None) -> Ground:
        """Return what a workflow, this one by default, stands on."""
        return self._on(workflow or self.workflow, self.found)

    @property
    def row(self) -> int:
        """The step that is chosen."""
        return self.list.currentRow()

    @property
    def busy(self) -> bool:
        """Whether the steps run."""
        return self._busy

    @property
    def changes(self) -> str:
        """What was changed since it ran, in words."""
        return changes(self.before, self.workflow, self.ground().names)

    @property
    def ready(self) -> bool:
        """Whether each step has what it needs; one that lacks something is gone to."""
        for number, step in enumerate(self.workflow.steps):
            if unfit(step) or (number == self.row and self.form.problems):
                self.list.setCurrentRow(number)
                self.form.focus_problem()
                self.tell(tr("First mend what is marked."), wrong=True)
                return False
        return True

    def set_busy(self, busy: bool) -> None:
        """Show that it runs; the button stops it then."""
        self._busy = busy
        self.run.setText(tr("Stop") if busy else tr("Run again"))
        self.keep.setEnabled(not busy)
        self.part.setEnabled(not busy)
        self.side.set_free(free=not busy, row=self.row)
        if busy:
            self.tell(tr("Running …"))

    def tell(self, text: str, *, wrong: bool = False) -> None:
        """Say something below."""
        set_style(self.told, "problem" if wrong else "muted")
        self.told.setText(text)

    def show_result(self, workflow: Workflow, result: WorkflowResult) -> None:
        """Show what came of a run, of a part of it, too; a step that failed is gone to."""
        ran = {step.id for step in result.steps}
        rest = [step for step in self.found.steps if step.id not in ran] if self.found else []
        whole = len(workflow.steps) == len(self.workflow.steps)
        self.found = (
            result if whole else result.model_copy(update={"steps": [*result.steps, *rest]})
        )
        if whole and not result.failed:
            self.before = workflow
        self.show_all()
        ids = [step.id for step in self.workflow.steps]
        if result.failed and result.failed[0].id in ids:
            self.list.setCurrentRow(ids.index(result.failed[0].id))
        self.show_step()

    def put(self, workflow: Workflow, row: int) -> None:
        """Have another workflow, and choose one of its steps."""
        self.workflow = workflow
        told = self.changes
        self.tell(tr("Changed, not run yet: {changes}", changes=told) if told else "")
        self.show_all(row)
        self.show_step()

    def _take(self, step_id: str, path: Path, value: object) -> None:
        """Take a value that was given for a step, unless that is gone by now."""
        if all(step.id != step_id for step in self.workflow.steps):
            return
        self.arranging.remember()
        self.workflow = changed(self.workflow, step_id, path, value)
        # the field that told it is about to be replaced
        QTimer.singleShot(0, self, lambda: self.put(self.workflow, self.row))

    def show_all(self, row: int | None = None) -> None:
        """Name the steps, those that were changed and those that failed among them."""
        by_id = {told.id: told for told in self.found.steps} if self.found else {}
        olds = {step.id: step for step in self.before.steps}
        texts: list[str] = []
        for number, step in enumerate(self.workflow.steps, 1):
            text = f"{number}  {does(step.interface)}"
            if step.id not in olds:
                text = tr("{step} (new)", step=text)
            elif olds[step.id] != step:
                text = tr("{step} (changed)", step=text)
            elif step.id in by_id and by_id[step.id].error:
                text = tr("{step} (failed)", step=text)
            texts.append(text)
        self.side.show_rows(texts, max(0, self.row) if row is None else row)

    def show_step(self) -> None:
        """Show the step that is chosen."""
        step, ground = self.workflow.steps[self.row], self.ground()
        self.about.setText(f"{self.row + 1}  {does(step.interface)}")
        unknown = ground.unknown(step)
        self.unknown.setVisible(unknown)
        self.part.setVisible(unknown)
        self.form.show_step(step, ground, numbered(self.workflow))
        told = {one.id: one for one in self.found.steps}.get(step.id) if self.found else None
        new = all(one.id != step.id for one in self.before.steps)
        self.came.setText(
            "" if self.found is None or (new and told is None) else came(told, self._tokens)
        )
        self.side.set_free(free=not self._busy, row=self.row)
