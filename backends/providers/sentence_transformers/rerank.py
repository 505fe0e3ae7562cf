"""Reranking with a cross-encoder, or by similarity with an embedder."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from backends.flexai.cancellation import stop_if_cancelled
from backends.flexai.entities import (
    AIModelEntity,
    EmbeddingInputType,
    RerankDocument,
    RerankResult,
)
from backends.flexai.errors import InvokeBadRequestError, InvokeError
from backends.flexai.models import RerankModel, validating
from backends.flexai.models.rerank_model import by_nearness
from backends.flexai.models.text_embedding_model import cut_note
from backends.flexai.schema import read_settings
from backends.providers.batches import TEXTS, batches
from backends.providers.sentence_transformers.engines import (
    ERRORS,
    SentenceCredentials,
    SentenceEngine,
    engine_for,
    libraries,
    torch_devices,
)
from backends.providers.sentence_transformers.folder import Kind
from backends.providers.sentence_transformers.text_embedding import embed, prompt_of

log = logging.getLogger(__name__)


class SentenceRerank(RerankModel):
    """Scores each document together with the query; scores are between 0 and 1 unless set to
    raw.
    """

    def devices(self) -> list[str]:
        """Return the devices of torch, best first."""
        return torch_devices(libraries()[0])

    def validate_credentials(self, model: str, credentials: dict[str, Any]) -> None:
        """Check that the folder holds a model that can be loaded and scores."""
        with validating():
            score(read_settings(SentenceCredentials, credentials), "ping", ["ping"])

    @property
    def _invoke_error_mapping(self) -> dict[type[InvokeError], list[type[Exception]]]:
        return ERRORS

    def get_customizable_model_schema(
        self, model: str, credentials: dict[str, Any]
    ) -> AIModelEntity | None:
        """Return the schema of any other folder."""
        return self.customizable(model, model_properties={"max_chunks": TEXTS})

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
        ranked, notes = score(read_settings(SentenceCredentials, credentials), query, docs)
        for note in notes:
            log.info("%s: %s", model, note)
        return RerankResult(model=model, docs=ranked, note=" ".join(notes))


def score(
    wanted: SentenceCredentials, query: str, docs: list[str]
) -> tuple[list[RerankDocument], list[str]]:
    """Return the documents with their scores in the input's order, and a note if there is something
    to report.

    Raises: InvokeError and its kinds.
    """
    engine = engine_for(wanted)
    if engine.kind is Kind.EMBEDDER:
        return nearest(engine, wanted, query, docs)
    classes: int = engine.model.num_labels
    if classes != 1:
        raise InvokeBadRequestError(
            f"The model in {wanted.model_path} has {classes} classes, so it gives no score.",
            "Choose a reranker.",
        )
    lengths = engine.lengths([query] * len(docs), docs)
    scores = together(engine, wanted, query, docs, lengths)
    note = cut_note(sum(length > engine.longest for length in lengths), len(docs), engine.longest)
    ranked = [RerankDocument(index=i, text=docs[i], score=scores[i]) for i in range(len(docs))]
    return ranked, [note] if note else []


def together(
    engine: SentenceEngine,
    wanted: SentenceCredentials,
    query: str,
    docs: list[str],
    lengths: list[int],
) -> list[float]:
    """Return the score of each document, read together with the query.

    Raises: InvokeCancelledError, InvokeError if scores are not numbers.
    """
    from torch.nn import Identity, Sigmoid

    made = Sigmoid() if wanted.scores == "probability" else Identity()
    scores = np.zeros(len(docs), dtype=np.float64)
    for places in batches(lengths, engine.longest):
        stop_if_cancelled()
        with engine.turn:
            scores[places] = engine.model.predict(
                [(query, docs[place]) for place in places],
                batch_size=len(places),
                show_progress_bar=False,
                activation_fn=made,
            )
    if not np.isfinite(scores).all():
        raise InvokeError(
            "The model gave scores that are no numbers.", "Its weights are damaged; fetch it again."
        )
    return scores.tolist()


def nearest(
    engine: SentenceEngine, wanted: SentenceCredentials, query: str, docs: list[str]
) -> tuple[list[RerankDocument], list[str]]:
    """Return the documents, scored by the cosine similarity of their vectors to the query's."""
    asked, told = (
        prompt_of(engine, wanted, kind)
        for kind in (EmbeddingInputType.QUERY, EmbeddingInputType.DOCUMENT)
    )
    (vector,) = embed(engine, [query], engine.lengths([asked + query]), asked)
    lengths = engine.lengths([told + doc for doc in docs])
    rows = embed(engine, docs, lengths, told)
    notes = [
        "This model is an embedder, no reranker: it compares query and documents one by one, which"
        " is less exact."
    ]
    cut = cut_note(sum(length > engine.longest for length in lengths), len(docs), engine.longest)
    return by_nearness(vector.tolist(), rows.tolist(), docs), notes + ([cut] if cut else [])
