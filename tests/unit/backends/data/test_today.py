"""The day that counts as today for a table, by when its day is over, where it is over."""

from __future__ import annotations

import datetime as dt

import pytest

from backends.data.profile import profile
from backends.data.table import table_from_rows
from backends.data.values import Profile
from backends.query.parser import parse

ROWS = [{"day": f"2019-03-{day:02d}", "sold": day} for day in range(1, 29)]
NOON = dt.datetime(2019, 3, 13, 12, 0, tzinfo=dt.UTC)


def about(closes: str) -> Profile:
    made = profile(table_from_rows(ROWS, source="shop"), "shop")
    return made.model_copy(update={"closes": closes})


@pytest.mark.parametrize(
    ("closes", "day"),
    [
        ("", 13),
        ("12:00", 13),
        ("12:01", 12),
        ("20:00 Asia/Shanghai", 13),  # it is 20:00 there
        ("20:01 Asia/Shanghai", 12),
        ("12:01 Nowhere/Atall", 12),
    ],
)
def test_today_is_yesterday_until_the_day_is_over_there(closes: str, day: int) -> None:
    assert about(closes).today(NOON) == dt.date(2019, 3, day)


def test_a_single_question_keeps_to_it_table_by_table() -> None:
    for closes, day in (("15:00", "2019-03-12"), ("", "2019-03-13")):
        made = parse("How many were sold today?", [about(closes)], today=NOON)
        assert day in str(made[0].query)
