"""Read and format amounts of memory."""

from __future__ import annotations

import re

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
FORM = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(I?)B?", re.IGNORECASE)


class NotASize(ValueError):
    """The text is not an amount of memory. The message says how to write one."""


def size(number: int) -> str:
    """Return a number of bytes in a readable unit."""
    return f"{number / 1e9:.1f} GB" if number >= 1e9 else f"{max(0, number) / 1e6:.0f} MB"


def read_size(text: str) -> int:
    """Return the number of bytes that "8GB", "512 MB", "4GiB" or a plain number means.

    Raises: NotASize.
    """
    found = FORM.fullmatch(text.strip())
    if found is None or float(found[1]) == 0:
        raise NotASize(f"{text!r} is not an amount of memory. Write it like 8GB or 512MB.")
    unit = UNITS[found[2].upper()]
    if found[3]:
        unit = 1024 ** list(UNITS).index(found[2].upper())
    return int(float(found[1]) * unit)
