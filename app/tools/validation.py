"""Check values against the JSON Schema of a tool, without fetching or running untrusted
patterns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError, best_match
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

if TYPE_CHECKING:
    from collections.abc import Iterator


def nothing(*_: object) -> Iterator[ValidationError]:
    """Find no fault: a pattern of a stranger can take for ever, and the server checks it itself."""
    return iter(())


Checked: Any = extend(Draft202012Validator, {"pattern": nothing, "patternProperties": nothing})
NOWHERE: Any = Registry()  # what a reference elsewhere is looked for in


def fault(schema: dict[str, Any], value: Any) -> str:
    """Return the fault of a value in words; empty if it fits, or the schema cannot be
    understood.
    """
    try:
        found = best_match(Checked(schema, registry=NOWHERE).iter_errors(value))
    except (
        Unresolvable,
        SchemaError,
        RecursionError,
        TypeError,
        AttributeError,
        ValueError,
        KeyError,
    ):
        return ""  # of a schema that is none the server is the judge
    if found is None:
        return ""
    place = ".".join(str(part) for part in found.absolute_path)
    return f"{f'{place}: ' if place else ''}{found.message[:300]}"
