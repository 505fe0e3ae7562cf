"""Messages to and from a language model, and their parts."""

from __future__ import annotations

from abc import ABC
from enum import Enum
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, JsonValue, SerializeAsAny, model_validator


class PromptMessageContentType(Enum):
    """The type of a piece of content."""

    TEXT = "text"
    IMAGE = "image"
    AUDIO = "audio"
    VIDEO = "video"
    DOCUMENT = "document"


class PromptMessageContent(BaseModel):
    """A piece of content; only its subclasses below can be created.

    data: the text, or other content as a URL, data URI or bare base64. opaque_body: the provider's
    data, to be sent back with the piece in the next call.
    """

    type: PromptMessageContentType
    data: str
    opaque_body: JsonValue = None

    def __init__(self, **values: Any) -> None:
        if type(self) is PromptMessageContent:
            raise TypeError("make a TextPromptMessageContent or an ImagePromptMessageContent")
        super().__init__(**values)


class TextPromptMessageContent(PromptMessageContent):
    """A piece of text."""

    type: PromptMessageContentType = PromptMessageContentType.TEXT


class MultiModalPromptMessageContent(PromptMessageContent):
    """Content other than text, given by `data` or, as Dify does, by `url` or `base64_data` and
    `mime_type`.

    format: such as `png`. filename: the sender's name for it.
    """

    format: str = ""
    mime_type: str = ""
    filename: str = ""

    @model_validator(mode="before")
    @classmethod
    def _either_form(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        given = dict(cast("dict[str, Any]", values))
        url, base64_data = given.pop("url", ""), given.pop("base64_data", "")
        if given.get("data") is None and (url or base64_data):
            kind = given.get("mime_type") or "application/octet-stream"
            given["data"] = url or f"data:{kind};base64,{base64_data}"
        return given

    @property
    def url(self) -> str:
        """The content's URL; empty if the content itself is here."""
        return self.data if self.data.lower().startswith(("http://", "https://")) else ""

    @property
    def base64_data(self) -> str:
        """The content as base64; empty if it is a URL."""
        head, comma, tail = self.data.partition(",")
        if self.url:
            return ""
        return tail if comma and head.lower().startswith("data:") else self.data


class ImagePromptMessageContent(MultiModalPromptMessageContent):
    """An image. `detail` sets how closely the model should look."""

    class DETAIL(Enum):
        """How closely to look."""

        LOW = "low"
        HIGH = "high"

    type: PromptMessageContentType = PromptMessageContentType.IMAGE
    detail: DETAIL = DETAIL.LOW


class AudioPromptMessageContent(MultiModalPromptMessageContent):
    """A sound."""

    type: PromptMessageContentType = PromptMessageContentType.AUDIO


class VideoPromptMessageContent(MultiModalPromptMessageContent):
    """A video."""

    type: PromptMessageContentType = PromptMessageContentType.VIDEO


class DocumentPromptMessageContent(MultiModalPromptMessageContent):
    """A document."""

    type: PromptMessageContentType = PromptMessageContentType.DOCUMENT


KINDS: dict[str, type[PromptMessageContent]] = {
    "text": TextPromptMessageContent,
    "image": ImagePromptMessageContent,
    "audio": AudioPromptMessageContent,
    "video": VideoPromptMessageContent,
    "document": DocumentPromptMessageContent,
}


def read_content(value: Any) -> Any:
    """Return a content dict as the class for its `type`; anything else unchanged."""
    if not isinstance(value, dict):
        return value
    given = cast("dict[str, Any]", value)
    kind = given.get("type")
    name = kind.value if isinstance(kind, PromptMessageContentType) else kind
    return KINDS.get(str(name), TextPromptMessageContent).model_validate(given)


class PromptMessageRole(Enum):
    """The role of a message's author."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    DEVELOPER = "developer"  # the name that newer servers use for a system message


class PromptMessage(ABC, BaseModel):
    """A message; only its subclasses below can be created."""

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
        """Return the text of the content, without images."""
        if isinstance(self.content, str):
            return self.content
        return "".join(
            c.data for c in self.content or [] if c.type is PromptMessageContentType.TEXT
        )


class SystemPromptMessage(PromptMessage):
    """Instructions."""

    role: PromptMessageRole = PromptMessageRole.SYSTEM


class UserPromptMessage(PromptMessage):
    """A message from the user."""

    role: PromptMessageRole = PromptMessageRole.USER


class DeveloperPromptMessage(SystemPromptMessage):
    """Instructions, under the name that newer servers use."""

    role: PromptMessageRole = PromptMessageRole.DEVELOPER


class AssistantPromptMessage(PromptMessage):
    """The model's answer, or the tools it calls.

    reasoning: thoughts before the answer, not part of `content`; an extension of FlexAI's fields.
    opaque_body: the provider's data, to be sent back with the message in the next call.
    """

    class ToolCall(BaseModel):
        """A call of a tool."""

        class ToolCallFunction(BaseModel):
            """The tool, and its arguments as JSON text."""

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
    """The result of a tool."""

    role: PromptMessageRole = PromptMessageRole.TOOL
    tool_call_id: str


class PromptMessageTool(BaseModel):
    """A tool that the model may call.

    parameters: JSON Schema of the arguments.
    """

    model_config = ConfigDict(extra="ignore")

    name: str
    description: str
    parameters: dict[str, Any]


ROLES: dict[str, type[PromptMessage]] = {
    "system": SystemPromptMessage,
    "user": UserPromptMessage,
    "assistant": AssistantPromptMessage,
    "tool": ToolPromptMessage,
    "developer": DeveloperPromptMessage,
}


def read_message(value: dict[str, Any]) -> PromptMessage:
    """Return a message from its dict, by role.

    Raises: KeyError for an unknown role, pydantic.ValidationError for other errors.
    """
    return ROLES[value["role"]].model_validate(value)
