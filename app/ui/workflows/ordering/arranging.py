"""What the list of steps does: puts one in, moves it, takes it out, takes that back; what cannot be says why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.data.editing.order import added, bond, moved, removed
from app.ui.words import tr
from app.ui.workflows.ordering.adding import AddWindow
from app.ui.workflows.words import does
from backends.data.workflow.step import STEPS as MOST

if TYPE_CHECKING:
    from app.ui.workflows.window import StepsWindow
    from backends.data.workflow.step import Workflow


class Arranging(QObject):
    """Changes the order of a window's steps. What the workflow was before each change is kept."""

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
        """Keep the workflow as it is, to come back to."""
        self._past.append((self._window.workflow, self._window.row))
        self._window.side.undo.show()

    def undo(self) -> None:
        """Take the last change back."""
        if self._past and not self._window.busy:
            self._window.put(*self._past.pop())
            self._window.side.undo.setVisible(bool(self._past))

    def ask(self) -> None:
        """Ask what a further step does, behind the one that is chosen."""
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
        """Put a step in behind another, and go to what it still needs."""
        window = self._window
        self.remember()
        window.put(added(window.workflow, at, interface, does(interface), window.ground), at + 1)
        window.form.focus_problem()

    def move(self, by: int) -> None:
        """Move the step that is chosen, unless one of the two takes what the other makes."""
        window, to = self._window, self._window.row + by
        if window.busy or not 0 <= to < len(window.workflow.steps):
            return
        made = moved(window.workflow, window.row, to)
        if (broken := bond(made, window.workflow)) is not None:
            text = tr(
                "Step {taker} ({takes}) takes what step {giver} ({gives}) makes, so it must stand after it.",
                **self._named(*broken),
            )
            window.tell(text, wrong=True)
            return
        self.remember()
        window.put(made, to)

    def remove(self) -> None:
        """Take the step out that is chosen, unless another takes what it makes."""
        window, at = self._window, self._window.row
        if window.busy:
            return
        if len(window.workflow.steps) == 1:
            window.tell(tr("A workflow has at least one step."), wrong=True)
            return
        made = removed(window.workflow, at)
        if (broken := bond(made, window.workflow)) is not None:
            text = tr(
                "Step {taker} ({takes}) takes what step {giver} ({gives}) makes."
                " Let it take something else first, or remove it first.",
                **self._named(*broken),
            )
            window.tell(text, wrong=True)
            return
        self.remember()
        window.put(made, min(at, len(made.steps) - 1))

    def _named(self, taker: str, giver: str) -> dict[str, str]:
        """Return what two steps are called in a sentence, by number and by what they do."""
        steps = self._window.workflow.steps
        numbers = {step.id: str(n) for n, step in enumerate(steps, 1)}
        words = {step.id: does(step.interface) for step in steps}
        return {
            "taker": numbers[taker],
            "takes": words[taker],
            "giver": numbers[giver],
            "gives": words[giver],
        }
