"""What the workspace shows, as copilots read it that look at all of it."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.domain.widget import Widget

DASHBOARD = str(uuid.uuid5(uuid.NAMESPACE_URL, "deskpilot:dashboard"))
TAB = "__no_tab__"  # what the protocol calls a dashboard without tabs


def workspace_state(widgets: list[Widget]) -> dict[str, Any]:
    """Return `workspace_state`: the dashboard and the names of its widgets, none of their data."""
    shown = [{"widget_uuid": w.uuid, "name": w.name} for w in widgets]
    return {
        "current_dashboard_uuid": DASHBOARD,
        "current_dashboard_info": {
            "id": DASHBOARD,
            "name": "Dashboard",
            "current_tab_id": TAB,
            "tabs": [{"tab_id": TAB, "widgets": shown}],
        },
        "current_page_context": "dashboard",
    }
