"""Prediction: forecast a series, with a prediction interval and a naive baseline."""

from __future__ import annotations

import datetime as dt

from pydantic import Field

from backends.data.forecast import forecast_of
from backends.data.moments import day_sql
from backends.data.table import ORDINAL, Table
from backends.data.workflow.context import RunContext, number, time_of
from backends.data.workflow.interface import OfData, StepInterface
from backends.data.workflow.step import OutputFrame

MOST = 5000  # maximum number of values used for a forecast


class ForecastArguments(OfData):
    """A forecast of a series."""

    value: str
    time: str | None = Field(default=None, description="column of days; none: the first")
    steps: int = Field(
        default=4, ge=1, le=400, description="how many values, in the series' own rhythm"
    )
    level: float = Field(
        default=0.95, gt=0.5, lt=1, description="how likely a value lies in its interval"
    )


def forecast(desk: RunContext, arguments: ForecastArguments) -> OutputFrame:
    """Return the day, forecast, low, high and naive value for future days.

    Raises: as for `forecast_of`.
    """
    table = desk.frame(arguments.data)
    time = time_of(table, arguments.time)
    days, values = series_of(table, time, arguments.value)
    made = forecast_of(days, values, arguments.steps, arguments.level)
    return desk.build(
        {
            time: ("DATE", [point.day for point in made]),
            "forecast": ("DOUBLE", [point.forecast for point in made]),
            "low": ("DOUBLE", [point.low for point in made]),
            "high": ("DOUBLE", [point.high for point in made]),
            "naive": ("DOUBLE", [point.naive for point in made]),
        },
        [table],
    )


def series_of(table: Table, time: str, value: str) -> tuple[list[dt.date], list[float]]:
    """Return days and values in chronological order, without empty values. If there are very many,
    only the last ones are returned.
    """
    cell, day = number(table, value), day_sql(table, [time])
    rows = table.query(
        f"SELECT {day}, {cell} FROM {table.relation} WHERE {cell} IS NOT NULL AND {day} IS NOT NULL"
        f" ORDER BY 1 DESC, {ORDINAL} LIMIT {MOST}"
    )[::-1]
    days = [dt.date.fromisoformat(str(row[0])[:10]) for row in rows]
    return days, [float(row[1]) for row in rows]


ALL = (
    StepInterface(
        "forecast",
        "prediction",
        "The next values of a series, with interval and naive baseline.",
        ForecastArguments,
        forecast,
    ),
)
