"""Price bars from a TradingView UDF server: the request and its response."""

from __future__ import annotations

import datetime as dt
from typing import Any

from app.domain.errors import BackendError
from app.openbb.content import Content
from app.openbb.parameters import BARS, FEWEST, MOST, seconds_of
from app.openbb.wire import number

# factor by which the requested span is extended, because markets are closed at night and on
# weekends
CLOSED = 1.7


def asked(values: dict[str, Any], until: dt.datetime) -> dict[str, str]:
    """Return the query that requests the bars up to a point in time."""
    resolution = str(values.get("resolution") or "1D")
    bars = int(min(max(number(values.get("bars")) or BARS, FEWEST), MOST))
    to = int(until.timestamp())
    since = to - int(bars * seconds_of(resolution) * CLOSED)
    told = {"symbol": str(values.get("symbol") or ""), "resolution": resolution}
    return told | {"from": str(max(since, 0)), "to": str(to), "countback": str(bars)}


def earlier(value: Any) -> int | None:
    """Return the time of the last earlier bars, which a server may report when it has no bars for a
    span.
    """
    told = value if isinstance(value, dict) else {}
    at = number(told.get("nextTime"))
    return int(at) if told.get("s") == "no_data" and at is not None and 0 < at < 1e11 else None


def read_candles(name: str, value: Any, bars: int) -> Content:
    """Return the last bars of a response.

    Raises: BackendError if the response is an error, has no data, or has an unexpected format.
    """
    told = value if isinstance(value, dict) else {}
    if told.get("s") == "error":
        why = " ".join(str(told.get("errmsg") or "").split())[:200]
        raise BackendError(
            f"{name}: {why or 'the backend has no price bars.'}", "Choose another symbol."
        )
    if told.get("s") == "no_data":
        raise BackendError(
            f"{name}: there are no bars for this symbol and time.", "Choose another symbol."
        )
    made = as_bars(told)
    if not made:
        raise BackendError(f"{name}: the backend did not answer with bars.", "Ask its maker.")
    return Content("candles", made[-bars:])


def as_bars(told: dict[str, Any]) -> list[dict[str, Any]]:
    """Return columns of bars as rows, leaving out bars without valid prices."""
    columns = [told.get(key) for key in "tohlc"]
    lists = [one for one in columns if isinstance(one, list)]
    if len(lists) < 5:
        return []
    volumes = told.get("v")
    made: list[dict[str, Any]] = []
    for place, row in enumerate(zip(*lists, strict=False)):
        at, *prices = [number(one) for one in row]
        if at is None or not 0 <= at < 1e11 or any(p is None or p != p for p in prices):
            continue
        volume = (
            number(volumes[place]) if isinstance(volumes, list) and place < len(volumes) else None
        )
        when = dt.datetime.fromtimestamp(at, dt.UTC).isoformat().replace("+00:00", "")
        bar = dict(zip(("open", "high", "low", "close"), prices, strict=True))
        made.append(
            {"time": when.replace("T", " ").removesuffix(" 00:00:00"), **bar, "volume": volume}
        )
    return sorted(made, key=lambda bar: str(bar["time"]))
