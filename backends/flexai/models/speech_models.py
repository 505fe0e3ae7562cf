"""Models that transcribe speech, and models that speak."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Generator, Iterable
from typing import IO, Any, ClassVar

from backends.flexai.entities import ModelType, Transcript, TranscriptChunk, TranscriptSegment
from backends.flexai.errors import InvokeBadRequestError, UnsupportedParameterError
from backends.flexai.models.ai_model import AIModel

Writing = Generator[TranscriptChunk, None, None]


class Speech2TextModel(AIModel):
    """A model that turns speech into text.

    Besides `invoke`, which returns the text, `transcribe` returns times and language, and `write`
    does so while it listens. A model that has only `_invoke` returns its text as one segment
    without times.
    """

    model_type: ClassVar[ModelType] = ModelType.SPEECH2TEXT
    translates: ClassVar[bool] = False

    @abstractmethod
    def _invoke(
        self, model: str, credentials: dict[str, Any], file: IO[bytes], user: str | None = None
    ) -> str:
        """Transcribe the file."""

    def _write(
        self, model: str, credentials: dict[str, Any], file: IO[bytes], **options: Any
    ) -> Writing:
        """Transcribe the file step by step; options as in `write`."""
        text = self._invoke(model, credentials, file)
        yield TranscriptChunk(segments=[TranscriptSegment(text=text)], heard=0)

    def invoke(
        self, model: str, credentials: dict[str, Any], file: IO[bytes], user: str | None = None
    ) -> str:
        """Return the text of a sound file of any format, read from its start; the file is rewound
        afterwards.

        Raises: InvokeError and its kinds.
        """
        file.seek(0)
        try:
            with self.mapped_errors():
                return self._invoke(model, credentials, file, user)
        finally:
            file.seek(0)

    def write(
        self,
        model: str,
        credentials: dict[str, Any],
        file: IO[bytes],
        language: str | None = None,
        prompt: str | None = None,
        hotwords: str | None = None,
        temperature: float | None = None,
        words: bool = False,
        translate: bool = False,
    ) -> Writing:
        """Yield the transcript as it is written; the file is rewound at the end.

        language: ISO 639-1, None to detect it. prompt: text that may have come before. hotwords:
        words to expect. temperature: 0 takes the likeliest words; None leaves it to the model.
        words: give the time of each word. A model ignores options it does not know. translate: into
        English, only for a model with `translates`. Raises: InvokeError and its kinds, at once or
        in the middle.
        """
        if translate and not self.translates:
            raise UnsupportedParameterError(
                f"{model} does not translate.",
                "Write it down, or choose a Whisper of many languages.",
                "model",
            )
        options: dict[str, Any] = {
            "language": language or None,
            "prompt": prompt or None,
            "hotwords": hotwords or None,
        }
        if translate:
            options["translate"] = True
        steps = self._write(
            model, credentials, file, **options, temperature=temperature, words=words
        )
        try:
            with self.mapped_errors():
                yield from steps
        finally:
            steps.close()
            file.seek(0)

    def transcribe(
        self, model: str, credentials: dict[str, Any], file: IO[bytes], **options: Any
    ) -> Transcript:
        """Return the whole transcript; options and errors as of `write`."""
        return gather(self.write(model, credentials, file, **options))

    def _detect_audio_format(self, file: IO[bytes]) -> str:
        """Return wav, mp3, ogg or flac by the first 12 bytes; mp3 if unknown. Rewinds the file."""
        header = file.read(12)
        file.seek(0)
        if header.startswith(b"RIFF") and header[8:12] == b"WAVE":
            return "wav"
        if header.startswith((b"ID3", b"\xff\xfb")):
            return "mp3"
        if header.startswith(b"OggS"):
            return "ogg"
        return "flac" if header.startswith(b"fLaC") else "mp3"


def gather(steps: Iterable[TranscriptChunk]) -> Transcript:
    """Join the steps of a transcript."""
    segments: list[TranscriptSegment] = []
    heard, language = 0.0, None
    for step in steps:
        segments += step.segments
        heard, language = step.heard, step.language
    text = "".join(segment.text for segment in segments).strip()
    return Transcript(text=text, segments=segments, duration=heard, language=language)


Sound = Generator[bytes, None, None]


class Text2SpeechModel(AIModel):
    """A model that turns text into speech.

    extensions: which options beside the seed's its `_invoke` takes, by keyword:
    `voice` (a value of `get_tts_model_voices`), `speed` (1 is the voice's own, 2 twice as fast),
    `audio_format` ("wav" with a header, "pcm" without: 16-bit little-endian mono), `sample_rate`
    (Hz).
    """

    model_type: ClassVar[ModelType] = ModelType.TTS
    extensions: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def _invoke(
        self,
        model: str,
        credentials: dict[str, Any],
        content_text: str,
        streaming: bool,
        user: str | None = None,
    ) -> bytes | Sound:
        """Speak the text."""

    def get_tts_model_voices(
        self, model: str, credentials: dict[str, Any], language: str | None = None
    ) -> list[dict[str, str]]:
        """Return the voices, `{"name", "value"}` each, of a language (`en`, `en_US`) if one is
        named.
        """
        schema = self.get_model_schema(model, credentials)
        voices = schema.model_properties.get("voices", []) if schema else []
        return [
            {"name": voice["name"], "value": voice["mode"]}
            for voice in voices
            if language is None or language in voice.get("language", [])
        ]

    def invoke(
        self,
        model: str,
        credentials: dict[str, Any],
        content_text: str,
        streaming: bool,
        user: str | None = None,
        **options: Any,
    ) -> bytes | Sound:
        """Return the sound of the text: in pieces if `streaming`, else whole.

        options: those the class names in `extensions`; None is the model's own choice. Raises:
        InvokeError and its kinds, at once or while the pieces are read.
        """
        if not content_text.strip():
            raise InvokeBadRequestError("There is nothing to say.", "Send some text.")
        given = {name: value for name, value in options.items() if value is not None}
        if unknown := given.keys() - self.extensions:
            raise InvokeBadRequestError(
                f"{self.provider} does not know {', '.join(sorted(unknown))}.", "Leave it out."
            )
        arguments = (model, credentials, content_text, streaming, user)
        if streaming:
            return self._pieces(*arguments, **given)
        with self.mapped_errors():
            sound = self._sound(*arguments, **given)
            return sound if isinstance(sound, bytes) else b"".join(sound)

    def _sound(
        self,
        model: str,
        credentials: dict[str, Any],
        content_text: str,
        streaming: bool,
        user: str | None,
        **options: Any,
    ) -> bytes | Sound:
        return self._invoke(model, credentials, content_text, streaming, user, **options)

    def _pieces(self, *arguments: Any, **options: Any) -> Sound:
        with self.mapped_errors():
            sound = self._sound(*arguments, **options)
            if isinstance(sound, bytes):
                yield sound
                return
            try:
                yield from sound
            finally:
                sound.close()


class TTSModel(Text2SpeechModel):
    """A model that speaks, as Dify's SDK has it: `_invoke(model, tenant_id, credentials,
    content_text, voice, user)`. There are no tenants here; an empty voice is the model's own.
    """

    extensions: ClassVar[frozenset[str]] = frozenset({"voice"})

    @abstractmethod
    def _invoke(  # type: ignore[override]
        self,
        model: str,
        tenant_id: str,
        credentials: dict[str, Any],
        content_text: str,
        voice: str,
        user: str | None = None,
    ) -> bytes | Sound:
        """Speak the text."""

    def _sound(
        self,
        model: str,
        credentials: dict[str, Any],
        content_text: str,
        streaming: bool,
        user: str | None,
        **options: Any,
    ) -> bytes | Sound:
        voice = str(options.get("voice") or self._get_model_default_voice(model, credentials) or "")
        return self._invoke(model, "", credentials, content_text, voice, user)

    def _property(self, model: str, credentials: dict[str, Any], name: str) -> Any:
        schema = self.get_model_schema(model, credentials)
        return schema.model_properties.get(name) if schema else None

    def _get_model_default_voice(self, model: str, credentials: dict[str, Any]) -> Any:
        return self._property(model, credentials, "default_voice")

    def _get_model_audio_type(self, model: str, credentials: dict[str, Any]) -> Any:
        return self._property(model, credentials, "audio_type")

    def _get_model_word_limit(self, model: str, credentials: dict[str, Any]) -> Any:
        return self._property(model, credentials, "word_limit")

    def _get_model_workers_limit(self, model: str, credentials: dict[str, Any]) -> Any:
        return self._property(model, credentials, "max_workers")

    @staticmethod
    def _split_text_into_sentences(
        org_text: str, max_length: int = 2000, pattern: str = r"[。.!?！？]"
    ) -> list[str]:
        """Return a text in pieces of at most this many characters, each up to the last end of a
        sentence that fits; joined, they are the text.

        Raises: ValueError if a piece may hold nothing.
        """
        if max_length <= 0:
            raise ValueError("max_length must be at least 1")
        pieces: list[str] = []
        rest = org_text
        while len(rest) > max_length:
            ends = [found.end() for found in re.finditer(pattern, rest[:max_length])]
            cut = ends[-1] if ends else max_length
            pieces.append(rest[:cut])
            rest = rest[cut:]
        return [*pieces, rest] if rest else pieces
