"""Convert FlexAI messages and tools to the input of chat templates."""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import suppress
from typing import Any

from backends.flexai.entities import (
    AssistantPromptMessage,
    PromptMessage,
    PromptMessageContentType,
    PromptMessageTool,
    SystemPromptMessage,
    ToolPromptMessage,
    UserPromptMessage,
)
from backends.flexai.errors import InvokeBadRequestError
from backends.providers.llama_cpp.pictures import PICTURE

INSTRUCTION = (
    "You may call these tools. To call one, write nothing but\n"
    '<tool_call>\n{"name": "the tool\'s name", "arguments": {}}\n</tool_call>\n'
    "with its arguments filled in.\n<tools>\n"
)


def as_dicts(
    messages: list[PromptMessage], pictures: list[str] | None = None
) -> list[dict[str, Any]]:
    """Return messages in the form that chat templates expect.

    pictures: a list to which the images are added; each is replaced by `PICTURE` in the text. None
    for a model that can only read text. Raises: InvokeBadRequestError for content that the model
    cannot read.
    """
    made: list[dict[str, Any]] = []
    for message in messages:
        # templates have no role for developers
        role = "system" if isinstance(message, SystemPromptMessage) else message.role.value
        value: dict[str, Any] = {"role": role, "content": text_of(message, pictures)}
        if isinstance(message, AssistantPromptMessage) and message.tool_calls:
            value["tool_calls"] = [call_dict(call) for call in message.tool_calls]
        if isinstance(message, ToolPromptMessage):
            value["tool_call_id"] = message.tool_call_id
        made.append(value)
    return made


def only_text(messages: list[PromptMessage], tools: list[dict[str, Any]] | None) -> str:
    """Return the text that a completion is to continue.

    Raises: InvokeBadRequestError unless there is exactly one message, from the user, and there are
    no tools.
    """
    if tools:
        raise InvokeBadRequestError(
            "Completions cannot call tools.", "Remove them, or use the mode chat."
        )
    if len(messages) != 1 or not isinstance(messages[0], UserPromptMessage):
        raise InvokeBadRequestError(
            "A completion needs exactly one user message.",
            "Send one, or use the mode chat.",
        )
    return text_of(messages[0], None)


def text_of(message: PromptMessage, pictures: list[str] | None) -> str:
    """Return the text of a message, with `PICTURE` in place of each image.

    Raises: InvokeBadRequestError.
    """
    if not isinstance(message.content, list):
        return (message.content or "").replace(PICTURE, "")
    text = ""
    for content in message.content:
        if content.type is PromptMessageContentType.TEXT:
            text += content.data.replace(PICTURE, "")
        elif content.type is not PromptMessageContentType.IMAGE:
            raise InvokeBadRequestError(
                "Models on llama.cpp accept text and images, but a message contains "
                f"{content.type.value}.",
                "Leave it out, or choose another model.",
            )
        elif pictures is None:
            raise InvokeBadRequestError(
                "This model accepts only text, but a message contains an image.",
                "Remove the image, or choose a model with a projector (mmproj), whose file is "
                "set in projector_path.",
            )
        else:
            pictures.append(content.data)
            text += f"{PICTURE}\n"
    return text


def call_dict(call: AssistantPromptMessage.ToolCall) -> dict[str, Any]:
    """Return an earlier call with its arguments as an object, since templates convert them to
    JSON.
    """
    value = call.model_dump()
    with suppress(ValueError):  # invalid arguments from a model remain text
        value["function"]["arguments"] = json.loads(call.function.arguments)
    return value


def with_short_ids(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return messages whose call ids consist of nine letters and digits, because Mistral's
    templates refuse any others.
    """
    made: list[dict[str, Any]] = []
    for message in messages:
        value = dict(message)
        if "tool_call_id" in value:
            value["tool_call_id"] = short_id(value["tool_call_id"])
        if value.get("tool_calls"):
            value["tool_calls"] = [
                call | {"id": short_id(call["id"])} for call in value["tool_calls"]
            ]
        made.append(value)
    return made


def short_id(name: str) -> str:
    """Return nine letters and digits that represent an id. An id that already has this form is
    returned unchanged.
    """
    return (
        name
        if re.fullmatch("[A-Za-z0-9]{9}", name)
        else hashlib.sha256(name.encode()).hexdigest()[:9]
    )


def as_tools(tools: list[PromptMessageTool] | None) -> list[dict[str, Any]] | None:
    """Return tools in the form that chat templates expect."""
    return (
        [{"type": "function", "function": tool.model_dump()} for tool in tools] if tools else None
    )


def describe_tools(
    messages: list[dict[str, Any]], tools: list[dict[str, Any]] | None
) -> list[dict[str, Any]]:
    """Return messages for a template without support for tools: the tools are described in words,
    in the format that is common in training data.
    """
    told = [spell_calls(message) for message in messages]
    if not tools:
        return told
    text = (
        INSTRUCTION
        + "".join(f"{json.dumps(tool, ensure_ascii=False)}\n" for tool in tools)
        + "</tools>"
    )
    if told and told[0]["role"] == "system":
        return [told[0] | {"content": f"{told[0]['content']}\n\n{text}"}, *told[1:]]
    return [{"role": "system", "content": text}, *told]


def spell_calls(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message with its earlier calls written out in its text."""
    calls = message.get("tool_calls")
    if not calls:
        return message
    lines = [
        f"<tool_call>\n{json.dumps(call['function'], ensure_ascii=False)}\n</tool_call>"
        for call in calls
    ]
    return message | {"content": "\n".join(filter(None, [message["content"], *lines]))}
