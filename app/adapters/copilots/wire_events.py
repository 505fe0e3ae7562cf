"""Convert a copilot's data to the terminal's formats, and drop the rest."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Field, SkipValidation

from app.domain.events import (
    Artifact,
    CellRef,
    Citation,
    Citations,
    CopilotCall,
    Item,
    Status,
    Suggestions,
    read_details,
    read_quotes,
)
from app.domain.stream import Chunk
from app.openbb.wire import Fields, Objects, OnlyText, Text, WireObject

if TYPE_CHECKING:
    from app.adapters.copilots.client import WireEvent


def list_of(raw: object) -> list[Any]:
    """Return the value if it is a list; otherwise, return an empty list."""
    return list(raw) if isinstance(raw, list) else []


def as_place(raw: object) -> int | None:
    """Return the value if it is an integer that is valid as a row number; otherwise, return
    None.
    """
    return raw if type(raw) is int and raw >= 0 else None


def text_or_none(raw: object) -> str | None:
    """Return the value if it is a string; otherwise, return None."""
    return raw if isinstance(raw, str) else None


Values = Annotated[SkipValidation[list[Any]], BeforeValidator(list_of)]
Row = Annotated[SkipValidation[int | None], BeforeValidator(as_place)]


class WireWords(WireObject):
    """A piece of an answer."""

    delta: OnlyText = ""


class WireCall(WireObject):
    """A function call by a copilot."""

    function: Any = ""
    arguments: Fields = Field(default={}, alias="input_arguments")


class WireArtifact(WireObject):
    """A table, chart or text of an answer."""

    type: Any = None
    name: Text = ""
    content: Any = None
    chart: Any = Field(default=None, alias="chart_params")
    description: Text = ""
    uuid: Text = ""


class WireStatus(WireObject):
    """A step that a copilot reports."""

    level: Any = Field(default="INFO", alias="eventType")
    message: Any = ""
    details: Values = Field(default=[])
    artifacts: Objects = Field(default=[])
    group: Text = ""
    hidden: Any = False


class WireMetadata(WireObject):
    """The description of a source, excluding its name."""

    url: Any = None
    arguments: Fields = Field(default={}, alias="input_args")


class WireSource(WireObject):
    """The source that a citation refers to."""

    uuid: Text = ""
    name: Text = ""
    type: Text = ""
    origin: Text = ""
    widget_id: Text = ""
    metadata: Annotated[WireMetadata, BeforeValidator(WireMetadata.read)] = WireMetadata()


class WireCell(WireObject):
    """The first detail of a citation, which may specify a cell, or a range from a first to a last
    cell.
    """

    row: Row = None
    column: Annotated[SkipValidation[str | None], BeforeValidator(text_or_none)] = None
    value: Any = None
    source_hash: Any = ""
    last_row: Row = None
    cells: Row = None
    where: Values = Field(default=[])


class WireCitation(WireObject):
    """A citation in an answer."""

    source: Annotated[WireSource, BeforeValidator(WireSource.read)] = Field(
        default=WireSource(), alias="source_info"
    )
    details: Values = Field(default=[])
    quotes: Values = Field(default=[], alias="quote_bounding_boxes")


class WireCitations(WireObject):
    """The citations in an answer."""

    citations: Objects = Field(default=[])


class WireSuggestions(WireObject):
    """Questions that the user might ask next."""

    suggestions: Values = Field(default=[])


def translate(event: WireEvent) -> Item | None:
    """Return a protocol event as one of our events; None if this terminal does not support it."""
    data = event.data
    match event.name:
        case "copilotMessageChunk":
            delta = WireWords.read(data).delta
            return Chunk("assistant", "message", delta) if delta else None
        case "copilotFunctionCall":
            call = WireCall.read(data)
            return CopilotCall(str(call.function), call.arguments, event.raw)
        case "copilotStatusUpdate":
            return status(WireStatus.read(data))
        case "copilotMessageArtifact":
            return artifact(WireArtifact.read(data))
        case "copilotCitationCollection":
            listed = WireCitations.read(data).citations
            return Citations([citation(WireCitation.read(one)) for one in listed])
        case "copilotPromptSuggestions":
            return Suggestions([str(one) for one in WireSuggestions.read(data).suggestions])
        case _:
            return None


def status(told: WireStatus) -> Status:
    """Return a step with its artifacts; artifacts in an unknown format are dropped."""
    details = read_details(told.details)
    return Status(
        str(told.level),
        str(told.message),
        details.rest,
        [artifact(WireArtifact.read(one)) for one in told.artifacts],
        told.group,
        bool(told.hidden),
        details.reading,
        details.thought,
        details.passing,
    )


def artifact(told: WireArtifact) -> Artifact:
    """Return an artifact; if it is a table, its rows are parsed."""
    return Artifact(
        str(told.type),
        told.name,
        read_rows(told.content),
        chart_of(told.chart),
        told.description,
        told.uuid,
    )


def read_rows(content: Any) -> Any:
    """Return, as a list, rows that were sent as JSON text."""
    if isinstance(content, str):
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            return content
    return content


def citation(told: WireCitation) -> Citation:
    """Return a citation, with a cell if its details specify one."""
    source, detail = told.source, WireCell.read(told.details[0] if told.details else None)
    cell = cell_of(detail)
    metadata = source.metadata
    url = next((one for one in (metadata.url, source.name) if isinstance(one, str)), "")
    kind = source.type or "widget"
    return Citation(
        source.uuid,
        source.name,
        cell,
        detail.value if cell is None or cell.last is None else None,
        # Only the terminal decides which file a citation opens.
        kind if kind != "document" else "direct retrieval",
        url if url.startswith(("http://", "https://")) else "",
        told.details,
        read_quotes(told.quotes),
        source.origin,
        source.widget_id,
        metadata.arguments,
    )


def cell_of(detail: WireCell) -> CellRef | None:
    """Return the cell or range of cells that a detail specifies; None if it does not specify
    any.
    """
    if detail.row is None or detail.column is None:
        return None
    source_hash, last, cells = str(detail.source_hash), detail.last_row, detail.cells
    if last is not None and cells is not None and last > detail.row and cells > 1:
        return CellRef(source_hash, detail.row, detail.column, last, cells, detail.where)
    return CellRef(source_hash, detail.row, detail.column)


def chart_of(raw: object) -> dict[str, Any] | None:
    """Return how an artifact is plotted: the column names for x and y, those of a pie chart, or a
    Plotly figure.

    Return None if the data does not specify how.
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
