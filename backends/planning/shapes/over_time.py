"""Requests about columns over time: lines, returns, sums that run on, changes, windows, forecasts,
candles.
"""

from __future__ import annotations

import re

from backends.planning.asked import Asked, Builder
from backends.planning.shapes.groups import statistics
from backends.planning.shapes.read import HOW, LAG, Read
from backends.planning.telling.words import word

BESIDES = re.compile(
    r"并|同时|以及|\band (?:also |then )?(?:print|save|show|list|export)|as well|\balso\b",
    re.IGNORECASE,
)


def forecast(asked: Asked) -> Builder | None:
    """The next values of a column, from the begin of its series, as a table only."""
    chosen = asked.chosen(lambda view: bool(view.time)) if asked.wanted.has("forecast") else None
    if chosen is None:
        return None
    view, columns = chosen
    build = Builder()
    read = Read(asked, build, view, columns[:1], whole=True)
    steps, unit = asked.wanted.ahead or (4, read.grain or "day")
    steps *= LAG.get(read.grain or unit, {}).get(unit, 1)
    name = asked.title(f"{columns[0]} · {word('forecast', asked.told)}")
    made = build.add("forecast", name, data=read.rows, value=columns[0], steps=steps)
    build.add("show_table", name, data=made, title=name, save=asked.wanted.has("save"))
    return build


def candles(asked: Asked) -> Builder | None:
    """Candles with indicators in panes below; an indicator alone as lines."""
    wanted = asked.wanted
    if not wanted.indicators and not wanted.has("candles"):
        return None
    views = [v for v in asked.views if v.candles]
    views.sort(key=lambda v: -sum(1 for e in asked.entities if e.of(v.uuid)))
    if not views or not views[0].candles or not views[0].time:
        return None
    view, prices = views[0], dict(views[0].candles or {})
    build = Builder()
    read = Read(asked, build, view, list(prices.values()))
    rows, made = read.rows, list[str]()
    for indicator in wanted.indicators:
        own = {k: prices[k] for k in ("close", "high", "low")}
        rows = build.add(
            "technical", indicator.upper(), data=rows, indicator=indicator, by=read.by, **own
        )
        made += SHOWN[indicator]
    title = asked.title(word("candles", asked.told))
    if wanted.has("candles") or not wanted.indicators:
        build.add("candlestick", title, data=rows, time=read.time, title=title, **prices)
    else:
        title = asked.title(", ".join(i.upper() for i in wanted.indicators))
        build.add(
            "line",
            title,
            data=rows,
            x=read.time,
            y=made,
            by=read.by if len(read.names) > 1 else None,
            title=title,
        )
    return build


SHOWN = {
    "macd": ["dif", "dea", "macd"],
    "kdj": ["k", "d", "j"],
    "rsi": ["rsi"],
    "boll": ["boll_upper", "boll_mid", "boll_lower"],
    "cci": ["cci"],
}


EACH_DAY = re.compile(r"每[日天]|逐日|\bdaily\b|\bdays?\b|\bbars?\b|柱", re.IGNORECASE)


def shows_both(asked: Asked) -> bool:
    """Tell whether what flows in each day is to be shown beside its running sum."""
    both = asked.wanted.has("flow") and asked.wanted.has("cumulative")
    return both and EACH_DAY.search(asked.question) is not None


def flow(asked: Asked) -> Builder | None:
    """What flows in each day as bars, and its running sum as a line in the same chart."""
    chosen = asked.chosen(lambda view: bool(view.time)) if asked.wanted.has("flow") else None
    if chosen is None or asked.wanted.has(
        "how_much", "rank", "lowest", "mean", "median", "max", "min"
    ):
        return None
    view, columns = chosen
    build = Builder()
    read = Read(asked, build, view, columns[:1])
    summed = build.add("cumulate", read.title, data=read.rows, value=columns[0], by=read.by)
    bars = build.add("bar", read.title, data=summed, x=read.time, y=columns[:1], title=read.title)
    line = build.add(
        "line",
        read.title,
        data=summed,
        x=read.time,
        y=[f"cumulative {columns[0]}"],
        title=read.title,
    )
    build.add("overlay", read.title, charts=[bars, line], title=read.title)
    return build


def returns(asked: Asked) -> Builder | None:
    """Returns over a period: the cumulative return as a line for each; the total as a number, if
    that is asked.
    """
    if not asked.wanted.has("returns"):
        return None
    chosen = asked.chosen(lambda view: bool(view.time) and view.price is not None)
    if chosen is None:
        return None
    view, _ = chosen
    price = str(view.price)
    build = Builder()
    read = Read(asked, build, view, [price])
    daily = asked.time.grain == "day" and not asked.wanted.has("cumulative") and not asked.zh
    name = word("return" if daily else "cumulative return", asked.told)
    title = asked.title(name)
    made = build.add(
        "returns",
        title,
        data=read.rows,
        value=price,
        by=read.by,
        cumulative=None if not daily else False,
    )
    column = "return %" if daily else "cumulative return %"
    if asked.wanted.has("rank", "lowest", "mean", "median") and not read.names:
        return ranked_growth(asked, read, price)
    draw(asked, build, read, made, [column], title)
    return build


def growth(asked: Asked) -> Builder | None:
    """How far each came from its first value to its last, ranked, as bars."""
    if not asked.wanted.has("growth") or asked.wanted.has("yoy", "mom", "rolling", "cumulative"):
        return None
    chosen = asked.chosen(lambda view: bool(view.time))
    if chosen is None or (asked.time.is_point and asked.time.said):
        return None
    view, columns = chosen
    read = Read(asked, Builder(), view, columns[:1])
    if (
        not asked.wanted.has("rank", "lowest", "compare", "members")
        and not asked.categories
        and len(read.names) < 2
    ):
        return None
    return ranked_growth(asked, read, columns[0])


def ranked_growth(asked: Asked, read: Read, column: str) -> Builder | None:
    """First to last value of each entity, ranked."""
    by = read.by or read.view.entity
    if by is None:
        return None
    build = Builder()
    title = asked.title(column)
    _, _, where = asked.filters(read.view)
    rows = build.add(
        "read_series",
        title,
        source=read.view.uuid,
        time=read.view.time,
        columns=[column],
        by=by,
        entities=read.names,
        where=where,
        every=read.every,
        aggregate=read.aggregate(asked) if read.every else None,
        **asked.span(),
    )
    made = build.add("growth", title, data=rows, value=column, by=by)
    ascending = asked.wanted.has("lowest") and not asked.wanted.has("rank")
    ranked = build.add(
        "rank", title, data=made, by="growth %", descending=not ascending, n=asked.wanted.n
    )
    if asked.wanted.has("table") and not asked.wanted.has("draw"):
        build.add("show_table", title, data=ranked, title=title, save=asked.wanted.has("save"))
    else:
        build.add("bar", title, data=ranked, x=by, y=["growth %"], title=title)
    return build


def series(asked: Asked) -> Builder | None:
    """A column over time for each entity, as it is or made into something else, as lines."""
    wanted = asked.wanted
    chosen = asked.chosen(lambda view: bool(view.time))
    if chosen is None or (asked.time.is_point and asked.time.exact):
        return None
    made = wanted.has("rolling", "yoy", "mom", "cumulative")
    shown = (
        made
        or wanted.has("trend", "draw")
        or asked.time.grain
        or wanted.form in ("line", "bar", "scatter")
    )
    ranged = asked.time.start is not None and not asked.time.is_point
    if (
        not shown
        and not (
            ranged
            and (asked.entities or asked.metrics)
            and not wanted.has("how_much", "rank", "lowest", *HOW)
        )
        and not (wanted.has("compare") and ranged)
    ):
        return None
    view, columns = chosen
    build = Builder()
    read = Read(asked, build, view, columns)
    rows, shown_columns = read.rows, list(columns)
    if wanted.has("yoy", "mom") and not any(
        c.lower().endswith(("_yoy", "_mom", "_qoq")) for c in columns
    ):
        grain = read.grain or "day"
        lag = LAG[grain].get("year", 1) if wanted.has("yoy") else 1
        rows = build.add("change", read.title, data=rows, value=columns[0], by=read.by, lag=lag)
        shown_columns = ["change %"]
    if wanted.has("cumulative"):
        rows = build.add("cumulate", read.title, data=rows, value=columns[0], by=read.by)
        shown_columns = [f"cumulative {columns[0]}"]
    if wanted.has("rolling") and wanted.window and not asked.time.is_point:
        rows = build.add(
            "rolling", read.title, data=rows, value=columns[0], by=read.by, window=wanted.window
        )
        shown_columns = [columns[0], f"mean of {wanted.window}"]
    draw(asked, build, read, rows, shown_columns, read.title)
    return build


def draw(
    asked: Asked, build: Builder, read: Read, rows: str, columns: list[str], title: str
) -> None:
    """Show a series: lines for what goes on, bars and tables where they are asked for, numbers for
    one point.
    """
    wanted = asked.wanted
    form = wanted.form if wanted.form in ("bar", "scatter") else "line"
    only_table = (
        wanted.has("table", "save") and not wanted.has("draw", "trend") and wanted.form is None
    )
    only_table = only_table and not BESIDES.search(asked.question)
    if not only_table:
        build.add(form, title, data=rows, x=read.time, y=columns, by=read.by, title=title)
    if wanted.has("table", "save"):
        build.add("show_table", title, data=rows, title=title, save=wanted.has("save"))
    if read.every is None or not wanted.has(*HOW):
        statistics(asked, build, rows, columns[-1], read.by)
