"""What the workspace shows, as copilots read it that look at all of it."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.domain.widget import Widget
    from app.services.dashboard.tiles import Dashboard

DASHBOARD = str(uuid.uuid5(uuid.NAMESPACE_URL, "deskpilot:dashboard"))
TAB = "__no_tab__"  # what the protocol calls a dashboard without tabs


def workspace_state(widgets: list[Widget], dashboard: Dashboard | None = None) -> dict[str, Any]:
    """Return `workspace_state`: the dashboards as tabs with the names of their widgets, none of their
    data; and what was done there last."""
    names = {w.uuid: w.name for w in widgets}
    tabs = [{"tab_id": TAB, "widgets": [{"widget_uuid": u, "name": n} for u, n in names.items()]}]
    current, name = TAB, "Dashboard"
    if dashboard is not None:
        current = dashboard.current
        name = next(tab.name for tab in dashboard.tabs if tab.id == current)
        tabs = [
            {
                "tab_id": tab.id,
                "widgets": [
                    {"widget_uuid": t.id, "name": names[t.id]} for t in tab.tiles if t.id in names
                ],
            }
            for tab in dashboard.tabs
        ]
    info = {"id": DASHBOARD, "name": name, "current_tab_id": current, "tabs": tabs}
    done = dashboard.doings() if dashboard is not None else []
    return {
        "current_dashboard_uuid": DASHBOARD,
        "current_dashboard_info": info,
        "current_page_context": "dashboard",
    } | ({"action_history": done} if done else {})
