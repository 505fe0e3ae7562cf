"""Bind an answer to a JSON schema: a schema that cannot be bound is refused, never loosened."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

import jsonschema
from llama_cpp import LlamaGrammar

from backends.flexai.errors import InvokeBadRequestError, InvokeError
from backends.providers.llama_cpp.tools.gbnf import gbnf_of

# what the conversion of a schema raises for one it does not understand
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
    """Return the grammar of a JSON schema given as text.

    Raises: InvokeBadRequestError if it is no schema or cannot become a grammar.
    """
    try:
        schema = json.loads(schema_text)
        jsonschema.Draft202012Validator.check_schema(schema)
    except (ValueError, jsonschema.SchemaError) as error:
        raise InvokeBadRequestError(
            f"json_schema is no JSON schema: {error}", "Correct the schema."
        ) from error
    return cached_grammar(json.dumps(schema))  # in its own order: what stands first is said first


@lru_cache(maxsize=64)
def cached_grammar(schema_text: str) -> LlamaGrammar:
    """Convert a schema once."""
    try:
        return LlamaGrammar.from_string(gbnf_of(schema_text), verbose=False)
    except CONVERSION_ERRORS as error:
        raise InvokeBadRequestError(
            f"llama.cpp cannot bind an answer to this schema: {type(error).__name__}: {error}",
            "Leave out recursive references and patterns without anchors.",
        ) from error


def check_answer(text: str, schema_text: str) -> None:
    """Check a whole answer against the schema: the grammar ignores ranges, this does not.

    Raises: InvokeError.
    """
    try:
        value: Any = json.loads(text)
        jsonschema.validate(value, json.loads(schema_text))
    except (ValueError, jsonschema.ValidationError) as error:
        raise InvokeError(
            f"The answer does not fit the schema: {error}",
            "Allow more tokens, or loosen the schema.",
        ) from error


def depth_of(grammar: str) -> int:
    """Return how deep the brackets of a grammar stand in each other, those in texts and sets left out."""
    depth = deepest = 0
    for found in BRACKETS.finditer(grammar):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        deepest = max(deepest, depth)
    return deepest
