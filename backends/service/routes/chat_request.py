"""A chat completion request in OpenAI's shape, read into FlexAI's words."""

from __future__ import annotations

import json
from typing import Any, Literal, cast

from pydantic import BaseModel, ValidationError

from backends.flexai.entities import PromptMessage, PromptMessageTool, read_message
from backends.flexai.errors import InvokeBadRequestError

PARAMETERS = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "repeat_penalty",
    "presence_penalty",
    "frequency_penalty",
    "seed",
    "max_tokens",
)
NO_ARGUMENTS: dict[str, Any] = {"type": "object", "properties": {}}


class StreamOptions(BaseModel):
    """What a stream tells besides the text."""

    include_usage: bool = False


class ResponseFormat(BaseModel):
    """How the answer is bound."""

    type: Literal["text", "json_object", "json_schema"] = "text"
    json_schema: dict[str, Any] | None = None


class ChatRequest(BaseModel):
    """A chat completion request; fields not named here are ignored. n: only one answer is made."""

    model: str | None = None
    messages: list[dict[str, Any]]
    n: Literal[1] | None = None
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
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    seed: int | None = None
    response_format: ResponseFormat | None = None
    tools: list[dict[str, Any]] | None = None
    tool_choice: str | dict[str, Any] | None = None


def read_messages(raw: list[dict[str, Any]]) -> list[PromptMessage]:
    """Return messages in OpenAI's shape as ours.

    Raises: InvokeBadRequestError.
    """
    if not raw:
        raise InvokeBadRequestError("messages is empty.", "Send at least one message.")
    try:
        return [read_message(our_message(m)) for m in raw]
    except (KeyError, ValidationError, TypeError, AttributeError) as error:
        raise InvokeBadRequestError(
            f"messages cannot be read: {error}", "Send role and content for each."
        ) from error


def our_message(raw: dict[str, Any]) -> dict[str, Any]:
    """Return a message with its content parts and calls in our shape."""
    content = raw.get("content")
    if isinstance(content, list):
        content = [our_part(part) for part in cast("list[dict[str, Any]]", content)]
    calls = {"tool_calls": raw["tool_calls"]} if raw.get("tool_calls") else {}
    kept = {k: v for k, v in raw.items() if k != "tool_calls"}
    return kept | calls | {"content": content}


def our_part(part: dict[str, Any]) -> dict[str, Any]:
    """Return a content part in our shape.

    Raises: KeyError for one whose kind is not known.
    """
    kind = part.get("type", "text")
    if kind == "image_url":
        told: dict[str, Any] = part["image_url"]
        detail = {"detail": "high"} if told.get("detail") == "high" else {}
        return {"type": "image", "data": told["url"]} | detail
    if kind == "input_audio":
        return {"type": "audio", "data": part[kind]["data"], "format": part[kind].get("format", "")}
    if kind == "video_url":
        return {"type": "video", "data": part[kind]["url"]}
    if kind == "file":
        told = part[kind]
        return {"type": "document", "data": told["file_data"], "filename": told.get("filename", "")}
    return {"type": "text", "data": part["text"]}


def read_tools(raw: list[dict[str, Any]] | None) -> list[PromptMessageTool]:
    """Return tools in OpenAI's shape as ours; a description and parameters may be absent.

    Raises: InvokeBadRequestError.
    """
    absent = {"description": "", "parameters": NO_ARGUMENTS}
    try:
        return [PromptMessageTool.model_validate(absent | t["function"]) for t in raw or []]
    except (KeyError, TypeError, ValidationError) as error:
        raise InvokeBadRequestError(
            f"tools cannot be read: {error}",
            "Send {type, function: {name, description, parameters}} for each.",
        ) from error


def tools_of(body: ChatRequest) -> list[PromptMessageTool]:
    """Return the tools a model may call.

    Raises: InvokeBadRequestError.
    """
    return [] if body.tool_choice == "none" else read_tools(body.tools)


def wanted_call(body: ChatRequest) -> str | None:
    """Return what must be called: a tool's name, or "required" for any; None leaves it to the model.

    Raises: InvokeBadRequestError.
    """
    choice = body.tool_choice
    if choice in (None, "auto", "none"):
        return None
    if choice == "required":
        return "required"
    named = choice.get("function") if isinstance(choice, dict) else None
    name = cast("dict[str, Any]", named).get("name") if isinstance(named, dict) else None
    if not isinstance(name, str) or not name:
        raise InvokeBadRequestError(
            "tool_choice cannot be read.",
            'Send "auto", "none", "required" or {type, function: {name}}.',
        )
    return name


def parameters_of(body: ChatRequest) -> dict[str, Any]:
    """Return the request's sampling parameters, and the schema that binds the answer.

    Raises: InvokeBadRequestError.
    """
    given = {name: value for name in PARAMETERS if (value := getattr(body, name)) is not None}
    if body.max_completion_tokens is not None:
        given["max_tokens"] = body.max_completion_tokens
    if (wanted := wanted_call(body)) is not None:
        given["tool_choice"] = wanted
    form = body.response_format
    if form is None or form.type == "text":
        return given
    if form.type == "json_object":
        return given | {"json_schema": '{"type": "object"}'}
    if not form.json_schema or "schema" not in form.json_schema:
        raise InvokeBadRequestError(
            "response_format names no schema.", "Send json_schema: {name, schema: {…}}."
        )
    return given | {"json_schema": json.dumps(form.json_schema["schema"])}
