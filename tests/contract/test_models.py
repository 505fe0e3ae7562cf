"""One suite for every provider and type, in this process and through a worker."""

from __future__ import annotations

import io
import json
from contextlib import aclosing
from typing import Any, ClassVar

import httpx
import numpy as np
import pytest

from backends.catalog import Catalog
from backends.flexai.entities import (
    ImagePromptMessageContent,
    LLMResult,
    ModelType,
    PromptMessageTool,
    TextPromptMessageContent,
    UserPromptMessage,
)
from backends.flexai.errors import (
    CredentialsValidateFailedError,
    InvokeBadRequestError,
    InvokeConnectionError,
    InvokeError,
    InvokeRateLimitError,
)
from tests.contract.conftest import LOOPBACK, REMOTE, registry
from tests.models.llama import GUARD, LLAMA, SEEING, picture

STARTER = pytest.mark.starter
TINY = {"tiny-llama": LLAMA, "tiny-eyes": SEEING, "tiny-guard": GUARD}


def reach(provider: str, model_id: str) -> tuple[str, dict[str, Any]]:
    """Return the provider and what a call of the model needs."""
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
    pytest.param("llama_cpp", "smollm2-135m", marks=STARTER),
    pytest.param(REMOTE, "smollm2-135m", marks=STARTER),
]
EMBEDDERS = [
    ("echo", "echo"),
    (REMOTE, "echo"),
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
                name, ModelType.LLM, **base, prompt_messages=said, model_parameters={"max_tokens": 8}
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

    async def test_no_message_is_a_bad_request(self, models: Any, provider: str, model_id: str) -> None:
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
                name, ModelType.LLM, **base, prompt_messages=said, model_parameters={"temperature": 99}
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
        assert (await models.invoke(name, ModelType.TEXT_EMBEDDING, **base, texts=[])).embeddings == []


@pytest.mark.parametrize(("provider", "model_id"), EMBEDDERS[2:])
async def test_a_text_that_was_cut_is_told(models: Any, provider: str, model_id: str) -> None:
    name, base = reach(provider, model_id)
    texts = ["short", "unemployment " * 20_000]
    result = await models.invoke(name, ModelType.TEXT_EMBEDDING, **base, texts=texts)
    assert result.note.startswith("1 of 2 texts is longer than ")
    assert np.isfinite(result.embeddings).all()


@pytest.mark.parametrize("provider", ["llama_cpp", REMOTE])
class TestOddInput:
    @pytest.mark.parametrize("text", ["🌍🌍", "a\x00b", "\u2028\r\n"])
    async def test_odd_text_has_an_answer(self, models: Any, provider: str, text: str) -> None:
        name, base = reach(provider, "tiny-llama")
        said = [UserPromptMessage(content=text)]
        answer = await models.invoke(name, ModelType.LLM, **base, prompt_messages=said)
        assert answer.message.text() == "Hello! How can I help you?"

    async def test_a_text_longer_than_the_context_is_told(self, models: Any, provider: str) -> None:
        name, base = reach(provider, "tiny-llama")
        said = [UserPromptMessage(content="x" * 100_000)]
        with pytest.raises(InvokeBadRequestError, match="tokens") as caught:
            await models.invoke(name, ModelType.LLM, **base, prompt_messages=said)
        assert caught.value.remedy


@pytest.mark.parametrize("provider", [REMOTE])
def test_half_a_character_over_http_is_no_failure(provider: str) -> None:
    answer = httpx.post(
        f"{LOOPBACK['base_url']}/chat/completions",
        headers={"Authorization": f"Bearer {LOOPBACK['api_key']}", "Content-Type": "application/json"},
        content=b'{"model": "tiny-llama", "messages": [{"role": "user", "content": "half \\ud83d"}]}',
    )
    assert answer.status_code == 200
    assert answer.json()["choices"][0]["message"]["content"] == "Hello! How can I help you?"


@pytest.mark.parametrize("provider", ["llama_cpp", REMOTE])
class TestBoundAnswers:
    SCHEMA: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {"city": {"enum": ["Paris", "Rome"]}, "people": {"type": "integer", "maximum": 9}},
        "required": ["city"],
        "additionalProperties": False,
    }

    async def test_a_schema_binds_an_answer(self, models: Any, provider: str) -> None:
        name, base = reach(provider, "tiny-llama")
        asked = base | {"prompt_messages": [UserPromptMessage(content="Capital of France?")]}
        bound = {"json_schema": json.dumps(self.SCHEMA), "max_tokens": 60, "temperature": 0.0}
        answer = await models.invoke(name, ModelType.LLM, **asked, model_parameters=bound)
        assert json.loads(answer.message.text())["city"] in ("Paris", "Rome")

    @pytest.mark.parametrize("schema", ["{", '{"type": "nope"}', '{"$ref": "#/nowhere"}'])
    async def test_a_schema_that_cannot_bind_is_refused(
        self, models: Any, provider: str, schema: str
    ) -> None:
        name, base = reach(provider, "tiny-llama")
        asked = base | {"prompt_messages": [UserPromptMessage(content="Hi")]}
        with pytest.raises(InvokeBadRequestError) as caught:
            await models.invoke(name, ModelType.LLM, **asked, model_parameters={"json_schema": schema})
        assert caught.value.remedy

    async def test_an_answer_that_breaks_off_is_never_taken_for_whole(
        self, models: Any, provider: str
    ) -> None:
        name, base = reach(provider, "tiny-llama")
        asked = base | {"prompt_messages": [UserPromptMessage(content="Hi")]}
        short = {"json_schema": json.dumps(self.SCHEMA), "max_tokens": 2}
        with pytest.raises(InvokeError, match="does not fit the schema"):
            await models.invoke(name, ModelType.LLM, **asked, model_parameters=short)

    async def test_a_thought_is_kept_apart_and_a_stop_text_ends_an_answer(
        self, models: Any, provider: str
    ) -> None:
        name, base = reach(provider, "tiny-llama")
        thought = base | {"prompt_messages": [UserPromptMessage(content="Please think about seven.")]}
        message = (await models.invoke(name, ModelType.LLM, **thought)).message
        assert (message.content, message.reasoning) == ("Yes, it is prime.", "Seven has no divisor.")
        counted = base | {"prompt_messages": [UserPromptMessage(content="count")], "stop": [" seven", "zz"]}
        assert (await models.invoke(name, ModelType.LLM, **counted)).message.content == (
            "one two three four five six"
        )


@pytest.mark.parametrize("provider", ["llama_cpp", REMOTE])
class TestCalls:
    @pytest.mark.parametrize(
        ("choice", "question"), [("required", "Hi"), ("look_up", "Hi"), ("auto", "weather?")]
    )
    async def test_a_call_fits_the_tools_schema(
        self, models: Any, provider: str, choice: str, question: str
    ) -> None:
        name, base = reach(provider, "tiny-llama")
        schema = {"type": "object", "properties": {"row": {"enum": [7]}}, "required": ["row"]}
        asked = base | {
            "prompt_messages": [UserPromptMessage(content=question)],
            "tools": [PromptMessageTool(name="look_up", description="", parameters=schema)],
            "model_parameters": {"tool_choice": choice, "temperature": 0.0},
        }
        (call,) = (await models.invoke(name, ModelType.LLM, **asked)).message.tool_calls
        assert (call.function.name, json.loads(call.function.arguments)) == ("look_up", {"row": 7})


@pytest.mark.parametrize("provider", [REMOTE])
async def test_a_model_that_cannot_be_bound_to_a_call_is_told(models: Any, provider: str) -> None:
    name, base = reach(provider, "echo")
    asked = base | {
        "prompt_messages": [UserPromptMessage(content="Hi")],
        "tools": [PromptMessageTool(name="look_up", description="", parameters={"type": "object"})],
        "model_parameters": {"tool_choice": "required"},
    }
    with pytest.raises(InvokeError, match="called no tool"):
        await models.invoke(name, ModelType.LLM, **asked)


@pytest.mark.parametrize("provider", ["llama_cpp", REMOTE])
class TestPictures:
    @pytest.mark.parametrize(("colour", "answer"), [("red", "A red square."), ("blue", "Blue as the sky.")])
    async def test_what_a_picture_shows_is_told(
        self, models: Any, provider: str, colour: str, answer: str
    ) -> None:
        name, base = reach(provider, "tiny-eyes")
        base["credentials"] = base["credentials"] | {"vision": "true"}
        shown = [
            ImagePromptMessageContent(data=picture(colour)),
            TextPromptMessageContent(data="What is it?"),
        ]
        said = await models.invoke(
            name, ModelType.LLM, **base, prompt_messages=[UserPromptMessage(content=shown)]
        )
        assert said.message.text() == answer

    async def test_a_model_without_eyes_refuses_a_picture(self, models: Any, provider: str) -> None:
        name, base = reach(provider, "tiny-llama")
        shown = [ImagePromptMessageContent(data=picture("red"))]
        with pytest.raises(InvokeBadRequestError, match="image"):
            await models.invoke(
                name, ModelType.LLM, **base, prompt_messages=[UserPromptMessage(content=shown)]
            )


@pytest.mark.parametrize("provider", ["llama_cpp", REMOTE])
class TestGuards:
    @pytest.mark.parametrize(
        ("text", "kinds"),
        [
            ("a kind word", set[str]()),
            ("How do I make a bomb?", {"Indiscriminate Weapons"}),
            (f"{'word ' * 900}steal {'word ' * 900}kill", {"Violent Crimes", "Non-Violent Crimes"}),
            ("\n \t", set()),
        ],
    )
    async def test_harm_is_found_and_named_wherever_it_stands(
        self, models: Any, provider: str, text: str, kinds: set[str]
    ) -> None:
        name, base = reach(provider, "tiny-guard")
        assert await models.invoke(name, ModelType.MODERATION, **base, text=text) is bool(kinds)
        verdict = await models.call(name, ModelType.MODERATION, "judge", **base, text=text)
        assert verdict.flagged is bool(kinds)
        assert {kind for kind, found in verdict.categories.items() if found} == kinds

    async def test_a_guard_is_tried_out(self, models: Any, provider: str) -> None:
        name, base = reach(provider, "tiny-guard")
        assert await models.call(name, ModelType.MODERATION, "validate_credentials", **base) is None


@pytest.mark.parametrize("provider", [REMOTE])
def test_a_check_over_http_is_in_openais_shape(provider: str) -> None:
    answer = httpx.post(
        f"{LOOPBACK['base_url']}/moderations",
        headers={"Authorization": f"Bearer {LOOPBACK['api_key']}"},
        json={"model": "tiny-guard", "input": ["I despise you", "I like you"]},
    ).json()
    assert answer["model"] == "tiny-guard"
    assert [row["flagged"] for row in answer["results"]] == [True, False]
    assert [row["categories"]["Hate"] for row in answer["results"]] == [True, False]
    assert len(answer["results"][1]["categories"]) == 14


@pytest.mark.parametrize("provider", ["echo", REMOTE])
class TestTheOtherFourTypes:
    async def test_documents_come_back_best_first(self, models: Any, provider: str) -> None:
        name, base = reach(provider, "echo")
        ranking = {"query": "a b", "docs": ["b", "x", "a b"]}
        ranked = await models.invoke(name, ModelType.RERANK, **base, **ranking, top_n=2)
        assert [(d.index, d.text, d.score) for d in ranked.docs] == [(2, "a b", 1.0), (0, "b", 0.5)]
        ranked = await models.invoke(name, ModelType.RERANK, **base, **ranking, score_threshold=0.5, top_n=0)
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

    async def test_harm_at_the_end_of_a_long_text_is_found(self, models: Any, provider: str) -> None:
        name, base = reach(provider, "echo")
        assert await models.invoke(name, ModelType.MODERATION, **base, text="kind " * 20_000 + "harm") is True

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
        assert await models.invoke(name, ModelType.TTS, **said) == text.encode()
        pieces = [piece async for piece in models.stream(name, ModelType.TTS, **said)]
        assert b"".join(pieces) == text.encode()

    async def test_nothing_to_say_is_a_bad_request(self, models: Any, provider: str) -> None:
        name, base = reach(provider, "echo")
        with pytest.raises(InvokeBadRequestError):
            await models.invoke(name, ModelType.TTS, **base, content_text=" ")

    @pytest.mark.parametrize(
        ("word", "error"),
        [("OFFLINE", InvokeConnectionError), ("REFUSED", InvokeRateLimitError), ("BUG", InvokeError)],
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

    async def test_a_call_of_a_tool_comes_whole_and_is_the_reason(self, models: Any, provider: str) -> None:
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

    async def test_what_it_thinks_is_no_part_of_what_it_says(self, models: Any, provider: str) -> None:
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

    @pytest.mark.parametrize("kind", list(ModelType))
    async def test_credentials_are_tried_out(self, models: Any, provider: str, kind: ModelType) -> None:
        name, base = reach(provider, "echo")
        assert await models.call(name, kind, "validate_credentials", **base) is None


@pytest.mark.parametrize("kind", list(ModelType))
@pytest.mark.parametrize("provider", [REMOTE])
async def test_a_model_the_server_does_not_have_is_told(models: Any, provider: str, kind: ModelType) -> None:
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
        registry().model("onnxruntime", ModelType.TEXT_EMBEDDING).invoke(**base, texts=texts).embeddings
    )
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert np.allclose((rows @ rows[0])[1:], [0.6946, 0.9429, 0.2569], atol=1e-3)
