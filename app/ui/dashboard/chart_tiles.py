"""Tables shown as charts, the chart of an answer, and pictures of charts.

Chart artifacts are converted to Plotly figures in the colours of the theme.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QObject, QSize, QTimer, Signal

from app.domain.errors import DeskpilotError
from app.openbb.charts import largest_first, lies
from app.openbb.table_view import POINTS, ChartSpec, read_drawn
from app.openbb.table_view import figure_of as view_figure
from app.ui.dashboard.card import Card
from app.ui.theme.i18n import spoken_language, tr

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from PySide6.QtWidgets import QWidget

    from app.domain.conversation import Turn
    from app.domain.dashboard import Widget
    from app.domain.events import Artifact
    from app.services.dashboard.live import Live
    from app.services.dashboard.tiles import Dashboard
    from app.services.dashboard.widgets import Widgets
    from app.ui.dashboard.pane import DashboardPane
    from app.ui.dashboard.web_views import ChartCanvas
    from app.ui.theme.tokens import Tokens


DAY, FORTNIGHT = 86_400_000, 1_209_600_000  # milliseconds
# the date formats of an axis in languages that number the months
DATES: dict[str, dict[str, Any]] = {
    language: {
        "tickformatstops": [
            {"dtickrange": [None, DAY - 1], "value": "%H:%M\n%Y年%-m月%-d日"},
            {"dtickrange": [DAY, 2 * FORTNIGHT], "value": "%-m月%-d日\n%Y年"},
            {"dtickrange": ["M1", "M11"], "value": "%Y年%-m月"},
            {"dtickrange": ["M12", None], "value": "%Y年"},
        ],
        "hoverformat": "%Y年%-m月%-d日",
    }
    for language in ("zh", "ja")
}
ISO = re.compile(r"\d{4}-\d\d-\d\d")
SMALL = 11  # text size of axis labels, in pixels
NAMED = 12  # number of bars up to which every bar is labelled


def figure_of(artifact: Artifact, tokens: Tokens) -> dict[str, Any] | None:
    """Return the data and layout of a figure; None if the artifact is not a chart of rows."""
    chart, rows = artifact.chart or {}, artifact.content
    if artifact.type == "chart" and chart.get("chartType") == "plotly":
        return dressed(chart, artifact.name, tokens)
    if artifact.type == "chart" and isinstance(rows, list) and chart.get("angleKey"):
        return pie(chart, [row for row in rows if isinstance(row, dict)], tokens)
    if artifact.type != "chart" or not isinstance(rows, list) or not chart.get("xKey"):
        return None
    form = str(chart.get("chartType"))
    kind = {"bar": "bar"}.get(form, "scatter")
    rows = largest_first(chart, rows) if kind == "bar" else rows
    x = [row.get(chart["xKey"]) for row in rows if isinstance(row, dict)]
    data: list[dict[str, Any]] = []
    colours = [tokens.accent, *tokens.lines]
    for number, key in enumerate(chart.get("yKey") or []):
        colour = colours[number % len(colours)]
        trace: dict[str, Any] = {
            "type": kind,
            "name": key,
            "x": x,
            "y": [r.get(key) for r in rows if isinstance(r, dict)],
        }
        if kind == "scatter":
            trace |= {
                "mode": "markers" if form == "scatter" else "lines",
                "line": {"color": colour, "width": 2},
            }
        else:
            trace |= {"marker": {"color": colour}}
        data.append(trace)
    axis = {
        "gridcolor": tokens.hairline,
        "zeroline": False,
        "linecolor": tokens.hairline,
        "nticks": 6,
    }
    if lies(chart, rows):
        return lying(data, axis, tokens)
    up = axis_of({"title": data[0]["name"], "automargin": True} if len(data) == 1 else {}, tokens)
    layout: dict[str, Any] = {
        **themed(tokens),
        "margin": {"l": 48, "r": 30, "t": 12, "b": 36},
        "showlegend": len(data) > 1,
        "xaxis": axis | across(data, x, kind, tokens),
        "yaxis": up | axis | {"separatethousands": True},
    }
    return {"data": data, "layout": layout}


def lying(data: list[dict[str, Any]], axis: dict[str, Any], tokens: Tokens) -> dict[str, Any]:
    """Return a figure of horizontal bars, one below another, each with its full name beside it."""
    bars = [trace | {"x": trace["y"], "y": trace["x"], "orientation": "h"} for trace in data]
    small = {"tickfont": {"size": round(SMALL * tokens.scale)}}
    names = {"type": "category", "autorange": "reversed", "automargin": True, "showgrid": False}
    titled = {"title": bars[0]["name"]} if len(bars) == 1 else {}
    values = axis_of({**titled, "automargin": True}, tokens) | axis | {"separatethousands": True}
    layout: dict[str, Any] = {
        **themed(tokens),
        "margin": {"l": 12, "r": 30, "t": 8, "b": 36},
        "showlegend": len(bars) > 1,
        "bargap": 0.3,
        "xaxis": values,
        "yaxis": names | {"dtick": 1, "ticksuffix": " "} | small,
    }
    return {"data": bars, "layout": layout}


def across(data: list[dict[str, Any]], x: list[Any], kind: str, tokens: Tokens) -> dict[str, Any]:
    """Return the category axis of a chart of rows, with days as dates and all other values as
    names.
    """
    made: dict[str, Any] = {"showgrid": False, "type": "-"}
    if is_dated(data) and (kind != "bar" or len(x) > NAMED):
        flat = {
            "nticks": 4,
            "tickangle": 0,
            "automargin": True,
            "tickfont": {"size": round(SMALL * tokens.scale)},
        }  # because slanted labels would be cut off
        return made | {"type": "date"} | flat | DATES.get(spoken_language(), {})
    if isinstance(x[0] if x else "", str):
        made["type"] = "category"
    if kind == "bar":
        made |= {
            "automargin": True,
            "autotickangles": [0, 40, 90],
            "tickfont": {"size": round(SMALL * tokens.scale)},
        }
        made |= {"nticks": len(x)} if len(x) <= NAMED else {}  # this labels every bar
    return made


def dressed(chart: dict[str, Any], name: str, tokens: Tokens) -> dict[str, Any]:
    """Return a Plotly figure in the theme's colours, unless it has its own.

    name: the title of its tile, which is not repeated in the figure.
    """
    data, layout = list(chart["data"]), dict(chart["layout"]) | themed(tokens)
    title = layout.get("title")
    if name and isinstance(title, dict) and title.get("text") == name:
        del layout["title"]
        layout["margin"] = dict(layout.get("margin") or {}) | {"t": 10}
    candles = any(trace.get("type") == "candlestick" for trace in data)
    layout.setdefault("colorway", [tokens.accent, *tokens.lines])
    layout.setdefault("bargap", 0.3)
    around = {"l": 48, "r": 24, "t": 40 if layout.get("title") else 16, "b": 36}
    layout["margin"] = around | dict(layout.get("margin") or {})
    for axis in {"xaxis", "yaxis"} | {key for key in layout if key.startswith(("xaxis", "yaxis"))}:
        bare = {"showgrid": False} if axis.startswith("x") else {"separatethousands": True}
        layout[axis] = bare | axis_of(dict(layout.get(axis) or {}), tokens)
        if axis.startswith("x") and spoken_language() in DATES and is_dated(data):
            layout[axis] = DATES[spoken_language()] | layout[axis]
    return {
        "data": [dressed_trace(trace, tokens, candles=candles) for trace in data],
        "layout": layout,
    }


def is_dated(data: list[dict[str, Any]]) -> bool:
    """Return whether the category axis of a chart has dates."""
    firsts = [trace["x"][0] for trace in data if trace.get("x") is not None and len(trace["x"])]
    return bool(firsts) and all(isinstance(x, str) and ISO.match(x) for x in firsts)


def axis_of(axis: dict[str, Any], tokens: Tokens) -> dict[str, Any]:
    """Return an axis with faint lines and small text."""
    quiet = {
        "gridcolor": tokens.hairline,
        "zerolinecolor": tokens.faint,
        "linecolor": tokens.hairline,
        "automargin": True,
    }
    title = axis.get("title")
    held = dict(title) if isinstance(title, dict) else {"text": title} if title else {}
    small = {"size": round(SMALL * tokens.scale)}
    told = {"title": {"font": small, "standoff": 6} | held} if held else {}
    return quiet | {"tickfont": small} | axis | told


def dressed_trace(trace: dict[str, Any], tokens: Tokens, *, candles: bool) -> dict[str, Any]:
    """Return a trace in the theme's colours: candles in the colours for rising and falling prices,
    and the traces below them in muted colours.
    """
    if trace.get("type") == "candlestick":
        rising, falling = (
            {"line": {"color": c, "width": 1}, "fillcolor": c}
            for c in (tokens.accent, tokens.danger)
        )
        return {"increasing": rising, "decreasing": falling} | trace
    if trace.get("type") == "bar" and candles:
        return {"marker": {"color": tokens.faint}, "opacity": 0.7} | trace
    if trace.get("type") == "scatter" and trace.get("mode") == "lines":
        return trace | {"line": {"width": 1.6} | dict(trace.get("line") or {})}
    return trace


def pie(chart: dict[str, Any], rows: list[dict[str, Any]], tokens: Tokens) -> dict[str, Any]:
    """Return a pie or donut chart."""
    trace = {
        "type": "pie",
        "values": [row.get(chart["angleKey"]) for row in rows],
        "labels": [row.get(chart["calloutLabelKey"]) for row in rows],
        "marker": {"colors": [tokens.accent, *tokens.lines]},
        "hole": 0.5 if chart.get("chartType") == "donut" else 0,
    }
    return {
        "data": [trace],
        "layout": {**themed(tokens), "margin": {"l": 12, "r": 12, "t": 12, "b": 12}},
    }


def themed(tokens: Tokens) -> dict[str, Any]:
    """Return the theme's colours for a layout."""
    font = {"color": tokens.muted, "size": round(12 * tokens.scale)}
    return {"paper_bgcolor": tokens.card, "plot_bgcolor": tokens.card, "font": font}


ANSWER = "answer"  # id of its tile, which belongs to no widget


class AnswerChart(QObject):
    """The chart of an answer, shown temporarily on the dashboard."""

    def __init__(self, pane: DashboardPane, dashboard: Dashboard) -> None:
        super().__init__(pane)
        self._pane, self._dashboard = pane, dashboard
        self._shown: tuple[Any, Artifact] | None = None
        pane.dressed.connect(self._redraw)

    def show(self, artifact: Artifact) -> None:
        """Draw the chart of an answer."""
        figure = figure_of(artifact, self._pane.tokens)
        if figure is None:
            return
        if self._shown is None:
            from app.ui.dashboard.web_views import ChartView

            view = ChartView()
            card = Card(tr("Chart"), tr("of the last answer"), view)
            card.bar.leave_out(card.bar.context, card.bar.larger, card.bar.chart)
            self._pane.add(ANSWER, card)
            self._dashboard.show_guest(ANSWER)
            self._pane.show_tiles(self._dashboard.tiles)
        else:
            view = self._shown[0]
        bar = self._pane.cards[ANSWER].bar
        bar.name.setText(artifact.name or tr("Chart"))
        bar.caption.setText("" if artifact.name else tr("of the last answer"))
        view.draw(figure, self._pane.tokens)
        self._shown = (view, artifact)
        self._pane.show_card(ANSWER)

    def bring(self, turn: Turn) -> None:
        """If the chart belongs to this answer, scroll back to the chart, because showing the cited
        cells moved it out of view.
        """
        if self._shown is not None and any(item is self._shown[1] for item in turn.items):
            self._pane.show_card(ANSWER)

    def remove(self) -> None:
        """Remove the chart from the dashboard."""
        self._pane.take(ANSWER)
        self.end()
        self._dashboard.end_guest(ANSWER)
        self._pane.show_tiles(self._dashboard.tiles)

    def end(self) -> None:
        """Release the web view before the application exits."""
        if self._shown is not None:
            self._shown[0].end()
            self._shown = None

    def _redraw(self) -> None:
        if self._shown is not None:
            self.show(self._shown[1])


# milliseconds within which a page must load; loading the first page also starts the web engine
START_MS = 90_000
LIMIT_MS = 20_000  # milliseconds within which a loaded page must draw its chart
TRIES = 2  # number of attempts if a chart takes longer or its process exits
REST_MS = 60_000  # milliseconds of idle time after which the web view is released


class Job(NamedTuple):
    """A chart to be drawn as a picture; see `ChartPainter.draw`."""

    artifact: Artifact
    tokens: Tokens
    size: QSize
    scale: float
    form: str
    take: Callable[[bytes], None]
    tries: int = TRIES


def new_canvas(parent: QWidget) -> ChartCanvas:
    """Return a hidden web view; the web engine is loaded with the first view."""
    from app.ui.dashboard.web_views import ChartCanvas

    canvas = ChartCanvas(parent)
    canvas.hide()  # this keeps the view hidden when its parent is shown
    return canvas


class ChartPainter(QObject):
    """Draws charts of answers as pictures, one after another, in a hidden web view.

    Signals: ended() when there is nothing left to draw. new_canvas: a function that creates the
    view.
    """

    ended = Signal()

    def __init__(self, pane: DashboardPane) -> None:
        super().__init__(pane)
        self.new_canvas: Callable[[QWidget], ChartCanvas] = new_canvas
        self._pane = pane
        self._jobs = deque[Job]()
        self._job: Job | None = None
        self._view: ChartCanvas | None = None
        self._limit, self._rest = QTimer(self), QTimer(self)
        for timer, ends in ((self._limit, self._try_again), (self._rest, self._drop_view)):
            timer.setSingleShot(True)
            timer.timeout.connect(ends)

    def draw(
        self,
        artifact: Artifact,
        tokens: Tokens,
        size: QSize,
        scale: float,
        form: str,
        take: Callable[[bytes], None],
    ) -> None:
        """Pass the picture of a chart to `take`, or empty data if it cannot be drawn.

        size: in screen pixels. scale: the number of picture pixels per screen pixel. form: "png" or
        "svg".
        """
        self._jobs.append(Job(artifact, tokens, size, scale, form, take))
        if self._job is None:
            self._begin_next()

    def end(self) -> None:
        """Release the web view and discard the waiting jobs."""
        self.ended.emit()
        self._limit.stop()
        self._rest.stop()
        self._jobs.clear()
        self._job = None
        self._drop_view()

    def _begin_next(self) -> None:
        if not self._jobs:
            self._rest.start(REST_MS)
            return
        self._rest.stop()
        job = self._job = self._jobs.popleft()
        figure = figure_of(job.artifact, job.tokens)
        if figure is None:
            self._finish(b"")
            return
        if self._view is None:
            self._view = self.new_canvas(self._pane)
            self._view.titleChanged.connect(self._on_titled)
            self._view.loadFinished.connect(self._on_loaded)
            self._view.renderProcessTerminated.connect(self._try_again)
        self._view.resize(job.size)
        self._view.draw(figure, job.tokens)
        self._limit.start(START_MS)

    def _on_loaded(self, loaded: bool) -> None:
        if loaded and self._job is not None:
            self._limit.start(LIMIT_MS)

    def _on_titled(self, title: str) -> None:
        job = self._job
        if job is None or self._view is None:
            return
        if title == "drawn":
            self._view.take_picture(job.form, self._finish, job.size, job.scale)
        elif title == "failed":
            self._drop_view()
            self._finish(b"")

    def _try_again(self) -> None:
        """Draw a chart again in a new view, because the machine may just have been busy."""
        job, self._job = self._job, None
        self._limit.stop()
        self._drop_view()
        if job is None:
            return
        if job.tries > 1:
            self._jobs.append(job._replace(tries=job.tries - 1))
        else:
            job.take(b"")
        QTimer.singleShot(0, self, self._go_on)

    def _finish(self, picture: bytes) -> None:
        self._limit.stop()
        job, self._job = self._job, None
        if job is not None:
            job.take(picture)
            QTimer.singleShot(0, self, self._go_on)

    def _go_on(self) -> None:
        if self._job is None:
            self._begin_next()

    def _drop_view(self) -> None:
        view, self._view = self._view, None
        if view is not None:
            view.titleChanged.disconnect(self._on_titled)
            view.loadFinished.disconnect(self._on_loaded)
            view.renderProcessTerminated.disconnect(self._try_again)
            view.end()
            view.deleteLater()


if TYPE_CHECKING:
    Do = Callable[[str, Coroutine[Any, Any, None]], None]


class ChartTiles(QObject):
    """Shows tables as charts. Signals: turned(uuid) when a widget's content has to be shown
    again.
    """

    turned = Signal(str)

    def __init__(self, pane: DashboardPane, widgets: Widgets, live: Live, do: Do) -> None:
        super().__init__(pane)
        self._widgets = widgets
        self._live = live
        self._do = do
        self.draw: Callable[[dict[str, Any], str], QWidget] = plot

    def of(self, widget: Widget) -> ChartSpec | None:
        """Return how a table is drawn as a chart; None if that is not specified."""
        if not widget.backend:
            return None
        try:
            table = self._live.spec(widget.uuid).table
        except DeskpilotError:  # without its backend, only the dashboard's saved state applies
            table = {}
        return read_drawn(table, widget.state)

    def is_on(self, widget: Widget) -> bool:
        """Return whether a table is shown as a chart."""
        drawn = self.of(widget)
        return drawn is not None and drawn.enabled

    def body(self, widget: Widget) -> QWidget | None:
        """Return the chart of a table; None if the table is shown as a table or has no numbers."""
        drawn = self.of(widget)
        if drawn is None or not drawn.enabled:
            return None
        source = self._widgets.sources.source(widget.uuid)
        names = [column.name for column in source.table.columns]
        rows = [dict(zip(names, row, strict=True)) for row in source.table.rows(0, POINTS)]
        figure = view_figure(drawn, rows)
        return self.draw(figure, widget.name) if figure is not None else None

    def turn(self, uid: str, then: Callable[[], object] = bool) -> None:
        """Switch between a chart and its table, then call `then`."""
        self._do(f"turn {uid}", self._turn(uid, then))

    async def _turn(self, uid: str, then: Callable[[], object]) -> None:
        widget = self._widgets.get(uid)
        drawn = self.of(widget)
        if drawn is not None:
            view = dict(widget.state.get("chartView") or {}) | {"enabled": not drawn.enabled}
            await self._widgets.change(replace(widget, state=widget.state | {"chartView": view}))
            self.turned.emit(uid)
            then()


def plot(figure: dict[str, Any], name: str) -> QWidget:
    """Return the web view for a figure; the web engine is loaded with the first view."""
    from app.ui.dashboard.web_views import PlotBody

    return PlotBody(figure, name)
