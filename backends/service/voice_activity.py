"""Find speech in live sound with Silero's detector."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from onnxruntime import InferenceSession


RATE = 16000  # samples a second
WINDOW = 512  # samples in a window: 32 ms
CONTEXT = 64  # samples before the window that the detector needs again
MEMORY = (1, 1, 128)


class Detector:
    """Analyses a stream window by window, and keeps its state. Each window takes a quarter of a
    millisecond.
    """

    def __init__(self) -> None:
        self._session = silero()
        self._short = self._long = np.zeros(MEMORY, np.float32)
        self._before = np.zeros(CONTEXT, np.float32)

    def hear(self, window: np.ndarray) -> float:
        """Return the probability that the next window is speech, 0 to 1. window: float32, shape
        (512,), -1 to 1.
        """
        given = np.concatenate((self._before, window))[np.newaxis]
        self._before = window[-CONTEXT:]
        told = self._session.run(None, {"input": given, "h": self._short, "c": self._long})
        likely, self._short, self._long = (np.asarray(part) for part in told)
        return float(likely.reshape(-1)[0])


@cache
def silero() -> InferenceSession:
    """Load the detector, once for all streams, because that takes a moment, mostly for its
    runtime.
    """
    from onnxruntime import (
        InferenceSession,
        SessionOptions,  # pyright: ignore[reportAttributeAccessIssue]
    )

    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return InferenceSession(str(model_file()), options, providers=["CPUExecutionProvider"])


def model_file() -> Path:
    """Return the path of faster-whisper's model file, without loading that large library."""
    found = find_spec("faster_whisper")
    assert found is not None
    assert found.origin is not None
    return next((Path(found.origin).parent / "assets").glob("silero_vad*.onnx"))


SAMPLE_BYTES = 2  # 16 bits, one channel
BEGINS, STAYS = 0.5, 0.35  # minimum probabilities for speech to start, and to continue
QUIETEST = 10**-5.2  # power, -52 dB of full scale; anything quieter is not speech
START_WINDOWS, START_WITHIN = 2, 5  # this many speech windows out of this many start an utterance
# windows before speech is noticed in which it may have started: the first consonant may be just a
# hiss
ONSET = 2
PAUSE_WINDOWS = 5  # 160 ms of silence may be the end, so the last pass can start

Kind = Literal["start", "pause", "resume", "end"]


@dataclass(frozen=True)
class SpeechMark:
    """A detected event. at: the sample where speech starts, continues or ends."""

    kind: Kind
    at: int


class Endpointer:
    """Receives samples in portions of any size, and reports where speech starts, pauses, continues
    and ends.

    silence_ms: how long a silence must be to count as an end.
    """

    def __init__(self, silence_ms: int = 600) -> None:
        self._silence = max(PAUSE_WINDOWS + 1, math.ceil(silence_ms * RATE / 1000 / WINDOW))
        self._detector = Detector()
        self._rest = np.zeros(0, np.int16)
        self._recent: deque[bool] = deque(maxlen=START_WITHIN)
        self._windows = 0
        self._quiet = 0
        self.speaking = False

    def feed(self, samples: np.ndarray) -> list[SpeechMark]:
        """Return the marks found in the next int16 samples."""
        samples = np.concatenate((self._rest, samples))
        whole = len(samples) // WINDOW * WINDOW
        self._rest = samples[whole:]
        windows = samples[:whole].astype(np.float32).reshape(-1, WINDOW) / 32768
        return [mark for window in windows if (mark := self._window(window)) is not None]

    def _window(self, window: np.ndarray) -> SpeechMark | None:
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
            return SpeechMark("start", max(0, begun - ONSET) * WINDOW)
        before, self._quiet = self._quiet, 0 if speech else self._quiet + 1
        if speech and before >= PAUSE_WINDOWS:
            return SpeechMark("resume", (self._windows - 1) * WINDOW)
        last = (self._windows - self._quiet) * WINDOW
        if self._quiet == PAUSE_WINDOWS:
            return SpeechMark("pause", last)
        if self._quiet < self._silence:
            return None
        self.speaking = False
        return SpeechMark("end", last)
