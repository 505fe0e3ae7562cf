"""Returns, windows, changes, sums, statistics and new columns, against pandas."""

from __future__ import annotations

import pandas as pd
import pytest

from backends.data.errors import NothingSelected, WrongArguments
from tests.unit.backends.data.workflow.conftest import PRICES, Run, frame_of, value_of

pytestmark = pytest.mark.slow

ALL = (
    "read_series",
    {
        "source": "prices",
        "time": ["day"],
        "columns": ["open", "high", "low", "close", "vol"],
        "by": "stock",
    },
)
ALPHA = ("read_series", ALL[1] | {"entities": ["Alpha"]})
GROUPED = PRICES.groupby("stock")


def same(made: pd.Series, wanted: pd.Series) -> bool:
    """Tell whether two columns are the same, empty cells in the same places."""
    return made.tolist() == pytest.approx(wanted.astype(float).tolist(), nan_ok=True)


def test_cumulative_returns_begin_at_nothing_for_each(run: Run) -> None:
    made = frame_of(run(ALL, ("returns", {"data": "r1", "value": "close", "by": "stock"})))
    assert same(
        made["cumulative return %"], 100 * (PRICES.close / GROUPED.close.transform("first") - 1)
    )


def test_returns_from_row_to_row(run: Run) -> None:
    made = frame_of(
        run(ALL, ("returns", {"data": "r1", "value": "close", "by": "stock", "cumulative": False}))
    )
    assert same(made["return %"], 100 * GROUPED.close.pct_change(fill_method=None))


def test_what_one_earned_between_two_days(run: Run) -> None:
    arguments = {
        "source": "prices",
        "value": "close",
        "time": ["day"],
        "by": "stock",
        "entity": "Beta",
        "start": "2022-03-06",
        "end": "2022-09-04",
    }
    own = PRICES[(PRICES.stock == "Beta") & PRICES.day.between("2022-03-06", "2022-09-04")].close
    assert value_of(run(("total_return", arguments))) == pytest.approx(
        100 * (own.iloc[-1] / own.iloc[0] - 1)
    )
    with pytest.raises(NothingSelected, match="fewer than two values"):
        run(("total_return", arguments | {"end": "2022-03-07"}))


@pytest.mark.parametrize("how", ["percent", "absolute"])
def test_growth_of_each(run: Run, how: str) -> None:
    made = frame_of(
        run(ALL, ("growth", {"data": "r1", "value": "close", "by": "stock", "how": how}))
    )
    first, last = GROUPED.close.first(), GROUPED.close.last()
    wanted = 100 * (last / first - 1) if how == "percent" else last - first
    assert same(made.iloc[:, 3], wanted)


@pytest.mark.parametrize(("how", "lag"), [("percent", 1), ("absolute", 12)])
def test_changes_since_rows_before(run: Run, how: str, lag: int) -> None:
    made = frame_of(
        run(ALL, ("change", {"data": "r1", "value": "vol", "by": "stock", "how": how, "lag": lag}))
    )
    wanted = 100 * GROUPED.vol.pct_change(lag) if how == "percent" else GROUPED.vol.diff(lag)
    assert same(made.iloc[:, -1], wanted)


def test_a_running_sum(run: Run) -> None:
    made = frame_of(run(ALL, ("cumulate", {"data": "r1", "value": "vol", "by": "stock"})))
    assert same(made["cumulative vol"], GROUPED.vol.cumsum())


@pytest.mark.parametrize("how", ["mean", "sum", "min", "max", "median"])
def test_a_moving_window(run: Run, how: str) -> None:
    made = frame_of(
        run(
            ALL,
            ("rolling", {"data": "r1", "value": "close", "by": "stock", "window": 5, "how": how}),
        )
    )
    wanted = GROUPED.close.rolling(5).agg(how).droplevel(0).sort_index()
    assert same(made[f"{how} of 5"], wanted)


def test_periods_of_each(run: Run) -> None:
    made = frame_of(
        run(
            ALL,
            (
                "resample",
                {
                    "data": "r1",
                    "every": "month",
                    "columns": ["close"],
                    "aggregate": "last",
                    "by": "stock",
                },
            ),
        )
    )
    wanted = PRICES.groupby([PRICES.day.str[:7], "stock"]).close.last()
    assert made.close.tolist() == wanted.tolist()
    assert made.day.str[:7].tolist() == [key[0] for key in wanted.index]


@pytest.mark.parametrize("how", ["sum", "mean", "median", "min", "max", "first", "last", "count"])
def test_one_number_for_each(run: Run, how: str) -> None:
    made = frame_of(
        run(ALL, ("combine", {"data": "r1", "column": "close", "aggregate": how, "by": ["stock"]}))
    )
    assert same(made[f"{how} of close"], GROUPED.close.agg(how))
    whole = frame_of(run(ALL, ("combine", {"data": "r1", "column": "close", "aggregate": how})))
    wanted = (
        PRICES.close.iloc[0 if how == "first" else -1]
        if how in ("first", "last")
        else PRICES.close.agg(how)
    )
    assert whole.iloc[0, 0] == pytest.approx(wanted)


def test_mean_and_median(run: Run) -> None:
    made = frame_of(run(ALL, ("mean_median", {"data": "r1", "column": "close", "by": "stock"})))
    assert same(made["mean"], GROUPED.close.mean())
    assert same(made["median"], GROUPED.close.median())


def test_correlation(run: Run) -> None:
    made = value_of(run(ALPHA, ("correlation", {"data": "r1", "x": "close", "y": "vol"})))
    own = PRICES[PRICES.stock == "Alpha"]
    assert made == pytest.approx(own.close.corr(own.vol))


def test_a_new_column(run: Run) -> None:
    made = frame_of(
        run(
            ALL,
            (
                "compute",
                {"data": "r1", "name": "span", "first": "high", "operator": "-", "second": "low"},
            ),
        )
    )
    assert same(made.span, PRICES.high - PRICES.low)
    made = frame_of(
        run(
            ALL,
            (
                "compute",
                {"data": "r1", "name": "half", "first": "vol", "operator": "/", "second": 2},
            ),
        )
    )
    assert same(made.half, PRICES.vol / 2)
    with pytest.raises(WrongArguments, match="already"):
        run(
            ALL,
            (
                "compute",
                {"data": "r1", "name": "vol", "first": "high", "operator": "-", "second": "low"},
            ),
        )


def wilder(close: pd.Series, n: int) -> pd.Series:
    """Wilder's index as pandas computes it."""
    step = close.diff()
    up = step.clip(lower=0).iloc[1:].ewm(alpha=1 / n, adjust=False).mean()
    down = (-step.clip(upper=0)).iloc[1:].ewm(alpha=1 / n, adjust=False).mean()
    return (100 * up / (up + down)).reindex(close.index)


def test_indicators_are_what_pandas_computes_for_each(run: Run) -> None:
    for name in ("Alpha", "Gamma"):
        own = PRICES[PRICES.stock == name].reset_index(drop=True)
        ema = lambda s, n: s.ewm(span=n, adjust=False).mean()  # noqa: E731
        dif = ema(own.close, 12) - ema(own.close, 26)
        typical = (own.high + own.low + own.close) / 3
        low, high = (
            own.low.rolling(9, min_periods=1).min(),
            own.high.rolling(9, min_periods=1).max(),
        )
        rsv = 100 * (own.close - low) / (high - low)
        k = pd.concat([pd.Series([50.0]), rsv]).ewm(alpha=1 / 3, adjust=False).mean().iloc[1:]
        d = pd.concat([pd.Series([50.0]), k]).ewm(alpha=1 / 3, adjust=False).mean().iloc[1:]
        middle, spread = own.close.rolling(20).mean(), own.close.rolling(20).std(ddof=0)
        deviation = typical.rolling(14).apply(lambda w: abs(w - w.mean()).mean())
        wanted = {
            "macd": {"dif": dif, "dea": ema(dif, 9), "macd": 2 * (dif - ema(dif, 9))},
            "kdj": {"k": k, "d": d, "j": 3 * k - 2 * d},
            "rsi": {"rsi": wilder(own.close, 14)},
            "boll": {
                "boll_upper": middle + 2 * spread,
                "boll_mid": middle,
                "boll_lower": middle - 2 * spread,
            },
            "cci": {"cci": (typical - typical.rolling(14).mean()) / (0.015 * deviation)},
        }
        for indicator, columns in wanted.items():
            made = frame_of(
                run(ALL, ("technical", {"data": "r1", "indicator": indicator, "by": "stock"}))
            )
            made = made[made.stock == name]
            for column, cells in columns.items():
                assert same(made[column], cells), (indicator, column)
