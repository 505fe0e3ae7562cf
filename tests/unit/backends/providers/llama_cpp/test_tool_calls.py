"""Calls of tools: found in what models write, in the forms they were taught, and never printed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backends.flexai.entities import (
    AssistantPromptMessage,
    ImagePromptMessageContent,
    SystemPromptMessage,
    TextPromptMessageContent,
    ToolPromptMessage,
    UserPromptMessage,
)
from backends.flexai.errors import InvokeBadRequestError
from backends.providers.llama_cpp.answer import AnswerDecoder
from backends.providers.llama_cpp.messages import as_dicts, describe_tools
from backends.providers.llama_cpp.tool_calls import CallStream

CALL = '{"name": "look_up", "arguments": {"column": "close"}}'
FORMS = [
    f"<tool_call>\n{CALL}\n</tool_call>",
    f"[TOOL_CALLS][{CALL}]",
    '<|python_tag|>{"name": "look_up", "parameters": {"column": "close"}}',
    CALL,
    f"\n```json\n{CALL}\n```",
    (
        '{"type": "function", "function": {"name": "look_up", "arguments": "{\\"column\\":'
        ' \\"close\\"}"}}'
    ),
]


def read(text: str, size: int, names: set[str]) -> tuple[str, list[Any]]:
    stream = CallStream(names)
    shown = "".join(stream.feed(text[i : i + size]) for i in range(0, len(text), size))
    rest, calls = stream.finish()
    return shown + rest, calls


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [1, 5, 1000])
def test_a_call_is_found_in_each_form_wherever_tokens_cut(form: str, size: int) -> None:
    shown, calls = read(form, size, {"look_up"})
    assert shown == ""
    assert [(c.function.name, json.loads(c.function.arguments)) for c in calls] == [
        ("look_up", {"column": "close"})
    ]


def test_words_before_a_call_are_shown_at_once_and_several_calls_are_all_found() -> None:
    stream = CallStream({"look_up"})
    assert stream.feed("Let me look. ") == "Let me look. "
    assert stream.feed(f"<tool_call>{CALL}</tool_call><tool_call>{CALL}</tool_call>") == ""
    rest, calls = stream.finish()
    assert (rest, len(calls), len({c.id for c in calls})) == ("", 2, 2)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "unknown_tool", "arguments": {}}',
        '{"name": "look_up", "arguments": "not json"}',
        '{"name": "look_up"',
        "<tool_call>oops",
        "[" * 3000,
        "The close was {high}, see [1] <tool",
    ],
)
def test_what_is_no_call_is_shown_as_written(text: str) -> None:
    assert read(text, 3, {"look_up"}) == (text, [])


@given(st.text(max_size=60), st.integers(1, 9))
def test_without_tools_text_passes_untouched_and_with_tools_none_is_lost(
    text: str, size: int
) -> None:
    assert read(text, size, set()) == (text, [])
    assert read(text, size, {"look_up"}) == (text, [])


def test_a_template_that_knows_no_tools_is_told_of_them_and_of_earlier_calls() -> None:
    call = AssistantPromptMessage.ToolCall(
        id="1",
        function=AssistantPromptMessage.ToolCall.ToolCallFunction(
            name="look_up", arguments='{"a": 1}'
        ),
    )
    said = as_dicts(
        [
            SystemPromptMessage(content="Be brief."),
            UserPromptMessage(content="close?"),
            AssistantPromptMessage(content="", tool_calls=[call]),
            ToolPromptMessage(content="233.85", tool_call_id="1"),
        ]
    )
    assert said[2]["tool_calls"][0]["function"]["arguments"] == {"a": 1}
    told = describe_tools(said, [{"type": "function", "function": {"name": "look_up"}}])
    assert told[0]["content"].startswith("Be brief.")
    assert '"look_up"' in told[0]["content"]
    assert (
        told[2]["content"]
        == '<tool_call>\n{"name": "look_up", "arguments": {"a": 1}}\n</tool_call>'
    )
    assert said[0]["content"] == "Be brief."


def test_an_image_is_refused_not_left_out() -> None:
    picture = [
        TextPromptMessageContent(data="What is this?"),
        ImagePromptMessageContent(data="data:,x"),
    ]
    with pytest.raises(InvokeBadRequestError, match="image"):
        as_dicts([UserPromptMessage(content=picture)])


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    ("prompt_end", "opened"),
    [(b"<|im_start|>assistant\n", "<think>"), (b"assistant\n<think>\n", "")],
)
def test_a_call_that_is_only_thought_of_is_none_and_the_thought_is_kept_apart(
    prompt_end: bytes, opened: str, size: int
) -> None:
    call = '<tool_call>{"name": "look_up", "arguments": {"row": 1}}</tool_call>'
    written = f"{opened}Shall I {call}?</think>\n\nYes. {call}".encode()
    reading = AnswerDecoder([], {"look_up"}, prompt_end)
    said = [reading.feed(written[at : at + size]) for at in range(0, len(written), size)]
    last, calls = reading.finish()
    assert "".join(piece.reasoning for piece in [*said, last]) == f"Shall I {call}?"
    assert "".join(piece.text for piece in [*said, last]).strip() == "Yes."
    assert [c.function.name for c in calls] == ["look_up"]
