"""Formulas that wait for nobody: the library is loaded in a thread, and what takes long is drawn there, too."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from functools import cache
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from app.ui.chat.math.drawing import Formula, drawn

KEPT = 2048
SHORT = 80  # letters of a formula that is drawn at once
BUDGET_SECONDS = 0.01  # for formulas that are drawn at once, between two turns of the window's loop


class Wanted(NamedTuple):
    """A formula as it is to be drawn, see `drawn`."""

    latex: str
    colour: str
    pixels: int
    display: bool
    density: float


class Formulas(QObject):
    """What was drawn so far. ready: all that had to wait is there; told in the window's thread."""

    ready = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._made: OrderedDict[Wanted, Formula | None] = OrderedDict()
        self._waiting: dict[Wanted, None] = {}
        self._thread: threading.Thread | None = None
        self._loaded = False
        self._lists = threading.Lock()
        self._drawing = threading.Lock()  # the library is for one at a time
        self._spent = 0.0

    @property
    def waits(self) -> bool:
        """Whether something is still to be drawn."""
        return bool(self._waiting)

    def find(self, wanted: Wanted) -> tuple[bool, Formula | None]:
        """Return whether a formula has been drawn, and what came of it: None for what is none.

        One that has not been is drawn at once if that takes no time, else in a while.
        """
        if wanted in self._made:
            return True, self._made[wanted]
        if self._may_at_once(wanted) and self._drawing.acquire(blocking=False):
            began = time.perf_counter()
            try:
                self._draw(wanted)
            finally:
                self._drawing.release()
            if not self._spent:
                QTimer.singleShot(0, self, self._rested)
            self._spent += time.perf_counter() - began
            return True, self._made[wanted]
        with self._lists:
            self._waiting[wanted] = None
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="formulas")
                self._thread.start()
        return False, None

    def _may_at_once(self, wanted: Wanted) -> bool:
        return self._loaded and len(wanted.latex) <= SHORT and self._spent < BUDGET_SECONDS

    def _rested(self) -> None:
        self._spent = 0.0

    def _draw(self, wanted: Wanted) -> None:
        self._made[wanted] = drawn(*wanted)
        while len(self._made) > KEPT:
            self._made.popitem(last=False)

    def _work(self) -> None:
        """Draw what waits; in a thread that ends with it."""
        while True:
            with self._lists:
                wanted = next(iter(self._waiting), None)
                if wanted is None:
                    self._thread = None  # what is wanted from here on has a thread of its own
                    break
            with self._drawing:
                self._draw(wanted)
            self._loaded = True
            with self._lists:
                del self._waiting[wanted]
        self.ready.emit()


@cache
def formulas() -> Formulas:
    """Return those of this process."""
    return Formulas()
