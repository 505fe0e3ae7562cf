"""Calls of tools under a grammar, completion mode, and each row of the error mapping."""

from __future__ import annotations

import json
from typing import Any

import pytest

from backends.flexai.entities import (
    LLMResult,
    PromptMessageTool,
    SystemPromptMessage,
    UserPromptMessage,
)
from backends.flexai.errors import (
    InvokeBadRequestError,
    InvokeCancelledError,
    InvokeError,
    InvokeRateLimitError,
    InvokeServerUnavailableError,
)
from backends.flexai.models import AIModel
from backends.providers.llama_cpp import answer, moderation
from backends.providers.llama_cpp import llm as module
from backends.providers.llama_cpp.grammar import behind_mark, bindable, forced
from backends.providers.llama_cpp.llm import LlamaCppLLM
from backends.providers.llama_cpp.moderation import LlamaCppModeration
from tests.models.llama import GUARD, LLAMA

MODEL = LlamaCppLLM("llama_cpp")


def tool(name: str, **properties: Any) -> PromptMessageTool:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return PromptMessageTool(name=name, description="", parameters=schema)


def ask(
    question: str, tools: list[PromptMessageTool] | None = None, **parameters: Any
) -> LLMResult:
    given = {"temperature": 0.0, "max_tokens": 200} | parameters
    said = [UserPromptMessage(content=question)]
    return MODEL.invoke("m", LLAMA, said, given, tools, stream=False)  # type: ignore[return-value]


def calls(result: LLMResult) -> list[tuple[str, Any]]:
    return [(c.function.name, json.loads(c.function.arguments)) for c in result.message.tool_calls]


@pytest.mark.parametrize("row", [{"enum": [7]}, {"const": "seven"}, {"type": "boolean"}])
@pytest.mark.parametrize("question", ["weather?", "do both"])
def test_a_call_the_model_decides_on_fits_the_schema(question: str, row: dict[str, Any]) -> None:
    """Left to itself the model says row 3 or 4, in two forms that families were taught."""
    first, *more = calls(ask(question, [tool("look_up", row=row), tool("sum")]))
    assert first[0] == "look_up"
    assert first[1]["row"] in (7, "seven", True, False)
    assert all(name == "sum" or arguments["row"] == first[1]["row"] for name, arguments in more)


def test_a_name_nobody_offered_is_not_called() -> None:
    ((name, _),) = calls(ask("weather?", [tool("look_further")]))
    assert name == "look_further"


@pytest.mark.parametrize("question", ["Good morning", "France?", "weather?"])
@pytest.mark.parametrize(("choice", "names"), [("required", {"look_up", "sum"}), ("sum", {"sum"})])
def test_a_call_that_must_be_made_is_made(question: str, choice: str, names: set[str]) -> None:
    tools = [tool("look_up", row={"enum": [1, 2]}), tool("sum", column={"enum": ["close"]})]
    result = ask(question, tools, tool_choice=choice)
    ((name, arguments),) = calls(result)
    assert name in names
    assert arguments in ({"row": 1}, {"row": 2}, {"column": "close"})
    assert result.message.text() == ""


def test_what_stands_first_in_a_schema_is_said_first() -> None:
    properties = {"why": {"const": "so"}, "answer": {"const": "yes"}, "again": {"const": "no"}}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    said = ask("Hi", json_schema=json.dumps(schema)).message.text()
    assert list(json.loads(said)) == ["why", "answer", "again"]
    (root,) = (
        line for line in forced([tool("sum")])._grammar.splitlines() if line.startswith("root")
    )
    assert root.index("name") < root.index("arguments")


def test_a_call_that_must_be_made_streams_as_one() -> None:
    said = [UserPromptMessage(content="Hi")]
    tools = [tool("sum", column={"enum": ["close"]})]
    chunks = list(MODEL.invoke("m", LLAMA, said, {"tool_choice": "required"}, tools))  # type: ignore[arg-type]
    assert [c.delta.message.text() for c in chunks] == [""] * len(chunks)
    assert sum(len(c.delta.message.tool_calls) for c in chunks) == 1
    assert chunks[-1].delta.finish_reason == "tool_calls"


def test_no_call_is_made_where_none_is_wanted() -> None:
    result = ask("weather?", [tool("look_up", row={"type": "integer"})], tool_choice="none")
    assert not result.message.tool_calls
    assert "look_up" in result.message.text()


@pytest.mark.parametrize(("tools", "choice"), [([], "required"), ([tool("sum")], "look_up")])
def test_a_call_of_what_is_not_offered_is_told(tools: list[PromptMessageTool], choice: str) -> None:
    with pytest.raises(InvokeBadRequestError, match="not offered") as caught:
        ask("Hi", tools, tool_choice=choice)
    assert caught.value.remedy


def test_a_forced_call_without_enough_tokens_ends_by_length_and_shows_no_half_of_it() -> None:
    asked = [tool("sum", column={"enum": ["close"]})]
    told = list(
        MODEL.invoke(
            "m",
            LLAMA,
            [UserPromptMessage(content="Hi")],
            {"temperature": 0.0, "tool_choice": "required", "max_tokens": 3},
            asked,
        )
    )
    last: Any = told[-1]
    assert last.delta.finish_reason == "length"
    assert not any(chunk.delta.message.tool_calls for chunk in told)  # type: ignore[union-attr]


RECURSIVE = {
    "type": "object",
    "properties": {"a": {"$ref": "#/$defs/a"}},
    "$defs": {"a": {"$ref": "#/$defs/a"}},
}


def test_a_schema_no_grammar_can_express_binds_the_name_alone() -> None:
    odd = PromptMessageTool(name="look_up", description="", parameters=RECURSIVE)
    assert calls(ask("weather?", [odd])) == [("look_up", {"row": 3})]
    with pytest.raises(InvokeBadRequestError, match="cannot enforce"):
        ask("Hi", [odd], tool_choice="required")


def test_each_known_mark_has_a_form_and_others_none() -> None:
    assert bindable('{"type": "object"}')
    for mark in ("<tool_call>", "[TOOL_CALLS]", "<|python_tag|>"):
        assert behind_mark(mark, [tool("sum")], lambda _: True) is not None
    assert behind_mark("{", [tool("sum")], lambda _: True) is None


@pytest.mark.parametrize("longest", [3_000, 100_000])
def test_a_grammar_too_large_for_the_engine_ends_no_process(longest: int) -> None:
    """llama.cpp's parser goes down its brackets until the stack ends, or gives nothing that is used
    then.
    """
    large = {"type": "string", "maxLength": longest}
    assert calls(ask("weather?", [tool("look_up", row=large)])) == [("look_up", {"row": 3})]
    for bound in ({"json_schema": json.dumps(large)}, {"tool_choice": "required"}):
        with pytest.raises(InvokeBadRequestError, match="too large") as caught:
            ask("Hi", [tool("look_up", row=large)], **bound)
        assert "maxLength" in caught.value.remedy


class TestCompletion:
    CREDENTIALS = LLAMA | {"mode": "completion"}

    def test_a_text_is_gone_on_with_as_it_stands(self) -> None:
        said = [UserPromptMessage(content="Once upon a time")]
        result: Any = MODEL.invoke("m", self.CREDENTIALS, said, {"temperature": 0.0}, stream=False)
        assert (
            result.message.text() == " there was a small terminal that knew every number by heart."
        )
        assert result.usage.prompt_tokens == MODEL.get_num_tokens("m", self.CREDENTIALS, said) == 4

    def test_names_of_special_tokens_in_it_are_text(self) -> None:
        said = [UserPromptMessage(content="<|im_end|>")]
        assert MODEL.get_num_tokens("m", self.CREDENTIALS, said) > 1

    @pytest.mark.parametrize(
        "messages",
        [
            [UserPromptMessage(content="a"), UserPromptMessage(content="b")],
            [SystemPromptMessage(content="a")],
        ],
    )
    def test_it_takes_exactly_one_message_of_the_user(self, messages: list[Any]) -> None:
        with pytest.raises(InvokeBadRequestError, match="exactly one"):
            MODEL.invoke("m", self.CREDENTIALS, messages, stream=False)

    def test_it_calls_no_tools(self) -> None:
        said = [UserPromptMessage(content="a")]
        with pytest.raises(InvokeBadRequestError, match="cannot call tools"):
            MODEL.invoke("m", self.CREDENTIALS, said, tools=[tool("sum")], stream=False)


@pytest.mark.parametrize(
    ("given", "mode", "size", "calls_tools"),
    [({}, "chat", 4096, True), ({"mode": "completion", "n_ctx": "512"}, "completion", 512, False)],
)
def test_a_models_schema_says_how_it_is_set(
    given: dict[str, str], mode: str, size: int, calls_tools: bool
) -> None:
    from backends.flexai.entities import ModelType
    from backends.flexai.registry import load_providers

    schema = load_providers().model("llama_cpp", ModelType.LLM).get_model_schema("mine", given)
    assert schema is not None
    assert schema.model_properties == {"mode": mode, "context_size": size}
    assert ("tool-call" in schema.features) is calls_tools


ROWS = [
    (ValueError("odd"), InvokeBadRequestError),
    (TypeError("odd"), InvokeBadRequestError),
    (KeyError("odd"), InvokeBadRequestError),
    (UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates"), InvokeBadRequestError),
    (RuntimeError("llama_decode returned -3"), InvokeServerUnavailableError),
    (MemoryError(), InvokeServerUnavailableError),
    (FileNotFoundError("gone"), InvokeServerUnavailableError),
    (ZeroDivisionError("a mistake"), InvokeError),
    (InvokeRateLimitError("busy", "Wait."), InvokeRateLimitError),
    (InvokeCancelledError("stopped"), InvokeCancelledError),
]


@pytest.mark.parametrize(
    ("error", "ours"), ROWS, ids=lambda value: getattr(value, "__name__", repr(value))
)
@pytest.mark.parametrize("stream", [True, False])
def test_each_row_of_the_error_mapping(
    error: Exception, ours: type[InvokeError], stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Any) -> Any:
        raise error

    monkeypatch.setattr(module, "engine_for", fail)
    monkeypatch.setattr(moderation, "engine_for", fail)
    said = [UserPromptMessage(content="x")]
    with pytest.raises(ours) as caught:
        list(MODEL.invoke("m", LLAMA, said, stream=stream))  # type: ignore[arg-type]
    assert type(caught.value) is ours
    with pytest.raises(ours) as checked:
        LlamaCppModeration("llama_cpp").invoke("m", GUARD, "x")
    assert type(checked.value) is ours
    assert caught.value.text
    if ours in (InvokeBadRequestError, InvokeServerUnavailableError):
        assert caught.value.remedy


@pytest.mark.parametrize(("error", "ours"), ROWS[:8])
def test_an_engine_that_fails_in_mid_answer_is_told_after_the_words_so_far(
    error: Exception, ours: type[InvokeError], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer, "SEEN", 0.0)  # each token is a chunk
    real = module.make_chunk

    def failing(model: str, messages: Any, index: int, *more: Any, **last: Any) -> Any:
        if index == 3:
            raise error
        return real(model, messages, index, *more, **last)

    monkeypatch.setattr(module, "make_chunk", failing)
    words: list[str] = []
    with pytest.raises(ours) as caught:
        for chunk in MODEL.invoke(
            "m", LLAMA, [UserPromptMessage(content="count")], {"temperature": 0.0}
        ):
            words.append(chunk.delta.message.text())  # type: ignore[union-attr]
    assert type(caught.value) is ours
    assert words == ["one", " two"]


def test_prices_and_usage_are_counted_by_the_schemas_price(monkeypatch: pytest.MonkeyPatch) -> None:
    from decimal import Decimal

    from backends.flexai.entities import AIModelEntity, ModelType, PriceConfig

    priced = AIModelEntity(
        model="m",
        model_type=ModelType.LLM,
        pricing=PriceConfig(
            input=Decimal(2), output=Decimal(4), unit=Decimal("0.001"), currency="EUR"
        ),
    )
    model = LlamaCppLLM("llama_cpp", [priced])
    assert isinstance(model, AIModel)
    usage = model.invoke("m", LLAMA, [UserPromptMessage(content="France?")], stream=False).usage  # type: ignore[union-attr]
    assert usage.prompt_tokens == MODEL.get_num_tokens(
        "m", LLAMA, [UserPromptMessage(content="France?")]
    )
    assert usage.prompt_price == usage.prompt_tokens * Decimal("0.002")
    assert usage.completion_price == usage.completion_tokens * Decimal("0.004")
    assert (usage.total_price, usage.currency) == (
        usage.prompt_price + usage.completion_price,
        "EUR",
    )
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens
    assert usage.latency > 0
