"""Which widgets a copilot is told of: attached ones, the rest of the dashboards, what backends have besides."""

from __future__ import annotations

import logging
import uuid
from typing import TYPE_CHECKING, Any

from app.data.library.offered import told_of
from app.domain.errors import DeskpilotError
from app.services.tables.offered import VIEWS
from app.services.web.pages import FETCHED

if TYPE_CHECKING:
    from app.domain.widget import Widget
    from app.domain.widget_backend import Backend, Spec
    from app.domain.widget_params import Param
    from app.services.dashboard.boards import Boards
    from app.services.widgets import Widgets

log = logging.getLogger(__name__)
OURS = "deskpilot"  # the origin of widgets that come from no backend
MOST_EXTRA = 200
TYPES = {
    "choice": "endpoint",
    "ticker": "ticker",
    "number": "number",
    "boolean": "boolean",
    "date": "date",
    "tabs": "tabs",
}


def shown(widgets: Widgets, boards: Boards | None, uids: list[str]) -> list[dict[str, Any]]:
    """Return widgets that stand on a dashboard as a request tells of them."""
    offered = designed(widgets, widgets.offered(uids))
    return [placed(widgets.get(entry["uuid"]), boards) | entry for entry in offered]


def designed(widgets: Widgets, offered: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return widgets, those of tables with the library's interfaces over them in the metadata.

    A library that cannot be read stops no question: whoever opens it is told.
    """
    try:
        library = widgets.sources.library()
    except DeskpilotError as error:
        log.warning("the library is left out: %s", error)
        return offered
    over = {
        uid: [e for e in library if uid in e.workflow.sources()]
        for uid in (o["uuid"] for o in offered)
    }
    return [
        o
        | {
            "metadata": o["metadata"]
            | {"interfaces": [told_of(e).model_dump(mode="json") for e in entries]}
        }
        if (entries := over[o["uuid"]])
        else o
        for o in offered
    ]


def rest(widgets: Widgets, boards: Boards | None, attached: list[str]) -> list[dict[str, Any]]:
    """Return what else stands on the dashboards: names and parameters, nothing of what they hold."""
    others = [w.uuid for w in widgets.all() if w.uuid not in attached and w.type not in VIEWS]
    return [entry | {"metadata": {}} for entry in shown(widgets, boards, others)]


def agreed(widgets: Widgets, uids: list[str]) -> list[str]:
    """Return the web addresses whose pages the person let go along."""
    found = [widgets.get(uid) for uid in uids]
    return [
        w.description.removeprefix(FETCHED)
        for w in found
        if w.description.startswith(FETCHED) and not w.backend
    ]


def extra(boards: Boards | None) -> list[dict[str, Any]]:
    """Return what backends publish, wherever it stands or does not."""
    if boards is None:
        return []
    made = [
        entry_of(backend, spec)
        for backend in boards.live.backends.all()
        for spec in backend.specs()
    ]
    return made[:MOST_EXTRA]


def entry_of(backend: Backend, spec: Spec) -> dict[str, Any]:
    """Return a published widget; its uuid is the same every time."""
    return {
        "uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{backend.url}#{spec.id}")),
        "origin": backend.id,
        "widget_id": spec.id,
        "name": spec.name,
        "description": spec.description or spec.name,
        "params": [p for param in spec.params if (p := param_of(param)) is not None],
        "source": spec.source,
        "category": spec.category or None,
        "metadata": {},
    }


def placed(widget: Widget, boards: Boards | None) -> dict[str, Any]:
    """Return where a widget comes from, and its parameters with their values."""
    if not widget.backend or boards is None:
        return {"origin": OURS, "widget_id": widget.uuid}
    try:
        spec = boards.live.backends.spec(widget.backend, widget.widget_id)
    except DeskpilotError:  # published no more: what was fetched last is there all the same
        return {"origin": OURS, "widget_id": widget.uuid}
    values = boards.live.values(widget.uuid)
    made = [(param.name, param_of(param)) for param in spec.params]
    params = [told | {"current_value": values.get(name)} for name, told in made if told is not None]
    return {
        "origin": widget.backend,
        "widget_id": widget.widget_id,
        "params": params,
        "source": spec.source,
    }


def param_of(param: Param) -> dict[str, Any] | None:
    """Return a parameter as the protocol has it; None for forms and buttons."""
    if param.kind in ("form", "button"):
        return None
    told: dict[str, Any] = {
        "name": param.name,
        "type": TYPES.get(param.kind, "text"),
        "description": param.description or param.label,
        "default_value": param.value,
        "multi_select": param.many,
        "options": [o.value for o in param.options] or None,
    }
    if param.endpoint and not param.options:
        told["get_options"] = True
    return {key: value for key, value in told.items() if value is not None}
