"""Numbers as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backends.kernel.values import Scalar


EXACT = 1e-9  # as near as a computed number is to the whole one it is meant to be
LARGE = 10_000  # from here on a whole number is written without ".0"
LARGEST = 1e15  # beyond, the digits of a float are noise, and too many for a cell


def show(value: Scalar, unit: str | None = None) -> str:
    """Return a value for people: computed fractions cut to what can be read, thousands grouped."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "–"}[value]
    if isinstance(value, float):
        value += 0.0  # of -0.0, 0.0
    if isinstance(value, int):
        text = f"{value:,}"
    elif isinstance(value, float) and abs(value) >= LARGEST:
        text = f"{value:.6g}"
    elif isinstance(value, float) and value.is_integer() and (not value or abs(value) >= LARGE):
        text = f"{value:,.0f}"
    elif isinstance(value, float):
        plain = repr(value)
        decimals = len(plain.partition(".")[2]) if "e" not in plain else 99
        short = f"{value:,.2f}" if abs(value) >= 100 else f"{value:.4g}"
        if not set(short) & set(".e") and abs(value - round(value)) > EXACT:
            short += ".0"  # "37" would say that it is 37 to the last digit
        text = short if decimals > 4 else f"{value:,}"
    else:
        return value.removesuffix(" 00:00:00")
    return f"{text} {unit}" if unit and unit != "%" else f"{text}{' %' if unit == '%' else ''}"
