"""From cells of the grid to pixels and back."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from app.domain.dashboard import COLUMNS, MIN_W, Tile, height

if TYPE_CHECKING:
    from collections.abc import Iterable

GAP, MARGIN, ROW = 12, 12, 28
LEAST = 176  # the narrowest tile, in pixels: two stand side by side in the pane as it opens


@dataclass(frozen=True)
class Geometry:
    """The grid drawn at a width in pixels."""

    width: int

    @property
    def pitch(self) -> float:
        """Pixels from one column to the next."""
        return (self.width - 2 * MARGIN + GAP) / COLUMNS

    def rect(self, tile: Tile) -> tuple[int, int, int, int]:
        """Return left, top, width and height of a tile in pixels."""
        left, right = self._left(tile.x), self._left(tile.right) - GAP
        return left, MARGIN + tile.y * (ROW + GAP), right - left, tile.h * (ROW + GAP) - GAP

    def cell(self, x: int, y: int) -> tuple[int, int]:
        """Return the cell whose corner is nearest to a point."""
        return round((x - MARGIN) / self.pitch), round((y - MARGIN) / (ROW + GAP))

    def span(self, width: int, height: int) -> tuple[int, int]:
        """Return how many columns and rows come nearest to a size; never narrower than can be
        read.
        """
        least = ceil((LEAST + GAP) / self.pitch)
        return max(round((width + GAP) / self.pitch), min(least, COLUMNS)), round(
            (height + GAP) / (ROW + GAP)
        )

    def _left(self, column: int) -> int:
        return MARGIN + round(column * self.pitch)


def least_size(tiles: Iterable[Tile]) -> tuple[int, int]:
    """Return the width and height the grid needs, so that the narrowest tile can be read."""
    tiles = tuple(tiles)
    narrowest = min((tile.w for tile in tiles), default=COLUMNS)
    pitch = (LEAST + GAP) / max(narrowest, MIN_W)
    return 2 * MARGIN - GAP + ceil(pitch * COLUMNS), 2 * MARGIN + height(tiles) * (ROW + GAP) - GAP
