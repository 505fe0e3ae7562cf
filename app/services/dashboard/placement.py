"""Put widgets on dashboards, from a backend or from an answer."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.data.tables import uuid_of
from app.domain.dashboard import COLUMNS, MIN_H, MIN_W, TilePlace, Widget
from app.domain.errors import UnknownWidget
from app.openbb.widgets import COLUMNS as THEIRS
from app.openbb.widgets import read_apps
from app.services.dashboard.snapshots import file_name, write
from app.services.dashboard.widgets import may_be_read

if TYPE_CHECKING:
    from pathlib import Path

    from app.openbb.content import Content
    from app.openbb.widgets import App, Backend, PlacedWidget, Spec
    from app.services.dashboard.live import Live
    from app.services.dashboard.tiles import Dashboard
    from app.services.dashboard.widgets import Widgets


async def pin(widgets: Widgets, folder: Path, name: str, about: str, content: Content) -> Widget:
    """Put content on the open dashboard.

    Raises: BackendError if it cannot be written; SourceError if its rows are not a table.
    """
    path = folder / uuid.uuid4().hex / f"{file_name(name)}.json"
    await asyncio.to_thread(write, path, content, {})
    made = Widget(uuid_of(path), name[:80], str(path), about[:500], type=content.type)
    await widgets.add(made)
    if may_be_read(made):
        await widgets.fetched(made)
    return made


ROWS = 0.7  # number of rows in our grid per row in a backend's grid
TALL = 12


async def place_widget(dashboard: Dashboard, live: Live, backend_id: str, widget_id: str) -> Widget:
    """Put a widget on the open dashboard, at full width, in the next free place.

    Raises: UnknownWidget.
    """
    made = live.make(backend_id, widget_id)
    high = min(max(round(live.backends.spec(backend_id, widget_id).h * ROWS) + 1, 4), TALL)
    dashboard.reserve(made.uuid, TilePlace(made.uuid, 0, -1, COLUMNS, high))
    await live.begin(made)
    return made


async def place_app(dashboard: Dashboard, live: Live, backend_id: str, number: int) -> int:
    """Open a dashboard that a backend publishes, with a tab for each of its tabs. Return how many
    of the widgets that it names do not exist at the backend.

    Raises: UnknownWidget.
    """
    backend = live.backends.get(backend_id)
    apps = read_apps(backend.apps)
    if number >= len(apps):
        raise UnknownWidget(
            f"{backend.name} no longer publishes this dashboard.", "Choose another."
        )
    app, missing, groups = apps[number], 0, uuid.uuid4().hex[:8]
    for name, placed in app.tabs:
        dashboard.add_tab(f"{app.name}: {name}" if name and len(app.tabs) > 1 else app.name)
        for one in sorted(placed, key=lambda p: (p.y, p.x)):
            spec = spec_of(backend, one.widget_id)
            if spec is None:
                missing += 1
                continue
            links, values = shared(app, one, spec, groups)
            made = replace(live.make(backend_id, spec.id, values), links=links, state=one.state)
            dashboard.reserve(made.uuid, tile_of(made.uuid, one))
            await live.begin(made)
    await dashboard.save()
    return missing


def shared(
    app: App, placed: PlacedWidget, spec: Spec, prefix: str
) -> tuple[dict[str, str], dict[str, Any]]:
    """Return which parameters a widget shares with which groups, and its parameter values,
    including those from the groups.
    """
    links: dict[str, str] = {}
    values = dict(placed.values)
    for group in app.groups:
        param = group.param_of(placed, spec)
        if param is not None and param not in links:
            links[param] = f"{prefix} {group.name}"
            if group.default is not None:
                values[param] = group.default
    return links, values


def spec_of(backend: Backend, widget_id: str) -> Spec | None:
    """Return a widget, given its id in a published dashboard, which may contain _ instead of a
    slash.
    """
    exact = backend.spec(widget_id)
    return exact or next((s for s in backend.specs() if s.id.replace("/", "_") == widget_id), None)


def tile_of(uid: str, placed: PlacedWidget) -> TilePlace:
    """Convert a position in the backend's forty-column grid to one in our twelve-column grid."""
    left = round(placed.x * COLUMNS / THEIRS)
    wide = max(round((placed.x + placed.w) * COLUMNS / THEIRS) - left, MIN_W)
    high = max(round(placed.h * ROWS) + 1, MIN_H)
    return TilePlace(uid, min(left, COLUMNS - wide), round(placed.y * ROWS), wide, high)
