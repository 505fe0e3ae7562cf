"""The form of spoken sound: what may be asked for, samples at another rate, a WAV that begins at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from backends.flexai.cancellation import stop_if_cancelled
from backends.flexai.errors import InvokeBadRequestError
from backends.providers.speaking.clauses import has_words, speakable
from backends.providers.speaking.wav import header

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backends.flexai.models.text2speech_model import Sound

FORMATS = ("wav", "pcm")
RATES = (8000, 192000)
TURN_SAMPLES = (
    128  # over which the strength is turned down: a jump in the middle of a word is a click
)


def check_form(
    speed: float, speeds: tuple[float, float], audio_format: str, sample_rate: int | None
) -> None:
    """Check how the sound is wanted. speeds: the slowest and the fastest of the engine.

    Raises: InvokeBadRequestError.
    """
    slowest, fastest = speeds
    if not slowest <= speed <= fastest:
        raise InvokeBadRequestError(
            f"A speed of {speed:g} cannot be spoken.",
            f"Send one between {slowest:g} and {fastest:g}.",
        )
    if audio_format not in FORMATS:
        raise InvokeBadRequestError(f"{audio_format} cannot be made.", "Ask for wav or pcm.")
    if sample_rate is not None and not RATES[0] <= sample_rate <= RATES[1]:
        raise InvokeBadRequestError(
            f"{sample_rate} Hz cannot be made.", f"Ask for {RATES[0]} to {RATES[1]} Hz."
        )


def words_of(text: str) -> str:
    """Return what of a text can be spoken.

    Raises: InvokeBadRequestError if that is nothing.
    """
    said = speakable(text)
    if not has_words(said):
        raise InvokeBadRequestError(
            "There is nothing to say: the text holds no words.", "Send letters or numbers."
        )
    return said


def in_form(
    pieces: Iterator[np.ndarray],
    rate: int,
    wanted: int | None,
    audio_format: str,
    *,
    streaming: bool,
) -> bytes | Sound:
    """Return 16-bit samples as a WAV, or without its header; a stream yields them piece by piece.

    rate, wanted: Hz of the pieces, and of the sound (None: the same). A cancelled call ends between two pieces.
    """
    made = sounds(pieces, rate, wanted or rate)
    wav = audio_format == "wav"
    if streaming:
        return stream(header(wanted or rate) if wav else b"", made)
    samples = b"".join(made)
    return (header(wanted or rate, len(samples)) if wav else b"") + samples


def at_full_strength(pieces: Iterator[np.ndarray], loudest: float = 0.0) -> Iterator[np.ndarray]:
    """Yield float samples as 16-bit ones, the first piece at full strength.

    All after it keep their strength relative to it: scaled each on its own, a sigh would be as loud as a shout.
    loudest: of what was said before, so that the first one keeps its strength relative to that.
    """
    for piece in pieces:
        before, loudest = loudest, max(loudest, float(np.abs(piece).max(initial=0.0)))
        if loudest > 0:
            strength = np.full(len(piece), 32767 / loudest)
            turned = strength[:TURN_SAMPLES]
            turned[:] = np.linspace(32767 / (before or loudest), 32767 / loudest, len(turned))
            yield np.clip(piece * strength, -32767, 32767).astype("<i2")


def stream(head: bytes, pieces: Iterator[bytes]) -> Sound:
    """Yield the header with the first piece, then the others."""
    for piece in pieces:
        yield head + piece
        head = b""


def sounds(pieces: Iterator[np.ndarray], rate: int, wanted: int) -> Iterator[bytes]:
    """Yield samples as bytes, looking between two pieces whether the call was cancelled."""
    for samples in resampled(pieces, rate, wanted):
        stop_if_cancelled()
        yield samples.tobytes()


def resampled(pieces: Iterator[np.ndarray], rate: int, wanted: int) -> Iterator[np.ndarray]:
    """Yield the samples at another rate; as they are if it is the same."""
    if rate == wanted:
        yield from pieces
        return
    from av import AudioFrame
    from av.audio.resampler import AudioResampler

    resampler = AudioResampler(format="s16", layout="mono", rate=wanted)
    for piece in pieces:
        frame = AudioFrame.from_ndarray(piece[None], format="s16", layout="mono")
        frame.sample_rate = rate
        yield joined(resampler.resample(frame))
    yield joined(resampler.resample(None))


def joined(frames: list[Any]) -> np.ndarray:
    """Return the samples of some frames."""
    return np.concatenate([np.zeros(0, "<i2"), *(frame.to_ndarray()[0] for frame in frames)])
