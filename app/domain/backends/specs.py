"""What a widget backend publishes: its widgets, read leniently."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from app.domain.backends.bars import params_of
from app.domain.backends.params import Param, number, read_params
from app.domain.backends.times import read_cron

REFRESH_MS, STALE_MS, LEAST_MS = 900_000, 300_000, 1000
COLUMNS = 40  # of the grid that backends count in
TYPES = {
    "": "table",
    "table": "table",
    "live_grid": "table",
    **dict.fromkeys(("ssrm_table", "table_ssrm", "ssrm_advanced"), "table"),
    "markdown": "markdown",
    "note": "markdown",
    "chart": "plotly",
    "metric": "metric",
    "newsfeed": "newsfeed",
    "pdf": "pdf",
    "multi_file_viewer": "pdf",
    "file_viewer": "pdf",
    "omni": "omni",
    "html": "html",
    "image": "image",
    **dict.fromkeys(
        ("advanced_charting", "advanced-charting", "advanced-chart", "advanced_chart"), "candles"
    ),
}  # from the names of the protocol to ours; anything else is shown as JSON


@dataclass(frozen=True)
class Spec:
    """One widget of a backend. endpoint: relative to the backend, or whole.

    type: ours, `raw` for what has no view. w, h: its size on the backend's grid of 40 columns.
    refresh_ms: None if it is not fetched again after a while. cron: at which times it is. updates: at which
    times the backend has new data, if it says so. data_key: where in the answer its rows are. socket: where
    changes of its rows are heard, row_id: the column that tells which row.
    """

    id: str
    name: str
    endpoint: str
    type: str = "table"
    kind: str = "table"
    description: str = ""
    category: str = ""
    source: str = ""
    w: int = 20
    h: int = 9
    params: tuple[Param, ...] = ()
    data_key: str = ""
    table: dict[str, Any] = field(default_factory=dict[str, Any])
    run_button: bool = False
    refresh_ms: int | None = REFRESH_MS
    stale_ms: int = STALE_MS
    cron: str = ""
    updates: str = ""
    socket: str = ""
    row_id: str = ""

    @property
    def posts(self) -> bool:
        """Whether its parameters travel in the body of a POST."""
        return self.kind in ("omni", "multi_file_viewer") or self.by_range

    @property
    def by_range(self) -> bool:
        """Whether its rows are asked for in ranges, and sorted and filtered, by the server."""
        return self.kind in ("ssrm_table", "table_ssrm", "ssrm_advanced")


@dataclass(frozen=True)
class Backend:
    """A server of widgets. widgets, apps: as it published them last. headers, keys: the names of what the
    keyring holds for it, sent as headers and in the query."""

    id: str
    url: str
    name: str
    widgets: dict[str, Any] = field(default_factory=dict[str, Any])
    apps: list[Any] = field(default_factory=list[Any])
    headers: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()

    def specs(self) -> list[Spec]:
        """Return its widgets by category and name."""
        made = [
            read_spec(key, entry) for key, entry in self.widgets.items() if isinstance(entry, dict)
        ]
        return sorted(
            (s for s in made if s is not None), key=lambda s: (s.category.lower(), s.name.lower())
        )

    def spec(self, widget_id: str) -> Spec | None:
        """Return one widget; None if it is published no more."""
        entry = self.widgets.get(widget_id)
        return read_spec(widget_id, entry) if isinstance(entry, dict) else None


def by_id(raw: object) -> dict[str, Any]:
    """Return what widgets.json holds by the widgets' ids: an object, or a list whose entries have ids."""
    if isinstance(raw, dict):
        return {str(key): value for key, value in raw.items() if isinstance(value, dict)}
    entries = [one for one in raw if isinstance(one, dict)] if isinstance(raw, list) else []
    return {
        str(one.get("id") or one.get("widgetId")): one
        for one in entries
        if one.get("id") or one.get("widgetId")
    }


def read_spec(key: str, raw: dict[str, Any]) -> Spec | None:
    """Return a widget; None for one that says no endpoint."""
    endpoint = raw.get("endpoint")
    if not isinstance(endpoint, str) or not endpoint:
        return None
    kind = str(raw.get("type") or "table")
    grid, data = as_dict(raw.get("gridData")), as_dict(raw.get("data"))
    source = raw.get("source")
    sources = [str(s) for s in source] if isinstance(source, list) else [str(source or "")]
    return Spec(
        id=key,
        name=str(raw.get("name") or key),
        endpoint=endpoint,
        type=TYPES.get(kind, "raw"),
        kind=kind,
        description=str(raw.get("description") or ""),
        category=str(raw.get("category") or ""),
        source=", ".join(s for s in sources if s and s != "None"),
        w=whole(grid.get("w"), 20, 4, COLUMNS),
        h=whole(grid.get("h"), 9, 2, 60),
        params=candle_params(endpoint, data, raw)
        if TYPES.get(kind) == "candles"
        else read_params(raw.get("params")),
        data_key=str(data.get("dataKey") or ""),
        table=as_dict(data.get("table")),
        run_button=raw.get("runButton") is True,
        refresh_ms=refresh_of(raw.get("refetchInterval", REFRESH_MS)),
        cron=read_cron(raw.get("refetchInterval")),
        updates=read_cron(raw.get("dataUpdateDisplay")),
        socket=str(raw.get("wsEndpoint") or ""),
        row_id=str(data.get("wsRowIdColumn") or ""),
        stale_ms=whole(raw.get("staleTime"), STALE_MS, LEAST_MS, 10**9),
    )


def candle_params(endpoint: str, data: dict[str, Any], raw: dict[str, Any]) -> tuple[Param, ...]:
    """Return the parameters of a chart of bars, and those its backend adds."""
    own = params_of(endpoint, str(data.get("defaultSymbol") or ""))
    known = {param.name for param in own}
    return (*own, *(param for param in read_params(raw.get("params")) if param.name not in known))


def refresh_of(raw: object) -> int | None:
    """Return after how many milliseconds to fetch again; None for never, and for times told as cron."""
    value = number(raw)
    return None if value is None else max(int(value), LEAST_MS)


def as_dict(raw: object) -> dict[str, Any]:
    """Return an object, an empty one for anything else."""
    return dict(raw) if isinstance(raw, dict) else {}


def whole(raw: object, default: int, low: int, high: int) -> int:
    """Return a whole number within limits."""
    value = number(raw)
    return default if value is None or value != value else int(min(max(value, low), high))
