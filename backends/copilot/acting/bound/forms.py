"""The schemas a model's choice is bound to, made of the tools' own; what no grammar can say is
simplified, and told.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backends.protocol.query import Tool

NONE = "none"  # what is chosen where no tool fits
KEPT = ("type", "enum", "const", "properties", "items", "required", "anyOf", "description")
DEEPEST = 8


def choice_schema(calls: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the schema of a call of one of several tools, by their names with what may go into
    each, or of none.
    """
    ways = [called(name, arguments) for name, arguments in calls.items()]
    return {"anyOf": [*ways, called(NONE, None)]}


def of_fields(fields: dict[str, dict[str, Any]], required: Sequence[str]) -> dict[str, Any]:
    """Return the schema of an object of these fields."""
    made: dict[str, Any] = {"type": "object", "properties": fields, "additionalProperties": False}
    return made | ({"required": list(required)} if required else {})


def called(name: str, arguments: dict[str, Any] | None) -> dict[str, Any]:
    """Return the schema of a call by name."""
    properties: dict[str, Any] = {"tool": {"const": name}}
    if arguments is not None:
        properties["arguments"] = arguments
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def arguments_of(tool: Tool) -> dict[str, Any]:
    """Return the schema of what goes into a tool, its references written out; what leads into
    itself is anything.
    """
    written = dict(followed(tool.schema, tool.schema, ()))
    properties = written.get("properties")
    made: dict[str, Any] = {
        "type": "object",
        "properties": properties if isinstance(properties, dict) else {},
        "additionalProperties": False,
    }
    required = written.get("required")
    known = (
        [name for name in required if name in made["properties"]]
        if isinstance(required, list)
        else []
    )
    return made | ({"required": known} if known else {})


def followed(schema: Any, whole: dict[str, Any], open_: tuple[str, ...]) -> Any:
    """Return a schema in which references within it are written out."""
    if isinstance(schema, list):
        return [followed(one, whole, open_) for one in schema]
    if not isinstance(schema, dict) or len(open_) > DEEPEST:
        return schema if not isinstance(schema, dict) else {}
    reference = schema.get("$ref")
    if isinstance(reference, str):
        if reference in open_ or not reference.startswith("#/"):
            return {}
        return followed(at(whole, reference), whole, (*open_, reference))
    return {
        k: followed(v, whole, open_) for k, v in schema.items() if k not in ("$defs", "definitions")
    }


def at(whole: dict[str, Any], reference: str) -> Any:
    """Return what a reference within a schema means; anything, where it leads nowhere."""
    found: Any = whole
    for step in reference.removeprefix("#/").split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def simpler(schema: Any) -> Any:
    """Return a schema with nothing but kinds, choices and fields: any grammar can say that."""
    if isinstance(schema, list):
        return [simpler(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Any] = {}
    for word, told in schema.items():
        if word == "properties" and isinstance(told, dict):
            made[word] = {name: simpler(one) for name, one in told.items()}
        elif word in ("items", "anyOf"):
            made[word] = simpler(told)
        elif word in KEPT or (word == "additionalProperties" and told is False):
            made[word] = told
    return made


def name_of(tool: Tool) -> str:
    """Return what a tool is called among those of all servers."""
    return f"{tool.server_id}.{tool.name}"


def as_text(schema: dict[str, Any]) -> str:
    """Return a schema as the parameter that binds an answer."""
    return json.dumps(schema, ensure_ascii=False)
