"""Ollama: manifests that name blobs by their hash.

Source: the layout of Ollama's model folder, `manifests/HOST/NAMESPACE/NAME/TAG` and `blobs/sha256-HEX`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from backends.catalog.elsewhere.model import Found, answers, inside

HOST, NAMESPACE = "registry.ollama.ai", "library"
MODEL, PROJECTOR = "application/vnd.ollama.image.model", "application/vnd.ollama.image.projector"
SYSTEM_WIDE = Path("/usr/share/ollama/.ollama/models")  # where its service on Linux keeps them


def ollama(home: Path, environment: Mapping[str, str]) -> Iterator[Found]:
    """Yield Ollama's language models whose blobs are whole."""
    named = environment.get("OLLAMA_MODELS")
    folders = [Path(named)] if named else [home / ".ollama" / "models", SYSTEM_WIDE]
    for folder in folders:
        for manifest in inside(folder / "manifests", "*/*/*/*"):
            layers = layers_of(manifest)
            model = blob(folder, layers, MODEL)
            if model is not None and answers(model):
                projector = blob(folder, layers, PROJECTOR)
                name = name_of(manifest.relative_to(folder / "manifests"))
                yield Found(f"ollama:{name}", model, model.stat().st_size, projector)


def name_of(place: Path) -> str:
    """Return what Ollama calls the model of a manifest: `llama3.2:1b`, or with its namespace or host."""
    host, namespace, name, tag = place.parts
    before = [host] if host != HOST else []
    before += [namespace] if host != HOST or namespace != NAMESPACE else []
    return "/".join([*before, f"{name}:{tag}"])


def layers_of(manifest: Path) -> list[dict[str, Any]]:
    """Return the layers a manifest names; none if it cannot be read."""
    try:
        layers = json.loads(manifest.read_text("utf-8"))["layers"]
        return [layer for layer in layers if isinstance(layer, dict)]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def blob(folder: Path, layers: list[dict[str, Any]], kind: str) -> Path | None:
    """Return the file of a layer; None if there is none, or it has not come whole."""
    for layer in layers:
        digest = str(layer.get("digest"))
        if layer.get("mediaType") == kind and re.fullmatch(r"sha256:[0-9a-f]{64}", digest):
            path = folder / "blobs" / digest.replace(":", "-")
            if path.is_file() and path.stat().st_size == layer.get("size"):
                return path
    return None
