"""Code a copilot wants run, in whichever way it asks, and how it is told that it may."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.domain.events import RUN_CODE
from app.domain.tool import TERMINAL

if TYPE_CHECKING:
    from app.domain.events import Call

TOOL: dict[str, Any] = {
    "server_id": TERMINAL,
    "name": RUN_CODE,
    "url": "deskpilot:code",
    "description": (
        "Runs code on the person's machine once they allow it, and returns what it printed. Python keeps its variables "
        "in a conversation; attached tables are pandas DataFrames there, by their names. Pictures that are shown go to the "
        "person. There is no network."
    ),
    "input_schema": {
        "type": "object",
        "properties": {
            "language": {"type": "string", "enum": ["python", "shell", "javascript"]},
            "code": {"type": "string"},
        },
        "required": ["language", "code"],
    },
}


def code_of(call: Call) -> tuple[str, str] | None:
    """Return the language and the text of code a call wants run; None for any other call."""
    told = call.arguments
    if call.function == "execute_agent_tool":
        if (told.get("server_id"), told.get("tool_name")) != (TERMINAL, RUN_CODE):
            return None
        inner = told.get("parameters")
        told = inner if isinstance(inner, dict) else {}
    elif call.function != RUN_CODE:
        return None
    code = told.get("code")
    return str(told.get("language") or ""), code if isinstance(code, str) else ""
