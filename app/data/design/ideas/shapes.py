"""Interfaces made of the kernel's steps: series, changes, windows, groups, forecasts, lines, ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.data.design.ideas.idea import asked, days, drafted, entity, of_whom, parameter, taken
from app.data.design.ideas.view import words
from app.data.design.ideas.wording import as_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.data.design.ideas.idea import Idea
    from app.data.design.ideas.view import View

WHOM = 2  # entities a request is made for, of each column


def read(view: View, column: str, **more: Any) -> dict[str, Any]:
    """Return the step that reads a column over time."""
    arguments = {
        "source": view.uuid,
        "time": view.time,
        "columns": [column],
        **view.limits(),
        **more,
    }
    return {"id": "result1", "interface": "read_series", "arguments": arguments}


def then(interface: str, **arguments: Any) -> dict[str, Any]:
    """Return the step that takes what was read."""
    return {"id": "result2", "interface": interface, "arguments": {"data": "result1", **arguments}}


def series(view: View) -> Iterator[Idea]:
    """A column over time, in a range of days."""
    if view.days is None:
        return
    first, last = view.days
    ranges = (
        [(first, last), (f"{int(last[:4]) - 1}{last[4:]}", last)]
        if first[:4] < last[:4]
        else [(first, last)]
    )
    for column in view.measures:
        step = read(view, column.name, start=taken("start"), end=taken("end"))
        made = drafted(view, "series", "acquisition", column, [step], *entity(view), *days(view))
        for whom in of_whom(view, WHOM):
            for start, end in ranges:
                yield asked(made, view, whom | {"start": start, "end": end})


def change(view: View) -> Iterator[Idea]:
    """How a column changed against some rows before."""
    for column in view.measures[:4] if view.time else []:
        steps = [read(view, column.name), then("change", value=column.name, lag=taken("rows"))]
        given = parameter(view, "rows", "number", 1, "lag")
        made = drafted(view, "change", "processing", column, steps, *entity(view), given)
        for whom in of_whom(view, WHOM):
            for lag in (1, 4):
                yield asked(made, view, whom | {"rows": lag})


def window(view: View) -> Iterator[Idea]:
    """The mean of a moving window."""
    for column in view.measures[:4] if view.time else []:
        steps = [read(view, column.name), then("rolling", value=column.name, window=taken("rows"))]
        given = parameter(view, "rows", "number", 4, "window")
        made = drafted(view, "moving_mean", "processing", column, steps, *entity(view), given)
        for whom in of_whom(view, WHOM):
            yield asked(made, view, whom | {"rows": 4})


def groups(view: View) -> Iterator[Idea]:
    """One number for each value of a category."""
    for category in view.categories:
        for column in view.measures[:3]:
            arguments = {"source": view.uuid, "columns": [category.name, column.name]}
            steps = [
                {"id": "result1", "interface": "read_rows", "arguments": arguments},
                then("combine", column=column.name, aggregate="mean", by=[category.name]),
            ]
            shape, slots = f"mean_by_{as_name(category.name)}", {"category": words(category)}
            made = drafted(view, shape, "processing", column, steps, told="mean_by", slots=slots)
            yield asked(made, view, {})


def forecast(view: View) -> Iterator[Idea]:
    """The next values of a column."""
    for column in view.measures[:3] if view.time else []:
        steps = [
            read(view, column.name),
            then("forecast", value=column.name, steps=taken("values")),
        ]
        given = parameter(view, "values", "number", 4)
        made = drafted(view, "forecast", "prediction", column, steps, *entity(view), given)
        for whom in of_whom(view, 1):
            yield asked(made, view, whom | {"values": 4})


def line(view: View) -> Iterator[Idea]:
    """A column drawn over time."""
    for column in view.measures[:3] if view.time else []:
        steps = [read(view, column.name), then("line", x=view.label, y=[column.name])]
        made = drafted(view, "line", "visualization", column, steps, *entity(view))
        for whom in of_whom(view, 1):
            yield asked(made, view, whom)


def ranked(view: View) -> Iterator[Idea]:
    """The rows in which a column is highest."""
    keys = [*view.time, *(c.name for c in view.categories)]
    for column in view.measures[:4]:
        arguments = {"source": view.uuid, "columns": [*keys, column.name]}
        steps = [
            {"id": "result1", "interface": "read_rows", "arguments": arguments},
            then("rank", by=column.name, n=taken("rows")),
        ]
        given = parameter(view, "rows", "number", 5)
        yield asked(
            drafted(view, "highest", "manipulation", column, steps, given), view, {"rows": 5}
        )


SHAPES = (series, change, groups, forecast, ranked, window, line)
