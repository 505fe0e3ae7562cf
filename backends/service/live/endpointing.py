"""Where somebody speaks in live sound, by its loudness above the room's."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal

import numpy as np

RATE = 16000  # samples a second, 16 bits, one channel
SAMPLE_BYTES = 2
FRAME = RATE // 50  # 20 ms
ABOVE = 9.0  # dB above the room that are speech
QUIETEST = -52.0  # dB of full scale; nothing below is speech
SILENT = -80.0  # dB; no room is quieter
RISE = 0.03  # dB a frame that the room's level follows upwards: 1.5 dB a second
START_FRAMES, START_WITHIN = 5, 8  # so many frames of speech in so many begin it: a click does not
PAUSE_FRAMES = 8  # 160 ms of silence may be the end: the last pass can begin

Kind = Literal["start", "pause", "resume", "end"]


@dataclass(frozen=True)
class Mark:
    """What was found. at: the sample where speech begins, goes on, or ended."""

    kind: Kind
    at: int


class Endpointer:
    """Takes samples as they come, in any portions, and tells where speech begins, pauses, goes on and ends.

    silence_ms: how long it must be quiet for an end. The room's level is followed: a fan is no speech.
    What is loud and no voice is left to the model's own detector, which hears the final pass.
    """

    def __init__(self, silence_ms: int = 600) -> None:
        self._silence = max(PAUSE_FRAMES + 1, silence_ms // 20)
        self._rest = np.zeros(0, np.int16)
        self._room: float | None = (
            None  # its level; the first moment is taken for it, the next dip corrects that
        )
        self._recent: deque[bool] = deque(maxlen=START_WITHIN)
        self._frames = 0
        self._quiet = 0
        self.speaking = False

    def feed(self, samples: np.ndarray) -> list[Mark]:
        """Return what is found in the next samples, int16."""
        samples = np.concatenate((self._rest, samples))
        whole = len(samples) // FRAME * FRAME
        self._rest = samples[whole:]
        frames = samples[:whole].astype(np.float32).reshape(-1, FRAME) / 32768
        levels = 10 * np.log10((frames**2).mean(1) + 1e-10)
        return [mark for level in levels if (mark := self._frame(float(level))) is not None]

    def _frame(self, level: float) -> Mark | None:
        self._frames += 1
        loud = level > max(self._follow(level) + ABOVE, QUIETEST)
        if not self.speaking:
            self._recent.append(loud)
            if sum(self._recent) < START_FRAMES:
                return None
            begun = self._frames - len(self._recent) + self._recent.index(True)
            self.speaking, self._quiet = True, 0
            self._recent.clear()
            return Mark("start", begun * FRAME)
        before, self._quiet = self._quiet, 0 if loud else self._quiet + 1
        if loud and before >= PAUSE_FRAMES:
            return Mark("resume", (self._frames - 1) * FRAME)
        last = (self._frames - self._quiet) * FRAME
        if self._quiet == PAUSE_FRAMES:
            return Mark("pause", last)
        if self._quiet < self._silence:
            return None
        self.speaking = False
        return Mark("end", last)

    def _follow(self, level: float) -> float:
        """Return the room's level: it is what is quiet, followed down at once and up slowly."""
        room = level if self._room is None else min(level, self._room + RISE)
        self._room = max(room, SILENT)
        return self._room
