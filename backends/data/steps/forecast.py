"""Prediction: the next values of a series with an interval and a naive baseline.

statsmodels takes a second to load, so it is loaded with the first forecast.
"""

from __future__ import annotations

import datetime as dt
import itertools
import warnings
from typing import TYPE_CHECKING, Any

from pydantic import Field

from backends.data.errors import NothingSelected, WrongArguments
from backends.data.moments import day_sql
from backends.data.table import ORDINAL, Table
from backends.data.workflow.context import RunContext, number, time_of
from backends.data.workflow.interface import OfData, StepInterface
from backends.data.workflow.output import OutputFrame

if TYPE_CHECKING:
    import numpy as np

LEAST, MOST = 6, 5000  # values a forecast is made from
LARGEST = 1e150  # whose square is a number
SEASON = {"month": 12, "quarter": 4}


class ForecastArguments(OfData):
    """The next values of a series."""

    value: str
    time: str | None = Field(default=None, description="column of days; none: the first")
    steps: int = Field(
        default=4, ge=1, le=400, description="how many values, in the series' own rhythm"
    )
    level: float = Field(
        default=0.95, gt=0.5, lt=1, description="how likely a value lies in its interval"
    )


def forecast(desk: RunContext, arguments: ForecastArguments) -> OutputFrame:
    """Return day, forecast, low, high and naive of the coming values.

    forecast: exponential smoothing with a damped trend, and with a season of months or quarters
    once there are three full years. naive: the last value, or that of a year before if a season is
    used. Raises: NothingSelected for too few values, WrongArguments for days without a rhythm, and
    values too large to compute with.
    """
    import numpy as np

    table = desk.frame(arguments.data)
    time = time_of(table, arguments.time)
    days, values = series_of(table, time, arguments.value)
    rhythm = rhythm_of(days)
    if days[-1].year + arguments.steps >= dt.MAXYEAR:
        raise WrongArguments(f"The forecast begins in the year {days[-1].year}.", "Check the days.")
    season = SEASON.get(rhythm, 0)
    season = season if season and len(values) >= 3 * season and is_whole(days, rhythm) else 0
    made, low, high = predicted(np.array(values), arguments.steps, season, 1 - arguments.level)
    naive = [values[-season + i % season] if season else values[-1] for i in range(arguments.steps)]
    ahead = [following(days, rhythm, i + 1) for i in range(arguments.steps)]
    return desk.build(
        {
            time: ("DATE", ahead),
            "forecast": ("DOUBLE", made),
            "low": ("DOUBLE", low),
            "high": ("DOUBLE", high),
            "naive": ("DOUBLE", naive),
        },
        [table],
    )


def series_of(table: Table, time: str, value: str) -> tuple[list[dt.date], list[float]]:
    """Return days and values in time's order, empty ones left out; of very many the last.

    Raises: NothingSelected, WrongArguments for two values of one day.
    """
    cell, day = number(table, value), day_sql(table, [time])
    rows = table.query(
        f"SELECT {day}, {cell} FROM {table.relation} WHERE {cell} IS NOT NULL AND {day} IS NOT NULL"
        f" ORDER BY 1 DESC, {ORDINAL} LIMIT {MOST}"
    )[::-1]
    days = [dt.date.fromisoformat(str(row[0])[:10]) for row in rows]
    if len(rows) < LEAST:
        raise NothingSelected(
            f"A forecast needs {LEAST} values, there are {len(rows)}.", "Choose a longer range."
        )
    if len(set(days)) < len(days):
        raise WrongArguments(
            "There are several values for one day.", "Choose one entity, or sum them up by period."
        )
    return days, [float(row[1]) for row in rows]


def rhythm_of(days: list[dt.date]) -> str:
    """Return how far the days of a series are apart: year, quarter, month, week, weekday or day.

    Raises: WrongArguments if they have no rhythm.
    """
    gaps = sorted((b - a).days for a, b in itertools.pairwise(days))
    middle = gaps[len(gaps) // 2]
    for name, low, high in (
        ("year", 360, 370),
        ("quarter", 88, 93),
        ("month", 28, 31),
        ("week", 7, 7),
    ):
        if low <= middle <= high:
            return name
    if middle == 1:
        return "day" if any(day.weekday() > 4 for day in days) else "weekday"
    raise WrongArguments(
        f"The days lie {middle} days apart: that is no rhythm.",
        "Sum them up by week, month or quarter.",
    )


def is_whole(days: list[dt.date], rhythm: str) -> bool:
    """Return whether no month or quarter is missing: with one gone, each before it would stand for
    its neighbour.
    """
    months = [day.year * 12 + day.month for day in days]
    return all(b - a == 12 // SEASON[rhythm] for a, b in itertools.pairwise(months))


def following(days: list[dt.date], rhythm: str, n: int) -> dt.date:
    """Return the n-th day behind a series; after month ends come month ends."""
    last = days[-1]
    if rhythm == "week":
        return last + dt.timedelta(days=7 * n)
    if rhythm == "day":
        return last + dt.timedelta(days=n)
    if rhythm == "weekday":
        weeks, rest = divmod(n, 5)
        made = last + dt.timedelta(days=7 * weeks + rest)
        return made + dt.timedelta(days=2) if last.weekday() + rest > 4 else made
    months = last.month - 1 + n * {"year": 12, "quarter": 3, "month": 1}[rhythm]
    year, month = last.year + months // 12, months % 12 + 1
    end = (dt.date(year + month // 12, month % 12 + 1, 1) - dt.timedelta(days=1)).day
    at_end = all((day + dt.timedelta(days=1)).day == 1 for day in days[-3:])
    return dt.date(year, month, end if at_end else min(last.day, end))


def predicted(
    values: np.ndarray, steps: int, season: int, alpha: float
) -> tuple[list[float], list[float], list[float]]:
    """Return forecast, low and high; for a series that never changes all three are its value.

    Raises: WrongArguments for values too large, or too far apart, to compute with.
    """
    import numpy as np

    if not abs(values).max() < LARGEST:
        raise WrongArguments(
            "The values are too large for a forecast.", "Leave out what is no real value."
        )
    if float(np.ptp(values)) == 0.0:
        same = [float(values[-1])] * steps
        return same, same, same
    from statsmodels.tsa.statespace.exponential_smoothing import ExponentialSmoothing

    with np.errstate(all="ignore"):
        scale = float(np.std(values))
        scaled = values / scale
    if not np.isfinite(scaled).all():
        raise WrongArguments(
            "The values are too small for a forecast.", "Compute with a smaller unit."
        )
    enough = len(values) >= 10 + 2 * (season // 2)  # statsmodels' own bound for its first guess
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # it tells of a search that stopped early; the interval tells enough
        model: Any = ExponentialSmoothing(
            scaled,
            trend=True,
            damped_trend=True,
            seasonal=season or None,
            initialization_method="heuristic" if enough else "concentrated",
        )
        told = model.fit(disp=False, maxiter=200).get_forecast(steps)
        mean, interval = np.asarray(told.predicted_mean), np.asarray(told.conf_int(alpha=alpha))
    if not (np.isfinite(mean).all() and np.isfinite(interval).all()):
        raise WrongArguments(
            "The values lie too far apart for a forecast.", "Leave out what is no real value."
        )
    made = [float(v) * scale for v in mean]
    return (
        made,
        [float(v) * scale for v in interval[:, 0]],
        [float(v) * scale for v in interval[:, 1]],
    )


ALL = (
    StepInterface(
        "forecast",
        "prediction",
        "The next values of a series, with interval and naive baseline.",
        ForecastArguments,
        forecast,
    ),
)
