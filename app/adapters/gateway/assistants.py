"""Published assistants on OpenAI-style routes, where each assistant is a model with its own access
token.
"""

from __future__ import annotations

import json
import logging
import time
import uuid
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, HTTPException, Request
from pydantic import BaseModel, ValidationError
from sse_starlette import EventSourceResponse

from app.domain.copilot import Instructions
from app.domain.errors import DeskpilotError
from app.domain.events import Ended
from app.domain.stream import Chunk, Message
from app.services.conversation.turns import offer_for
from app.services.dashboard.table_notes import add_tables

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from app.domain.conversation import Turn
    from app.domain.copilot import Assistant, RequestOffer
    from app.services.deskpilot import Deskpilot

log = logging.getLogger(__name__)
ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
# maximum number of messages in a request, characters in one message, and bytes in the whole request
MOST, LONGEST, MOST_BYTES = 200, 100_000, 32 * 1024 * 1024


class AssistantMessage(BaseModel):
    """One message."""

    role: str
    content: str | list[dict[str, Any]] | None = None

    def text(self) -> str:
        """Return its text."""
        parts = self.content if isinstance(self.content, list) else [{"text": self.content or ""}]
        return "\n".join(str(part.get("text") or "") for part in parts)[:LONGEST]


class AssistantStreamOptions(BaseModel):
    """Options of a stream."""

    include_usage: bool = False


class AssistantRequest(BaseModel):
    """A chat request; fields other than these have no effect on the assistant."""

    model: str
    messages: list[AssistantMessage]
    stream: bool = False
    stream_options: AssistantStreamOptions | None = None


def routes(deskpilot: Deskpilot) -> APIRouter:
    """Return the routes."""
    router = APIRouter()

    @router.get("/v1/models")
    async def models(request: Request) -> dict[str, Any]:
        """List the assistants to which the access token gives access."""
        token = token_of(request)
        known = [one for one in await deskpilot.belt.assistants.all() if one.opens_with(token)]
        if not known:
            raise refused()
        return {
            "object": "list",
            "data": [{"id": o.name, "object": "model", "owned_by": "deskpilot"} for o in known],
        }

    @router.post("/v1/chat/completions", response_model=None)
    async def chat(request: Request) -> dict[str, Any] | EventSourceResponse:
        """Answer messages with an assistant. Messages sent without a valid token are not read."""
        token = token_of(request)
        opened = [one for one in await deskpilot.belt.assistants.all() if one.opens_with(token)]
        if not opened:
            raise refused()
        asked = await read_asked(request)
        known = [one for one in opened if one.name == asked.model]
        if not known:
            raise refused()
        if not asked.messages or asked.messages[-1].role != "user" or len(asked.messages) > MOST:
            raise HTTPException(
                422,
                detail=error(
                    "The last message is not a question, or there are too many messages.",
                    "messages",
                ),
            )
        words = answered(deskpilot, known[0], asked.messages)
        head = {
            "id": f"chatcmpl-{uuid.uuid4().hex}",
            "created": int(time.time()),
            "model": asked.model,
        }
        if asked.stream:
            with_usage = asked.stream_options is not None and asked.stream_options.include_usage
            count = (
                (lambda text: used(deskpilot, known[0], asked.messages, text))
                if with_usage
                else None
            )
            return EventSourceResponse(streamed(words, head, count))
        text = "".join([piece async for piece in words])
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        usage = await used(deskpilot, known[0], asked.messages, text)
        return head | {"object": "chat.completion", "choices": [choice], "usage": usage}

    return router


async def read_asked(request: Request) -> AssistantRequest:
    """Return the request for an answer.

    Raises: HTTPException if it is too large or invalid.
    """
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_BYTES:
            raise HTTPException(413, detail=error(f"More than {MOST_BYTES:,} bytes.", "too_large"))
    try:
        return AssistantRequest.model_validate_json(bytes(body))
    except ValidationError as fault:
        first = fault.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise HTTPException(
            422, detail=error(f"{place}: {first['msg']}", "invalid_request")
        ) from fault


async def used(
    deskpilot: Deskpilot, one: Assistant, messages: list[AssistantMessage], answer: str
) -> dict[str, int] | None:
    """Return the numbers of tokens in the question and in the answer, as counted by the assistant's
    model.

    The output of plugins is not counted. Return None if no model can count tokens.
    """
    told = [{"role": "system", "content": one.prompt}] if one.prompt else []
    told += [
        {"role": ROLES[said.role], "content": said.text()}
        for said in messages
        if said.role in ROLES
    ]
    try:
        return await deskpilot.models.tokens(one.model, told, answer)
    except DeskpilotError as error:
        log.warning("The tokens of an answer were not counted: %s", error)
        return None


async def answered(
    deskpilot: Deskpilot, one: Assistant, messages: list[AssistantMessage]
) -> AsyncGenerator[str]:
    """Yield the text of an answer; the conversation is not stored."""
    conversation = await deskpilot.history.begin("asked", temporary=True)
    turns: list[Turn] = []
    for said in messages[:-1]:
        if said.role == "user":
            turns.append(
                deskpilot.turns.new_turn(
                    conversation.id, said.text(), turns[-1].id if turns else None
                )
            )
        elif said.role == "assistant" and turns:
            turns[-1].items.append(Message("assistant", "message", said.text()))
    for turn in turns:
        turn.state = "done"
    turn = deskpilot.turns.new_turn(
        conversation.id, messages[-1].text(), turns[-1].id if turns else None
    )
    system = [said.text() for said in messages if said.role in ("system", "developer")]
    offer = await offered(deskpilot, one, system)
    async with aclosing(deskpilot.turns.run(turns, turn, deskpilot.copilots.local, offer)) as items:
        async for item in items:
            if (
                isinstance(item, Chunk)
                and item.content
                and (item.role, item.type) == ("assistant", "message")
            ):
                yield item.content
            elif isinstance(item, Ended) and item.state != "done":
                yield f"{item.text} {item.remedy}".strip()


async def offered(deskpilot: Deskpilot, one: Assistant, system: list[str]) -> RequestOffer:
    """Return what is sent with a question to an assistant: its own tables and tools, and no
    others.
    """
    paths, here = [Path(path) for path in one.widgets], deskpilot.widgets
    widgets = [made for path in paths for made in await add_tables(here, path, attach=False)]
    told = [text for text in (one.prompt, *system) if text]
    selected = [Instructions(one.name, text) for text in told]
    offer = offer_for(
        deskpilot.widgets, [widget.uuid for widget in widgets], model=one.model or None
    )
    only = replace(offer, secondary=[], extra=[], state={})
    return replace(
        only, selected=selected, servers=frozenset(one.servers), granted=frozenset(one.granted)
    )


async def streamed(
    words: AsyncGenerator[str],
    head: dict[str, Any],
    count: Callable[[str], Awaitable[dict[str, int] | None]] | None,
) -> AsyncGenerator[dict[str, str]]:
    """Yield an answer as OpenAI's events; if tokens are counted, their numbers come last, in an
    event without text.
    """
    text = ""

    def event(delta: dict[str, str], finish: str | None = None) -> dict[str, str]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return told([choice])

    def told(choices: list[dict[str, Any]], **more: Any) -> dict[str, str]:
        return {
            "data": json.dumps(
                head | {"object": "chat.completion.chunk", "choices": choices} | more
            )
        }

    yield event({"role": "assistant", "content": ""})
    async with aclosing(words):
        async for piece in words:
            text += piece
            yield event({"content": piece})
    yield event({}, "stop")
    if count is not None:
        yield told([], usage=await count(text))
    yield {"data": "[DONE]"}


def token_of(request: Request) -> str:
    """Return the access token of a request."""
    return request.headers.get("authorization", "").removeprefix("Bearer ").strip()


def refused() -> HTTPException:
    """Return the error for an invalid token; it does not reveal whether the assistant exists."""
    return HTTPException(
        401, detail=error("This token has no assistant with that name.", "invalid_api_key")
    )


def error(message: str, kind: str) -> dict[str, Any]:
    """Return an error in OpenAI's format."""
    return {"error": {"message": message, "type": "invalid_request_error", "code": kind}}
