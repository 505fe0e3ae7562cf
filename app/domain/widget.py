"""Widgets: the contents of dashboards."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Widget:
    """A widget. path: the file it shows. attached: whether it is sent with questions.

    type: table, chart, figures, note, or one of `Content`. Charts and figures draw `columns` of the
    table whose uuid is `of`, under `titles` if a column's own name is unclear, in `unit` if the
    table does not state it. text: of a note. backend, widget_id: where it comes from, with `values`
    for its parameters; its path is then the file with the data fetched last. links: parameters it
    shares with other widgets, each with the name of the sharing group; setting one sets it for the
    whole group. state: the state of its table in a published dashboard. order: how the user sorted
    and filtered its table, as `RowOrder` writes it; empty if the user never did.
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
        """Convert columns read from JSON."""
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "titles", tuple(self.titles))

    @property
    def table(self) -> str:
        """The uuid of the table that it shows or draws."""
        return self.of or self.uuid

    def as_dict(self) -> dict[str, Any]:
        """Return its fields as JSON values."""
        return dict(self.__dict__)


@dataclass(frozen=True)
class ColumnSeries:
    """A column in chronological order. rows: the row of each value in its table, counted from 0."""

    name: str
    unit: str
    labels: tuple[str, ...]
    values: tuple[float, ...]
    rows: tuple[int, ...]
