"""The patterns of requests, from their table."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files

import yaml


@lru_cache
def table() -> dict[str, str | list[str]]:
    """Return the table: a pattern or several by name."""
    return yaml.safe_load((files("resources") / "acting.yaml").read_text("utf-8"))


@lru_cache
def pattern(name: str) -> re.Pattern[str]:
    """Return a pattern, several of them as one."""
    one = table()[name]
    return re.compile(
        one if isinstance(one, str) else "|".join(f"(?:{p})" for p in one), re.IGNORECASE
    )


@lru_cache
def patterns(name: str) -> list[re.Pattern[str]]:
    """Return patterns one by one, in their order."""
    return [re.compile(one, re.IGNORECASE) for one in table()[name]]
