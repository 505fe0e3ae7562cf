"""The dashboards and what fetches their widgets, for who changes them on somebody else's behalf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.services.dashboard.live import Live
    from app.services.dashboard.tiles import Dashboard


@dataclass(frozen=True)
class Boards:
    """Where widgets stand, and how those of backends are fetched."""

    dashboard: Dashboard
    live: Live
