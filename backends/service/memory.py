"""Estimate the memory that a model needs, and find a smaller one that fits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from backends.flexai.entities import ENGINE_BYTES
from backends.flexai.errors import CredentialsValidateFailedError
from backends.gguf import NotGguf, bytes_of, read_gguf
from backends.sizes import size
from backends.workers.budget import PROCESS_BYTES
from backends.workers.protocol import at_once

if TYPE_CHECKING:
    from backends.catalog import Catalog, CatalogEntry
    from backends.flexai.registry import Registry
    from backends.workers import ModelDemand

CONTEXT = 4096  # context in tokens for a language model whose settings do not state it
ON_A_CARD = {"cuda", "vulkan"}  # devices with separate memory
WEIGHTS = {".gguf", ".bin", ".onnx", ".safetensors", ".pt"}


class Needs:
    """Estimates the memory that models need, whether or not they are in a catalogue."""

    def __init__(self, catalog: Catalog, registry: Registry) -> None:
        self._catalog, self._registry = catalog, registry

    def need(self, wanted: ModelDemand) -> int:
        """Return the number of bytes that a model will take up, as measured or else estimated from
        its files and its context.
        """
        place = wanted.credentials.get("model_path")
        if not place:
            return PROCESS_BYTES  # it runs on a server
        if wanted.credentials.get("device") in ON_A_CARD:
            return engine_of(wanted.provider, self._registry)
        entry = self._entry(wanted)
        context = wanted.credentials.get("n_ctx")
        own = cache(Path(place), int(context or CONTEXT))
        beside = (at_once(wanted) - 1) * own  # plus one context for each additional conversation
        if entry is not None and entry.memory_bytes and context == entry.credentials.get("n_ctx"):
            return entry.memory_bytes + beside
        engine = engine_of(wanted.provider, self._registry)
        return weights(Path(place)) + own + beside + engine

    def advice(self, wanted: ModelDemand, room: int) -> str:
        """Return a suggestion: the largest model of the same type that takes up at most `room`
        bytes.
        """
        mine = self._entry(wanted)
        spoken = set(mine.languages) if mine is not None else set[str]()
        fitting = [
            entry
            for entry in self._catalog.entries()
            if entry.type is wanted.model_type
            and entry.model != wanted.model
            and taken(entry, self._registry) <= room
            and (not spoken or {*spoken, "multilingual"} & set(entry.languages))
        ]
        if not fitting:
            return ""
        best = max(fitting, key=lambda entry: taken(entry, self._registry))
        what = f"{best.id} ({size(taken(best, self._registry))})"
        if self._catalog.installed(best.id) is not None:
            return f"Use a smaller one from this machine: {what}."
        return f"Download a smaller one: deskpilot models pull {what}."

    def _entry(self, wanted: ModelDemand) -> CatalogEntry | None:
        for entry in self._catalog.entries():
            if (entry.provider, entry.type, entry.model) == (
                wanted.provider,
                wanted.model_type,
                wanted.model,
            ):
                return entry
        return None


def taken(entry: CatalogEntry, registry: Registry) -> int:
    """Return the number of bytes that a model in the catalogue takes up, estimated from its files
    if it was not measured.
    """
    return entry.memory_bytes or entry.size_bytes + engine_of(entry.provider, registry)


def engine_of(provider: str, registry: Registry) -> int:
    """Return the number of bytes that an engine takes up without weights, as stated by its
    provider, or the default if the provider is not installed.
    """
    try:
        return registry.provider(provider).entity.engine_bytes
    except CredentialsValidateFailedError:
        return ENGINE_BYTES


def weights(place: Path) -> int:
    """Return the size of a model's weights in bytes: the size of its file and its other parts, or
    of the files in its folder.
    """
    try:
        if place.is_file():
            return bytes_of(place)
        files = [file for file in place.iterdir() if file.suffix in WEIGHTS]
        made = [
            file for file in files if file.suffix == ".onnx"
        ]  # other formats are used only if there are none of these
        return sum(file.stat().st_size for file in made or files)
    except OSError:
        return 0  # the model cannot be loaded either, and its engine reports why


def cache(file: Path, tokens: int) -> int:
    """Return the size of a context in bytes, or 0 if the file is not a GGUF file. tokens: its
    length, or 0 for the length that the model was trained with.
    """
    try:
        told = read_gguf(file)
    except (NotGguf, OSError):
        return 0
    return told.cache_bytes * (tokens or told.context)
