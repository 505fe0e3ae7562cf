"""`get_widget_data`, in the argument forms of all generations."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from app.domain.errors import UnknownWidget

if TYPE_CHECKING:
    from app.data.sources import Sources


async def get_widget_data(sources: Sources, arguments: dict[str, Any], offered: frozenset[str]) -> str:
    """Return the data of the widgets asked for.

    Raises: UnknownWidget for one that was not offered.
    """
    asked = asked_for(arguments)
    if not asked:
        raise UnknownWidget("The call names no widget.", "Name one of the widgets of the request.")
    for uid in asked:
        if uid not in offered:
            raise UnknownWidget(
                f"Widget {uid} was not offered.", "Ask for one of the widgets of the request."
            )
    texts = [await asyncio.to_thread(sources.as_text, uid) for uid in asked]
    return texts[0] if len(texts) == 1 else "\n".join(texts)


def asked_for(arguments: dict[str, Any]) -> list[str]:
    """Return the uuids a call asks for: `widget_uuid` (2024), `widget_uuids`, or `data_sources` (today)."""
    if "widget_uuid" in arguments:
        return [str(arguments["widget_uuid"])]
    if isinstance(arguments.get("widget_uuids"), list):
        return [str(uid) for uid in arguments["widget_uuids"]]
    found: list[str] = []
    sources = arguments.get("data_sources")
    for source in sources if isinstance(sources, list) else []:
        if isinstance(source, dict):
            found.append(str(source.get("widget_uuid") or source.get("id") or ""))
    return [uid for uid in found if uid]
