"""Forecasts: in the series' rhythm, with an interval, beside a naive baseline."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from backends.data.errors import NothingSelected, WrongArguments
from backends.data.table import Table, table_from_rows
from backends.data.workflow.run import run_workflow
from backends.data.workflow.step import Step, Workflow
from tests.unit.backends.data.workflow.conftest import GDP, Run, frame_of

pytestmark = pytest.mark.slow


def forecast(days: pd.DatetimeIndex, values: list[float], steps: int = 3) -> pd.DataFrame:
    """Forecast a series of our own."""
    rows = [{"day": str(d.date()), "v": float(v)} for d, v in zip(days, values, strict=True)]
    table: Table = table_from_rows(rows, source="own")
    steps_ = [
        Step(
            id="r1",
            interface="read_series",
            arguments={"source": "own", "time": ["day"], "columns": ["v"]},
        ),
        Step(id="r2", interface="forecast", arguments={"data": "r1", "value": "v", "steps": steps}),
    ]
    done = run_workflow(Workflow(steps=steps_), {"own": table}.__getitem__).done[-1]
    if done.error is not None:
        raise done.error
    assert done.output is not None
    return frame_of(done.output)


def test_twelve_quarters_are_forecast_with_their_interval(run: Run) -> None:
    read = ("read_series", {"source": "gdp", "time": ["quarter"], "columns": ["gdp_yoy"]})
    made = frame_of(run(read, ("forecast", {"data": "r1", "value": "gdp_yoy", "steps": 12})))
    assert (
        made.date.tolist()
        == pd.date_range("2023-03-31", periods=12, freq="QE").strftime("%Y-%m-%d").tolist()
    )
    assert (made.low < made.forecast).all()
    assert (made.forecast < made.high).all()
    assert made.naive.tolist() == GDP.gdp_yoy.tolist()[-4:] * 3
    going_on = [8 - 0.05 * i + (i % 4) * 0.3 for i in range(52, 64)]
    assert abs(made.forecast - going_on).mean() < abs(made.naive - going_on).mean()


@pytest.mark.parametrize(
    ("freq", "n"), [("D", 30), ("B", 30), ("W", 30), ("ME", 40), ("MS", 40), ("QE", 20), ("YE", 10)]
)
def test_days_go_on_as_pandas_goes_on(freq: str, n: int) -> None:
    days = pd.date_range("2020-01-01", periods=n + 7, freq=freq)
    made = forecast(days[:n], list(np.arange(n) + np.sin(np.arange(n))), 7)
    assert made.day.tolist() == days[n:].strftime("%Y-%m-%d").tolist()


@pytest.mark.parametrize("n", [6, 7, 9, 10, 11, 12, 13, 14, 15])
def test_every_number_of_quarters_is_forecast(n: int) -> None:
    days = pd.date_range("2021-03-31", periods=n, freq="QE")
    made = forecast(days, [100 + 3.0 * i + 10 * (i % 4) for i in range(n)], 4)
    assert (
        made.day.tolist()
        == pd.date_range(days[-1], periods=5, freq="QE").strftime("%Y-%m-%d").tolist()[1:]
    )
    assert (made.low <= made.forecast).all()
    assert (made.forecast <= made.high).all()
    if n >= 12:  # the season repeats: the year before is near
        assert (made.forecast - made.naive).between(4, 20).all()


def test_it_is_the_same_each_time() -> None:
    days = pd.date_range("2020-01-31", periods=30, freq="ME")
    values = list(np.random.default_rng(1).normal(10, 2, 30))
    assert forecast(days, values).equals(forecast(days, values))


def test_what_never_changes_stays() -> None:
    made = forecast(pd.date_range("2020-01-31", periods=10, freq="ME"), [5.0] * 10)
    assert made.forecast.tolist() == made.low.tolist() == [5.0] * 3


def test_too_few_values_or_days_without_a_rhythm_are_told() -> None:
    with pytest.raises(NothingSelected, match="needs 6"):
        forecast(pd.date_range("2020-01-31", periods=4, freq="ME"), [1, 2, 3, 4])
    with pytest.raises(WrongArguments, match="not regular"):
        forecast(pd.date_range("2020-01-31", periods=10, freq="17D"), list(range(10)))
    with pytest.raises(WrongArguments, match="several values for one day"):
        forecast(pd.DatetimeIndex(["2020-01-01"] * 10), list(range(10)))
