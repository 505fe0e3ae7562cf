"""The system's own voice: espeak-ng, a program that speaks without a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from backends.catalog.elsewhere.model import Found
from backends.catalog.imported import SYSTEM_VOICE, system_voice


def system(home: Path, environment: Mapping[str, str]) -> Iterator[Found]:
    """Yield espeak-ng where it is installed."""
    place = system_voice(environment.get("PATH", ""))
    if place is not None:
        yield Found(f"system:{SYSTEM_VOICE}", place, place.stat().st_size)
