"""A row of totals or one without a label is no customer; a quarter may be written 1990-1; a change
over years is a line.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from backends.data.interfaces import INTERFACES
from backends.data.profile import profile
from backends.data.rows import table_from_rows
from backends.data.values import Result
from backends.planning import checked, plan
from backends.planning.composing.frame import WORD
from backends.planning.composing.mentions import Said
from backends.understanding import Reading, Understanding, understand

pytestmark = pytest.mark.slow

NAMES = [("Alba", "Nord", 10), ("Bern", "Nord", 25), ("Cato", "Süd", 30), ("Dora", "Süd", 20)]
MACRO: list[dict[str, Any]] = [
    {"year": y, "quarter": q, "infl": (y * 7 + q * 3) % 11 - 1.5, "失业率": 4 + (y * 3 + q) % 5 / 2}
    for y in range(1980, 2010)
    for q in (1, 2, 3, 4)
]


async def answer(rows: list[dict[str, Any]], question: str) -> tuple[Reading, Result]:
    """Return how a question was understood, all of it, and what comes of it."""
    table = table_from_rows(rows, source="t", hash_="h")
    about = profile(table, "figures")
    found = await understand(question, [about], embed=None, today=dt.date(2026, 6, 15), found={})
    assert isinstance(found, Understanding)
    made = checked(question, [about], found)
    assert (made.decision, made.ignored) == ("answer", [])
    return made.readings[0], INTERFACES[made.readings[0].interface].run(
        table, made.readings[0].arguments
    )


def listed(last: str | None) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{"customer": c, "region": r, "sales": s} for c, r, s in NAMES]
    return [*rows, {"customer": last, "region": "", "sales": 85}]


@pytest.mark.parametrize("last", ["Total", "TOTAL", "Grand total", "Summe", "合计", None])
async def test_no_row_of_totals_and_no_empty_label_is_highest(last: str | None) -> None:
    reading, result = await answer(listed(last), "Which customer has the highest sales?")
    assert (result.rows[0][0], result.value) == ("Cato", 30)
    assert any("≠" in word for word in reading.words) == (last is None)  # the total was never read


@pytest.mark.parametrize("last", ["Total", "Summe", "合计"])
async def test_a_row_of_totals_is_not_added_up(last: str) -> None:
    _, result = await answer(listed(last), "total sales")
    assert result.value == 85


@pytest.mark.parametrize("question", ["infl in 1990-1", "What was infl in 1990-1?"])
async def test_a_year_and_a_quarter_are_no_month(question: str) -> None:
    _, result = await answer(MACRO, question)
    assert result.rows == [[(1990 * 7 + 3) % 11 - 1.5]]
    about = profile(table_from_rows(MACRO, source="t", hash_="h"), "figures")
    made = await plan("Plot infl from 1990-1 to 1991-2", [about], now=dt.datetime(2026, 6, 15))
    assert made is not None
    assert made.intent.time.start == dt.date(1990, 1, 1)
    assert made.intent.time.end == dt.date(1991, 6, 30)


@pytest.mark.parametrize("asked", ["1990年到2000年失业率的变化", "1990年以来失业率的变化"])
async def test_a_change_over_years_is_a_line_and_no_mean(asked: str) -> None:
    reading, result = await answer(MACRO, asked)
    assert reading.interface == "series"
    assert result.rows[0] == ["1990-1", 4 + (1990 * 3 + 1) % 5 / 2]


def test_a_word_of_which_a_part_was_explained_is_told_whole() -> None:
    said = Said("in a year average snork")
    said.take(10, 11, "cue")
    assert "average" in said.whole(WORD, said.left())
    assert "verage" not in said.whole(WORD, said.left())
