"""Text embedding with sentence-transformers behind the FlexAI interface."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from backends.flexai.cancellation import stop_if_cancelled
from backends.flexai.entities import (
    AIModelEntity,
    EmbeddingInputType,
    TextEmbeddingResult,
)
from backends.flexai.errors import InvokeBadRequestError, InvokeError
from backends.flexai.models import CallClock, TextEmbeddingModel, validating
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

DOCUMENT_PROMPTS = ("document", "passage", "corpus")  # names that folders use for it


class SentenceEmbedding(TextEmbeddingModel):
    """Embeds with any sentence-transformers folder; vectors have length 1."""

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
        """Return the schema of any other folder, including its maximum length once it is loaded."""
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
        # Checking each float in Python would take longer for ten thousand vectors than the model
        # does.
        return TextEmbeddingResult.model_construct(
            model=model, embeddings=vectors.tolist(), usage=usage, note=note
        )

    def get_num_tokens(self, model: str, credentials: dict[str, Any], texts: list[str]) -> int:
        """Return how many tokens all texts have without cutting, including start and end tokens."""
        return (
            sum(embedder_for(read_settings(SentenceCredentials, credentials)).lengths(texts))
            if texts
            else 0
        )


def embedder_for(wanted: SentenceCredentials) -> SentenceEngine:
    """Return the embedder in a folder.

    Raises: InvokeError and its kinds, also for a reranker.
    """
    engine = engine_for(wanted)
    if engine.kind is not Kind.EMBEDDER:
        raise InvokeBadRequestError(
            f"The model in {wanted.model_path} is a reranker: it makes no vectors.",
            "Use it to rerank, or choose an embedder.",
        )
    return engine


def prompt_of(engine: SentenceEngine, wanted: SentenceCredentials, kind: EmbeddingInputType) -> str:
    """Return the prefix for texts: from the settings, else from the model's folder."""
    query = kind is EmbeddingInputType.QUERY
    chosen = wanted.query_prefix if query else wanted.document_prefix
    if chosen is not None:
        return chosen
    known: dict[str, str] = engine.model.prompts
    names = ("query",) if query else DOCUMENT_PROMPTS
    return next((known[name] for name in names if known.get(name)), "")


def embed(engine: SentenceEngine, texts: list[str], lengths: list[int], prompt: str) -> np.ndarray:
    """Return unit vectors, float32, shape (texts, dimensions).

    Raises: InvokeCancelledError, InvokeError if vectors are not numbers.
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
            "The model gave values that are no numbers.", "Its weights are damaged; fetch it again."
        )
    return vectors
