"""Speech-to-text with Whisper on CTranslate2, offline."""

from __future__ import annotations

from typing import Any

from backends.flexai.entities import ModelType
from backends.flexai.models import AIModel, ModelProvider


class FasterWhisperProvider(ModelProvider):
    """Offers speech-to-text."""

    def validate_provider_credentials(self, credentials: dict[str, Any]) -> None:
        """Accept anything: credentials belong to the models, not to the provider."""

    def model_classes(self) -> dict[ModelType, type[AIModel]]:
        """Return the speech-to-text class."""
        from backends.providers.faster_whisper.speech2text import FasterWhisperSpeech2Text

        return {ModelType.SPEECH2TEXT: FasterWhisperSpeech2Text}


provider_class = FasterWhisperProvider
