"""The loudspeaker's signal as a reference for echo cancellation, so that no headset is needed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from app.domain.sound import EAR_RATE, RATE, SAMPLE_BYTES

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from app.domain.sound import Device
    from app.services.ports import EchoPort, LoudspeakerPort, MicrophonePort, SoundCardPort


class Reference:
    """The sound card, with a record of the sound its loudspeakers play.

    canceller: removes that sound from a microphone's.
    """

    def __init__(self, card: SoundCardPort, canceller: EchoPort) -> None:
        self._card, self._canceller = card, canceller
        self._open: list[ReferenceSpeaker] = []
        self._sound = bytearray()  # played, and not yet heard by the microphone
        self._heard = self._asked = (
            0  # samples of the microphone, and of the loudspeaker at the same time
        )

    def loudspeaker(self, device: str | None) -> LoudspeakerPort:
        """Return a loudspeaker whose sound is known."""
        made = ReferenceSpeaker(self._card.loudspeaker(device))
        self._open = [*(one for one in self._open if not one.ended), made]
        return made

    def microphone(self, device: str | None) -> AbstractAsyncContextManager[MicrophonePort]:
        """Open a microphone; raises SoundError on entering."""
        return self._card.microphone(device)

    async def microphones(self) -> list[Device]:
        """Return those plugged in; raises SoundError."""
        return await self._card.microphones()

    async def loudspeakers(self) -> list[Device]:
        """Return those plugged in; raises SoundError."""
        return await self._card.loudspeakers()

    async def begin(self) -> None:
        """Begin to listen; earlier loudspeaker sound is ignored."""
        await asyncio.to_thread(self._canceller.begin)
        for one in self._open:
            one.taken()
        self._sound.clear()
        self._heard = self._asked = 0

    def clean(self, heard: bytes) -> bytes:
        """Return the next sound of a microphone without the sound played meanwhile."""
        self._heard += len(heard) // SAMPLE_BYTES
        asked, self._asked = self._asked, self._heard * RATE // EAR_RATE
        for one in self._open:
            self._sound += one.taken()
        self._open = [one for one in self._open if not one.ended]
        size = (self._asked - asked) * SAMPLE_BYTES
        played = bytes(self._sound[:size])
        del self._sound[:size]
        return self._canceller.clean(heard, played + bytes(size - len(played)))


class ReferenceSpeaker:
    """A loudspeaker that remembers the samples the system took from it. ended: it plays no more."""

    def __init__(self, loudspeaker: LoudspeakerPort) -> None:
        self._loudspeaker = loudspeaker
        self._given = bytearray()
        self._at = 0  # of what was played, taken up to here
        self.ended = False

    @property
    def played(self) -> int:
        """Bytes that have been heard."""
        return self._loudspeaker.played

    async def play(self, sound: bytes) -> None:
        """Take samples; raises SoundError."""
        self._given += sound
        await self._loudspeaker.play(sound)

    async def drained(self) -> None:
        """Return when all has been heard; raises SoundError."""
        await self._loudspeaker.drained()
        self.ended = True

    def silence(self) -> None:
        """Stop the sound at once."""
        self._loudspeaker.silence()
        self.ended = True

    def taken(self) -> bytes:
        """Return the samples the system took since the last call."""
        at, self._at = self._at, self.played
        part = bytes(self._given[: self._at - at])
        del self._given[: self._at - at]
        return part
