"""How many layers of a model go onto the GPU: as many as its free memory takes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from backends.flexai.devices import build_for, choose
from backends.flexai.errors import InvokeMemoryError
from backends.gguf import Gguf, NotGguf, bytes_of, read_gguf
from backends.providers.llama_cpp.hardware.cards import Card

BUILDS = {device: build_for(device) for device in ("cuda", "metal", "vulkan")} | {"cpu": ""}
ORDER = ("cuda", "metal", "vulkan")  # the quickest first
RESERVE_BYTES = 600_000_000  # for the buffers of a step, the driver and the screen
ALL = -1


class Placed(NamedTuple):
    """Where a model goes. layers: for llama.cpp, -1 is all. told: for people."""

    device: str
    layers: int
    told: str


def usable(cards: Sequence[Card]) -> list[str]:
    """Return the devices one may ask for, best first."""
    here = {card.device for card in cards}
    return [*(device for device in ORDER if device in here), "cpu"]


def placement(
    asked: str, wanted_layers: int | None, path: Path, context: int, cards: Sequence[Card]
) -> Placed:
    """Return where a model goes.

    asked: a device or `auto`. wanted_layers: None takes as many as fit. context: tokens; 0 is what the
    model was trained with.
    Raises: InvokeBadRequestError for a device that is not here, InvokeMemoryError if not even a layer fits
    onto the GPU that was asked for.
    """
    device = choose(asked, usable(cards), "llama.cpp", BUILDS)
    if device == "cpu" or (asked == "auto" and wanted_layers == 0):
        return Placed("cpu", 0, "cpu")
    if wanted_layers is not None:
        return Placed(device, wanted_layers, device)
    try:
        model, weights = read_gguf(path), bytes_of(path)
    except (NotGguf, OSError):
        return Placed(device, ALL, device)  # the engine says what is wrong with the file
    free = sum(card.free for card in cards if card.device == device)
    layers = fitting(free, model, weights, context or model.context)
    if layers == 0 and asked != "auto":
        raise InvokeMemoryError(
            f"Not one layer of {path.name} fits into the {free / 1e9:.1f} GB that are free on the GPU.",
            "Free some of it, choose a smaller model, or set the device to auto.",
        )
    if layers == 0:
        return Placed("cpu", 0, "cpu")
    whole = layers == ALL
    return Placed(
        device, layers, device if whole else f"{device}, {layers} of {model.layers + 1} layers"
    )


def fitting(free: int, model: Gguf, weights: int, context: int) -> int:
    """Return how many layers fit into `free` bytes; -1 for all of them.

    weights: bytes of the files. Each layer brings its weights and its part of the cache; what stands before
    and after the layers counts as one more, as llama.cpp counts.
    """
    parts = model.layers + 1
    each = (weights + model.cache_bytes * context) / parts
    fit = int((free - RESERVE_BYTES) // each) if each else parts
    return ALL if fit >= parts else max(0, fit)
