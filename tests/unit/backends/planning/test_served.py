"""Every example of Data-Copilot's intents and plans is answered by its workflow."""

from __future__ import annotations

import datetime as dt

import pytest

from backends.planning import plan
from tests.unit.backends.planning.conftest import Opened
from tests.unit.backends.planning.test_intents import INTENTS
from tests.unit.backends.planning.test_plans import CHARTS

pytestmark = pytest.mark.slow

NOW = dt.datetime(2023, 8, 25, 20)
REQUESTS = dict.fromkeys([*(i[1] for i in INTENTS), *(c[0] for c in CHARTS)])


@pytest.mark.parametrize("request_", REQUESTS, ids=[r[:24] for r in REQUESTS])
def test_a_request_is_served(opened: Opened, request_: str) -> None:
    profiles = [about for _, about in opened.values()]
    made = plan(request_, profiles, now=NOW)
    assert made is not None
    assert not made.asks
    assert made.serves
