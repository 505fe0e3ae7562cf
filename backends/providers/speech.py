"""Functions for all voices: split text into pieces to speak, and convert the audio to its final
form.
"""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from backends.flexai.errors import InvokeBadRequestError
from backends.flexai.models.ai_model import stop_if_cancelled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backends.flexai.models.speech_models import Sound


UNKNOWN = 0xFFFFFFFF  # the length in a stream's header, because the real one is not known yet
SAMPLE_BYTES = 2


def header(rate: int, data_bytes: int | None = None) -> bytes:
    """Return the 44-byte WAV header for 16-bit mono samples. rate: in Hz. data_bytes: None for a
    stream.
    """
    size = UNKNOWN if data_bytes is None else data_bytes
    riff = UNKNOWN if data_bytes is None else 36 + data_bytes
    form = struct.pack("<HHIIHH", 1, 1, rate, rate * SAMPLE_BYTES, SAMPLE_BYTES, 8 * SAMPLE_BYTES)
    return (
        b"RIFF"
        + struct.pack("<I", riff)
        + b"WAVEfmt \x10\0\0\0"
        + form
        + b"data"
        + struct.pack("<I", size)
    )


LONGEST = (
    240  # characters in a piece; a text without full stops is cut at commas, then between words
)
FIRST_LONGEST = 80
FIRST_WORDS = 4  # a first piece may end at a comma if it has at least this many words
FIRST_WIDE = 8  # or at least this many characters in a script without spaces
BOUNDARY = re.compile(
    r"(?P<sentence>[.!?…]+[\"'”’)\]]*(?=\s|\Z)|[。"
    r"！？]+[”’」』）]*|\n+)|(?P<clause>[,;:–—]+(?=\s|\Z)|[，；：、]+)"
)
# A full stop after these, after a list number or after an initial does not end a sentence.
ENGLISH = (
    "mr",
    "mrs",
    "ms",
    "dr",
    "prof",
    "st",
    "fig",
    "vs",
    "etc",
    "e.g",
    "i.e",
    "cf",
    "approx",
    "dept",
)
OTHERS = ("z.b", "d.h", "bzw", "ca", "nr", "hr", "fr", "str", "m", "mme")
ABBREVIATIONS = frozenset((*ENGLISH, *OTHERS))
LAST_WORD = re.compile(r"(\S+)\.\Z")
EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe00-\ufe0f\u200d\u20e3\U000e0020-\U000e007f]+"
)
UNSPEAKABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ue000-\uf8ff\ufeff]")
RAW_PHONEMES = re.compile(r"\[{2,}")  # Piper reads text in double brackets as phonemes
WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def speakable(text: str) -> str:
    """Return the text without the parts that no voice can speak: emoji, control characters, and
    halves of surrogate pairs.
    """
    text = text.replace("\r", "\n")
    return RAW_PHONEMES.sub("[", UNSPEAKABLE.sub(" ", EMOJI.sub(" ", text)))


def has_words(text: str) -> bool:
    """Return whether there is something to speak: a letter or a digit."""
    return any(character.isalnum() for character in text)


def clauses(text: str) -> Iterator[str]:
    """Yield the pieces of a text in order, each with at most `LONGEST` characters."""
    start, first = 0, True
    while start < len(text):
        end = end_of_piece(text, start, first=first)
        piece = text[start:end].strip()
        if has_words(piece):
            yield piece
            first = False
        start = end


def end_of_piece(text: str, start: int, *, first: bool) -> int:
    """Return the position at which the piece that starts at `start` ends."""
    longest = FIRST_LONGEST if first else LONGEST
    window = text[start : start + longest + 1]
    whole = start + len(window) == len(text)
    comma = 0
    for found in BOUNDARY.finditer(window):
        end = found.end()
        if end == len(window) and not whole:
            break  # the text that follows decides whether the piece ends here
        if found["sentence"]:
            if not is_abbreviation(window[:end]):
                return start + end
        elif first and is_enough(window[:end]):
            return start + end
        else:
            comma = end
    if whole and len(window) <= longest:
        return start + len(window)
    space = window.rfind(" ", 0, longest)
    return start + (comma or (space if space > 0 else longest))


def is_abbreviation(said: str) -> bool:
    """Return whether the full stop at the end belongs to an abbreviation, an initial or a list
    number.
    """
    found = LAST_WORD.search(said)
    if found is None:
        return False
    word = found[1].lstrip("(\"'“‘[").lower()
    listed = word.isdigit() and said.strip() == f"{word}."
    return listed or word in ABBREVIATIONS or (len(word) == 1 and word.isalpha() and word != "i")


def is_enough(said: str) -> bool:
    """Return whether a first piece is long enough to sound like speech."""
    return len(said.split()) >= FIRST_WORDS or len(WIDE.findall(said)) >= FIRST_WIDE


FORMATS = ("wav", "pcm")
RATES = (8000, 192000)
TURN_SAMPLES = (
    128  # samples over which the volume is reduced: a jump within a word would be heard as a click
)


def check_form(
    speed: float, speeds: tuple[float, float], audio_format: str, sample_rate: int | None
) -> None:
    """Check the requested speed and audio format. speeds: the engine's lowest and highest speed.

    Raises: InvokeBadRequestError.
    """
    slowest, fastest = speeds
    if not slowest <= speed <= fastest:
        raise InvokeBadRequestError(
            f"Speech is not possible at a speed of {speed:g}.",
            f"Send one between {slowest:g} and {fastest:g}.",
        )
    if audio_format not in FORMATS:
        raise InvokeBadRequestError(f"{audio_format} cannot be created.", "Ask for wav or pcm.")
    if sample_rate is not None and not RATES[0] <= sample_rate <= RATES[1]:
        raise InvokeBadRequestError(
            f"A sample rate of {sample_rate} Hz is not supported.",
            f"Ask for {RATES[0]} to {RATES[1]} Hz.",
        )


def words_of(text: str) -> str:
    """Return the speakable part of a text.

    Raises: InvokeBadRequestError if nothing can be spoken.
    """
    said = speakable(text)
    if not has_words(said):
        raise InvokeBadRequestError(
            "There is nothing to say: the text contains no words.", "Send letters or numbers."
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
    """Return 16-bit samples, with or without a WAV header. A stream yields them piece by piece.

    rate: the sample rate of the pieces, in Hz. wanted: the sample rate of the result; None for the
    same. If the call is cancelled, it ends between two pieces.
    """
    made = sounds(pieces, rate, wanted or rate)
    wav = audio_format == "wav"
    if streaming:
        return stream(header(wanted or rate) if wav else b"", made)
    samples = b"".join(made)
    return (header(wanted or rate, len(samples)) if wav else b"") + samples


def at_full_strength(pieces: Iterator[np.ndarray], loudest: float = 0.0) -> Iterator[np.ndarray]:
    """Yield float samples as 16-bit samples, with the first piece at full volume.

    Later pieces keep their volume relative to the first. If each were normalized separately, a sigh
    would be as loud as a shout. loudest: the peak of earlier speech; if it is given, the first
    piece keeps its relative volume as well.
    """
    for piece in pieces:
        before, loudest = loudest, max(loudest, float(np.abs(piece).max(initial=0.0)))
        if loudest > 0:
            strength = np.full(len(piece), 32767 / loudest)
            turned = strength[:TURN_SAMPLES]
            turned[:] = np.linspace(32767 / (before or loudest), 32767 / loudest, len(turned))
            yield np.clip(piece * strength, -32767, 32767).astype("<i2")


def stream(head: bytes, pieces: Iterator[bytes]) -> Sound:
    """Yield the header together with the first piece, then the other pieces."""
    for piece in pieces:
        yield head + piece
        head = b""


def sounds(pieces: Iterator[np.ndarray], rate: int, wanted: int) -> Iterator[bytes]:
    """Yield samples as bytes, and check between pieces whether the call was cancelled."""
    for samples in resampled(pieces, rate, wanted):
        stop_if_cancelled()
        yield samples.tobytes()


def resampled(pieces: Iterator[np.ndarray], rate: int, wanted: int) -> Iterator[np.ndarray]:
    """Yield the samples at another sample rate, or unchanged if the rate is the same."""
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
    """Return the samples of all frames."""
    return np.concatenate([np.zeros(0, "<i2"), *(frame.to_ndarray()[0] for frame in frames)])
