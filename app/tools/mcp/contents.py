"""What the protocol's servers say, as the terminal's own values: tools, results, resources, prompts."""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import TYPE_CHECKING, Any

from app.domain.tools.tool import Tool, ToolAnswer

if TYPE_CHECKING:
    from mcp import types

    from app.domain.tools.mcp import McpEntry

ANSWER, ABOUT, LISTED = 10 * 1024 * 1024, 2000, 40
READ, PROMPT = "read_resource", "get_prompt"  # tools of ours, for servers that have resources and prompts


def tools_of(entry: McpEntry) -> list[Tool]:
    """Return the tools of a server as it told of them; a name that terminals cannot carry is written so that they can."""
    made: dict[str, Tool] = {}
    for told in entry.known:
        name = safe(str(told.get("name") or ""))
        if not name or name in made:
            continue
        schema, notes = told.get("inputSchema"), told.get("annotations")
        reads = isinstance(notes, dict) and notes.get("readOnlyHint") is True
        title = str(told.get("title") or (notes.get("title") if isinstance(notes, dict) else "") or name)
        about = str(told.get("description") or "")[:ABOUT]
        known = schema if isinstance(schema, dict) else {}
        made[name] = Tool(entry.id, name, title[:120], about, known, not reads, entry.origin)
    return list(made.values())


def named(entry: McpEntry, name: str) -> str | None:
    """Return what a server itself calls a tool; None if it has none of that name."""
    return next((str(t["name"]) for t in entry.known if safe(str(t.get("name") or "")) == name), None)


def safe(name: str) -> str:
    """Return a name of letters, digits, _ and -, at most 64 of them."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:64]


def reading(resources: list[types.Resource], templates: list[str]) -> dict[str, Any]:
    """Return our tool that reads the resources of a server."""
    lines = [f"{one.uri}: {one.title or one.name}" for one in resources[:LISTED]]
    lines += templates[:LISTED]
    about = "Read one of these resources, by its URI:\n" + "\n".join(lines)
    return ours(READ, about, {"uri": {"type": "string"}}, ["uri"])


def prompting(prompts: list[types.Prompt]) -> dict[str, Any]:
    """Return our tool that fills in the prompts of a server."""
    lines = [
        f"{one.name}({', '.join(a.name for a in one.arguments or [])}): {one.description or one.title or ''}"
        for one in prompts[:LISTED]
    ]
    about = "Fill in one of these templates and return its text:\n" + "\n".join(lines)
    properties = {
        "name": {"type": "string", "enum": [one.name for one in prompts[:LISTED]]},
        "arguments": {"type": "object", "additionalProperties": {"type": "string"}},
    }
    return ours(PROMPT, about, properties, ["name"])


def ours(name: str, about: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    """Return a tool of ours as the protocol tells of one."""
    schema = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "description": about, "inputSchema": schema, "annotations": {"readOnlyHint": True}}


def result_of(result: types.CallToolResult) -> ToolAnswer:
    """Return what a tool answered."""
    if result.structured_content is not None:
        content = json.dumps(result.structured_content, ensure_ascii=False)
        return ToolAnswer(content, result.is_error, note=failure(result.is_error))
    return answer_of(list(result.content), failed=result.is_error)


def failure(failed: bool) -> str:
    """Return what is said of a failure."""
    return "It says that this did not work." if failed else ""


def answer_of(parts: list[Any], *, failed: bool = False) -> ToolAnswer:
    """Return the parts of an answer as one text; the first that is no text is kept whole."""
    texts, notes, full, kind = list[str](), list[str](), b"", ""
    for part in parts:
        inner = getattr(part, "resource", part)
        if isinstance(text := getattr(inner, "text", None), str):
            texts.append(text)
        elif isinstance(data := getattr(inner, "data", None) or getattr(inner, "blob", None), str):
            body = decoded(data)
            told = getattr(inner, "mime_type", None) or "something unnamed"
            notes.append(f"A part of the answer is no text, but {told}, {len(body):,} bytes.")
            full, kind = full or body, kind or told
        elif (uri := getattr(inner, "uri", None)) is not None:
            texts.append(f"{getattr(inner, 'name', '')} {uri}".strip())
    content = "\n".join(texts)
    if len(content) > ANSWER:
        content, notes = (
            content[:ANSWER],
            [*notes, "The answer is longer than 10 MB; only the beginning was read."],
        )
    return ToolAnswer(content, failed, full, kind, note=" ".join([failure(failed), *notes]).strip())


def decoded(data: str) -> bytes:
    """Return what base64 holds; nothing for what is none."""
    try:
        return base64.b64decode(data, validate=True)[:ANSWER]
    except (binascii.Error, ValueError):
        return b""
