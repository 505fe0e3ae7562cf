"""Cited cells of spreadsheets, told as spreadsheets write them: Orders!C3."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.domain.events import Citations

if TYPE_CHECKING:
    from app.data.source import Source
    from app.data.sources import Sources
    from app.domain.events import CellRef, Event


def with_addresses(item: Event, sources: Sources) -> Event:
    """Return citations with the addresses of cells that stand in a workbook that is open; any other item as it is."""
    if not isinstance(item, Citations):
        return item
    made = [
        replace(one, cell=located(one.cell, sources.opened(one.widget)))
        if one.cell is not None
        else one
        for one in item.citations
    ]
    return Citations(made)


def located(cell: CellRef, source: Source | None) -> CellRef:
    """Return a cell with its address, if it is of the version of a sheet that is open."""
    if source is None or source.sheet is None or source.table.hash != cell.source_hash:
        return cell
    names = [column.name for column in source.table.columns]
    if cell.column not in names or not 0 <= cell.row < source.profile.rows:
        return cell
    last = cell.last if cell.last is not None and cell.last < source.profile.rows else None
    return replace(cell, address=source.sheet.address(names.index(cell.column), cell.row, last))
