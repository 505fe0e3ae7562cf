"""The dashboard: where each widget stands, kept across restarts."""

from __future__ import annotations

import json
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from app.data.sources import uuid_of
from app.domain.dashboard import COLUMNS, Tiles, add, find, mended, remove, resize, without
from app.domain.widget import Widget

if TYPE_CHECKING:
    from app.services.ports import StorePort
    from app.services.widgets import Widgets

WIDTH = "dashboard width"
TABLE_H, CHART_H, FIGURES_H, GUEST_H = 9, 6, 4, 8


class Dashboard:
    """The tiles of the widgets; each widget has one from when it is added until it is removed.

    width: of the pane in pixels, as the person made it; None if nobody did.
    """

    def __init__(self, widgets: Widgets, store: StorePort) -> None:
        self.tiles: Tiles = ()
        self.width: int | None = None
        self._widgets = widgets
        self._store = store
        self._saved: tuple[Tiles, int | None] = ((), None)
        self._guests: set[str] = set()
        self._drops: dict[str, tuple[int, int]] = {}
        self._unfitted: set[str] = set()  # of tables whose length is not known yet
        widgets.subscribe(self._follow)

    async def restore(self) -> None:
        """Bring back where the widgets stood; call it before they are restored."""
        tiles, width = tuple(await self._store.tiles()), await self._store.setting(WIDTH)
        self.tiles, self.width = mended(tiles), int(width) if width and width.isdecimal() else None
        self._saved = (tiles, self.width)

    def arrange(self, tiles: Tiles) -> None:
        """Let the tiles stand so; `save` keeps it."""
        self.tiles = tiles

    async def save(self) -> None:
        """Write where the tiles stand and how wide the pane is, if that has changed."""
        tiles, width = self.tiles, self.width
        if tiles != self._saved[0]:
            await self._store.save_tiles(tiles)
            self._saved = (tiles, self._saved[1])
        if width is not None and width != self._saved[1]:
            await self._store.save_setting(WIDTH, str(width))
            self._saved = (self._saved[0], width)

    async def add_file(self, path: Path, at: tuple[int, int]) -> Widget:
        """Open a file as a widget at a cell; one that is open stays where it is.

        Raises: SourceError.
        """
        uid = uuid_of(path)
        self._drops[uid] = at
        try:
            return await self._widgets.add_file(path)
        finally:
            del self._drops[uid]

    async def show_sample(self, folder: Path) -> None:
        """Open the sample dashboard of a folder: a table, and charts and figures drawn from it."""
        told = json.loads((folder / "dashboard.json").read_text("utf-8"))
        table = await self._widgets.add_file(folder / told["table"])
        for view in told["views"]:
            await self._widgets.add_view(Widget("", path="", of=table.uuid, **view))

    def show_guest(self, guest: str) -> None:
        """Let something that is no widget stand on top, until it is taken away or the window closed."""
        self._guests.add(guest)
        self.tiles = add(without(self.tiles, guest), guest, COLUMNS, GUEST_H, (0, 0))

    def end_guest(self, guest: str) -> None:
        """Take it away."""
        self._guests.discard(guest)
        self.tiles = remove(self.tiles, guest)

    def _follow(self) -> None:
        widgets = {widget.uuid: widget for widget in self._widgets.all()}
        tiles = self.tiles
        for tile in tiles:
            if tile.id not in widgets and tile.id not in self._guests:
                tiles = without(tiles, tile.id)
        known = {tile.id for tile in tiles}
        for uid, widget in widgets.items():
            if uid not in known:
                tiles = add(tiles, uid, COLUMNS, self._height(widget), self._drops.get(uid))
        for uid in self._unfitted - self._widgets.opening:
            self._unfitted.discard(uid)
            if uid in widgets:
                tiles = resize(tiles, uid, find(tiles, uid).w, self._height(widgets[uid]))
        self.tiles = mended(tiles)

    def _height(self, widget: Widget) -> int:
        if widget.type != "table":
            return CHART_H if widget.type == "chart" else FIGURES_H
        if widget.uuid in self._widgets.opening:
            self._unfitted.add(widget.uuid)
            return TABLE_H
        rows = 0 if widget.uuid in self._widgets.errors else self._widgets.profile(widget.uuid).rows
        return min(TABLE_H, 3 + ceil(rows * 0.75))
