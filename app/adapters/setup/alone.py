"""Work that one Deskpilot does at a time."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from app.domain.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path


@contextmanager
def alone(path: Path, what: str) -> Generator[None]:
    """Hold a lock that goes with this process, however it ends.

    Raises: SetupError where another process holds it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path, timeout=0, mode=0o600)
    try:
        lock.acquire()
    except Timeout as error:
        raise SetupError(f"{what} runs already.", "Wait for it, or stop it.") from error
    try:
        yield
    finally:
        lock.release()
