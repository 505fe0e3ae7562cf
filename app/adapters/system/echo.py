"""Echo cancellation: removes the sound of our loudspeaker from the microphone signal, using
WebRTC's canceller.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from app.domain.sound import EAR_RATE, RATE

if TYPE_CHECKING:
    import numpy as np

LONGEST_MS = 300  # maximum delay from the loudspeaker to the microphone
# levels in dB: above the first, something is being played; below the second, nothing is heard
PLAYS, QUIET = -45.0, -58.0
FORGET_MS = 4000  # duration of silence; longer than the pause before the voice speaks an answer
# dB above the room noise from which sound counts as heard; dB per millisecond by which the noise
# level may rise
ABOVE, RISE = 6.0, 0.0015
UP, DOWN = 2, 3  # from the loudspeaker's sample rate to the microphone's
TAPS = 32  # length of the filter on each side


class EchoCanceller:
    """Cancels the echo in a stream of 16-bit samples. It detects the delay and whether there is an
    echo.

    Without an echo, for example with a headset, the samples stay unchanged, because the canceller
    would initially distort them.
    """

    def __init__(self) -> None:
        self._processor: Any = None
        self._slower: Slower | None = None
        self._apart = EchoFilter()

    def begin(self) -> None:
        """Start over. This loads the echo canceller, which takes a moment."""
        from pywebrtc_audio import AudioProcessor

        self._processor = AudioProcessor(sample_rate=EAR_RATE, echo_cancellation=True)
        self._slower, self._apart = Slower(), EchoFilter()

    def clean(self, heard: bytes, played: bytes) -> bytes:
        """Return the microphone's samples without the echo of the played sound.

        heard: at `EAR_RATE` samples per second. played: at `RATE` samples per second.
        """
        import numpy as np

        assert self._slower is not None
        near = np.frombuffer(heard, "<i2")
        far = self._slower.feed(np.frombuffer(played, "<i2"), len(near))
        clean = self._processor.process(near, far)
        return heard if self._apart.take(near, far) else clean.tobytes()


class EchoFilter:
    """Detects whether the microphone picks up the loudspeaker."""

    def __init__(self) -> None:
        self._recent = deque[
            tuple[float, float, float]
        ]()  # milliseconds, levels of the sound heard, and levels of the sound played
        self._room = self._still = 0.0
        self._apart = False

    def take(self, near: np.ndarray, far: np.ndarray) -> bool:
        """Add the next samples of both sounds; return True if the microphone does not pick up the
        loudspeaker.
        """
        ms, heard = len(near) * 1000 / EAR_RATE, level(near)
        self._room = min(heard, self._room + RISE * ms)
        self._recent.append((ms, heard, level(far)))
        while sum(one[0] for one in self._recent) > 3 * LONGEST_MS:
            self._recent.popleft()
        if not any(played > PLAYS for _, _, played in self._recent):
            self._still += ms
            if self._still > FORGET_MS:  # the next sound may come from a different loudspeaker
                self._apart = False
            return True
        self._still = 0.0
        self._apart = self._apart or self._is_quiet()
        return self._apart

    def _is_quiet(self) -> bool:
        left, played = 3.0 * LONGEST_MS, 0.0
        for ms, _, loud in self._recent:
            left -= ms
            played += ms if loud > PLAYS and left > LONGEST_MS else 0.0
        heard = max(heard for _, heard, _ in self._recent)
        return played > LONGEST_MS and heard < max(QUIET, self._room + ABOVE)


def level(samples: np.ndarray) -> float:
    """Return the level of samples, in dB relative to full scale."""
    import numpy as np

    power = (samples.astype(np.float32) ** 2).mean() / 2**30 if len(samples) else 0.0
    return float(10 * np.log10(power + 1e-10))


class Slower:
    """Resamples from `RATE` to `EAR_RATE` in portions, using a windowed sinc."""

    def __init__(self) -> None:
        import numpy as np

        assert EAR_RATE * DOWN == RATE * UP
        x = np.arange(-UP * TAPS, UP * TAPS + 1)
        self._filter = np.sinc(x / DOWN * 0.95) * np.hanning(len(x))
        self._filter *= UP / self._filter.sum()
        self._rest = np.zeros(2 * TAPS * UP)
        self._skip = 0  # upsampled values to skip in the next portion before the next sample is due

    def feed(self, samples: np.ndarray, count: int) -> np.ndarray:
        """Return `count` samples; if one is missing at the edge of a portion, the last one is
        repeated.
        """
        import numpy as np

        quick = np.zeros(len(samples) * UP)
        quick[::UP] = samples
        whole = np.concatenate((self._rest, quick))
        self._rest = whole[len(whole) - len(self._rest) :]
        made = np.convolve(whole, self._filter, "valid")[self._skip :: DOWN]
        self._skip = (self._skip - len(quick)) % DOWN
        made = np.clip(made[:count], -32768, 32767).astype(np.int16)
        return np.pad(made, (0, count - len(made)), "edge" if len(made) else "constant")
