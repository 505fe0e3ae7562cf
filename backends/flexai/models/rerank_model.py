"""Models that order documents by relevance to a query."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from backends.flexai.entities import ModelType, RerankDocument, RerankResult
from backends.flexai.errors import InvokeBadRequestError
from backends.flexai.models.ai_model import AIModel


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
        """Return the documents best first.

        They are sorted, filtered by `score >= score_threshold`, and limited to the first `top_n`.
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
    """Raise InvokeBadRequestError if the query has no words."""
    if not query.strip():
        raise InvokeBadRequestError("The query is empty.", "Say what the documents are to answer.")


def select(
    docs: list[RerankDocument], score_threshold: float | None, top_n: int | None
) -> list[RerankDocument]:
    """Return the documents in the contract's order; equal scores keep the input's order."""
    ranked = sorted(docs, key=lambda doc: (-doc.score, doc.index))
    if score_threshold is not None:
        ranked = [doc for doc in ranked if doc.score >= score_threshold]
    return ranked[:top_n] if top_n is not None and top_n > 0 else ranked


def by_nearness(
    query: Sequence[float], vectors: Sequence[Sequence[float]], docs: list[str]
) -> list[RerankDocument]:
    """Return documents scored by cosine similarity (−1 to 1) to the query, in the input's order.

    It orders documents if there is no reranker. It is less accurate, because each text is embedded
    separately.
    """
    rows = np.asarray([query, *vectors], dtype=np.float32)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    scores = rows[1:] @ rows[0]
    return [RerankDocument(index=i, text=docs[i], score=float(s)) for i, s in enumerate(scores)]
