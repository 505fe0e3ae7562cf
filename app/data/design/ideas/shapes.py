"""Interfaces made of the kernel's steps: series, changes, windows, groups, forecasts, lines, ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.data.design.ideas.idea import Idea, days, drafted, entity, of_whom, parameter, taken
from app.data.design.ideas.view import as_name, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.data.design.ideas.view import View

WHOM = 2  # entities a request is made for, of each column


def read(view: View, column: str, **more: Any) -> dict[str, Any]:
    """Return the step that reads a column over time."""
    arguments = {"source": view.uuid, "time": view.time, "columns": [column], **view.limits(), **more}
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
        [(first, last), (f"{int(last[:4]) - 1}{last[4:]}", last)] if first[:4] < last[:4] else [(first, last)]
    )
    for column in view.measures:
        step = read(view, column.name, start=taken("start"), end=taken("end"))
        made = drafted(
            view, "series", "acquisition", column, f"{words(column)} of {view.profile.name} over time", [step],
            *entity(view), *days(view),
        )  # fmt: skip
        for whom, values in of_whom(view, WHOM):
            for start, end in ranges:
                said = f"{words(column)}{whom} from {start} to {end}"
                yield Idea(
                    draft=made,
                    wordings=[f"Get the {said}.", f"Show {said}.", f"How did the {said} develop?"],
                    values=values | {"start": start, "end": end},
                )


def change(view: View) -> Iterator[Idea]:
    """How a column changed against some rows before."""
    if not view.time:
        return
    for column in view.measures[:4]:
        made = drafted(
            view, "change", "processing", column, f"change of {words(column)} in percent, row by row",
            [read(view, column.name), then("change", value=column.name, lag=taken("rows"))],
            *entity(view), parameter("rows", "number", 1, "how many rows before"),
        )  # fmt: skip
        for whom, values in of_whom(view, WHOM):
            for lag in (1, 4):
                said = f"change of {words(column)}{whom} in percent against {lag} rows before"
                yield Idea(
                    draft=made,
                    wordings=[f"Compute the {said}.", f"What is the {said}?"],
                    values=values | {"rows": lag},
                )


def window(view: View) -> Iterator[Idea]:
    """The mean of a moving window."""
    if not view.time:
        return
    for column in view.measures[:4]:
        made = drafted(
            view, "moving_mean", "processing", column, f"moving mean of {words(column)}",
            [read(view, column.name), then("rolling", value=column.name, window=taken("rows"))],
            *entity(view), parameter("rows", "number", 4, "rows of the window"),
        )  # fmt: skip
        for whom, values in of_whom(view, WHOM):
            said = f"moving mean of {words(column)}{whom} over 4 rows"
            yield Idea(
                draft=made,
                wordings=[f"Compute the {said}.", f"Show the {said}."],
                values=values | {"rows": 4},
            )


def groups(view: View) -> Iterator[Idea]:
    """One number for each value of a category."""
    for category in view.categories:
        for column in view.measures[:3]:
            step = {
                "id": "result1",
                "interface": "read_rows",
                "arguments": {"source": view.uuid, "columns": [category.name, column.name]},
            }
            shape = f"mean_by_{category.name}"
            made = drafted(
                view, as_name(shape), "processing", column, f"mean {words(column)} of each {words(category)}",
                [step, then("combine", column=column.name, aggregate="mean", by=[category.name])],
            )  # fmt: skip
            said = f"mean {words(column)} of each {words(category)}"
            yield Idea(draft=made, wordings=[f"What is the {said}?", f"Compare the {said}."])


def forecast(view: View) -> Iterator[Idea]:
    """The next values of a column."""
    if not view.time:
        return
    for column in view.measures[:3]:
        made = drafted(
            view, "forecast", "prediction", column, f"forecast of {words(column)} with an interval",
            [read(view, column.name), then("forecast", value=column.name, steps=taken("values"))],
            *entity(view), parameter("values", "number", 4, "how many values"),
        )  # fmt: skip
        for whom, values in of_whom(view, 1):
            said = f"the next 4 values of {words(column)}{whom}"
            yield Idea(
                draft=made, wordings=[f"Predict {said}.", f"Forecast {said}."], values=values | {"values": 4}
            )


def line(view: View) -> Iterator[Idea]:
    """A column drawn over time."""
    if not view.time:
        return
    for column in view.measures[:3]:
        made = drafted(
            view, "line", "visualization", column, f"{words(column)} drawn as a line",
            [read(view, column.name), then("line", x=view.label, y=[column.name])], *entity(view),
        )  # fmt: skip
        for whom, values in of_whom(view, 1):
            said = f"{words(column)}{whom} as a line"
            yield Idea(draft=made, wordings=[f"Draw the {said}.", f"Plot {said}."], values=values)


def ranked(view: View) -> Iterator[Idea]:
    """The rows in which a column is highest."""
    keys = [*view.time, *(c.name for c in view.categories)]
    for column in view.measures[:4]:
        step = {
            "id": "result1",
            "interface": "read_rows",
            "arguments": {"source": view.uuid, "columns": [*keys, column.name]},
        }
        made = drafted(
            view, "highest", "manipulation", column, f"rows with the highest {words(column)}",
            [step, then("rank", by=column.name, n=taken("rows"))], parameter("rows", "number", 5, "how many rows"),
        )  # fmt: skip
        said = f"5 rows with the highest {words(column)}"
        yield Idea(draft=made, wordings=[f"List the {said}.", f"Which are the {said}?"], values={"rows": 5})


SHAPES = (series, change, groups, forecast, ranked, window, line)
