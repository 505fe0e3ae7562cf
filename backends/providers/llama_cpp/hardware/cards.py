"""The GPUs that this build of llama.cpp can use, as it tells itself."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import llama_cpp
from llama_cpp._ctypes_extensions import load_shared_library

FAMILIES = {
    "CUDA": "cuda",
    "Metal": "metal",
    "MTL": "metal",
    "Vulkan": "vulkan",
}  # by the begin of their names
GPU_KINDS = {
    1,
    2,
}  # ggml_backend_dev_type: a card of its own, or one that shares the machine's memory


class Card(NamedTuple):
    """A GPU: its family in our words, what llama.cpp calls it, bytes free and in all."""

    device: str
    name: str
    free: int
    total: int


@cache
def ggml() -> list[Any]:
    """Return the libraries of ggml that came with llama.cpp."""
    folder = Path(llama_cpp.__file__).parent / "lib"
    return [load_shared_library(name, folder) for name in ("ggml", "ggml-base")]


def function(name: str, gives: Any, *takes: Any) -> Any:
    """Return a function of ggml; which of its libraries has it differs from system to system."""
    for library in ggml():
        if hasattr(library, name):
            found = getattr(library, name)
            found.restype, found.argtypes = gives, list(takes)
            return found
    raise AttributeError(f"ggml has no {name}")


def cards() -> list[Card]:
    """Return the GPUs, in llama.cpp's order; those of other families are left out."""
    count = function("ggml_backend_dev_count", ctypes.c_size_t)
    get = function("ggml_backend_dev_get", ctypes.c_void_p, ctypes.c_size_t)
    kind = function("ggml_backend_dev_type", ctypes.c_int, ctypes.c_void_p)
    named = function("ggml_backend_dev_name", ctypes.c_char_p, ctypes.c_void_p)
    size = ctypes.POINTER(ctypes.c_size_t)
    memory = function("ggml_backend_dev_memory", None, ctypes.c_void_p, size, size)
    found: list[Card] = []
    for index in range(count()):
        handle = get(index)
        name = named(handle).decode("utf-8", "replace")
        device = next((ours for begin, ours in FAMILIES.items() if name.startswith(begin)), None)
        if device is None or kind(handle) not in GPU_KINDS:
            continue
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        memory(handle, ctypes.byref(free), ctypes.byref(total))
        found.append(Card(device, name, free.value, total.value))
    return found
