"""Models of texts: vectors, relevance to a query, harmful text, text in pictures."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any, ClassVar

import numpy as np

from backends.flexai.cancellation import stop_if_cancelled
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
from backends.flexai.models.ai_model import AIModel, CallClock, estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator


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
            f"Texts cannot be embedded as {value!r}.", f"Send input_type {known}, or leave it out."
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
        """Return the documents best first: sorted, then `score >= score_threshold`, then the first
        `top_n`.

        top_n: 0, negative or None means no limit.
        Raises: InvokeError and its kinds.
        """
        if not docs:
            return RerankResult(model=model, docs=[])
        need_words(query)
        with self.mapped_errors():
            result = self._invoke(model, credentials, query, docs, score_threshold, top_n, user)
        return result.model_copy(update={"docs": select(result.docs, score_threshold, top_n)})


def need_words(query: str) -> None:
    """Raise InvokeBadRequestError for a query without words."""
    if not query.strip():
        raise InvokeBadRequestError("The query is empty.", "Say what the documents are to answer.")


def select(
    docs: list[RerankDocument], score_threshold: float | None, top_n: int | None
) -> list[RerankDocument]:
    """Return the documents in the contract's order; equal scores keep the input's."""
    ranked = sorted(docs, key=lambda doc: (-doc.score, doc.index))
    if score_threshold is not None:
        ranked = [doc for doc in ranked if doc.score >= score_threshold]
    return ranked[:top_n] if top_n is not None and top_n > 0 else ranked


def by_nearness(
    query: Sequence[float], vectors: Sequence[Sequence[float]], docs: list[str]
) -> list[RerankDocument]:
    """Return documents scored by the cosine (−1 to 1) of their vector and the query's, in the
    input's order.

    This orders documents if there is no reranker; it is less exact, as each text is embedded on its
    own.
    """
    rows = np.asarray([query, *vectors], dtype=np.float32)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    scores = rows[1:] @ rows[0]
    return [RerankDocument(index=i, text=docs[i], score=float(s)) for i, s in enumerate(scores)]


class ModerationModel(AIModel):
    """A model that distinguishes harmful text from safe text.

    Besides `invoke`, which returns a bool, `judge` returns the kinds of harm. A model that has only
    `_invoke` names none.
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
        """Return whether the text is harmful, and how."""
        return Verdict(flagged=self._invoke(model, credentials, text, user))

    def invoke(
        self, model: str, credentials: dict[str, Any], text: str, user: str | None = None
    ) -> bool:
        """Return True for harmful text, False for safe or empty text.

        A failed check raises an error: unchecked text is never reported as safe. Raises:
        InvokeError and its kinds.
        """
        if not text.strip():
            return False
        with self.mapped_errors():
            return self._invoke(model, credentials, text, user)

    def judge(
        self, model: str, credentials: dict[str, Any], text: str, user: str | None = None
    ) -> Verdict:
        """Return whether the text is harmful and the kinds of harm; empty text is safe.

        Raises: as `invoke`.
        """
        if not text.strip():
            return Verdict(flagged=False)
        with self.mapped_errors():
            return self._judge(model, credentials, text, user)


MOST = 50_000_000  # pixels of a picture


class OcrModel(AIModel):
    """A model that reads text on pictures. It is not one of the contract's six types."""

    model_type: ClassVar[ModelType] = ModelType.OCR

    @abstractmethod
    def _invoke(
        self, model: str, credentials: dict[str, Any], width: int, height: int, pixels: bytes
    ) -> OcrResult:
        """Read a picture."""

    def invoke(
        self, model: str, credentials: dict[str, Any], width: int, height: int, picture: IO[bytes]
    ) -> OcrResult:
        """Return the lines on a picture with their places, in reading order.

        picture: a byte of grey for each pixel, row by row.
        Raises: InvokeError and its kinds; InvokeBadRequestError for a picture of another size.
        """
        pixels = picture.read()
        if min(width, height) < 1 or width * height > MOST or len(pixels) != width * height:
            raise InvokeBadRequestError(
                f"{len(pixels)} bytes are no picture of {width} by {height} pixels that can be"
                " read.",
                f"Send a byte of grey for each pixel, {MOST:,} at most.",
            )
        with self.mapped_errors():
            return self._invoke(model, credentials, width, height, pixels)


TOKENS = 4096  # of a batch, padding included, unless an engine is served better by fewer
TEXTS = 128
AT_ONCE = 1000  # texts cut into tokens between two looks whether somebody still waits


def portions(texts: list[str]) -> Iterator[list[str]]:
    """Yield texts in portions small enough to be stopped between them.

    Raises: InvokeCancelledError once nobody waits for the call.
    """
    for start in range(0, len(texts), AT_ONCE):
        stop_if_cancelled()
        yield texts[start : start + AT_ONCE]


def batches(lengths: list[int], longest: int, tokens: int = TOKENS) -> Iterator[list[int]]:
    """Yield the places of texts batch by batch, short ones first.

    lengths: tokens of each text, uncut. longest: tokens a text is cut to. tokens: of a batch.
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
