"""How a request describes the table of a widget, and the spreadsheet addresses of its cited
cells.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.data.readers.parts import TableRef, name_of
from app.data.tables import stamp_of
from app.domain.copilot import OfferedParam, OfferedWidget
from app.domain.dashboard import Widget
from app.domain.events import Citations
from app.openbb.content import kind_of

if TYPE_CHECKING:
    from app.data.sources import Sources
    from app.data.tables import OpenTable
    from app.domain.events import CellRef, Event
    from backends.data.values import Profile


def with_addresses(item: Event, sources: Sources) -> Event:
    """Return citations with the addresses of cells in an open workbook; any other item is returned
    unchanged.
    """
    if not isinstance(item, Citations):
        return item
    made = [
        (
            replace(one, cell=located(one.cell, sources.opened(one.widget)))
            if one.cell is not None
            else one
        )
        for one in item.citations
    ]
    return Citations(made)


def located(cell: CellRef, source: OpenTable | None) -> CellRef:
    """Return a cell with its address, if it refers to the version of a sheet that is open."""
    if source is None or source.sheet is None or source.table.hash != cell.source_hash:
        return cell
    names = [column.name for column in source.table.columns]
    if cell.column not in names or not 0 <= cell.row < source.profile.rows:
        return cell
    last = cell.last if cell.last is not None and cell.last < source.profile.rows else None
    return replace(cell, address=source.sheet.address(names.index(cell.column), cell.row, last))


VIEWS = ("chart", "figures")  # drawn from a table
COLUMNS = 20  # columns that are listed in words


def document_at(path: Path, uid: str, kind: str) -> Widget:
    """Return the widget for a file that is not a table.

    Raises: SourceError.
    """
    path = path.expanduser().absolute()
    stamp_of(path)
    return Widget(uid, name_of(path), str(path), type=kind)


def was_read(widget: Widget) -> bool:
    """Return whether there is data to open; data that a backend never sent does not count as
    missing.
    """
    return not widget.backend or TableRef.of(Path(widget.path)).file.is_file()


def may_be_read(widget: Widget) -> bool:
    """Return whether a widget's own file is a table, or may contain points or figures like one."""
    return widget.type == "table" or kind_of(widget.type).tabular


def holds_rows(widget: Widget) -> bool:
    """Return whether a widget can be queried as a table: its own, or the one that it is drawn
    from.
    """
    return may_be_read(widget) or widget.type in VIEWS


def as_document(widget: Widget) -> OfferedWidget:
    """Return a widget that is not a table, or whose table is unknown, in the form used in a
    request.
    """
    if widget.type == "library":
        about = (
            widget.description
            or "A library of documents; its data are the passages that fit a query."
        )
        query = OfferedParam("query", "text", "What is looked for.")
        kind = {"kind": widget.type}
        return OfferedWidget(widget.uuid, widget.name, about, params=(query,), metadata=kind)
    about = widget.description or f"A {widget.type} of the dashboard."
    is_searched = kind_of(widget.type).passages and not widget.backend
    kind = {"kind": widget.type} if is_searched else {}
    return OfferedWidget(widget.uuid, widget.name, about, metadata=kind)


def as_table(widget: Widget, profile: Profile) -> OfferedWidget:
    """Return a widget with the description of its table, in the form used in a request."""
    columns = ", ".join(c.name for c in profile.columns[:COLUMNS])
    what = "table" if widget.type in ("table", *VIEWS) else f"{widget.type} drawn from a table"
    about = widget.description or f"A {what} of {profile.rows:,} rows: {columns}"
    metadata = {"rows": profile.rows, "profile": profile.model_dump(mode="json")}
    return OfferedWidget(widget.uuid, widget.name, about, metadata=metadata)
