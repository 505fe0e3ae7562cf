"""What reads the input of strangers, on a few inputs each; `tests/bench/fuzz.py` tries many more."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.hostile_inputs import TARGETS

pytestmark = pytest.mark.slow

SLOW = {"csv", "xlsx", "json"}  # each input is a table of DuckDB


@pytest.mark.parametrize("name", TARGETS)
def test_hostile_input_is_read_or_refused_in_words(name: str) -> None:
    target = TARGETS[name]

    @settings(
        max_examples=5 if name in SLOW else 25,
        database=None,
        derandomize=True,  # the suite looks at the same ones; the bench at new ones
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(target.inputs)
    def look(value: Any) -> None:
        target.check(value)

    look()
