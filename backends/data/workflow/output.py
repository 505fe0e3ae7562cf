"""The outputs of a step: a frame, a value, a chart, or a table to show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from backends.data.values import Scalar

if TYPE_CHECKING:
    from backends.data.table import Table

SHOWN = 200  # rows of a table that are transferred
POINTS = 5000  # points of a line


@dataclass(frozen=True)
class OutputFrame:
    """Rows in typed columns, in the working database."""

    table: Table


@dataclass(frozen=True)
class OutputValue:
    """A number, date or word. name: what it is. unit: `%`, or the unit of the source's column."""

    name: str
    value: Scalar
    unit: str | None = None


@dataclass(frozen=True)
class Chart:
    """A Plotly figure: `data` and `layout`. frames: the frames it is drawn from. left_out: the
    parts that are not drawn.
    """

    figure: dict[str, Any]
    frames: tuple[Table, ...]
    left_out: str | None = None


@dataclass(frozen=True)
class OutputSheet:
    """Rows to show as a table. save: whether to save them, too; the terminal asks where."""

    table: Table
    title: str
    save: bool = False


Output = OutputFrame | OutputValue | Chart | OutputSheet


class Preview(BaseModel):
    """The part of a result that a model sees: only the first and last rows.

    kind: frame, value, chart or table. columns: name → type.
    """

    kind: str
    rows: int = 0
    columns: dict[str, str] = {}
    first: list[Scalar] = []
    last: list[Scalar] = []
    name: str = ""
    value: Scalar = None
    unit: str | None = None
    left_out: str | None = None


def preview(output: Output) -> Preview:
    """Return the part of a result that a model sees."""
    if isinstance(output, OutputValue):
        return Preview(kind="value", name=output.name, value=output.value, unit=output.unit)
    if isinstance(output, Chart):
        text = str(output.figure.get("layout", {}).get("title", {}).get("text", ""))
        rows = sum(table.count() for table in output.frames)
        return Preview(kind="chart", name=text, rows=rows, left_out=output.left_out)
    table, rows = output.table, output.table.count()
    first, last = table.rows(0, 1), table.rows(max(0, rows - 1), 1)
    return Preview(
        kind="table" if isinstance(output, OutputSheet) else "frame",
        name=output.title if isinstance(output, OutputSheet) else "",
        rows=rows,
        columns={column.name: column.kind for column in table.columns},
        first=list(first[0]) if first else [],
        last=list(last[0]) if last else [],
    )
