"""A small server of the Model Context Protocol, written with the official package: over stdio, or
over HTTP at a port.
"""

from __future__ import annotations

import base64
import sys

from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.types import ToolAnnotations

POINT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
server = MCPServer("sample")


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def add(first: int, second: int) -> int:
    """Add two numbers."""
    return first + second


@server.tool()
def keep(text: str) -> str:
    """Keep a text."""
    return f"kept {text}"


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def fail() -> str:
    """Fail."""
    raise ValueError("it is broken")


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def crash() -> str:
    """End the process in the middle of a call."""
    import os

    os._exit(3)


@server.resource("sample://greeting", name="greeting")
def greeting() -> str:
    """Return a greeting."""
    return "Good morning."


@server.resource("sample://greeting/{name}", name="greeting by name")
def greeting_of(name: str) -> str:
    """Return a greeting to somebody."""
    return f"Good morning, {name}."


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def picture() -> Image:
    """Return a red point."""
    return Image(data=base64.b64decode(POINT), format="png")


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
async def grow(context: Context) -> str:
    """Have one tool more from now on, and one that says no more that it writes."""

    def later() -> str:
        """Be there later."""
        return "later"

    server.remove_tool("keep")
    server.add_tool(keep, annotations=ToolAnnotations(readOnlyHint=True))
    server.add_tool(later)
    await context.notify_tools_changed()
    await context.session.send_tool_list_changed()
    await context.notify_resource_updated("sample://greeting")
    await context.session.send_resource_updated("sample://greeting")
    return "grown"


@server.prompt()
def review(code: str) -> str:
    """Ask for a review."""
    return f"Review this: {code}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run("stdio")
