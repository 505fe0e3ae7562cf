"""Texts of a schema, in a bound answer: what must be said is said, letter by letter."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.flexai.entities import ModelType, PromptMessageTool, UserPromptMessage
from backends.flexai.registry import load_providers
from backends.providers.llama_cpp.grammar import gbnf_of
from tests.models.llama import LLAMA

pytestmark = pytest.mark.slow

ASKED = [UserPromptMessage(content="France?")]
LETTERS = st.text("aZ \"\\/'`[](){}|.*+?^$:,;#<>\n\r\t\b\x01\x7f", max_size=8)
ODD = [
    'say "no"',
    "C:\\new\\table",
    'a\\"b',
    "\\",
    '"',
    "\\n",
    "\n",
    "\\u0041",
    '[^"]',
    "a\u2028b",
    "\x00",
    "{}",
]


def bound(schema: dict[str, Any]) -> Any:
    model: Any = load_providers().model("llama_cpp", ModelType.LLM)
    parameters = {"json_schema": json.dumps(schema), "max_tokens": 200, "temperature": 0.0}
    answer = model.invoke("tiny", LLAMA, ASKED, parameters, stream=False)
    return json.loads(answer.message.text())


def only(name: str, value: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: value},
        "required": [name],
        "additionalProperties": False,
    }


@given(LETTERS)
@settings(max_examples=60, deadline=None)
def test_a_constant_is_said_as_it_stands(text: str) -> None:
    assert bound(only("x", {"const": text})) == {"x": text}


@pytest.mark.parametrize("text", ODD)
def test_odd_constants_choices_and_names_are_said_as_they_stand(text: str) -> None:
    assert bound(only("x", {"const": text})) == {"x": text}
    assert bound(only("x", {"enum": [text, text + "!"]}))["x"] in (text, text + "!")
    assert bound(only(f"{text}.", {"const": 1})) == {f"{text}.": 1}


@pytest.mark.parametrize(
    "value", [{'a"b': ["\\", None, 1.5, True]}, [], -3, 0.1, 1e300, None, False]
)
def test_constants_that_are_no_texts_are_said_too(value: Any) -> None:
    assert bound(only("x", {"const": value})) == {"x": value}


def test_letters_of_every_script_stay_letters_and_half_a_character_is_told() -> None:
    made = gbnf_of(json.dumps({"enum": ["失业率", "é", "🌍", "\ud800"]}))
    assert all(f'"\\"{word}\\""' in made for word in ("失业率", "é", "🌍"))
    assert '"\\"\\\\ud800\\""' in made


def test_a_tool_whose_arguments_hold_quotes_is_called() -> None:
    model: Any = load_providers().model("llama_cpp", ModelType.LLM)
    said = 'he said "go\\on"'
    tool = PromptMessageTool(name="note", description="", parameters=only("text", {"const": said}))
    parameters = {"tool_choice": "required", "max_tokens": 200, "temperature": 0.0}
    answer = model.invoke("tiny", LLAMA, ASKED, parameters, [tool], stream=False)
    (call,) = answer.message.tool_calls
    assert json.loads(call.function.arguments) == {"text": said}
