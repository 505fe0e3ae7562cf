"""The events that a copilot sends, and their wire format."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal

from backends.protocol.request import Dialect


@dataclass(frozen=True)
class MessageChunk:
    """A piece of the answer."""

    delta: str


@dataclass(frozen=True)
class FunctionCall:
    """A call that the terminal should run. The stream ends after it."""

    function: str
    arguments: dict[str, Any]
    extra_state: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class StatusUpdate:
    """One step, in words. hidden: whether the step is only for the terminal and not for people who
    read the steps.
    """

    level: Literal["INFO", "WARNING", "ERROR"]
    message: str
    details: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    hidden: bool = False


@dataclass(frozen=True)
class ArtifactEvent:
    """A table or a chart, whose content consists of rows."""

    type: Literal["table", "chart", "text"]
    name: str
    description: str
    uuid: str
    content: Any
    chart_params: dict[str, Any] | None = None


@dataclass(frozen=True)
class CitationEvent:
    """The source of a number: a widget, and details such as row and column."""

    id: str
    widget: dict[str, Any]
    details: list[dict[str, Any]]


@dataclass(frozen=True)
class CitationsEvent:
    """The citations of an answer, in the order of its markers."""

    citations: list[CitationEvent]


@dataclass(frozen=True)
class SuggestionsEvent:
    """Suggested follow-up questions."""

    suggestions: list[str]


Event = (
    MessageChunk | FunctionCall | StatusUpdate | ArtifactEvent | CitationsEvent | SuggestionsEvent
)


def encode(event: Event, dialect: Dialect) -> tuple[str, str] | None:
    """Return an event's name and JSON, or None if this generation of the protocol has no such
    event.
    """
    name, data = shape(event)
    if dialect == "2024" and not isinstance(event, MessageChunk | FunctionCall):
        return None
    return name, json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def shape(event: Event) -> tuple[str, dict[str, Any]]:
    """Return an event's name and fields. Absent fields are omitted, never null."""
    if isinstance(event, MessageChunk):
        return "copilotMessageChunk", {"delta": event.delta}
    if isinstance(event, FunctionCall):
        state = {"extra_state": event.extra_state} if event.extra_state else {}
        return "copilotFunctionCall", {
            "function": event.function,
            "input_arguments": event.arguments,
            **state,
        }
    if isinstance(event, StatusUpdate):
        return "copilotStatusUpdate", {
            "eventType": event.level,
            "message": event.message,
            "group": "reasoning",
            "details": event.details,
            "artifacts": [],
            "hidden": event.hidden,
        }
    if isinstance(event, ArtifactEvent):
        chart = {"chart_params": event.chart_params} if event.chart_params else {}
        return "copilotMessageArtifact", {
            "type": event.type,
            "name": event.name,
            "description": event.description,
            "uuid": event.uuid,
            "content": event.content,
            **chart,
        }
    if isinstance(event, CitationsEvent):
        listed = [
            {
                "id": c.id,
                "source_info": {"type": "widget", "citable": True, **c.widget},
                "details": c.details,
            }
            for c in event.citations
        ]
        return "copilotCitationCollection", {"citations": listed}
    return "copilotPromptSuggestions", {"suggestions": event.suggestions}
