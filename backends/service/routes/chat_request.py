"""Convert an OpenAI-style chat request to FlexAI values."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from backends.flexai.entities import PromptMessage, PromptMessageTool, read_message
from backends.flexai.errors import InvokeBadRequestError, UnsupportedParameterError

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
# Fields that do not affect the answer, and neutral values for other fields.
WITHOUT_EFFECT = frozenset(
    "user metadata service_tier prompt_cache_key prompt_cache_retention safety_identifier".split()  # noqa: SIM905
)
NOTHING_ASKED: dict[str, list[Any]] = {
    "logprobs": [False],
    "top_logprobs": [0],
    "logit_bias": [{}],
    "store": [False],
    "parallel_tool_calls": [True],
    "modalities": [["text"]],
    "functions": [[]],
    "function_call": ["none", "auto"],
    "presence_penalty": [0],
    "frequency_penalty": [0],
    "top_p": [1],
    "echo": [False],
    "best_of": [1],
    "truncation": ["disabled"],
    "include": [[]],
    "background": [False],
}
INSTEAD = {
    "functions": "Send tools.",
    "function_call": "Send tool_choice.",
    "best_of": "Send n.",
    "previous_response_id": "Nothing is stored here: send the whole conversation as input.",
    "conversation": "Nothing is stored here: send the whole conversation as input.",
    "store": "Nothing is stored here.",
}
MOST_ANSWERS = 16
NO_ARGUMENTS: dict[str, Any] = {"type": "object", "properties": {}}


class StreamOptions(BaseModel):
    """Options for the extra data in a stream.

    include_place: whether to report the position in the queue, in events without choices, while the
    request waits for the model. This is our own extension.
    """

    include_usage: bool = False
    include_place: bool = False


class ResponseFormat(BaseModel):
    """The format that the answer must have."""

    type: Literal["text", "json_object", "json_schema"] = "text"
    json_schema: dict[str, Any] | None = None


class ChatRequest(BaseModel):
    """A chat completion request. Other fields are parameters of the model, or are rejected with an
    error that names them.

    n: the number of answers, which are generated one after another.
    """

    model_config = ConfigDict(extra="allow")

    model: str | None = None
    messages: list[dict[str, Any]]
    n: Annotated[int, Field(ge=1, le=MOST_ANSWERS)] | None = None
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
    """Convert messages from OpenAI's format to ours.

    Raises: InvokeBadRequestError.
    """
    if not raw:
        raise InvokeBadRequestError("messages is empty.", "Send at least one message.")
    try:
        return [read_message(our_message(m)) for m in without_functions(raw)]
    except (KeyError, ValidationError, TypeError, AttributeError) as error:
        raise InvokeBadRequestError(
            f"messages cannot be read: {error}", "Send role and content for each."
        ) from error


def without_functions(raw: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return messages with legacy function calls converted to tool calls.

    A function result has no id. It gets the id of the last call with its name.
    """
    made: list[dict[str, Any]] = []
    for at, message in enumerate(raw):
        old = message.get("function_call")
        if message.get("role") == "assistant" and isinstance(old, dict):
            call = {"id": f"call_{at}", "type": "function", "function": old}
            made.append(
                {k: v for k, v in message.items() if k != "function_call"} | {"tool_calls": [call]}
            )
        elif message.get("role") == "function":
            calls = [call for one in made for call in one.get("tool_calls") or []]
            same = [c["id"] for c in calls if c["function"].get("name") == message.get("name")]
            made.append(
                message | {"role": "tool", "tool_call_id": same[-1] if same else f"call_{at}"}
            )
        else:
            made.append(message)
    return made


def our_message(raw: dict[str, Any]) -> dict[str, Any]:
    """Return a message with its content parts and calls in our format."""
    content = raw.get("content")
    if isinstance(content, list):
        content = [our_part(part) for part in cast("list[dict[str, Any]]", content)]
    calls = {"tool_calls": raw["tool_calls"]} if raw.get("tool_calls") else {}
    kept = {k: v for k, v in raw.items() if k != "tool_calls"}
    return kept | calls | {"content": content}


def our_part(part: dict[str, Any]) -> dict[str, Any]:
    """Return a content part in our format.

    Raises: KeyError if its type is unknown.
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
    """Convert tools from OpenAI's format to ours. The description and the parameters may be
    missing.

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
    """Return the tools that a model is allowed to call.

    Raises: InvokeBadRequestError.
    """
    return [] if body.tool_choice == "none" else read_tools(body.tools)


def wanted_call(body: ChatRequest) -> str | None:
    """Return the required call: a tool's name, or "required" for any tool. None leaves the decision
    to the model.

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
    """Return the request's sampling parameters, and the schema that the answer must conform to.

    Raises: InvokeBadRequestError.
    """
    given = {name: value for name in PARAMETERS if (value := getattr(body, name)) is not None}
    given |= {
        name: value
        for name, value in (body.model_extra or {}).items()
        if value is not None and name not in WITHOUT_EFFECT
    }
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


def followed(given: dict[str, Any], known: list[str] | None) -> dict[str, Any]:
    """Return the parameters for a model, without neutral values. The model must support the others.

    known: the names that the model supports, or None for all. Raises: UnsupportedParameterError for
    the first unsupported one.
    """
    kept: dict[str, Any] = {}
    for name, value in given.items():
        if known is None or name in known or name == "tool_choice":
            kept[name] = value
        elif value not in NOTHING_ASKED.get(name, []):
            shown = "response_format" if name == "json_schema" else name
            raise UnsupportedParameterError(
                f"This model does not follow {shown}.", INSTEAD.get(shown, "Leave it out."), shown
            )
    return kept
