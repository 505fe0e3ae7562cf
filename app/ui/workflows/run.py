"""The controllers that run and stop steps, and that look up values for fields."""

from __future__ import annotations

import asyncio
import itertools
from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QObject

from app.data.workflow_editor.changes import read
from app.domain.errors import DeskpilotError
from app.ui.theme.i18n import said, told, tr
from backends.data.computation import interruptibly
from backends.data.errors import KernelError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from app.data.workflow_editor.fields import ArgumentField, EditContext
    from app.services.library.workflows import Workflows
    from app.services.tasks import Do, Tasks
    from app.ui.workflows.window import StepsWindow
    from backends.data.workflow.report import WorkflowResult
    from backends.data.workflow.step import Workflow


class FieldLookup(QObject):
    """Looks up values typed into the fields of a window."""

    def __init__(self, window: StepsWindow, tasks: Tasks, name: str) -> None:
        super().__init__(window)
        self._window, self._tasks, self._name = window, tasks, name
        self._task: asyncio.Task[None] | None = None
        window.form.sought.connect(self._start)
        window.form.typed.connect(self._leave)

    async def settled(self) -> None:
        """Wait until the last entry has been looked up."""
        if self._task is not None:
            await asyncio.wait({self._task})

    def _start(
        self, step_id: str, field: ArgumentField, given: object, ground: EditContext
    ) -> None:
        self._window.form.tell(step_id, field.path, tr("Searching the table …"), wrong=False)
        self._task = self._tasks.start(self._name, self._seek(step_id, field, given, ground))

    def _leave(self, step_id: str, path: Any) -> None:
        """Cancel the lookup of the previous entry, because another key was pressed."""
        if self._tasks.cancel(self._name):
            self._window.form.tell(step_id, path, "")

    async def _seek(
        self, step_id: str, field: ArgumentField, given: object, ground: EditContext
    ) -> None:
        form = self._window.form
        try:
            value = await interruptibly(read, field, given, ground)
        except (DeskpilotError, KernelError) as error:
            if shiboken6.isValid(form) and not form.tell(step_id, field.path, said(error.text)):
                self._window.tell(said(error.text), wrong=True)  # another step is shown now
            return
        if shiboken6.isValid(form):
            form.tell(step_id, field.path, "")
            form.changed.emit(step_id, field.path, value)


if TYPE_CHECKING:
    # The workflow, its result, the seconds it took, and a description of the changes since the last
    # run.
    Came = Callable[[Workflow, WorkflowResult, float, str], Awaitable[None]]

_numbers = itertools.count(1)


class WorkflowRun(QObject):
    """Runs the steps of a window. came: a function that is called once all steps have succeeded."""

    def __init__(
        self,
        window: StepsWindow,
        tasks: Tasks,
        workflows: Workflows,
        do: Do,
        came: Came,
        failed: str,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._tasks = tasks
        self._workflows = workflows
        self._came = came
        self._failed = failed
        name = f"run steps {next(_numbers)}"
        self._seeking = FieldLookup(window, tasks, f"look up for {name}")
        window.run_wanted.connect(lambda: do(name, self._run()))
        window.part_wanted.connect(lambda: do(name, self._part()))
        window.stop_wanted.connect(lambda: tasks.cancel(f"window {name}"))

    async def _run(self) -> None:
        """Run the steps once the last entry has been looked up."""
        window = self._window
        await self._seeking.settled()
        if not shiboken6.isValid(window) or not window.ready:
            return
        workflow, changes = window.workflow, window.changes
        made = await self._compute(workflow)
        if made is not None:
            result, seconds = made
            window.show_result(workflow, result)
            if result.failed:
                window.tell(self._failed, wrong=True)
            else:
                await self._came(workflow, result, seconds, changes)

    async def _part(self) -> None:
        """Run the steps before the chosen one, so that its possible inputs are known."""
        window = self._window
        await self._seeking.settled()
        if shiboken6.isValid(window):
            workflow = window.workflow.model_copy(
                update={"steps": window.workflow.steps[: window.row]}
            )
            made = await self._compute(workflow)
            if made is not None:
                window.show_result(workflow, made[0])
                if made[0].failed:
                    window.tell(tr("A step failed."), wrong=True)

    async def _compute(self, workflow: Workflow) -> tuple[WorkflowResult, float] | None:
        """Run a workflow; return its result and the seconds it took.

        Return None after an error, or if the window was closed.
        """
        window = self._window
        window.set_busy(True)
        made, problem = None, ""
        try:
            made = await self._workflows.run(workflow, window.found.run if window.found else "")
        except DeskpilotError as error:
            problem = told(error)
        except asyncio.CancelledError:
            problem = tr("Stopped.")
            raise
        finally:
            if shiboken6.isValid(window):
                window.set_busy(False)
                window.tell(problem, wrong=bool(problem))
        return made if shiboken6.isValid(window) else None
