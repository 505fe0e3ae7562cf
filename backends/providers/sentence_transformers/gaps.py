"""Notice weights that a folder lacks: the library would make them up at random and only log that."""

from __future__ import annotations

import logging
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

LOGGER = "transformers.modeling_utils"  # where the library reports what it found in a file
ROW = re.compile(r"^(\S+)\s*\|[^|]*MISSING", re.MULTILINE)
UNUSED = ("pooler.",)  # layers of the architecture that embedders do not use, and so often lack


class Gaps(logging.Handler):
    """Collects the names of weights that were reported as missing."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.names: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Read one report."""
        found: list[str] = ROW.findall(record.getMessage())
        self.names += [name for name in found if not any(part in f"{name}." for part in UNUSED)]


@contextmanager
def no_gaps() -> Generator[None]:
    """Raise ValueError at the end of the block if a model was loaded in it without all of its weights."""
    logger, gaps = logging.getLogger(LOGGER), Gaps()
    logger.addHandler(gaps)
    try:
        yield
    finally:
        logger.removeHandler(gaps)
    if gaps.names:
        shown = ", ".join(gaps.names[:3]) + (" …" if len(gaps.names) > 3 else "")
        raise ValueError(f"its file lacks {len(gaps.names)} of the weights: {shown}")
