"""Sets parameters in several widgets at once: by a click on a cell, or because they share them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.domain.widget_params import plain
from app.services.dashboard.fetching.links import joined, linked, parted, targets

if TYPE_CHECKING:
    from app.domain.column_look import Click
    from app.domain.widget import Widget
    from app.services.dashboard.live import Live
    from app.services.widgets import Widgets


class Sharing:
    """What widgets have in common."""

    def __init__(self, widgets: Widgets, live: Live) -> None:
        self._widgets, self._live = widgets, live

    async def click(self, uid: str, click: Click, value: Any, beside: list[str]) -> int:
        """Set a parameter of the widgets a click is meant for, of its group or beside it; return how many there are.

        Raises: UnknownWidget.
        """
        having = [one for one in beside if one in self._widgets and self._has(one, click.param)]
        found = targets(self._widgets.all(), self._widgets.get(uid), click.param, having)
        for one in found:
            if click.force or plain(self._live.values(one.uuid).get(click.param)) != plain(value):
                await self._live.set_own(one.uuid, click.param, value)
        return len(found)

    async def link(self, uids: list[str], name: str) -> None:
        """Let widgets share a parameter, with the value it has in the first.

        Raises: UnknownWidget.
        """
        for one in joined([self._widgets.get(uid) for uid in uids], name):
            await self._widgets.change(one)
        param = next(p for p in self._live.spec(uids[0]).params if p.name == name)
        await self._live.set_value(
            uids[0], name, self._widgets.get(uids[0]).values.get(name, param.value)
        )

    async def unlink(self, uid: str, name: str) -> None:
        """Let a widget share a parameter no more.

        Raises: UnknownWidget.
        """
        await self._widgets.change(parted(self._widgets.get(uid), name))

    def possible(self, uid: str, name: str, beside: list[str]) -> list[Widget]:
        """Return which of some widgets could share a parameter with one: those that have it."""
        return [self._widgets.get(one) for one in beside if one != uid and self._has(one, name)]

    def of(self, uid: str, name: str) -> list[Widget]:
        """Return the other widgets that share a parameter with one."""
        return linked(self._widgets.all(), self._widgets.get(uid), name)

    def _has(self, uid: str, name: str) -> bool:
        return self._live.has(self._widgets.get(uid), name)
