"""The table of models: what each is for, how large, and where it is: loaded, here, or available."""

from __future__ import annotations

import json
from typing import Any

import httpx
from rich.table import Column, Table

from backends.catalog.catalog import Catalog
from backends.catalog.entries import read_packs
from backends.flexai.entities import ModelType
from backends.paths import endpoint_file

KINDS = {
    ModelType.LLM: "language",
    ModelType.TEXT_EMBEDDING: "embedding",
    ModelType.RERANK: "reranking",
    ModelType.SPEECH2TEXT: "speech to text",
    ModelType.TTS: "text to speech",
    ModelType.MODERATION: "moderation",
}
ASK_SECONDS = 2.0
FIGURE, LICENCE = 7, 10  # letters: a figure is never cut, and all fits into 80


def table_of(
    catalog: Catalog, loaded: dict[str, dict[str, Any]], *, wide: bool, language: str | None = None
) -> Table:
    """Return the table.

    loaded: by id, what the running service says. wide: there is room for what it is good for. language: only
    what is for it, ISO 639-1.
    """
    heads = {"id": 0, "type": 0, "size": FIGURE, "memory": FIGURE, "state": 0}
    columns = [Column(head, no_wrap=True, min_width=least) for head, least in heads.items()]
    table = Table(*columns, box=None, pad_edge=False)
    table.add_column("licence", no_wrap=True, max_width=None if wide else LICENCE)
    if wide:
        table.add_column("good for")
    here = {found.entry.id: found.entry for found in catalog.all_installed()}
    for entry in ({e.id: e for e in catalog.entries()} | here).values():
        if language is not None and not entry.speaks(language):
            continue
        running = loaded.get(entry.id)
        takes = running["memory_bytes"] if running else entry.memory_bytes
        memory = f"{takes / 1e6:.0f} MB" if takes else ""
        state = state_of(running) if running else "here" if entry.id in here else "available"
        about = [entry.good_for] if wide else []
        size = f"{entry.source.bytes / 1e6:.0f} MB"
        table.add_row(entry.id, KINDS[entry.type], size, memory, state, entry.licence, *about)
    for pack in read_packs():
        if language is not None and not all(
            catalog.entry(member).speaks(language) for member in pack.members
        ):
            continue
        size = f"{sum(catalog.entry(member).source.bytes for member in pack.members) / 1e6:.0f} MB"
        state = "here" if set(pack.members) <= set(here) else "available"
        about = [f"{pack.name}: {' and '.join(pack.members)}."] if wide else []
        table.add_row(pack.id, "voice pack", size, "", state, "", *about)
    return table


def state_of(running: dict[str, Any]) -> str:
    """Return how a loaded model stands in the table: with what it computes on, where its process told it."""
    device = str(running.get("device") or "").partition(",")[0]
    return f"loaded, {device}" if device else "loaded"


def loaded_now() -> dict[str, dict[str, Any]]:
    """Return the models the running service has loaded, by id; none where no service runs."""
    try:
        told = json.loads(endpoint_file().read_text("utf-8"))
        address = f"http://{told['host']}:{told['port']}/v1/manage/models"
        answer = httpx.get(
            address,
            headers={"Authorization": f"Bearer {told['token']}"},
            timeout=ASK_SECONDS,
            trust_env=False,
        )
        return {model["id"]: model for model in answer.raise_for_status().json()["loaded"]}
    except (OSError, ValueError, LookupError, TypeError, httpx.HTTPError):
        return {}
