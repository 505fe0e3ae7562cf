"""What Dify's SDK takes beyond the seed: its content, its roles, its way to spell an image."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from backends.flexai.entities import (
    AIModelEntity,
    AssistantPromptMessage,
    AudioPromptMessageContent,
    DeveloperPromptMessage,
    DocumentPromptMessageContent,
    ImagePromptMessageContent,
    LLMResultChunk,
    LLMResultChunkDelta,
    ModelType,
    PromptMessageContent,
    PromptMessageContentType,
    PromptMessageRole,
    SystemPromptMessage,
    TextEmbeddingResult,
    TextPromptMessageContent,
    ToolPromptMessage,
    UserPromptMessage,
    VideoPromptMessageContent,
    read_message,
)
from backends.flexai.errors import InvokeBadRequestError
from backends.flexai.models import CallClock, TTSModel
from backends.flexai.thoughts import ThoughtSplitter
from backends.providers.llama_cpp.messages import as_dicts
from backends.providers.openai_compatible.chat import message_dict
from backends.service.routes.chat_request import read_messages
from tests.echo_provider import EchoEmbedding, EchoLLM, Mapped

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


def test_empty_names_and_ids_are_taken_as_fragments_and_hosts_send_them() -> None:
    call = AssistantPromptMessage.ToolCall.model_validate(
        {"id": "", "type": "function", "function": {"name": "", "arguments": '{"a": 1'}}
    )
    said = AssistantPromptMessage(content="", name="", tool_calls=[call])
    assert read_message(said.model_dump(mode="json")) == said
    assert ToolPromptMessage(content="x", tool_call_id="", name="").name == ""
    assert UserPromptMessage(content="x", name="").text() == "x"


def test_a_chunk_need_not_carry_the_messages() -> None:
    delta = LLMResultChunkDelta(index=0, message=AssistantPromptMessage(content="x"))
    assert LLMResultChunk(model="m", prompt_messages=[], delta=delta).prompt_messages == []


def test_an_answer_may_be_in_parts() -> None:
    parts = [TextPromptMessageContent(data="a"), TextPromptMessageContent(data="b")]
    assert AssistantPromptMessage(content=parts).text() == "ab"


class PerText(EchoEmbedding):
    """Counts the tokens of each text, as Dify's embedders do."""

    def get_num_tokens(  # type: ignore[override]
        self, model: str, credentials: dict[str, Any], texts: list[str]
    ) -> list[int]:
        return [len(text.split()) for text in texts]

    def _invoke(
        self, model: str, credentials: dict[str, Any], texts: list[str], user: str | None = None
    ) -> TextEmbeddingResult:
        tokens = self.get_num_tokens(model, credentials, texts)
        usage = self._create_embedding_usage(model, credentials, tokens, CallClock())
        rows = [[1.0] for _ in texts]
        return TextEmbeddingResult(model=model, embeddings=rows, usage=usage)


def test_an_embedder_may_count_the_tokens_of_each_text() -> None:
    result = PerText("per-text").invoke("m", {}, ["a b", "c"])
    assert result.usage.tokens == 3


class Speaker(Mapped, TTSModel):
    """Says which voice speaks, in Dify's signature."""

    def get_model_schema(
        self, model: str, credentials: dict[str, Any] | None = None
    ) -> AIModelEntity:
        properties = {
            "default_voice": "ara",
            "audio_type": "wav",
            "word_limit": 9,
            "voices": [{"mode": "ara", "name": "Ara", "language": ["en-US"]}],
        }
        return self.customizable(model, model_properties=properties)

    def _invoke(
        self,
        model: str,
        tenant_id: str,
        credentials: dict[str, Any],
        content_text: str,
        voice: str,
        user: str | None = None,
    ) -> Any:
        limit = self._get_model_word_limit(model, credentials)
        pieces = self._split_text_into_sentences(content_text, limit)
        return (f"[{tenant_id}{voice}: {piece}]".encode() for piece in pieces)


@pytest.mark.parametrize(("voice", "spoken"), [("", "ara"), (None, "ara"), ("bo", "bo")])
def test_a_model_that_speaks_in_difys_signature_speaks(voice: str | None, spoken: str) -> None:
    speaker = Speaker("speaker")
    assert speaker.model_type is ModelType.TTS
    told = speaker.invoke("m", {}, "One. Two. Three.", False, None, voice=voice)
    assert told == f"[{spoken}: One. Two.][{spoken}:  Three.]".encode()
    pieces = speaker.invoke("m", {}, "One. Two. Three.", True)
    assert not isinstance(pieces, bytes)
    assert next(pieces) == b"[ara: One. Two.]"
    pieces.close()
    assert speaker.get_tts_model_voices("m", {}) == [{"name": "Ara", "value": "ara"}]


@pytest.mark.parametrize("length", [1, 3, 7, 100])
@pytest.mark.parametrize("text", ["", "One. Two! 三。四", "no end of a sentence at all"])
def test_pieces_of_a_text_are_the_text(text: str, length: int) -> None:
    pieces = TTSModel._split_text_into_sentences(text, length)
    assert "".join(pieces) == text
    assert all(0 < len(piece) <= length for piece in pieces)


def test_a_piece_holds_something() -> None:
    with pytest.raises(ValueError, match="max_length"):
        TTSModel._split_text_into_sentences("x", 0)


def test_reasoning_between_think_tags_is_a_thought() -> None:
    model, open_, thinking = EchoLLM("echo"), False, ThoughtSplitter()
    said = []
    for delta in ({"reasoning_content": "Hm"}, {"reasoning": "m."}, {"content": "Four."}, {}):
        text, open_ = model._wrap_thinking_by_reasoning_content(delta, open_)
        said.append(thinking.feed(text))
    said.append(thinking.finish())
    assert "".join(piece.text for piece in said) == "Four."
    assert "".join(piece.reasoning for piece in said).strip() == "Hmm."
