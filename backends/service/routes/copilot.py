"""The OpenBB protocol: discovery and queries."""

from __future__ import annotations

import datetime as dt
import json
from contextlib import aclosing
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Request
from sse_starlette import EventSourceResponse

from backends.copilot import answer
from backends.protocol.events import MessageChunk, StatusUpdate, encode
from backends.protocol.parser import parse_request
from backends.protocol.request import BadRequest, CopilotRequest
from backends.service.errors import to_the_end
from backends.service.models import models_of
from backends.service.queue import QueuePlace, with_places

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from backends.protocol.events import Event
    from backends.protocol.request import Dialect
    from backends.service.models import ServiceModels

router = APIRouter()

ABOUT = (
    "Answers questions about your tables with the number and the cell it came from. Runs on this"
    " machine."
)
CARD: dict[str, Any] = {
    "name": "Deskpilot",
    "description": ABOUT,
    "image": "",
    "endpoints": {"query": "/v1/query"},
}


@router.get("/agents.json")
async def agents() -> dict[str, Any]:
    """Describe the copilot in the form that current terminals expect."""
    features = {
        "streaming": True,
        "widget-dashboard-select": True,
        "widget-dashboard-search": True,
        "mcp-tools": True,
    }
    return {"deskpilot": CARD | {"features": features}}


@router.get("/copilots.json")
async def copilots() -> dict[str, Any]:
    """Describe the copilot in the form that 2024-era terminals expect."""
    return {
        "deskpilot": (
            CARD | {"hasStreaming": True, "hasDocuments": False, "hasFunctionCalling": True}
        )
    }


@router.post("/v1/query")
async def query(request: Request) -> EventSourceResponse:
    """Answer a query as a stream of events. Closing the connection stops the computation."""
    try:
        body: Any = json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        raise BadRequest("The body is not JSON.", "Send a JSON object.") from error
    asked = parse_request(body)
    return EventSourceResponse(events(asked, models_of(request), today_of(asked)))


async def events(
    asked: CopilotRequest, models: ServiceModels, today: dt.date
) -> AsyncGenerator[dict[str, str]]:
    """Yield the events of an answer. A failure in the middle of an answer is always reported as a
    sentence.
    """
    places = with_places(answer(asked, models, today=today))
    made = to_the_end(
        told_places(places),
        lambda _, said: [StatusUpdate("ERROR", said)],
    )
    async with aclosing(made):
        async for event in made:
            for told in encoded(event, asked.dialect):
                yield told


async def told_places(made: AsyncGenerator[Event | QueuePlace]) -> AsyncGenerator[Event]:
    """Yield events. Each new position in a model's queue is reported as a sentence."""
    last: QueuePlace | None = None
    async with aclosing(made):
        async for event in made:
            if not isinstance(event, QueuePlace):
                yield event
            elif event != last:
                last = event
                said = f"Waiting for the model: place {event.place} in the queue"
                yield StatusUpdate("INFO", said, [{"passing": True}])


def encoded(event: Event, dialect: Dialect) -> list[dict[str, str]]:
    """Return an event in the protocol's format. 2024-era terminals receive errors as text."""
    if dialect == "2024" and isinstance(event, StatusUpdate) and event.level == "ERROR":
        event = MessageChunk(event.message)
    made = encode(event, dialect)
    return [] if made is None else [{"event": made[0], "data": made[1]}]


def today_of(asked: CopilotRequest) -> dt.date:
    """Return the day that "today" means: the day that the terminal sets, or else the current day in
    its time zone.

    Raises: BadRequest.
    """
    fixed = asked.options.get("deskpilot-today")
    try:
        if isinstance(fixed, str):
            return dt.date.fromisoformat(fixed)
        return dt.datetime.now(ZoneInfo(asked.timezone)).date()
    except (ValueError, KeyError, OSError) as error:
        raise BadRequest(
            f"The date or time zone is not valid: {error}", "Send an ISO date and an IANA zone."
        ) from error
