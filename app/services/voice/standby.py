"""A microphone that is open in advance and keeps its last moments, so that the first word is not
lost.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING

from app.domain.errors import SoundError
from app.domain.sound import EAR_RATE, SAMPLE_BYTES

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.services.ports import MicrophonePort, SoundCardPort
    from app.services.tasks import Tasks
    from app.services.voice.choices import ChoicesStore

TASK = "standby"
PRE_ROLL = (
    int(0.4 * EAR_RATE) * SAMPLE_BYTES
)  # bytes; nothing older is kept, and nothing leaves this process


class Standby:
    """Opens microphones. One on standby is already open, and its most recent sound comes first."""

    def __init__(self, card: SoundCardPort, tasks: Tasks, choices: ChoicesStore) -> None:
        self._card, self._tasks, self._choices = card, tasks, choices
        self._open: OpenMicrophone | None = None
        self._wanted = False

    @property
    def open(self) -> bool:
        """Return whether a microphone is on standby."""
        return self._open is not None

    def keep(self, wanted: bool) -> None:
        """Keep the chosen microphone open in advance, or not; one that cannot be is opened when
        needed.
        """
        self._wanted = wanted
        if not wanted:
            if self._open is None or not self._open.taken:  # who dictates keeps it
                self._tasks.cancel(TASK)
        elif self._open is None or self._open.device != self._choices.now.microphone:
            self._tasks.start(TASK, self._stand_by(self._choices.now.microphone))

    @asynccontextmanager
    async def microphone(self, device: str | None) -> AsyncGenerator[MicrophonePort]:
        """Open a microphone, or take the one on standby.

        Raises: SoundError.
        """
        kept = self._open
        if kept is None or kept.device != device:
            async with self._card.microphone(device) as microphone:
                yield microphone
            return
        kept.taken = True
        try:
            yield kept
        finally:
            kept.taken = False
            self.keep(self._wanted)

    async def _stand_by(self, device: str | None) -> None:
        try:
            async with self._card.microphone(device) as microphone:
                self._open = kept = OpenMicrophone(device, microphone.name)
                async with aclosing(microphone.frames()) as frames:
                    async for frame in frames:
                        kept.add(frame)
        except SoundError as error:
            if self._open is not None:
                self._open.fail(error)
        finally:
            if self._open is not None:
                self._open.fail(SoundError("The microphone was closed.", "Press its button again."))
            self._open = None


class OpenMicrophone:
    """An open microphone. taken: it has a listener, and no sound is dropped."""

    def __init__(self, device: str | None, name: str) -> None:
        self.device, self.name = device, name
        self.taken = False
        self.waiting = 0
        self._frames: deque[bytes] = deque()
        self._more = asyncio.Event()
        self._failed: SoundError | None = None

    def add(self, frame: bytes) -> None:
        """Store samples."""
        self._frames.append(frame)
        self.waiting += len(frame)
        while not self.taken and self.waiting > PRE_ROLL:
            self.waiting -= len(self._frames.popleft())
        self._more.set()

    def fail(self, error: SoundError) -> None:
        """Handle the end of the device."""
        self._failed = self._failed or error
        self._more.set()

    async def frames(self) -> AsyncGenerator[bytes, None]:
        """Yield the samples of the last moments, then new ones.

        Raises: SoundError.
        """
        while True:
            while not self._frames:
                if self._failed is not None:
                    raise self._failed
                self._more.clear()
                await self._more.wait()
            frame = self._frames.popleft()
            self.waiting -= len(frame)
            yield frame
