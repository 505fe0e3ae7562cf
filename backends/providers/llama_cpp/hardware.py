"""The hardware for llama.cpp: graphics cards, CPU cores, and the placement of layers."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import llama_cpp
from llama_cpp._ctypes_extensions import load_shared_library

from backends.flexai.devices import build_for, choose
from backends.flexai.errors import InvokeMemoryError
from backends.gguf import Gguf, NotGguf, bytes_of, read_gguf

FAMILIES = {
    "CUDA": "cuda",
    "Metal": "metal",
    "MTL": "metal",
    "Vulkan": "vulkan",
}  # keys: how llama.cpp's names start
GPU_KINDS = {
    1,
    2,
}  # ggml_backend_dev_type: a discrete GPU, or one that shares the machine's memory


class GraphicsCard(NamedTuple):
    """A GPU: its family (our name for it), llama.cpp's name for the GPU, and its free and total
    bytes.
    """

    device: str
    name: str
    free: int
    total: int


@cache
def ggml() -> list[Any]:
    """Return the ggml libraries that come with llama.cpp."""
    folder = Path(llama_cpp.__file__).parent / "lib"
    return [load_shared_library(name, folder) for name in ("ggml", "ggml-base")]


def function(name: str, gives: Any, *takes: Any) -> Any:
    """Return a function of ggml. Which library contains it depends on the system."""
    for library in ggml():
        if hasattr(library, name):
            found = getattr(library, name)
            found.restype, found.argtypes = gives, list(takes)
            return found
    raise AttributeError(f"ggml has no {name}")


def cards() -> list[GraphicsCard]:
    """Return the GPUs in llama.cpp's order, leaving out those of unknown families."""
    count = function("ggml_backend_dev_count", ctypes.c_size_t)
    get = function("ggml_backend_dev_get", ctypes.c_void_p, ctypes.c_size_t)
    kind = function("ggml_backend_dev_type", ctypes.c_int, ctypes.c_void_p)
    named = function("ggml_backend_dev_name", ctypes.c_char_p, ctypes.c_void_p)
    size = ctypes.POINTER(ctypes.c_size_t)
    memory = function("ggml_backend_dev_memory", None, ctypes.c_void_p, size, size)
    found: list[GraphicsCard] = []
    for index in range(count()):
        handle = get(index)
        name = named(handle).decode("utf-8", "replace")
        device = next((ours for begin, ours in FAMILIES.items() if name.startswith(begin)), None)
        if device is None or kind(handle) not in GPU_KINDS:
            continue
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        memory(handle, ctypes.byref(free), ctypes.byref(total))
        found.append(GraphicsCard(device, name, free.value, total.value))
    return found


def usable_cores() -> int:
    """Return how many cores this process may use. In a container, it can often use fewer than the
    machine has.
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


BUILDS = {device: build_for(device) for device in ("cuda", "metal", "vulkan")} | {"cpu": ""}
ORDER = ("cuda", "metal", "vulkan")  # fastest first
RESERVE_BYTES = 600_000_000  # memory reserved for compute buffers, the driver and the screen
ALL = -1


class ModelPlacement(NamedTuple):
    """Where a model is placed. layers: the number of layers on the GPU, in llama.cpp's terms; -1
    means all. told: a description for users.
    """

    device: str
    layers: int
    told: str


def usable(cards: Sequence[GraphicsCard]) -> list[str]:
    """Return the devices that can be requested, best first."""
    here = {card.device for card in cards}
    return [*(device for device in ORDER if device in here), "cpu"]


def placement(
    asked: str,
    wanted_layers: int | None,
    path: Path,
    context: int,
    cards: Sequence[GraphicsCard],
    parallel: int = 1,
) -> ModelPlacement:
    """Return where a model is placed.

    asked: a device or `auto`. wanted_layers: None for as many as fit. context: in tokens; 0 for the
    length that the model was trained with. parallel: the number of contexts. Raises:
    InvokeBadRequestError if the device is missing; InvokeMemoryError if not even one layer fits on
    the requested GPU.
    """
    device = choose(asked, usable(cards), "llama.cpp", BUILDS)
    if device == "cpu" or (asked == "auto" and wanted_layers == 0):
        return ModelPlacement("cpu", 0, "cpu")
    if wanted_layers is not None:
        return ModelPlacement(device, wanted_layers, device)
    try:
        model, weights = read_gguf(path), bytes_of(path)
    except (NotGguf, OSError):
        return ModelPlacement(device, ALL, device)  # the engine reports what is wrong with the file
    free = sum(card.free for card in cards if card.device == device)
    layers = fitting(free, model, weights, (context or model.context) * parallel)
    if layers == 0 and asked != "auto":
        raise InvokeMemoryError(
            f"No layer of {path.name} fits into the {free / 1000000000.0:.1f} GB that are free "
            "on the GPU.",
            "Free some memory, choose a smaller model, or set the device to auto.",
        )
    if layers == 0:
        return ModelPlacement("cpu", 0, "cpu")
    whole = layers == ALL
    return ModelPlacement(
        device, layers, device if whole else f"{device}, {layers} of {model.layers + 1} layers"
    )


def fitting(free: int, model: Gguf, weights: int, context: int) -> int:
    """Return how many layers fit into `free` bytes; -1 for all.

    weights: the size of the files in bytes. Each layer needs memory for its weights and for its
    part of the cache. Everything outside the layers counts as one more layer, as in llama.cpp.
    """
    parts = model.layers + 1
    each = (weights + model.cache_bytes * context) / parts
    fit = int((free - RESERVE_BYTES) // each) if each else parts
    return ALL if fit >= parts else max(0, fit)
