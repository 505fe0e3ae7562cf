"""The grammar of a JSON schema, in which every text means itself.

llama-cpp-python converts schemas but leaves backslashes in texts as they are, and the grammar's own language reads
them: a quote in a constant ends the text too early, and `\\n` becomes a line break that JSON forbids there.
"""

from __future__ import annotations

import json
import re

from llama_cpp.llama_grammar import SchemaConverter

HALF = re.compile(r"[\ud800-\udfff]")  # half a character, which no bytes can be


def gbnf_of(schema_text: str) -> str:
    """Return the grammar of a JSON schema.

    Raises: what the conversion raises for a schema it does not understand (`grammar.CONVERSION_ERRORS`).
    """
    converter = Converter(prop_order={}, allow_fetch=False, dotall=False, raw_pattern=False)
    schema = converter.resolve_refs(json.loads(schema_text), "stdin")
    converter.visit(schema, "")
    return converter.format_grammar()


def literal(text: str) -> str:
    """Return a text as a grammar writes it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Converter(SchemaConverter):
    """The library's conversion, but for its texts."""

    def _format_literal(self, literal: str) -> str:
        """Return JSON, which is what every text comes as, as the grammar writes it; letters stay what they are."""
        return written(json.loads(literal))


def written(value: object) -> str:
    """Return a value's JSON as a grammar writes it."""
    told = json.dumps(value, ensure_ascii=False)
    return literal(HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", told))
