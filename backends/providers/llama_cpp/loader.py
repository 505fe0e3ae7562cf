"""Load a GGUF file. There is a separate, clear error for each kind of unusable file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import llama_cpp
from pydantic import BaseModel, Field, model_validator

from backends.flexai.devices import Device
from backends.flexai.errors import InvokeBadRequestError
from backends.gguf import missing_parts, parts_of
from backends.providers.llama_cpp.hardware import ModelPlacement, cards, placement, usable_cores

if TYPE_CHECKING:
    from backends.providers.llama_cpp.pictures import Projector

# in tokens; for a longer context, the system promises far more memory than it has, and the cache is
# then filled with zeros
MOST_CONTEXT = 1 << 20
MOST_PARALLEL = 64
PREFILL = 256  # tokens in a step; if a prompt is stopped, its completed steps are kept


class LlamaCredentials(BaseModel):
    """The location of the GGUF file, and how to load it. Texts from forms are converted to numbers.

    model_path: any part of a split model; it is loaded from its first part. n_ctx: tokens in the
    context; 0 for the length that the model was trained with. projector_path: the mmproj file of a
    vision model. mode: "completion" continues the text as it is, without the model's template.
    n_parallel: the number of conversations computed at once, each with a full context. n_threads:
    None for every core that this process may use. n_gpu_layers: -1 for all, None for as many as
    fit.
    """

    model_path: Path
    projector_path: Path | None = None
    n_ctx: int = Field(4096, ge=0, le=MOST_CONTEXT)
    n_parallel: int = Field(1, ge=1, le=MOST_PARALLEL)
    n_threads: int | None = Field(None, ge=1)
    device: Device = "auto"
    n_gpu_layers: int | None = Field(None, ge=-1)
    flash_attn: bool = True
    mode: Literal["chat", "completion"] = "chat"

    @model_validator(mode="before")
    @classmethod
    def _empty_is_left_out(cls, value: Any) -> Any:
        return {k: v for k, v in value.items() if v != ""} if isinstance(value, dict) else value

    @model_validator(mode="after")
    def _begins_at_the_first_part(self) -> LlamaCredentials:
        self.model_path = parts_of(self.model_path)[0]
        return self


def place_for(wanted: LlamaCredentials) -> ModelPlacement:
    """Return where a model is placed.

    Raises: InvokeBadRequestError, InvokeMemoryError.
    """
    check_is_gguf(wanted.model_path)
    return placement(
        wanted.device,
        wanted.n_gpu_layers,
        wanted.model_path,
        wanted.n_ctx,
        cards(),
        wanted.n_parallel,
    )


def load(credentials: LlamaCredentials, placed: ModelPlacement) -> llama_cpp.Llama:
    """Load a file.

    Raises: InvokeBadRequestError.
    """
    path = credentials.model_path
    threads = credentials.n_threads or usable_cores()
    try:
        return llama_cpp.Llama(
            str(path),
            n_ctx=credentials.n_ctx,
            # a batch is never larger than a prefill step, and logits are kept for the whole batch
            n_batch=PREFILL,
            n_ubatch=PREFILL,
            n_threads=threads,
            n_threads_batch=threads,
            n_gpu_layers=placed.layers,
            offload_kqv=placed.layers != 0,
            op_offload=placed.layers != 0,
            flash_attn=credentials.flash_attn,
            verbose=False,
        )
    except (ValueError, RuntimeError) as error:
        remedy = (
            "The file is damaged; remove it and download the model again: deskpilot models pull."
        )
        if "context" in str(error):
            remedy = (
                f"A context of {credentials.n_ctx} tokens needs more memory than there is; lower"
                " n_ctx."
            )
        raise InvokeBadRequestError(f"{path.name} cannot be loaded: {error}.", remedy) from error


def load_projector(
    credentials: LlamaCredentials, llama: llama_cpp.Llama, *, gpu: bool
) -> Projector | None:
    """Load a model's projector, if there is one.

    Raises: InvokeBadRequestError.
    """
    path = credentials.projector_path
    if path is None:
        return None
    check_is_gguf(path)
    from backends.providers.llama_cpp.pictures import Projector

    return Projector(path, llama, gpu=gpu)


def check_is_gguf(path: Path) -> None:
    """Check that a model's files exist and start with a GGUF header.

    Raises: InvokeBadRequestError, naming a missing part.
    """
    parts = parts_of(path)
    missing = missing_parts(path) if len(parts) > 1 else []
    if missing:
        raise InvokeBadRequestError(
            f"The model has {len(parts)} parts, but {missing[0].name} is not in the same folder.",
            "Put it there, or download the model again: deskpilot models pull.",
        )
    for part in parts:
        check_begins(part)


def check_begins(path: Path) -> None:
    """Check that a file can be read and starts with a GGUF header.

    Raises: InvokeBadRequestError.
    """
    try:
        with path.open("rb") as file:
            begin = file.read(4)
    except OSError as error:
        raise InvokeBadRequestError(
            f"{path.name} cannot be read: {error.strerror}.",
            "Download the model again: deskpilot models pull.",
        ) from error
    if begin != b"GGUF":
        raise InvokeBadRequestError(
            f"{path.name} is not a GGUF file.", "Choose a model in the GGUF format."
        )
