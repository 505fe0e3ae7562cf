"""Speech-to-text and text-to-speech on a server."""

from __future__ import annotations

import io
import struct
import wave
from bisect import bisect_right
from contextlib import closing
from typing import IO, Any, ClassVar

from backends.flexai.entities import TranscriptChunk, TranscriptSegment, TranscriptWord
from backends.flexai.errors import InvokeBadRequestError
from backends.flexai.models import Speech2TextModel, Text2SpeechModel
from backends.flexai.models.speech_models import Sound, Writing, gather
from backends.providers.openai_compatible.connection import Peer, Remote
from backends.providers.openai_compatible.failures import rows_of
from backends.providers.openai_compatible.settings import ServerSettings

FIELDS = (
    "start",
    "end",
    "text",
    "tokens",
    "avg_logprob",
    "no_speech_prob",
    "compression_ratio",
    "temperature",
)


class RemoteSpeech2Text(Remote, Speech2TextModel):
    """Transcribes over HTTP, with times and language if the server reports them."""

    def try_out(self, model: str, credentials: dict[str, Any]) -> None:
        """Send a second of silence."""
        self.invoke(model, credentials, silence())

    def _invoke(
        self, model: str, credentials: dict[str, Any], file: IO[bytes], user: str | None = None
    ) -> str:
        told, _ = self._ask(model, credentials, file, {"response_format": "json"})
        return told

    def _write(
        self, model: str, credentials: dict[str, Any], file: IO[bytes], **options: Any
    ) -> Writing:
        form = {"response_format": "verbose_json"} | {
            name: value
            for name, value in options.items()
            if value not in (None, False) and name != "words"
        }
        if options.get("words"):
            form["timestamp_granularities[]"] = ["segment", "word"]
        text, answer = self._ask(model, credentials, file, form)
        segments = segments_of(answer, text)
        heard = answer.get("duration")
        try:
            heard = float(heard or 0)
        except (TypeError, ValueError):
            heard = 0.0
        language = answer.get("language")
        yield TranscriptChunk(
            segments=segments,
            heard=heard or max((s.end or 0.0 for s in segments), default=0.0),
            duration=heard or None,
            language=language if isinstance(language, str) and language else None,
        )

    def _ask(
        self, model: str, credentials: dict[str, Any], file: IO[bytes], form: dict[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        settings = self.settings(credentials)
        file.seek(0)
        name = f"audio.{self._kind(file)}"
        data = file.read()
        if not data:
            raise InvokeBadRequestError("The audio file is empty.", "Choose another file.")
        peer = Peer(settings)
        answer = peer.upload(
            "/audio/transcriptions", form | {"model": settings.name_of(model)}, (name, data)
        )
        text = answer.get("text")
        if not isinstance(text, str):
            raise peer.strange("its answer contains no text")
        return text.strip(), answer

    def _kind(self, file: IO[bytes]) -> str:
        """Return the file extension for audio, judged by its first bytes; some servers rely on the
        file name.
        """
        header = file.read(12)
        file.seek(0)
        if header[4:8] == b"ftyp":
            return "m4a"
        return "webm" if header.startswith(b"\x1a\x45\xdf\xa3") else self._detect_audio_format(file)


def segments_of(answer: dict[str, Any], text: str) -> list[TranscriptSegment]:
    """Return the segments of an answer; if the server sends none, return a single one without
    times.

    If the word times apply to the audio as a whole, each word belongs to the last segment that has
    started by then.
    """
    rows = rows_of(answer, "segments")
    if not rows:
        return [TranscriptSegment(text=text)] if text else []
    segments = [
        TranscriptSegment.model_validate(
            {k: row[k] for k in FIELDS if row.get(k) is not None}
            | {"text": str(row.get("text", ""))}
        )
        for row in rows
    ]
    if gathered(segments) != text:  # this server puts no space in front of a segment
        segments = [s.model_copy(update={"text": f" {s.text.strip()}"}) for s in segments]
    words = [TranscriptWord.model_validate(row) for row in rows_of(answer, "words")]
    starts = [segment.start or 0.0 for segment in segments]
    places = [max(0, bisect_right(starts, word.start) - 1) for word in words]
    return [
        with_words(segment, [w for w, place in zip(words, places, strict=True) if place == i])
        for i, segment in enumerate(segments)
    ]


def with_words(segment: TranscriptSegment, words: list[TranscriptWord]) -> TranscriptSegment:
    """Return a segment with its words. Spaces are placed in the way that is usual in this code."""
    if words and "".join(w.word for w in words).strip() != segment.text.strip():
        words = [w.model_copy(update={"word": f" {w.word.strip()}"}) for w in words]
    return segment.model_copy(update={"words": words})


def gathered(segments: list[TranscriptSegment]) -> str:
    """Return the joined text of some segments."""
    return gather([TranscriptChunk(segments=segments, heard=0)]).text


def silence() -> io.BytesIO:
    """Return a second of silence as WAV."""
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16000)
        sound.writeframes(bytes(32000))
    file.seek(0)
    return file


HEADER = 44
MOST = 1_000_000_000  # maximum number of bytes in an audio answer


class RemoteText2Speech(Remote, Text2SpeechModel):
    """Speaks over HTTP: returns WAV, or 16-bit samples at 24 kHz if `audio_format` is "pcm"."""

    extensions: ClassVar[frozenset[str]] = frozenset({"voice", "speed", "audio_format"})

    def try_out(self, model: str, credentials: dict[str, Any]) -> None:
        """Request speech for the start of a word."""
        sound = self.invoke(model, credentials, "ok", streaming=True)
        assert not isinstance(sound, bytes)
        with closing(sound):
            next(sound)

    def described(self, settings: ServerSettings) -> dict[str, Any]:
        """Return the voices that the settings list."""
        voices = [{"mode": name, "name": name, "language": []} for name in settings.voices]
        first = settings.default_voice or (settings.voices[0] if settings.voices else "")
        return {"model_properties": {"voices": voices, "default_voice": first, "audio_type": "wav"}}

    def get_tts_model_voices(
        self, model: str, credentials: dict[str, Any], language: str | None = None
    ) -> list[dict[str, str]]:
        """Return the voices that the settings list, whatever the language, because the API does not
        report which languages they speak.
        """
        return [{"name": name, "value": name} for name in self.settings(credentials).voices]

    def _invoke(
        self,
        model: str,
        credentials: dict[str, Any],
        content_text: str,
        streaming: bool,
        user: str | None = None,
        *,
        voice: str | None = None,
        speed: float = 1.0,
        audio_format: str = "wav",
    ) -> bytes | Sound:
        if audio_format not in ("wav", "pcm"):
            raise InvokeBadRequestError(
                f"{audio_format} cannot be requested.", "Ask for wav or pcm."
            )
        settings = self.settings(credentials)
        body: dict[str, Any] = {"model": settings.name_of(model), "input": content_text}
        body |= {"response_format": audio_format, "speed": speed}
        chosen = (
            voice or settings.default_voice or (settings.voices[0] if settings.voices else None)
        )
        if chosen:
            body["voice"] = chosen
        pieces = bounded(Peer(settings), body)
        return pieces if streaming else measured(b"".join(pieces))


def bounded(peer: Peer, body: dict[str, Any]) -> Sound:
    """Yield the audio.

    Raises: InvokeServerUnavailableError if there is no audio, or if it does not end.
    """
    size = 0
    with closing(peer.sound("/audio/speech", body)) as pieces:
        for piece in pieces:
            size += len(piece)
            if size > MOST:
                raise peer.strange("its sound does not end")
            yield piece
    if not size:
        raise peer.strange("it sent no sound")


def measured(sound: bytes) -> bytes:
    """Return a complete WAV, with its length in the header. The header of a stream cannot contain
    it.
    """
    if len(sound) < HEADER or sound[:4] != b"RIFF" or sound[36:40] != b"data":
        return sound
    sizes = struct.pack("<I", len(sound) - 8), struct.pack("<I", len(sound) - HEADER)
    return sound[:4] + sizes[0] + sound[8:40] + sizes[1] + sound[HEADER:]
