"""Convert JSON schemas and tool calls to llama.cpp grammars, which constrain an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import jsonschema
from llama_cpp import LlamaGrammar
from llama_cpp.llama_grammar import SchemaConverter

from backends.flexai.entities import PromptMessageTool
from backends.flexai.errors import InvokeBadRequestError, InvokeError
from backends.providers.llama_cpp.tool_calls import CHANNEL, MESSAGE, TO

HALF = re.compile(r"[\ud800-\udfff]")  # half of a surrogate pair; it has no byte encoding


def gbnf_of(schema_text: str) -> str:
    """Return the grammar for a JSON schema.

    Raises: `grammar.CONVERSION_ERRORS` if the conversion does not understand the schema.
    """
    converter = Converter(prop_order={}, allow_fetch=False, dotall=False, raw_pattern=False)
    schema = converter.resolve_refs(json.loads(schema_text), "stdin")
    converter.visit(schema, "")
    return converter.format_grammar()


def literal(text: str) -> str:
    """Return a text as a grammar literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Converter(SchemaConverter):
    """The library's conversion, with a different treatment of texts."""

    def _format_literal(self, literal: str) -> str:
        """Return a text in JSON notation as a grammar literal, without escaping letters."""
        return written(json.loads(literal))


def written(value: object) -> str:
    """Return a value in JSON notation as a grammar literal."""
    told = json.dumps(value, ensure_ascii=False)
    return literal(HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", told))


# errors that the conversion can raise
CONVERSION_ERRORS = (
    AssertionError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    RecursionError,
)

BRACKETS = re.compile(
    r'"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|[()]'
)  # texts, sets, and brackets outside them


def grammar_for(schema_text: str) -> LlamaGrammar:
    """Return the grammar for a JSON schema, given as text.

    Raises: InvokeBadRequestError if it is not a schema or cannot be converted.
    """
    try:
        schema = json.loads(schema_text)
        jsonschema.Draft202012Validator.check_schema(schema)
    except (ValueError, jsonschema.SchemaError) as error:
        raise InvokeBadRequestError(
            f"json_schema is not a JSON schema: {error}", "Correct the schema."
        ) from error
    # unsorted: the model writes the properties in the schema's order
    return cached_grammar(json.dumps(schema))


@lru_cache(maxsize=64)
def cached_grammar(schema_text: str) -> LlamaGrammar:
    """Convert a schema, or return the cached result."""
    try:
        return LlamaGrammar.from_string(gbnf_of(schema_text), verbose=False)
    except CONVERSION_ERRORS as error:
        raise InvokeBadRequestError(
            f"llama.cpp cannot enforce this schema: {type(error).__name__}: {error}",
            "Remove recursive references and patterns without anchors.",
        ) from error


def check_answer(text: str, schema_text: str) -> None:
    """Check a complete answer against the schema; unlike the grammar, this also checks ranges.

    Raises: InvokeError.
    """
    try:
        value: Any = json.loads(text)
        jsonschema.validate(value, json.loads(schema_text))
    except (ValueError, jsonschema.ValidationError) as error:
        raise InvokeError(
            f"The answer does not match the schema: {error}",
            "Allow more tokens, or make the schema less strict.",
        ) from error


def depth_of(grammar: str) -> int:
    """Return how deeply the brackets in a grammar are nested, ignoring those in texts and sets."""
    depth = deepest = 0
    for found in BRACKETS.finditer(grammar):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        deepest = max(deepest, depth)
    return deepest


# how a call continues after the marker. `named`: the tool's name comes before the arguments
FORMS = {
    "<tool_call>": 'ws call ws "</tool_call>" (ws "<tool_call>" ws call ws "</tool_call>")*',
    "[TOOL_CALLS]": 'ws "[" ws call (ws "," ws call)* ws "]" | named ("[TOOL_CALLS]" named)*',
    "<|python_tag|>": "ws call",
    TO: "named",
}
BETWEEN = {  # text between the name and the arguments
    "[TOOL_CALLS]": '("[CALL_ID]" [a-zA-Z0-9]+)? "[ARGS]" ws',
    TO: f'("{CHANNEL}commentary")? (" "? "<|constrain|>json" | " json" | " code")? "{MESSAGE}"',
}
WORD = re.compile(
    r'"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|[a-zA-Z][a-zA-Z0-9-]*'
)  # texts, sets, rule names
ARGUMENTS = {"<|python_tag|>": "parameters"}  # the name that a family uses instead of `arguments`
ANY: dict[str, Any] = {"type": "object"}


def chosen_tools(tools: list[PromptMessageTool], choice: str) -> list[PromptMessageTool]:
    """Return the tools that the model may choose from when it must call one: all, or the named one.

    choice: "required", or a tool's name.
    Raises: InvokeBadRequestError.
    """
    named = tools if choice == "required" else [tool for tool in tools if tool.name == choice]
    if not named:
        what = "a tool" if choice == "required" else f"the tool {choice}"
        raise InvokeBadRequestError(
            f"The request requires a call to {what}, which is not offered.",
            "Include the tool in the request.",
        )
    return named


def forced(tools: list[PromptMessageTool], *, harmony: bool = False) -> LlamaGrammar:
    """Return the grammar of an answer that is a single call of one of the tools.

    harmony: use the format of gpt-oss; all other models use JSON.
    Raises: InvokeBadRequestError if a schema cannot be converted.
    """
    if harmony:
        for tool in tools:
            grammar_for(json.dumps(tool.parameters or ANY))  # to raise the right error
        rules = named_rules(TO, {tool.name: tool.parameters for tool in tools})
        whole = [f'root ::= "{CHANNEL}commentary {TO}" named', *rules]
        return LlamaGrammar.from_string("\n".join(whole), verbose=False)
    return grammar_for(
        json.dumps(schema_of({tool.name: tool.parameters for tool in tools}, "arguments"))
    )


def behind_mark(
    mark: str, tools: list[PromptMessageTool], accepts: Callable[[LlamaGrammar], bool]
) -> LlamaGrammar | None:
    """Return the grammar for the text after a family's marker, or None if the marker's format is
    unknown.

    accepts: returns whether the engine accepts a grammar. If a tool's schema cannot be converted,
    only the tool's name is constrained. If all the schemas together are too large, only the tools'
    names are constrained. The executor checks the rest.
    """
    if mark not in FORMS:
        return None
    known = {tool.name: tool.parameters if bindable(as_text(tool)) else ANY for tool in tools}
    whole = form_of(mark, known)
    return whole if accepts(whole) else form_of(mark, dict.fromkeys(known, ANY))


def form_of(mark: str, tools: dict[str, dict[str, Any]]) -> LlamaGrammar:
    """Return the grammar for calls in a family's format."""
    rules = [f"root ::= {FORMS[mark]}", "ws ::= [ \\n]?"]
    if "call" in FORMS[mark].split():
        schema = schema_of(tools, ARGUMENTS.get(mark, "arguments"))
        rules.append(re.sub(r"(?m)^root ::=", "call ::=", gbnf_of(json.dumps(schema))))
    if mark in BETWEEN:
        rules += named_rules(mark, tools)
    return LlamaGrammar.from_string("\n".join(rules), verbose=False)


def named_rules(mark: str, tools: dict[str, dict[str, Any]]) -> list[str]:
    """Return the rules for calls in which the tool's name comes before the arguments. Each tool has
    its own rules for the arguments.
    """
    ways: list[str] = []
    rules: list[str] = []
    for at, (name, parameters) in enumerate(tools.items()):
        ways.append(f"{literal(name)} between tool{at}-root")
        for line in gbnf_of(json.dumps(parameters or ANY)).split("\n"):
            rules.append(WORD.sub(lambda word, at=at: in_rules_of(at, word[0]), line))
    return [f"named ::= {' | '.join(ways)}", f"between ::= {BETWEEN[mark]}", *rules]


def in_rules_of(tool: int, word: str) -> str:
    """Return a word of a grammar; if it is the name of a rule, make it unique to one tool."""
    return word if word[0] in '"[' else f"tool{tool}-{word}"


def schema_of(tools: dict[str, dict[str, Any]], key: str) -> dict[str, Any]:
    """Return the JSON schema of a single call."""
    calls = [
        {
            "type": "object",
            "properties": {"name": {"const": name}, key: parameters or ANY},
            "required": ["name", key],
            "additionalProperties": False,
        }
        for name, parameters in tools.items()
    ]
    return calls[0] if len(calls) == 1 else {"anyOf": calls}


def as_text(tool: PromptMessageTool) -> str:
    """Return the JSON schema of a call of one tool, as text."""
    return json.dumps(schema_of({tool.name: tool.parameters}, "arguments"), sort_keys=True)


@lru_cache(maxsize=256)
def bindable(schema_text: str) -> bool:
    """Return whether a schema can be converted to a grammar."""
    if '"$ref"' in schema_text:  # it refers to a position in the tool's own schema, which has moved
        return False
    try:
        gbnf_of(schema_text)
    except CONVERSION_ERRORS:
        return False
    return True
