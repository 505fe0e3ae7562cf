"""Cells of a live grid that have changed since its rows were read, and the light of those that just
did.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer

if TYPE_CHECKING:
    from collections.abc import Callable

    from backends.data.values import Scalar

    Cell = tuple[int, int]

GLOW_SECONDS = 0.7


class Overlay:
    """Values by the cell's row in the source and its column. ended: called with cells whose light
    goes out.
    """

    def __init__(self, ended: Callable[[list[Cell]], None], parent: QObject) -> None:
        self.cells: dict[Cell, Scalar] = {}
        self.glowing: dict[Cell, tuple[bool, float]] = {}
        self._ended = ended
        self._timer = QTimer(parent, singleShot=True)
        self._timer.timeout.connect(self._fade)

    def put(self, cell: Cell, value: Scalar, up: bool | None) -> None:
        """Change a cell; up: light it as one that rose, or fell."""
        self.cells[cell] = value
        if up is not None:
            self.glowing[cell] = (up, time.monotonic() + GLOW_SECONDS)
            if not self._timer.isActive():
                self._timer.start(int(GLOW_SECONDS * 1000) + 20)

    def glow(self, cell: Cell) -> bool | None:
        """Tell whether a cell just rose or fell; None if neither."""
        found = self.glowing.get(cell)
        return found[0] if found is not None else None

    def clear(self) -> None:
        """Forget the values: the rows were read anew. Lights go out in their time."""
        self.cells.clear()

    def _fade(self) -> None:
        now = time.monotonic()
        over = [cell for cell, (_, until) in self.glowing.items() if until <= now]
        for cell in over:
            del self.glowing[cell]
        if self.glowing:
            rest = min(until for _, until in self.glowing.values()) - now
            self._timer.start(max(int(rest * 1000), 0) + 20)
        self._ended(over)


def shown_value(value: Any) -> Scalar:
    """Return a value as a cell holds it: of an object what stands for it, of anything else its
    text.
    """
    if isinstance(value, dict):
        value = value.get("value")
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
