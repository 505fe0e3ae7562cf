"""Widget backends: servers that publish widgets and dashboards, and how often their data is
refreshed.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from typing import Any

from cronsim import CronSim, CronSimError

from app.openbb.parameters import Param, number, params_of, read_params

ANY = dt.datetime(2024, 1, 1)  # only whether it can be read is of interest


def read_cron(raw: object) -> str:
    """Return the times of a cron expression; empty if it is invalid."""
    if not isinstance(raw, str) or not raw.strip():
        return ""
    try:
        CronSim(raw.strip(), ANY)
    except CronSimError:
        return ""
    return raw.strip()


def next_time(cron: str, after: dt.datetime) -> dt.datetime | None:
    """Return the first time after a moment; None if there is none in the next decades."""
    return next(CronSim(cron, after), None)


REFRESH_MS, STALE_MS, LEAST_MS = 900_000, 300_000, 1000
COLUMNS = 40  # of the grid that backends count in
HIGHCHARTS = ("chart-highcharts", "highcharts")
VEGALITE = ("chart-vegalite", "chart-vega-lite", "vegalite")
TYPES: dict[str, str] = {}  # our kinds by the names of the protocol, see `content.register`


@dataclass(frozen=True)
class Spec:
    """One widget of a backend. endpoint: relative to the backend, or whole.

    type: ours, `raw` for what has no view. w, h: its size on the backend's grid of 40 columns.
    refresh_ms: None if it is not fetched again after a while. cron: at which times it is. updates:
    at which times the backend has new data, if it says so. data_key: where in the answer its rows
    are. socket: where
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
        """Return whether its parameters travel in the body of a POST."""
        return self.kind in ("omni", "multi_file_viewer") or self.by_range

    @property
    def by_range(self) -> bool:
        """Return whether its rows are asked for in ranges, and sorted and filtered, by
        the server.
        """
        return self.kind in ("ssrm_table", "table_ssrm", "ssrm_advanced")


@dataclass(frozen=True)
class Backend:
    """A server of widgets. widgets, apps: as it published them last. headers, keys: the names of
    what the keyring holds for it, sent as headers and in the query. allowed: other servers it may
    point to; they are sent none of that.
    """

    id: str
    url: str
    name: str
    widgets: dict[str, Any] = field(default_factory=dict[str, Any])
    apps: list[Any] = field(default_factory=list[Any])
    headers: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()

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
    """Return the widgets of widgets.json by id; the file holds an object, or a list with ids."""
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
        params=(
            candle_params(endpoint, data, raw)
            if TYPES.get(kind) == "candles"
            else read_params(raw.get("params"))
        ),
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
    """Return after how many milliseconds to fetch again; None for never, and for times told as
    cron.
    """
    value = number(raw)
    return None if value is None else max(int(value), LEAST_MS)


def as_dict(raw: object) -> dict[str, Any]:
    """Return an object, an empty one for anything else."""
    return dict(raw) if isinstance(raw, dict) else {}


def whole(raw: object, default: int, low: int, high: int) -> int:
    """Return a whole number within limits."""
    value = number(raw)
    return default if value is None or value != value else int(min(max(value, low), high))


NAMED = re.compile(r"@\[id:([^\]]+)\]")
STATE = ("chartView", "chartModel", "columnState")
PROMPTS = 12
TABS, PLACED = 12, 60  # of a published dashboard that are opened, and widgets of each


@dataclass(frozen=True)
class PlacedWidget:
    """A widget on a published dashboard: its id, its place on 40 columns, its parameters, its
    groups by name.

    state: how its table was left: `chartView`, `chartModel` and `columnState`, as they came.
    """

    widget_id: str
    x: int
    y: int
    w: int
    h: int
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    groups: tuple[str, ...] = ()
    state: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class ParameterGroup:
    """Widgets that share a parameter: one is set, all are. members: their ids, as the dashboard
    names them.

    param: without one, it is the parameter for a ticker.
    """

    name: str
    param: str
    members: tuple[str, ...] = ()
    default: Any = None

    def param_of(self, placed: PlacedWidget, spec: Spec) -> str | None:
        """Return the parameter a widget shares; None if it is not of this group."""
        if self.name not in placed.groups and placed.widget_id not in self.members:
            return None
        if self.param:
            return self.param if self.param in {p.name for p in spec.params} else None
        return next((p.name for p in spec.params if p.kind == "ticker"), None)


@dataclass(frozen=True)
class App:
    """A dashboard a backend publishes: a name, tabs of widgets, groups across them, questions one
    may ask of it.
    """

    name: str
    description: str
    tabs: tuple[tuple[str, tuple[PlacedWidget, ...]], ...]
    groups: tuple[ParameterGroup, ...] = ()
    prompts: tuple[str, ...] = ()


def read_apps(raw: object) -> list[App]:
    """Return the dashboards of apps.json."""
    made: list[App] = []
    for one in raw if isinstance(raw, list) else [raw]:
        about = as_dict(one)
        tabs = [as_dict(tab) for tab in as_dict(about.get("tabs")).values()][:TABS]
        found = tuple((str(tab.get("name") or ""), placed_of(tab.get("layout"))) for tab in tabs)
        kept = tuple(tab for tab in found if tab[1])
        if kept:
            name, words = str(about.get("name") or "Dashboard"), str(about.get("description") or "")
            prompts = texts_of(about.get("prompts"))[:PROMPTS]
            made.append(App(name, words, kept, groups_of(about.get("groups")), prompts))
    return made


def placed_of(raw: object) -> tuple[PlacedWidget, ...]:
    """Return the widgets of one tab."""
    made: list[PlacedWidget] = []
    for one in raw if isinstance(raw, list) else []:
        if isinstance(one, dict) and isinstance(one.get("i"), str):
            left = as_dict(one.get("state"))
            values = as_dict(left.get("params"))
            state = {key: left[key] for key in STATE if isinstance(left.get(key), dict)}
            x, y = whole(one.get("x"), 0, 0, COLUMNS), whole(one.get("y"), 0, 0, 10_000)
            w, h = whole(one.get("w"), 20, 1, COLUMNS), whole(one.get("h"), 9, 1, 200)
            made.append(
                PlacedWidget(one["i"], x, y, w, h, values, texts_of(one.get("groups")), state)
            )
    return tuple(made[:PLACED])


def groups_of(raw: object) -> tuple[ParameterGroup, ...]:
    """Return the groups of a dashboard; those without a parameter that are not for tickers are left
    out.
    """
    made: list[ParameterGroup] = []
    for one in raw if isinstance(raw, list) else []:
        told = as_dict(one)
        param = str(told.get("paramName") or "")
        if param or told.get("type") == "ticker":
            members = texts_of(told.get("widgetIds"))
            made.append(
                ParameterGroup(
                    str(told.get("name") or param), param, members, told.get("defaultValue")
                )
            )
    return tuple(made[:PLACED])


def texts_of(raw: object) -> tuple[str, ...]:
    """Return the texts of a list."""
    return tuple(one for one in raw if isinstance(one, str)) if isinstance(raw, list) else ()


def prompts_for(apps: list[App], widgets: dict[str, str]) -> list[tuple[str, list[str]]]:
    """Return the questions of published dashboards that are complete on one of ours, with the ids
    of their widgets. widgets: the names of the widgets there, by id.
    """
    found: list[tuple[str, list[str]]] = []
    for app in apps:
        if any({one.widget_id for one in placed} <= widgets.keys() for _, placed in app.tabs):
            for prompt in app.prompts:
                named = [one for one in NAMED.findall(prompt) if one in widgets]
                words = NAMED.sub(lambda m: widgets.get(m[1], m[1]), prompt)
                found.append((words[:500], named))
    return found
