"""A year that has three quarters is not compared with whole ones without a word."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import pytest

from backends.data.number_check import traced
from backends.data.table import table_from_rows
from backends.data.workflow.report import WorkflowResult, told
from backends.data.workflow.run import run_workflow
from backends.data.workflow.step import Step, Task, Workflow
from backends.data.workflow.summary import summary

if TYPE_CHECKING:
    from backends.data.table import Table

pytestmark = pytest.mark.slow

CHANGE = ("change", {"value": "sold"})


def quarters(last: int = 3) -> Table:
    """Return quarters of 2005 to 2009, the last year with so many."""
    rows = [
        {"year": year, "quarter": quarter, "sold": 100 + year - 2005}
        for year in range(2005, 2010)
        for quarter in range(1, 5)
        if (year, quarter) <= (2009, last)
    ]
    return table_from_rows(rows, source="s")


def days(first: str, last: str, without: set[int] | None = None) -> Table:
    """Return a row for each day of a week's five, some months left out."""
    day, end, rows = (
        dt.date.fromisoformat(first),
        dt.date.fromisoformat(last),
        list[dict[str, Any]](),
    )
    while day <= end:
        if day.weekday() < 5 and day.month not in (without or set()):
            rows.append({"date": day.isoformat(), "sold": 3})
        day += dt.timedelta(days=1)
    return table_from_rows(rows, source="s")


def ran(
    table: Table, every: str, *more: tuple[str, dict[str, Any]], aggregate: str = "sum"
) -> WorkflowResult:
    time = ["year", "quarter"] if any(c.name == "quarter" for c in table.columns) else ["date"]
    steps = [
        ("read_series", {"source": "s", "time": time, "columns": ["sold"]}),
        ("summarise", {"columns": ["sold"], "every": every, "aggregates": [aggregate]}),
        *more,
    ]
    made = [
        Step(id=f"r{n}", interface=name, arguments=arguments | ({"data": f"r{n - 1}"} if n else {}))
        for n, (name, arguments) in enumerate(steps)
    ]
    finished = run_workflow(Workflow(steps=made), lambda _: table)
    try:
        result = told(finished, "")
    finally:
        finished.desk.close()
    assert not result.failed, result.failed
    return result


@pytest.mark.parametrize(
    ("table", "every", "parts"),
    [
        (quarters(), "year", [("2009", 3, 4, "quarter")]),
        (quarters(4), "year", []),
        (days("2020-01-01", "2023-12-29"), "year", []),
        (days("2020-04-01", "2023-09-29"), "year", [("2020", 197, 260, "day"), ("2023", 195, 260, "day")]),
        (days("2023-01-02", "2023-06-09"), "month", [("2023-06", 7, 20, "day")]),
        (days("2022-01-03", "2023-05-10"), "quarter", [("2023Q2", 28, 65, "day")]),
        (days("2020-01-01", "2022-03-31", {2, 3, 5, 8, 9, 11}), "month", []),
        (table_from_rows([{"date": f"202{y}-0{m}-01", "sold": 1} for y, m in ((0, 1), (0, 5), (1, 2), (2, 1), (2, 3), (2, 7), (3, 2))], source="s"), "year", []),
        (table_from_rows([{"date": "2023-05-01", "sold": 1}, {"date": "2023-06-01", "sold": 1}], source="s"), "year", []),
    ],
)  # fmt: skip
def test_a_period_at_an_end_that_holds_less_is_named(
    table: Table, every: str, parts: list[tuple[Any, ...]]
) -> None:
    result = ran(table, every, CHANGE)
    assert [(p.label, p.held, p.of, p.unit) for p in result.parts] == parts


def test_a_growth_that_ends_in_it_says_so_and_one_cell_of_another_year_does_not() -> None:
    growth = ("growth", {"value": "sold"})
    grown = ran(quarters(), "year", growth, ("read_value", {"column": "growth %"}))
    assert [p.label for p in grown.parts] == ["2009"]
    of_2006 = {
        "where": [{"column": "date", "op": "between", "value": ["2006-01-01", "2007-12-31"]}]
    }
    whole = ran(
        quarters(), "year", ("select", of_2006), growth, ("read_value", {"column": "growth %"})
    )
    assert whole.parts == []
    first = ran(
        quarters(), "year", ("select", of_2006), ("read_value", {"column": "sold", "row": 0})
    )
    assert first.parts == []


def test_a_table_without_it_says_nothing_and_the_last_day_of_a_year_is_one_day() -> None:
    first = {"where": [{"column": "date", "op": "<", "value": "2009-01-01"}]}
    assert ran(quarters(), "year", ("select", first)).parts == []
    assert ran(quarters(), "year", CHANGE, aggregate="last").parts == []
    by_resample = Workflow(
        steps=[
            Step(id="a", interface="read_series", arguments={"source": "s", "time": ["year", "quarter"], "columns": ["sold"]}),
            Step(id="b", interface="resample", arguments={"data": "a", "every": "year", "columns": ["sold"]}),
        ]
    )  # fmt: skip
    finished = run_workflow(by_resample, lambda _: quarters())
    assert [p.label for p in told(finished, "").parts] == ["2009"]
    finished.desk.close()


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "*2009 is not a whole year: it has 3 of 4 quarters.*"),
        ("zh", "*2009 不是完整的一年：4 个季度中只有 3 个季度。*"),
        ("ja", "*2009 は 1 年に足りません：4 四半期のうち 3 四半期だけです。*"),
    ],
)
def test_the_answer_says_so_in_the_language_of_the_question(language: str, words: str) -> None:
    result = ran(quarters(), "year", CHANGE)
    tasks = [Task(kind="processing", instruction="x", steps=["r2"])]
    said = summary(
        Workflow(steps=[Step(id="r2", interface="change", arguments={})], tasks=tasks),
        result,
        language,
    )
    assert words in said
    assert words in traced(said, result.as_results(), "1", language)  # its numbers are a result's
    again = WorkflowResult.model_validate_json(result.model_dump_json())
    assert again.parts == result.parts
