"""The pieces a message is made of: text, images, sounds, videos, documents."""

from __future__ import annotations

from enum import Enum
from typing import Any, cast

from pydantic import BaseModel, JsonValue, model_validator


class PromptMessageContentType(Enum):
    """What a piece of content is."""

    TEXT = "text"
    IMAGE = "image"
    AUDIO = "audio"
    VIDEO = "video"
    DOCUMENT = "document"


class PromptMessageContent(BaseModel):
    """One piece of content; only its kinds below can be made.

    data: the text, or anything else as URL, data URI or bare base64.
    opaque_body: what the provider wants back with the piece in the next call.
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
    """A piece that is no text, told by `data` or, as Dify does, by `url` or `base64_data` and `mime_type`.

    format: such as `png`. filename: what its sender called it.
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
        """Its address; empty if it is here itself."""
        return self.data if self.data.lower().startswith(("http://", "https://")) else ""

    @property
    def base64_data(self) -> str:
        """Itself as base64; empty if it is an address."""
        head, comma, tail = self.data.partition(",")
        if self.url:
            return ""
        return tail if comma and head.lower().startswith("data:") else self.data


class ImagePromptMessageContent(MultiModalPromptMessageContent):
    """An image; `detail` tells how closely the model should look."""

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
    """Return a content dict as the kind its `type` names; anything else unchanged."""
    if not isinstance(value, dict):
        return value
    given = cast("dict[str, Any]", value)
    kind = given.get("type")
    name = kind.value if isinstance(kind, PromptMessageContentType) else kind
    return KINDS.get(str(name), TextPromptMessageContent).model_validate(given)
