"""Models for text: vectors, relevance to a query, harmful content, and text in pictures."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any, ClassVar

import numpy as np

from backends.flexai.entities import (
    EmbeddingInputType,
    EmbeddingUsage,
    ModelType,
    OcrResult,
    RerankDocument,
    RerankResult,
    TextEmbeddingResult,
    Verdict,
)
from backends.flexai.errors import InvokeBadRequestError, InvokeError
from backends.flexai.models.ai_model import AIModel, CallClock, estimate_tokens, stop_if_cancelled

if TYPE_CHECKING:
    from collections.abc import Iterator


class TextEmbeddingModel(AIModel):
    """A model that turns texts into vectors.

    extensions: the options, beyond those of the original SDK, that its `_invoke` accepts as
    keywords: `input_type`. A model that does not accept it embeds documents and queries in the same
    way.
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
        """Return how many tokens the texts have: either in total or, as in Dify's SDK, for each
        text.
        """

    def invoke(
        self,
        model: str,
        credentials: dict[str, Any],
        texts: list[str],
        user: str | None = None,
        input_type: EmbeddingInputType | str = EmbeddingInputType.DOCUMENT,
    ) -> TextEmbeddingResult:
        """Embed the texts. `embeddings[i]` is the vector of `texts[i]`; without texts, there are no
        vectors.

        input_type: whether the texts are documents to be found, or queries that search for
        documents. Raises: InvokeError or a subclass.
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
        """Return an estimate. The name comes from the original SDK, but nothing is downloaded."""
        return estimate_tokens(text)


def cut_note(cut: int, texts: int, limit: int) -> str:
    """Return a note saying that texts were cut to the model's maximum number of tokens; empty if
    none were.
    """
    if not cut:
        return ""
    return (
        f"{cut} of {texts} texts {'is' if cut == 1 else 'are'} longer than {limit} tokens; only the"
        " beginning is used."
    )


def as_input_type(value: EmbeddingInputType | str) -> EmbeddingInputType:
    """Return a value as the input type for texts.

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


class RerankModel(AIModel):
    """A model that scores documents against a query."""

    model_type: ClassVar[ModelType] = ModelType.RERANK

    @abstractmethod
    def _invoke(
        self,
        model: str,
        credentials: dict[str, Any],
        query: str,
        docs: list[str],
        score_threshold: float | None = None,
        top_n: int | None = None,
        user: str | None = None,
    ) -> RerankResult:
        """Score the documents."""

    def invoke(
        self,
        model: str,
        credentials: dict[str, Any],
        query: str,
        docs: list[str],
        score_threshold: float | None = None,
        top_n: int | None = None,
        user: str | None = None,
    ) -> RerankResult:
        """Return the documents, best first.

        They are sorted, filtered by `score >= score_threshold`, and limited to the first `top_n`.
        top_n: if it is 0, negative or None, there is no limit.
        Raises: InvokeError or a subclass.
        """
        if not docs:
            return RerankResult(model=model, docs=[])
        need_words(query)
        with self.mapped_errors():
            result = self._invoke(model, credentials, query, docs, score_threshold, top_n, user)
        return result.model_copy(update={"docs": select(result.docs, score_threshold, top_n)})


def need_words(query: str) -> None:
    """Raise InvokeBadRequestError if the query has no words."""
    if not query.strip():
        raise InvokeBadRequestError(
            "The query is empty.", "State the question that the documents should answer."
        )


def select(
    docs: list[RerankDocument], score_threshold: float | None, top_n: int | None
) -> list[RerankDocument]:
    """Return the documents in the order that the contract prescribes. Documents with equal scores
    keep the order of the input.
    """
    ranked = sorted(docs, key=lambda doc: (-doc.score, doc.index))
    if score_threshold is not None:
        ranked = [doc for doc in ranked if doc.score >= score_threshold]
    return ranked[:top_n] if top_n is not None and top_n > 0 else ranked


def by_nearness(
    query: Sequence[float], vectors: Sequence[Sequence[float]], docs: list[str]
) -> list[RerankDocument]:
    """Return documents, scored by their cosine similarity to the query (−1 to 1), in the order of
    the input.

    These scores are used when there is no reranker. They are less accurate than a reranker's,
    because each text is embedded separately.
    """
    rows = np.asarray([query, *vectors], dtype=np.float32)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    scores = rows[1:] @ rows[0]
    return [RerankDocument(index=i, text=docs[i], score=float(s)) for i, s in enumerate(scores)]


class ModerationModel(AIModel):
    """A model that distinguishes harmful text from safe text.

    `invoke` returns a bool; `judge` also returns the kinds of harm. A model that implements only
    `_invoke` reports no kinds.
    """

    model_type: ClassVar[ModelType] = ModelType.MODERATION

    @abstractmethod
    def _invoke(
        self, model: str, credentials: dict[str, Any], text: str, user: str | None = None
    ) -> bool:
        """Return whether the text is harmful."""

    def _judge(
        self, model: str, credentials: dict[str, Any], text: str, user: str | None = None
    ) -> Verdict:
        """Return whether the text is harmful, and in which ways."""
        return Verdict(flagged=self._invoke(model, credentials, text, user))

    def invoke(
        self, model: str, credentials: dict[str, Any], text: str, user: str | None = None
    ) -> bool:
        """Return True for harmful text, and False for safe or empty text.

        If a check fails, an error is raised, so that unchecked text is never reported as safe.
        Raises: InvokeError or a subclass.
        """
        if not text.strip():
            return False
        with self.mapped_errors():
            return self._invoke(model, credentials, text, user)

    def judge(
        self, model: str, credentials: dict[str, Any], text: str, user: str | None = None
    ) -> Verdict:
        """Return whether the text is harmful, and the kinds of harm. Empty text is safe.

        Raises: as for `invoke`.
        """
        if not text.strip():
            return Verdict(flagged=False)
        with self.mapped_errors():
            return self._judge(model, credentials, text, user)


MOST = 50_000_000  # maximum number of pixels in a picture


class OcrModel(AIModel):
    """A model that reads text in pictures. It is not one of the contract's six types."""

    model_type: ClassVar[ModelType] = ModelType.OCR

    @abstractmethod
    def _invoke(
        self, model: str, credentials: dict[str, Any], width: int, height: int, pixels: bytes
    ) -> OcrResult:
        """Read a picture."""

    def invoke(
        self, model: str, credentials: dict[str, Any], width: int, height: int, picture: IO[bytes]
    ) -> OcrResult:
        """Return the lines in a picture with their positions, in reading order.

        picture: one byte of grey for each pixel, row by row.
        Raises: InvokeError or a subclass; InvokeBadRequestError if the picture does not have the
        given size.
        """
        pixels = picture.read()
        if min(width, height) < 1 or width * height > MOST or len(pixels) != width * height:
            raise InvokeBadRequestError(
                f"{len(pixels)} bytes are not a readable image of {width} by {height} pixels.",
                f"Send one grey byte for each pixel, at most {MOST:,}.",
            )
        with self.mapped_errors():
            return self._invoke(model, credentials, width, height, pixels)


TOKENS = 4096  # tokens in a batch, including padding, unless an engine works better with fewer
TEXTS = 128
AT_ONCE = 1000  # number of texts tokenized between checks for cancellation


def portions(texts: list[str]) -> Iterator[list[str]]:
    """Yield texts in portions, so that the work can be stopped between portions.

    Raises: InvokeCancelledError if the call was cancelled.
    """
    for start in range(0, len(texts), AT_ONCE):
        stop_if_cancelled()
        yield texts[start : start + AT_ONCE]


def batches(lengths: list[int], longest: int, tokens: int = TOKENS) -> Iterator[list[int]]:
    """Yield the indices of texts in batches, starting with the shortest texts.

    lengths: the length of each text in tokens before it is cut. longest: the number of tokens after
    which a text is cut. tokens: maximum number of tokens in a batch.
    """
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        size = min(lengths[place], longest)
        if batch and (len(batch) == TEXTS or (len(batch) + 1) * size > tokens):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
