"""OpenAI-style audio routes: speech to text or subtitles, and text to speech as MP3, Opus, AAC,
FLAC or WAV.
"""

from __future__ import annotations

import asyncio
import io
import json
import struct
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import numpy as np
from fastapi import APIRouter, Form, Request, UploadFile
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette import EventSourceResponse

from backends.flexai.entities import ModelType, Transcript, TranscriptChunk
from backends.flexai.errors import FlexAIError, InvokeBadRequestError, InvokeServerUnavailableError
from backends.flexai.models.speech_models import gather
from backends.service.errors import body_of_error
from backends.service.models import models_of
from backends.service.queue import for_caller
from backends.service.routes.chat_request import WITHOUT_EFFECT, followed

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator


SoundForm = Literal["mp3", "opus", "aac", "flac", "wav", "pcm"]
MEDIA: dict[SoundForm, str] = {
    "mp3": "audio/mpeg",
    "opus": "audio/ogg",
    "aac": "audio/aac",
    "flac": "audio/flac",
    "wav": "audio/wav",
    "pcm": "audio/pcm",
}
# For each format: the container, the codec, the bits per second and the container's options.
MADE: dict[str, tuple[str, str, int, dict[str, str]]] = {
    "mp3": ("mp3", "libmp3lame", 64_000, {"write_xing": "0", "id3v2_version": "0"}),
    "opus": ("ogg", "libopus", 32_000, {}),
    "aac": ("adts", "aac", 64_000, {}),
    "flac": ("flac", "flac", 0, {}),
}
WHOLE = ("flac", "wav")  # their headers contain the size, so these files are sent when complete
UNUSUAL = 48_000  # sample rate in Hz, for codecs that do not support the voice's rate


async def in_form(pieces: AsyncGenerator[bytes], form: SoundForm) -> AsyncGenerator[bytes]:
    """Yield audio in a given format. pieces: a WAV file that starts with its header, or a file in
    any other format.

    Raises: FlexAIError, also if the pieces are not audio.
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
    """Return the sample rate of a 16-bit mono WAV file and the position of the first sample, or
    None if it is another kind of file or there are too few bytes.
    """
    at = held.find(b"data")
    if not held.startswith(b"RIFF") or held.find(b"WAVE") != 8 or at < 0 or len(held) < at + 8:
        return None
    form = held.find(b"fmt ")
    kind, channels, rate, _, _, bits = struct.unpack("<HHIIHH", held[form + 8 : form + 24])
    return (rate, at + 8) if (kind, channels, bits) == (1, 1, 16) else None


def decoded(body: bytes) -> tuple[bytes, int]:
    """Return the samples of an audio file, converted to 16-bit mono, and their rate.

    Raises: InvokeServerUnavailableError if it is not an audio file.
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
            "The voice produced no readable sound.", "Choose another voice."
        ) from error


class Sink:
    """The output of a container. It cannot seek backwards, so a stream's header contains only what
    is known at its start.
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
    """Writes 16-bit mono samples in a given format. rate: the sample rate in Hz."""

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
        """Add samples in portions of any size, and return the bytes that can be sent."""
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


def srt(transcript: Transcript) -> str:
    """Return a transcript as SubRip.

    Raises: InvokeBadRequestError if the transcript has no times.
    """
    return "".join(
        f"{number}\n{clock(start, ',')} --> {clock(end, ',')}\n{text}\n\n"
        for number, (start, end, text) in enumerate(cues(transcript), 1)
    )


def vtt(transcript: Transcript) -> str:
    """Return a transcript as WebVTT.

    Raises: InvokeBadRequestError if the transcript has no times.
    """
    return "WEBVTT\n\n" + "".join(
        f"{clock(start, '.')} --> {clock(end, '.')}\n{text}\n\n"
        for start, end, text in cues(transcript)
    )


def cues(transcript: Transcript) -> Iterator[tuple[float, float, str]]:
    """Yield the start, end and text of each cue. A text is one line, and contains none of the
    format's arrows.
    """
    for segment in transcript.segments:
        if segment.start is None or segment.end is None:
            raise InvokeBadRequestError(
                "This model returns no timestamps, so subtitles are not possible.",
                "Ask for text or json.",
            )
        text = " ".join(segment.text.split()).replace("-->", "→")
        if text:
            yield segment.start, segment.end, text


def clock(seconds: float, mark: str) -> str:
    """Return a time as hours, minutes, seconds and milliseconds."""
    whole, milliseconds = divmod(round(seconds * 1000), 1000)
    minutes, second = divmod(whole, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour:02}:{minute:02}:{second:02}{mark}{milliseconds:03}"


router = APIRouter()

T = TypeVar("T")
Format = Literal["json", "text", "srt", "verbose_json", "vtt"]
MOST_BYTES = 400_000_000  # a file is sent to the model's process in one piece
PCM_RATE = 24000  # sample rate that OpenAI's clients assume for raw samples
# Programs written for OpenAI use OpenAI's voice names. Here, they stand for the model's own voice.
OPENAI_VOICES = frozenset(
    "alloy ash ballad cedar coral default echo fable marin nova onyx sage shimmer verse".split()  # noqa: SIM905
)


class TranscriptionForm(BaseModel):
    """A transcription request. hotwords: words to expect, which is an extension of the API."""

    model_config = ConfigDict(populate_by_name=True, extra="allow")

    file: UploadFile
    model: str | None = None
    language: str | None = None
    prompt: str | None = None
    hotwords: str | None = None
    temperature: Annotated[float, Field(ge=0, le=1)] | None = None
    response_format: Format = "json"
    stream: bool = False
    timestamp_granularities: list[Literal["word", "segment"]] = Field(
        default_factory=list, alias="timestamp_granularities[]"
    )

    def options(self) -> dict[str, Any]:
        """Return the options for the model.

        Raises: UnsupportedParameterError for fields that nothing here supports.
        """
        followed(self.model_extra or {}, [*WITHOUT_EFFECT, "timestamp_granularities"])
        return {
            "language": self.language,
            "prompt": self.prompt,
            "hotwords": self.hotwords,
            "temperature": self.temperature,
            "words": "word" in self.timestamp_granularities,
        }


class NamedVoice(BaseModel):
    """A voice given as an object."""

    id: str


class SpeechRequest(BaseModel):
    """A speech request.

    Audio is MP3 unless another format is requested. WAV and FLAC are sent as complete files, with
    the correct sizes in their headers. language: an extension of the API that chooses the voice if
    no model or none of its voices is named, or if the named voice does not speak the language.
    """

    model: str | None = None
    input: str
    voice: str | NamedVoice | None = None
    language: str | None = None
    response_format: SoundForm = "mp3"
    speed: float = 1.0
    stream_format: Literal["audio"] = "audio"

    model_config = ConfigDict(extra="allow")

    def options(self, multilingual: bool) -> dict[str, Any]:
        """Return the options for the model. In a multilingual model, each language has a voice,
        named after it.

        Raises: UnsupportedParameterError for fields that nothing here supports.
        """
        followed(self.model_extra or {}, [*WITHOUT_EFFECT])
        voice = self.voice.id if isinstance(self.voice, NamedVoice) else self.voice
        if voice in OPENAI_VOICES:
            voice = None
        options: dict[str, Any] = {"voice": voice or (self.language if multilingual else voice)}
        if self.response_format == "pcm":
            options |= {"audio_format": "pcm", "sample_rate": PCM_RATE}
        if self.speed != 1:  # the normal speed is not passed to models without a speed setting
            options["speed"] = self.speed
        return options


@router.post("/v1/audio/transcriptions", response_model=None)
async def transcriptions(request: Request, form: Annotated[TranscriptionForm, Form()]) -> Response:
    """Transcribe an audio file in any format. Closing the connection stops the model.

    With `stream`, text is sent as it is recognised. The last event contains the whole text in the
    requested format.
    """
    return await written(request, form, form.options())


@router.post("/v1/audio/translations", response_model=None)
async def translations(request: Request, form: Annotated[TranscriptionForm, Form()]) -> Response:
    """Transcribe an audio file in another language, and translate it into English."""
    return await written(request, form, form.options() | {"translate": True})


async def written(request: Request, form: TranscriptionForm, options: dict[str, Any]) -> Response:
    """Return a model's transcript."""
    models = models_of(request)
    model = models.installed(ModelType.SPEECH2TEXT, form.model or None).entry.id
    file = await contents(form.file)
    chunks = models.listen(file, model=model, options=options)
    if form.stream:
        # an error before the first words becomes an HTTP error, not an event
        first = await for_caller(request, next_of(chunks))
        return EventSourceResponse(events(first, chunks, form.response_format))
    return answer(await for_caller(request, whole(chunks)), form.response_format)


@router.post("/v1/audio/speech", response_model=None)
async def speech(request: Request, body: SpeechRequest) -> Response:
    """Speak a text. Audio is sent as soon as the first clause is ready. Closing the connection
    stops the model.
    """
    models = models_of(request)
    voice = models.voice(body.model or None, body.language or None)
    options = body.options("multilingual" in voice.entry.languages)
    pieces = models.speak(body.input, voice=voice, options=options)
    if body.response_format != "pcm":
        pieces = in_form(pieces, body.response_format)
    first = await for_caller(request, next_of(pieces))
    return StreamingResponse(sound(first, pieces), media_type=MEDIA[body.response_format])


async def contents(upload: UploadFile) -> io.BytesIO:
    """Return an uploaded file.

    Raises: InvokeBadRequestError if it is too large to send to a model's process.
    """
    if (upload.size or 0) > MOST_BYTES:
        raise InvokeBadRequestError(
            f"The file is {(upload.size or 0) / 1000000.0:.0f} MB; at most "
            f"{MOST_BYTES / 1000000.0:.0f} MB are accepted.",
            "Save it as MP3, OGG or FLAC, or split it in two.",
        )
    return io.BytesIO(await upload.read())


async def next_of(steps: AsyncGenerator[T]) -> T | None:
    """Return the next step, or None at the end."""
    return await anext(steps, None)


async def whole(chunks: AsyncGenerator[TranscriptChunk]) -> Transcript:
    """Return the complete transcript.

    Raises: FlexAIError.
    """
    async with aclosing(chunks):
        return gather([chunk async for chunk in chunks])


async def sound(first: bytes | None, pieces: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """Yield audio. A later error ends the stream early, which the caller can see."""
    async with aclosing(pieces):
        yield first or b""
        async for piece in pieces:
            yield piece


async def events(
    first: TranscriptChunk | None, chunks: AsyncGenerator[TranscriptChunk], form: Format
) -> AsyncGenerator[str]:
    """Yield a transcript as OpenAI's events, each with the progress so far. If there is an error,
    it is the last event.
    """
    heard = list[TranscriptChunk]()
    chunk = first
    try:
        async with aclosing(chunks):
            while chunk is not None:
                heard.append(chunk)
                yield delta(chunk)
                chunk = await anext(chunks, None)
        transcript = gather(heard)
        done = {"type": "transcript.text.done"} | verbose(transcript)
        yield json.dumps(done | {"text": rendered(transcript, form)}, ensure_ascii=False)
    except FlexAIError as error:
        yield json.dumps(body_of_error(error))


def delta(chunk: TranscriptChunk) -> str:
    """Return the event for a step. heard, duration: times in seconds, which are an extension of the
    API."""
    text = "".join(segment.text for segment in chunk.segments)
    told = {"heard": chunk.heard, "duration": chunk.duration, "language": chunk.language}
    return json.dumps({"type": "transcript.text.delta", "delta": text} | told, ensure_ascii=False)


def answer(transcript: Transcript, form: Format) -> Response:
    """Return a transcript in the requested format."""
    if form == "json":
        return JSONResponse({"text": transcript.text, "usage": usage(transcript)})
    if form == "verbose_json":
        return JSONResponse({"task": "transcribe", **verbose(transcript)})
    kind = "text/vtt" if form == "vtt" else "text/plain"
    return PlainTextResponse(rendered(transcript, form), media_type=kind)


def rendered(transcript: Transcript, form: Format) -> str:
    """Return a transcript as text, or as subtitles if they are requested."""
    if form == "srt":
        return srt(transcript)
    return vtt(transcript) if form == "vtt" else transcript.text


def verbose(transcript: Transcript) -> dict[str, Any]:
    """Return everything known about a transcript, in OpenAI's format."""
    segments = [
        {"id": i, "seek": 0, **segment.model_dump(exclude={"words"})}
        for i, segment in enumerate(transcript.segments)
    ]
    words = [word.model_dump() for segment in transcript.segments for word in segment.words]
    told: dict[str, Any] = {
        "text": transcript.text,
        "language": transcript.language or "",
        "duration": transcript.duration,
        "segments": segments,
        "usage": usage(transcript),
    }
    return told | ({"words": words} if words else {})


def usage(transcript: Transcript) -> dict[str, Any]:
    """Return how much audio was transcribed."""
    return {"type": "duration", "seconds": transcript.duration}
