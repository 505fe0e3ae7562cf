"""Which share of a whole a part has: of one value, of each, over time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from backends.planning.asked import Builder
from backends.planning.building.cells import Cells, summed
from backends.planning.building.gather import gather
from backends.planning.building.keys import keys_of
from backends.planning.building.series import every_of
from backends.planning.building.show import ordered, show_rows, show_series, show_value, title_of
from backends.planning.composing.quantities import Leaf
from backends.planning.composing.slots import Dim

if TYPE_CHECKING:
    from backends.planning.composing.frame import Frame

Column = tuple[str, str]  # a table and a column of it
SHARE = re.compile(
    r"\bshares? of\b|\bshare in\b|\bwhat (?:share|percent(?:age)?|proportion|fraction|part)"
    r" of\b|\b(?:percent(?:age)?|proportion|fraction) of\b|占比|比重|占(?=[^,，。"
    r"]{0,16}(?:百分|比例|多少|几成|%))|份额"
)


def share(frame: Frame) -> Builder | None:
    """A part over its whole, in percent; for each of something, or each period, where that is
    asked.
    """
    match = SHARE.search(frame.said.text)
    if frame.wishes.form == "pie" and not frame.has("percent"):
        return None  # a pie of the amounts shows the shares
    if match is None or frame.has("yoy", "mom", "growth", "correlation", "forecast", "pivot"):
        return None
    if len(frame.measured) > 1 or any(not isinstance(m.quantity, Leaf) for m in frame.measured):
        return None
    part = part_of(frame, match)
    keys = [k for k in keys_of(frame) if k not in {column for _, column in part}]
    by = [] if part else keys[:1]
    common = keys if part else keys[1:]
    if not part and not by:
        return None
    taken = without_part(frame, part)
    frame.dims += [
        Dim(source, column)
        for source, column in part
        if all(d.column != column for d in frame.dims)
    ]
    build, title = Builder(), title_of(frame)
    rows = gather(frame, build, keep=tuple(c for s, c in part if s == frame.main.uuid))
    if rows is None or any(c not in rows.held for c in [*by, *common, *(c for _, c in part)]):
        return None
    every = every_of(frame) if rows.time and (frame.grain or frame.has("trend")) else None
    kept = rows.handle
    whole = summed(frame, build, rows, common, every)
    if whole is None or len(whole.values) != 1:
        return None
    rows.handle = build.add("select", title, data=kept, where=taken) if taken else kept
    own = summed(frame, build, rows, [*common, *by], every)
    if own is None:
        return None
    value = own.values[0]
    total = build.add("rename", title, data=whole.handle, names={value: f"total {value}"})
    on = [*common, *([str(whole.time)] if whole.time else [])]
    made = divided(build, title, value, (own.handle, total), on)
    shown = Cells(made, whole.time, [*by, *common], ["share %"])
    if shown.time:
        show_series(frame, build, shown)
    elif shown.keys:
        show_rows(frame, build, ordered(frame, build, shown, "share %"))
    else:
        show_value(frame, build, shown)
    return build


def divided(build: Builder, title: str, value: str, both: tuple[str, str], on: list[str]) -> str:
    """Set each part beside its whole, and divide it by that."""
    left, right = both
    if not on:  # one row each
        left = build.add(
            "compute", title, data=left, name="one", first=value, operator="*", second=0.0
        )
        right = build.add(
            "compute",
            title,
            data=right,
            name="one",
            first=f"total {value}",
            operator="*",
            second=0.0,
        )
    made = build.add("merge", title, left=left, right=right, on=on or ["one"])
    made = build.add(
        "compute",
        title,
        data=made,
        name="share",
        first=value,
        operator="/",
        second=f"total {value}",
    )
    return build.add(
        "compute", title, data=made, name="share %", first="share", operator="*", second=100.0
    )


def part_of(frame: Frame, match: re.Match[str]) -> dict[Column, list[Any]]:
    """Return the values that make the part: the only column that values are named of; else those
    named before the word for the share and not behind it; else those named last.
    """
    named = dict(frame.named)
    if len(named) < 2:
        return named
    text = frame.said.text
    before = {
        key
        for key, values in named.items()
        if all(
            0 <= text.find(str(v).lower()) < match.start()
            and str(v).lower() not in text[match.end() :]
            for v in values
        )
    }
    if before:
        return {key: named[key] for key in named if key in before}
    last = max(named, key=lambda key: max(text.rfind(str(v).lower()) for v in named[key]))
    return {last: named[last]}


def without_part(frame: Frame, part: dict[Column, list[Any]]) -> list[dict[str, Any]]:
    """Take the conditions that make the part from those of the whole, and return them."""
    taken: list[dict[str, Any]] = []
    for source, column in part:
        kept = frame.filters.get(source, [])
        taken += [c for c in kept if c["column"] == column and c["op"] in ("=", "in")]
        frame.filters[source] = [
            c for c in kept if c["column"] != column or c["op"] not in ("=", "in")
        ]
        frame.named.pop((source, column), None)
    return taken
