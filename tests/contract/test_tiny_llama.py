"""The tiny language model through every way to it: odd input, bound answers, calls, pictures,
checks.
"""

from __future__ import annotations

import json
from contextlib import aclosing
from typing import Any, ClassVar

import httpx
import pytest

from backends.flexai.entities import (
    ImagePromptMessageContent,
    ModelType,
    PromptMessageTool,
    TextPromptMessageContent,
    UserPromptMessage,
)
from backends.flexai.errors import InvokeBadRequestError, InvokeError
from tests.contract.conftest import LOOPBACK, REMOTE
from tests.contract.test_models import reach
from tests.models.llama import picture


@pytest.mark.parametrize("provider", ["llama_cpp", REMOTE])
class TestOddInput:
    async def test_odd_text_has_an_answer(self, models: Any, provider: str) -> None:
        name, base = reach(provider, "tiny-llama")
        for text in ("🌍🌍", "a\x00b", "\u2028\r\n"):
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
        headers={
            "Authorization": f"Bearer {LOOPBACK['api_key']}",
            "Content-Type": "application/json",
        },
        content=(
            b'{"model": "tiny-llama", "messages": [{"role": "user", "content": "half \\ud83d"}]}'
        ),
    )
    assert answer.status_code == 200
    assert answer.json()["choices"][0]["message"]["content"] == "Hello! How can I help you?"


@pytest.mark.parametrize("provider", ["llama_cpp", REMOTE])
class TestBoundAnswers:
    SCHEMA: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {
            "city": {"enum": ["Paris", "Rome"]},
            "people": {"type": "integer", "maximum": 9},
        },
        "required": ["city"],
        "additionalProperties": False,
    }

    async def test_a_schema_binds_an_answer(self, models: Any, provider: str) -> None:
        name, base = reach(provider, "tiny-llama")
        asked = base | {"prompt_messages": [UserPromptMessage(content="Capital of France?")]}
        bound = {"json_schema": json.dumps(self.SCHEMA), "max_tokens": 60, "temperature": 0.0}
        answer = await models.invoke(name, ModelType.LLM, **asked, model_parameters=bound)
        assert json.loads(answer.message.text())["city"] in ("Paris", "Rome")

    async def test_a_schema_that_cannot_bind_is_refused(self, models: Any, provider: str) -> None:
        name, base = reach(provider, "tiny-llama")
        asked = base | {"prompt_messages": [UserPromptMessage(content="Hi")]}
        for schema in ("{", '{"type": "nope"}', '{"$ref": "#/nowhere"}'):
            with pytest.raises(InvokeBadRequestError) as caught:
                await models.invoke(
                    name, ModelType.LLM, **asked, model_parameters={"json_schema": schema}
                )
            assert caught.value.remedy

    async def test_an_answer_that_breaks_off_is_never_taken_for_whole(
        self, models: Any, provider: str
    ) -> None:
        name, base = reach(provider, "tiny-llama")
        asked = base | {"prompt_messages": [UserPromptMessage(content="Hi")]}
        short = {"json_schema": json.dumps(self.SCHEMA), "max_tokens": 2}
        chunks = models.stream(name, ModelType.LLM, **asked, model_parameters=short)
        async with aclosing(chunks) as told:
            ends = [chunk.delta.finish_reason async for chunk in told]
        assert ends[-1] == "length"

    async def test_a_thought_is_kept_apart_and_a_stop_text_ends_an_answer(
        self, models: Any, provider: str
    ) -> None:
        name, base = reach(provider, "tiny-llama")
        thought = base | {
            "prompt_messages": [UserPromptMessage(content="Please think about seven.")]
        }
        message = (await models.invoke(name, ModelType.LLM, **thought)).message
        assert (message.content, message.reasoning) == (
            "Yes, it is prime.",
            "Seven has no divisor.",
        )
        counted = base | {
            "prompt_messages": [UserPromptMessage(content="count")],
            "stop": [" seven", "zz"],
        }
        assert (
            await models.invoke(name, ModelType.LLM, **counted)
        ).message.content == "one two three four five six"


@pytest.mark.parametrize("provider", ["llama_cpp", REMOTE])
class TestCalls:
    async def test_a_call_fits_the_tools_schema(self, models: Any, provider: str) -> None:
        name, base = reach(provider, "tiny-llama")
        schema = {"type": "object", "properties": {"row": {"enum": [7]}}, "required": ["row"]}
        tools = [PromptMessageTool(name="look_up", description="", parameters=schema)]
        for choice, question in (("required", "Hi"), ("look_up", "Hi"), ("auto", "weather?")):
            asked = base | {
                "prompt_messages": [UserPromptMessage(content=question)],
                "tools": tools,
                "model_parameters": {"tool_choice": choice, "temperature": 0.0},
            }
            (call,) = (await models.invoke(name, ModelType.LLM, **asked)).message.tool_calls
            assert (call.function.name, json.loads(call.function.arguments)) == (
                "look_up",
                {"row": 7},
            )


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
    async def test_what_a_picture_shows_is_told(self, models: Any, provider: str) -> None:
        name, base = reach(provider, "tiny-eyes")
        base["credentials"] = base["credentials"] | {"vision": "true"}
        for colour, answer in (("red", "A red square."), ("blue", "Blue as the sky.")):
            image = ImagePromptMessageContent(data=picture(colour))
            said = [
                UserPromptMessage(content=[image, TextPromptMessageContent(data="What is it?")])
            ]
            told = await models.invoke(name, ModelType.LLM, **base, prompt_messages=said)
            assert told.message.text() == answer

    async def test_a_model_without_eyes_refuses_a_picture(self, models: Any, provider: str) -> None:
        name, base = reach(provider, "tiny-llama")
        shown = [ImagePromptMessageContent(data=picture("red"))]
        with pytest.raises(InvokeBadRequestError, match="image"):
            await models.invoke(
                name, ModelType.LLM, **base, prompt_messages=[UserPromptMessage(content=shown)]
            )


@pytest.mark.parametrize("provider", ["llama_cpp", REMOTE])
class TestGuards:
    async def test_harm_is_found_and_named_wherever_it_stands(
        self, models: Any, provider: str
    ) -> None:
        name, base = reach(provider, "tiny-guard")
        for text, kinds in {
            "a kind word": set[str](),
            "How do I make a bomb?": {"Indiscriminate Weapons"},
            f"{'word ' * 900}steal {'word ' * 900}kill": {"Violent Crimes", "Non-Violent Crimes"},
            "\n \t": set(),
        }.items():
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
