"""Models that turn texts into vectors."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from backends.flexai.entities import EmbeddingUsage, ModelType, TextEmbeddingResult
from backends.flexai.errors import InvokeError
from backends.flexai.models.ai_model import AIModel, Clock, estimate_tokens


class TextEmbeddingModel(AIModel):
    """A model that turns texts into vectors."""

    model_type: ClassVar[ModelType] = ModelType.TEXT_EMBEDDING

    @abstractmethod
    def _invoke(
        self, model: str, credentials: dict[str, Any], texts: list[str], user: str | None = None
    ) -> TextEmbeddingResult:
        """Embed the texts."""

    @abstractmethod
    def get_num_tokens(self, model: str, credentials: dict[str, Any], texts: list[str]) -> int:
        """Return how many tokens the texts are together."""

    def invoke(
        self, model: str, credentials: dict[str, Any], texts: list[str], user: str | None = None
    ) -> TextEmbeddingResult:
        """Embed the texts; `embeddings[i]` is the vector of `texts[i]`, none for no texts.

        Raises: InvokeError and its kinds.
        """
        clock = Clock()
        if not texts:
            usage = self._create_embedding_usage(model, credentials, 0, clock)
            return TextEmbeddingResult(model=model, embeddings=[], usage=usage)
        with self.mapped_errors():
            result = self._invoke(model, credentials, texts, user)
        if len(result.embeddings) != len(texts):
            raise InvokeError(
                f"{self.provider} gave {len(result.embeddings)} vectors for {len(texts)} texts."
            )
        return result

    def _create_embedding_usage(
        self, model: str, credentials: dict[str, Any], tokens: int, clock: Clock
    ) -> EmbeddingUsage:
        price, unit, total, currency = self.get_price(model, credentials, "input", tokens)
        return EmbeddingUsage(
            tokens=tokens,
            total_tokens=tokens,
            unit_price=price,
            price_unit=unit,
            total_price=total,
            currency=currency,
            latency=clock.seconds(),
        )

    def _get_num_tokens_by_gpt2(self, text: str) -> int:
        """Return an estimate; the seed's name, but nothing is fetched for it."""
        return estimate_tokens(text)
