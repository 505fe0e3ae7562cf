"""What Dify's SDK takes beyond the seed: its content, its roles, its way to spell an image."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from backends.flexai.entities import (
    AssistantPromptMessage,
    AudioPromptMessageContent,
    DeveloperPromptMessage,
    DocumentPromptMessageContent,
    ImagePromptMessageContent,
    PromptMessageContent,
    PromptMessageContentType,
    PromptMessageRole,
    SystemPromptMessage,
    TextPromptMessageContent,
    UserPromptMessage,
    VideoPromptMessageContent,
    read_message,
)
from backends.flexai.errors import InvokeBadRequestError
from backends.providers.llama_cpp.messages import as_dicts
from backends.providers.openai_compatible.chat import message_dict
from backends.service.routes.chat_request import read_messages

KINDS = {
    "image": ImagePromptMessageContent,
    "audio": AudioPromptMessageContent,
    "video": VideoPromptMessageContent,
    "document": DocumentPromptMessageContent,
}


@pytest.mark.parametrize("kind", KINDS)
def test_content_is_told_the_seeds_way_or_difys(kind: str) -> None:
    seed = KINDS[kind](data="data:x/y;base64,QUJD")
    dify = KINDS[kind](base64_data="QUJD", mime_type="x/y", format="y", filename="a.y")
    assert seed.type is dify.type is PromptMessageContentType(kind)
    assert seed.data == dify.data == "data:x/y;base64,QUJD"
    assert dify.base64_data == seed.base64_data == "QUJD"
    assert (dify.format, dify.filename) == ("y", "a.y")
    linked = KINDS[kind](url="https://example.com/a", mime_type="x/y", format="y")
    assert (linked.data, linked.url, linked.base64_data) == (
        "https://example.com/a",
        "https://example.com/a",
        "",
    )
    assert KINDS[kind](data="QUJD").base64_data == "QUJD"
    with pytest.raises(ValidationError):
        KINDS[kind]()


@pytest.mark.parametrize("kind", KINDS)
def test_content_survives_the_way_to_a_worker(kind: str) -> None:
    content = [
        TextPromptMessageContent(data="look"),
        KINDS[kind](data="QUJD", opaque_body={"a": [1]}),
    ]
    sent = UserPromptMessage(content=content)
    back = read_message(sent.model_dump(mode="json"))
    assert back == sent
    assert [type(c) for c in back.content] == [TextPromptMessageContent, KINDS[kind]]  # type: ignore[union-attr]
    assert back.text() == "look"


def test_the_base_of_all_content_cannot_be_made() -> None:
    with pytest.raises(TypeError):
        PromptMessageContent(type=PromptMessageContentType.TEXT, data="x")


def test_a_developer_is_a_system_by_another_name() -> None:
    message = read_message({"role": "developer", "content": "Be brief."})
    assert isinstance(message, DeveloperPromptMessage)
    assert isinstance(message, SystemPromptMessage)
    assert message.role is PromptMessageRole.DEVELOPER
    assert as_dicts([message]) == [{"role": "system", "content": "Be brief."}]
    assert message_dict(message, vision=False)["role"] == "system"


def test_an_assistant_keeps_what_its_provider_wants_back() -> None:
    message = AssistantPromptMessage(content="x", opaque_body={"signature": "abc"})
    assert read_message(message.model_dump(mode="json")) == message


PARTS: dict[str, dict[str, Any]] = {
    "image": {
        "type": "image_url",
        "image_url": {"url": "data:image/png;base64,QUJD", "detail": "high"},
    },
    "audio": {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "mp3"}},
    "video": {"type": "video_url", "video_url": {"url": "https://example.com/a.mp4"}},
    "document": {
        "type": "file",
        "file": {"filename": "a.pdf", "file_data": "data:x/pdf;base64,QUJD"},
    },
}


@pytest.mark.parametrize("kind", PARTS)
def test_content_of_openais_shape_is_read_and_written_back_the_same(kind: str) -> None:
    raw = [{"role": "user", "content": [{"type": "text", "text": "look"}, PARTS[kind]]}]
    (message,) = read_messages(raw)
    assert [c.type.value for c in message.content] == ["text", kind]  # type: ignore[union-attr]
    assert message_dict(message, vision=True)["content"] == raw[0]["content"]


@pytest.mark.parametrize("kind", ["audio", "video", "document"])
def test_a_model_that_cannot_read_a_kind_says_which(kind: str) -> None:
    message = UserPromptMessage(content=[KINDS[kind](data="QUJD")])
    with pytest.raises(InvokeBadRequestError, match=kind) as caught:
        as_dicts([message], [])
    assert caught.value.remedy


@pytest.mark.parametrize(
    "part", [{"type": "input_audio"}, {"type": "hologram"}, {"type": "file", "file": {}}]
)
def test_a_part_nobody_knows_is_a_bad_request(part: dict[str, Any]) -> None:
    with pytest.raises(InvokeBadRequestError, match="messages"):
        read_messages([{"role": "user", "content": [part]}])
