"""Round numbers for a scale, and numbers as people read them. No Qt."""

from __future__ import annotations

from math import ceil, floor, isfinite, log10

STEPS = (1, 2, 2.5, 5, 10)
LARGE = ((1e12, "T"), (1e9, "B"), (1e6, "M"))


def ticks(low: float, high: float, most: int = 4) -> list[float]:
    """Return at least two round numbers, evenly spaced, the first not above low, the last not below high."""
    if not (isfinite(low) and isfinite(high)):
        return [0.0, 1.0]
    if high <= low:
        low, high = (low - 1, high + 1) if low else (0.0, 1.0)
    rough = (high - low) / (most - 1)
    scale = 10.0 ** floor(log10(rough))
    step = next(s * scale for s in STEPS if s * scale >= rough * 0.999)
    first = floor(low / step)
    last = max(ceil(high / step), first + 1)
    return [round(n * step, 12) for n in range(first, last + 1)]


def shown(value: float) -> str:
    """Return a number in at most about seven characters: 12,990.3 and 0.12 and 1.5 M."""
    for size, letter in LARGE:
        if abs(value) >= size:
            return f"{value / size:,.4g} {letter}"
    digits = (
        0
        if float(value).is_integer()
        else 1
        if abs(value) >= 1000
        else 2
        if abs(value) >= 0.1
        else 4
    )
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
