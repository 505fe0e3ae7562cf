"""Mend the faults that specifications commonly have, and say each time what was mended."""

from __future__ import annotations

import re
from typing import Any

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
NAME = re.compile(r"[^A-Za-z0-9_-]+")
TOLD = 30  # warnings of one specification


def mended(document: dict[str, Any]) -> list[str]:
    """Mend a specification in place and return what was done, a sentence each."""
    warnings: list[str] = []
    mend_servers(document, warnings)
    mend_required(document, "", warnings)
    mend_names(document, warnings)
    more = len(warnings) - TOLD
    return warnings if more <= 0 else [*warnings[:TOLD], f"and {more} more of the kind"]


def mend_servers(holder: dict[str, Any], warnings: list[str]) -> None:
    """Take the brackets off addresses written like <http://…>."""
    listed = holder.get("servers")
    for server in listed if isinstance(listed, list) else []:
        url = server.get("url") if isinstance(server, dict) else None
        if isinstance(url, str) and url.strip() != url.strip().strip("<>"):
            server["url"] = url.strip().strip("<>")
            warnings.append(f"servers: the brackets around {server['url']} were taken off")


def mend_required(value: Any, place: str, warnings: list[str]) -> None:
    """Move `required: true` from properties to the list of the object that has them; drop `required: false`."""
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
    """Give every operation an id that is letters, digits, _ and -, and its own."""
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
                    f"{method.upper()} {path}: it has no operationId of letters; it is called {name}"
                )
            first, number = name, 2
            while name in taken:
                name, number = f"{first[:60]}_{number}", number + 1
            if name != first:
                warnings.append(
                    f"{method.upper()} {path}: another operation is called {first}, too; this is {name}"
                )
            taken.add(name)
            operation["operationId"] = name
