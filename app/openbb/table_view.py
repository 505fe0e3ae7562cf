"""How a table is initially shown: as a chart, or with its columns in a certain order, hidden,
pinned and sorted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from app.openbb.columns import ColumnLook, read_columns
from app.openbb.wire import as_dict, number, texts_of

KINDS = {
    "pie": "pie",
    "donut": "donut",
    "doughnut": "donut",
    "scatter": "scatter",
    "bubble": "scatter",
    "area": "area",
    "stackedArea": "area",
    "line": "line",
}
POINTS, SERIES = 5000, 12  # maximum numbers of rows and columns that are plotted


@dataclass(frozen=True)
class ChartSpec:
    """A table plotted as a chart. kind: column, bar, line, area, scatter, pie or donut. stacked:
    whether the series are stacked. columns: the column along the axis, then the columns that are
    plotted; empty if the rows determine them.
    """

    kind: str
    columns: tuple[str, ...] = ()
    stacked: bool = False
    enabled: bool = True


def read_drawn(table: dict[str, Any], state: dict[str, Any]) -> ChartSpec | None:
    """Return how a table is plotted, according to its backend or to the state saved by a published
    dashboard; None if neither specifies how.
    """
    told = as_dict(table.get("chartView")) | as_dict(state.get("chartView"))
    if not told:
        return None
    kind = str(told.get("chartType") or "column")
    ranges = as_dict(told.get("cellRangeCols"))
    listed = ranges.get(kind) or as_dict(as_dict(state.get("chartModel")).get("cellRange")).get(
        "columns"
    )
    if told.get("ignoreCellRange") is True or not isinstance(listed, list):
        listed = []
    shape = (
        "column"
        if "olumn" in kind
        else "bar"
        if kind.lower().endswith("bar")
        else KINDS.get(kind, "line")
    )
    marked = columns_of(table)
    columns = tuple(one for one in listed if isinstance(one, str))
    if marked and columns:  # because a range lists its columns in the order of the table
        columns = (marked[0], *(one for one in columns if one != marked[0]))
    return ChartSpec(shape, columns or marked, "tacked" in kind, told.get("enabled") is True)


def columns_of(table: dict[str, Any]) -> tuple[str, ...]:
    """Return the columns that a backend marks for its chart, with the category first."""
    found = [one for one in read_columns(table) if one.field]
    along = [one.field for one in found if one.draws in ("category", "time")]
    drawn = [one.field for one in found if one.draws == "series"]
    return (along[0], *drawn) if along else ()


def figure_of(drawn: ChartSpec, rows: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return a Plotly figure that shows rows; None if they contain no numbers to plot."""
    rows = rows[:POINTS]
    names = list(dict.fromkeys(name for row in rows[:50] for name in row))
    numeric = [
        name for name in names if any(number(row.get(name)) is not None for row in rows[:50])
    ]
    chosen = [name for name in drawn.columns if name in names]
    along = (
        chosen[0]
        if chosen
        else next((n for n in names if n not in numeric), names[0] if names else "")
    )
    series = [name for name in chosen[1:] or numeric if name in numeric and name != along][:SERIES]
    if not series:
        return None
    x = [row.get(along) for row in rows]
    if drawn.kind in ("pie", "donut"):
        values, hole = [row.get(series[0]) for row in rows], 0.5 if drawn.kind == "donut" else 0
        return {
            "data": [{"type": "pie", "labels": x, "values": values, "hole": hole}],
            "layout": {},
        }
    form = trace_of(drawn)
    data = [
        form | {"name": name} | placed(drawn, x, [row.get(name) for row in rows]) for name in series
    ]
    layout: dict[str, Any] = {
        "barmode": "stack" if drawn.stacked else "group",
        "showlegend": len(series) > 1,
    }
    return {"data": data, "layout": layout}


def trace_of(drawn: ChartSpec) -> dict[str, Any]:
    """Return the properties that all traces of a kind of chart share."""
    if drawn.kind in ("column", "bar"):
        return {"type": "bar", "orientation": "h" if drawn.kind == "bar" else "v"}
    form: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers" if drawn.kind == "scatter" else "lines",
    }
    if drawn.kind == "area":
        form |= {"stackgroup": "all"} if drawn.stacked else {"fill": "tozeroy"}
    return form


def placed(drawn: ChartSpec, along: list[Any], values: list[Any]) -> dict[str, list[Any]]:
    """Return values under the keys where a kind of chart expects them."""
    return {"y": along, "x": values} if drawn.kind == "bar" else {"x": along, "y": values}


def grid_state(state: dict[str, Any]) -> dict[str, Any]:
    """Return the first state of the columns that a published dashboard saved."""
    told = as_dict(state.get("columnState"))
    return next((as_dict(one) for one in told.values() if isinstance(one, dict)), {})


def looks_as_left(looks: dict[str, ColumnLook], state: dict[str, Any]) -> dict[str, ColumnLook]:
    """Return the appearance of columns, hidden, pinned and resized as a published dashboard saved
    them.
    """
    left = grid_state(state)
    hidden = texts_of(as_dict(left.get("columnVisibility")).get("hiddenColIds"))
    pinned = texts_of(as_dict(left.get("columnPinning")).get("leftColIds"))
    sized = as_dict(left.get("columnSizing")).get("columnSizingModel")
    widths = {
        str(one.get("colId")): int(min(max(wide, 40), 2000))
        for one in (sized if isinstance(sized, list) else [])
        if isinstance(one, dict) and (wide := number(one.get("width"))) is not None
    }
    made = dict(looks)
    for name in {*hidden, *pinned, *widths}:
        look = made.get(name, ColumnLook(name))
        made[name] = replace(
            look,
            hidden=look.hidden or name in hidden,
            pinned=look.pinned or name in pinned,
            width=widths.get(name, look.width),
        )
    return made


def sorted_as_left(state: dict[str, Any]) -> tuple[str, bool] | None:
    """Return the column by which a table is sorted in a published dashboard, and whether the order
    is descending.
    """
    listed = as_dict(grid_state(state).get("sort")).get("sortModel")
    first = as_dict(listed[0]) if isinstance(listed, list) and listed else {}
    column = first.get("colId")
    return (column, first.get("sort") == "desc") if isinstance(column, str) and column else None


def ordered_as_left(state: dict[str, Any]) -> tuple[str, ...]:
    """Return the column order saved by a published dashboard."""
    return texts_of(as_dict(grid_state(state).get("columnOrder")).get("orderedColIds"))
