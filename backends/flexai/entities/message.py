"""Messages that go to a language model and come from it."""

from __future__ import annotations

from abc import ABC
from enum import Enum
from typing import Any

from pydantic import BaseModel, ConfigDict, JsonValue, SerializeAsAny, model_validator

from backends.flexai.entities.content import (
    PromptMessageContent,
    PromptMessageContentType,
    read_content,
)


class PromptMessageRole(Enum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    DEVELOPER = "developer"  # what newer servers call a system message


class PromptMessage(ABC, BaseModel):
    """One message; only its kinds below can be made."""

    role: PromptMessageRole
    content: str | list[SerializeAsAny[PromptMessageContent]] | None = None
    name: str | None = None

    def __init__(self, **values: Any) -> None:
        if type(self) is PromptMessage:
            raise TypeError("make a message of one role, such as UserPromptMessage")
        super().__init__(**values)

    @model_validator(mode="before")
    @classmethod
    def _read_contents(cls, values: Any) -> Any:
        if isinstance(values, dict) and isinstance(values.get("content"), list):
            return values | {"content": [read_content(item) for item in values["content"]]}
        return values

    def text(self) -> str:
        """Return the text of the content, images left out."""
        if isinstance(self.content, str):
            return self.content
        return "".join(
            c.data for c in self.content or [] if c.type is PromptMessageContentType.TEXT
        )


class SystemPromptMessage(PromptMessage):
    """Instructions."""

    role: PromptMessageRole = PromptMessageRole.SYSTEM


class UserPromptMessage(PromptMessage):
    """What the person says."""

    role: PromptMessageRole = PromptMessageRole.USER


class DeveloperPromptMessage(SystemPromptMessage):
    """Instructions, by the name newer servers give them."""

    role: PromptMessageRole = PromptMessageRole.DEVELOPER


class AssistantPromptMessage(PromptMessage):
    """What the model says, or the tools it calls.

    reasoning: what it thought before, no part of `content`; an extension beside the seed's fields.
    opaque_body: what the provider wants back with the message in the next call.
    """

    class ToolCall(BaseModel):
        """One call of a tool."""

        class ToolCallFunction(BaseModel):
            """The tool and its arguments as JSON text."""

            name: str
            arguments: str

        id: str
        type: str = "function"
        function: ToolCallFunction

    role: PromptMessageRole = PromptMessageRole.ASSISTANT
    tool_calls: list[ToolCall] = []
    reasoning: str = ""
    opaque_body: JsonValue = None


class ToolPromptMessage(PromptMessage):
    """What a tool returned."""

    role: PromptMessageRole = PromptMessageRole.TOOL
    tool_call_id: str


class PromptMessageTool(BaseModel):
    """A tool the model may call.

    parameters: JSON Schema of the arguments.
    """

    model_config = ConfigDict(extra="ignore")

    name: str
    description: str
    parameters: dict[str, Any]


KINDS: dict[str, type[PromptMessage]] = {
    "system": SystemPromptMessage,
    "user": UserPromptMessage,
    "assistant": AssistantPromptMessage,
    "tool": ToolPromptMessage,
    "developer": DeveloperPromptMessage,
}


def read_message(value: dict[str, Any]) -> PromptMessage:
    """Return a message from its dict, by role.

    Raises: KeyError for an unknown role, pydantic.ValidationError for the rest.
    """
    return KINDS[value["role"]].model_validate(value)
