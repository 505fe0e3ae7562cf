"""Requests about what goes on in time: periods, changes, windows, sums that run on, growth,
forecasts.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING

from backends.planning.asked import Builder
from backends.planning.building.cells import HOW, Cells, summed
from backends.planning.building.gather import conditions_of, gather
from backends.planning.building.keys import keys_of
from backends.planning.building.show import (
    long,
    ordered,
    show_rows,
    show_series,
    show_value,
    title_of,
)
from backends.planning.composing.quantities import Node
from backends.planning.composing.time.grains import EVENT, ORDER
from backends.planning.composing.time.periods import WHOLE
from backends.planning.shapes.read import LAG, RATE, finer

if TYPE_CHECKING:
    from backends.planning.composing.frame import Frame
    from backends.planning.times import Grain

ZH = {"day": "[日天]", "week": "[周]", "month": "月", "quarter": "季", "year": "年"}
ABSOLUTE = re.compile(
    r"\b(?:the )?difference\b|\bminus\b|\bin points\b|减去|之差|差[值额]|\bby how"
    r" (?:much|many)\b|\bhow"
    r" (?:much|many)\b|增加了多少|减少了多少|变化了多少|多了多少|少了多少|差多少"
)


IN_AMOUNTS = re.compile(
    r"(?:多少|几)(?:十|百|千|万|亿)*(?:元|块|人|吨|件|辆|台|度|公里|米|点|个(?!百分))|\bin"
    r" (?:(?:million|thousand|billion)s? (?:of"
    r" )?)?(?:euros?|dollars|pounds|yuan|units|tonnes|tons|people|points|hours|minutes)\b|\babsolute\b|[变增减](?:动|化|长|加|少)额|增减额|绝对[值数量额]"
)
END = re.compile(
    r"(?:累计|累积)[^,，。]{0,6}(?:是|达|有)?多少|\bwhat (?:is|was) (?:it|the (?:running"
    r" total|cumulative))\b|\bwhere does it (?:end|stand)\b|到.{4,12}(?:累计|累积).{0,4}多少"
)


def every_of(frame: Frame) -> Grain:
    """Return the period of a series: that which is asked for, else that of the table."""
    wanted = frame.grain or frame.ranked
    own = frame.main.grain or "day"
    if EVENT.search(frame.said.text) or frame.ranked == "day":
        return "day"
    if (
        wanted is None
        and frame.has("yoy", "mom")
        and frame.when.kind in ("month", "quarter", "year")
    ):
        kind: Grain = "month" if frame.when.kind == "month" or not frame.has("yoy") else "quarter"
        kind = "year" if frame.when.kind == "year" and frame.has("yoy") else kind
        wanted = (
            kind if frame.when.kind != "quarter" else "quarter"
        )  # "五月的环比" is that of months, not of days
    if (
        frame.columns
        and all(RATE.search(leaf.column) for leaf in frame.columns)
        and not any(frame.has(h) for h in HOW)
    ):
        return own  # a rate is not made of other rates
    return own if wanted is None or (finer(wanted, own)) else wanted


def series(frame: Frame) -> Builder | None:
    """A column for each period, as it is or made into something else; the periods ranked, or the
    last one told.
    """
    wishes, keys = frame.wishes, keys_of(frame)
    if frame.ranked and wishes.has("returns", "growth") and not wishes.has("yoy", "mom"):
        wishes.cues.add("mom")  # "the day on which it rose most"
    made = wishes.has("rolling", "yoy", "mom", "cumulative")
    if not goes_on(frame, keys, made=made):
        return None
    build, every = Builder(), every_of(frame)
    back = wishes.has("rolling", "yoy", "mom")
    rows = gather(frame, build, whole=back)
    cells = summed(frame, build, rows, keys, every) if rows else None
    if rows is None or cells is None or cells.time is None:
        return None
    if made:
        cells = changed(frame, build, long(frame, build, cells), every)
    if back and (kept := conditions_of(rows)):
        cells.handle = build.add("select", title_of(frame), data=cells.handle, where=kept)
    if frame.ranked or (wishes.n and not keys):
        show_rows(
            frame,
            build,
            ordered(frame, build, spelled(frame, build, cells), chosen_value(frame, cells)),
        )
    elif made and frame.when.kind == every and not frame.when.periods and one_period(frame):
        cells.time = None
        if cells.keys:
            show_rows(frame, build, ordered(frame, build, cells, cells.values[0]))
        else:
            show_value(frame, build, cells)
    elif (
        not cells.keys
        and wishes.form is None
        and not wishes.has("draw", "trend")
        and (wishes.has("latest") or (made and asks_end(frame)))
    ):
        build.add("read_value", title_of(frame), data=cells.handle, column=cells.values[-1])
    else:
        show_series(frame, build, cells)
    return build


def goes_on(frame: Frame, keys: list[str], *, made: bool) -> bool:
    """Tell whether something that goes on in time is asked for, and not what it comes to."""
    wishes = frame.wishes
    if not frame.main.time or (not frame.measured and not wishes.has("count")) or len(keys) > 1:
        return False
    statistic = wishes.has("mean", "median", "max", "min")
    ranged = frame.when.first is not None and not frame.when.point
    each = frame.each or frame.ranked or (frame.grain and not statistic)
    shown = made or each or wishes.has("trend") or wishes.form in ("line", "scatter")
    if not shown and (not ranged or wishes.n or wishes.ranked or keys or asks_one(frame)):
        return False
    if keys and wishes.n and not frame.ranked:
        return False
    return not (wishes.has("mean", "median") and not frame.each and not made and not frame.ranked)


def one_period(frame: Frame) -> bool:
    """Tell whether the days of a request are one day, month, quarter or year."""
    first, last = frame.when.first, frame.when.last
    if first is None or last is None:
        return False
    most = {"day": 1, "week": 7, "month": 31, "quarter": 92, "year": 366}.get(frame.when.kind, 0)
    return (last - first).days < most


def asks_end(frame: Frame) -> bool:
    """Tell whether the last number of a series is asked for."""
    return bool(END.search(frame.said.text))


def spelled(frame: Frame, build: Builder, cells: Cells) -> Cells:
    """Write the periods of a series as they are spoken of: 2024, 2024Q1, 2024-05."""
    if cells.keys or every_of(frame) not in ("year", "quarter", "month"):
        return cells
    cells.handle = build.add(
        "summarise",
        title_of(frame),
        data=cells.handle,
        columns=cells.values,
        aggregates=["last"],
        every=every_of(frame),
        time=cells.time,
        written=True,
    )
    return cells


def asks_one(frame: Frame) -> bool:
    """Tell whether one number is asked for."""
    return bool(
        re.search(
            r"\bhow (?:much|many)\b|\bwhat (?:is|was|were|are)\b|\btotal\b|是多少|多少|合计|一共|总共",
            frame.said.text,
        )
    ) or any(frame.has(h) for h in ("mean", "median", "max", "min", "count"))


def chosen_value(frame: Frame, cells: Cells) -> str:
    """Return the column that decides the order: that behind "by", else the first."""
    for measured, value in zip(frame.measured, cells.values, strict=False):
        if re.search(
            r"(?:\bby|按照?|以)\s*(?:the )?(?:average |total )?$", frame.said.text[: measured.at]
        ):
            return value
    computed = [
        v
        for m, v in zip(frame.measured, cells.values, strict=False)
        if isinstance(m.quantity, Node)
    ]
    return computed[0] if len(computed) == 1 and frame.wishes.order else cells.values[0]


def changed(frame: Frame, build: Builder, cells: Cells, every: Grain) -> Cells:
    """Make changes, running sums or windows of a series."""
    wishes, title = frame.wishes, title_of(frame)
    by = cells.keys[0] if cells.keys else None
    value = cells.values[0]
    if wishes.has("yoy", "mom"):
        lag = LAG[every].get("year", 1) if wishes.has("yoy") else 1
        how = "absolute" if in_amounts(frame) else None
        cells.handle = build.add(
            "change", title, data=cells.handle, value=value, by=by, lag=lag, how=how
        )
        value = "change" if how else "change %"
        cells.values = [value]
    if wishes.has("cumulative"):
        cells.handle = build.add("cumulate", title, data=cells.handle, value=value, by=by)
        cells.values = [f"cumulative {value}"]
    if wishes.windows:
        for window in dict.fromkeys(wishes.windows):
            cells.handle = build.add(
                "rolling", title, data=cells.handle, value=value, by=by, window=window
            )
        cells.values = [f"mean of {window}" for window in dict.fromkeys(wishes.windows)]
    return cells


def in_amounts(frame: Frame) -> bool:
    """Tell whether a change is asked for in what is counted, and not in percent."""
    return bool(IN_AMOUNTS.search(frame.said.text)) and not frame.has("percent")


def how_told(frame: Frame) -> str:
    """Return how a growth is told: in what is counted where that is asked for, else in percent."""
    meant = ABSOLUTE.search(frame.said.text) and not frame.has("percent")
    return "absolute" if frame.has("points") or in_amounts(frame) or meant else "percent"


def growth(frame: Frame) -> Builder | None:
    """How far a quantity came from one period to another, for each or as a whole."""
    wishes, when = frame.wishes, frame.when
    two = len(when.periods) == 2
    meant = wishes.has("growth") or (two and wishes.has("yoy", "compare", "percent"))
    if (
        not meant
        or not frame.main.time
        or not frame.measured
        or frame.ranked
        or wishes.windows
        or wishes.has("cumulative")
    ):
        return None
    if (
        wishes.has("mom")
        or (not two and (wishes.has("yoy") or when.point))
        or (frame.grain and not two and frame.grain != when.kind)
    ):
        return None
    keys = keys_of(frame)
    drawn = (
        wishes.form == "line"
        or wishes.has("trend")
        or (frame.each and frame.grain and when.kind in LAG and finer(frame.grain, when.kind))
    )
    if len(keys) > 1 or (drawn and not (two and wishes.form == "bar")):
        return None
    build = Builder()
    rows = gather(frame, build)
    kind = (
        when.kind
        if when.kind in ("year", "quarter", "month", "week")
        else frame.main.grain or "day"
    )
    if ends := WHOLE.search(frame.said.text):
        kind = next((g for g in ORDER if re.search(f"{g}|{ZH[g]}", ends[0])), kind)
    every: Grain = kind if kind in LAG else "day"  # type: ignore[assignment]
    every = (frame.main.grain or "day") if finer(every, frame.main.grain or "day") else every
    cells = summed(frame, build, rows, keys, every) if rows else None
    if cells is None:
        return None
    cells = long(frame, build, cells)
    how = how_told(frame)
    by = cells.keys[0] if cells.keys else None
    handle = build.add(
        "growth", title_of(frame), data=cells.handle, value=cells.values[0], by=by, how=how
    )
    done = Cells(handle, None, cells.keys, ["growth %" if how == "percent" else "growth"])
    if by is None:
        show_value(frame, build, done)
        return build
    done = ordered(frame, build, done, done.values[0])
    show_rows(frame, build, done)
    return build


def until(frame: Frame) -> tuple[int, Grain] | None:
    """Return how many periods lie between the last one that is known and the day up to which is
    forecast.
    """
    main, last = frame.main, frame.when.last
    column = main.profile.column(main.time[0]) if main.time else None
    if last is None or column is None or column.kind != "date" or not column.high:
        return None
    known = dt.date.fromisoformat(str(column.high)[:10])
    unit: Grain = frame.grain or (
        "month" if frame.when.kind in ("month", "edge", "year") else main.grain or "day"
    )
    size = {"day": 1, "week": 7, "month": 30.44, "quarter": 91.3, "year": 365.25}[unit]
    steps = round((last - known).days / size)
    return (steps, unit) if 1 <= steps <= 60 else None


def forecast(frame: Frame) -> Builder | None:
    """The next values of a series, from its begin, as a table; drawn with what was, if that is
    asked for.
    """
    if not frame.has("forecast") or not frame.main.time or not (frame.measured or frame.main.price):
        return None
    build = Builder()
    rows = gather(frame, build, whole=True)
    if rows is None:
        return None
    steps, unit = (
        frame.wishes.ahead or until(frame) or (4, frame.grain or frame.main.grain or "day")
    )
    own = frame.main.grain or "day"
    every = unit if finer(own, unit) else own
    cells = summed(frame, build, rows, [], every)
    if cells is None or len(cells.values) != 1:
        return None
    history = cells.handle
    steps *= LAG.get(every, {}).get(unit, 1)
    made = build.add("forecast", title_of(frame), data=history, value=cells.values[0], steps=steps)
    if frame.has("draw", "trend"):
        past = build.add(
            "line",
            title_of(frame),
            data=history,
            x=cells.time,
            y=cells.values,
            title=title_of(frame),
        )
        ahead = build.add(
            "line",
            title_of(frame),
            data=made,
            x=cells.time,
            y=["forecast", "low", "high"],
            title=title_of(frame),
        )
        build.add("overlay", title_of(frame), charts=[past, ahead], title=title_of(frame))
    build.add(
        "show_table", title_of(frame), data=made, title=title_of(frame), save=frame.has("save")
    )
    return build
