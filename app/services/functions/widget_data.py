"""`get_widget_data`, in the argument forms of all generations."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.domain.errors import DeskpilotError, UnknownWidget
from app.services.functions.answered import Answered, told

if TYPE_CHECKING:
    from app.data.sources import Sources

SOURCES = 32  # one call may name


@dataclass(frozen=True)
class Asked:
    """One widget a call names: by its uuid, by its id at the backend it is of, or by both."""

    uuid: str = ""
    id: str = ""


async def get_widget_data(sources: Sources, arguments: dict[str, Any], offered: frozenset[str]) -> Answered:
    """Return the data of the widgets asked for: an entry for each, in the order asked.

    One that cannot be served has an entry that says why; the others are served all the same.
    Raises: UnknownWidget if none is named, DeskpilotError if too many are.
    """
    asked = asked_for(arguments)
    if not asked:
        raise UnknownWidget("The call names no widget.", "Name one of the widgets of the request.")
    if len(asked) > SOURCES:
        raise DeskpilotError(f"The call names {len(asked)} widgets.", f"Name at most {SOURCES} at once.")
    made: dict[Asked, tuple[str, bool]] = {}
    for one in asked:
        if one not in made:
            made[one] = await entry(sources, one, offered)
    entries = [made[one][0] for one in asked]
    return Answered("\n".join(entries), all(failed for _, failed in made.values()), entries)


async def entry(sources: Sources, asked: Asked, offered: frozenset[str]) -> tuple[str, bool]:
    """Return the text for one widget, and whether it is a failure."""
    try:
        return await asyncio.to_thread(sources.as_text, resolve(asked, offered)), False
    except DeskpilotError as error:
        return told(error), True


def resolve(asked: Asked, offered: frozenset[str]) -> str:
    """Return the uuid of the widget that is meant; a uuid that is none of the offered gives way to the id.

    The origin is not compared: copilots send another than they were told, and our ids differ everywhere.
    Raises: UnknownWidget for one that was not offered.
    """
    for uid in (asked.uuid, asked.id):  # the id we send with a widget is its uuid
        if uid in offered:
            return uid
    raise UnknownWidget(
        f"Widget {asked.uuid or asked.id or 'without an id'} was not offered.",
        "Ask for one of the widgets of the request.",
    )


def asked_for(arguments: dict[str, Any]) -> list[Asked]:
    """Return what a call asks for: `widget_uuid` (2024), `widget_uuids`, or `data_sources` (today)."""
    if "widget_uuid" in arguments:
        return [Asked(str(arguments["widget_uuid"]))]
    if isinstance(arguments.get("widget_uuids"), list):
        return [Asked(str(uid)) for uid in arguments["widget_uuids"]]
    sources = arguments.get("data_sources")
    return [
        Asked(str(source.get("widget_uuid") or ""), str(source.get("id") or ""))
        for source in (sources if isinstance(sources, list) else [])
        if isinstance(source, dict)
    ]
