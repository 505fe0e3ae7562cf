"""One open microphone."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from app.adapters.system.sound_device import gone, opened, release
from app.domain.sound import EAR_RATE

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator

    from app.adapters.system.sound_device import Found

FRAME_MS = 20
REMEDY = "Let Deskpilot use the microphone in the system's settings, or choose another one."
GONE_SECONDS = 1.5  # without a single sample: an open microphone hears silence, too


class Microphone:
    """Samples as the system delivers them; what came before they are asked for is kept.

    Made, and closed, on the thread of the devices.
    Raises: SoundError.
    """

    def __init__(self, find: Callable[[], Found], loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._frames: asyncio.Queue[bytes] = asyncio.Queue()
        self.waiting = 0  # bytes that were heard and not yet asked for
        taking = self._taking()
        next(taking)
        self.name, self._device = opened("CaptureDevice", find, EAR_RATE, FRAME_MS, taking, REMEDY)

    async def frames(self) -> AsyncGenerator[bytes, None]:
        """Yield samples, about 20 ms at a time.

        Raises: SoundError when none come any more.
        """
        while True:
            try:
                async with asyncio.timeout(GONE_SECONDS):
                    frame = await self._frames.get()
            except TimeoutError as error:
                raise gone(self.name) from error
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
