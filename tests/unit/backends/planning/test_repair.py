"""A failed step is repaired by the words of its error, so each repair is tried with the error that
the step really raises.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

import pytest

from backends.data.errors import WrongArguments
from backends.data.forecast import forecast_of
from backends.data.steps.charts import LINES, entities
from backends.data.table import table_from_rows
from backends.data.workflow.context import too_many
from backends.data.workflow.step import Step, Workflow
from backends.planning.plan import mended

READ = {"source": "prices", "time": ["day"], "columns": ["close"], "by": "name"}
FIRST = dt.date(2024, 1, 1)


def error_of(work: Callable[[], object]) -> str:
    with pytest.raises(WrongArguments) as caught:
        work()
    return caught.value.text


def irregular() -> str:
    days = [FIRST + dt.timedelta(17 * i) for i in range(12)]
    return error_of(lambda: forecast_of(days, [1.0] * 12, 3))


def twice_a_day() -> str:
    days = [FIRST + dt.timedelta(i // 2) for i in range(12)]
    return error_of(lambda: forecast_of(days, [1.0] * 12, 3))


def too_many_lines() -> str:
    rows = [{"day": "2024-01-01", "name": f"n{i}", "close": 1.0} for i in range(LINES + 1)]
    return error_of(lambda: entities(table_from_rows(rows, source="prices"), "name"))


def workflow(*more: tuple[str, dict[str, object]]) -> Workflow:
    """A series that is read, and a step that uses it."""
    steps = [("read_series", READ), *more]
    return Workflow(
        steps=[Step(id=f"r{i + 1}", interface=n, arguments=a) for i, (n, a) in enumerate(steps)]
    )


@pytest.mark.parametrize("error", [irregular, twice_a_day])
def test_a_forecast_over_days_that_do_not_suit_reads_months(error: Callable[[], str]) -> None:
    made = mended(workflow(("forecast", {"data": "r1", "value": "close"})), "r2", error())
    assert made is not None
    assert made.steps[0].arguments == READ | {"every": "month"}


def test_a_series_of_too_many_rows_is_read_by_month() -> None:
    made = mended(workflow(), "r1", too_many().text)
    assert made is not None
    assert made.steps[0].arguments == READ | {"every": "month"}


def test_too_many_lines_become_bars() -> None:
    drawn = workflow(("line", {"data": "r1", "x": "day", "y": ["close"], "by": "name"}))
    made = mended(drawn, "r2", too_many_lines())
    assert made is not None
    assert (made.steps[1].interface, made.steps[1].arguments) == (
        "bar",
        {"data": "r1", "x": "day", "y": ["close"]},
    )


def test_another_error_is_not_repaired() -> None:
    drawn = workflow(("line", {"data": "r1", "x": "day", "y": ["close"]}))
    assert mended(drawn, "r2", "There is no column close.") is None
