"""Convert MCP tools, results, resources and prompts to the terminal's values."""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import TYPE_CHECKING, Any

from app.domain.tool import Tool, ToolAnswer, shown
from app.tools.schemas import NoSuchPart, SchemaWriter

if TYPE_CHECKING:
    from mcp import types

    from app.domain.tool import McpEntry

ANSWER, ABOUT, LISTED = 10 * 1024 * 1024, 2000, 40
READ, PROMPT = (
    "read_resource",
    "get_prompt",
)  # our own tools for servers that have resources and prompts


def tools_of(entry: McpEntry) -> tuple[list[Tool], list[str]]:
    """Return the tools of a server, and what was simplified in their parameters.

    Names that terminals cannot use are changed. A tool that was once marked as able to write stays
    marked, whatever the server declares later.
    """
    made: dict[str, Tool] = {}
    warnings: list[str] = []
    for told in entry.known:
        name = safe(str(told.get("name") or ""))
        if not name or name in made:
            continue
        notes = told.get("annotations")
        title = str(
            told.get("title") or (notes.get("title") if isinstance(notes, dict) else "") or name
        )
        about = str(told.get("description") or "")[:ABOUT]
        known, simplified = bindable(told.get("inputSchema"))
        warnings += [f"{name}: {one}" for one in simplified]
        writes = not says_it_reads(told) or name in entry.writes
        made[name] = Tool(entry.id, name, title[:120], about, known, writes, entry.origin)
    return list(made.values()), warnings


def writing(known: list[dict[str, Any]]) -> list[str]:
    """Return the names of the tools that do not declare themselves read-only."""
    return [safe(str(told.get("name") or "")) for told in known if not says_it_reads(told)]


def says_it_reads(told: dict[str, Any]) -> bool:
    """Return whether a tool declares that it changes nothing."""
    notes = told.get("annotations")
    return isinstance(notes, dict) and notes.get("readOnlyHint") is True


def bindable(schema: Any) -> tuple[dict[str, Any], list[str]]:
    """Return a schema from which a grammar can be made, with its references resolved; and the parts
    that were simplified.
    """
    if not isinstance(schema, dict):
        return {}, []
    writer = SchemaWriter(schema)
    try:
        return writer.schema(schema), writer.warnings
    except NoSuchPart as error:
        why = f"“{error.reference[:100]}” leads nowhere; anything is taken, the server checks it"
        return {"type": "object"}, [why]


def named(entry: McpEntry, name: str) -> str | None:
    """Return the server's own name for a tool, or None."""
    return next(
        (str(t["name"]) for t in entry.known if safe(str(t.get("name") or "")) == name), None
    )


def safe(name: str) -> str:
    """Return a name with only letters, digits, _ and -, at most 64 characters."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:64]


def reading(
    resources: list[types.Resource], templates: list[types.ResourceTemplate]
) -> dict[str, Any]:
    """Return our tool that reads the resources of a server; the braces in a template have to be
    filled in.
    """
    lines = [f"{one.uri}: {one.title or one.name}" for one in resources[:LISTED]]
    about = "Read one of these resources, by its URI:\n" + "\n".join(lines)
    if templates:
        filled = [f"{one.uri_template}: {one.title or one.name}" for one in templates[:LISTED]]
        about += "\nOr one of these, with a value in place of each {…}:\n" + "\n".join(filled)
    return ours(READ, about, {"uri": {"type": "string"}}, ["uri"])


def prompting(prompts: list[types.Prompt]) -> dict[str, Any]:
    """Return our tool that fills in the prompts of a server."""
    lines = [
        f"{one.name}({', '.join(a.name for a in one.arguments or [])}):"
        f" {one.description or one.title or ''}"
        for one in prompts[:LISTED]
    ]
    about = "Fill in one of these templates and return its text:\n" + "\n".join(lines)
    properties = {
        "name": {"type": "string", "enum": [one.name for one in prompts[:LISTED]]},
        "arguments": {"type": "object", "additionalProperties": {"type": "string"}},
    }
    return ours(PROMPT, about, properties, ["name"])


def ours(name: str, about: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    """Return one of our tools in the protocol's form."""
    schema = {"type": "object", "properties": properties, "required": required}
    return {
        "name": name,
        "description": about,
        "inputSchema": schema,
        "annotations": {"readOnlyHint": True},
    }


def result_of(result: types.CallToolResult) -> ToolAnswer:
    """Return the result of a tool."""
    if result.structured_content is not None:
        content = json.dumps(result.structured_content, ensure_ascii=False)
        return ToolAnswer(content, result.is_error, note=failure(result.is_error))
    return answer_of(list(result.content), failed=result.is_error)


def failure(failed: bool) -> str:
    """Return the message for a failure."""
    return "It says that this did not work." if failed else ""


def answer_of(parts: list[Any], *, failed: bool = False) -> ToolAnswer:
    """Return the parts of an answer as one text, with its pictures; of the other parts, only the
    first is kept completely.
    """
    texts, notes, full, kind = list[str](), list[str](), b"", ""
    pictures: list[bytes] = []
    for part in parts:
        inner = getattr(part, "resource", part)
        if isinstance(text := getattr(inner, "text", None), str):
            texts.append(text)
        elif isinstance(data := getattr(inner, "data", None) or getattr(inner, "blob", None), str):
            body = decoded(data)
            told = getattr(inner, "mime_type", None) or "an unknown type"
            if len(shown([*pictures, body])) > len(pictures):
                pictures.append(
                    body
                )  # the user sees it, so it need not be described or looked for on disk
                continue
            notes.append(f"A part of the answer is not text: {told}, {len(body):,} bytes.")
            full, kind = full or body, kind or told
        elif (uri := getattr(inner, "uri", None)) is not None:
            texts.append(f"{getattr(inner, 'name', '')} {uri}".strip())
    content = "\n".join(texts)
    if len(content) > ANSWER:
        content, notes = (
            content[:ANSWER],
            [*notes, "The answer is longer than 10 MB; only the beginning was read."],
        )
    note = " ".join([failure(failed), *notes]).strip()
    return ToolAnswer(content, failed, full, kind, note=note, pictures=tuple(pictures))


def decoded(data: str) -> bytes:
    """Return base64 decoded; empty if it is invalid."""
    try:
        return base64.b64decode(data, validate=True)[:ANSWER]
    except (binascii.Error, ValueError):
        return b""
