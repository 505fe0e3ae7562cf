"""Sums by columns and periods, columns made rows, correlations by entity: against pandas."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from backends.data.errors import KernelError
from backends.data.table import Table, table_from_rows
from backends.data.workflow.run import run_workflow
from backends.data.workflow.step import Step, Workflow

ROWS = [
    {"day": f"2024-{month:02}-{day:02}", "shop": shop, "units": (month * day) % 7 + len(shop), "price": 10 + day % 5 + month}
    for month in range(1, 8)
    for day in (3, 17, 28)
    for shop in ("Ash", "Birch")
]  # fmt: skip
FRAME = pd.DataFrame(ROWS)


def made(interface: str, **arguments: Any) -> list[tuple[Any, ...]]:
    """Return the rows a step makes of the table."""
    table: Table = table_from_rows(ROWS, source="t", hash_="h")
    read = Step(
        id="rows",
        interface="read_series",
        arguments={"source": "t", "time": ["day"], "columns": ["shop", "units", "price"]},
    )
    step = Step(id="made", interface=interface, arguments={"data": "rows"} | arguments)
    finished = run_workflow(Workflow(steps=[read, step]), lambda _: table)
    if finished.failed:
        assert finished.failed[0].error is not None
        raise finished.failed[0].error
    return finished.desk.frame("made").rows(0, 100)


def test_sums_go_by_columns_and_by_periods() -> None:
    quarter = pd.PeriodIndex(FRAME.day, freq="Q").astype(str)
    truth = FRAME.groupby([quarter, "shop"]).units.sum()
    rows = made("summarise", by=["shop"], columns=["units"], every="quarter", written=True)
    assert {(r[0], r[1]): r[2] for r in rows} == truth.to_dict()


def test_a_period_is_named_by_its_last_day() -> None:
    assert [r[0] for r in made("summarise", columns=["units"], every="month")][:2] == [
        "2024-01-31",
        "2024-02-29",
    ]


def test_several_statistics_stand_beside_each_other() -> None:
    truth = FRAME.groupby("shop").price.agg(["mean", "median"])
    rows = made("summarise", by=["shop"], columns=["price"], aggregates=["mean", "median"])
    assert {r[0]: list(r[1:]) for r in rows} == {
        k: pytest.approx(list(v)) for k, v in zip(truth.index, truth.to_numpy(), strict=True)
    }


def test_rows_are_counted_where_no_column_is_named() -> None:
    assert made("summarise", by=["shop"]) == [("Ash", 21), ("Birch", 21)]


def test_columns_become_rows() -> None:
    rows = made("unpivot", columns=["units", "price"])
    assert len(rows) == 2 * len(ROWS)
    assert sum(r[-1] for r in rows if r[-2] == "price") == FRAME.price.sum()


def test_a_name_that_is_taken_is_refused() -> None:
    with pytest.raises(KernelError):
        made("unpivot", columns=["units", "price"], label="shop")


def test_correlations_are_told_for_each() -> None:
    truth = {shop: own.units.corr(own.price) for shop, own in FRAME.groupby("shop")}
    assert dict(made("correlations", x="units", y="price", by="shop")) == pytest.approx(truth)
