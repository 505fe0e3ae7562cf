"""Requests about two series beside each other: how they go together, and one set against the
other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.planning.asked import Builder
from backends.planning.building.cells import Cells, summed
from backends.planning.building.gather import conditions_of, gather
from backends.planning.building.keys import keys_of
from backends.planning.building.series import every_of
from backends.planning.building.show import show_rows, show_series, title_of
from backends.planning.composing.expressions import BACK, FRONT, SIGNS
from backends.planning.composing.frame import Measured
from backends.planning.composing.quantities import Leaf
from backends.planning.shapes.read import LAG

if TYPE_CHECKING:
    from backends.planning.building.gather import Rows
    from backends.planning.composing.frame import Frame

APART = re.compile(r"各|每|分别|分站|按|\beach\b|\bevery\b|\bper\b|\bby\b|\brespectively\b")


def correlation(frame: Frame) -> Builder | None:
    """How two columns, or one column of two entities, go together."""
    if not frame.has("correlation"):
        return None
    pair = two_entities(frame)
    return of_entities(frame, pair) if pair and len(frame.measured) < 2 else of_columns(frame)


def two_entities(frame: Frame) -> tuple[str, str, str] | None:
    """Return a column and the two of its values that are named."""
    for (_, column), held in frame.named.items():
        if len(held) == 2:
            return column, str(held[0]), str(held[1])
    return None


def price_measured(frame: Frame) -> bool:
    """Measure the price where nothing else is named; tell whether something is measured then."""
    if not frame.measured and frame.main.price:
        frame.measured = [Measured(Leaf(frame.main.uuid, frame.main.price), 0)]
    return bool(frame.measured)


def of_entities(frame: Frame, pair: tuple[str, str, str]) -> Builder | None:
    """One column of two entities."""
    column, one, two = pair
    if not price_measured(frame) or not frame.main.time:
        return None
    build = Builder()
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


def of_columns(frame: Frame) -> Builder | None:
    """Two columns, of one table or of two joined; a change of one of them, where that is said."""
    if len(frame.measured) != 2 or any(not isinstance(m.quantity, Leaf) for m in frame.measured):
        return None
    build, title, keys = Builder(), title_of(frame), keys_of(frame)
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


def label_beside(frame: Frame, rows: Rows) -> str:
    """Return the column that names the things of a joined table; "" if there is none."""
    source = next(leaf.source for leaf in frame.columns if leaf.column in rows.beside)
    columns = frame.asked.view(source).profile.columns
    return next((c.name for c in columns if c.kind == "text" and c.name in rows.held), "")


def changing(frame: Frame) -> str:
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


def set_against(frame: Frame) -> Builder | None:
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
    build = Builder()
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


def sign_between(frame: Frame) -> str | None:
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
