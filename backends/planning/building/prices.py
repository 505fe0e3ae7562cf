"""Requests about prices: returns of one, several or each of a group, and technical indicators."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.planning.asked import Builder
from backends.planning.building.cells import Cells
from backends.planning.building.gather import conditions_of, gather
from backends.planning.building.keys import keys_of
from backends.planning.building.pairs import price_measured
from backends.planning.building.show import ordered, show_rows, show_series, show_value, title_of
from backends.planning.composing.frame import Measured
from backends.planning.composing.quantities import Leaf
from backends.planning.shapes.over_time import SHOWN
from backends.planning.telling.words import word

if TYPE_CHECKING:
    from backends.planning.building.gather import Rows
    from backends.planning.composing.frame import Frame

LINES = re.compile(
    r"\blines?\b|\bcurves?\b|曲线|走势|一条线|折线|\bover time\b|\bday by day\b|逐日"
)
ONE = re.compile(r"\bhow much\b|\bwhat (?:is|was|were|are)\b|是多少|多少|几|\btotal\b|\boverall\b")
DAILY = re.compile(
    r"\bdaily returns?\b|日收益率|每日的?收益|每[日天]的?涨跌幅?|每天的?收益|日涨跌幅|[比较](?:上|前)一?个?(?:交易日|日|天)"
)
WHO = re.compile(r"\bwhich\b|\bwho\b|谁|哪")
EVERY_LAST = {"month", "quarter", "week", "year"}


def of_price(frame: Frame) -> bool:
    """Tell whether it is the price that is measured."""
    price = frame.main.price
    return price is not None and all(
        m.quantity == Leaf(frame.main.uuid, price) for m in frame.measured
    )


def returns(frame: Frame) -> Builder | None:
    """Returns: month by month, as cumulative lines, or in total for each, ranked."""
    wishes, price = frame.wishes, frame.main.price
    if (
        not wishes.has("returns")
        or not of_price(frame)
        or price is None
        or not frame.main.time
        or wishes.indicators
        or frame.ranked
    ):
        return None
    price_measured(frame)
    entity = frame.main.entity
    keys = [k for k in keys_of(frame)]
    grouped = any(source != frame.main.uuid for source, _ in frame.named)
    if not keys and entity and (grouped or not frame.named):
        keys = [entity]
    build = Builder()
    if frame.grain in EVERY_LAST:
        return by_period(frame, build, keys)
    rows = gather(frame, build, keep=(entity,) if entity else ())
    if rows is None or any(k not in rows.held for k in keys):
        return None
    lines = (wishes.has("cumulative", "trend") or LINES.search(frame.said.text)) and not wishes.n
    lines = lines or (
        not wishes.ranked and not grouped and not frame.dims and not ONE.search(frame.said.text)
    )
    title = title_of(frame, word("return", frame.asked.told))
    if lines or DAILY.search(frame.said.text):
        by = keys[0] if keys else None
        daily = bool(DAILY.search(frame.said.text)) and not wishes.has("cumulative")
        made = build.add(
            "returns", title, data=rows.handle, value=price, by=by, cumulative=not daily
        )
        show_series(
            frame,
            build,
            Cells(made, rows.time, keys[:1], ["return %" if daily else "cumulative return %"]),
            title,
        )
        return build
    return totals(frame, build, rows, keys, title)


def totals(frame: Frame, build: Builder, rows: Rows, keys: list[str], title: str) -> Builder | None:
    """What each came to from the first day to the last; of groups the mean of their members."""
    price, entity = str(frame.main.price), frame.main.entity
    if not keys:
        made = build.add("growth", title, data=rows.handle, value=price)
        show_value(frame, build, Cells(made, None, [], ["growth %"]))
        return build
    if len(keys) > 1:
        return None
    if keys[0] == entity or entity is None or one_each(frame, keys[0]):
        made = build.add("growth", title, data=rows.handle, value=price, by=keys[0])
        cells = ordered(frame, build, Cells(made, None, keys, ["growth %"]), "growth %")
        show_rows(frame, build, cells, title)
        return build
    ends = build.add(
        "summarise",
        title,
        data=rows.handle,
        by=[keys[0], entity],
        columns=[price],
        aggregates=["first", "last"],
    )
    ratio = build.add(
        "compute", title, data=ends, name="ratio", first="last", operator="/", second="first"
    )
    gain = build.add(
        "compute", title, data=ratio, name="gain", first="ratio", operator="-", second=1.0
    )
    made = build.add(
        "compute", title, data=gain, name="return %", first="gain", operator="*", second=100.0
    )
    how = "median" if frame.has("median") else "mean"
    each = build.add("summarise", title, data=made, by=keys, columns=["return %"], aggregates=[how])
    cells = ordered(frame, build, Cells(each, None, keys, ["return %"]), "return %")
    show_rows(frame, build, cells, title)
    return build


def one_each(frame: Frame, key: str) -> bool:
    """Tell whether a key names the same things as the entities of prices, under another name."""
    source = next((d.source for d in frame.dims if d.column == key), frame.main.uuid)
    column = frame.asked.view(source).profile.column(key)
    entity = frame.main.profile.column(frame.main.entity or "")
    return column is not None and entity is not None and column.distinct >= entity.distinct


def by_period(frame: Frame, build: Builder, keys: list[str]) -> Builder | None:
    """Returns from the end of one period to the end of the next."""
    entity, price = frame.main.entity, str(frame.main.price)
    rows = gather(frame, build, whole=True, keep=(entity,) if entity else ())
    if rows is None or len(keys) > 1 or any(k not in rows.held for k in keys):
        return None
    title = title_of(frame, word("return", frame.asked.told))
    ends = build.add(
        "summarise",
        title,
        data=rows.handle,
        by=keys,
        columns=[price],
        aggregates=["last"],
        every=frame.grain,
        time=rows.time,
    )
    made = build.add("change", title, data=ends, value=price, by=keys[0] if keys else None, lag=1)
    if kept := conditions_of(rows):
        made = build.add("select", title, data=made, where=kept)
    show_series(frame, build, Cells(made, rows.time, keys, ["change %"]), title)
    return build


def indicators(frame: Frame) -> Builder | None:
    """Technical indicators: lines, panes below candles, one number on a day, or the members of a
    group ranked.
    """
    wishes, candles = frame.wishes, frame.main.candles
    if not (wishes.indicators or wishes.has("candles")) or not candles or not frame.main.time:
        return None
    frame.measured = [Measured(Leaf(frame.main.uuid, c), 0) for c in candles.values()]
    entity, build = frame.main.entity, Builder()
    frame.dims = [d for d in frame.dims if d.column == entity]
    rows = gather(frame, build, whole=True, keep=(entity,) if entity else ())
    if rows is None:
        return None
    several = len(frame.named.get((frame.main.uuid, entity or ""), [])) != 1
    by = entity if several else None
    handle = rows.handle
    shown: list[str] = []
    own = {k: candles[k] for k in ("close", "high", "low")}
    for name, window in wishes.indicators.items():
        handle = build.add(
            "technical", name.upper(), data=handle, indicator=name, by=by, window=window, **own
        )
        shown += SHOWN[name]
    shown = picked(frame, shown)
    title = title_of(
        frame, ", ".join(n.upper() for n in wishes.indicators) or word("candles", frame.asked.told)
    )
    keys = [entity] if by and entity else []
    now = frame.when.point and frame.when.last == frame.asked.today and not shown_over_time(frame)
    if now and not keys and shown:  # the market may be closed today
        build.add("read_value", title, data=handle, column=shown[-1])
        return build
    if frame.when.point and frame.when.last is not None:
        on = {"column": rows.time, "op": "=", "value": frame.when.last.isoformat()}
        handle = build.add("select", title, data=handle, where=[on])
        at_a_day(frame, build, Cells(handle, None, keys, shown), title)
        return build
    if wishes.has("latest") and not wishes.form and not keys and shown:
        build.add("read_value", title, data=handle, column=shown[-1])
        return build
    if kept := conditions_of(rows):
        handle = build.add("select", title, data=handle, where=kept)
    if wishes.has("candles") or not wishes.indicators:
        build.add("candlestick", title, data=handle, time=rows.time, title=title, **candles)
    else:
        show_series(frame, build, Cells(handle, rows.time, keys, shown), title)
    return build


def shown_over_time(frame: Frame) -> bool:
    """Tell whether more than one number is to be seen."""
    return bool(frame.wishes.form) or frame.has("draw", "trend", "candles")


def at_a_day(frame: Frame, build: Builder, cells: Cells, title: str) -> None:
    """Show what an indicator is on a day: a number, or each of several ranked, or the first of
    them.
    """
    if not cells.keys:
        show_value(frame, build, cells)
        return
    cells.values = cells.values[-1:]
    if frame.wishes.order and not frame.wishes.n and WHO.search(frame.said.text):
        frame.wishes.n = 1
    show_rows(frame, build, ordered(frame, build, cells, cells.values[0]), title)


def picked(frame: Frame, shown: list[str]) -> list[str]:
    """Return the lines of an indicator that are named by themselves, else all."""
    said = frame.said.text
    rails = {"boll_mid": r"中轨|middle", "boll_upper": r"上轨|upper", "boll_lower": r"下轨|lower"}
    if rail := [
        n
        for n, form in rails.items()
        if n in shown and re.search(form, said) and not re.search("上中下轨", said)
    ]:
        return rail
    named = [
        n
        for n in shown
        if re.search(
            rf"(?<![a-z]){re.escape(n)}(?![a-z])",
            re.sub(
                r"(?<![a-z])(?:macd|kdj|rsi|boll|cci)(?![a-z])",
                "",
                re.sub(r"\([^()]*\)", "", frame.said.text),
            ),
        )
    ]
    return named or shown
