"""Forecast a series, with a prediction interval and a naive baseline.

statsmodels takes a second to load, so it is loaded with the first forecast.
"""

from __future__ import annotations

import datetime as dt
import itertools
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

from backends.data.errors import NothingSelected, WrongArguments

if TYPE_CHECKING:
    import numpy as np

LEAST = 6  # minimum number of values for a forecast
LARGEST = 1e150  # small enough for its square to fit into a float
SEASON = {"month": 12, "quarter": 4}


class Coming(NamedTuple):
    """A future day with its forecast. low, high: the ends of the interval. naive: the value if
    nothing changed.
    """

    day: dt.date
    forecast: float
    low: float
    high: float
    naive: float


def forecast_of(
    days: list[dt.date], values: list[float], steps: int, level: float = 0.95
) -> list[Coming]:
    """Return the forecast of a series that is in chronological order.

    It uses exponential smoothing with a damped trend. A seasonal component for months or quarters
    is added if there are three full years. The naive value is the last value, or the value one year
    earlier if there is a seasonal component. Raises: NothingSelected if there are too few values;
    WrongArguments if a day has two values, the days are irregular, or the values are too large to
    compute with.
    """
    import numpy as np

    if len(days) < LEAST:
        raise NothingSelected(
            f"A forecast needs {LEAST} values, but there are only {len(days)}.",
            "Choose a longer range.",
        )
    if len(set(days)) < len(days):
        raise WrongArguments(
            "There are several values for one day.", "Choose one entity, or aggregate by period."
        )
    rhythm = rhythm_of(days)
    if days[-1].year + steps >= dt.MAXYEAR:
        raise WrongArguments(f"The forecast starts in the year {days[-1].year}.", "Check the days.")
    season = SEASON.get(rhythm, 0)
    season = season if season and len(values) >= 3 * season and is_whole(days, rhythm) else 0
    made, low, high = predicted(np.array(values), steps, season, 1 - level)
    return [
        Coming(
            following(days, rhythm, i + 1),
            made[i],
            low[i],
            high[i],
            values[-season + i % season] if season else values[-1],
        )
        for i in range(steps)
    ]


def rhythm_of(days: list[dt.date]) -> str:
    """Return the interval between the days of a series: year, quarter, month, week, weekday or day.

    Raises: WrongArguments if the intervals are irregular.
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
        f"The days are {middle} days apart, so they are not regular.",
        "Aggregate them by week, month or quarter.",
    )


def is_whole(days: list[dt.date], rhythm: str) -> bool:
    """Return whether no month or quarter is missing. Otherwise, every value after a gap would be
    assigned to the wrong season.
    """
    months = [day.year * 12 + day.month for day in days]
    return all(b - a == 12 // SEASON[rhythm] for a, b in itertools.pairwise(months))


def following(days: list[dt.date], rhythm: str, n: int) -> dt.date:
    """Return the day of the n-th point after the end of a series. If the series consists of last
    days of months, so does its continuation.
    """
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
    """Return the forecast and the low and high ends of its interval. For a constant series, all
    three equal its value.

    Raises: WrongArguments if the values are too large, too small or too far apart to compute with.
    """
    import numpy as np

    if not abs(values).max() < LARGEST:
        raise WrongArguments(
            "The values are too large for a forecast.", "Remove entries that are not real values."
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
    # the minimum that statsmodels requires for its own initial estimate
    enough = len(values) >= 10 + 2 * (season // 2)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # the warning is about a search that stopped early; the interval shows the uncertainty
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
            "The values are too far apart for a forecast.",
            "Remove entries that are not real values.",
        )
    made = [float(v) * scale for v in mean]
    return (
        made,
        [float(v) * scale for v in interval[:, 0]],
        [float(v) * scale for v in interval[:, 1]],
    )
