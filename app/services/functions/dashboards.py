"""The changes that a copilot can make to dashboards: adding widgets and notes, setting parameters,
and creating and naming tabs.

Widgets made by a copilot: notes, tables, charts and pages, whose content is stored in files.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.data.tables import uuid_of
from app.domain.dashboard import COLUMNS, TilePlace, Widget
from app.domain.errors import DeskpilotError, UnknownWidget
from app.openbb.content import Content
from app.services.consents import Consent
from app.services.dashboard.snapshots import file_name, write, write_text
from app.services.dashboard.widgets import may_be_read
from app.services.functions.context import (
    CallContext,
    FunctionReply,
    WidgetRequest,
    attempted,
    joined,
    sources_of,
)

if TYPE_CHECKING:
    from app.services.dashboard.tiles import Dashboard


MOST_ROWS, MOST_TEXT = 10_000, 500_000


def note(name: str, text: str) -> Widget:
    """Return a note."""
    return Widget(uuid.uuid4().hex, name[:80], "", type="note", text=text[:MOST_TEXT])


async def widget_of(arguments: dict[str, Any], folder: Path) -> Widget:
    """Return the widget that a call describes, after writing its file.

    Raises: DeskpilotError if the widget cannot be shown; BackendError if the disk is full.
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
    """Return a Plotly figure that shows rows.

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


HIGH, MOST_TABS = 9, 20
Change = Callable[[CallContext, dict[str, Any]], Awaitable[dict[str, str]]]


async def each(desk: CallContext, arguments: dict[str, Any], change: Change) -> FunctionReply:
    """Apply a change to each data source. Return an entry for each source in the same order; if a
    change failed, the entry states the reason.
    """
    desk.work()

    async def one(source: dict[str, Any]) -> str:
        return json.dumps(await change(desk, source), ensure_ascii=False)

    return joined([await attempted(one(source)) for source in sources_of(arguments)])


async def add_widget_to_dashboard(desk: CallContext, arguments: dict[str, Any]) -> FunctionReply:
    """Put widgets from backends, or notes, on the open dashboard."""
    return await each(desk, arguments, add_one)


async def add_one(desk: CallContext, source: dict[str, Any]) -> dict[str, str]:
    """Put one widget or note on the open dashboard."""
    widgets, boards = desk.work()
    asked = WidgetRequest.of(source)
    tab, where = wanted_tab(boards.dashboard, asked.values.get("inner_tab"))
    if asked.id == "rich_note":
        made = note(str(asked.values.get("name") or "Note"), str(asked.values.get("content") or ""))
        boards.dashboard.send_to(made.uuid, tab)
        await widgets.add(made)
    else:
        meant = desk.find(asked)
        values = {k: v for k, v in asked.values.items() if k != "inner_tab"}
        made = boards.live.make(meant.origin, meant.widget_id, values)
        boards.dashboard.send_to(made.uuid, tab)
        boards.dashboard.reserve(made.uuid, TilePlace(made.uuid, 0, -1, COLUMNS, HIGH))
        await boards.live.begin(made)
    return {"message": f"Added {made.name} {where}.", "widget_uuid": made.uuid}


async def update_widget_in_dashboard(desk: CallContext, arguments: dict[str, Any]) -> FunctionReply:
    """Set parameters of several widgets."""
    return await each(desk, arguments, update_one)


async def update_one(desk: CallContext, source: dict[str, Any]) -> dict[str, str]:
    """Set the parameters of one widget."""
    widgets, boards = desk.work()
    asked = WidgetRequest.of(source)
    uid = desk.find(asked).uuid
    if uid not in widgets or not widgets.get(uid).backend:
        raise UnknownWidget("This widget has no parameters here.", "Add it to the dashboard first.")
    known = {param.name for param in boards.live.spec(uid).params}
    if unknown := sorted(set(asked.values) - known):
        raise DeskpilotError(
            f"It has no parameter {', '.join(unknown)}.", f"It has: {', '.join(sorted(known))}."
        )
    widget = widgets.get(uid)
    await widgets.change(replace(widget, values=widget.values | asked.values))
    boards.live.fetch(uid)
    return {"message": f"Updated {widget.name}.", "widget_uuid": uid}


async def add_generative_widget(desk: CallContext, arguments: dict[str, Any]) -> FunctionReply:
    """Put a note, table, chart or page that the copilot made on the open dashboard.

    Raises: DeskpilotError if it cannot be shown.
    """
    widgets, boards = desk.work()
    tab, where = wanted_tab(boards.dashboard, arguments.get("inner_tab"))
    made = await widget_of(arguments, boards.live.folder)
    boards.dashboard.send_to(made.uuid, tab)
    await widgets.add(made)
    if may_be_read(made):
        await widgets.fetched(made)
    told = {"message": f"Added {made.name} {where}.", "widget_uuid": made.uuid}
    return FunctionReply(json.dumps(told, ensure_ascii=False))


async def manage_navigation_bar(desk: CallContext, arguments: dict[str, Any]) -> FunctionReply:
    """Create, name and remove dashboards. The open dashboard stays open, and dashboards with
    widgets are removed only if the user allows it.

    Raises: DeskpilotError.
    """
    widgets, boards = desk.work()
    dashboard, operation = boards.dashboard, arguments.get("operation")
    if operation in ("create", "add_tabs"):
        done = add_tabs(dashboard, names_of(arguments))
    elif operation == "rename_tabs":
        done = rename_tabs(dashboard, arguments.get("rename_map"))
    elif operation == "remove_tabs":
        done = await remove_tabs(desk, names_of(arguments))
    else:
        raise DeskpilotError(
            f"There is no operation {operation!r}.",
            "Available: create, add_tabs, rename_tabs, remove_tabs.",
        )
    await dashboard.save()
    widgets.tell()
    return FunctionReply(json.dumps({"message": done}, ensure_ascii=False))


def names_of(arguments: dict[str, Any]) -> list[str]:
    """Return the tab names in a call."""
    return [str(tab.get("name") or "") for tab in sources_of(arguments, "tabs")]


def add_tabs(dashboard: Dashboard, names: list[str]) -> str:
    """Add dashboards after the existing ones."""
    if len(dashboard.tabs) + len(names) > MOST_TABS:
        raise DeskpilotError(
            f"There can be at most {MOST_TABS} dashboards.", "Use the ones available."
        )
    opened = dashboard.current
    made = [dashboard.add_tab(name).name for name in names]
    dashboard.open(opened)
    return f"Made {', '.join(made)}."


def rename_tabs(dashboard: Dashboard, names: object) -> str:
    """Rename dashboards. names: the new names, by the old names."""
    if not isinstance(names, dict) or not names:
        raise DeskpilotError(
            "The call names no tabs.", "Rename them with rename_map, from old to new."
        )
    for old, new in names.items():
        dashboard.rename_tab(tab_named(dashboard, str(old)), str(new))
    return f"Renamed {len(names)}."


async def remove_tabs(desk: CallContext, names: list[str]) -> str:
    """Remove dashboards. Those with widgets are removed only if the user allows it.

    Raises: DeskpilotError.
    """
    widgets, boards = desk.work()
    dashboard = boards.dashboard
    found = [tab_named(dashboard, name) for name in names]
    held = [tab for tab in dashboard.tabs if tab.id in found and tab.tiles]
    if held:
        told = ", ".join(tab.name for tab in held)
        shown = [widgets.get(tile.id) for tab in held for tile in tab.tiles if tile.id in widgets]
        safe = all(can_be_added_again(widget, boards.live.folder) for widget in shown)
        if not await dashboard.consents.ask(
            Consent(f"Close the dashboard {told}? Widgets on it: {len(shown)}.", safe)
        ):
            raise DeskpilotError(f"{told} contains widgets.", "Only the person may close it.")
    for tab in found:
        await dashboard.close_tab(tab)
    return f"Removed {', '.join(names)}."


def can_be_added_again(widget: Widget, made: Path) -> bool:
    """Return whether a widget only shows data that is stored elsewhere: in one of the user's files,
    at a backend, or in another table.

    made: the folder for files that copilots made.
    """
    return bool(
        widget.backend or widget.of or (widget.path and made not in Path(widget.path).parents)
    )


def wanted_tab(dashboard: Dashboard, name: object) -> tuple[str, str]:
    """Return the id of the dashboard named in a call, and a description of where the new widget is.
    If the name is unknown, return those for the open dashboard.
    """
    here = next(tab for tab in dashboard.tabs if tab.id == dashboard.current)
    found = next((tab for tab in dashboard.tabs if name in (tab.id, tab.name)), None)
    if not name or found is not None:
        return (found or here).id, "to the dashboard" if not name else f"to {(found or here).name}"
    return here.id, f"to {here.name}, since there is no tab {str(name)[:80]!r}"


def tab_named(dashboard: Dashboard, name: str) -> str:
    """Return the id of a dashboard, given its id or name.

    Raises: DeskpilotError.
    """
    for tab in dashboard.tabs:
        if name in (tab.id, tab.name):
            return tab.id
    raise DeskpilotError(
        f"There is no tab {name!r}.", f"Available: {', '.join(t.name for t in dashboard.tabs)}."
    )
