"""What the panel of designs does: joins it to the job. Not a widget, so it may await."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QObject

from app.domain.errors import DeskpilotError
from app.ui.words import told, tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.deskpilot import Deskpilot
    from app.services.library.design_steps import Progress
    from app.services.tasks import Do
    from app.ui.workflows.library import DesignPanel


class Designing(QObject):
    """Follows the design of this process. ended: is called when one has ended, however it did."""

    def __init__(
        self, panel: DesignPanel, deskpilot: Deskpilot, do: Do, ended: Callable[[], object]
    ) -> None:
        super().__init__(panel)
        self._panel, self._deskpilot, self._do, self._ended = panel, deskpilot, do, ended
        self._designer = deskpilot.workflows.designer
        self._wrong = False
        panel.start_wanted.connect(self._start)
        panel.go_on_wanted.connect(lambda: self._start([]))
        panel.stop_wanted.connect(self._designer.cancel)
        unsubscribe = self._designer.subscribe(self._on)
        panel.destroyed.connect(lambda: unsubscribe())

    def read(self) -> None:
        """Show the tables one may choose, and whether a design can be gone on with."""
        self._do("read design", self._read())

    async def _read(self) -> None:
        widgets = self._deskpilot.widgets
        opened = [
            w for w in widgets.all() if w.type == "table" and w.path and widgets.is_open(w.uuid)
        ]
        try:
            unfinished = await self._designer.unfinished()
        except DeskpilotError as error:
            unfinished = None
            self._panel.tell(told(error), wrong=True)
        if not shiboken6.isValid(self._panel):
            return
        chosen = [w.path for w in opened if w.attached] or [w.path for w in opened]
        self._panel.show_tables({w.path: w.name for w in opened}, chosen)
        running = self._designer.running
        self._panel.show_state(running=running, unfinished=unfinished is not None)
        if unfinished is not None and not running and not self._panel.told.text():
            count = len(unfinished.requests)
            self._panel.tell(tr("A design was not finished: %n requests so far.", "", count))

    def _start(self, tables: list[str]) -> None:
        self._wrong = False
        self._panel.tell(tr("Reading the tables …"))
        self._panel.show_state(running=True, unfinished=False)
        self._panel.bar.setValue(0)
        self._designer.start([Path(path) for path in tables])

    def _on(self, step: Progress | DeskpilotError | None) -> None:
        """Show a step, an error, or that it has ended."""
        if not shiboken6.isValid(self._panel):
            return
        if isinstance(step, DeskpilotError):
            self._wrong = True
            self._panel.tell(told(step), wrong=True)
        elif step is not None:
            self._panel.show_step(step)
        else:
            self._do("end design", self._end())

    async def _end(self) -> None:
        state = None
        try:
            state = await self._designer.state()
        except DeskpilotError as error:
            self._panel.tell(told(error), wrong=True)
        if not shiboken6.isValid(self._panel):
            return
        done = state is not None and state.phase == "done"
        self._panel.show_state(running=False, unfinished=state is not None and not done)
        if state is not None and not self._wrong:
            made, well = len(state.kept), len(state.validated)
            text = (
                tr(
                    "Designed {made} workflows from {asked} requests; {well} were tried out well.",
                    made=made,
                    asked=len(state.requests),
                    well=well,
                )
                if done
                else tr("Stopped. What was done is kept.")
            )
            self._panel.tell(text)
        self._ended()
