"""One suite for every provider and type, in this process and through a worker."""

from __future__ import annotations

import io
from contextlib import aclosing
from typing import Any

import numpy as np
import pytest

from backends.catalog import Catalog
from backends.flexai.entities import LLMResult, ModelType, PromptMessageTool, UserPromptMessage
from backends.flexai.errors import (
    CredentialsValidateFailedError,
    InvokeBadRequestError,
    InvokeConnectionError,
    InvokeError,
    InvokeRateLimitError,
    InvokeServerUnavailableError,
)
from tests.contract.conftest import EMBEDS, LOOPBACK, REMOTE, SIX, STRANGER, TALKS, registry
from tests.models.llama import GUARD, LLAMA, SEEING

STARTER = pytest.mark.starter
TINY = {"tiny-llama": LLAMA, "tiny-eyes": SEEING, "tiny-guard": GUARD}


def reach(provider: str, model_id: str) -> tuple[str, dict[str, Any]]:
    """Return the provider and what a call of the model needs."""
    if model_id in STRANGER.values():
        return provider, {
            "model": model_id,
            "credentials": TALKS if model_id == STRANGER["name"] else EMBEDS,
        }
    if provider in ("echo", REMOTE):
        return provider, {"model": model_id, "credentials": LOOPBACK if provider == REMOTE else {}}
    if model_id in TINY:
        return provider, {"model": model_id, "credentials": TINY[model_id]}
    found = Catalog().installed(model_id)
    assert found is not None, f"the starter model {model_id} is missing: run packaging/dev.py"
    return provider, {"model": found.entry.model, "credentials": found.credentials}


LLMS = [
    ("echo", "echo"),
    (REMOTE, "echo"),
    ("llama_cpp", "tiny-llama"),
    (REMOTE, "tiny-llama"),
    (REMOTE, "stranger"),
    pytest.param("llama_cpp", "smollm2-135m", marks=STARTER),
    pytest.param(REMOTE, "smollm2-135m", marks=STARTER),
]
EMBEDDERS = [
    ("echo", "echo"),
    (REMOTE, "echo"),
    (REMOTE, "stranger-embeds"),
    pytest.param("onnxruntime", "minilm-l6", marks=STARTER),
    pytest.param(REMOTE, "minilm-l6", marks=STARTER),
]


@pytest.mark.parametrize(("provider", "model_id"), LLMS)
class TestLanguageModels:
    async def test_a_stream_ends_with_usage_and_reason(
        self, models: Any, provider: str, model_id: str
    ) -> None:
        name, base = reach(provider, model_id)
        said = [UserPromptMessage(content="Say hello")]
        chunks = [
            c
            async for c in models.stream(
                name,
                ModelType.LLM,
                **base,
                prompt_messages=said,
                model_parameters={"max_tokens": 8},
            )
        ]
        assert "".join(c.delta.message.text() for c in chunks)
        assert [c.delta.finish_reason for c in chunks[:-1]] == [None] * (len(chunks) - 1)
        assert chunks[-1].delta.finish_reason in ("stop", "length")
        assert chunks[-1].delta.usage.total_tokens > 0

    async def test_a_whole_answer_is_the_stream_joined(
        self, models: Any, provider: str, model_id: str
    ) -> None:
        name, base = reach(provider, model_id)
        said = [UserPromptMessage(content="Say hello")]
        greedy = {"max_tokens": 8, "temperature": 0.0}
        whole = await models.invoke(
            name, ModelType.LLM, **base, prompt_messages=said, model_parameters=greedy
        )
        parts = [
            c
            async for c in models.stream(
                name, ModelType.LLM, **base, prompt_messages=said, model_parameters=greedy
            )
        ]
        assert isinstance(whole, LLMResult)
        assert whole.message.text() == "".join(c.delta.message.text() for c in parts)

    async def test_tokens_are_counted(self, models: Any, provider: str, model_id: str) -> None:
        name, base = reach(provider, model_id)
        short, long = ([UserPromptMessage(content=t)] for t in ("one", "one two three four five"))
        counts = [
            await models.call(name, ModelType.LLM, "get_num_tokens", **base, prompt_messages=m)
            for m in (short, long)
        ]
        assert 0 < counts[0] < counts[1]

    async def test_no_message_is_a_bad_request(
        self, models: Any, provider: str, model_id: str
    ) -> None:
        name, base = reach(provider, model_id)
        with pytest.raises(InvokeBadRequestError) as caught:
            await models.invoke(name, ModelType.LLM, **base, prompt_messages=[])
        assert caught.value.remedy

    async def test_a_parameter_out_of_range_is_a_bad_request(
        self, models: Any, provider: str, model_id: str
    ) -> None:
        name, base = reach(provider, model_id)
        said = [UserPromptMessage(content="x")]
        with pytest.raises(InvokeBadRequestError, match="temperature"):
            await models.invoke(
                name,
                ModelType.LLM,
                **base,
                prompt_messages=said,
                model_parameters={"temperature": 99},
            )


@pytest.mark.parametrize(("provider", "model_id"), EMBEDDERS)
class TestEmbedders:
    async def test_each_text_has_its_vector_in_its_place(
        self, models: Any, provider: str, model_id: str
    ) -> None:
        name, base = reach(provider, model_id)
        texts = ["a rather longer text about the rate of unemployment", "b", "unemployment"] * 15
        together = await models.invoke(name, ModelType.TEXT_EMBEDDING, **base, texts=texts)
        alone = await models.invoke(name, ModelType.TEXT_EMBEDDING, **base, texts=texts[1:2])
        assert len(together.embeddings) == len(texts)
        assert np.allclose(together.embeddings[1], alone.embeddings[0], atol=1e-4)
        assert together.usage.tokens > 0

    async def test_queries_and_documents_can_be_told_apart(
        self, models: Any, provider: str, model_id: str
    ) -> None:
        name, base = reach(provider, model_id)
        asked = await models.invoke(
            name, ModelType.TEXT_EMBEDDING, **base, texts=["a word"], input_type="query"
        )
        assert len(asked.embeddings) == 1
        with pytest.raises(InvokeBadRequestError, match="passage"):
            await models.invoke(
                name, ModelType.TEXT_EMBEDDING, **base, texts=["a word"], input_type="passage"
            )

    async def test_no_text_gives_no_vector(self, models: Any, provider: str, model_id: str) -> None:
        name, base = reach(provider, model_id)
        assert (
            await models.invoke(name, ModelType.TEXT_EMBEDDING, **base, texts=[])
        ).embeddings == []


@pytest.mark.parametrize(("provider", "model_id"), EMBEDDERS[3:])
async def test_a_text_that_was_cut_is_told(models: Any, provider: str, model_id: str) -> None:
    name, base = reach(provider, model_id)
    texts = ["short", "unemployment " * 20_000]
    result = await models.invoke(name, ModelType.TEXT_EMBEDDING, **base, texts=texts)
    assert result.note.startswith("1 of 2 texts is longer than ")
    assert np.isfinite(result.embeddings).all()


@pytest.mark.parametrize("provider", ["echo", REMOTE])
class TestTheOtherFourTypes:
    async def test_documents_come_back_best_first(self, models: Any, provider: str) -> None:
        name, base = reach(provider, "echo")
        ranking = {"query": "a b", "docs": ["b", "x", "a b"]}
        ranked = await models.invoke(name, ModelType.RERANK, **base, **ranking, top_n=2)
        assert [(d.index, d.text, d.score) for d in ranked.docs] == [(2, "a b", 1.0), (0, "b", 0.5)]
        ranked = await models.invoke(
            name, ModelType.RERANK, **base, **ranking, score_threshold=0.5, top_n=0
        )
        assert [d.index for d in ranked.docs] == [2, 0]

    async def test_no_document_is_no_answer(self, models: Any, provider: str) -> None:
        name, base = reach(provider, "echo")
        assert (await models.invoke(name, ModelType.RERANK, **base, query="a", docs=[])).docs == []

    async def test_a_failed_check_is_never_called_safe(self, models: Any, provider: str) -> None:
        name, base = reach(provider, "echo")
        assert await models.invoke(name, ModelType.MODERATION, **base, text="harm") is True
        assert await models.invoke(name, ModelType.MODERATION, **base, text="kind") is False
        assert await models.invoke(name, ModelType.MODERATION, **base, text=" ") is False
        with pytest.raises(InvokeConnectionError) as caught:
            await models.invoke(name, ModelType.MODERATION, **base, text="OFFLINE")
        assert caught.value.remedy

    async def test_harm_at_the_end_of_a_long_text_is_found(
        self, models: Any, provider: str
    ) -> None:
        name, base = reach(provider, "echo")
        assert (
            await models.invoke(name, ModelType.MODERATION, **base, text="kind " * 20_000 + "harm")
            is True
        )

    async def test_a_sound_file_is_told_by_its_first_bytes_and_rewound(
        self, models: Any, provider: str
    ) -> None:
        name, base = reach(provider, "echo")
        file = io.BytesIO(b"fLaC" + bytes(range(256)))
        file.seek(7)
        said = await models.invoke(name, ModelType.SPEECH2TEXT, **base, file=file)
        assert said == "flac of 260 bytes"
        assert file.tell() == 0

    async def test_speech_is_bytes_whole_and_in_pieces(self, models: Any, provider: str) -> None:
        name, base = reach(provider, "echo")
        text = "grüß Gott \x00 \n"
        said = base | {"content_text": text}
        if provider == REMOTE:  # over HTTP what is no sound is sent to nobody
            with pytest.raises(InvokeServerUnavailableError, match="no readable sound"):
                await models.invoke(name, ModelType.TTS, **said)
            return
        assert await models.invoke(name, ModelType.TTS, **said) == text.encode()
        pieces = [piece async for piece in models.stream(name, ModelType.TTS, **said)]
        assert b"".join(pieces) == text.encode()

    async def test_nothing_to_say_is_a_bad_request(self, models: Any, provider: str) -> None:
        name, base = reach(provider, "echo")
        with pytest.raises(InvokeBadRequestError):
            await models.invoke(name, ModelType.TTS, **base, content_text=" ")

    @pytest.mark.parametrize(
        ("word", "error"),
        [
            ("OFFLINE", InvokeConnectionError),
            ("REFUSED", InvokeRateLimitError),
            ("BUG", InvokeError),
        ],
    )
    async def test_an_error_in_mid_stream_keeps_its_kind_and_the_words_so_far(
        self, models: Any, provider: str, word: str, error: type[InvokeError]
    ) -> None:
        name, base = reach(provider, "echo")
        said = [UserPromptMessage(content=f"first {word}")]
        words = list[str]()
        with pytest.raises(error) as caught:
            async for chunk in models.stream(name, ModelType.LLM, **base, prompt_messages=said):
                words.append(chunk.delta.message.text())
        assert words == ["first "]
        assert type(caught.value) is error

    async def test_a_call_of_a_tool_comes_whole_and_is_the_reason(
        self, models: Any, provider: str
    ) -> None:
        name, base = reach(provider, "echo")
        said = [UserPromptMessage(content='Well CALL:look_up:{"row":1}')]
        tool = PromptMessageTool(name="look_up", description="", parameters={"type": "object"})
        asked: dict[str, Any] = base | {"prompt_messages": said, "tools": [tool]}
        chunks = [c async for c in models.stream(name, ModelType.LLM, **asked)]
        calls = [call for chunk in chunks for call in chunk.delta.message.tool_calls]
        assert [(c.id, c.function.name, c.function.arguments) for c in calls] == [
            ("call_1", "look_up", '{"row":1}')
        ]
        assert chunks[-1].delta.finish_reason == "tool_calls"
        assert (await models.invoke(name, ModelType.LLM, **asked)).message.tool_calls == calls

    async def test_what_it_thinks_is_no_part_of_what_it_says(
        self, models: Any, provider: str
    ) -> None:
        name, base = reach(provider, "echo")
        asked = base | {"prompt_messages": [UserPromptMessage(content="THINK:so THINK:what Well")]}
        chunks = [c async for c in models.stream(name, ModelType.LLM, **asked)]
        assert "".join(c.delta.message.reasoning for c in chunks) == "sowhat"
        whole = (await models.invoke(name, ModelType.LLM, **asked)).message
        assert (whole.content, whole.reasoning) == ("Well ", "sowhat")

    async def test_an_answer_left_early_does_not_keep_the_next_one_waiting(
        self, models: Any, provider: str
    ) -> None:
        name, base = reach(provider, "echo")
        asked = base | {"prompt_messages": [UserPromptMessage(content="a FOREVER")]}
        async with aclosing(models.stream(name, ModelType.LLM, **asked)) as chunks:
            assert (await anext(chunks)).delta.message.text() == "a "
        asked["prompt_messages"] = [UserPromptMessage(content="hi")]
        assert (await models.invoke(name, ModelType.LLM, **asked)).message.text() == "hi "

    @pytest.mark.parametrize("kind", SIX)
    async def test_credentials_are_tried_out(
        self, models: Any, provider: str, kind: ModelType
    ) -> None:
        name, base = reach(provider, "echo")
        if (provider, kind) == (REMOTE, ModelType.TTS):  # its letters are no sound to send
            with pytest.raises(CredentialsValidateFailedError, match="no readable sound"):
                await models.call(name, kind, "validate_credentials", **base)
            return
        assert await models.call(name, kind, "validate_credentials", **base) is None


@pytest.mark.parametrize("kind", SIX)
@pytest.mark.parametrize("provider", [REMOTE])
async def test_a_model_the_server_does_not_have_is_told(
    models: Any, provider: str, kind: ModelType
) -> None:
    name, base = reach(provider, "nobody")
    with pytest.raises(CredentialsValidateFailedError, match="nobody") as caught:
        await models.call(name, kind, "validate_credentials", **base)
    assert "echo" in caught.value.remedy


@pytest.mark.starter
def test_unit_vectors_are_those_of_the_published_model() -> None:
    """Cosines as the model's own library gives them: 0.6946, 0.9429, 0.2569."""
    _, base = reach("onnxruntime", "minilm-l6")
    texts = [
        "That is a happy person",
        "That is a happy dog",
        "That is a very happy person",
        "Today is a sunny day",
    ]
    rows = np.array(
        registry()
        .model("onnxruntime", ModelType.TEXT_EMBEDDING)
        .invoke(**base, texts=texts)
        .embeddings
    )
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert np.allclose((rows @ rows[0])[1:], [0.6946, 0.9429, 0.2569], atol=1e-3)
