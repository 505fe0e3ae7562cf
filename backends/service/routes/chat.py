"""OpenAI-style chat completions, whole or as a stream."""

from __future__ import annotations

import json
import time
import uuid
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from sse_starlette import EventSourceResponse

from backends.flexai.entities import ModelType
from backends.flexai.errors import FlexAIError, InvokeError
from backends.flexai.models import Calls
from backends.service.caller import for_caller
from backends.service.errors import body_of, status_of, to_the_end
from backends.service.models import models_of
from backends.service.routes.chat_request import (
    ChatRequest,
    parameters_of,
    read_messages,
    tools_of,
    wanted_call,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from backends.flexai.entities import LLMResultChunk, LLMUsage
    from backends.flexai.models.large_language_model import CallPiece

router = APIRouter()


@router.post("/v1/chat/completions", response_model=None)
async def chat(request: Request, body: ChatRequest) -> dict[str, Any] | EventSourceResponse:
    """Answer messages; closing the connection stops the model at any moment."""
    models = models_of(request)
    model = models.installed(ModelType.LLM, body.model).entry.id
    chunks = models.stream(
        read_messages(body.messages),
        model=model,
        parameters=parameters_of(body),
        stop=[body.stop] if isinstance(body.stop, str) else body.stop,
        tools=tools_of(body),
    )
    if wanted_call(body) is not None:
        chunks = with_call(chunks)
    head = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time()), "model": model}
    if not body.stream:
        return await for_caller(request, whole(chunks, head))
    # an error before the first chunk is an HTTP error, not an event
    first = await for_caller(request, first_of(chunks))
    usage = body.stream_options is not None and body.stream_options.include_usage
    return EventSourceResponse(stream(first, chunks, head, usage=usage))


async def with_call(chunks: AsyncGenerator[LLMResultChunk]) -> AsyncGenerator[LLMResultChunk]:
    """Yield an answer in which a tool must be called.

    Raises: InvokeError if none was: not every provider can bind a model to it.
    """
    called = False
    async with aclosing(chunks):
        async for chunk in chunks:
            called = called or bool(chunk.delta.message.tool_calls)
            if chunk.delta.finish_reason is not None and not called:
                raise InvokeError(
                    "The model called no tool, although it was asked to.",
                    "Ask again, or choose a model that can be bound to it.",
                )
            yield chunk


async def whole(chunks: AsyncGenerator[LLMResultChunk], head: dict[str, Any]) -> dict[str, Any]:
    """Return an answer in OpenAI's shape.

    Raises: FlexAIError.
    """
    message: dict[str, Any] = {"role": "assistant", "content": ""}
    finish, used, calls = "stop", None, Calls()
    async with aclosing(chunks):
        async for chunk in chunks:
            delta = chunk.delta
            message["content"] += delta.message.text()
            if thought := delta.message.reasoning:
                message["reasoning_content"] = message.get("reasoning_content", "") + thought
            calls.take(delta.message.tool_calls)
            finish, used = delta.finish_reason or finish, delta.usage or used
    if calls.all:
        message["tool_calls"] = [call.model_dump() for call in calls.all]
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return head | {"object": "chat.completion", "choices": [choice], "usage": usage_of(used)}


async def stream(
    first: LLMResultChunk | None,
    chunks: AsyncGenerator[LLMResultChunk],
    head: dict[str, Any],
    *,
    usage: bool,
) -> AsyncGenerator[str]:
    """Yield an answer in OpenAI's shape, `[DONE]` last; an error is told as an event before it."""

    def tell(error: Exception, said: str) -> list[str]:
        kind = type(error).__name__
        if isinstance(error, FlexAIError):
            return [json.dumps(body_of(status_of(error), error.text, error.remedy, kind))]
        return [json.dumps(body_of(500, said, "", kind))]

    async with aclosing(to_the_end(said(first, chunks, head, usage=usage), tell)) as made:
        async for event in made:
            yield event
    yield "[DONE]"


async def said(
    first: LLMResultChunk | None,
    chunks: AsyncGenerator[LLMResultChunk],
    head: dict[str, Any],
    *,
    usage: bool,
) -> AsyncGenerator[str]:
    """Yield the events of an answer.

    Raises: FlexAIError.
    """
    head = head | {"object": "chat.completion.chunk"}
    choice, used = Choice(head), None
    yield choice.event({"role": "assistant", "content": ""})
    async with aclosing(chunks):
        for event in choices_of(choice, first) if first is not None else []:
            yield event
        used = first.delta.usage if first is not None else None
        async for chunk in chunks:
            for event in choices_of(choice, chunk):
                yield event
            used = chunk.delta.usage or used
    if usage:
        yield json.dumps(head | {"choices": [], "usage": usage_of(used)})


async def first_of(chunks: AsyncGenerator[LLMResultChunk]) -> LLMResultChunk | None:
    """Return the next chunk; None at the end."""
    return await anext(chunks, None)


class Choice:
    """Writes the events of an answer; what all of them share is written once. head: of the answer. calls: those so far."""

    def __init__(self, head: dict[str, Any]) -> None:
        self.calls = Calls()
        self._head = (
            json.dumps(head, ensure_ascii=False)[:-1] + ', "choices": [{"index": 0, "delta": '
        )

    def event(self, delta: dict[str, Any], finish: str | None = None) -> str:
        """Return one event."""
        told = json.dumps(delta, ensure_ascii=False)
        return f'{self._head}{told}, "finish_reason": {json.dumps(finish)}}}]}}'


def choices_of(choice: Choice, chunk: LLMResultChunk) -> list[str]:
    """Return the events of one chunk."""
    delta, events = chunk.delta, list[str]()
    if thought := delta.message.reasoning:
        events.append(choice.event({"reasoning_content": thought}))
    if text := delta.message.text():
        events.append(choice.event({"content": text}))
    if delta.message.tool_calls:
        pieces = choice.calls.take(delta.message.tool_calls)
        events.append(choice.event({"tool_calls": [call_delta(piece) for piece in pieces]}))
    if delta.finish_reason:
        events.append(choice.event({}, delta.finish_reason))
    return events


def call_delta(piece: CallPiece) -> dict[str, Any]:
    """Return a piece of a call in OpenAI's shape: id and kind stand in its first piece and in no other."""
    if piece.begins:
        return {"index": piece.place, **piece.call.model_dump()}
    said = {name: text for name, text in piece.call.function.model_dump().items() if text}
    return {"index": piece.place, "function": said}


def usage_of(usage: LLMUsage | None) -> dict[str, int]:
    """Return usage in OpenAI's shape."""
    prompt, said = (usage.prompt_tokens, usage.completion_tokens) if usage else (0, 0)
    return {"prompt_tokens": prompt, "completion_tokens": said, "total_tokens": prompt + said}
