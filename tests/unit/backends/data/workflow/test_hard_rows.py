"""Steps over rows as they come: newest first within a day, months that look like quarters, names
that SQL takes for one.
"""

from __future__ import annotations

import contextvars
import math
from typing import Any

import pandas as pd
import pytest

from backends.data.computation import Computation
from backends.data.errors import ComputationStopped, NothingSelected, WrongArguments
from backends.data.steps import STEPS, indicators
from backends.data.table import table_from_rows
from backends.data.workflow.context import RunContext
from backends.data.workflow.run import run_workflow
from backends.data.workflow.step import Output, Step, Workflow
from tests.unit.backends.data.workflow.conftest import frame_of, value_of

pytestmark = pytest.mark.slow

Rows = list[dict[str, Any]]


def ran(rows: Rows, *steps: tuple[str, dict[str, Any]]) -> Output:
    table = table_from_rows(rows, source="t", hash_="t")
    made = [Step(id=f"r{i}", interface=n, arguments=a) for i, (n, a) in enumerate(steps, 1)]
    finished = run_workflow(Workflow(steps=made), lambda _: table)
    for done in finished.done:
        if done.error is not None:
            raise done.error
    output = finished.done[-1].output
    assert output is not None
    return output


ALL = ("read_rows", {"source": "t"})
HOURS: Rows = [
    {"at": f"2024-03-0{d} {h:02}:00:00", "share": "A", "price": 100 * d + h} for d in (2, 1) for h in (15, 12, 9)
]  # fmt: skip


def test_rows_of_one_day_stand_in_the_order_of_their_hours() -> None:
    made = frame_of(
        ran(HOURS, ("read_series", {"source": "t", "time": ["at"], "columns": ["price"]}))
    )
    assert made["price"].tolist() == [109, 112, 115, 209, 212, 215]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read_series", {"source": "t", "time": ["at"], "columns": ["price"]}),
        ("resample", {"data": "r1", "columns": ["price"]}),
        ("summarise", {"data": "r1", "columns": ["price"]}),
    ],
)
def test_the_last_of_a_day_is_that_of_its_last_hour(name: str, arguments: dict[str, Any]) -> None:
    how: dict[str, Any] = {"aggregates": ["last"]} if name == "summarise" else {"aggregate": "last"}
    made = frame_of(ran(HOURS, ALL, (name, arguments | how | {"every": "day"})))
    assert made["price"].tolist() == [115, 215]


def test_a_return_goes_from_the_first_hour_to_the_last() -> None:
    made = ran(HOURS, ("total_return", {"source": "t", "time": ["at"], "value": "price"}))
    assert value_of(made) == pytest.approx(100 * (215 / 109 - 1))


def test_the_newest_row_of_a_day_is_that_of_its_last_hour() -> None:
    asked = {"source": "t", "time": ["at"], "by": "share", "columns": ["price"]}
    assert frame_of(ran(HOURS[::-1], ("read_cross_section", asked)))["price"].tolist() == [215]


@pytest.mark.parametrize(
    ("name", "first"),
    [("月份", "2024-01-31"), ("M", "2024-01-31"), ("mois", "2024-01-31"), ("Q", "2024-03-31")],
)
def test_the_first_months_of_a_year_are_no_quarters(name: str, first: str) -> None:
    rows: Rows = [{"year": 2024, name: n, "v": n} for n in range(1, 5)]
    made = frame_of(
        ran(rows, ("read_series", {"source": "t", "time": ["year", name], "columns": ["v"]}))
    )
    assert made["date"].iloc[0] == first


def test_columns_that_differ_in_their_capitals_alone_get_names_of_their_own() -> None:
    rows: Rows = [
        {"day": 1, "kind": kind, "v": n} for n, kind in enumerate(("a", "A", "DAY", "_row"))
    ]
    made = frame_of(
        ran(rows, ALL, ("pivot", {"data": "r1", "rows": "day", "columns": "kind", "value": "v"}))
    )
    assert made.columns.tolist() == ["day", "a", "A 2", "DAY 2", "_row 2"]
    assert made.iloc[0].tolist() == [1, 0, 1, 2, 3]
    again = ("returns", {"data": "r1", "value": "v", "cumulative": False})
    assert (
        frame_of(ran([{"Return %": 7, "v": n} for n in (1, 2)], ALL, again))["return %"].tolist()[1]
        == 100
    )


def test_what_gives_words_cannot_be_ranked() -> None:
    loop = {"data": "r1", "column": "n", "interface": "read_value", "argument": "row"}
    arguments = {"data": "r1", "column": "word"}
    with pytest.raises(WrongArguments, match="'abc', which is not a number"):
        ran([{"n": 0, "word": "abc"}], ALL, ("loop_rank", loop | {"arguments": arguments}))


@pytest.mark.parametrize("price", [math.inf, -math.inf])
def test_a_return_without_end_is_none(price: float) -> None:
    rows: Rows = [{"day": f"2024-01-0{n}", "price": price if n == 2 else 1.0} for n in (1, 2)]
    with pytest.raises(NothingSelected):
        ran(rows, ("total_return", {"source": "t", "time": ["day"], "value": "price"}))


@pytest.mark.parametrize("indicator", ["macd", "kdj", "rsi", "boll", "cci"])
def test_indicators_of_a_price_without_end_have_empty_cells(indicator: str) -> None:
    rows: Rows = [
        {"close": math.inf if n == 30 else 1e308 / n, "high": 1e308, "low": n} for n in range(1, 60)
    ]
    assert (
        len(frame_of(ran(rows, ALL, ("technical", {"data": "r1", "indicator": indicator})))) == 59
    )


def months(values: list[float], skip: int = -1, year: int = 2015) -> Rows:
    made = pd.period_range(f"{year}-01", periods=len(values), freq="M")
    return [
        {"month": str(m), "v": v}
        for i, (m, v) in enumerate(zip(made, values, strict=True))
        if i != skip
    ]


def forecast(rows: Rows) -> pd.DataFrame:
    read = ("read_series", {"source": "t", "time": ["month"], "columns": ["v"]})
    return frame_of(ran(rows, read, ("forecast", {"data": "r1", "value": "v", "steps": 2})))


WAVE = [100 + n + 10 * math.sin(math.pi * n / 6) for n in range(60)]


def test_a_month_that_is_missing_does_not_move_the_season() -> None:
    assert forecast(months(WAVE))["naive"].tolist() == pytest.approx(WAVE[-12:-10])
    # with one gone, the twelfth value before is another month: no season is claimed
    assert forecast(months(WAVE, skip=57))["naive"].tolist() == pytest.approx([WAVE[-1]] * 2)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([*WAVE[:29], math.inf], "too large"),
        ([1e300 if n == 5 else v for n, v in enumerate(WAVE)], "too large"),
        ([v * 1e-310 for v in WAVE], "too small"),
    ],
)
def test_what_cannot_be_forecast_is_refused(values: list[float], why: str) -> None:
    with pytest.raises(WrongArguments, match=why):
        forecast(months(values))


def test_a_forecast_beyond_the_last_year_is_refused() -> None:
    rows: Rows = [{"month": f"{9990 + n}-12-31", "v": n + n % 2} for n in range(10)]
    with pytest.raises(WrongArguments, match="year 9999"):
        forecast(rows)


def test_indicators_of_many_shares_stop_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: Rows = [{"share": f"s{n % 90}", "close": float(n)} for n in range(900)]
    table = table_from_rows(rows, source="t", hash_="t")
    desk, computation, seen = RunContext(lambda _: table), Computation(), list[int]()
    desk.outputs["r1"] = STEPS["read_rows"].run(desk, {"source": "t"})

    def stopping(prices: indicators.Prices, asked: indicators.Technical) -> indicators.Prices:
        seen.append(len(prices["close"]))
        computation.stop()
        return indicators.macd(prices, asked)

    monkeypatch.setitem(indicators.INDICATORS, "macd", (("close",), stopping))
    asked = {"data": "r1", "indicator": "macd", "by": "share"}
    with pytest.raises(ComputationStopped):
        contextvars.copy_context().run(computation.run, STEPS["technical"].run, desk, asked)
    assert seen == [10]
