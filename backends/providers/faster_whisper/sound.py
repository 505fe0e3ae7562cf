"""Sound of any format into 16 kHz mono, block by block, on PyAV.

Only containers of sound and film are opened, by what they hold, not by their names: playlists and
scripts, which could make the library read other files or addresses, are not.
"""

from __future__ import annotations

from contextlib import closing, suppress
from itertools import groupby
from typing import IO, TYPE_CHECKING

import numpy as np

from backends.flexai.errors import InvokeBadRequestError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from av import AudioFrame
    from av.audio.resampler import AudioResampler
    from av.audio.stream import AudioStream
    from av.container import InputContainer

RATE = 16000
GATHERED = (
    100_000  # samples handed to the resampler at once; each call costs as much as many samples
)
MICROSECONDS = 1_000_000  # a container's unit of time
CONTAINERS = (
    "aac,ac3,aiff,amr,ape,asf,au,avi,caf,dts,eac3,flac,flv,matroska,webm,mov,mp3,mpeg,mpegts,ogg,"
    "rm,tta,voc,w64,wav,wv"
)
REMEDY = "Send another file: WAV, MP3, OGG, FLAC, M4A, WebM or any other common format."


class Sound:
    """An opened file; close it. duration: seconds it says it has, None if it does not say."""

    def __init__(self, container: InputContainer, stream: AudioStream) -> None:
        self._container = container
        self._stream = stream
        self.duration = container.duration / MICROSECONDS if container.duration else None

    def blocks(self, seconds: float) -> Generator[np.ndarray, None, None]:
        """Yield float32 samples, 16 kHz mono, about `seconds` at a time.

        A damaged packet is left out, what follows it is kept.
        Raises: InvokeBadRequestError if nothing can be decoded, or for values that are no numbers.
        """
        size, parts, have, total = int(seconds * RATE), list[np.ndarray](), 0, 0
        with closing(resampled(self._frames())) as arrays:
            for array in arrays:
                if not np.isfinite(array).all():
                    raise InvokeBadRequestError(
                        "The sound holds values that are no numbers (NaN).",
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
                "The file holds no sound.", "Record again, or send another file."
            )
        if have:
            yield np.concatenate(parts)

    def close(self) -> None:
        """Free the decoder; the file stays open."""
        self._container.close()

    def _frames(self) -> Iterator[AudioFrame]:
        from av.error import FFmpegError, InvalidDataError

        # a file cut short ends with an error where its end should be: what came before is kept
        with suppress(FFmpegError):
            for packet in self._container.demux(self._stream):
                with suppress(InvalidDataError):
                    yield from packet.decode()


def open_sound(file: IO[bytes]) -> Sound:
    """Open a file by its content.

    Raises: InvokeBadRequestError for an empty file, or one that is no sound.
    """
    import av
    from av.error import FFmpegError

    if not file.read(1):
        raise InvokeBadRequestError("The sound file is empty: it has 0 bytes.", "Record again.")
    file.seek(0)
    try:
        container = av.open(
            file, "r", metadata_errors="ignore", options={"format_whitelist": CONTAINERS}
        )
    except FFmpegError as error:
        raise InvokeBadRequestError(
            f"The file cannot be read as sound: {error.strerror}.", REMEDY
        ) from error
    if not container.streams.audio:
        container.close()
        raise InvokeBadRequestError("The file holds no sound.", REMEDY)
    return Sound(container, container.streams.audio[0])


def resampled(frames: Iterator[AudioFrame]) -> Generator[np.ndarray, None, None]:
    """Yield frames as float32 samples, 16 kHz mono; their format may change on the way."""
    for _, alike in groupby(frames, lambda f: (f.format.name, f.layout.name, f.sample_rate)):
        resampler = make_resampler()
        for frame in gathered(alike):
            for made in resampler.resample(frame):
                yield made.to_ndarray()[0]


def gathered(frames: Iterator[AudioFrame]) -> Iterator[AudioFrame | None]:
    """Yield frames of one format as fewer, longer ones, then None, which flushes a resampler."""
    from av.audio.fifo import AudioFifo

    fifo = AudioFifo()
    for frame in frames:
        frame.pts = None  # times of a damaged file would stop it
        fifo.write(frame)
        if fifo.samples >= GATHERED:
            yield fifo.read()
    if fifo.samples:
        yield fifo.read()
    yield None


def make_resampler() -> AudioResampler:
    """Make a resampler to 16 kHz mono float32."""
    from av.audio.resampler import AudioResampler

    return AudioResampler(format="flt", layout="mono", rate=RATE)
