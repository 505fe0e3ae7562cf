"""Embedders and rerankers on a server."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from backends.flexai.entities import (
    EmbeddingInputType,
    RerankDocument,
    RerankResult,
    TextEmbeddingResult,
)
from backends.flexai.models import CallClock, RerankModel, TextEmbeddingModel
from backends.flexai.models.ai_model import estimate_tokens
from backends.providers.openai_compatible.connection import Peer, Remote
from backends.providers.openai_compatible.failures import noted, number, rows_of
from backends.providers.openai_compatible.settings import ServerSettings


class RemoteTextEmbedding(Remote, TextEmbeddingModel):
    """Embeds over HTTP, several texts in each request."""

    extensions: ClassVar[frozenset[str]] = frozenset({"input_type"})

    def try_out(self, model: str, credentials: dict[str, Any]) -> None:
        """Embed a single word."""
        self.invoke(model, credentials, ["ping"])

    def described(self, settings: ServerSettings) -> dict[str, Any]:
        """Return how many texts a request can contain."""
        return {"model_properties": {"max_chunks": settings.batch_size}}

    def get_num_tokens(self, model: str, credentials: dict[str, Any], texts: list[str]) -> int:
        """Return an estimate, because these servers have no route that counts tokens for an
        embedding model.
        """
        return sum(estimate_tokens(text) for text in texts)

    def _invoke(
        self,
        model: str,
        credentials: dict[str, Any],
        texts: list[str],
        user: str | None = None,
        input_type: EmbeddingInputType = EmbeddingInputType.DOCUMENT,
    ) -> TextEmbeddingResult:
        clock, settings = CallClock(), self.settings(credentials)
        peer, tokens, made = Peer(settings), 0, list[list[float]]()
        more = {"encoding_format": "float"}
        if settings.kind.input_type:
            more["input_type"] = input_type.value
        notes: list[str] = []
        for start in range(0, len(texts), settings.batch_size):
            some = texts[start : start + settings.batch_size]
            body: dict[str, Any] = {"model": settings.name_of(model), "input": some}
            answer = peer.post("/embeddings", body | more)
            notes += noted(answer)
            made += vectors(answer, len(some), peer)
            usage: Any = answer.get("usage")
            told = number(usage.get("prompt_tokens")) if isinstance(usage, dict) else None
            tokens += self.get_num_tokens(model, credentials, some) if told is None else told
        if len({len(row) for row in made}) > 1:
            raise peer.strange("its vectors have different lengths")
        used = self._create_embedding_usage(model, credentials, tokens, clock)
        return TextEmbeddingResult(model=model, embeddings=made, usage=used, note=" ".join(notes))


def vectors(answer: dict[str, Any], count: int, peer: Peer) -> list[list[float]]:
    """Return the vectors of an answer in the order of their texts.

    Raises: InvokeServerUnavailableError unless each text has a vector of finite numbers.
    """
    found: dict[int, list[float]] = {}
    for position, row in enumerate(rows_of(answer, "data")):
        place, vector = number(row.get("index")), row.get("embedding")
        if not isinstance(vector, list) or not vector:
            raise peer.strange("a vector is missing")
        if not all(isinstance(x, int | float) and math.isfinite(x) for x in vector):
            raise peer.strange("a vector contains something that is not a number")
        found[position if place is None else place] = [float(x) for x in vector]
    if sorted(found) != list(range(count)):
        raise peer.strange(f"it gave {len(found)} vectors for {count} texts")
    return [found[place] for place in range(count)]


class RemoteRerank(Remote, RerankModel):
    """Scores documents over HTTP, several in each request. The scores are the server's own.

    All documents are scored by the server. The threshold and the limit are applied here, in the
    order that the contract prescribes.
    """

    def try_out(self, model: str, credentials: dict[str, Any]) -> None:
        """Score a single word."""
        self.invoke(model, credentials, "ping", ["ping"])

    def described(self, settings: ServerSettings) -> dict[str, Any]:
        """Return how many documents a request can contain."""
        return {"model_properties": {"max_chunks": settings.batch_size}}

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
        settings = self.settings(credentials)
        peer, made, notes = Peer(settings), list[RerankDocument](), list[str]()
        for start in range(0, len(docs), settings.batch_size):
            some = docs[start : start + settings.batch_size]
            body = {
                "model": settings.name_of(model),
                "query": query,
                "documents": some,
                "top_n": len(some),
            }
            answer = peer.post(settings.rerank, body)
            found = scores(answer, len(some), peer)
            notes += [told for told in noted(answer) if told not in notes]
            made += [
                RerankDocument(index=start + i, text=text, score=found[i])
                for i, text in enumerate(some)
            ]
        return RerankResult(model=model, docs=made, note=" ".join(notes))


def scores(answer: dict[str, Any], count: int, peer: Peer) -> dict[int, float]:
    """Return the score of each document by its index.

    Raises: InvokeServerUnavailableError unless each document has a numeric score.
    """
    found: dict[int, float] = {}
    for row in rows_of(answer, "results", "data"):
        place = number(row.get("index"))
        score: Any = row.get("relevance_score", row.get("score"))
        if place is None or not isinstance(score, int | float) or not math.isfinite(score):
            raise peer.strange("a score is missing or is not a number")
        found[place] = float(score)
    if sorted(found) != list(range(count)):
        raise peer.strange(f"it scored {len(found)} of {count} documents")
    return found
