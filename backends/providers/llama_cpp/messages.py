"""From FlexAI messages and tools to what chat templates read; nothing is dropped in silence."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from backends.flexai.entities import (
    AssistantPromptMessage,
    PromptMessage,
    PromptMessageContentType,
    PromptMessageTool,
    ToolPromptMessage,
)
from backends.flexai.errors import InvokeBadRequestError

INSTRUCTION = (
    "You may call these tools. To call one, write nothing but\n"
    '<tool_call>\n{"name": "the tool\'s name", "arguments": {}}\n</tool_call>\n'
    "with its arguments filled in.\n<tools>\n"
)


def as_dicts(messages: list[PromptMessage]) -> list[dict[str, Any]]:
    """Return messages as chat templates read them.

    Raises: InvokeBadRequestError for an image: these models read text only.
    """
    made: list[dict[str, Any]] = []
    for message in messages:
        refuse_images(message)
        value: dict[str, Any] = {"role": message.role.value, "content": message.text()}
        if isinstance(message, AssistantPromptMessage) and message.tool_calls:
            value["tool_calls"] = [call_dict(call) for call in message.tool_calls]
        if isinstance(message, ToolPromptMessage):
            value["tool_call_id"] = message.tool_call_id
        made.append(value)
    return made


def refuse_images(message: PromptMessage) -> None:
    """Check that a message is text alone.

    Raises: InvokeBadRequestError.
    """
    contents = message.content if isinstance(message.content, list) else []
    if any(content.type is PromptMessageContentType.IMAGE for content in contents):
        raise InvokeBadRequestError(
            "This model reads text, and a message holds an image.",
            "Leave the image out, or choose another model.",
        )


def call_dict(call: AssistantPromptMessage.ToolCall) -> dict[str, Any]:
    """Return an earlier call with its arguments as an object: templates write them as JSON themselves."""
    value = call.model_dump()
    with suppress(ValueError):  # a model's broken arguments stay the text they are
        value["function"]["arguments"] = json.loads(call.function.arguments)
    return value


def as_tools(tools: list[PromptMessageTool] | None) -> list[dict[str, Any]] | None:
    """Return tools as chat templates read them."""
    return [{"type": "function", "function": tool.model_dump()} for tool in tools] if tools else None


def describe_tools(
    messages: list[dict[str, Any]], tools: list[dict[str, Any]] | None
) -> list[dict[str, Any]]:
    """Return the messages for a template that knows no tools: told in words, in the form models were taught."""
    told = [spell_calls(message) for message in messages]
    if not tools:
        return told
    text = INSTRUCTION + "".join(f"{json.dumps(tool, ensure_ascii=False)}\n" for tool in tools) + "</tools>"
    if told and told[0]["role"] == "system":
        return [told[0] | {"content": f"{told[0]['content']}\n\n{text}"}, *told[1:]]
    return [{"role": "system", "content": text}, *told]


def spell_calls(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message with its earlier calls written into its text."""
    calls = message.get("tool_calls")
    if not calls:
        return message
    lines = [
        f"<tool_call>\n{json.dumps(call['function'], ensure_ascii=False)}\n</tool_call>" for call in calls
    ]
    return message | {"content": "\n".join(filter(None, [message["content"], *lines]))}
