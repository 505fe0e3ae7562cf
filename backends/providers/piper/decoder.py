"""The decoder of a Piper voice: sound of the first frames while those after them are still silent."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from onnxruntime import InferenceSession

    from backends.providers.piper.halves import Halves

FIRST_SECONDS = 0.2  # of sound in the first step
SHARE = 0.25  # of the time a step is heard in which the next one must be made: the machine may become busier
KEPT = 8  # runs whose cost is remembered


class Decoder:
    """Makes sound of frames; remembers what a frame costs. rate: samples a second. costs: seconds of earlier ones."""

    def __init__(
        self, session: InferenceSession, halves: Halves, rate: int, costs: Iterable[float] = ()
    ) -> None:
        self._session = session
        self._reach = halves.reach
        self._hop = halves.hop
        self._seconds = halves.hop / rate  # that a frame is heard
        self._costs = deque(costs, KEPT)

    def whole(self, given: dict[str, np.ndarray]) -> np.ndarray:
        """Return the sound of all frames at once: float32, shape (samples,)."""
        return self._run(given, 0, frames_in(given))

    def soon(self, given: dict[str, np.ndarray]) -> Iterator[np.ndarray]:
        """Yield the same samples in steps, each made well within the time that the one before it is heard.

        Where the machine is too slow for that, or nobody knows yet how quick it is, all come at once.
        """
        count, done = frames_in(given), 0
        step = self._first()
        while done < count:
            end = count if not 0 < step < count - done else done + step
            yield self._run(given, done, end)
            done, step = end, self._after(end - done)

    def _first(self) -> int:
        step = round(FIRST_SECONDS / self._seconds)
        return step if self._costs and self._after(step) >= step else 0

    def _after(self, step: int) -> int:
        """Return how many frames can be made while so many are heard; none if it is not even those on either side."""
        return int(step * self._seconds * SHARE / max(self._costs)) - 2 * self._reach

    def _run(self, given: dict[str, np.ndarray], begin: int, end: int) -> np.ndarray:
        count, begun = frames_in(given), time.perf_counter()
        first, last = max(0, begin - self._reach), min(count, end + self._reach)
        part = {
            name: np.ascontiguousarray(value[..., first:last])
            if value.shape[-1] == count
            else value
            for name, value in given.items()
        }
        sound: Any = self._session.run(None, part)[0]
        self._costs.append((time.perf_counter() - begun) / (last - first))
        return sound.reshape(-1)[(begin - first) * self._hop : (end - first) * self._hop]


def frames_in(given: dict[str, np.ndarray]) -> int:
    """Return the number of frames; beside them a speaker's colour is given, which is one."""
    return max(value.shape[-1] for value in given.values())
