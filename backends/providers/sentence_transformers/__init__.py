"""Embedders and rerankers with sentence-transformers and torch, from local folders."""

from __future__ import annotations

from typing import Any

from backends.flexai.entities import ModelType
from backends.flexai.models import AIModel, ModelProvider


class SentenceTransformersProvider(ModelProvider):
    """Offers text embedding and reranking."""

    def validate_provider_credentials(self, credentials: dict[str, Any]) -> None:
        """Accept anything: credentials belong to the models, not to the provider."""

    def model_classes(self) -> dict[ModelType, type[AIModel]]:
        """Return the classes for text embedding and reranking, without importing torch."""
        from backends.providers.sentence_transformers.retrieval import (
            SentenceEmbedding,
            SentenceRerank,
        )

        return {ModelType.TEXT_EMBEDDING: SentenceEmbedding, ModelType.RERANK: SentenceRerank}


provider_class = SentenceTransformersProvider
