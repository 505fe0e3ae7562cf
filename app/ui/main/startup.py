"""Make the window start faster: skip one of PySide's checks and pause garbage collection."""

from __future__ import annotations

import atexit
import gc
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator


def search_none() -> None:
    """Skip the check for PySide's alternative spellings, which PySide makes in every module."""
    import PySide6  # noqa: F401 - it loads the module below  # pyright: ignore[reportUnusedImport]

    searching = sys.modules.get("shibokensupport.feature")
    if hasattr(searching, "_mod_uses_pyside"):
        searching.__dict__["_mod_uses_pyside"] = lambda _: False


@contextmanager
def all_stays() -> Generator[None]:
    """Pause garbage collection while modules are loaded and the window is built, then exclude all
    objects that exist at that point from collection.

    There are then about 300,000 objects, and examining all of them would block the window for 40
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
        )  # some libraries check at exit whether all their objects have been freed
        gc.enable()
