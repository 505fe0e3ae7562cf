"""Models that transcribe speech, and models that turn text into speech."""

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

    `invoke` returns the text. `transcribe` also returns times and the language, and `write` does
    the same while it is still transcribing. If a model implements only `_invoke`, its text becomes
    one segment without times.
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
        """Transcribe the file step by step. The options are those of `write`."""
        text = self._invoke(model, credentials, file)
        yield TranscriptChunk(segments=[TranscriptSegment(text=text)], heard=0)

    def invoke(
        self, model: str, credentials: dict[str, Any], file: IO[bytes], user: str | None = None
    ) -> str:
        """Return the text of an audio file in any format. The file is read from its start, and
        rewound afterwards.

        Raises: InvokeError or a subclass.
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
        """Yield the transcript in steps; the file is rewound at the end.

        language: ISO 639-1 code; None to detect it. prompt: text that could have preceded the
        speech. hotwords: words to expect. temperature: 0 for the most likely words; None for the
        model's default. words: whether to return the time of each word. translate: whether to
        translate into English; only for a model with `translates`. A model ignores options that it
        does not know. Raises: InvokeError or a subclass, immediately or later.
        """
        if translate and not self.translates:
            raise UnsupportedParameterError(
                f"{model} cannot translate.",
                "Transcribe without translating, or choose a multilingual Whisper model.",
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
        """Return the complete transcript. The options and errors are those of `write`."""
        return gather(self.write(model, credentials, file, **options))

    def _detect_audio_format(self, file: IO[bytes]) -> str:
        """Return wav, mp3, ogg or flac, judged by the first 12 bytes; mp3 if the format is unknown.
        Rewinds the file.
        """
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

    extensions: the options, beyond those of the original SDK, that its `_invoke` accepts as
    keywords: `voice` (a value from `get_tts_model_voices`), `speed` (1 is the voice's normal speed,
    2 is twice as fast), `audio_format` ("wav" with a header, "pcm" without one: 16-bit
    little-endian mono), `sample_rate` (in Hz).
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
        """Return the voices, each as `{"name", "value"}`. If a language (`en`, `en_US`) is given,
        only its voices are returned.
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
        """Return the text as audio: in pieces if `streaming` is set, otherwise complete.

        options: only those that the class lists in `extensions`; None for the model's default.
        Raises: InvokeError or a subclass, immediately or while the pieces are read.
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
    """A text-to-speech model in the form of Dify's SDK: `_invoke(model, tenant_id, credentials,
    content_text, voice, user)`.

    There are no tenants here. An empty voice stands for the model's default.
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
        """Split a text into pieces with at most this many characters.

        Each piece ends with the last sentence that still fits. The joined pieces are the same as
        the original text. Raises: ValueError if the maximum is not positive.
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
