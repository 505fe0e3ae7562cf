"""Every example of Data-Copilot's intents and plans is answered: by its workflow, or as a line that
one operation draws.
"""

from __future__ import annotations

import datetime as dt

import pytest

from backends.planning import plan
from backends.understanding import understand
from tests.unit.backends.planning.conftest import Opened
from tests.unit.backends.planning.test_intents import INTENTS
from tests.unit.backends.planning.test_plans import CHARTS

pytestmark = pytest.mark.slow

NOW = dt.datetime(2023, 8, 25, 20)
REQUESTS = dict.fromkeys([*(i[1] for i in INTENTS), *(c[0] for c in CHARTS)])


@pytest.mark.parametrize("request_", REQUESTS, ids=[r[:24] for r in REQUESTS])
async def test_a_request_is_served(opened: Opened, request_: str) -> None:
    profiles = [about for _, about in opened.values()]
    made = await plan(request_, profiles, now=NOW)
    understood = await understand(request_, profiles, embed=None, today=NOW.date(), found={})
    assert made is not None
    assert not made.asks
    drawn = understood.decision == "answer" and understood.readings[0].interface == "series"
    assert made.goes_first or made.serves(understood) or drawn
