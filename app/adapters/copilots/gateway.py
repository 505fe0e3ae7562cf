"""Copilots over HTTP: discovery, and answers as the terminal's own events."""

from __future__ import annotations

import json
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import httpx

from app.adapters.copilots.client import WireEvent, query
from app.adapters.copilots.discovery import discover
from app.adapters.copilots.requests import write_request
from app.adapters.copilots.shapes import chart_of, details_of
from app.domain.caps import Caps
from app.domain.errors import Refused
from app.domain.events import Artifact, Call, CellRef, Citation, Citations, Item, Status, Suggestions
from app.domain.stream import Chunk

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.domain.conversation import Turn
    from app.domain.copilot import Copilot, Offer


class HttpCopilots:
    """Finds copilots and asks them; remembers which generation a copilot turned out to speak."""

    def __init__(self, caps: Caps = Caps()) -> None:  # noqa: B008 - frozen
        self._caps = caps
        self._client = httpx.AsyncClient(trust_env=False)
        self._spoken: dict[str, Any] = {}

    async def discover(
        self, address: str, allowed_hosts: frozenset[str], headers: dict[str, str] | None = None
    ) -> list[Copilot]:
        """Return the copilots an address publishes.

        Raises: CopilotError and its kinds.
        """
        return await discover(self._client, address, allowed_hosts=allowed_hosts, headers=headers)

    async def ask(self, copilot: Copilot, turns: list[Turn], offer: Offer) -> AsyncGenerator[Item, None]:
        """Yield what a copilot answers: content chunks of its message, and events.

        A 422 that names a field of the other generation is asked once more in that one.
        Raises: CopilotError and its kinds.
        """
        spoken = replace(copilot, dialect=self._spoken.get(copilot.query_url, copilot.dialect))
        try:
            async with aclosing(self._items(spoken, turns, offer)) as items:
                async for item in items:
                    yield item
        except Refused as error:
            if error.status != 422 or copilot.query_url in self._spoken:
                raise
            other = replace(spoken, dialect="2024" if spoken.dialect == "today" else "today")
            async with aclosing(self._items(other, turns, offer)) as items:
                async for item in items:
                    self._spoken[copilot.query_url] = other.dialect
                    yield item

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def _items(self, copilot: Copilot, turns: list[Turn], offer: Offer) -> AsyncGenerator[Item, None]:
        body = write_request(copilot, turns, offer, self._caps.history_characters)
        async with aclosing(query(self._client, copilot, body, self._caps)) as found:
            async for event in found:
                item = translate(event)
                if item is not None:
                    yield item


def translate(event: WireEvent) -> Item | None:
    """Return a wire event as one of ours; None for what this terminal does not know."""
    data = event.data
    if event.name == "copilotMessageChunk":
        delta = data.get("delta")
        return Chunk("assistant", "message", delta) if isinstance(delta, str) and delta else None
    if event.name == "copilotFunctionCall":
        arguments = data.get("input_arguments")
        return Call(
            str(data.get("function", "")), arguments if isinstance(arguments, dict) else {}, event.raw
        )
    if event.name == "copilotStatusUpdate":
        level, message = str(data.get("eventType", "INFO")), str(data.get("message", ""))
        return None if data.get("hidden") else Status(level, message, details_of(data.get("details")))
    if event.name == "copilotMessageArtifact":
        chart, content = chart_of(data.get("chart_params")), data.get("content")
        return Artifact(str(data.get("type")), str(data.get("name") or ""), read_rows(content), chart)
    if event.name == "copilotCitationCollection":
        listed = data.get("citations")
        return Citations(
            [citation(c) for c in listed if isinstance(c, dict)] if isinstance(listed, list) else []
        )
    if event.name == "copilotPromptSuggestions":
        offered = data.get("suggestions")
        return Suggestions([str(s) for s in offered] if isinstance(offered, list) else [])
    return None


def read_rows(content: Any) -> Any:
    """Return rows that came as JSON text as rows."""
    if isinstance(content, str):
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            return content
    return content


def citation(raw: dict[str, Any]) -> Citation:
    """Return a citation; the cell if its details name one."""
    info = raw.get("source_info")
    source: dict[str, Any] = info if isinstance(info, dict) else {}
    details = raw.get("details")
    first = details[0] if isinstance(details, list) and details and isinstance(details[0], dict) else {}
    cell = None
    if isinstance(first.get("row"), int) and isinstance(first.get("column"), str):
        cell = CellRef(str(first.get("source_hash", "")), first["row"], first["column"])
    return Citation(str(source.get("uuid") or ""), str(source.get("name") or ""), cell, first.get("value"))
