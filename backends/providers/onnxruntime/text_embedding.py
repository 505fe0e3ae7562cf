"""Text embedding with ONNX Runtime."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import BaseModel, Field, ValidationError

from backends.flexai.devices import Device
from backends.flexai.entities import EmbeddingInputType, TextEmbeddingResult
from backends.flexai.errors import InvokeBadRequestError, InvokeError, native_errors
from backends.flexai.models import CallClock, TextEmbeddingModel, validating
from backends.flexai.models.ai_model import stop_if_cancelled
from backends.flexai.models.text_models import batches, cut_note, portions
from backends.providers.onnx_session import onnx_devices, open_session

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

# for a small model, a batch this size fits into the CPU caches: 25% faster than 32 texts
BATCH_TOKENS = 512


class OnnxCredentials(BaseModel):
    """A folder with model.onnx and tokenizer.json, the maximum length of a text in tokens, what
    the model expects before queries and before documents, and the number of threads.
    """

    model_path: Path
    max_tokens: int = Field(default=256, ge=8)
    query_prefix: str = ""
    document_prefix: str = ""
    n_threads: int = Field(default=2, ge=0)
    device: Device = "auto"


class OnnxEmbedder:
    """A loaded embedding model."""

    def __init__(self, credentials: OnnxCredentials) -> None:
        from tokenizers import Tokenizer

        self.max_tokens = credentials.max_tokens
        self.prefixes = {
            EmbeddingInputType.QUERY: credentials.query_prefix,
            EmbeddingInputType.DOCUMENT: credentials.document_prefix,
        }
        folder = credentials.model_path
        self.session = open_session(
            folder / "model.onnx", credentials.n_threads, credentials.device
        )
        self.tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def embed(
        self, texts: list[str], input_type: EmbeddingInputType
    ) -> tuple[np.ndarray, int, int]:
        """Return unit vectors, float32, shape (texts, hidden), the number of tokens, and the number
        of texts that were cut.
        """
        if prefix := self.prefixes[input_type]:
            texts = [prefix + text for text in texts]
        encodings = [one for some in portions(texts) for one in self.tokenizer.encode_batch(some)]
        rows = [truncate(encoding, self.max_tokens) for encoding in encodings]
        order: list[int] = []
        parts: list[np.ndarray] = []
        for places in batches([len(row) for row in rows], self.max_tokens, BATCH_TOKENS):
            stop_if_cancelled()
            order += places
            parts.append(self._run([rows[i] for i in places]))
        vectors = np.empty_like(np.concatenate(parts))
        vectors[order] = np.concatenate(parts)
        cut = sum(len(e.ids) > len(row) for e, row in zip(encodings, rows, strict=True))
        return vectors, sum(len(row) for row in rows), cut

    def _run(self, batch: list[list[int]]) -> np.ndarray:
        longest = max(len(row) for row in batch)
        ids = np.zeros((len(batch), longest), np.int64)
        mask = np.zeros_like(ids)
        for place, row in enumerate(batch):
            ids[place, : len(row)] = row
            mask[place, : len(row)] = 1
        return np.asarray(self.session.run(["vectors"], {"ids": ids, "mask": mask})[0])


def truncate(encoding: Encoding, most: int) -> list[int]:
    """Return at most `most` ids of a text, including its end tokens.

    A tokenizer that cuts texts cannot count the tokens of whole ones, and a second tokenizer with
    250,000 pieces would take up another 300 MB.
    """
    ids = encoding.ids
    if len(ids) <= most:
        return ids
    special = encoding.special_tokens_mask
    ends = next((at for at, one in enumerate(reversed(special)) if not one), 0)
    return ids[: most - ends] + ids[len(ids) - ends :]


_loaded: dict[str, OnnxEmbedder] = {}
_lock = threading.Lock()


class OnnxTextEmbedding(TextEmbeddingModel):
    """Embeds with a graph in a folder. The graph itself does the pooling and normalization."""

    extensions: ClassVar[frozenset[str]] = frozenset({"input_type"})

    def devices(self) -> list[str]:
        """Return the devices of ONNX Runtime, best first."""
        return onnx_devices()

    def validate_credentials(self, model: str, credentials: dict[str, Any]) -> None:
        """Check that the folder holds a model that can be loaded."""
        with validating():
            self._engine(credentials)

    @property
    def _invoke_error_mapping(self) -> dict[type[InvokeError], list[type[Exception]]]:
        return {InvokeBadRequestError: [ValueError, TypeError]}

    def _invoke(
        self,
        model: str,
        credentials: dict[str, Any],
        texts: list[str],
        user: str | None = None,
        input_type: EmbeddingInputType = EmbeddingInputType.DOCUMENT,
    ) -> TextEmbeddingResult:
        clock = CallClock()
        engine = self._engine(credentials)
        vectors, tokens, cut = engine.embed(texts, input_type)
        usage = self._create_embedding_usage(model, credentials, tokens, clock)
        note = cut_note(cut, len(texts), engine.max_tokens)
        # For ten thousand vectors, checking each float in Python would take longer than running the
        # model.
        return TextEmbeddingResult.model_construct(
            model=model, embeddings=vectors.tolist(), usage=usage, note=note
        )

    def get_num_tokens(self, model: str, credentials: dict[str, Any], texts: list[str]) -> int:
        """Return how many tokens all texts together have if they are not cut, including start and
        end tokens.
        """
        tokenizer = self._engine(credentials).tokenizer
        return sum(len(e.ids) for some in portions(texts) for e in tokenizer.encode_batch(some))

    def _engine(self, credentials: dict[str, Any]) -> OnnxEmbedder:
        try:
            wanted = OnnxCredentials.model_validate(credentials)
        except ValidationError as error:
            raise InvokeBadRequestError(
                f"These settings are not usable: {error.errors()[0]['msg']}."
            ) from error
        key = str(wanted.model_dump())
        with _lock:
            if key not in _loaded:
                _loaded[key] = self._load(wanted)
            return _loaded[key]

    def _load(self, wanted: OnnxCredentials) -> OnnxEmbedder:
        for name in ("model.onnx", "tokenizer.json"):
            if not (wanted.model_path / name).is_file():
                raise InvokeBadRequestError(
                    f"{name} is missing from {wanted.model_path}.",
                    "Download the model again: deskpilot models pull.",
                )

        def damaged(error: Exception) -> InvokeBadRequestError:
            return InvokeBadRequestError(
                f"The model in {wanted.model_path} cannot be loaded: {error}",
                "Its file is damaged; remove the folder and download the model again.",
            )

        with native_errors(damaged, OSError, RuntimeError, ValueError, OverflowError):
            return OnnxEmbedder(wanted)
