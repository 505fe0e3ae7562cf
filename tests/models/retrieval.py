"""The tiny embedder and cross-encoder: where they are, and texts they were not trained on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ONE_THREAD = {"device": "cpu", "n_threads": "1"}
EMBEDDER: dict[str, Any] = {"model_path": str(HERE / "tiny-embedder"), **ONE_THREAD}
ENCODER: dict[str, Any] = {"model_path": str(HERE / "tiny-cross-encoder"), **ONE_THREAD}
_TOLD: dict[str, Any] = json.loads((HERE / "concepts.json").read_text("utf-8"))
CONCEPTS: list[list[str]] = _TOLD["concepts"]


def questions() -> list[str]:
    """Return a question about each concept, in words no training sentence had."""
    shapes = _TOLD["held_out_queries"]
    return [shapes[i % 2].format(words[1]) for i, words in enumerate(CONCEPTS)]


def documents() -> list[str]:
    """Return a text about each concept, in words no training sentence had, mostly by another name
    of it.
    """
    shapes = _TOLD["held_out_documents"]
    return [shapes[i % 2].format(words[i % 3]) for i, words in enumerate(CONCEPTS)]
