"""The cost in tokens of each widget for a copilot, counted once for each version."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from app.domain.errors import DeskpilotError

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.widget import Widget
    from app.services.dashboard.widgets import Widgets

SEARCHED = ("library", "document")
ASCII, OTHER = 4.0, 1.4  # characters a token holds, about, of Latin letters and of other scripts


class Costs:
    """Estimates, since each model counts in its own way."""

    def __init__(self, widgets: Widgets) -> None:
        self._widgets = widgets
        self._known: dict[str, tuple[str, int]] = {}

    async def of_attached(self) -> dict[str, int]:
        """Return the tokens of each readable attached widget, by uuid."""
        made: dict[str, int] = {}
        for widget in self._widgets.attached():
            if widget.type in SEARCHED:  # nobody reads all of it
                continue
            version = self._version(widget)
            known = self._known.get(widget.uuid)
            if known is None or known[0] != version:
                try:
                    text = await asyncio.to_thread(self._widgets.sources.as_text, widget.uuid)
                except DeskpilotError:  # what cannot be read now costs nothing now
                    continue
                known = self._known[widget.uuid] = (version, tokens_of(text))
            made[widget.uuid] = known[1]
        return made

    async def tell(self, show: Callable[[dict[str, int]], None]) -> None:
        """Report the tokens of each widget to `show`."""
        show(await self.of_attached())

    def _version(self, widget: Widget) -> str:
        if self._widgets.is_open(widget.uuid):
            return self._widgets.profile(widget.uuid).hash
        path = Path(widget.path)
        return f"{widget.text}{path.stat().st_mtime_ns if widget.path and path.is_file() else ''}"


def tokens_of(text: str) -> int:
    """Return about how many tokens a text has."""
    latin = sum(map(str.isascii, text))
    return round(latin / ASCII + (len(text) - latin) / OTHER) + 1
