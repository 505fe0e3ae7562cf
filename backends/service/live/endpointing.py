"""Where somebody speaks in live sound: what the voice detector takes for speech, and is no whisper from next door."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Literal

import numpy as np

from backends.service.live.detector import RATE, WINDOW, Detector

SAMPLE_BYTES = 2  # 16 bits, one channel
BEGINS, STAYS = 0.5, 0.35  # how likely speech is that begins, and that goes on
QUIETEST = 10**-5.2  # power, -52 dB of full scale; nothing below is speech
START_WINDOWS, START_WITHIN = 2, 5  # so many windows of speech in so many begin it
ONSET = 2  # windows a voice has begun before it is noticed: the first consonant may be a mere hiss
PAUSE_WINDOWS = 5  # 160 ms of silence may be the end: the last pass can begin

Kind = Literal["start", "pause", "resume", "end"]


@dataclass(frozen=True)
class Mark:
    """What was found. at: the sample where speech begins, goes on, or ended."""

    kind: Kind
    at: int


class Endpointer:
    """Takes samples as they come, in any portions, and tells where speech begins, pauses, goes on and ends.

    silence_ms: how long nobody may speak before it is an end.
    """

    def __init__(self, silence_ms: int = 600) -> None:
        self._silence = max(PAUSE_WINDOWS + 1, math.ceil(silence_ms * RATE / 1000 / WINDOW))
        self._detector = Detector()
        self._rest = np.zeros(0, np.int16)
        self._recent: deque[bool] = deque(maxlen=START_WITHIN)
        self._windows = 0
        self._quiet = 0
        self.speaking = False

    def feed(self, samples: np.ndarray) -> list[Mark]:
        """Return what is found in the next samples, int16."""
        samples = np.concatenate((self._rest, samples))
        whole = len(samples) // WINDOW * WINDOW
        self._rest = samples[whole:]
        windows = samples[:whole].astype(np.float32).reshape(-1, WINDOW) / 32768
        return [mark for window in windows if (mark := self._window(window)) is not None]

    def _window(self, window: np.ndarray) -> Mark | None:
        self._windows += 1
        likely = self._detector.hear(window)
        speech = (
            likely >= (STAYS if self.speaking else BEGINS) and float((window**2).mean()) > QUIETEST
        )
        if not self.speaking:
            self._recent.append(speech)
            if sum(self._recent) < START_WINDOWS:
                return None
            begun = self._windows - len(self._recent) + self._recent.index(True)
            self.speaking, self._quiet = True, 0
            self._recent.clear()
            return Mark("start", max(0, begun - ONSET) * WINDOW)
        before, self._quiet = self._quiet, 0 if speech else self._quiet + 1
        if speech and before >= PAUSE_WINDOWS:
            return Mark("resume", (self._windows - 1) * WINDOW)
        last = (self._windows - self._quiet) * WINDOW
        if self._quiet == PAUSE_WINDOWS:
            return Mark("pause", last)
        if self._quiet < self._silence:
            return None
        self.speaking = False
        return Mark("end", last)
