"""One loudspeaker, opened when it gets its first sound, closed when that was heard or silenced."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from app.adapters.audio.device import gone, opened, release
from app.domain.sound import RATE, SAMPLE_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from app.adapters.audio.device import Found

PERIOD_MS = 20
HELD = int(0.3 * RATE) * SAMPLE_BYTES  # bytes it takes before it asks to wait
TAIL_SECONDS = 0.15  # in the system's own buffers, when the last of ours is given
GONE_SECONDS = 1.5  # without a question for more


class Loudspeaker:
    """Plays what it is given. played: bytes handed to the system; starved: how often there were none amid an answer.

    find: gives the device, on the thread of the devices, which `submit` begins work on.
    """

    def __init__(
        self, find: Callable[[], Found], submit: Callable[[Callable[[], Any]], Any]
    ) -> None:
        self._find, self._submit = find, submit
        self._lock = threading.Lock()
        self._held = bytearray()
        self._device: Any = None
        self._name = ""
        self._silent = self._playing = self._ending = False
        self._asked = asyncio.Event()  # by the system, for more
        self._loop = asyncio.get_running_loop()
        self.played = 0
        self.starved = 0

    async def play(self, sound: bytes) -> None:
        """Take samples; return when there is room for more.

        Raises: SoundError if it cannot be opened, or is unplugged.
        """
        if self._silent:
            return
        with self._lock:
            self._held += sound
        if self._device is None:
            await asyncio.shield(asyncio.wrap_future(self._submit(self._open)))
        while len(self._held) > HELD:
            await self._taken()

    async def drained(self) -> None:
        """Return when all has been heard; the device is closed then.

        Raises: SoundError.
        """
        self._ending = True
        while self._held and not self._silent:
            await self._taken()
        if self._device is not None and not self._silent:
            await asyncio.sleep(TAIL_SECONDS)
        self.silence()

    def silence(self) -> None:
        """Be silent at once, and for good; the device is closed behind it."""
        with self._lock:
            self._held.clear()
        first, self._silent = not self._silent, True
        if first:
            self._submit(self._close)

    async def _taken(self) -> None:
        self._asked.clear()
        try:
            async with asyncio.timeout(GONE_SECONDS):
                await self._asked.wait()
        except TimeoutError as error:
            raise gone(self._name) from error

    def _open(self) -> None:
        giving = self._giving()
        next(giving)
        self._name, self._device = opened(
            "PlaybackDevice", self._find, RATE, PERIOD_MS, giving, "Choose another one."
        )

    def _close(self) -> None:
        if self._device is not None:
            release(self._device)

    def _giving(self) -> Generator[bytes, int, None]:
        """Give samples on the system's thread, silence where there are none."""
        wanted = yield b""
        while True:
            size = wanted * SAMPLE_BYTES
            with self._lock:
                given = bytes(self._held[:size])
                del self._held[:size]
            self.played += len(given)
            self.starved += self._playing and not given and not self._ending
            self._playing = bool(given)
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._asked.set)
            wanted = yield given + bytes(size - len(given))
