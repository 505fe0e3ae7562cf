"""Make the window start faster: skip Qt's alternative spellings, and freeze the garbage
collector.
"""

from __future__ import annotations

import atexit
import gc
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator


def search_none() -> None:
    """Skip PySide's search for its alternative spellings in every module."""
    import PySide6  # noqa: F401 - what searches comes with it  # pyright: ignore[reportUnusedImport]

    searching = sys.modules.get("shibokensupport.feature")
    if hasattr(searching, "_mod_uses_pyside"):
        searching.__dict__["_mod_uses_pyside"] = lambda _: False


@contextmanager
def all_stays() -> Generator[None]:
    """Pause garbage collection while modules load and the window is built, then exclude these
    objects from it.

    There are some 300,000 objects by then: one collection of all of them holds up the window for 40
    ms.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        atexit.unregister(gc.unfreeze)
        atexit.register(
            gc.unfreeze
        )  # libraries look at the end whether all of theirs was given back
        gc.enable()
