"""Piper voices on ONNX Runtime: offline text-to-speech."""

from __future__ import annotations

from typing import Any

from backends.flexai.entities import ModelType
from backends.flexai.models import AIModel, ModelProvider


class PiperProvider(ModelProvider):
    """Offers text-to-speech."""

    def validate_provider_credentials(self, credentials: dict[str, Any]) -> None:
        """Accept anything: credentials belong to the models, not to the provider."""

    def model_classes(self) -> dict[ModelType, type[AIModel]]:
        """Return the text-to-speech class."""
        from backends.providers.piper.text2speech import PiperText2Speech

        return {ModelType.TTS: PiperText2Speech}


provider_class = PiperProvider
