"""Convert audio in any format to 16 kHz mono, block by block, with PyAV.

Only audio and video containers are opened; they are recognised by their content. Playlists and
scripts could make the library read other files or URLs.
"""

from __future__ import annotations

from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import groupby
from typing import IO, TYPE_CHECKING

import numpy as np

from backends.flexai.errors import InvokeBadRequestError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from av import AudioFrame
    from av.audio.resampler import AudioResampler
    from av.audio.stream import AudioStream
    from av.container import InputContainer

RATE = 16000
GATHERED = (
    100_000  # samples per resampler call; the overhead of a call costs as much as these samples
)
MICROSECONDS = 1_000_000  # a container's duration is in microseconds
CONTAINERS = (
    "aac,ac3,aiff,amr,ape,asf,au,avi,caf,dts,eac3,flac,flv,matroska,webm,mov,mp3,mpeg,mpegts,ogg,"
    "rm,tta,voc,w64,wav,wv"
)
REMEDY = "Send another file: WAV, MP3, OGG, FLAC, M4A, WebM or any other common format."


class Sound:
    """An open audio file, to be closed after use. duration: the length that the file declares, in
    seconds; None if it declares none.
    """

    def __init__(self, container: InputContainer, stream: AudioStream) -> None:
        self._container = container
        self._stream = stream
        self.duration = container.duration / MICROSECONDS if container.duration else None

    def blocks(self, seconds: float) -> Generator[np.ndarray, None, None]:
        """Yield float32 samples, 16 kHz mono, about `seconds` at a time.

        A damaged packet is skipped, and decoding continues with the next one. Raises:
        InvokeBadRequestError if nothing can be decoded, or if a sample is not a number.
        """
        size, parts, have, total = int(seconds * RATE), list[np.ndarray](), 0, 0
        with closing(resampled(self._frames())) as arrays:
            for array in arrays:
                if not np.isfinite(array).all():
                    raise InvokeBadRequestError(
                        "The audio contains values that are not numbers (NaN).",
                        "Record or export it again.",
                    )
                parts.append(array)
                have += len(array)
                if have >= size:
                    yield np.concatenate(parts)
                    total += have
                    parts, have = [], 0
        if total + have == 0:
            raise InvokeBadRequestError(
                "The file contains no sound.", "Record again, or send another file."
            )
        if have:
            yield np.concatenate(parts)

    def close(self) -> None:
        """Free the decoder; the file stays open."""
        self._container.close()

    def _frames(self) -> Iterator[AudioFrame]:
        from av.error import FFmpegError, InvalidDataError

        # a truncated file ends with an error, not an end marker; everything before the error is
        # kept
        with suppress(FFmpegError):
            for packet in self._container.demux(self._stream):
                with suppress(InvalidDataError):
                    yield from packet.decode()


def open_sound(file: IO[bytes]) -> Sound:
    """Open an audio file, whose format is recognised by its content.

    Raises: InvokeBadRequestError if the file is empty or not an audio file.
    """
    import av
    from av.error import FFmpegError

    if not file.read(1):
        raise InvokeBadRequestError("The audio file is empty: it has 0 bytes.", "Record again.")
    file.seek(0)
    try:
        container = av.open(
            file, "r", metadata_errors="ignore", options={"format_whitelist": CONTAINERS}
        )
    except FFmpegError as error:
        raise InvokeBadRequestError(
            f"The file cannot be read as audio: {error.strerror}.", REMEDY
        ) from error
    if not container.streams.audio:
        container.close()
        raise InvokeBadRequestError("The file contains no sound.", REMEDY)
    return Sound(container, container.streams.audio[0])


def resampled(frames: Iterator[AudioFrame]) -> Generator[np.ndarray, None, None]:
    """Yield frames as float32 samples, 16 kHz mono. The frames' format may change within the
    file.
    """
    for _, alike in groupby(frames, lambda f: (f.format.name, f.layout.name, f.sample_rate)):
        resampler = make_resampler()
        for frame in gathered(alike):
            for made in resampler.resample(frame):
                yield made.to_ndarray()[0]


def gathered(frames: Iterator[AudioFrame]) -> Iterator[AudioFrame | None]:
    """Yield frames of the same format, joined into fewer, longer ones, and finally None, which
    flushes a resampler.
    """
    from av.audio.fifo import AudioFifo

    fifo = AudioFifo()
    for frame in frames:
        frame.pts = None  # invalid timestamps in a damaged file would stop the FIFO
        fifo.write(frame)
        if fifo.samples >= GATHERED:
            yield fifo.read()
    if fifo.samples:
        yield fifo.read()
    yield None


def make_resampler() -> AudioResampler:
    """Create a resampler to 16 kHz mono float32."""
    from av.audio.resampler import AudioResampler

    return AudioResampler(format="flt", layout="mono", rate=RATE)


Span = dict[str, int]  # start and end of a passage of speech in samples, in the library's format

# Four of Whisper's windows: the library processes a piece window by window and starts each window
# where the last complete sentence ended. With pieces of one window, the remainder of each piece
# would cost an extra pass.
LONGEST_SECONDS = 120.0
# a pause between sentences; shorter pauses are used only in speech that has no long ones
PAUSE_MS = 400
PAD_MS = 400
OPEN_SECONDS = 1.0  # speech this close to the end of a block may continue in the next one


@dataclass(frozen=True)
class SpeechPiece:
    """A piece of speech with its pauses removed. samples: float32, 16 kHz. spans: its positions in
    the file, in seconds.
    """

    samples: np.ndarray
    spans: list[tuple[float, float]]

    def original(self, seconds: float) -> float:
        """Return the time in the file that corresponds to a time in the piece."""
        for start, end in self.spans[:-1]:
            if seconds < end - start:
                return start + seconds
            seconds -= end - start
        start, end = self.spans[-1]
        return start + min(seconds, end - start)


def pieces(blocks: Iterable[np.ndarray]) -> Generator[tuple[SpeechPiece | None, float], None, None]:
    """Yield the pieces of speech in some audio, each with the number of seconds processed so far.
    The piece is None if there is only progress to report.

    A block is cut in the middle of speech only if that speech is longer than the longest allowed
    piece.
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
    """Return the spans that contain speech, found by the library's voice activity detector."""
    from faster_whisper.vad import VadOptions, get_speech_timestamps

    options = VadOptions(
        max_speech_duration_s=LONGEST_SECONDS,
        min_silence_duration_ms=PAUSE_MS,
        speech_pad_ms=PAD_MS,
    )
    return get_speech_timestamps(samples, options)


def pack(spans: list[Span]) -> list[list[Span]]:
    """Return the spans in groups, none longer than the longest allowed piece."""
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


def cut(samples: np.ndarray, spans: list[Span], first: int) -> SpeechPiece:
    """Return a group as a piece. first: the position in the file at which the samples start."""
    sound = np.concatenate([samples[span["start"] : span["end"]] for span in spans])
    return SpeechPiece(
        sound, [((first + s["start"]) / RATE, (first + s["end"]) / RATE) for s in spans]
    )
