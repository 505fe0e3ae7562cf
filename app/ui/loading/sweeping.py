"""Python looks for what can be given back as it goes along; not where all that is made stays."""

from __future__ import annotations

import atexit
import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator


@contextmanager
def all_stays() -> Generator[None]:
    """Let nothing be looked for while modules are loaded and the window is made, nor ever again among these.

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
