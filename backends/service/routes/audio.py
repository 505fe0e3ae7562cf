"""OpenAI-style audio routes: speech to text or subtitles, text to speech."""

from __future__ import annotations

import io
import json
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Form, Request, UploadFile
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette import EventSourceResponse

from backends.flexai.entities import ModelType, Transcript, TranscriptChunk
from backends.flexai.errors import FlexAIError, InvokeBadRequestError
from backends.flexai.models.speech2text_model import gather
from backends.service.caller import for_caller
from backends.service.errors import body_of_error
from backends.service.models import models_of
from backends.service.routes.audio_formats import MEDIA, SoundForm, in_form
from backends.service.routes.chat_request import WITHOUT_EFFECT, followed

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator


def srt(transcript: Transcript) -> str:
    """Return a transcript as SubRip.

    Raises: InvokeBadRequestError if it has no times.
    """
    return "".join(
        f"{number}\n{clock(start, ',')} --> {clock(end, ',')}\n{text}\n\n"
        for number, (start, end, text) in enumerate(cues(transcript), 1)
    )


def vtt(transcript: Transcript) -> str:
    """Return a transcript as WebVTT.

    Raises: InvokeBadRequestError if it has no times.
    """
    return "WEBVTT\n\n" + "".join(
        f"{clock(start, '.')} --> {clock(end, '.')}\n{text}\n\n"
        for start, end, text in cues(transcript)
    )


def cues(transcript: Transcript) -> Iterator[tuple[float, float, str]]:
    """Yield start, end and text of each cue. A text is one line, and contains none of the format's
    arrows.
    """
    for segment in transcript.segments:
        if segment.start is None or segment.end is None:
            raise InvokeBadRequestError(
                "This model returns no times, so there are no subtitles.", "Ask for text or json."
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
MOST_BYTES = 400_000_000  # it is sent to the model's process in one piece
PCM_RATE = 24000  # sample rate that OpenAI's clients assume for raw samples
# Programs written for OpenAI use its voice names; here they mean the model's own voice.
OPENAI_VOICES = frozenset(
    "alloy ash ballad cedar coral default echo fable marin nova onyx sage shimmer verse".split()  # noqa: SIM905
)


class TranscriptionForm(BaseModel):
    """A transcription request. hotwords: words to expect; an extension."""

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

    Audio is MP3 unless another format is requested; WAV and FLAC are sent as complete files, with
    the correct sizes in their headers. language: an extension that chooses the voice if no voice is
    named, or if the named voice does not speak the language.
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
        if self.speed != 1:  # models without a speed setting are not asked for the normal one
            options["speed"] = self.speed
        return options


@router.post("/v1/audio/transcriptions", response_model=None)
async def transcriptions(request: Request, form: Annotated[TranscriptionForm, Form()]) -> Response:
    """Transcribe a sound file of any format; closing the connection stops the model.

    With `stream`, text is sent as it is recognised; the last event contains all of it, in the
    requested format.
    """
    return await written(request, form, form.options())


@router.post("/v1/audio/translations", response_model=None)
async def translations(request: Request, form: Annotated[TranscriptionForm, Form()]) -> Response:
    """Transcribe a sound file in another language into English."""
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
    """Speak a text; the sound begins with the first clause. Closing the connection stops the
    model.
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
            f"The file has {(upload.size or 0) / 1e6:.0f} MB, at most {MOST_BYTES / 1e6:.0f} MB are"
            " taken.",
            "Save it as MP3, OGG or FLAC, or cut it in two.",
        )
    return io.BytesIO(await upload.read())


async def next_of(steps: AsyncGenerator[T]) -> T | None:
    """Return the next step; None at the end."""
    return await anext(steps, None)


async def whole(chunks: AsyncGenerator[TranscriptChunk]) -> Transcript:
    """Return the complete transcript.

    Raises: FlexAIError.
    """
    async with aclosing(chunks):
        return gather([chunk async for chunk in chunks])


async def sound(first: bytes | None, pieces: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """Yield sound. A later error ends the stream early, which the caller can see."""
    async with aclosing(pieces):
        yield first or b""
        async for piece in pieces:
            yield piece


async def events(
    first: TranscriptChunk | None, chunks: AsyncGenerator[TranscriptChunk], form: Format
) -> AsyncGenerator[str]:
    """Yield a transcript as OpenAI's events, each with the progress so far; an error is the last
    event.
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
    """Return the event for a step. heard, duration: seconds; an extension."""
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
    """Return how much sound was transcribed."""
    return {"type": "duration", "seconds": transcript.duration}
