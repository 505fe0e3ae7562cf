"""Errors of foreign libraries put into our words: the one place in front of them that catches
all.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from backends.flexai.errors import FlexAIError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


@contextmanager
def translated(say: Callable[[Exception], FlexAIError | None]) -> Generator[None]:
    """Raise what a library raises in the block as `say` puts it; ours, and what it has no words
    for, pass unchanged.
    """
    try:
        yield
    except FlexAIError:
        raise
    except Exception as error:
        said = say(error)
        if said is None:
            raise
        raise said from error
