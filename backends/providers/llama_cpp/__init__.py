"""Language and guard models in GGUF files, on llama.cpp."""

from __future__ import annotations

from typing import Any

from backends.flexai.entities import ModelType
from backends.flexai.models import AIModel, ModelProvider


class LlamaCppProvider(ModelProvider):
    """Offers language models and guard models."""

    def validate_provider_credentials(self, credentials: dict[str, Any]) -> None:
        """Accept anything: credentials belong to the models, not to the provider."""

    def model_classes(self) -> dict[ModelType, type[AIModel]]:
        """Return the classes for language models and guard models."""
        from backends.providers.llama_cpp.llm import LlamaCppLLM
        from backends.providers.llama_cpp.moderation import LlamaCppModeration

        return {ModelType.LLM: LlamaCppLLM, ModelType.MODERATION: LlamaCppModeration}


provider_class = LlamaCppProvider
