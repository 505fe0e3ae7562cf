"""A request about days after the last of its table is asked back as one about the last days there
are.
"""

from __future__ import annotations

import datetime as dt

import pytest

from backends.data.profile import profile
from backends.data.table import table_from_rows
from backends.data.values import Profile
from backends.planning import plan
from backends.planning.plan import moved

FIRST = dt.date(2024, 1, 1)
ROWS = [
    {"day": str(FIRST + dt.timedelta(days=n)), "share": share, "close": 100 + n % 7}
    for n in range(120)
    for share in ("Ostara", "Brimble")
]


@pytest.fixture(scope="module")
def prices() -> Profile:
    return profile(table_from_rows(ROWS, source="prices", hash_="h"), "share prices")


@pytest.mark.parametrize(
    ("request_", "start"),
    [
        ("Draw the cumulative return of Ostara over the last three months", "2024-01-29"),
        ("画一下Ostara最近三个月的收益率", "2024-01-29"),
        ("Draw the close of Ostara over the last 20 days", "2024-04-10"),
    ],
)
def test_the_same_range_ends_with_the_table(prices: Profile, request_: str, start: str) -> None:
    made = plan(request_, [prices], now=dt.datetime(2026, 6, 15, 20))
    assert made is not None
    told = moved(made, [prices])
    assert (told.ended["table"], told.ended["high"]) == ("share prices", "2024-04-29")
    given = told.workflow.steps[0].arguments
    assert (given["start"], given["end"]) == (start, "2024-04-29")
    assert "2026" not in told.workflow.model_dump_json(exclude={"description"})


@pytest.mark.parametrize(
    "request_",
    [
        "Draw the close of Ostara from 2024-02-01 to 2024-03-01",
        "Draw the close of Ostara from 2024-04-01 to 2024-06-01",  # some of it is there
        "Draw the close of Ostara",
        "Draw the close of Ostara in 1990",
    ],
)
def test_days_that_are_there_stay(prices: Profile, request_: str) -> None:
    made = plan(request_, [prices], now=dt.datetime(2026, 6, 15, 20))
    assert made is not None
    assert moved(made, [prices]) == made
