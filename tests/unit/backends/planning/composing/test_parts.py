"""Requests put together of parts, over tables made up here, against pandas."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Any

import pandas as pd
import pytest

from backends.data.profile import profile
from backends.data.rows import table_from_rows
from backends.data.table import Table
from backends.data.values import Profile
from backends.data.workflow.output import Chart, OutputSheet, OutputValue
from backends.data.workflow.run import run_workflow
from backends.planning import Plan, plan

TODAY = dt.datetime(2025, 7, 10, 20, 0)
PLACES = [
    ("D1", "Alderby", "Uplands"),
    ("D2", "Brackwell", "Uplands"),
    ("D3", "Corwen", "Coast"),
    ("D4", "Dunmore", "Coast"),
]
DEPOTS = [
    {"depot_id": i, "depot_name": n, "district": d, "docks": 4 + 2 * k}
    for k, (i, n, d) in enumerate(PLACES)
]
LOADS = [
    {"day": f"{year}-{month:02}-{day:02}", "depot_id": place[0], "parcels": 40 + 7 * k + (month * day * (k + 2)) % 31 + (year - 2023) * 5, "damaged": (month + day + k) % 6, "fuel_cost": 100 + 3 * k + (day * month) % 17}
    for year in (2023, 2024, 2025)
    for month in range(1, 13)
    if (year, month) < (2025, 7)
    for day in (2, 9, 16, 23)
    for k, place in enumerate(PLACES)
]  # fmt: skip
FRAME = pd.DataFrame(LOADS).merge(pd.DataFrame(DEPOTS), on="depot_id")
FRAME["day"] = pd.to_datetime(FRAME.day)
YEAR = FRAME[FRAME.day.dt.year == 2024]
TABLES: dict[str, tuple[Table, Profile]] = {}
for name, title, rows in (("loads", "Depot loads", LOADS), ("depots", "Depots", DEPOTS)):
    opened = table_from_rows(rows, source=name, hash_=name)
    TABLES[name] = (opened, profile(opened, title))


def ask(question: str) -> Plan:
    """Plan a request over both tables."""
    made = asyncio.run(plan(question, [p for _, p in TABLES.values()], now=TODAY))
    assert made is not None, question
    return made


def last(question: str) -> Any:
    """Return what a request ends with; every word of it must have been understood."""
    made = ask(question)
    assert not made.unread
    finished = run_workflow(made.workflow, lambda uid: TABLES[uid][0])
    assert not finished.failed, finished.failed
    return finished.done[-1].output


def rows_of(shown: Any) -> list[list[Any]]:
    """Return the rows of a table, or the bars of a chart."""
    if isinstance(shown, OutputSheet):
        return [list(r) for r in shown.table.rows(0, 100)]
    assert isinstance(shown, Chart)
    trace = shown.figure["data"][0]
    pairs = (
        (trace["labels"], trace["values"]) if trace["type"] == "pie" else (trace["x"], trace["y"])
    )
    return [list(p) for p in zip(*pairs, strict=True)]


def told(series: pd.Series) -> list[list[Any]]:
    """Return a series of pandas as rows."""
    return [[k, pytest.approx(v)] for k, v in series.items()]


BY_DISTRICT = YEAR.groupby("district").parcels.sum().sort_values(ascending=False)


@pytest.mark.parametrize(
    "question",
    [
        "Parcels by district in 2024, largest first, as a bar chart",
        "2024年各district的parcels合计，从大到小，柱状图",
        "Pie chart of the total parcels of 2024 per district",
    ],
)
def test_sums_go_by_a_column_of_another_table(question: str) -> None:
    assert rows_of(last(question)) == told(BY_DISTRICT)


def test_a_ratio_is_made_of_the_sums() -> None:
    sums = YEAR.groupby("depot_name")[["damaged", "parcels"]].sum()
    truth = (100 * sums.damaged / sums.parcels).sort_values(ascending=False).head(2)
    got = rows_of(
        last(
            "Which 2 depots had the highest share of damage (damaged divided by parcels, in"
            " percent) in 2024?"
        )
    )
    assert got == told(truth)


def test_a_moving_average_knows_the_months_before_its_range() -> None:
    own = (
        FRAME[FRAME.depot_name == "Corwen"].groupby(pd.Grouper(key="day", freq="ME")).parcels.sum()
    )
    truth = own.rolling(3).mean()["2025-01":].tolist()
    chart = last(
        "3-month moving average of Corwen's monthly parcels from January 2025 to June 2025"
    )
    assert chart.figure["data"][0]["y"] == pytest.approx(truth)


def test_a_change_is_against_the_year_before() -> None:
    own = FRAME.groupby(pd.Grouper(key="day", freq="QE")).parcels.sum()
    truth = (100 * own.pct_change(4))["2024":"2024"].tolist()
    chart = last("Year-on-year change of parcels for each quarter of 2024, line chart")
    assert chart.figure["data"][0]["y"] == pytest.approx(truth)


def test_rows_and_columns_are_as_they_are_asked_for() -> None:
    truth = YEAR.pivot_table(
        index="district", columns=YEAR.day.dt.quarter, values="parcels", aggfunc="sum"
    )
    got = {
        r[0]: r[1:]
        for r in rows_of(
            last("Cross-tab of parcels in 2024: districts as rows, the four quarters as columns")
        )
    }
    assert got == {k: list(v) for k, v in zip(truth.index, truth.to_numpy().tolist(), strict=True)}


def test_growth_is_from_one_period_to_the_other() -> None:
    sums = FRAME.groupby(["depot_name", FRAME.day.dt.year]).parcels.sum().unstack()
    truth = (100 * (sums[2024] / sums[2023] - 1)).sort_values(ascending=False)
    got = rows_of(last("By how many percent did each depot's parcels grow from 2023 to 2024?"))
    assert got == told(truth)


def test_one_is_set_against_another() -> None:
    wide = YEAR.pivot_table(index="day", columns="depot_name", values="parcels", aggfunc="sum")
    chart = last("Alderby's parcels minus Dunmore's parcels, day by day in 2024")
    assert chart.figure["data"][0]["y"] == pytest.approx((wide.Alderby - wide.Dunmore).tolist())


def test_a_correlation_goes_over_the_things_of_a_joined_table() -> None:
    sums = YEAR.groupby(["depot_name", "docks"]).parcels.sum().reset_index()
    value = last("Correlation between docks and total 2024 parcels across the depots")
    assert isinstance(value, OutputValue)
    assert value.value == pytest.approx(sums.docks.corr(sums.parcels))


def test_rows_are_counted_under_a_condition() -> None:
    own = YEAR[(YEAR.depot_name == "Brackwell") & (YEAR.parcels > 60)]
    value = last("How many days in 2024 did Brackwell have parcels above 60?")
    assert isinstance(value, OutputValue)
    assert value.value == len(own)


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Parcels per driver by district in 2024, bar chart", "driver"),
        ("Monthly parcels of Eastham in 2024 with a 3-month moving average", "eastham"),
        ("2024年各district的湿度合计和parcels合计，柱状图", "湿度"),
    ],
)
def test_what_no_table_knows_is_asked_back(question: str, word: str) -> None:
    made = ask(question)
    assert word in made.unread
    assert made.asks


def test_all_of_a_kind_told_together_make_one_best_day() -> None:
    own = YEAR.groupby("day").parcels.sum()
    shown = rows_of(last("Adding all depots together, which day of 2024 had the most parcels?"))
    assert [str(shown[0][0])[:10], shown[0][1]] == [
        f"{own.idxmax():%Y-%m-%d}",
        pytest.approx(own.max()),
    ]


def test_a_change_of_months_is_not_one_of_days() -> None:
    own = (
        FRAME[FRAME.depot_name == "Corwen"].groupby(pd.Grouper(key="day", freq="ME")).parcels.sum()
    )
    chart = last("Corwen的parcels在2024年2月到12月的环比增速")
    assert chart.figure["data"][0]["y"] == pytest.approx(
        (100 * own.pct_change())["2024-02":"2024-12"].tolist()
    )


def test_several_statistics_stand_beside_each_other() -> None:
    truth = YEAR.groupby("depot_name").parcels.agg(["mean", "max"])
    got = {row[0]: row[1:] for row in rows_of(last("各depot在2024年的parcels平均值和最大值，列表"))}
    assert got == {
        name: [pytest.approx(v) for v in row]
        for name, row in zip(truth.index, truth.to_numpy(), strict=True)
    }


def test_from_the_first_to_the_last_is_all_there_is() -> None:
    own = FRAME.groupby(["depot_name", pd.Grouper(key="day", freq="ME")]).parcels.sum().unstack()
    truth = (100 * (own.iloc[:, -1] / own.iloc[:, 0] - 1)).sort_values(ascending=False)
    got = rows_of(
        last("By how many percent did each depot's parcels grow from the first to the last month?")
    )
    assert {k: v for k, v in got} == pytest.approx(truth.to_dict())
