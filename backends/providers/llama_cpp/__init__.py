"""Language models in GGUF files, on llama.cpp in this process."""

from __future__ import annotations

from typing import Any

from backends.flexai.entities import ModelType
from backends.flexai.models import AIModel, ModelProvider


class LlamaCppProvider(ModelProvider):
    """Offers language models."""

    def validate_provider_credentials(self, credentials: dict[str, Any]) -> None:
        """Accept everything: only models have credentials here."""

    def model_classes(self) -> dict[ModelType, type[AIModel]]:
        """Return the class of language models."""
        from backends.providers.llama_cpp.llm import LlamaCppLLM

        return {ModelType.LLM: LlamaCppLLM}


provider_class = LlamaCppProvider
