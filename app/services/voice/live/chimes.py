"""Short sounds that tell without words whether somebody listens."""

from __future__ import annotations

import math
from array import array
from functools import cache
from typing import TYPE_CHECKING, Literal

from app.domain.sound import RATE

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

Chime = Literal["listening", "heard", "ended"]
NOTES: dict[Chime, tuple[float, ...]] = {
    "listening": (660.0, 880.0),
    "heard": (880.0,),
    "ended": (880.0, 550.0),
}
NOTE_SECONDS, LOUDNESS = 0.08, 0.15


@cache
def chime(name: Chime) -> bytes:
    """Return a chime as 16-bit samples, each note swelling and fading."""
    made = array("h")
    length = int(NOTE_SECONDS * RATE)
    for note in NOTES[name]:
        for at in range(length):
            swell = math.sin(math.pi * at / length) ** 2
            made.append(int(32767 * LOUDNESS * swell * math.sin(2 * math.pi * note * at / RATE)))
    return made.tobytes()


async def sounding(name: Chime) -> AsyncGenerator[bytes, None]:
    """Yield a chime."""
    yield chime(name)
