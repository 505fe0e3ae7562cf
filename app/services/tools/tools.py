"""The tools of the terminal, together: one door, and who stands behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.services.tools.assistants import Assistants
    from app.services.tools.mcp import McpServers
    from app.services.tools.plugins import Plugins
    from app.services.tools.toolbox import Toolbox


@dataclass(frozen=True)
class Belt:
    """box: what is offered, and every call. plugins: those the person took; mcp: the servers they
    added.

    assistants: what they put together of models, tools and tables.
    """

    box: Toolbox
    plugins: Plugins
    mcp: McpServers
    assistants: Assistants
