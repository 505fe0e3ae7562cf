"""How likely somebody speaks, moment by moment: Silero's detector, which comes with faster-whisper."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

RATE = 16000  # samples a second
WINDOW = 512  # samples it looks at: 32 ms
CONTEXT = 64  # samples before them that it wants to see again
MEMORY = (1, 1, 128)


class Detector:
    """Hears one stream, window by window, and remembers what it heard. It costs a quarter of a millisecond a window."""

    def __init__(self) -> None:
        self._session = silero()
        self._short = self._long = np.zeros(MEMORY, np.float32)
        self._before = np.zeros(CONTEXT, np.float32)

    def hear(self, window: np.ndarray) -> float:
        """Return how likely the next window is speech, 0 to 1; float32, shape (512,), -1 to 1."""
        given = np.concatenate((self._before, window))[np.newaxis]
        self._before = window[-CONTEXT:]
        told = self._session.run(None, {"input": given, "h": self._short, "c": self._long})
        likely, self._short, self._long = (np.asarray(part) for part in told)
        return float(likely.reshape(-1)[0])


@cache
def silero() -> InferenceSession:
    """Load the detector, once for all streams: it takes a moment, mostly for its runtime."""
    from onnxruntime import InferenceSession, SessionOptions  # pyright: ignore[reportAttributeAccessIssue]

    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return InferenceSession(str(model_file()), options, providers=["CPUExecutionProvider"])


def model_file() -> Path:
    """Return where faster-whisper keeps it; the library itself, which is large, is not loaded."""
    found = find_spec("faster_whisper")
    assert found is not None
    assert found.origin is not None
    return next((Path(found.origin).parent / "assets").glob("silero_vad*.onnx"))
