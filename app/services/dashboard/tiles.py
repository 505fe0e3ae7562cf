"""The dashboards: the saved place of each widget, and undo."""

from __future__ import annotations

import json
import uuid
from collections import deque
from dataclasses import dataclass, replace
from importlib.resources import files
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from app.data.tables import uuid_of
from app.domain.dashboard import (
    COLUMNS,
    Tab,
    TilePlace,
    Tiles,
    Widget,
    add,
    find,
    mended,
    remove,
    resize,
    without,
)
from app.openbb.content import kind_of
from app.services.consents import Consents

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.dashboard.live import Live
    from app.services.dashboard.widgets import Widgets
    from app.services.ports import StorePort


SAMPLE = "us_macro.csv"  # the table that the examples on the first page refer to


def is_sample(widget: Widget) -> bool:
    """Return whether a widget is the sample table that is shipped with Deskpilot."""
    path = Path(widget.path)
    return path.name == SAMPLE and path.is_relative_to(str(files("resources")))


@dataclass(frozen=True)
class Boards:
    """The places of widgets on dashboards, and how backends' widgets are fetched."""

    dashboard: Dashboard
    live: Live


KEPT, LONGEST = 20, 80  # number of actions kept, and of characters in a name or value
Seen = tuple[dict[str, "Widget"], dict[str, str], str]


class Doings:
    """Compares the dashboards with their previous state. The first call only records the state.

    tabs: returns the dashboards, and the id of the open one.
    """

    def __init__(self, tabs: Callable[[], tuple[tuple[Tab, ...], str]]) -> None:
        self._tabs = tabs
        self._seen: Seen | None = None
        self._done: deque[str] = deque(maxlen=KEPT)

    def look(self, widgets: list[Widget]) -> None:
        """Record the current state."""
        tabs, current = self._tabs()
        now: Seen = ({w.uuid: w for w in widgets}, {tab.id: tab.name for tab in tabs}, current)
        before, self._seen = self._seen, now
        if before is not None and before != now:
            self._done += of_tabs(before, now)
            self._done += of_widgets(before[0], now[0])

    def latest(self, widgets: list[Widget]) -> list[str]:
        """Return the latest actions, newest last."""
        self.look(widgets)
        return list(self._done)


def of_tabs(before: Seen, now: Seen) -> list[str]:
    """Return the actions on dashboards."""
    old, new = before[1], now[1]
    made = [f"Made the dashboard {short(new[i])}" for i in new if i not in old]
    made += [f"Closed the dashboard {short(old[i])}" for i in old if i not in new]
    made += [
        f"Renamed the dashboard {short(old[i])} to {short(new[i])}"
        for i in old
        if i in new and old[i] != new[i]
    ]
    if before[2] != now[2] and now[2] in old:
        made.append(f"Opened the dashboard {short(new.get(now[2], now[2]))}")
    return made


def of_widgets(old: dict[str, Widget], new: dict[str, Widget]) -> list[str]:
    """Return the actions on widgets."""
    made = [f"Removed {short(w.name)}" for uid, w in old.items() if uid not in new]
    for uid, widget in new.items():
        name, before = short(widget.name), old.get(uid)
        if before is None:
            made.append(f"Added {name}")
            continue
        if before.attached != widget.attached:
            made.append(
                f"Added {name} to the context"
                if widget.attached
                else f"Removed {name} from the context"
            )
        made += [
            f"Set {short(key)} of {name} to {short(str(value))}"
            for key, value in widget.values.items()
            if before.values.get(key) != value
        ]
    return made


def short(text: str) -> str:
    """Return a name or value, shortened."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


WIDTH, CURRENT = "dashboard width", "dashboard"
NOTHING: tuple[tuple[Tab, ...], int | None, str] = ((), None, "")
FIRST = Tab("first", "Dashboard")
TABLE_H, GUEST_H = 9, 8
VIEW_HEIGHTS = {"chart": 6, "figures": 4}  # for widgets that show data from a table


class Dashboard:
    """The dashboards, one of which is open. Each widget has a tile on one of them from the time it
    is added until it is removed.

    width: the pane's width in pixels, as set by the user, or None if the user has not set it.
    """

    def __init__(self, widgets: Widgets, store: StorePort) -> None:
        self.consents = Consents()  # consent to changes that copilots request
        self.tabs: tuple[Tab, ...] = (FIRST,)
        self.current = FIRST.id
        self.width: int | None = None
        self._restored = False  # until then, nothing in the store is overwritten
        self._widgets = widgets
        self._store = store
        self._saved: tuple[tuple[Tab, ...], int | None, str] = ((FIRST,), None, FIRST.id)
        self._guests: set[str] = set()
        self._drops: dict[str, tuple[int, int]] = {}
        self._sizes: dict[str, TilePlace] = {}  # places reserved for widgets to be added later
        self._tabs_for: dict[
            str, str
        ] = {}  # dashboards for widgets that have not been added yet, if not the open one
        self._unfitted: set[str] = set()  # tables whose number of rows is not known yet
        self._doings = Doings(lambda: (self.tabs, self.current))
        widgets.subscribe(self._follow)

    @property
    def tiles(self) -> Tiles:
        """The tiles of the open dashboard."""
        return next(tab.tiles for tab in self.tabs if tab.id == self.current)

    @tiles.setter
    def tiles(self, tiles: Tiles) -> None:
        self.tabs = tuple(replace(p, tiles=tiles) if p.id == self.current else p for p in self.tabs)

    async def restore(self) -> None:
        """Restore the places of the widgets. Call this before the widgets are restored."""
        self._restored = True
        tabs = [replace(p, tiles=mended(p.tiles)) for p in await self._store.tabs()]
        width, current = await self._store.setting(WIDTH), await self._store.setting(CURRENT)
        self.tabs = tuple(tabs) or (FIRST,)
        self.current = current if current in {p.id for p in tabs} else self.tabs[0].id
        self.width = int(width) if width and width.isdecimal() else None
        self._saved = (self.tabs, self.width, self.current)

    def doings(self) -> list[str]:
        """Return the latest actions on the dashboards, newest last."""
        return self._doings.latest(self._widgets.all())

    def arrange(self, tiles: Tiles) -> None:
        """Place the tiles. `save` saves the arrangement."""
        self.tiles = tiles

    async def save(self) -> None:
        """Write the places of the tiles, the open dashboard and the width of the pane, if they have
        changed.
        """
        if not self._restored:
            return
        tabs, width, current = self.tabs, self.width, self.current
        # a save that was interrupted may have written part of it
        saved, self._saved = self._saved, NOTHING
        if tabs != saved[0]:
            await self._store.save_tabs(
                [
                    replace(p, tiles=tuple(t for t in p.tiles if t.id not in self._guests))
                    for p in tabs
                ]
            )
        if width is not None and width != saved[1]:
            await self._store.save_setting(WIDTH, str(width))
        if current != saved[2]:
            await self._store.save_setting(CURRENT, current)
        self._saved = (tabs, width, current)

    def open(self, tab_id: str) -> None:
        """Open a dashboard."""
        if tab_id in {p.id for p in self.tabs}:
            self.current = tab_id

    def add_tab(self, name: str = "") -> Tab:
        """Create a dashboard and open it."""
        made = Tab(uuid.uuid4().hex, name.strip() or f"Dashboard {len(self.tabs) + 1}")
        self.tabs, self.current = (*self.tabs, made), made.id
        return made

    def rename_tab(self, tab_id: str, name: str) -> None:
        """Rename a dashboard. An empty name changes nothing."""
        if name.strip():
            self.tabs = tuple(
                replace(p, name=name.strip()[:80]) if p.id == tab_id else p for p in self.tabs
            )

    async def close_tab(self, tab_id: str) -> tuple[Tab, int, list[Widget]]:
        """Close a dashboard with its widgets. Return the dashboard, its position and the widgets so
        that they can be restored.

        The last dashboard is emptied instead of closed.
        """
        place = next(n for n, p in enumerate(self.tabs) if p.id == tab_id)
        tab = self.tabs[place]
        taken: list[Widget] = []
        for tile in tab.tiles:
            if tile.id in self._widgets:
                taken += await self._widgets.remove(tile.id)
        if len(self.tabs) > 1:
            self.tabs = tuple(p for p in self.tabs if p.id != tab_id)
            if self.current == tab_id:
                self.current = self.tabs[max(place - 1, 0)].id
        return tab, place, taken

    async def put_back_tab(self, tab: Tab, place: int, widgets: list[Widget]) -> None:
        """Restore a closed dashboard."""
        others = [p for p in self.tabs if p.id != tab.id]
        self.tabs = (*others[:place], tab, *others[place:])
        self.current = tab.id
        await self._widgets.put_back(widgets)

    def tab_of(self, uid: str) -> Tab | None:
        """Return the dashboard that a widget is on."""
        return next((p for p in self.tabs if any(t.id == uid for t in p.tiles)), None)

    def reserve(self, uid: str, tile: TilePlace) -> None:
        """Set the place and size of a widget before it is added."""
        self._sizes[uid] = tile

    def send_to(self, uid: str, tab_id: str) -> None:
        """Set the dashboard that a widget will be added to. The open dashboard stays open."""
        self._tabs_for[uid] = tab_id

    def bring(self, uid: str, at: tuple[int, int] | None = None) -> Tab | None:
        """Move a widget from another dashboard to the open one, and return the other dashboard.
        Return None if the widget is already on the open dashboard, or on no dashboard.
        """
        before = self.tab_of(uid)
        if before is None or before.id == self.current:
            return None
        tile = find(before.tiles, uid)
        rest = remove(before.tiles, uid)
        self.tabs = tuple(replace(p, tiles=rest) if p.id == before.id else p for p in self.tabs)
        self.tiles = add(self.tiles, uid, tile.w, tile.h, at)
        return before

    async def add_file(self, path: Path, at: tuple[int, int], *, attach: bool = True) -> Widget:
        """Open a file as a widget at a given cell. A file that is already open stays where it is.

        Raises: SourceError.
        """
        uid = uuid_of(path)
        self._drops[uid] = at
        try:
            return await self._widgets.add_file(path, attach=attach)
        finally:
            del self._drops[uid]

    async def detach_sample(self) -> None:
        """Detach the sample table if the user's own data is attached, so that a question about that
        data is not mistaken for one about the sample.
        """
        for widget in self._widgets.attached():
            if is_sample(widget):
                await self._widgets.attach(widget.uuid, attached=False)

    async def show_sample(self, folder: Path, named: Callable[[str], str] = str) -> None:
        """Open the sample dashboard from a folder: a table, with charts and figures based on it.
        named: returns the sample's texts in the user's language.
        """
        told = json.loads((folder / "dashboard.json").read_text("utf-8"))
        table = await self._widgets.add_file(folder / told["table"])
        for view in told["views"]:
            said = {"name": named(view["name"])} | (
                {"titles": [named(title) for title in view["titles"]]} if "titles" in view else {}
            )
            await self._widgets.add_view(Widget("", path="", of=table.uuid, **view | said))

    def show_guest(self, guest: str) -> None:
        """Show, at the top, an item that is not a widget, until it is removed or the window
        closes."""
        self._guests.add(guest)
        self.tiles = add(without(self.tiles, guest), guest, COLUMNS, GUEST_H, (0, 0))

    def end_guest(self, guest: str) -> None:
        """Remove the item that `show_guest` added."""
        self._guests.discard(guest)
        self.tiles = remove(self.tiles, guest)

    def _follow(self) -> None:
        widgets = {widget.uuid: widget for widget in self._widgets.all()}
        known = widgets.keys() | self._guests
        kept = [replace(p, tiles=tuple(t for t in p.tiles if t.id in known)) for p in self.tabs]
        self.tabs = tuple(kept)
        placed = {tile.id for tab in kept for tile in tab.tiles}
        for widget in [w for uid, w in widgets.items() if uid not in placed]:
            self._place(widget)
        tiles = self.tiles
        here = {tile.id for tile in tiles}
        for uid in self._unfitted - self._widgets.opening:
            self._unfitted.discard(uid)
            if uid in here and uid in widgets:
                tiles = resize(tiles, uid, find(tiles, uid).w, self._height(widgets[uid]))
        self.tiles = tiles
        self.tabs = tuple(replace(p, tiles=mended(p.tiles)) for p in self.tabs)
        self._doings.look(self._widgets.all())

    def _place(self, widget: Widget) -> None:
        wanted = self._tabs_for.pop(widget.uuid, self.current)
        tab_id = wanted if wanted in {p.id for p in self.tabs} else self.current
        self.tabs = tuple(
            replace(p, tiles=self._placed(p.tiles, widget)) if p.id == tab_id else p
            for p in self.tabs
        )

    def _placed(self, tiles: Tiles, widget: Widget) -> Tiles:
        wanted = self._sizes.pop(widget.uuid, None)
        if wanted is not None:
            at = (wanted.x, wanted.y) if wanted.y >= 0 else None
            return add(tiles, widget.uuid, wanted.w, wanted.h, at)
        return add(tiles, widget.uuid, COLUMNS, self._height(widget), self._drops.get(widget.uuid))

    def _height(self, widget: Widget) -> int:
        if widget.type != "table":
            return VIEW_HEIGHTS.get(widget.type) or kind_of(widget.type).height or TABLE_H
        if widget.uuid in self._widgets.opening:
            self._unfitted.add(widget.uuid)
            return TABLE_H
        if not self._widgets.is_open(widget.uuid):
            return TABLE_H if widget.backend else 3
        rows = self._widgets.profile(widget.uuid).rows
        return min(TABLE_H, 3 + ceil(rows * 0.75))
