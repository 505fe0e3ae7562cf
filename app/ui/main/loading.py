"""What makes the window stand sooner and hold less: no module searched for Qt's other spellings,
nothing looked through that stays.
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
    """Let no module be searched for PySide's spellings."""
    import PySide6  # noqa: F401 - what searches comes with it  # pyright: ignore[reportUnusedImport]

    searching = sys.modules.get("shibokensupport.feature")
    if hasattr(searching, "_mod_uses_pyside"):
        searching.__dict__["_mod_uses_pyside"] = lambda _: False


@contextmanager
def all_stays() -> Generator[None]:
    """Let nothing be looked for while modules are loaded and the window is made, nor ever again
    among these.

    There are some 300,000 objects by then: each look at all of them holds up the window for 40 ms.
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
