"""Bring what a copilot sent into the terminal's shapes and drop the rest."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from app.domain.events import (
    Artifact,
    Call,
    CellRef,
    Citation,
    Citations,
    Item,
    Status,
    Suggestions,
    read_details,
)
from app.domain.stream import Chunk

if TYPE_CHECKING:
    from app.adapters.copilots.client import WireEvent


def translate(event: WireEvent) -> Item | None:
    """Return a wire event as one of ours; None for what this terminal does not know."""
    data = event.data
    if event.name == "copilotMessageChunk":
        delta = data.get("delta")
        return Chunk("assistant", "message", delta) if isinstance(delta, str) and delta else None
    if event.name == "copilotFunctionCall":
        arguments = data.get("input_arguments")
        return Call(
            str(data.get("function", "")),
            arguments if isinstance(arguments, dict) else {},
            event.raw,
        )
    if event.name == "copilotStatusUpdate":
        return status(data)
    if event.name == "copilotMessageArtifact":
        return artifact(data)
    if event.name == "copilotCitationCollection":
        listed = data.get("citations")
        return Citations(
            [citation(c) for c in listed if isinstance(c, dict)] if isinstance(listed, list) else []
        )
    if event.name == "copilotPromptSuggestions":
        offered = data.get("suggestions")
        return Suggestions([str(s) for s in offered] if isinstance(offered, list) else [])
    return None


def status(raw: dict[str, Any]) -> Status:
    """Return a step with its artifacts; artifacts of unknown shape are dropped."""
    made, details = raw.get("artifacts"), read_details(raw.get("details"))
    return Status(
        str(raw.get("eventType", "INFO")),
        str(raw.get("message", "")),
        details.rest,
        [artifact(a) for a in made if isinstance(a, dict)] if isinstance(made, list) else [],
        str(raw.get("group") or ""),
        bool(raw.get("hidden")),
        details.reading,
        details.thought,
    )


def artifact(raw: dict[str, Any]) -> Artifact:
    """Return an artifact, its rows as rows."""
    return Artifact(
        str(raw.get("type")),
        str(raw.get("name") or ""),
        read_rows(raw.get("content")),
        chart_of(raw.get("chart_params")),
        str(raw.get("description") or ""),
        str(raw.get("uuid") or ""),
    )


def read_rows(content: Any) -> Any:
    """Return rows that came as JSON text as rows."""
    if isinstance(content, str):
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            return content
    return content


def citation(raw: dict[str, Any]) -> Citation:
    """Return a citation; the cell if its details name one."""
    info = raw.get("source_info")
    source: dict[str, Any] = info if isinstance(info, dict) else {}
    details = raw.get("details")
    first = (
        details[0] if isinstance(details, list) and details and isinstance(details[0], dict) else {}
    )
    cell = None
    if type(first.get("row")) is int and first["row"] >= 0 and isinstance(first.get("column"), str):
        cell = cell_of(first)
    raw_metadata = source.get("metadata")
    metadata: dict[str, Any] = raw_metadata if isinstance(raw_metadata, dict) else {}
    given = metadata.get("input_args")
    name = str(source.get("name") or "")
    url = next((one for one in (metadata.get("url"), name) if isinstance(one, str)), "")
    kind = str(source.get("type") or "widget")
    return Citation(
        str(source.get("uuid") or ""),
        name,
        cell,
        first.get("value") if cell is None or cell.last is None else None,
        # Only the terminal says which file a citation opens.
        kind if kind != "document" else "direct retrieval",
        url if url.startswith(("http://", "https://")) else "",
        details if isinstance(details, list) else [],
        quotes_of(raw.get("quote_bounding_boxes")),
        str(source.get("origin") or ""),
        str(source.get("widget_id") or ""),
        given if isinstance(given, dict) else {},
    )


def cell_of(detail: dict[str, Any]) -> CellRef:
    """Return the cell a detail names, or the cells from it to a last one."""
    last, cells = detail.get("last_row"), detail.get("cells")
    several = type(last) is int and type(cells) is int and last > detail["row"] and cells > 1
    source_hash = str(detail.get("source_hash", ""))
    if several and isinstance(cells, int):
        where = detail.get("where")
        found = where if isinstance(where, list) else []
        return CellRef(source_hash, detail["row"], detail["column"], last, cells, found)
    return CellRef(source_hash, detail["row"], detail["column"])


def quotes_of(raw: object) -> list[list[dict[str, Any]]]:
    """Return the boxes of quotes; those without a page and four numbers are left out."""
    groups = [group for group in raw if isinstance(group, list)] if isinstance(raw, list) else []
    made = [[box for box in group if is_box(box)] for group in groups]
    return [group for group in made if group]


def is_box(raw: object) -> bool:
    """Return whether a box says where on which page it is."""
    sides = ("page", "x0", "top", "x1", "bottom")
    return isinstance(raw, dict) and all(
        isinstance(raw.get(s), int | float) and not isinstance(raw.get(s), bool) for s in sides
    )


def chart_of(raw: object) -> dict[str, Any] | None:
    """Return how an artifact is drawn: names of columns for x and y, those of a pie, or a figure of
    Plotly's.

    None if it says no such thing.
    """
    if not isinstance(raw, dict):
        return None
    if isinstance(raw.get("data"), list) and isinstance(raw.get("layout"), dict):
        return {
            "chartType": "plotly",
            "data": [t for t in raw["data"] if isinstance(t, dict)],
            "layout": raw["layout"],
        }
    if isinstance(raw.get("angleKey"), str) and isinstance(raw.get("calloutLabelKey"), str):
        return raw
    if not isinstance(raw.get("xKey"), str):
        return None
    named = raw.get("yKey")
    return raw | {
        "yKey": [key for key in named if isinstance(key, str)] if isinstance(named, list) else []
    }
