"""What one run printed: all of it in a file, head and tail in the conversation and for the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from app.domain.code import Clip
from app.domain.errors import ComputerError

if TYPE_CHECKING:
    from pathlib import Path


class Transcript:
    """Takes what is printed. path: the file that has all of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._clip = Clip()
        self._file: TextIO | None = None

    def take(self, text: str) -> str:
        """Take what was printed; return what of it is shown now.

        Raises: ComputerError if it cannot be written down.
        """
        try:
            if self._file is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._file = self.path.open("w", encoding="utf-8", errors="replace")
            self._file.write(text)
        except OSError as error:
            raise ComputerError(
                "What the code prints cannot be kept.", "Make room on the disk."
            ) from error
        return self._clip.take(text)

    def close(self) -> str:
        """Close the file; return what is still to be shown."""
        if self._file is not None:
            self._file.close()
        return self._clip.rest(str(self.path))

    def for_model(self) -> str:
        """Return head and tail."""
        return self._clip.for_model()
