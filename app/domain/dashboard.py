"""The dashboard's grid: twelve columns of tiles that never overlap and leave no gap above them.

Widgets: the contents of dashboards.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


COLUMNS = 12
MIN_W, MIN_H, MAX_H = 3, 3, 60


@dataclass(frozen=True)
class TilePlace:
    """The position and size of a widget, in cells. id: the widget's uuid."""

    id: str
    x: int
    y: int
    w: int
    h: int

    @property
    def right(self) -> int:
        """The first column to the right of the tile."""
        return self.x + self.w

    @property
    def bottom(self) -> int:
        """The first row below the tile."""
        return self.y + self.h

    def shares_rows(self, other: TilePlace) -> bool:
        """Return whether two tiles share rows, regardless of their columns."""
        return self.y < other.bottom and other.y < self.bottom

    def overlaps(self, other: TilePlace) -> bool:
        """Return whether two tiles have a cell in common."""
        return self.shares_rows(other) and self.x < other.right and other.x < self.right


Tiles = tuple[TilePlace, ...]


@dataclass(frozen=True)
class Tab:
    """One of several dashboards: its id, the name on its tab, and its tiles."""

    id: str
    name: str
    tiles: Tiles = ()


def move(tiles: Tiles, tile_id: str, x: int, y: int) -> Tiles:
    """Move a tile's corner to a cell; the other tiles make room.

    A tile beside it swaps places with the moved tile once that tile passes its middle, and blocks
    it until then. A tile above it stays above if its middle is above the moved tile's top. Other
    tiles in the way move below.
    """
    old = find(tiles, tile_id)
    wanted = replace(old, x=min(max(x, 0), COLUMNS - old.w), y=max(y, 0))
    if wanted == old:
        return tiles
    others = without(tiles, tile_id)
    if wanted.x != old.x and abs(wanted.y - old.y) * 2 < old.h:
        moved, others = _pass_neighbours(others, old, replace(wanted, y=old.y))
        return _make_room(others, moved)
    others, top = settled(others), wanted.y
    for other in others:
        if other.overlaps(wanted) and other.y + other.bottom <= top * 2:
            wanted = replace(wanted, y=other.bottom)
    return _make_room(others, wanted)


def resize(tiles: Tiles, tile_id: str, w: int, h: int) -> Tiles:
    """Resize a tile; tiles that are in the way move below it."""
    old = find(tiles, tile_id)
    w, h = min(max(w, MIN_W), COLUMNS - old.x), min(max(h, MIN_H), MAX_H)
    if (w, h) == (old.w, old.h):
        return tiles
    return _make_room(without(tiles, tile_id), replace(old, w=w, h=h))


def add(tiles: Tiles, tile_id: str, w: int, h: int, at: tuple[int, int] | None = None) -> Tiles:
    """Place a new tile at a cell or, in reading order, in the first gap that it fits into."""
    w, h = min(max(w, MIN_W), COLUMNS), min(max(h, MIN_H), MAX_H)
    if at is not None:
        placed = (*tiles, TilePlace(tile_id, 0, height(tiles), w, h))
        # moving a tile to its current position would not settle the others
        return settled(move(placed, tile_id, *at))
    for y in range(height(tiles) + 1):
        for x in range(COLUMNS - w + 1):
            made = TilePlace(tile_id, x, y, w, h)
            if not any(made.overlaps(tile) for tile in tiles):
                return settled((*tiles, made))
    raise AssertionError("below all tiles there is room")


def remove(tiles: Tiles, tile_id: str) -> Tiles:
    """Remove a tile; the tiles below it move up."""
    return settled(without(tiles, tile_id))


def nudge(tiles: Tiles, tile_id: str, dx: int, dy: int) -> Tiles:
    """Move a tile by the smallest step in a direction that changes the layout; return the same
    tiles if no step does.
    """
    tile = find(tiles, tile_id)
    for step in range(1, max(COLUMNS, height(tiles)) + 1):
        moved = move(tiles, tile_id, tile.x + dx * step, tile.y + dy * step)
        if moved != tiles:
            return moved
    return tiles


def settled(tiles: Iterable[TilePlace]) -> Tiles:
    """Return the tiles, in reading order, without overlaps and each moved up as far as possible."""
    return _rise(_fall(sorted(tiles, key=_reading)))


def mended(tiles: Iterable[TilePlace]) -> Tiles:
    """Return tiles from an untrusted source in a valid layout: each id occurs once, and tiles are
    inside the grid and do not overlap.
    """
    kept: dict[str, TilePlace] = {}
    for tile in tiles:
        w, h = min(max(tile.w, MIN_W), COLUMNS), min(max(tile.h, MIN_H), MAX_H)
        x = min(max(tile.x, 0), COLUMNS - w)
        kept.setdefault(tile.id, TilePlace(tile.id, x, max(tile.y, 0), w, h))
    return settled(kept.values())


def height(tiles: Iterable[TilePlace]) -> int:
    """Return how many rows the tiles occupy."""
    return max((tile.bottom for tile in tiles), default=0)


def find(tiles: Tiles, tile_id: str) -> TilePlace:
    """Return the tile with this id.

    Raises: KeyError.
    """
    for tile in tiles:
        if tile.id == tile_id:
            return tile
    raise KeyError(tile_id)


def without(tiles: Tiles, tile_id: str) -> Tiles:
    """Return the other tiles, unmoved."""
    return tuple(tile for tile in tiles if tile.id != tile_id)


def _reading(tile: TilePlace) -> tuple[int, int]:
    return tile.y, tile.x


def _pass_neighbours(others: Tiles, old: TilePlace, wanted: TilePlace) -> tuple[TilePlace, Tiles]:
    """Move those neighbours whose middle the tile has passed to the side that the tile came from;
    stop at the first neighbour it has not passed.
    """
    moved, kept = wanted, list(others)
    for place, other in enumerate(others):
        if not other.shares_rows(old):
            continue
        if other.x >= old.right:
            if wanted.right * 2 > other.x + other.right:
                kept[place] = replace(other, x=other.x - old.w)
                moved = replace(moved, x=max(moved.x, kept[place].right))
            elif moved.right > other.x:
                moved = replace(moved, x=other.x - old.w)
        elif other.right <= old.x:
            if wanted.x * 2 < other.x + other.right:
                kept[place] = replace(other, x=other.x + old.w)
                moved = replace(moved, x=min(moved.x, other.x))
            elif moved.x < other.right:
                moved = replace(moved, x=other.right)
    return moved, tuple(kept)


def _make_room(others: Tiles, moved: TilePlace) -> Tiles:
    return _rise(_fall([moved, *sorted(others, key=_reading)]))


def _fall(tiles: list[TilePlace]) -> list[TilePlace]:
    """Move each tile below the preceding tiles that it overlaps."""
    placed: list[TilePlace] = []
    for tile in tiles:
        while (hit := next((p for p in placed if p.overlaps(tile)), None)) is not None:
            tile = replace(tile, y=hit.bottom)
        placed.append(tile)
    return placed


def _rise(tiles: Iterable[TilePlace]) -> Tiles:
    """Move each tile up until it meets a tile above it."""
    placed: list[TilePlace] = []
    for tile in sorted(tiles, key=_reading):
        above = [
            p.bottom for p in placed if p.x < tile.right and tile.x < p.right and p.bottom <= tile.y
        ]
        placed.append(replace(tile, y=max(above, default=0)))
    return tuple(sorted(placed, key=_reading))


@dataclass(frozen=True)
class Widget:
    """A widget. path: the file it shows. attached: whether it is sent with questions.

    type: table, chart, figures, note, or one of `Content`. Charts and figures draw `columns` of the
    table whose uuid is `of`, under `titles` if a column's own name is unclear, in `unit` if the
    table does not specify it. text: the text of a note. backend, widget_id: where the widget comes
    from, with `values` for its parameters; its path is then the file with the data fetched last.
    links: the parameters it shares with other widgets, each with the name of the sharing group;
    setting such a parameter sets it for the whole group. state: the state of its table in a
    published dashboard. order: how the user sorted and filtered its table, as `RowOrder` writes it;
    empty if the user never did.
    """

    uuid: str
    name: str
    path: str
    description: str = ""
    type: str = "table"
    attached: bool = False
    of: str = ""
    columns: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    unit: str = ""
    text: str = ""
    backend: str = ""
    widget_id: str = ""
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    links: dict[str, str] = field(default_factory=dict[str, str])
    state: dict[str, Any] = field(default_factory=dict[str, Any])
    order: dict[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        """Convert columns that were read from JSON."""
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "titles", tuple(self.titles))

    @property
    def table(self) -> str:
        """The uuid of the table that it shows or draws."""
        return self.of or self.uuid

    def as_dict(self) -> dict[str, Any]:
        """Return the widget's fields as JSON values."""
        return dict(self.__dict__)


@dataclass(frozen=True)
class ColumnSeries:
    """A column in chronological order. rows: the row of each value in its table, counted from 0."""

    name: str
    unit: str
    labels: tuple[str, ...]
    values: tuple[float, ...]
    rows: tuple[int, ...]
