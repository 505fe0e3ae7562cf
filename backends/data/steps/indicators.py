"""Processing: technical indicators for prices: MACD, KDJ, RSI, BOLL and CCI.

The recursions start at the first row. They are computed separately for each entity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from backends.data.computation import stop_if_asked
from backends.data.errors import NothingSelected
from backends.data.table import ORDINAL, Table, quote
from backends.data.workflow.context import RunContext, number
from backends.data.workflow.interface import OfData, StepInterface

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from backends.data.workflow.step import OutputFrame

    Numbers = NDArray[np.float64]
    Prices = dict[str, Numbers]


class Technical(OfData):
    """A technical indicator for a price. The rows must be in chronological order, as `read_series`
    returns them.

    window: the default is 14 for RSI, 20 for BOLL, 14 for CCI and 9 for KDJ.
    """

    indicator: Literal["macd", "kdj", "rsi", "boll", "cci"]
    close: str = "close"
    high: str = "high"
    low: str = "low"
    by: str | None = Field(default=None, description="column that names the entity")
    window: int | None = Field(default=None, ge=2, le=500)
    fast: int = Field(default=12, ge=2, le=500)
    slow: int = Field(default=26, ge=3, le=500)
    signal: int = Field(default=9, ge=2, le=500)


def smoothed(values: Numbers, share: float, start: float | None = None) -> Numbers:
    """Return the exponential moving average, in which the new value has the weight `share`.

    start: the value before the first one; by default, the first value itself.
    """
    import numpy as np

    made = np.empty(len(values))
    before = float(values[0]) if start is None else start
    for i, value in enumerate(values):
        before = share * float(value) + (1 - share) * before
        made[i] = before
    return made


def windows(values: Numbers, size: int, function: Callable[..., Any]) -> Numbers:
    """Return, for each row, a function of the last `size` values; NaN until there are that many."""
    import numpy as np

    made = np.full(len(values), np.nan)
    if len(values) >= size:
        seen = np.lib.stride_tricks.sliding_window_view(values, size)
        made[size - 1 :] = function(seen, axis=1)
    return made


def macd(prices: Prices, a: Technical) -> Prices:
    """Return DIF = EMA(fast) - EMA(slow), DEA = EMA(signal) of DIF, and MACD = 2 (DIF - DEA)."""
    close = prices["close"]
    dif = smoothed(close, 2 / (a.fast + 1)) - smoothed(close, 2 / (a.slow + 1))
    dea = smoothed(dif, 2 / (a.signal + 1))
    return {"dif": dif, "dea": dea, "macd": 2 * (dif - dea)}


def kdj(prices: Prices, a: Technical) -> Prices:
    """Return K, D and J of Lane's stochastic oscillator. K and D keep two thirds of the previous
    value, and they start at 50.

    In the first rows, the window covers only the rows so far. If the high and the low are equal,
    RSV is 50.
    """
    import numpy as np

    size, close = a.window or 9, prices["close"]
    high = np.array([prices["high"][max(0, i + 1 - size) : i + 1].max() for i in range(len(close))])
    low = np.array([prices["low"][max(0, i + 1 - size) : i + 1].min() for i in range(len(close))])
    span = high - low
    rsv = np.where(span > 0, 100 * (close - low) / np.where(span > 0, span, 1), 50.0)
    k = smoothed(rsv, 1 / 3, 50.0)
    d = smoothed(k, 1 / 3, 50.0)
    return {"k": k, "d": d, "j": 3 * k - 2 * d}


def rsi(prices: Prices, a: Technical) -> Prices:
    """Return Wilder's relative strength index: 100 × average gains / (average gains + average
    losses).
    """
    import numpy as np

    step = np.diff(prices["close"])
    made = np.full(len(prices["close"]), np.nan)
    if len(step):
        share = 1 / (a.window or 14)
        up, down = smoothed(np.maximum(step, 0), share), smoothed(np.maximum(-step, 0), share)
        both = up + down
        made[1:] = np.where(both > 0, 100 * up / np.where(both > 0, both, 1), 50.0)
    return {"rsi": made}


def boll(prices: Prices, a: Technical) -> Prices:
    """Return the Bollinger bands: the mean of the window, and two population standard deviations
    above and below the mean.
    """
    import numpy as np

    size = a.window or 20
    middle, spread = windows(prices["close"], size, np.mean), windows(prices["close"], size, np.std)
    return {
        "boll_upper": middle + 2 * spread,
        "boll_mid": middle,
        "boll_lower": middle - 2 * spread,
    }


def cci(prices: Prices, a: Technical) -> Prices:
    """Return Lambert's commodity channel index of the typical price: its distance from the mean,
    divided by 0.015 times the mean deviation.
    """
    import numpy as np

    size = a.window or 14
    typical = (prices["high"] + prices["low"] + prices["close"]) / 3
    mean = windows(typical, size, np.mean)
    made = np.full(len(typical), np.nan)
    if len(typical) >= size:
        seen = np.lib.stride_tricks.sliding_window_view(typical, size)
        deviation = np.abs(seen - mean[size - 1 :, None]).mean(axis=1)
        distance = typical[size - 1 :] - mean[size - 1 :]
        made[size - 1 :] = np.where(
            deviation > 0, distance / np.where(deviation > 0, 0.015 * deviation, 1), 0.0
        )
    return {"cci": made}


INDICATORS: dict[str, tuple[tuple[str, ...], Callable[[Prices, Technical], Prices]]] = {
    "macd": (("close",), macd),
    "kdj": (("close", "high", "low"), kdj),
    "rsi": (("close",), rsi),
    "boll": (("close",), boll),
    "cci": (("close", "high", "low"), cci),
}


def technical(desk: RunContext, arguments: Technical) -> OutputFrame:
    """Add the columns of an indicator. They are empty in rows without a price.

    Raises: NothingSelected if no row has a price; UnknownColumn, WrongArguments.
    """
    import numpy as np

    table = desk.frame(arguments.data)
    needed, function = INDICATORS[arguments.indicator]
    columns = {name: number(table, str(getattr(arguments, name))) for name in needed}
    rows = priced(table, columns, arguments.by)
    if not rows:
        raise NothingSelected("No row has a price.", "Choose another range.")
    made: dict[str, list[float | None]] = {}
    places: list[int] = []
    entities: dict[Any, list[tuple[Any, ...]]] = {}
    for row in rows:
        entities.setdefault(row[1], []).append(row)
    for own in entities.values():
        stop_if_asked()
        places += [int(row[0]) for row in own]
        prices = {
            name: np.array([row[2 + i] for row in own], dtype=float)
            for i, name in enumerate(columns)
        }
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # for infinite prices and missing numbers
            found = function(prices, arguments)
        for name, values in found.items():
            made.setdefault(name, []).extend(None if v != v else float(v) for v in values)
    cells: dict[str, tuple[str, list[Any]]] = {"_place": ("BIGINT", places)}
    cells |= {name: ("DOUBLE", values) for name, values in made.items()}
    beside = desk.build(cells).table
    kept = ", ".join(f"o.{quote(c.name)}" for c in table.columns if c.name not in made)
    added = ", ".join(f"n.{quote(name)}" for name in made)
    return desk.make(
        f"SELECT {kept}, {added} FROM {table.relation} o LEFT JOIN {beside.relation} n ON"
        f" o.{ORDINAL} = n._place ORDER BY o.{ORDINAL}",
        (),
        [table],
    )


def priced(table: Table, columns: dict[str, str], by: str | None) -> list[tuple[Any, ...]]:
    """Return the positions, entities and prices of the rows that have all prices.

    Raises: UnknownColumn.
    """
    key = quote(table.column(by).name) if by else "NULL"
    held = " AND ".join(f"{sql} IS NOT NULL" for sql in columns.values())
    listed = ", ".join([ORDINAL, key, *columns.values()])
    return table.query(f"SELECT {listed} FROM {table.relation} WHERE {held} ORDER BY {ORDINAL}")


ALL = (
    StepInterface(
        "technical",
        "processing",
        "Technical indicators of a price: MACD, KDJ, RSI, BOLL, CCI.",
        Technical,
        technical,
    ),
)
