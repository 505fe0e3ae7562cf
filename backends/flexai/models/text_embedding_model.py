"""Models that turn texts into vectors."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from backends.flexai.entities import (
    EmbeddingInputType,
    EmbeddingUsage,
    ModelType,
    TextEmbeddingResult,
)
from backends.flexai.errors import InvokeBadRequestError, InvokeError
from backends.flexai.models.ai_model import AIModel, CallClock, estimate_tokens


class TextEmbeddingModel(AIModel):
    """A model that turns texts into vectors.

    extensions: which options beside the seed's its `_invoke` takes, by keyword: `input_type`. A
    model that takes none embeds documents and queries alike.
    """

    model_type: ClassVar[ModelType] = ModelType.TEXT_EMBEDDING
    extensions: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def _invoke(
        self, model: str, credentials: dict[str, Any], texts: list[str], user: str | None = None
    ) -> TextEmbeddingResult:
        """Embed the texts."""

    @abstractmethod
    def get_num_tokens(
        self, model: str, credentials: dict[str, Any], texts: list[str]
    ) -> int | list[int]:
        """Return how many tokens the texts are together, or each of them, as Dify's SDK does."""

    def invoke(
        self,
        model: str,
        credentials: dict[str, Any],
        texts: list[str],
        user: str | None = None,
        input_type: EmbeddingInputType | str = EmbeddingInputType.DOCUMENT,
    ) -> TextEmbeddingResult:
        """Embed the texts; `embeddings[i]` is the vector of `texts[i]`, none for no texts.

        input_type: whether the texts are to be found (document) or to find others with (query).
        Raises: InvokeError and its kinds.
        """
        clock = CallClock()
        kind = as_input_type(input_type)
        if not texts:
            usage = self._create_embedding_usage(model, credentials, 0, clock)
            return TextEmbeddingResult(model=model, embeddings=[], usage=usage)
        options = {"input_type": kind} if "input_type" in self.extensions else {}
        with self.mapped_errors():
            result = self._invoke(model, credentials, texts, user, **options)
        if len(result.embeddings) != len(texts):
            raise InvokeError(
                f"{self.provider} returned {len(result.embeddings)} vectors for {len(texts)} texts."
            )
        return result

    def _create_embedding_usage(
        self, model: str, credentials: dict[str, Any], tokens: int | list[int], clock: CallClock
    ) -> EmbeddingUsage:
        tokens = tokens if isinstance(tokens, int) else sum(tokens)
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


def cut_note(cut: int, texts: int, limit: int) -> str:
    """Return the note that texts were cut to a model's length in tokens; empty if none was."""
    if not cut:
        return ""
    return (
        f"{cut} of {texts} texts {'is' if cut == 1 else 'are'} longer than {limit} tokens; only the"
        " beginning counts."
    )


def as_input_type(value: EmbeddingInputType | str) -> EmbeddingInputType:
    """Return the input type of texts.

    Raises: InvokeBadRequestError.
    """
    try:
        return EmbeddingInputType(value)
    except ValueError as error:
        known = " or ".join(kind.value for kind in EmbeddingInputType)
        raise InvokeBadRequestError(
            f"Embeddings are not available for input type {value!r}.",
            f"Send input_type {known}, or omit it.",
        ) from error
