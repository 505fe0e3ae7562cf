"""A WAV file that is used instead of a loudspeaker."""

from __future__ import annotations

import os
import wave
from pathlib import Path
from typing import TYPE_CHECKING, Self

from app.domain.errors import SoundError
from app.domain.sound import RATE, SAMPLE_BYTES

if TYPE_CHECKING:
    from types import TracebackType


class WavFile:
    """A WAV file that contains the sound played. An existing file is replaced only if the block
    ends without an error.

    Raises: SoundError, on entering or leaving the block, if the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._part = path.with_name(path.name + ".part")
        self.played = 0

    def __enter__(self) -> Self:
        try:
            self._file = self._part.open("wb")
        except OSError as error:
            raise self._cannot(error) from error
        self._wav = wave.open(self._file, "wb")
        self._wav.setnchannels(1)
        self._wav.setsampwidth(SAMPLE_BYTES)
        self._wav.setframerate(RATE)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._wav.close()
            self._file.close()
            if kind is None and self.played:
                os.replace(self._part, self._path)
        except OSError as failure:
            raise self._cannot(failure) from failure
        finally:
            self._part.unlink(missing_ok=True)

    async def play(self, sound: bytes) -> None:
        """Write samples to the file.

        Raises: SoundError.
        """
        try:
            self._wav.writeframesraw(sound)
        except OSError as error:
            raise self._cannot(error) from error
        self.played += len(sound)

    async def drained(self) -> None:
        """Return at once, because a file accepts samples immediately."""

    def silence(self) -> None:
        """Do nothing, because samples that have been written count as played."""

    def _cannot(self, error: OSError) -> SoundError:
        return SoundError(
            f"{self._path} cannot be written: {error.strerror}.", "Specify another file."
        )
