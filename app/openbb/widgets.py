"""Widget backends: servers that publish widgets and dashboards, and the times at which their data
is refreshed.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from typing import Annotated, Any

from cronsim import CronSim, CronSimError
from pydantic import BeforeValidator, Field, SkipValidation

from app.openbb.parameters import Param, params_of, read_params
from app.openbb.wire import (
    Fields,
    Objects,
    OnlyText,
    Text,
    Texts,
    WireObject,
    Yes,
    as_dict,
    number,
    objects_of,
    whole,
)

# the time itself does not matter, only whether the expression can be read
ANY = dt.datetime(2024, 1, 1)


def read_cron(raw: object) -> str:
    """Return a cron expression in normalized form; empty if it is invalid."""
    if not isinstance(raw, str) or not raw.strip():
        return ""
    try:
        CronSim(raw.strip(), ANY)
    except CronSimError:
        return ""
    return raw.strip()


def next_time(cron: str, after: dt.datetime) -> dt.datetime | None:
    """Return the first matching time after a given time; None if there is no such time within the
    next few decades.
    """
    return next(CronSim(cron, after), None)


REFRESH_MS, STALE_MS, LEAST_MS = 900_000, 300_000, 1000
COLUMNS = 40  # number of columns in the grid that backends use
HIGHCHARTS = ("chart-highcharts", "highcharts")
VEGALITE = ("chart-vegalite", "chart-vega-lite", "vegalite")
TYPES: dict[str, str] = {}  # our kinds by their names in the protocol; see `content.register`


@dataclass(frozen=True)
class Spec:
    """A widget of a backend. endpoint: relative to the backend, or a complete URL.

    type: our own type; `raw` if there is no view for it. w, h: its size on the backend's grid,
    which has 40 columns. refresh_ms: the interval at which it is fetched again, in milliseconds;
    None if there is no such interval. cron: the times at which it is fetched. updates: the times at
    which the backend has new data, if it specifies them. data_key: where its rows are in the
    response. socket: where changes to its rows are received. row_id: the column that identifies the
    row.
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
        """Return whether the widget's parameters are sent in the body of a POST request."""
        return self.kind in ("omni", "multi_file_viewer") or self.by_range

    @property
    def by_range(self) -> bool:
        """Return whether the server delivers the widget's rows in ranges and sorts and filters
        them.
        """
        return self.kind in ("ssrm_table", "table_ssrm", "ssrm_advanced")


@dataclass(frozen=True)
class Backend:
    """A server that publishes widgets. widgets, apps: the widgets and dashboards that it published
    last. headers, keys: names of the secrets in the keyring that are sent to it as headers and in
    the query. allowed: other servers that it may point to; these receive none of the secrets.
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
        """Return the backend's widgets, sorted by category and name."""
        made = [read_spec(key, entry) for key, entry in self.widgets.items()]
        return sorted(
            (s for s in made if s is not None), key=lambda s: (s.category.lower(), s.name.lower())
        )

    def spec(self, widget_id: str) -> Spec | None:
        """Return one widget; None if it is no longer published."""
        return read_spec(widget_id, self.widgets.get(widget_id))


def by_id(raw: object) -> dict[str, Any]:
    """Return, by id, the widgets in widgets.json; the file contains an object, or a list of entries
    with ids.
    """
    if isinstance(raw, dict):
        return {str(key): value for key, value in raw.items() if isinstance(value, dict)}
    return {
        str(one.get("id") or one.get("widgetId")): one
        for one in objects_of(raw)
        if one.get("id") or one.get("widgetId")
    }


class WireData(WireObject):
    """What a backend specifies about a widget's rows."""

    key: Text = Field(default="", alias="dataKey")
    table: Fields = Field(default={})
    row_id: Text = Field(default="", alias="wsRowIdColumn")
    symbol: Text = Field(default="", alias="defaultSymbol")


class WireWidget(WireObject):
    """A widget as written in widgets.json."""

    name: Text = ""
    endpoint: OnlyText = ""
    type: Text = ""
    description: Text = ""
    category: Text = ""
    source: Any = None
    grid: Fields = Field(default={}, alias="gridData")
    data: Annotated[WireData, BeforeValidator(WireData.read)] = WireData()
    params: Annotated[SkipValidation[tuple[Param, ...]], BeforeValidator(read_params)] = ()
    run_button: Yes = Field(default=False, alias="runButton")
    refetch: Any = Field(default=REFRESH_MS, alias="refetchInterval")
    updates: Any = Field(default=None, alias="dataUpdateDisplay")
    socket: Text = Field(default="", alias="wsEndpoint")
    stale: Any = Field(default=None, alias="staleTime")


def read_spec(key: str, raw: object) -> Spec | None:
    """Return a widget; None if it has no endpoint."""
    told = WireWidget.read(raw)
    if not told.endpoint:
        return None
    kind = told.type or "table"
    source = told.source
    sources = [str(s) for s in source] if isinstance(source, list) else [str(source or "")]
    candles = TYPES.get(kind) == "candles"
    return Spec(
        id=key,
        name=told.name or key,
        endpoint=told.endpoint,
        type=TYPES.get(kind, "raw"),
        kind=kind,
        description=told.description,
        category=told.category,
        source=", ".join(s for s in sources if s and s != "None"),
        w=whole(told.grid.get("w"), 20, 4, COLUMNS),
        h=whole(told.grid.get("h"), 9, 2, 60),
        params=candle_params(told) if candles else told.params,
        data_key=told.data.key,
        table=told.data.table,
        run_button=told.run_button,
        refresh_ms=refresh_of(told.refetch),
        cron=read_cron(told.refetch),
        updates=read_cron(told.updates),
        socket=told.socket,
        row_id=told.data.row_id,
        stale_ms=whole(told.stale, STALE_MS, LEAST_MS, 10**9),
    )


def candle_params(told: WireWidget) -> tuple[Param, ...]:
    """Return the parameters of a price chart, and those that its backend adds."""
    own = params_of(told.endpoint, told.data.symbol)
    known = {param.name for param in own}
    return (*own, *(param for param in told.params if param.name not in known))


def refresh_of(raw: object) -> int | None:
    """Return the number of milliseconds until the next fetch; None if there is none, or if the
    times are given as a cron expression.
    """
    value = number(raw)
    return None if value is None else max(int(value), LEAST_MS)


NAMED = re.compile(r"@\[id:([^\]]+)\]")
STATE = ("chartView", "chartModel", "columnState")
PROMPTS = 12
TABS, PLACED = 12, 60  # maximum tabs of a published dashboard that are opened, and widgets in each


@dataclass(frozen=True)
class PlacedWidget:
    """A widget on a published dashboard: its id, its position in the 40 columns, its parameters,
    and its groups by name.

    state: the saved state of its table: `chartView`, `chartModel` and `columnState`, as received.
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
    """Widgets that share a parameter, so that setting it for one sets it for all. members: the
    widgets' ids, as the dashboard names them.

    param: the shared parameter; if it is empty, the group shares the parameter for a ticker.
    """

    name: str
    param: str
    members: tuple[str, ...] = ()
    default: Any = None

    def param_of(self, placed: PlacedWidget, spec: Spec) -> str | None:
        """Return the parameter that a widget shares; None if the widget is not in this group."""
        if self.name not in placed.groups and placed.widget_id not in self.members:
            return None
        if self.param:
            return self.param if self.param in {p.name for p in spec.params} else None
        return next((p.name for p in spec.params if p.kind == "ticker"), None)


@dataclass(frozen=True)
class App:
    """A dashboard that a backend publishes: its name, tabs of widgets, groups across the tabs, and
    suggested questions.
    """

    name: str
    description: str
    tabs: tuple[tuple[str, tuple[PlacedWidget, ...]], ...]
    groups: tuple[ParameterGroup, ...] = ()
    prompts: tuple[str, ...] = ()


class WirePlaced(WireObject):
    """A widget on a published dashboard."""

    id: OnlyText = Field(default="", alias="i")
    x: Any = None
    y: Any = None
    w: Any = None
    h: Any = None
    groups: Texts = ()
    state: Fields = Field(default={})


class WireTab(WireObject):
    """A tab of a published dashboard."""

    name: Text = ""
    layout: Objects = Field(default=[])


class WireGroup(WireObject):
    """Widgets that share a parameter."""

    name: Text = ""
    param: Text = Field(default="", alias="paramName")
    type: Any = None
    members: Texts = Field(default=(), alias="widgetIds")
    default: Any = Field(default=None, alias="defaultValue")


class WireApp(WireObject):
    """A dashboard as written in apps.json."""

    name: Text = ""
    description: Text = ""
    tabs: Fields = Field(default={})
    groups: Objects = Field(default=[])
    prompts: Texts = ()


def read_apps(raw: object) -> list[App]:
    """Return the dashboards in apps.json."""
    made: list[App] = []
    for one in raw if isinstance(raw, list) else [raw]:
        told = WireApp.read(one)
        tabs = [WireTab.read(tab) for tab in list(told.tabs.values())[:TABS]]
        placed = ((tab.name, placed_of(tab)) for tab in tabs)
        kept = tuple((name, widgets) for name, widgets in placed if widgets)
        if kept:
            name, prompts = told.name or "Dashboard", told.prompts[:PROMPTS]
            made.append(App(name, told.description, kept, groups_of(told), prompts))
    return made


def placed_of(tab: WireTab) -> tuple[PlacedWidget, ...]:
    """Return the widgets of one tab."""
    made: list[PlacedWidget] = []
    for one in map(WirePlaced.read, tab.layout):
        if not one.id:
            continue
        state = {key: one.state[key] for key in STATE if isinstance(one.state.get(key), dict)}
        x, y = whole(one.x, 0, 0, COLUMNS), whole(one.y, 0, 0, 10_000)
        w, h = whole(one.w, 20, 1, COLUMNS), whole(one.h, 9, 1, 200)
        values = as_dict(one.state.get("params"))
        made.append(PlacedWidget(one.id, x, y, w, h, values, one.groups, state))
    return tuple(made[:PLACED])


def groups_of(app: WireApp) -> tuple[ParameterGroup, ...]:
    """Return the groups of a dashboard, leaving out those that have no parameter and are not for
    tickers.
    """
    told = [WireGroup.read(one) for one in app.groups]
    made = [
        ParameterGroup(one.name or one.param, one.param, one.members, one.default)
        for one in told
        if one.param or one.type == "ticker"
    ]
    return tuple(made[:PLACED])


def prompts_for(apps: list[App], widgets: dict[str, str]) -> list[tuple[str, list[str]]]:
    """For each published dashboard with a tab whose widgets are all on one of our dashboards,
    return its questions, with the ids of the widgets that each question names. widgets: the names
    of the widgets on our dashboard, by id.
    """
    found: list[tuple[str, list[str]]] = []
    for app in apps:
        if any({one.widget_id for one in placed} <= widgets.keys() for _, placed in app.tabs):
            for prompt in app.prompts:
                named = [one for one in NAMED.findall(prompt) if one in widgets]
                words = NAMED.sub(lambda m: widgets.get(m[1], m[1]), prompt)
                found.append((words[:500], named))
    return found
