"""A small server of the Model Context Protocol, written with the official package: over stdio, or over HTTP at a port."""

from __future__ import annotations

import sys

from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations

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


@server.prompt()
def review(code: str) -> str:
    """Ask for a review."""
    return f"Review this: {code}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run("stdio")
