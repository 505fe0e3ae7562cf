"""Text embedding and reranking with sentence-transformers behind the FlexAI interface."""

from __future__ import annotations

import logging
from typing import Any, ClassVar

import numpy as np

from backends.flexai.entities import (
    AIModelEntity,
    EmbeddingInputType,
    RerankDocument,
    RerankResult,
    TextEmbeddingResult,
)
from backends.flexai.errors import InvokeBadRequestError, InvokeError
from backends.flexai.models import CallClock, RerankModel, TextEmbeddingModel, validating
from backends.flexai.models.ai_model import stop_if_cancelled
from backends.flexai.models.text_models import TEXTS, batches, by_nearness, cut_note
from backends.flexai.schema import read_settings
from backends.providers.sentence_transformers.engines import (
    ERRORS,
    Kind,
    SentenceCredentials,
    SentenceEngine,
    engine_for,
    libraries,
    torch_devices,
)

DOCUMENT_PROMPTS = ("document", "passage", "corpus")  # names that folders use for it


class SentenceEmbedding(TextEmbeddingModel):
    """Embeds with any sentence-transformers folder. The vectors have length 1."""

    extensions: ClassVar[frozenset[str]] = frozenset({"input_type"})

    def devices(self) -> list[str]:
        """Return the devices of torch, best first."""
        return torch_devices(libraries()[0])

    def validate_credentials(self, model: str, credentials: dict[str, Any]) -> None:
        """Check that the folder holds an embedder that can be loaded."""
        with validating():
            embedder_for(read_settings(SentenceCredentials, credentials))

    @property
    def _invoke_error_mapping(self) -> dict[type[InvokeError], list[type[Exception]]]:
        return ERRORS

    def get_customizable_model_schema(
        self, model: str, credentials: dict[str, Any]
    ) -> AIModelEntity | None:
        """Return the schema of any folder that no YAML file describes; once loaded, it includes the
        maximum length.
        """
        engine = (
            embedder_for(read_settings(SentenceCredentials, credentials)) if credentials else None
        )
        return self.customizable(
            model,
            model_properties={"max_chunks": TEXTS}
            | ({"context_size": engine.longest} if engine else {}),
        )

    def _invoke(
        self,
        model: str,
        credentials: dict[str, Any],
        texts: list[str],
        user: str | None = None,
        input_type: EmbeddingInputType = EmbeddingInputType.DOCUMENT,
    ) -> TextEmbeddingResult:
        clock = CallClock()
        wanted = read_settings(SentenceCredentials, credentials)
        engine = embedder_for(wanted)
        prompt = prompt_of(engine, wanted, input_type)
        lengths = engine.lengths([prompt + text for text in texts])
        vectors = embed(engine, texts, lengths, prompt)
        kept = [min(length, engine.longest) for length in lengths]
        usage = self._create_embedding_usage(model, credentials, sum(kept), clock)
        note = cut_note(
            sum(a > b for a, b in zip(lengths, kept, strict=True)), len(texts), engine.longest
        )
        # For ten thousand vectors, checking each float in Python would take longer than running the
        # model.
        return TextEmbeddingResult.model_construct(
            model=model, embeddings=vectors.tolist(), usage=usage, note=note
        )

    def get_num_tokens(self, model: str, credentials: dict[str, Any], texts: list[str]) -> int:
        """Return how many tokens all texts together have if they are not cut, including start and
        end tokens.
        """
        return (
            sum(embedder_for(read_settings(SentenceCredentials, credentials)).lengths(texts))
            if texts
            else 0
        )


def embedder_for(wanted: SentenceCredentials) -> SentenceEngine:
    """Return the embedder in a folder.

    Raises: InvokeError or a subclass, also if the folder holds a reranker.
    """
    engine = engine_for(wanted)
    if engine.kind is not Kind.EMBEDDER:
        raise InvokeBadRequestError(
            f"The model in {wanted.model_path} is a reranker, which does not produce vectors.",
            "Use it to rerank, or choose an embedder.",
        )
    return engine


def prompt_of(engine: SentenceEngine, wanted: SentenceCredentials, kind: EmbeddingInputType) -> str:
    """Return the prefix for texts: the one in the settings, or else the one in the model's
    folder.
    """
    query = kind is EmbeddingInputType.QUERY
    chosen = wanted.query_prefix if query else wanted.document_prefix
    if chosen is not None:
        return chosen
    known: dict[str, str] = engine.model.prompts
    names = ("query",) if query else DOCUMENT_PROMPTS
    return next((known[name] for name in names if known.get(name)), "")


def embed(engine: SentenceEngine, texts: list[str], lengths: list[int], prompt: str) -> np.ndarray:
    """Return unit vectors, float32, shape (texts, dimensions).

    Raises: InvokeCancelledError; InvokeError if a vector contains values that are not numbers.
    """
    parts: dict[int, np.ndarray] = {}
    for places in batches(lengths, engine.longest):
        stop_if_cancelled()
        with engine.turn:
            rows = engine.model.encode(
                [texts[place] for place in places],
                prompt=prompt,
                batch_size=len(places),
                show_progress_bar=False,
                normalize_embeddings=True,
            )
        parts.update(zip(places, rows, strict=True))
    vectors = np.asarray([parts[place] for place in range(len(texts))], dtype=np.float32)
    if not np.isfinite(vectors).all():
        raise InvokeError(
            "The model returned values that are not numbers.",
            "Its weights are damaged; download the model again.",
        )
    return vectors


log = logging.getLogger(__name__)


class SentenceRerank(RerankModel):
    """Scores each document together with the query. Scores are between 0 and 1 unless the setting
    `scores` is "raw".
    """

    def devices(self) -> list[str]:
        """Return the devices of torch, best first."""
        return torch_devices(libraries()[0])

    def validate_credentials(self, model: str, credentials: dict[str, Any]) -> None:
        """Check that the folder holds a model that can be loaded and can score documents."""
        with validating():
            score(read_settings(SentenceCredentials, credentials), "ping", ["ping"])

    @property
    def _invoke_error_mapping(self) -> dict[type[InvokeError], list[type[Exception]]]:
        return ERRORS

    def get_customizable_model_schema(
        self, model: str, credentials: dict[str, Any]
    ) -> AIModelEntity | None:
        """Return the schema of any folder that no YAML file describes."""
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
    """Return the documents with their scores, in the order of the input, and a note if there is
    something to report.

    Raises: InvokeError or a subclass.
    """
    engine = engine_for(wanted)
    if engine.kind is Kind.EMBEDDER:
        return nearest(engine, wanted, query, docs)
    classes: int = engine.model.num_labels
    if classes != 1:
        raise InvokeBadRequestError(
            f"The model in {wanted.model_path} has {classes} classes, so it returns no score.",
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
    """Return the score of each document, computed by reading it together with the query.

    Raises: InvokeCancelledError; InvokeError if scores are not numbers.
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
            "The model returned scores that are not numbers.",
            "Its weights are damaged; download the model again.",
        )
    return scores.tolist()


def nearest(
    engine: SentenceEngine, wanted: SentenceCredentials, query: str, docs: list[str]
) -> tuple[list[RerankDocument], list[str]]:
    """Return the documents, scored by the cosine similarity between their vectors and the
    query's.
    """
    asked, told = (
        prompt_of(engine, wanted, kind)
        for kind in (EmbeddingInputType.QUERY, EmbeddingInputType.DOCUMENT)
    )
    (vector,) = embed(engine, [query], engine.lengths([asked + query]), asked)
    lengths = engine.lengths([told + doc for doc in docs])
    rows = embed(engine, docs, lengths, told)
    notes = [
        "This model is an embedder, not a reranker: it compares the query with one document at a"
        " time, which is less exact."
    ]
    cut = cut_note(sum(length > engine.longest for length in lengths), len(docs), engine.longest)
    return by_nearness(vector.tolist(), rows.tolist(), docs), notes + ([cut] if cut else [])
