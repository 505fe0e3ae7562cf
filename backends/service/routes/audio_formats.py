"""Encode speech as MP3, Opus, AAC, FLAC or WAV."""

from __future__ import annotations

import asyncio
import io
import struct
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from backends.flexai.errors import InvokeServerUnavailableError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

SoundForm = Literal["mp3", "opus", "aac", "flac", "wav", "pcm"]
MEDIA: dict[SoundForm, str] = {
    "mp3": "audio/mpeg",
    "opus": "audio/ogg",
    "aac": "audio/aac",
    "flac": "audio/flac",
    "wav": "audio/wav",
    "pcm": "audio/pcm",
}
# For each format: the container, the codec, bits a second, the container's options.
MADE: dict[str, tuple[str, str, int, dict[str, str]]] = {
    "mp3": ("mp3", "libmp3lame", 64_000, {"write_xing": "0", "id3v2_version": "0"}),
    "opus": ("ogg", "libopus", 32_000, {}),
    "aac": ("adts", "aac", 64_000, {}),
    "flac": ("flac", "flac", 0, {}),
}
WHOLE = ("flac", "wav")  # their headers contain the size, so they are sent when complete
UNUSUAL = 48_000  # Hz, for codecs that do not support the voice's rate


async def in_form(pieces: AsyncGenerator[bytes], form: SoundForm) -> AsyncGenerator[bytes]:
    """Yield sound in a format. pieces: a WAV that starts with its header, or a file in any other
    format.

    Raises: FlexAIError, also if it is not sound.
    """
    writer: SoundWriter | None = None
    held = bytearray()
    async with aclosing(pieces):
        async for piece in pieces:
            if writer is not None:
                made = await asyncio.to_thread(writer.add, piece)
            else:
                held += piece
                head = head_of(held)
                if head is None:
                    continue
                writer = SoundWriter(form, head[0])
                made = await asyncio.to_thread(writer.add, bytes(held[head[1] :]))
            if made:
                yield made
    if writer is None:
        samples, rate = await asyncio.to_thread(decoded, bytes(held))
        writer = SoundWriter(form, rate)
        if made := await asyncio.to_thread(writer.add, samples):
            yield made
    yield await asyncio.to_thread(writer.end)


def head_of(held: bytearray) -> tuple[int, int] | None:
    """Return the sample rate of a 16-bit mono WAV and the position of the first sample; None for
    anything else, or if there are too few bytes.
    """
    at = held.find(b"data")
    if not held.startswith(b"RIFF") or held.find(b"WAVE") != 8 or at < 0 or len(held) < at + 8:
        return None
    form = held.find(b"fmt ")
    kind, channels, rate, _, _, bits = struct.unpack("<HHIIHH", held[form + 8 : form + 24])
    return (rate, at + 8) if (kind, channels, bits) == (1, 1, 16) else None


def decoded(body: bytes) -> tuple[bytes, int]:
    """Return the samples of a sound file, 16-bit mono, and their rate.

    Raises: InvokeServerUnavailableError if it is not a sound file.
    """
    import av
    from av.error import FFmpegError

    try:
        with av.open(io.BytesIO(body), "r") as container:
            rate = container.streams.audio[0].rate
            resampler = av.AudioResampler(format="s16", layout="mono", rate=rate)
            frames = [f for frame in container.decode(audio=0) for f in resampler.resample(frame)]
            frames += resampler.resample(None)
            return b"".join(frame.to_ndarray().tobytes() for frame in frames), rate
    except (FFmpegError, IndexError) as error:
        raise InvokeServerUnavailableError(
            "The voice made no sound that can be read.", "Choose another voice."
        ) from error


class Sink:
    """The output of a container. It cannot seek back, so a stream's header contains only what is
    known at its start.
    """

    def __init__(self) -> None:
        self._held = bytearray()

    def write(self, data: bytes) -> int:
        """Store some bytes."""
        self._held += data
        return len(data)

    def take(self) -> bytes:
        """Return the bytes written since the last call."""
        made = bytes(self._held)
        self._held.clear()
        return made


class SoundWriter:
    """Writes 16-bit mono samples in a format. rate: Hz."""

    def __init__(self, form: SoundForm, rate: int) -> None:
        self._form, self._rate = form, rate
        self._odd = b""
        self._samples = bytearray()
        self._container: Any = None
        if form == "wav":
            return
        import av
        from av.codec import Codec

        name, codec, bits, options = MADE[form]
        self._sink: Any = io.BytesIO() if form in WHOLE else Sink()
        known = Codec(codec, "w").audio_rates
        self._container = av.open(self._sink, "w", format=name, options=options)
        made = rate if not known or rate in known else UNUSUAL
        self._stream = self._container.add_stream(codec, rate=made, layout="mono")
        if bits:
            self._stream.bit_rate = bits
        self._written = 0

    def add(self, piece: bytes) -> bytes:
        """Add samples in portions of any size; return the bytes that can be sent."""
        held = self._odd + piece
        whole = len(held) // 2 * 2
        self._odd = held[whole:]
        if self._container is None:
            self._samples += held[:whole]
            return b""
        if whole:
            import av

            samples = np.frombuffer(held[:whole], "<i2")[None]
            frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="mono")
            frame.sample_rate, frame.pts = self._rate, self._written
            self._written += samples.shape[1]
            self._container.mux(self._stream.encode(frame))
        return self._sink.take() if isinstance(self._sink, Sink) else b""

    def end(self) -> bytes:
        """Return the remaining bytes."""
        if self._container is None:
            size = len(self._samples)
            form = struct.pack("<HHIIHH", 1, 1, self._rate, self._rate * 2, 2, 16)
            head = b"RIFF" + struct.pack("<I", 36 + size) + b"WAVEfmt \x10\0\0\0" + form
            return head + b"data" + struct.pack("<I", size) + bytes(self._samples)
        self._container.mux(self._stream.encode(None))
        self._container.close()
        return self._sink.take() if isinstance(self._sink, Sink) else bytes(self._sink.getvalue())
