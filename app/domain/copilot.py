"""Copilots one can ask, and what goes along with a question."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Dialect = Literal["2024", "today"]


@dataclass(frozen=True)
class Copilot:
    """A copilot one can ask.

    query_url: where questions go. dialect: the protocol's generation it was told to speak.
    headers: sent to this copilot and to no other. note: what was changed of what it publishes.
    """

    id: str
    name: str
    query_url: str
    dialect: Dialect
    description: str = ""
    features: dict[str, Any] = field(default_factory=dict[str, Any])
    headers: dict[str, str] = field(default_factory=dict[str, str])
    note: str = ""

    @property
    def takes_tools(self) -> bool:
        """Whether it says that it calls tools of the terminal."""
        return bool(self.features.get("mcp-tools"))

    @property
    def takes_calls(self) -> bool:
        """Whether it asks for widget data, so that calls may stand in the history it is sent."""
        return bool(
            self.features.get("hasFunctionCalling")
            or self.features.get("widget-dashboard-select")
            or self.features.get("widget-dashboard-search")
            or self.takes_tools
        )


@dataclass(frozen=True)
class Offer:
    """What goes along with a question.

    widgets: attached ones as {uuid, name, description, metadata}; tools: AgentTools; options:
    workspace options.
    """

    widgets: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    tools: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    timezone: str = "UTC"
    model: str | None = None
