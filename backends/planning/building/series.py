"""Steps over time: series, pairs of them, prices."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING

from backends.planning.asked import StepBuilder
from backends.planning.building.cells import HOW, Cells, conditions_of, gather, keys_of, summed
from backends.planning.building.show import (
    long,
    ordered,
    show_rows,
    show_series,
    show_value,
    title_of,
)
from backends.planning.composing.expressions import BACK, FRONT, SIGNS, Leaf, Node
from backends.planning.composing.frame import Measured
from backends.planning.composing.time import EVENT, ORDER, WHOLE
from backends.planning.shapes import LAG, RATE, SHOWN, finer
from backends.planning.words import word

if TYPE_CHECKING:
    from backends.planning.building.cells import Rows
    from backends.planning.composing.frame import RequestFrame
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


def every_of(frame: RequestFrame) -> Grain:
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


def series(frame: RequestFrame) -> StepBuilder | None:
    """A column for each period, as it is or made into something else; the periods ranked, or the
    last one told.
    """
    wishes, keys = frame.wishes, keys_of(frame)
    if frame.ranked and wishes.has("returns", "growth") and not wishes.has("yoy", "mom"):
        wishes.cues.add("mom")  # "the day on which it rose most"
    made = wishes.has("rolling", "yoy", "mom", "cumulative")
    if not goes_on(frame, keys, made=made):
        return None
    build, every = StepBuilder(), every_of(frame)
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


def goes_on(frame: RequestFrame, keys: list[str], *, made: bool) -> bool:
    """Return whether something that goes on in time is asked for, and not what it comes to."""
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


def one_period(frame: RequestFrame) -> bool:
    """Return whether the days of a request are one day, month, quarter or year."""
    first, last = frame.when.first, frame.when.last
    if first is None or last is None:
        return False
    most = {"day": 1, "week": 7, "month": 31, "quarter": 92, "year": 366}.get(frame.when.kind, 0)
    return (last - first).days < most


def asks_end(frame: RequestFrame) -> bool:
    """Return whether the last number of a series is asked for."""
    return bool(END.search(frame.said.text))


def spelled(frame: RequestFrame, build: StepBuilder, cells: Cells) -> Cells:
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


def asks_one(frame: RequestFrame) -> bool:
    """Return whether one number is asked for."""
    return bool(
        re.search(
            r"\bhow (?:much|many)\b|\bwhat (?:is|was|were|are)\b|\btotal\b|是多少|多少|合计|一共|总共",
            frame.said.text,
        )
    ) or any(frame.has(h) for h in ("mean", "median", "max", "min", "count"))


def chosen_value(frame: RequestFrame, cells: Cells) -> str:
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


def changed(frame: RequestFrame, build: StepBuilder, cells: Cells, every: Grain) -> Cells:
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


def in_amounts(frame: RequestFrame) -> bool:
    """Return whether a change is asked for in what is counted, and not in percent."""
    return bool(IN_AMOUNTS.search(frame.said.text)) and not frame.has("percent")


def how_told(frame: RequestFrame) -> str:
    """Return how a growth is told: in what is counted where that is asked for, else in percent."""
    meant = ABSOLUTE.search(frame.said.text) and not frame.has("percent")
    return "absolute" if frame.has("points") or in_amounts(frame) or meant else "percent"


def growth(frame: RequestFrame) -> StepBuilder | None:
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
    build = StepBuilder()
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


def until(frame: RequestFrame) -> tuple[int, Grain] | None:
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


def forecast(frame: RequestFrame) -> StepBuilder | None:
    """The next values of a series, from its begin, as a table; drawn with what was, if that is
    asked for.
    """
    if not frame.has("forecast") or not frame.main.time or not (frame.measured or frame.main.price):
        return None
    build = StepBuilder()
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


APART = re.compile(r"各|每|分别|分站|按|\beach\b|\bevery\b|\bper\b|\bby\b|\brespectively\b")


def correlation(frame: RequestFrame) -> StepBuilder | None:
    """How two columns, or one column of two entities, go together."""
    if not frame.has("correlation"):
        return None
    pair = two_entities(frame)
    return of_entities(frame, pair) if pair and len(frame.measured) < 2 else of_columns(frame)


def two_entities(frame: RequestFrame) -> tuple[str, str, str] | None:
    """Return a column and the two of its values that are named."""
    for (_, column), held in frame.named.items():
        if len(held) == 2:
            return column, str(held[0]), str(held[1])
    return None


def price_measured(frame: RequestFrame) -> bool:
    """Measure the price where nothing else is named; return whether something is measured then."""
    if not frame.measured and frame.main.price:
        frame.measured = [Measured(Leaf(frame.main.uuid, frame.main.price), 0)]
    return bool(frame.measured)


def of_entities(frame: RequestFrame, pair: tuple[str, str, str]) -> StepBuilder | None:
    """One column of two entities."""
    column, one, two = pair
    if not price_measured(frame) or not frame.main.time:
        return None
    build = StepBuilder()
    frame.dims = [d for d in frame.dims if d.column == column]
    rows = gather(frame, build, keep=(column,) if (frame.main.uuid, column) in frame.named else ())
    cells = summed(frame, build, rows, [column], every_of(frame)) if rows else None
    if cells is None or column not in (rows.held if rows else ()):
        return None
    value = cells.values[0]
    if frame.has("returns", "mom", "growth"):
        cells.handle = build.add(
            "returns", title_of(frame), data=cells.handle, value=value, by=column, cumulative=False
        )
        value = "return %"
    wide = build.add(
        "pivot",
        title_of(frame),
        data=cells.handle,
        rows=cells.time,
        columns=column,
        value=value,
        aggregate="mean",
    )
    build.add("correlation", title_of(frame), data=wide, x=one, y=two)
    if frame.wishes.form == "scatter":
        build.add("scatter", title_of(frame), data=wide, x=one, y=[two], title=title_of(frame))
    return build


def of_columns(frame: RequestFrame) -> StepBuilder | None:
    """Two columns, of one table or of two joined; a change of one of them, where that is said."""
    if len(frame.measured) != 2 or any(not isinstance(m.quantity, Leaf) for m in frame.measured):
        return None
    build, title, keys = StepBuilder(), title_of(frame), keys_of(frame)
    frame.dims = [d for d in frame.dims if d.column in keys]
    back = frame.has("yoy", "mom")
    rows = gather(frame, build, whole=back)
    if rows is None:
        return None
    x, y = (m.quantity.column for m in frame.measured if isinstance(m.quantity, Leaf))
    if keys and not rows.beside and APART.search(frame.said.text) and keys[0] in rows.held:
        made = build.add("correlations", title, data=rows.handle, x=x, y=y, by=keys[0])
        show_rows(frame, build, Cells(made, None, keys[:1], ["correlation"]))
        return build
    if rows.beside or frame.grain or back:
        by = [keys[0] if keys else label_beside(frame, rows)] if rows.beside else []
        cells = (
            summed(frame, build, rows, by, None if rows.beside else every_of(frame))
            if all(by)
            else None
        )
        if cells is None:
            return None
        rows.handle = cells.handle
    if back:
        near = changing(frame)
        lag = LAG[every_of(frame)].get("year", 1) if frame.has("yoy") else 1
        rows.handle = build.add("change", title, data=rows.handle, value=near, lag=lag)
        x, y = ("change %" if near == n else n for n in (x, y))
        if kept := conditions_of(rows):
            rows.handle = build.add("select", title, data=rows.handle, where=kept)
    build.add("correlation", title, data=rows.handle, x=x, y=y)
    if frame.wishes.form == "scatter" or frame.has("draw"):
        build.add("scatter", title, data=rows.handle, x=x, y=[y], title=title)
    return build


def label_beside(frame: RequestFrame, rows: Rows) -> str:
    """Return the column that names the things of a joined table; "" if there is none."""
    source = next(leaf.source for leaf in frame.columns if leaf.column in rows.beside)
    columns = frame.asked.view(source).profile.columns
    return next((c.name for c in columns if c.kind == "text" and c.name in rows.held), "")


def changing(frame: RequestFrame) -> str:
    """Return the column whose change is meant: that behind "change of", else that beside the
    words.
    """
    spot = next((s.start for s in frame.said.spans if s.kind in ("yoy", "mom")), 0)
    text = frame.said.text
    named = [(m.at, m.quantity.column) for m in frame.measured if isinstance(m.quantity, Leaf)]
    behind = [
        c
        for at, c in named
        if 0 <= at - spot <= 60 and re.search(r"\b(?:of|in)\b[^,]*$", text[spot:at])
    ]
    return next(iter(behind), min(named, key=lambda n: abs(n[0] - spot))[1])


def set_against(frame: RequestFrame) -> StepBuilder | None:
    """A column of one entity minus, over, times or plus that of another, over time."""
    pair = two_entities(frame)
    sign = sign_between(frame) if pair else None
    if (
        pair is None
        or sign is None
        or not frame.main.time
        or not price_measured(frame)
        or len(frame.measured) != 1
    ):
        return None
    column, one, two = pair
    build = StepBuilder()
    frame.dims = [d for d in frame.dims if d.column == column]
    rows = gather(frame, build, keep=(column,) if (frame.main.uuid, column) in frame.named else ())
    cells = summed(frame, build, rows, [column], every_of(frame)) if rows else None
    if cells is None:
        return None
    wide = build.add(
        "pivot",
        title_of(frame),
        data=cells.handle,
        rows=cells.time,
        columns=column,
        value=cells.values[0],
        aggregate="mean",
    )
    name = f"{one} {sign} {two}"
    made = build.add("compute", name, data=wide, name=name, first=one, operator=sign, second=two)
    show_series(frame, build, Cells(made, cells.time, [], [name]), frame.asked.title(name, []))
    return build


def sign_between(frame: RequestFrame) -> str | None:
    """Return the sign that stands between two values that are named, or in front of or behind
    both.
    """
    spans = sorted(
        (s for s in frame.said.spans if s.kind.startswith("entity")), key=lambda s: s.start
    )
    if len(spans) < 2:
        return None
    text = frame.said.text
    gap = text[spans[0].end : spans[1].start]
    for measured in frame.measured:
        gap = (
            gap.replace(text[measured.at : measured.at + len(measured.name)], " ")
            if measured.name
            else gap
        )
    gap = re.sub(r"的|\b(?:the|its|close|closing price)\b|'s", " ", gap).strip()
    if sign := next((s for s, form in SIGNS if form.fullmatch(gap)), None):
        return sign
    if sign := next((s for s, form, _ in FRONT if form.search(text[: spans[0].start])), None):
        return sign
    if re.search(r"\b(?:ratio|spread|difference|gap)\b", text[: spans[0].start]) or re.search(
        r"之比|比值|比率|之差|差值|差距|价差|温差", text[spans[1].end :]
    ):
        ratio = re.search(r"ratio|比", f"{text[: spans[0].start]} {text[spans[1].end :]}")
        return "/" if ratio else "-"
    return next((s for s, form in BACK if form.match(text[spans[1].end :])), None)


LINES = re.compile(
    r"\blines?\b|\bcurves?\b|曲线|走势|一条线|折线|\bover time\b|\bday by day\b|逐日"
)
ONE = re.compile(r"\bhow much\b|\bwhat (?:is|was|were|are)\b|是多少|多少|几|\btotal\b|\boverall\b")
DAILY = re.compile(
    r"\bdaily returns?\b|日收益率|每日的?收益|每[日天]的?涨跌幅?|每天的?收益|日涨跌幅|[比较](?:上|前)一?个?(?:交易日|日|天)"
)
WHO = re.compile(r"\bwhich\b|\bwho\b|谁|哪")
EVERY_LAST = {"month", "quarter", "week", "year"}


def of_price(frame: RequestFrame) -> bool:
    """Return whether it is the price that is measured."""
    price = frame.main.price
    return price is not None and all(
        m.quantity == Leaf(frame.main.uuid, price) for m in frame.measured
    )


def returns(frame: RequestFrame) -> StepBuilder | None:
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
    build = StepBuilder()
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


def totals(
    frame: RequestFrame, build: StepBuilder, rows: Rows, keys: list[str], title: str
) -> StepBuilder | None:
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


def one_each(frame: RequestFrame, key: str) -> bool:
    """Return whether a key names the same things as the entities of prices, under another name."""
    source = next((d.source for d in frame.dims if d.column == key), frame.main.uuid)
    column = frame.asked.view(source).profile.column(key)
    entity = frame.main.profile.column(frame.main.entity or "")
    return column is not None and entity is not None and column.distinct >= entity.distinct


def by_period(frame: RequestFrame, build: StepBuilder, keys: list[str]) -> StepBuilder | None:
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


def indicators(frame: RequestFrame) -> StepBuilder | None:
    """Technical indicators: lines, panes below candles, one number on a day, or the members of a
    group ranked.
    """
    wishes, candles = frame.wishes, frame.main.candles
    if not (wishes.indicators or wishes.has("candles")) or not candles or not frame.main.time:
        return None
    frame.measured = [Measured(Leaf(frame.main.uuid, c), 0) for c in candles.values()]
    entity, build = frame.main.entity, StepBuilder()
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


def shown_over_time(frame: RequestFrame) -> bool:
    """Return whether more than one number is to be seen."""
    return bool(frame.wishes.form) or frame.has("draw", "trend", "candles")


def at_a_day(frame: RequestFrame, build: StepBuilder, cells: Cells, title: str) -> None:
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


def picked(frame: RequestFrame, shown: list[str]) -> list[str]:
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
