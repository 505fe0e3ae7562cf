"""Values that are typed, looked for in their table: behind the window, until the next key is pressed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QObject

from app.data.editing.changes import read
from app.domain.errors import DeskpilotError
from app.ui.words import said, tr
from backends.data.errors import KernelError
from backends.data.stopping import interruptibly

if TYPE_CHECKING:
    from typing import Any

    from app.data.editing.fields import Field, Ground
    from app.services.tasks import Tasks
    from app.ui.workflows.window import StepsWindow


class Seeking(QObject):
    """Looks up what is typed into the fields of a window."""

    def __init__(self, window: StepsWindow, tasks: Tasks, name: str) -> None:
        super().__init__(window)
        self._window, self._tasks, self._name = window, tasks, name
        self._task: asyncio.Task[None] | None = None
        window.form.sought.connect(self._start)
        window.form.typed.connect(self._leave)

    async def settled(self) -> None:
        """Wait until what was typed last is found, or is not."""
        if self._task is not None:
            await asyncio.wait({self._task})

    def _start(self, step_id: str, field: Field, given: object, ground: Ground) -> None:
        self._window.form.tell(
            step_id, field.path, tr("Looking for it in the table …"), wrong=False
        )
        self._task = self._tasks.start(self._name, self._seek(step_id, field, given, ground))

    def _leave(self, step_id: str, path: Any) -> None:
        """Another key was pressed: what was typed before is not looked for any more."""
        if self._tasks.cancel(self._name):
            self._window.form.tell(step_id, path, "")

    async def _seek(self, step_id: str, field: Field, given: object, ground: Ground) -> None:
        form = self._window.form
        try:
            value = await interruptibly(read, field, given, ground)
        except (DeskpilotError, KernelError) as error:
            if shiboken6.isValid(form) and not form.tell(step_id, field.path, said(error.text)):
                self._window.tell(said(error.text), wrong=True)  # another step is shown by now
            return
        if shiboken6.isValid(form):
            form.tell(step_id, field.path, "")
            form.changed.emit(step_id, field.path, value)
