"""The models in this process, one for each folder, loaded on first use and never from the
network.

Inspect a model folder: whether it is complete, and whether it is an embedder or a reranker.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from backends.flexai.devices import Device, build_for, choose, report
from backends.flexai.errors import (
    InvokeBadRequestError,
    InvokeError,
    InvokeServerUnavailableError,
    native_errors,
)
from backends.flexai.models.ai_model import stop_if_cancelled
from backends.flexai.models.text_models import portions
from backends.installation import installation

if TYPE_CHECKING:
    from collections.abc import Generator


FETCH = "Its folder is incomplete; download the model again, or copy all of its files."
WEIGHTS = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
)
# If all of these are missing, the library creates a tokenizer that knows no words, and all texts
# look alike.
TOKENIZERS = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "sentencepiece.bpe.model",
    "spiece.model",
    "tokenizer.model",
)


class Kind(Enum):
    """What the model in a folder does: turn a text into a vector, or score a pair of texts."""

    EMBEDDER = "embedder"
    RERANKER = "reranker"


def kind_of(folder: Path) -> Kind:
    """Return the kind of model in a complete folder.

    Raises: InvokeBadRequestError if the folder is incomplete or holds another kind of model.
    """
    if not folder.is_dir():
        raise InvokeBadRequestError(
            f"There is no folder {folder}.", "Specify the folder of a model."
        )
    modules = read(folder / "modules.json", list)
    inner = folder / str(modules[0].get("path", "") if modules else "")
    if any(module.get("type", "").endswith("StaticEmbedding") for module in modules or []):
        need(inner, WEIGHTS[:1])
        need(inner, TOKENIZERS[:1])
        return Kind.EMBEDDER
    need(inner, ("config.json",))
    need(inner, WEIGHTS)
    if not any((place / name).is_file() for place in (inner, folder) for name in TOKENIZERS):
        raise InvokeBadRequestError(f"tokenizer.json is missing from {inner}.", FETCH)
    told = read(folder / "config_sentence_transformers.json", dict) or {}
    made_for = told.get("model_type", "SentenceTransformer" if modules else "")
    if made_for not in ("", "SentenceTransformer", "CrossEncoder"):
        raise InvokeBadRequestError(
            f"The model in {folder} is a {made_for}, which is neither an embedder nor a reranker.",
            "Choose another model.",
        )
    classes = (read(inner / "config.json", dict) or {}).get("architectures") or [""]
    scores = str(classes[0]).endswith(("ForSequenceClassification", "ForCausalLM"))
    return (
        Kind.RERANKER if made_for == "CrossEncoder" or (not made_for and scores) else Kind.EMBEDDER
    )


def need(folder: Path, names: tuple[str, ...]) -> None:
    """Check that a folder contains at least one of the files.

    Raises: InvokeBadRequestError.
    """
    if not any((folder / name).is_file() for name in names):
        raise InvokeBadRequestError(f"{names[0]} is missing from {folder}.", FETCH)


def read(file: Path, shape: type[Any]) -> Any:
    """Return the content of a JSON file; None if the file does not exist.

    Raises: InvokeBadRequestError.
    """
    try:
        told = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InvokeBadRequestError(
            f"{file.name} in {file.parent} cannot be read: {error}", FETCH
        ) from error
    if not isinstance(told, shape) or (
        shape is list and not all(isinstance(part, dict) for part in told)
    ):
        raise InvokeBadRequestError(f"{file.name} in {file.parent} describes no model.", FETCH)
    return told


LOGGER = "transformers.modeling_utils"  # the library's logger for reports on files
ROW = re.compile(r"^(\S+)\s*\|[^|]*MISSING", re.MULTILINE)
UNUSED = ("pooler.",)  # layers that embedding models do not use and often lack


class Gaps(logging.Handler):
    """Collects the names of weights that are reported as missing."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.names: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Parse one report."""
        found: list[str] = ROW.findall(record.getMessage())
        self.names += [name for name in found if not any(part in f"{name}." for part in UNUSED)]


@contextmanager
def no_gaps() -> Generator[None]:
    """Raise ValueError at the end of the block if a model was loaded in the block without all its
    weights.
    """
    logger, gaps = logging.getLogger(LOGGER), Gaps()
    logger.addHandler(gaps)
    try:
        yield
    finally:
        logger.removeHandler(gaps)
    if gaps.names:
        shown = ", ".join(gaps.names[:3]) + (" …" if len(gaps.names) > 3 else "")
        raise ValueError(f"its file lacks {len(gaps.names)} of the weights: {shown}")


BUILDS = {device: build_for(device) for device in ("cuda", "metal")} | {"cpu": ""}
PACKAGES = ("torch==2.13.0", "sentence-transformers>=6")


class SentenceCredentials(BaseModel):
    """The location of the model and how to run it.

    max_tokens: texts are cut after this many tokens; 0 for the model's own maximum, which is never
    exceeded. n_threads: 0 for torch's default. query_prefix, document_prefix: put before the texts,
    instead of the prefixes given in the folder. scores: "probability" scales a reranker's scores to
    the range 0 to 1.
    """

    model_config = ConfigDict(protected_namespaces=(), extra="ignore")

    model_path: Path
    device: Device = "auto"
    max_tokens: int = Field(default=0, ge=0)
    n_threads: int = Field(default=0, ge=0)
    query_prefix: str | None = None
    document_prefix: str | None = None
    scores: Literal["probability", "raw"] = "probability"


@dataclass
class SentenceEngine:
    """A loaded model.

    model: a SentenceTransformer or a CrossEncoder. longest: the number of tokens after which a text
    or a pair of texts is cut. turn: a lock that is held during each batch, because the library's
    tokenizer supports only one thread at a time.
    """

    kind: Kind
    model: Any
    longest: int
    turn: threading.Lock = field(default_factory=threading.Lock)

    def lengths(self, *texts: list[str]) -> list[int]:
        """Return how many tokens each text, or pair of texts, has if it is not cut, including
        special tokens.
        """
        found: list[int] = []
        for some in zip(*(portions(column) for column in texts), strict=True):
            with self.turn:
                told = self.model.tokenizer(
                    *some,
                    truncation=False,
                    padding=False,
                    return_attention_mask=False,
                    verbose=False,
                )
            found += [len(ids) for ids in told["input_ids"]]
        return found


# torch raises RuntimeError if memory runs out or a device fails
ERRORS: dict[type[InvokeError], list[type[Exception]]] = {
    InvokeBadRequestError: [ValueError, TypeError],
    InvokeServerUnavailableError: [MemoryError, RuntimeError],
}
_engines: dict[Path, tuple[str, SentenceEngine]] = {}
_lock = threading.Lock()


def engine_for(wanted: SentenceCredentials) -> SentenceEngine:
    """Return the model in a folder. A loaded model is replaced if the settings or files have
    changed.

    Raises: InvokeBadRequestError, InvokeServerUnavailableError if torch or the library is missing.
    """
    key = f"{wanted.device} {wanted.max_tokens} {wanted.n_threads} {look_of(wanted.model_path)}"
    with _lock:
        known = _engines.get(wanted.model_path)
        if known is None or known[0] != key:
            kind = kind_of(wanted.model_path)
            _engines.pop(wanted.model_path, None)
            _engines[wanted.model_path] = key, load(wanted, kind)
        return _engines[wanted.model_path][1]


def look_of(folder: Path) -> list[tuple[str, int, int]]:
    """Return the names, sizes and times of the files in a folder, which reveal a change; empty if
    there is no folder.
    """
    try:
        with os.scandir(folder) as found:
            return sorted((f.name, f.stat().st_size, f.stat().st_mtime_ns) for f in found)
    except OSError:
        return []


def load(wanted: SentenceCredentials, kind: Kind) -> SentenceEngine:
    """Load a model.

    Raises: InvokeBadRequestError for a damaged folder or a missing device,
    InvokeServerUnavailableError if torch or the library is missing.
    """
    torch, library = libraries()
    device = choose(wanted.device, torch_devices(torch), "torch", BUILDS)
    if wanted.n_threads:
        torch.set_num_threads(wanted.n_threads)

    def damaged(error: Exception) -> InvokeBadRequestError:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        return InvokeBadRequestError(
            f"The model in {wanted.model_path} cannot be loaded: {said}",
            "A file is damaged or belongs to another kind of model; download it again, or choose "
            "another.",
        )

    make = library.CrossEncoder if kind is Kind.RERANKER else library.SentenceTransformer
    # half precision is slow on a CPU; a GPU uses the precision of the file
    precision = {"dtype": torch.float32 if device == "cpu" else "auto"}
    with (
        native_errors(
            damaged,
            OSError,
            RuntimeError,
            LookupError,
            TypeError,
            ValueError,
            AttributeError,
            ImportError,
        ),
        no_gaps(),
    ):
        model = make(
            str(wanted.model_path),
            device="mps" if device == "metal" else device,
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs=precision,
        )
    stop_between_layers(torch, model)
    report(device)
    own = model.max_seq_length or sys.maxsize
    longest = min(own, wanted.max_tokens or own)
    if longest < own:
        model.max_seq_length = longest
    return SentenceEngine(kind, model, longest)


def libraries() -> tuple[Any, Any]:
    """Return torch and sentence_transformers, configured not to use the network.

    Raises: InvokeServerUnavailableError.
    """
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    try:
        import sentence_transformers
        import torch
        from transformers.utils.logging import disable_progress_bar
    except ImportError as error:
        raise InvokeServerUnavailableError(
            f"Models for sentence-transformers need a library that is not installed: {error}.",
            f"Install it: {installation().add(*PACKAGES)}",
        ) from error
    disable_progress_bar()
    return torch, sentence_transformers


def torch_devices(torch: Any) -> list[str]:
    """Return the devices of torch, best first."""
    there = {
        "cuda": torch.cuda.is_available(),
        "metal": torch.backends.mps.is_available(),
        "cpu": True,
    }
    return [device for device, here in there.items() if here]


def stop_between_layers(torch: Any, model: Any) -> None:
    """Allow a call to be cancelled between layers, not only between batches."""

    def stop(*_: object) -> None:
        stop_if_cancelled()

    for part in model.modules():
        if isinstance(part, torch.nn.ModuleList):
            for layer in part:
                layer.register_forward_pre_hook(stop)
