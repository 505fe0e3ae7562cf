"""Convert OpenAPI schemas to JSON Schema and repair common mistakes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
NAME = re.compile(r"[^A-Za-z0-9_-]+")
TOLD = 30  # maximum number of warnings for one specification


def mended(document: dict[str, Any]) -> list[str]:
    """Repair a specification in place, and return one sentence for each repair."""
    warnings: list[str] = []
    mend_servers(document, warnings)
    mend_required(document, "", warnings)
    mend_names(document, warnings)
    more = len(warnings) - TOLD
    return warnings if more <= 0 else [*warnings[:TOLD], f"and {more} more of this kind"]


def mend_servers(holder: dict[str, Any], warnings: list[str]) -> None:
    """Remove the angle brackets from addresses that are written in the form <http://…>."""
    listed = holder.get("servers")
    for server in listed if isinstance(listed, list) else []:
        url = server.get("url") if isinstance(server, dict) else None
        if isinstance(url, str) and url.strip() != url.strip().strip("<>"):
            server["url"] = url.strip().strip("<>")
            warnings.append(f"servers: the brackets around {server['url']} were removed")


def mend_required(value: Any, place: str, warnings: list[str]) -> None:
    """Move `required: true` from properties to the list in the object that contains them, and
    remove `required: false`.
    """
    if isinstance(value, list):
        for number, one in enumerate(value):
            mend_required(one, f"{place}[{number}]", warnings)
        return
    if not isinstance(value, dict):
        return
    properties = value.get("properties")
    if isinstance(properties, dict) and not isinstance(properties.get("type"), str):
        wanted = [
            name
            for name, one in properties.items()
            if isinstance(one, dict)
            and isinstance(one.get("required"), bool)
            and one.pop("required")
        ]
        listed = value.get("required")
        known = [r for r in listed if isinstance(r, str)] if isinstance(listed, list) else []
        if new := [name for name in wanted if name not in known]:
            value["required"] = [*known, *new]
        if wanted:
            warnings.append(
                f"{place}: “required: true” was moved from {', '.join(wanted)} to the object"
            )
    for key, one in value.items():
        mend_required(one, f"{place}.{key}".strip("."), warnings)


def mend_names(document: dict[str, Any], warnings: list[str]) -> None:
    """Give every operation a unique id that consists of letters, digits, _ and -."""
    taken: set[str] = set()
    paths = document.get("paths")
    for path, item in (paths if isinstance(paths, dict) else {}).items():
        for method in METHODS:
            operation = item.get(method) if isinstance(item, dict) else None
            if not isinstance(operation, dict):
                continue
            told = operation.get("operationId")
            name = NAME.sub("_", told).strip("_")[:64] if isinstance(told, str) else ""
            if not name:
                name = NAME.sub("_", f"{method} {path}").strip("_")[:64] or method
                warnings.append(
                    f"{method.upper()} {path}: it has no usable operationId; it is named {name}"
                )
            first, number = name, 2
            while name in taken:
                name, number = f"{first[:60]}_{number}", number + 1
            if name != first:
                warnings.append(
                    f"{method.upper()} {path}: another operation is also called {first}; this "
                    f"one is named {name}"
                )
            taken.add(name)
            operation["operationId"] = name


DEEPEST, MOST = 12, 2000  # maximum depth of a tool's schema, and maximum number of values in it
DROPPED = {
    "example",
    "examples",
    "xml",
    "externalDocs",
    "discriminator",
    "deprecated",
    "readOnly",
    "writeOnly",
    "nullable",
    "$schema",
    "$id",
    "$anchor",
    "$dynamicRef",
    "$dynamicAnchor",
    "$comment",
    "definitions",
    "$defs",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedProperties",
    "patternProperties",
    "propertyNames",
    "dependentSchemas",
    "dependentRequired",
    "contentMediaType",
}
SUBSCHEMAS = ("items", "additionalProperties", "contains")
LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
LOUD = {"not", "if", "patternProperties", "propertyNames", "unevaluatedProperties"}


class NoSuchPart(Exception):
    """A reference leads nowhere, or out of the document. reference: the reference."""

    def __init__(self, reference: str, *, is_remote: bool) -> None:
        super().__init__(reference)
        self.reference, self.is_remote = reference, is_remote


def part_of(document: dict[str, Any], reference: str) -> Any:
    """Return the target of a reference within a document.

    Raises: NoSuchPart.
    """
    if not reference.startswith("#"):
        raise NoSuchPart(reference, is_remote=True)
    found: Any = document
    for step in reference.removeprefix("#").removeprefix("/").split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list) and key.isdigit() and int(key) < len(found):
            found = found[int(key)]
        elif isinstance(found, dict) and key in found:
            found = found[key]
        else:
            raise NoSuchPart(reference, is_remote=False)
    return found


def followed(document: dict[str, Any], raw: Any) -> Any:
    """Return the target of a chain of references.

    Raises: NoSuchPart, also if the chain is circular.
    """
    seen: set[str] = set()
    while isinstance(raw, dict) and isinstance(raw.get("$ref"), str):
        reference = raw["$ref"]
        if reference in seen:
            raise NoSuchPart(reference, is_remote=False)
        seen.add(reference)
        raw = part_of(document, reference)
    return raw


@dataclass
class SchemaWriter:
    """Writes the schemas of one tool without references. warnings: notes about simplified parts.
    left: the number of values that are still allowed.
    """

    document: dict[str, Any]
    warnings: list[str] = field(default_factory=list[str])
    left: int = MOST

    def schema(
        self, raw: Any, place: str = "", depth: int = 0, open_: tuple[str, ...] = ()
    ) -> dict[str, Any]:
        """Return a schema with its references resolved. A reference to the schema itself is
        replaced by a schema that accepts any value.

        Raises: NoSuchPart.
        """
        self.left -= 1
        if self.left < 0 or depth > DEEPEST:
            self._warn(
                f"{place or 'the schema'} is too large; below that point any value is accepted"
            )
            return {}
        if not isinstance(raw, dict):
            return {}
        reference = raw.get("$ref")
        if isinstance(reference, str):
            if reference in open_:
                self._warn(
                    f"{place or 'the schema'} refers to itself; below that point any value is"
                    " accepted"
                )
                return {}
            return self.schema(part_of(self.document, reference), place, depth, (*open_, reference))
        made = {k: v for k, v in raw.items() if k not in DROPPED and not k.startswith("x-")}
        for word in sorted(LOUD & set(raw)):
            self._warn(
                f"{place or 'the schema'}: “{word}” is not sent to models; the server checks it"
            )
        self._inner(made, place, depth, open_)
        self._old_words(raw, made)
        self._pattern(made, place)
        return made

    def _inner(self, made: dict[str, Any], place: str, depth: int, open_: tuple[str, ...]) -> None:
        properties = made.get("properties")
        if isinstance(properties, dict):
            kept = {
                k: v
                for k, v in properties.items()
                if not (isinstance(v, dict) and v.get("readOnly") is True)
            }
            made["properties"] = {
                k: self.schema(v, f"{place}.{k}".strip("."), depth + 1, open_)
                for k, v in kept.items()
            }
            required = made.get("required")
            made["required"] = (
                [r for r in required if r in kept] if isinstance(required, list) else []
            )
            made.setdefault("type", "object")
        elif "properties" in made:
            del made["properties"]
        if not isinstance(made.get("required"), list) or not made["required"]:
            made.pop("required", None)
        for word in SUBSCHEMAS:
            if isinstance(made.get(word), dict):
                made[word] = self.schema(made[word], f"{place}[]", depth + 1, open_)
        for word in LISTS:
            if word in made:
                listed = made.pop(word)
                if isinstance(listed, list) and listed:
                    made[word] = [self.schema(one, place, depth + 1, open_) for one in listed]

    def _old_words(self, raw: dict[str, Any], made: dict[str, Any]) -> None:
        """Convert keywords of OpenAPI 3.0 to JSON Schema."""
        for word, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            if isinstance(made.get(word), bool) and made.pop(word) and limit in made:
                made[word] = made.pop(limit)
        if raw.get("nullable") is True and isinstance(made.get("type"), str):
            made["type"] = [made["type"], "null"]
            if isinstance(made.get("enum"), list) and None not in made["enum"]:
                made["enum"] = [*made["enum"], None]
        if made.get("type") in ("any", "file"):
            del made["type"]
        if not isinstance(made.get("enum", []), list) or made.get("enum") == []:
            del made["enum"]

    def _pattern(self, made: dict[str, Any], place: str) -> None:
        """Remove a pattern from which no grammar can be built."""
        pattern = made.get("pattern")
        if pattern is None:
            return
        bound = isinstance(pattern, str) and pattern.startswith("^") and pattern.endswith("$")
        if not bound or re.search(r"\(\?|\\[bBpPkzAZ1-9]", pattern):
            del made["pattern"]
            self._warn(
                f"{place or 'the schema'}: models do not follow its pattern; the server checks it"
            )

    def _warn(self, text: str) -> None:
        if text not in self.warnings and len(self.warnings) < 20:
            self.warnings.append(text)
