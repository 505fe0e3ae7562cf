"""One open microphone."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from app.adapters.audio.device import release
from app.domain.errors import SoundError
from app.domain.sound import EAR_RATE

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator

FRAME_MS = 20
GONE_SECONDS = 1.5  # without a single sample: an open microphone hears silence, too


class Microphone:
    """Samples as the system delivers them; what came before they are asked for is kept.

    Made, and closed, on the thread of the devices.
    Raises: SoundError.
    """

    def __init__(self, found: tuple[str, Any], loop: asyncio.AbstractEventLoop) -> None:
        import miniaudio

        self.name, system_id = found
        self._loop = loop
        self._frames: asyncio.Queue[bytes] = asyncio.Queue()
        self.waiting = 0  # bytes that were heard and not yet asked for
        taking = self._taking()
        next(taking)
        try:
            self._device = miniaudio.CaptureDevice(
                miniaudio.SampleFormat.SIGNED16, 1, EAR_RATE, FRAME_MS, system_id, app_name="Deskpilot"
            )
            self._device.start(taking)
        except miniaudio.MiniaudioError as error:
            raise SoundError(
                f"{capital(self.name)} cannot be opened: {error.args[0]}.",
                "Let Deskpilot use the microphone in the system's settings, or choose another one.",
            ) from error

    async def frames(self) -> AsyncGenerator[bytes, None]:
        """Yield samples, about 20 ms at a time.

        Raises: SoundError when none come any more.
        """
        while True:
            try:
                async with asyncio.timeout(GONE_SECONDS):
                    frame = await self._frames.get()
            except TimeoutError as error:
                raise SoundError(
                    f"{capital(self.name)} is gone.",
                    "Plug it in again, or choose another one.",
                ) from error
            self.waiting -= len(frame)
            yield frame

    def close(self) -> None:
        """Close it."""
        release(self._device)

    def _taking(self) -> Generator[None, Any, None]:
        """Take samples on the system's thread."""
        while True:
            frame = bytes((yield))
            self.waiting += len(frame)
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._frames.put_nowait, frame)


def capital(name: str) -> str:
    """Return a device's name as it begins a sentence."""
    return name[:1].upper() + name[1:]
