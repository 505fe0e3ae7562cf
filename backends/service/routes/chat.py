"""OpenAI-style chat completions, complete or streamed, and token counts."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, TypeVar

from fastapi import APIRouter, Request
from pydantic import BaseModel
from sse_starlette import EventSourceResponse

from backends.flexai.entities import AssistantPromptMessage, ModelType
from backends.flexai.errors import FlexAIError, InvokeError, UnsupportedParameterError
from backends.flexai.models import Calls
from backends.service.errors import body_of, body_of_error, to_the_end
from backends.service.models import models_of
from backends.service.queue import QueuePlace, for_caller, with_places
from backends.service.routes.chat_request import (
    ChatRequest,
    StreamOptions,
    followed,
    parameters_of,
    read_messages,
    tools_of,
    wanted_call,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from backends.flexai.entities import LLMResultChunk, LLMUsage, PromptMessage
    from backends.flexai.models.large_language_model import CallPiece
    from backends.service.models import ServiceModels


if TYPE_CHECKING:
    Answers = list[AsyncGenerator[LLMResultChunk]]
    Told = list[AsyncGenerator[LLMResultChunk | QueuePlace]]  # with queue positions, if requested

router = APIRouter()
T = TypeVar("T")


@router.post("/v1/chat/completions", response_model=None)
async def chat(request: Request, body: ChatRequest) -> dict[str, Any] | EventSourceResponse:
    """Answer messages. Closing the connection stops the model at any time."""
    model, answers = await asked(request, body)
    head = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time()), "model": model}
    if not body.stream:
        return await for_caller(request, whole(answers, head))
    options = body.stream_options or StreamOptions()
    told: Told = [*(map(with_places, answers) if options.include_place else answers)]
    # an error before the first chunk or queue position becomes an HTTP error, not an event
    first = await for_caller(request, first_of(told[0]))
    return EventSourceResponse(stream(first, told, head, usage=options.include_usage))


async def asked(request: Request, body: ChatRequest, *, bare: bool = False) -> tuple[str, Answers]:
    """Return the model for a request, and its answers, whose generation has not started yet.

    bare: whether to continue the message as plain text, without the model's template. Raises:
    FlexAIError, NoModel.
    """
    models = models_of(request)
    found = models.installed(ModelType.LLM, body.model)
    if bare and not goes_on(request, found.entry.provider):
        raise UnsupportedParameterError(
            f"{found.entry.id} accepts messages, not a bare prompt.",
            "Use /v1/chat/completions.",
            "prompt",
        )
    messages, tools, wanted = read_messages(body.messages), tools_of(body), wanted_call(body)
    if tools and (body.model_extra or {}).get("parallel_tool_calls") is False:
        raise UnsupportedParameterError(
            "Tool calls cannot be limited to one at a time here.",
            "Omit parallel_tool_calls.",
            "parallel_tool_calls",
        )
    known = await for_caller(request, models.parameter_names(found))
    parameters = followed(parameters_of(body), known)

    def answer(at: int) -> AsyncGenerator[LLMResultChunk]:
        seed = {"seed": parameters["seed"] + at} if at and "seed" in parameters else {}
        chunks = models.stream(
            messages,
            model=found.entry.id,
            parameters=parameters | seed,
            stop=[body.stop] if isinstance(body.stop, str) else body.stop,
            tools=tools,
            bare=bare,
        )
        return with_call(chunks) if wanted is not None else chunks

    return found.entry.id, [answer(at) for at in range(body.n or 1)]


def goes_on(request: Request, provider: str) -> bool:
    """Return whether a provider's models can continue a text as it is."""
    entity = request.app.state.registry.provider(provider).entity
    schema = entity.model_credential_schema
    fields = schema.credential_form_schemas if schema is not None else []
    return any(
        f.variable == "mode" and "completion" in [o.value for o in f.options or []] for f in fields
    )


async def with_call(chunks: AsyncGenerator[LLMResultChunk]) -> AsyncGenerator[LLMResultChunk]:
    """Yield an answer that must contain a tool call.

    Raises: InvokeError if it contains none, unless it ran out of tokens. Not every provider can
    force a model to call a tool.
    """
    called = False
    async with aclosing(chunks):
        async for chunk in chunks:
            called = called or bool(chunk.delta.message.tool_calls)
            if chunk.delta.finish_reason not in (None, "length") and not called:
                raise InvokeError(
                    "The model called no tool, although it was asked to.",
                    "Ask again, or choose a model that can be forced to call one.",
                )
            yield chunk


async def whole(answers: Answers, head: dict[str, Any]) -> dict[str, Any]:
    """Return the answers in OpenAI's format.

    Raises: FlexAIError.
    """
    choices: list[dict[str, Any]] = []
    used: list[LLMUsage | None] = []
    for index, chunks in enumerate(answers):
        message, finish, usage = await gathered(chunks)
        choices.append(
            {"index": index, "message": message, "logprobs": None, "finish_reason": finish}
        )
        used.append(usage)
    return head | {"object": "chat.completion", "choices": choices, "usage": usage_of(*used)}


async def gathered(
    chunks: AsyncGenerator[LLMResultChunk],
) -> tuple[dict[str, Any], str, LLMUsage | None]:
    """Return a complete message in OpenAI's format, its finish reason and its usage.

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
    return message, finish, used


async def stream(
    first: LLMResultChunk | QueuePlace | None, answers: Told, head: dict[str, Any], *, usage: bool
) -> AsyncGenerator[str]:
    """Yield the answers in OpenAI's format, followed by `[DONE]`. An error is reported as an event
    before that.

    first: the first chunk of the first answer, which has already arrived.
    """
    made = to_the_end(said(first, answers, head, usage=usage), error_event)
    async with aclosing(made) as events:
        async for event in events:
            yield event
    yield "[DONE]"


def error_event(error: Exception, said: str) -> list[str]:
    """Return the event that reports an error in the middle of a stream."""
    if isinstance(error, FlexAIError):
        return [json.dumps(body_of_error(error))]
    return [json.dumps(body_of(500, said, "", type(error).__name__))]


async def said(
    first: LLMResultChunk | QueuePlace | None, answers: Told, head: dict[str, Any], *, usage: bool
) -> AsyncGenerator[str]:
    """Yield the events of the answers, one after another.

    Raises: FlexAIError.
    """
    head = head | {"object": "chat.completion.chunk"}
    used: list[LLMUsage | None] = []
    for index, chunks in enumerate(answers):
        choice, taken = CompletionChoice(head, index), None
        yield choice.event({"role": "assistant", "content": ""})
        async with aclosing(chunks):
            chunk = first if index == 0 else await first_of(chunks)
            while chunk is not None:
                if isinstance(chunk, QueuePlace):
                    yield json.dumps(head | {"choices": [], "place": chunk.place})
                else:
                    for event in choices_of(choice, chunk):
                        yield event
                    taken = chunk.delta.usage or taken
                chunk = await first_of(chunks)
        used.append(taken)
    if usage:
        yield json.dumps(head | {"choices": [], "usage": usage_of(*used)})


async def first_of(chunks: AsyncGenerator[T]) -> T | None:
    """Return the next piece, or None at the end."""
    return await anext(chunks, None)


class CompletionChoice:
    """Writes the events of an answer, whose common part is encoded once. head: this common part.
    calls: the calls so far.
    """

    def __init__(self, head: dict[str, Any], index: int = 0) -> None:
        self.calls = Calls()
        shared = json.dumps(head, ensure_ascii=False)[:-1]
        self._head = f'{shared}, "choices": [{{"index": {index}, "delta": '

    def event(self, delta: dict[str, Any], finish: str | None = None) -> str:
        """Return one event."""
        told = json.dumps(delta, ensure_ascii=False)
        return f'{self._head}{told}, "finish_reason": {json.dumps(finish)}}}]}}'


def choices_of(choice: CompletionChoice, chunk: LLMResultChunk) -> list[str]:
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
    """Return a piece of a call in OpenAI's format, in which only the first piece has an id and a
    type."""
    if piece.begins:
        return {"index": piece.place, **piece.call.model_dump()}
    said = {name: text for name, text in piece.call.function.model_dump().items() if text}
    return {"index": piece.place, "function": said}


def usage_of(*used: LLMUsage | None) -> dict[str, int]:
    """Return the usage of all answers in OpenAI's format. The prompt is counted only once."""
    prompt = max((one.prompt_tokens for one in used if one), default=0)
    said = sum(one.completion_tokens for one in used if one)
    return {"prompt_tokens": prompt, "completion_tokens": said, "total_tokens": prompt + said}


class TokensRequest(BaseModel):
    """A request to count tokens.

    model: the language model that counts, by default the one on this machine. messages: the
    messages in OpenAI's format.
    """

    model: str | None = None
    messages: list[dict[str, Any]]
    answer: str = ""


@router.post("/v1/tokens")
async def tokens(request: Request, body: TokensRequest) -> dict[str, Any]:
    """Count tokens without computing an answer. The model is loaded if necessary."""
    return await for_caller(request, counted(models_of(request), body))


async def counted(models: ServiceModels, body: TokensRequest) -> dict[str, Any]:
    """Return how many tokens the prompt has in the model's template, and how many the answer's text
    has on its own.

    Raises: FlexAIError, NoModel.
    """
    found = await asyncio.to_thread(models.installed, ModelType.LLM, body.model)
    entry, said = found.entry, read_messages(body.messages)

    async def count(*answered: PromptMessage) -> int:
        return await models.workers.call(
            entry.provider,
            entry.type,
            "get_num_tokens",
            model=entry.model,
            credentials=found.credentials,
            prompt_messages=[*said, *answered],
        )

    prompt = await count()
    empty = await count(
        AssistantPromptMessage(content="")
    )  # tokens that the template adds around an answer
    answer = await count(AssistantPromptMessage(content=body.answer)) if body.answer else empty
    return {
        "model": entry.id,
        "prompt_tokens": prompt,
        "completion_tokens": answer - empty,
        "total_tokens": prompt + answer - empty,
    }
