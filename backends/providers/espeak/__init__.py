"""Text-to-speech with the system's espeak-ng: over a hundred languages, no model."""

from __future__ import annotations

from typing import Any

from backends.flexai.entities import ModelType
from backends.flexai.models import AIModel, ModelProvider


class EspeakProvider(ModelProvider):
    """Offers text-to-speech."""

    def validate_provider_credentials(self, credentials: dict[str, Any]) -> None:
        """Accept anything: credentials belong to the models, not to the provider."""

    def model_classes(self) -> dict[ModelType, type[AIModel]]:
        """Return the text-to-speech class."""
        from backends.providers.espeak.text2speech import EspeakText2Speech

        return {ModelType.TTS: EspeakText2Speech}


provider_class = EspeakProvider
