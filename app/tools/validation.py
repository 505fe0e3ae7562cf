"""Check values against a tool's JSON Schema, without fetching anything or running untrusted
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
    """Report no errors. An untrusted pattern could run forever, and the server checks the value
    itself."""
    return iter(())


Checked: Any = extend(Draft202012Validator, {"pattern": nothing, "patternProperties": nothing})
NOWHERE: Any = Registry()  # the empty registry, so that external references are not found


def fault(schema: dict[str, Any], value: Any) -> str:
    """Return a description of what is wrong with a value, or an empty string if it is valid or the
    schema cannot be understood.
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
        return ""  # if the schema is invalid, the server decides
    if found is None:
        return ""
    place = ".".join(str(part) for part in found.absolute_path)
    return f"{f'{place}: ' if place else ''}{found.message[:300]}"
