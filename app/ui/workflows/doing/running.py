"""What the buttons of the steps' window do: steps run, in part or all, and stopped. Not a widget, so it may await."""

from __future__ import annotations

import asyncio
import itertools
from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QObject

from app.domain.errors import DeskpilotError
from app.ui.words import told, tr
from app.ui.workflows.doing.seeking import Seeking

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from app.services.deskpilot import Deskpilot
    from app.services.tasks import Do
    from app.ui.workflows.window import StepsWindow
    from backends.data.workflow.step import Workflow
    from backends.data.workflow.told import WorkflowResult

    # Workflow, result, seconds, and in words what was changed since it ran last.
    Came = Callable[[Workflow, WorkflowResult, float, str], Awaitable[None]]

_numbers = itertools.count(1)


class Running(QObject):
    """Runs the steps of a window. came: does what is to be done once all of them ran well."""

    def __init__(
        self, window: StepsWindow, deskpilot: Deskpilot, do: Do, came: Came, failed: str
    ) -> None:
        super().__init__(window)
        self._window, self._deskpilot, self._came, self._failed = window, deskpilot, came, failed
        name = f"run steps {next(_numbers)}"
        self._seeking = Seeking(window, deskpilot.tasks, f"look up for {name}")
        window.run_wanted.connect(lambda: do(name, self._run()))
        window.part_wanted.connect(lambda: do(name, self._part()))
        window.stop_wanted.connect(lambda: deskpilot.tasks.cancel(f"window {name}"))

    async def _run(self) -> None:
        """Run the steps as they stand, once what was typed last is looked up."""
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
        """Run the steps before the one that is chosen, so that what it may take is known."""
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
        """Return what came of steps and the seconds they took; nothing if that cannot be, or the window is closed."""
        window = self._window
        window.set_busy(True)
        made, problem = None, ""
        try:
            made = await self._deskpilot.workflows.run(
                workflow, window.found.run if window.found else ""
            )
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
