"""Speech-to-text on a server."""

from __future__ import annotations

import io
import wave
from bisect import bisect_right
from typing import IO, Any

from backends.flexai.entities import TranscriptChunk, TranscriptSegment, TranscriptWord
from backends.flexai.errors import InvokeBadRequestError
from backends.flexai.models import Speech2TextModel
from backends.flexai.models.speech2text_model import Writing, gather
from backends.providers.openai_compatible.connection import Peer
from backends.providers.openai_compatible.failures import rows_of
from backends.providers.openai_compatible.remote import Remote

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
            raise InvokeBadRequestError("The sound file is empty.", "Choose another file.")
        peer = Peer(settings)
        answer = peer.upload(
            "/audio/transcriptions", form | {"model": settings.name_of(model)}, (name, data)
        )
        text = answer.get("text")
        if not isinstance(text, str):
            raise peer.strange("its answer holds no text")
        return text.strip(), answer

    def _kind(self, file: IO[bytes]) -> str:
        """Return the extension of a sound file, from its first bytes: some servers rely on the
        name.
        """
        header = file.read(12)
        file.seek(0)
        if header[4:8] == b"ftyp":
            return "m4a"
        return "webm" if header.startswith(b"\x1a\x45\xdf\xa3") else self._detect_audio_format(file)


def segments_of(answer: dict[str, Any], text: str) -> list[TranscriptSegment]:
    """Return the segments of an answer; a single one without times if the server sends none.

    Word times for the whole sound go to the last segment that has started.
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
    if gathered(segments) != text:  # this server puts no space before a segment
        segments = [s.model_copy(update={"text": f" {s.text.strip()}"}) for s in segments]
    words = [TranscriptWord.model_validate(row) for row in rows_of(answer, "words")]
    starts = [segment.start or 0.0 for segment in segments]
    places = [max(0, bisect_right(starts, word.start) - 1) for word in words]
    return [
        with_words(segment, [w for w, place in zip(words, places, strict=True) if place == i])
        for i, segment in enumerate(segments)
    ]


def with_words(segment: TranscriptSegment, words: list[TranscriptWord]) -> TranscriptSegment:
    """Return a segment with its words, with spaces in the form used here."""
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
