"""Models that transcribe speech."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Iterable
from typing import IO, Any, ClassVar

from backends.flexai.entities import ModelType, Transcript, TranscriptChunk, TranscriptSegment
from backends.flexai.errors import UnsupportedParameterError
from backends.flexai.models.ai_model import AIModel

Writing = Generator[TranscriptChunk, None, None]


class Speech2TextModel(AIModel):
    """A model that turns speech into text.

    `invoke` returns the text, `transcribe` also returns times and language, and `write` does so
    while listening. A model that implements only `_invoke` returns its text as one segment without
    times.
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
        """Return the text of a sound file in any format, read from its start. The file is rewound
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
        """Yield the transcript in steps; the file is rewound at the end.

        language: ISO 639-1, None to detect it. prompt: text that may have come before. hotwords:
        words to expect. temperature: 0 for the most likely words; None for the model's default.
        words: return the time of each word. translate: translate into English, only for a model
        with `translates`. A model ignores options that it does not know. Raises: InvokeError and
        its kinds, immediately or later.
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
        """Return the complete transcript; options and errors as in `write`."""
        return gather(self.write(model, credentials, file, **options))

    def _detect_audio_format(self, file: IO[bytes]) -> str:
        """Return wav, mp3, ogg or flac, judged by the first 12 bytes; mp3 if unknown. Rewinds the
        file.
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
