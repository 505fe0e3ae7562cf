"""What can be set of a chart of bars: the symbol, how long a bar lasts, how many."""

from __future__ import annotations

from app.domain.backends.params import Option, Param

SECONDS = {"S": 1, "D": 86_400, "W": 7 * 86_400, "M": 31 * 86_400}
BARS, FEWEST, MOST = 250, 20, 5000
RESOLUTIONS = ("1", "5", "15", "60", "1D", "1W", "1M")


def params_of(endpoint: str, default: str) -> tuple[Param, ...]:
    """Return what can be set of such a chart: its symbol, how long a bar lasts, how many bars."""
    base = endpoint.rstrip("/")
    search = f"{base}/search?query=&type=&exchange=&limit=50"
    bars = tuple(Option(label_of(one), one) for one in RESOLUTIONS)
    return (
        Param("symbol", "ticker", "Symbol", "What is traded", default, free=True, endpoint=search),
        Param("resolution", "choice", "Bar", "How long a bar lasts", "1D", options=bars, free=True),
        Param("bars", "number", "Bars", "How many bars at most", BARS, low=FEWEST, high=MOST),
    )


def seconds_of(resolution: str) -> int:
    """Return how long a bar lasts: minutes, or days, weeks, months and seconds by their letter."""
    letter = resolution[-1:].upper()
    count = resolution[:-1] if letter in SECONDS else resolution
    each = SECONDS.get(letter, 60)
    return (int(count) if count.isdecimal() and int(count) else 1) * each


def label_of(resolution: str) -> str:
    """Return how long a bar lasts, for people."""
    minutes = seconds_of(resolution) // 60
    if resolution.isdecimal():
        return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h"
    names = {"D": "day", "W": "week", "M": "month", "S": "second"}
    return f"{resolution[:-1] or '1'} {names.get(resolution[-1:], resolution)}"
