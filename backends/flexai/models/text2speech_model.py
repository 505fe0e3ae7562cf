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
    """A model that turns text into speech."""

    model_type: ClassVar[ModelType] = ModelType.TTS

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

    def invoke(
        self,
        model: str,
        credentials: dict[str, Any],
        content_text: str,
        streaming: bool,
        user: str | None = None,
    ) -> bytes | Sound:
        """Return the sound of the text: pieces as they are made if `streaming`, else all of it.

        Raises: InvokeError and its kinds, at once or while the pieces are read.
        """
        if not content_text.strip():
            raise InvokeBadRequestError("There is nothing to say.", "Send some text.")
        arguments = (model, credentials, content_text, streaming, user)
        if streaming:
            return self._pieces(*arguments)
        with self.mapped_errors():
            sound = self._invoke(*arguments)
            return sound if isinstance(sound, bytes) else b"".join(sound)

    def _pieces(self, *arguments: Any) -> Sound:
        with self.mapped_errors():
            sound = self._invoke(*arguments)
            if isinstance(sound, bytes):
                yield sound
                return
            try:
                yield from sound
            finally:
                sound.close()
