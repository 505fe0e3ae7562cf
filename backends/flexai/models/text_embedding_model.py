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

    extensions: which options beyond the original SDK's its `_invoke` accepts as keywords:
    `input_type`. A model that accepts none embeds documents and queries alike.
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
        """Return how many tokens the texts have in total, or each of them, as in Dify's SDK."""

    def invoke(
        self,
        model: str,
        credentials: dict[str, Any],
        texts: list[str],
        user: str | None = None,
        input_type: EmbeddingInputType | str = EmbeddingInputType.DOCUMENT,
    ) -> TextEmbeddingResult:
        """Embed the texts; `embeddings[i]` is the vector of `texts[i]`, and empty if there are no
        texts.

        input_type: whether the texts are documents to be found or queries that search for them.
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
                f"{self.provider} gave {len(result.embeddings)} vectors for {len(texts)} texts."
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
        """Return an estimate. The name is the original SDK's, but nothing is downloaded."""
        return estimate_tokens(text)


def cut_note(cut: int, texts: int, limit: int) -> str:
    """Return the note that texts were cut to a model's length in tokens; empty if none were cut."""
    if not cut:
        return ""
    return (
        f"{cut} of {texts} texts {'is' if cut == 1 else 'are'} longer than {limit} tokens; only the"
        " beginning counts."
    )


def as_input_type(value: EmbeddingInputType | str) -> EmbeddingInputType:
    """Return a value as the input type of texts.

    Raises: InvokeBadRequestError.
    """
    try:
        return EmbeddingInputType(value)
    except ValueError as error:
        known = " or ".join(kind.value for kind in EmbeddingInputType)
        raise InvokeBadRequestError(
            f"Texts cannot be embedded as {value!r}.", f"Send input_type {known}, or leave it out."
        ) from error
