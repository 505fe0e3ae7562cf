"""Speech cut at its pauses into pieces, the silence between left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from backends.providers.faster_whisper.sound import RATE

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

Span = dict[str, int]  # start and end of some speech, in samples: the library's own form

# Four of Whisper's windows: the library goes through a piece window by window and begins each where
# the last whole
# sentence ended. In pieces of one window, what is left at each end would cost a pass of its own.
LONGEST_SECONDS = 120.0
PAUSE_MS = 400  # between sentences; a shorter pause is cut at only in speech that has no other
PAD_MS = 400
OPEN_SECONDS = 1.0  # speech this close to the end of a block may go on in the next


@dataclass(frozen=True)
class Piece:
    """Some speech, its pauses cut out. samples: float32, 16 kHz. spans: where it was, in
    seconds.
    """

    samples: np.ndarray
    spans: list[tuple[float, float]]

    def original(self, seconds: float) -> float:
        """Return when in the file a moment of the piece is."""
        for start, end in self.spans[:-1]:
            if seconds < end - start:
                return start + seconds
            seconds -= end - start
        start, end = self.spans[-1]
        return start + min(seconds, end - start)


def pieces(blocks: Iterable[np.ndarray]) -> Generator[tuple[Piece | None, float], None, None]:
    """Yield the speech of a sound, and how many seconds were listened to; None for a mere step on.

    A block is cut in speech only if that speech is longer than a piece may be.
    """
    kept, heard = np.zeros(0, np.float32), 0
    waiting = iter(blocks)
    block = next(waiting, None)
    while block is not None:
        after = next(waiting, None)
        samples = np.concatenate((kept, block))
        first, heard = heard - len(kept), heard + len(block)
        spans = speech_in(samples)
        kept = np.zeros(0, np.float32)
        if after is not None and spans and spans[-1]["end"] > len(samples) - OPEN_SECONDS * RATE:
            kept = samples[spans.pop()["start"] :]
        for packed in pack(spans):
            yield cut(samples, packed, first), (first + packed[-1]["end"]) / RATE
        yield None, (heard - len(kept)) / RATE
        block = after


def speech_in(samples: np.ndarray) -> list[Span]:
    """Return where somebody speaks, by the voice detector that comes with the library."""
    from faster_whisper.vad import VadOptions, get_speech_timestamps

    options = VadOptions(
        max_speech_duration_s=LONGEST_SECONDS,
        min_silence_duration_ms=PAUSE_MS,
        speech_pad_ms=PAD_MS,
    )
    return get_speech_timestamps(samples, options)


def pack(spans: list[Span]) -> list[list[Span]]:
    """Return the spans in groups, each as long as a piece may be."""
    groups: list[list[Span]] = []
    have = 0
    for span in spans:
        size = span["end"] - span["start"]
        if not groups or have + size > LONGEST_SECONDS * RATE:
            groups.append([])
            have = 0
        groups[-1].append(span)
        have += size
    return groups


def cut(samples: np.ndarray, spans: list[Span], first: int) -> Piece:
    """Return a group as a piece. first: where in the file the samples begin."""
    sound = np.concatenate([samples[span["start"] : span["end"]] for span in spans])
    return Piece(sound, [((first + s["start"]) / RATE, (first + s["end"]) / RATE) for s in spans])
