"""OpenAI-style routes: models, chat, embeddings."""

from __future__ import annotations

import base64
import json
import time
import uuid
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from fastapi import APIRouter, Request
from pydantic import BaseModel, ValidationError
from sse_starlette import EventSourceResponse

from backends.flexai.entities import PromptMessage, PromptMessageTool, read_message
from backends.flexai.errors import FlexAIError, InvokeBadRequestError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from backends.flexai.entities import LLMUsage
    from backends.service.models import ServiceModels

router = APIRouter()

PARAMETERS = ("temperature", "top_p", "top_k", "min_p", "repeat_penalty", "seed", "max_tokens")


class StreamOptions(BaseModel):
    """What a stream tells besides the text."""

    include_usage: bool = False


class ResponseFormat(BaseModel):
    """How the answer is bound."""

    type: Literal["text", "json_object", "json_schema"] = "text"
    json_schema: dict[str, Any] | None = None


class ChatRequest(BaseModel):
    """A chat completion request; fields not named here are ignored."""

    model: str | None = None
    messages: list[dict[str, Any]]
    stream: bool = False
    stream_options: StreamOptions | None = None
    stop: str | list[str] | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    repeat_penalty: float | None = None
    seed: int | None = None
    response_format: ResponseFormat | None = None
    tools: list[dict[str, Any]] | None = None


class EmbeddingRequest(BaseModel):
    """An embeddings request."""

    model: str | None = None
    input: str | list[str]
    encoding_format: Literal["float", "base64"] = "float"


def models_of(request: Request) -> ServiceModels:
    """Return the models of the service."""
    return cast("ServiceModels", request.app.state.models)


@router.get("/v1/models")
def list_models(request: Request) -> dict[str, Any]:
    """List the models on this machine."""
    found = models_of(request).catalog.all_installed()
    data = [
        {
            "id": f.entry.id,
            "object": "model",
            "created": 0,
            "owned_by": f.entry.provider,
            "type": f.entry.type.value,
        }
        for f in found
    ]
    return {"object": "list", "data": data}


@router.post("/v1/chat/completions", response_model=None)
async def chat(request: Request, body: ChatRequest) -> dict[str, Any] | EventSourceResponse:
    """Answer messages, whole or as a stream."""
    messages = read_messages(body.messages)
    stop = [body.stop] if isinstance(body.stop, str) else body.stop or []
    parameters = parameters_of(body)
    tools = [PromptMessageTool.model_validate(t.get("function", t)) for t in body.tools or []]
    models = models_of(request)
    head = {
        "id": f"chatcmpl-{uuid.uuid4().hex}",
        "created": int(time.time()),
        "model": body.model or "default",
    }
    if body.stream:
        usage = bool(body.stream_options and body.stream_options.include_usage)
        chunks = models.stream(messages, model=body.model, parameters=parameters, stop=stop, tools=tools)
        first = await anext(chunks, None)  # an error before the first chunk is an HTTP error, not an event
        return EventSourceResponse(stream(first, chunks, head, usage=usage))
    made = models.stream(messages, model=body.model, parameters=parameters, stop=stop, tools=tools)
    text, finish, last = "", "stop", None
    async with aclosing(made):
        async for chunk in made:
            text += chunk.delta.message.text()
            finish, last = chunk.delta.finish_reason or finish, chunk.delta.usage or last
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    return head | {"object": "chat.completion", "choices": [choice], "usage": usage_of(last)}


async def stream(
    first: Any, chunks: AsyncGenerator[Any], head: dict[str, Any], *, usage: bool
) -> AsyncGenerator[str]:
    """Yield the chunks of an answer in OpenAI's shape, `[DONE]` last; an error is told as a last event."""

    def shape(delta: dict[str, Any], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return json.dumps(head | {"object": "chat.completion.chunk", "choices": [choice]}, ensure_ascii=False)

    yield shape({"role": "assistant", "content": ""})
    try:
        async with aclosing(chunks):
            chunk = first
            while chunk is not None:
                if text := chunk.delta.message.text():
                    yield shape({"content": text})
                if chunk.delta.finish_reason:
                    yield shape({}, chunk.delta.finish_reason)
                    if usage:
                        told = {
                            "object": "chat.completion.chunk",
                            "choices": [],
                            "usage": usage_of(chunk.delta.usage),
                        }
                        yield json.dumps(head | told)
                chunk = await anext(chunks, None)
    except FlexAIError as error:
        message = f"{error.text} {error.remedy}".strip()
        yield json.dumps({"error": {"message": message, "type": type(error).__name__, "code": 500}})
    yield "[DONE]"


@router.post("/v1/embeddings")
async def embeddings(request: Request, body: EmbeddingRequest) -> dict[str, Any]:
    """Embed texts."""
    texts = [body.input] if isinstance(body.input, str) else body.input
    result = await models_of(request).embed_result(texts, body.model)
    rows: list[Any] = list(result.embeddings)
    if body.encoding_format == "base64":
        rows = [base64.b64encode(np.asarray(row, dtype="<f4").tobytes()).decode() for row in rows]
    data = [{"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(rows)]
    tokens = result.usage.tokens
    return {
        "object": "list",
        "model": result.model,
        "data": data,
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def read_messages(raw: list[dict[str, Any]]) -> list[PromptMessage]:
    """Return messages in OpenAI's shape as ours.

    Raises: InvokeBadRequestError.
    """
    try:
        return [read_message(openai_message(m)) for m in raw]
    except (KeyError, ValidationError, TypeError) as error:
        raise InvokeBadRequestError(f"messages cannot be read: {error}", "Send role and content.") from error


def openai_message(raw: dict[str, Any]) -> dict[str, Any]:
    """Return a message with its content parts in our shape."""
    role = {"developer": "system"}.get(raw["role"], raw["role"])
    content = raw.get("content")
    if isinstance(content, list):
        content = [
            {"type": "image", "data": part["image_url"]["url"]}
            if part.get("type") == "image_url"
            else {"type": "text", "data": part.get("text", "")}
            for part in cast("list[dict[str, Any]]", content)
        ]
    return raw | {"role": role, "content": content}


def parameters_of(body: ChatRequest) -> dict[str, Any]:
    """Return the request's sampling parameters, and the schema that binds the answer."""
    given = {name: value for name in PARAMETERS if (value := getattr(body, name)) is not None}
    if body.max_completion_tokens is not None:
        given["max_tokens"] = body.max_completion_tokens
    form = body.response_format
    if form is not None and form.type == "json_schema" and form.json_schema:
        given["json_schema"] = json.dumps(form.json_schema.get("schema", form.json_schema))
    elif form is not None and form.type == "json_object":
        given["json_schema"] = '{"type": "object"}'
    return given


def usage_of(usage: LLMUsage | None) -> dict[str, int]:
    """Return usage in OpenAI's shape."""
    if usage is None:
        return {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
    }
