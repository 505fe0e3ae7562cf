"""Widgets made by a copilot: notes, tables, charts and pages; we store their content in a file."""

from __future__ import annotations

import asyncio
import uuid
from typing import TYPE_CHECKING, Any

from app.data.tables import uuid_of
from app.domain.dashboard import Widget
from app.domain.errors import DeskpilotError
from app.openbb.content import Content
from app.services.dashboard.snapshots import file_name, write, write_text

if TYPE_CHECKING:
    from pathlib import Path

MOST_ROWS, MOST_TEXT = 10_000, 500_000


def note(name: str, text: str) -> Widget:
    """Return a note."""
    return Widget(uuid.uuid4().hex, name[:80], "", type="note", text=text[:MOST_TEXT])


async def widget_of(arguments: dict[str, Any], folder: Path) -> Widget:
    """Return the widget that a call describes, after writing its file.

    Raises: DeskpilotError if it cannot be shown, BackendError if the disk is full.
    """
    kind, data = arguments.get("widget_type"), arguments.get("data")
    name = str(arguments.get("name") or "Widget")[:80]
    about = str(arguments.get("description") or "")[:500]
    if kind == "note" and isinstance(data, str):
        return note(name, data)
    place = folder / uuid.uuid4().hex
    if kind == "html" and isinstance(data, str):
        path = place / f"{file_name(name)}.html"
        await asyncio.to_thread(write_text, path, data[:MOST_TEXT])
        return Widget(uuid_of(path), name, str(path), about, type="html")
    rows = [row for row in data if isinstance(row, dict)] if isinstance(data, list) else []
    if kind not in ("table", "chart") or not rows:
        raise DeskpilotError(
            f"This cannot be made into a widget of type {kind!r}.",
            "Types: note and html with text, table and chart with rows; a chart with chart_params.",
        )
    path = place / f"{file_name(name)}.json"
    content = Content("table", rows[:MOST_ROWS])
    if kind == "chart":
        content = Content("plotly", figure(arguments.get("chart_params"), rows[:MOST_ROWS]))
    await asyncio.to_thread(write, path, content, {})
    return Widget(uuid_of(path), name, str(path), about, type=content.type)


def figure(params: object, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a Plotly figure of rows.

    Raises: DeskpilotError if the parameters name no columns.
    """
    told = params if isinstance(params, dict) else {}
    form = str(told.get("chartType"))
    if form in ("pie", "donut") and told.get("angleKey"):
        values, labels = (
            [row.get(str(told.get(k))) for row in rows] for k in ("angleKey", "calloutLabelKey")
        )
        return {
            "data": [
                {
                    "type": "pie",
                    "values": values,
                    "labels": labels,
                    "hole": 0.5 if form == "donut" else 0,
                }
            ],
            "layout": {},
        }
    keys = (
        [k for k in told.get("yKey") or [] if isinstance(k, str)]
        if isinstance(told.get("yKey"), list)
        else []
    )
    if not keys or not isinstance(told.get("xKey"), str):
        raise DeskpilotError(
            "The chart specifies no columns.", "Specify chart_params with chartType, xKey and yKey."
        )
    x = [row.get(told["xKey"]) for row in rows]
    kind = (
        {"type": "bar"}
        if form == "bar"
        else {"type": "scatter", "mode": "markers" if form == "scatter" else "lines"}
    )
    return {
        "data": [kind | {"name": k, "x": x, "y": [row.get(k) for row in rows]} for k in keys],
        "layout": {},
    }
