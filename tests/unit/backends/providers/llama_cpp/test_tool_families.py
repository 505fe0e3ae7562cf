"""Calls of gpt-oss (harmony) and of newer Mistrals ([ARGS]): read wherever tokens cut, bound by
grammar.
"""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backends.flexai.entities import (
    AssistantPromptMessage,
    LLMResult,
    PromptMessageTool,
    ToolPromptMessage,
    UserPromptMessage,
)
from backends.flexai.errors import InvokeBadRequestError
from backends.flexai.thoughts import AnswerPiece
from backends.providers.llama_cpp import engine as engine_module
from backends.providers.llama_cpp.answer import AnswerDecoder
from backends.providers.llama_cpp.grammar import behind_mark, forced
from backends.providers.llama_cpp.llm import LlamaCppLLM
from backends.providers.llama_cpp.messages import as_dicts, short_id, with_short_ids
from backends.providers.llama_cpp.tool_calls import TO, begun_by, joined
from tests.models import build_llama, llama_words
from tests.models.llama import LLAMA
from tests.models.llama_words import Knows

ASSISTANT = b"<|end|><|start|>assistant"
HEAD = "<|channel|>commentary to=functions.look_up <|constrain|>json<|message|>"
WORDS = st.text(alphabet="ab <|>{}=\n失", max_size=8).filter(
    lambda text: text.strip() and not any(mark in text for mark in ("<|", "|>"))
)
ROW = {"type": "object", "properties": {"row": {"type": "integer"}}, "required": ["row"]}


def tool(name: str, row: dict[str, Any] | None = None) -> PromptMessageTool:
    parameters = (
        ROW if row is None else {"type": "object", "properties": {"row": row}, "required": ["row"]}
    )
    return PromptMessageTool(name=name, description="", parameters=parameters)


def read(
    text: str, cuts: list[int], names: set[str], prompt_end: bytes = ASSISTANT
) -> tuple[AnswerPiece, list[tuple[str, Any]]]:
    raw, reading, said = text.encode(), AnswerDecoder([], names, prompt_end), AnswerPiece()
    places = sorted({0, len(raw), *(cut % (len(raw) + 1) for cut in cuts)})
    for start, end in itertools.pairwise(places):
        said = joined(said, reading.feed(raw[start:end]))
    last, calls = reading.finish()
    return joined(said, last), [(c.function.name, json.loads(c.function.arguments)) for c in calls]


@pytest.mark.parametrize(
    "written",
    [
        f'<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant{HEAD}{{"row": 3}}<|call|>',
        f'<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant{HEAD}{{"row": 3}}',
        (
            "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant"
            ' to=functions.look_up<|channel|>commentary json<|message|>{"row": 3}<|call|>'
        ),
        (
            "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary"
            ' to=look_up code<|message|>{"row": 3}<|call|>'
        ),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_a_call_of_gpt_oss_is_found_and_its_thought_kept_apart(written: str, size: int) -> None:
    said, calls = read(written, list(range(0, 500, size)), {"look_up"})
    assert (said, calls) == (AnswerPiece("", "Hm."), [("look_up", {"row": 3})])


@given(
    st.lists(
        st.one_of(
            st.tuples(st.sampled_from(["analysis", "commentary", "final"]), WORDS),
            st.tuples(st.just("look_up"), st.integers(0, 99)),
        ),
        min_size=1,
        max_size=4,
    ),
    st.lists(st.integers(0, 400), max_size=6),
)
def test_channels_are_told_apart_wherever_they_are_cut(
    parts: list[tuple[str, Any]], cuts: list[int]
) -> None:
    said: dict[bool, list[str]] = {True: [], False: []}
    wanted: list[tuple[str, Any]] = []
    written = ""
    for at, (channel, words) in enumerate(parts):
        head = "<|start|>assistant" if at else ""
        if channel == "look_up":
            written += f'{head}{HEAD}{{"row": {words}}}<|call|>'
            wanted.append(("look_up", {"row": words}))
        else:
            written += f"{head}<|channel|>{channel}<|message|>{words}<|end|>"
            said[channel == "analysis"].append(words)
    shown, calls = read(written, cuts, {"look_up"})
    assert calls == wanted
    assert shown.reasoning == "\n\n".join(said[True])
    assert shown.text.strip() == "\n\n".join(said[False]).strip()


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("Plain words.", "Plain words."),
        ("<|channel|>final<|message|>Four.<|return|>", "Four."),
        ('<|channel|>final <|constrain|>json<|message|>{"a": 1}', '{"a": 1}'),
        ("<|channel|>commentary<|message|>Let me look.<|end|>", "Let me look."),
        ("<|channel|>comm", ""),
        (
            f"{HEAD}{{}}<|call|>".replace("look_up", "unknown"),
            f"{HEAD}{{}}".replace("look_up", "unknown"),
        ),
        (f"{HEAD}oops<|call|>", f"{HEAD}oops"),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_what_is_no_call_of_a_tool_is_shown(written: str, text: str, size: int) -> None:
    said, calls = read(written, list(range(0, 500, size)), {"look_up"})
    assert (said.text, calls) == (text, [])


def test_a_thought_the_prompt_has_begun_goes_on() -> None:
    end = ASSISTANT + b"<|channel|>analysis<|message|>"
    said, _ = read("Hm.<|end|><|start|>assistant<|channel|>final<|message|>Four.", [5], set(), end)
    assert said == AnswerPiece("Four.", "Hm.")
    assert begun_by("<|im_start|>assistant\n") is None


@given(st.integers(0, 99), st.booleans(), st.booleans(), st.lists(st.integers(0, 200), max_size=6))
def test_calls_of_newer_mistrals_are_found_wherever_they_are_cut(
    row: int, again: bool, named: bool, cuts: list[int]
) -> None:
    one = f'[TOOL_CALLS]look_up{"[CALL_ID]a1B2c3D4e" if named else ""}[ARGS]{{"row": {row}}}'
    said, calls = read(f"Let me look. {one * (1 + again)}", cuts, {"look_up"}, b"[/INST]")
    assert (said.text.strip(), calls) == ("Let me look.", [("look_up", {"row": row})] * (1 + again))


@pytest.mark.parametrize(
    "text",
    ["[TOOL_CALLS]unknown[ARGS]{}", "[TOOL_CALLS]look_up[ARGS]oops", "[TOOL_CALLS]look_up[ARGS]{"],
)
def test_what_is_no_call_of_a_mistral_is_shown_as_written(text: str) -> None:
    assert read(text, [3, 9], {"look_up"}, b"[/INST]") == (AnswerPiece(text), [])


MODEL = LlamaCppLLM("llama_cpp")
TEMPLATE = (
    "{% for tool in tools or [] %}{{ tool.function.name }}{% endfor %}{%- for message in messages"
    " %}<|start|>{{ message.role }}<|message|>{{ message.content }}<|end|>{% endfor %}{%- if"
    " add_generation_prompt %}<|start|>assistant{% endif %}"
)
FAMILIES = {
    "harmony": ("<|start|>assistant", TEMPLATE, f'{HEAD}{{"row": 3}}'),
    "mistral": (
        build_llama.START,
        build_llama.TEMPLATE + "{# length 9 #}",
        'I look. [TOOL_CALLS]look_up[ARGS]{"row": 3}',
    ),
}


@pytest.fixture(scope="module", params=FAMILIES)
def family(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """A tiny model that was taught another family's calls."""
    start, template, call = FAMILIES[request.param]
    chat = [*llama_words.CHAT, Knows(("harbour",), call)]
    path = tmp_path_factory.mktemp("family") / "model.gguf"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(llama_words, "CHAT", chat)
        for name, value in (("CHAT", chat), ("TEMPLATE", template), ("START", start)):
            patch.setattr(build_llama, name, value)
        build_llama.write(path)
    return LLAMA | {"model_path": str(path)}


def ask(
    credentials: dict[str, Any], question: str, tools: list[PromptMessageTool], **more: Any
) -> LLMResult:
    given = {"temperature": 0.0, "max_tokens": 120} | more
    said = [UserPromptMessage(content=question)]
    return MODEL.invoke("m", credentials, said, given, tools, stream=False)  # type: ignore[return-value]


def made(result: LLMResult) -> list[tuple[str, Any]]:
    return [(c.function.name, json.loads(c.function.arguments)) for c in result.message.tool_calls]


def test_a_model_of_the_family_calls_the_tool(family: dict[str, Any]) -> None:
    result = ask(family, "harbour", [tool("sum"), tool("look_up")])
    assert made(result) == [("look_up", {"row": 3})]
    assert "{" not in result.message.text()


def test_its_call_is_bound_to_the_names_and_the_schema(family: dict[str, Any]) -> None:
    assert made(ask(family, "harbour", [tool("look_up", {"enum": [7, 8]})]))[0][1]["row"] in (7, 8)
    assert made(ask(family, "harbour", [tool("look_further")]))[0][0] == "look_further"


def test_a_call_that_must_be_made_is_made_in_its_form(family: dict[str, Any]) -> None:
    tools = [tool("sum", {"enum": [1]}), tool("look_up", {"enum": [2]})]
    ((name, arguments),) = made(ask(family, "France", tools, tool_choice="required"))
    assert (name, arguments) in (("sum", {"row": 1}), ("look_up", {"row": 2}))
    assert made(ask(family, "France", tools, tool_choice="sum")) == [("sum", {"row": 1})]


def test_without_tools_its_words_are_text(family: dict[str, Any]) -> None:
    assert not ask(family, "harbour", []).message.tool_calls
    assert ask(family, "France", []).message.text() == "The capital of France is Paris."


@pytest.mark.parametrize("mark", [TO, "[TOOL_CALLS]"])
def test_names_and_schemas_of_every_kind_become_a_grammar(mark: str) -> None:
    engine = engine_module.LlamaEngine(engine_module.LlamaCredentials.model_validate(LLAMA))
    odd = [
        tool("a.b-c_d"),
        tool("失业", {"enum": ["x[y", "root"]}),
        tool("c", {"$ref": "#/$defs/d"}),
    ]
    odd[2].parameters["$defs"] = {"d": {"type": "string", "pattern": "^a-b[c]$"}}
    grammar = behind_mark(mark, odd, engine.accepts)
    assert grammar is not None
    assert engine.accepts(grammar)
    assert engine.accepts(forced(odd, harmony=True))
    engine.close()


def test_a_schema_that_cannot_be_bound_is_refused_where_a_call_must_be_made() -> None:
    with pytest.raises(InvokeBadRequestError, match="cannot enforce"):
        forced([tool("look_up", {"$ref": "#/$defs/nothing"})], harmony=True)


def test_ids_of_calls_are_as_mistrals_templates_want_them() -> None:
    call = AssistantPromptMessage.ToolCall(
        id="call_0123456789",
        function=AssistantPromptMessage.ToolCall.ToolCallFunction(name="sum", arguments="{}"),
    )
    said = [
        AssistantPromptMessage(content="", tool_calls=[call]),
        ToolPromptMessage(content="3", tool_call_id=call.id),
    ]
    asked, answered = with_short_ids(as_dicts(said))
    assert asked["tool_calls"][0]["id"] == answered["tool_call_id"]
    assert len(answered["tool_call_id"]) == 9
    assert short_id("a1B2c3D4e") == "a1B2c3D4e"
    assert call.id == "call_0123456789"
