"""Models that speak."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator
from typing import Any, ClassVar

from backends.flexai.entities import ModelType
from backends.flexai.errors import InvokeBadRequestError
from backends.flexai.models.ai_model import AIModel

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
        """Return the sound of the text: pieces as they are made if `streaming`, else all of it.

        options: those the class names in `extensions`; None is the model's own choice.
        Raises: InvokeError and its kinds, at once or while the pieces are read.
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
            sound = self._invoke(*arguments, **given)
            return sound if isinstance(sound, bytes) else b"".join(sound)

    def _pieces(self, *arguments: Any, **options: Any) -> Sound:
        with self.mapped_errors():
            sound = self._invoke(*arguments, **options)
            if isinstance(sound, bytes):
                yield sound
                return
            try:
                yield from sound
            finally:
                sound.close()
