"""Rerankers on a server."""

from __future__ import annotations

import math
from typing import Any

from backends.flexai.entities import RerankDocument, RerankResult
from backends.flexai.models import RerankModel
from backends.providers.openai_compatible.connection import Peer
from backends.providers.openai_compatible.failures import noted, number, rows_of
from backends.providers.openai_compatible.remote import Remote
from backends.providers.openai_compatible.settings import ServerSettings


class RemoteRerank(Remote, RerankModel):
    """Scores documents over HTTP, several in each request; the scores are the server's own.

    All documents are scored. The threshold and the limit are applied here, in the contract's order.
    """

    def try_out(self, model: str, credentials: dict[str, Any]) -> None:
        """Score a single word."""
        self.invoke(model, credentials, "ping", ["ping"])

    def described(self, settings: ServerSettings) -> dict[str, Any]:
        """Return how many documents a request contains."""
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

    Raises: InvokeServerUnavailableError unless each has a numeric score.
    """
    found: dict[int, float] = {}
    for row in rows_of(answer, "results", "data"):
        place = number(row.get("index"))
        score: Any = row.get("relevance_score", row.get("score"))
        if place is None or not isinstance(score, int | float) or not math.isfinite(score):
            raise peer.strange("a score is missing or is no number")
        found[place] = float(score)
    if sorted(found) != list(range(count)):
        raise peer.strange(f"it scored {len(found)} of {count} documents")
    return found
