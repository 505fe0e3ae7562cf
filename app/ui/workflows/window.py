"""The workflow window, in which steps are viewed, changed, reordered, run and saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal
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

from app.data.workflow_editor.changes import added, bond, changed, moved, removed, unfit
from app.ui.controls.labels import label
from app.ui.theme.i18n import tr
from app.ui.theme.style import roomy, set_style
from app.ui.workflows.form import StepForm
from app.ui.workflows.step_list import AddWindow, StepSide
from app.ui.workflows.words import changes, does, numbered, result_html
from backends.data.workflow.step import STEPS as MOST

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QKeyEvent

    from app.data.workflow_editor.fields import ArgumentPath, EditContext
    from app.ui.theme.tokens import Tokens
    from backends.data.workflow.report import WorkflowResult
    from backends.data.workflow.step import Workflow

    On = Callable[[Workflow, WorkflowResult | None], EditContext]

    from backends.data.workflow.step import Workflow


class StepsWindow(QDialog):
    """The window that shows and edits the steps of a workflow.

    Signals: run_wanted(), part_wanted() to run the steps before the chosen one, stop_wanted(),
    keep_wanted().

    workflow: the workflow with the user's changes. before: the workflow as it was opened or last
    run. found: the results of the last run.
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
        self.resize(roomy(self, 840, 680))
        self.workflow = self.before = workflow
        self.found = result
        self._on, self._busy, self._tokens = on, False, tokens
        self.side = StepSide(tokens, self)
        self.list = self.side.list
        self.about = label("", "title", self, copied=True)
        self.form = StepForm(self)
        self.form.changed.connect(self._take)
        unknown = tr("The input of this step isn't computed yet, so its columns are unknown.")
        self.unknown = label(unknown, "muted", self, copied=True)
        self.part = self._button(tr("Compute the steps before it"), self.part_wanted.emit)
        self.came = label("", "", self, copied=True)
        self.came.setTextFormat(Qt.TextFormat.RichText)
        self.told = label("", "muted", self, copied=True)
        self.run = self._button(
            tr("Run again"), lambda: (self.stop_wanted if self._busy else self.run_wanted).emit()
        )
        self.run.setObjectName("primary")
        self.keep = self._button(tr("Save in the library …"), self.keep_wanted.emit)
        self._lay_out()
        self.arranging = StepOrder(self)
        self.list.currentRowChanged.connect(lambda _: self.show_step())
        QShortcut(QKeySequence("Ctrl+W"), self).activated.connect(self.close)
        QShortcut(QKeySequence("Ctrl+Return"), self).activated.connect(self.run.click)
        self.show_all()
        self.show_step()
        self.list.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Undo the last change with the Undo shortcut, unless a field handles the key."""
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

    def ground(self, workflow: Workflow | None = None) -> EditContext:
        """Return the context in which a workflow is edited, with its tables and results.

        workflow: by default, the one in this window.
        """
        return self._on(workflow or self.workflow, self.found)

    @property
    def row(self) -> int:
        """Return the index of the chosen step."""
        return self.list.currentRow()

    @property
    def busy(self) -> bool:
        """Return whether the steps are running."""
        return self._busy

    @property
    def changes(self) -> str:
        """Return a description of the changes since the last run."""
        return changes(self.before, self.workflow, self.ground().names)

    @property
    def ready(self) -> bool:
        """Return whether each step has its inputs; the first step with a problem gets the focus."""
        for number, step in enumerate(self.workflow.steps):
            if unfit(step) or (number == self.row and self.form.problems):
                self.list.setCurrentRow(number)
                self.form.focus_problem()
                self.tell(tr("Fix the marked fields first."), wrong=True)
                return False
        return True

    def set_busy(self, busy: bool) -> None:
        """Show whether the steps are running; while they run, the run button stops them."""
        self._busy = busy
        self.run.setText(tr("Stop") if busy else tr("Run again"))
        self.keep.setEnabled(not busy)
        self.part.setEnabled(not busy)
        self.side.set_free(free=not busy, row=self.row)
        if busy:
            self.tell(tr("Running …"))

    def tell(self, text: str, *, wrong: bool = False) -> None:
        """Show a text at the bottom of the window."""
        set_style(self.told, "problem" if wrong else "muted")
        self.told.setText(text)

    def show_result(self, workflow: Workflow, result: WorkflowResult) -> None:
        """Show the result of a full or partial run; select a step that failed."""
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
        """Replace the workflow and select one of its steps."""
        self.workflow = workflow
        told = self.changes
        self.tell(tr("Changed, not run yet: {changes}", changes=told) if told else "")
        self.show_all(row)
        self.show_step()

    def _take(self, step_id: str, path: ArgumentPath, value: object) -> None:
        """Accept the value entered for a step, unless the step has been removed in the meantime."""
        if all(step.id != step_id for step in self.workflow.steps):
            return
        self.arranging.remember()
        self.workflow = changed(self.workflow, step_id, path, value)
        # this happens later, because the field that sent the value is replaced
        QTimer.singleShot(0, self, lambda: self.put(self.workflow, self.row))

    def show_all(self, row: int | None = None) -> None:
        """Show the steps, with changed steps and failed steps marked."""
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
        """Show the chosen step."""
        step, ground = self.workflow.steps[self.row], self.ground()
        self.about.setText(f"{self.row + 1}  {does(step.interface)}")
        unknown = ground.unknown(step)
        self.unknown.setVisible(unknown)
        self.part.setVisible(unknown)
        self.form.show_step(step, ground, numbered(self.workflow))
        told = {one.id: one for one in self.found.steps}.get(step.id) if self.found else None
        new = all(one.id != step.id for one in self.before.steps)
        self.came.setText(
            "" if self.found is None or (new and told is None) else result_html(told, self._tokens)
        )
        self.side.set_free(free=not self._busy, row=self.row)


class StepOrder(QObject):
    """Changes the order of the steps in a window and keeps earlier versions for Undo."""

    def __init__(self, window: StepsWindow) -> None:
        super().__init__(window)
        self._window = window
        self._past: list[tuple[Workflow, int]] = []
        side = window.side
        side.add_wanted.connect(self.ask)
        side.move_wanted.connect(self.move)
        side.remove_wanted.connect(self.remove)
        side.undo_wanted.connect(self.undo)

    def remember(self) -> None:
        """Save the workflow for Undo."""
        self._past.append((self._window.workflow, self._window.row))
        self._window.side.undo.show()

    def undo(self) -> None:
        """Undo the last change."""
        if self._past and not self._window.busy:
            self._window.put(*self._past.pop())
            self._window.side.undo.setVisible(bool(self._past))

    def ask(self) -> None:
        """Ask which step to add after the chosen one."""
        window = self._window
        if window.busy:
            return
        if len(window.workflow.steps) >= MOST:
            window.tell(tr("A workflow has at most %n steps.", "", MOST), wrong=True)
            return
        before = window.workflow.steps[: window.row + 1]
        place = f"{window.row + 1}  {does(before[-1].interface)}"
        dialog = AddWindow(before, len(window.ground().names), place, window)
        dialog.chosen.connect(lambda name: self.add(window.row, name))
        dialog.open()

    def add(self, at: int, interface: str) -> None:
        """Insert a step after another one, and focus the field of its first missing value."""
        window = self._window
        self.remember()
        window.put(added(window.workflow, at, interface, does(interface), window.ground), at + 1)
        window.form.focus_problem()

    def move(self, by: int) -> None:
        """Move the chosen step, unless one of the two steps uses the result of the other."""
        window, to = self._window, self._window.row + by
        if window.busy or not 0 <= to < len(window.workflow.steps):
            return
        made = moved(window.workflow, window.row, to)
        if (broken := bond(made, window.workflow)) is not None:
            text = tr(
                "Step {taker} ({takes}) uses the result of step {giver} ({gives}), so it must "
                "come after that step.",
                **self._named(*broken),
            )
            window.tell(text, wrong=True)
            return
        self.remember()
        window.put(made, to)

    def remove(self) -> None:
        """Remove the chosen step, unless another step uses its result."""
        window, at = self._window, self._window.row
        if window.busy:
            return
        if len(window.workflow.steps) == 1:
            window.tell(tr("A workflow has at least one step."), wrong=True)
            return
        made = removed(window.workflow, at)
        if (broken := bond(made, window.workflow)) is not None:
            text = tr(
                "Step {taker} ({takes}) uses the result of step {giver} ({gives}). First change "
                "the input of step {taker}, or remove that step.",
                **self._named(*broken),
            )
            window.tell(text, wrong=True)
            return
        self.remember()
        window.put(made, min(at, len(made.steps) - 1))

    def _named(self, taker: str, giver: str) -> dict[str, str]:
        """Return the numbers and purposes of two steps, for use in a sentence."""
        steps = self._window.workflow.steps
        numbers = {step.id: str(n) for n, step in enumerate(steps, 1)}
        words = {step.id: does(step.interface) for step in steps}
        return {
            "taker": numbers[taker],
            "takes": words[taker],
            "giver": numbers[giver],
            "gives": words[giver],
        }
