"""The last steps: rows in order, and lines, bars, pies, tables or one value of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.planning.building.cells import names_of

if TYPE_CHECKING:
    from backends.planning.asked import StepBuilder
    from backends.planning.building.cells import Cells
    from backends.planning.composing.frame import RequestFrame

BESIDES = re.compile(
    r"并|同时|以及|\band (?:also |then )?(?:print|save|show|list|export)|as well|\balso\b"
)


def title_of(frame: RequestFrame, what: str = "") -> str:
    """Return what a chart or table is called."""
    return frame.asked.title(what or names_of(frame))


def ordered(
    frame: RequestFrame, build: StepBuilder, cells: Cells, by: str, *, always: bool = True
) -> Cells:
    """Order rows by a column and keep the first of them."""
    wishes = frame.wishes
    if not (always or wishes.ranked or wishes.n):
        return cells
    n = wishes.n
    if n is None and frame.ranked and not plural_ranked(frame):
        n = 1
    cells.handle = build.add(
        "rank", title_of(frame), data=cells.handle, by=by, descending=wishes.order != "up", n=n
    )
    return cells


def plural_ranked(frame: RequestFrame) -> bool:
    """Return whether all periods are ranked, and not the one sought that is highest."""
    return bool(re.search(r"\brank|\bsort|\border|排名|排序|排个", frame.said.text))


def show_rows(frame: RequestFrame, build: StepBuilder, cells: Cells, title: str = "") -> None:
    """Show a row for each key: bars, a pie or a table, as it is asked for; a table if there are
    several numbers.
    """
    wishes, title = frame.wishes, title or title_of(frame)
    label = cells.keys[0] if cells.keys else cells.time or "name"
    if len(cells.keys) > 1 or len(cells.values) > 1:
        columns = [*([cells.time] if cells.time else []), *cells.keys, *cells.values]
        small = build.add("select", title, data=cells.handle, columns=columns)
        if wishes.form == "bar" and len(cells.keys) == 1 and len(cells.values) > 1:
            build.add("bar", title, data=small, x=label, y=cells.values, title=title)
        build.add("show_table", title, data=small, title=title, save=wishes.has("save"))
        return
    small = build.add("select", title, data=cells.handle, columns=[label, cells.values[0]])
    one = wishes.n == 1 or (frame.ranked and cells.time is not None)
    if one and not wishes.form:
        build.add("show_table", title, data=small, title=title, save=wishes.has("save"))
        return
    if wishes.form == "pie":
        build.add("pie", title, data=small, labels=label, values=cells.values[0], title=title)
    elif (
        not (wishes.has("table", "save") and not wishes.form and not wishes.has("draw"))
        and cells.time is None
    ):
        build.add("bar", title, data=small, x=label, y=cells.values[:1], title=title)
    if wishes.has("table", "save") or cells.time is not None:
        build.add("show_table", title, data=small, title=title, save=wishes.has("save"))


def show_series(frame: RequestFrame, build: StepBuilder, cells: Cells, title: str = "") -> None:
    """Show what goes on in time: lines, or bars and tables where they are asked for."""
    wishes, title = frame.wishes, title or title_of(frame)
    form = wishes.form if wishes.form in ("bar", "scatter") else "line"
    by = cells.keys[0] if cells.keys else None
    only_table = wishes.has("table", "save") and not wishes.has("draw", "trend") and not wishes.form
    if not (only_table and not BESIDES.search(frame.said.text)):
        build.add(form, title, data=cells.handle, x=cells.time, y=cells.values, by=by, title=title)
    if wishes.has("table", "save"):
        build.add("show_table", title, data=cells.handle, title=title, save=wishes.has("save"))


def show_value(frame: RequestFrame, build: StepBuilder, cells: Cells) -> None:
    """Show one number; several as rows."""
    if len(cells.values) == 1:
        build.add("read_value", title_of(frame), data=cells.handle, column=cells.values[0])
        return
    small = build.add("select", title_of(frame), data=cells.handle, columns=cells.values)
    rows = build.add("unpivot", title_of(frame), data=small, columns=cells.values)
    cells.handle, cells.keys, cells.values = rows, ["name"], ["value"]
    show_rows(frame, build, cells)


def long(frame: RequestFrame, build: StepBuilder, cells: Cells) -> Cells:
    """Make rows of several columns of numbers, so that what is done to one is done to each."""
    if len(cells.values) < 2 or cells.keys:
        return cells
    kept = [*([cells.time] if cells.time else []), *cells.values]
    small = build.add("select", title_of(frame), data=cells.handle, columns=kept)
    cells.handle = build.add("unpivot", title_of(frame), data=small, columns=cells.values)
    cells.keys, cells.values = ["name"], ["value"]
    return cells
