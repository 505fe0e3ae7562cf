"""Our data interfaces as a read-only MCP server."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from mcp.server.lowlevel import Server
from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool, ToolAnnotations

from app.domain.errors import DeskpilotError
from app.services.dashboard.widgets import may_be_read
from app.services.functions.documents import SEARCH, AttachedDocuments, is_searched
from app.services.functions.documents import TOOL as SEARCH_TOOL
from backends.data.computation import interruptibly
from backends.data.errors import KernelError
from backends.data.interfaces import INTERFACES

if TYPE_CHECKING:
    from mcp.types import CallToolRequestParams

    from app.services.dashboard.widgets import Widgets
    from app.services.documents import Documents

TABLES = "list_tables"
ABOUT = (
    "The available tables, with their columns. The other tools expect the uuid of a table as their"
    " source."
)


def data_server(widgets: Widgets, documents: Documents | None = None) -> Server[Any]:
    """Return the MCP server for all open tables.

    documents: used to search the documents that were released to MCP clients.
    """

    def attached() -> AttachedDocuments | None:
        searched = [widget for widget in widgets.attached() if is_searched(widget)]
        return AttachedDocuments(documents, searched) if documents and searched else None

    async def list_tools(_: object, __: object) -> ListToolsResult:
        tools = [tool(TABLES, ABOUT, {"type": "object", "properties": {}}), *interfaces()]
        if attached() is not None:
            tools.append(tool(SEARCH, SEARCH_TOOL["description"], SEARCH_TOOL["input_schema"]))
        return ListToolsResult(tools=tools)

    async def call_tool(_: object, asked: CallToolRequestParams) -> CallToolResult:
        try:
            found = attached() if asked.name == SEARCH else None
            if found is not None:
                return told((await found.search(dict(asked.arguments or {}))).content)
            return told(await answer(widgets, asked.name, dict(asked.arguments or {})))
        except (DeskpilotError, KernelError) as error:
            return told(f"{error.text} {error.remedy}".strip(), is_error=True)

    return Server(
        "deskpilot", version=version("deskpilot"), on_list_tools=list_tools, on_call_tool=call_tool
    )


def interfaces() -> list[Tool]:
    """Return our interfaces as MCP tools."""
    return [
        tool(i.name, i.description, i.arguments.model_json_schema()) for i in INTERFACES.values()
    ]


def tool(name: str, about: str, schema: dict[str, Any]) -> Tool:
    """Return a tool that changes nothing."""
    notes = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    return Tool(name=name, description=about, input_schema=schema, annotations=notes)


async def answer(widgets: Widgets, name: str, arguments: dict[str, Any]) -> str:
    """Return the result of a tool.

    Raises: DeskpilotError, KernelError.
    """
    tables = [
        w
        for w in widgets.all()
        if w.type == "table" or (may_be_read(w) and widgets.is_open(w.uuid))
    ]
    if name == TABLES:
        profiles = [widgets.profile(widget.uuid) for widget in tables]
        listed = [
            {
                "uuid": p.source,
                "name": p.name,
                "rows": p.rows,
                "columns": {c.name: c.kind for c in p.columns},
            }
            for p in profiles
        ]
        return json.dumps(listed, ensure_ascii=False)
    if name not in INTERFACES:
        raise DeskpilotError(
            f"There is no tool {name!r}.", f"Available: {', '.join([TABLES, *INTERFACES])}."
        )
    wanted = str(arguments.get("source"))
    named = [widget.uuid for widget in tables if wanted in (widget.uuid, widget.name)]
    if len(named) != 1:
        raise DeskpilotError(f"There is no table {wanted!r}.", f"See {TABLES}.")
    result = await interruptibly(widgets.sources.run, name, arguments | {"source": named[0]})
    return result.model_dump_json()


def told(text: str, *, is_error: bool = False) -> CallToolResult:
    """Return text as an MCP result."""
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_error)
