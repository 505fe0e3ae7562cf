"""Models that write down what is said."""

from __future__ import annotations

from abc import abstractmethod
from typing import IO, Any, ClassVar

from backends.flexai.entities import ModelType
from backends.flexai.models.ai_model import AIModel


class Speech2TextModel(AIModel):
    """A model that turns speech into text."""

    model_type: ClassVar[ModelType] = ModelType.SPEECH2TEXT

    @abstractmethod
    def _invoke(
        self, model: str, credentials: dict[str, Any], file: IO[bytes], user: str | None = None
    ) -> str:
        """Write down what the file says."""

    def invoke(
        self, model: str, credentials: dict[str, Any], file: IO[bytes], user: str | None = None
    ) -> str:
        """Return the text of a sound file of any format, read from its start; the file is rewound afterwards.

        Raises: InvokeError and its kinds.
        """
        file.seek(0)
        try:
            with self.mapped_errors():
                return self._invoke(model, credentials, file, user)
        finally:
            file.seek(0)

    def _detect_audio_format(self, file: IO[bytes]) -> str:
        """Return wav, mp3, ogg or flac by the first 12 bytes; mp3 if none is told. Rewinds the file."""
        header = file.read(12)
        file.seek(0)
        if header.startswith(b"RIFF") and header[8:12] == b"WAVE":
            return "wav"
        if header.startswith((b"ID3", b"\xff\xfb")):
            return "mp3"
        if header.startswith(b"OggS"):
            return "ogg"
        return "flac" if header.startswith(b"fLaC") else "mp3"
