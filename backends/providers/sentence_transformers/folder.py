"""Inspect a model folder: whether it is complete, and whether it is an embedder or a reranker."""

from __future__ import annotations

import json
import logging
import re
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING, Any

from backends.flexai.errors import InvokeBadRequestError

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path


FETCH = "Its folder is incomplete; download the model again, or copy all of its files."
WEIGHTS = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
)
# Without one of these the library creates a tokenizer that knows no words, and all texts look
# alike.
TOKENIZERS = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "sentencepiece.bpe.model",
    "spiece.model",
    "tokenizer.model",
)


class Kind(Enum):
    """What a folder's model does: it turns a text into a vector, or scores a pair of texts."""

    EMBEDDER = "embedder"
    RERANKER = "reranker"


def kind_of(folder: Path) -> Kind:
    """Return the kind of model in a complete folder.

    Raises: InvokeBadRequestError if it is incomplete, or another kind of model.
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
        raise InvokeBadRequestError(f"tokenizer.json is missing in {inner}.", FETCH)
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
    """Check that a folder has one of the files.

    Raises: InvokeBadRequestError.
    """
    if not any((folder / name).is_file() for name in names):
        raise InvokeBadRequestError(f"{names[0]} is missing in {folder}.", FETCH)


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


LOGGER = "transformers.modeling_utils"  # logger with the library's report on a file
ROW = re.compile(r"^(\S+)\s*\|[^|]*MISSING", re.MULTILINE)
UNUSED = ("pooler.",)  # layers that embedders do not use and therefore often lack


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
    """Raise ValueError at the end of the block if a model was loaded in it without all its
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
