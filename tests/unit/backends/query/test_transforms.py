"""Questions of how a number runs in time, of shares and growth of groups, and of two tables, read
as queries and computed, against pandas.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import pandas as pd
import pytest

from backends.data.compiler import query_sources, run_query
from backends.data.errors import KernelError
from backends.data.profile import profile
from backends.data.query import Call, Column, Item, Query, Value
from backends.data.table import Table, table_from_rows
from backends.data.values import Profile, Result
from backends.query.candidate import Candidate
from backends.query.decide import decide
from backends.query.describe import describe
from backends.query.normal import normal
from backends.query.parser import parse

TODAY = dt.date(2025, 7, 10)
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
FIRST = dt.date(2025, 1, 1)
PRICES = [
    {"day": str(FIRST + dt.timedelta(days=n)), "share": share, "close": 100.0 + n % 7 + k * n / 4}
    for n in range(190)
    for k, share in enumerate(("Ostara", "Brimble"))
]
SHARES = pd.DataFrame(PRICES).pivot_table(index="day", columns="share", values="close")
TABLES: dict[str, tuple[Table, Profile]] = {}
for name, title, rows in (
    ("loads", "Depot loads", LOADS),
    ("depots", "Depots", DEPOTS),
    ("prices", "Share prices", PRICES),
):
    opened = table_from_rows(rows, source=name, hash_=name)
    TABLES[name] = (opened, profile(opened, title))


def asked(question: str, *names: str) -> Candidate:
    """Return the likeliest reading; nothing of the question may be left unread."""
    profiles = [TABLES[n][1] for n in names]
    candidates = parse(question, profiles, today=TODAY)
    assert decide(candidates, None).decision in ("answer", "confirm"), question
    assert not candidates[0].unread
    return candidates[0]


def computed(question: str, *names: str) -> Result:
    return run_query(asked(question, *names).query, {name: t for name, (t, _) in TABLES.items()})


def pairs(question: str, *names: str) -> dict[Any, Any]:
    """Return the last column of a result by its first."""
    return {row[0]: row[-1] for row in computed(question, *names).rows}


BOTH = ("loads", "depots")
BY_DISTRICT = YEAR.groupby("district").parcels.sum().sort_values(ascending=False).to_dict()


@pytest.mark.parametrize(
    "question",
    [
        "Parcels by district in 2024, largest first, as a bar chart",
        "2024年各district的parcels合计，从大到小，柱状图",
        "Pie chart of the total parcels of 2024 per district",
    ],
)
def test_sums_go_by_a_column_of_another_table_and_cite_their_own(question: str) -> None:
    result = computed(question, *BOTH)
    assert {row[0]: row[1] for row in result.rows} == BY_DISTRICT
    assert result.source == "loads"
    cell = result.cells[0]
    assert cell.value == LOADS[cell.row][cell.column]
    if "Pie" not in question:
        assert [row[0] for row in result.rows] == list(BY_DISTRICT)


def test_a_query_of_two_tables_names_both_and_one_of_one_table_only_that() -> None:
    assert query_sources(asked("total parcels by district", *BOTH).query) == ["loads", "depots"]
    assert query_sources(asked("total parcels in 2024", *BOTH).query) == ["loads"]


def test_rows_are_counted_under_a_condition_of_each_table() -> None:
    own = YEAR[(YEAR.depot_name == "Brackwell") & (YEAR.parcels > 60)]
    question = "How many days in 2024 did Brackwell have parcels above 60?"
    assert computed(question, *BOTH).value == len(own)


def test_a_correlation_is_of_the_numbers_of_each_group() -> None:
    sums = YEAR.groupby(["depot_name", "docks"]).parcels.sum().reset_index()
    question = "Correlation between docks and total 2024 parcels across the depots"
    assert computed(question, *BOTH).value == pytest.approx(sums.docks.corr(sums.parcels))


MONTHLY = FRAME.groupby([FRAME.depot_name, pd.Grouper(key="day", freq="MS")]).parcels.sum()


@pytest.mark.parametrize(
    "question",
    [
        "3-month moving average of Corwen's monthly parcels from January 2025 to June 2025",
        "Corwen的parcels在2025年1月到6月的3个月移动平均线",
        "Corwenのparcelsの2025年1月から6月までの3か月移動平均",
    ],
)
def test_a_moving_average_knows_the_months_before_its_range(question: str) -> None:
    truth = MONTHLY["Corwen"].rolling(3).mean()["2025-01":]  # type: ignore[misc]
    assert list(pairs(question, *BOTH).values()) == pytest.approx(truth.tolist())


def test_a_moving_average_begins_where_its_window_is_whole() -> None:
    values = list(pairs("3-month moving average of monthly parcels", "loads").values())
    truth = FRAME.groupby(pd.Grouper(key="day", freq="MS")).parcels.sum().rolling(3).mean()
    assert values[:2] == [None, None]
    assert values[2:] == pytest.approx(truth.tolist()[2:])


@pytest.mark.parametrize(
    "question",
    [
        "Year-on-year change of parcels for each quarter of 2024, line chart",
        "2024年每季度parcels的同比折线图",
    ],
)
def test_a_change_is_against_the_year_before(question: str) -> None:
    own = FRAME.groupby(pd.Grouper(key="day", freq="QS")).parcels.sum()
    truth = (100 * own.pct_change(4))["2024":"2024"]  # type: ignore[misc]
    assert list(pairs(question, "loads").values()) == pytest.approx(truth.tolist())


def test_a_change_of_months_is_not_one_of_days() -> None:
    truth = (100 * MONTHLY["Corwen"].pct_change())["2024-02":"2024-12"]  # type: ignore[misc]
    found = pairs("Corwen的parcels在2024年2月到12月的环比增速", *BOTH)
    assert list(found.values()) == pytest.approx(truth.tolist())


def test_a_month_after_a_gap_has_no_change() -> None:
    rows = [r for r in LOADS if not str(r["day"]).startswith("2024-03")]
    opened = table_from_rows(rows, source="gap", hash_="gap")
    best = parse(
        "month-on-month change of parcels by month in 2024, line chart",
        [profile(opened, "Loads")],
        today=TODAY,
    )[0]
    found = {str(r[0])[:7]: r[-1] for r in run_query(best.query, {"gap": opened}).rows}
    assert found["2024-04"] is None
    assert found["2024-05"] is not None


def test_growth_is_from_one_year_to_the_other() -> None:
    sums = FRAME.groupby(["depot_id", FRAME.day.dt.year]).parcels.sum().unstack()
    truth = (100 * (sums[2024] / sums[2023] - 1)).to_dict()
    question = "By how many percent did each depot's parcels grow from 2023 to 2024?"
    assert pairs(question, *BOTH) == pytest.approx(truth)
    whole = FRAME.groupby(FRAME.day.dt.year).parcels.sum()
    question = "By how many percent did parcels grow from 2023 to 2024?"
    assert computed(question, "loads").value == pytest.approx(100 * (whole[2024] / whole[2023] - 1))


def test_one_is_set_against_another_day_by_day() -> None:
    wide = YEAR.pivot_table(index="day", columns="depot_name", values="parcels", aggfunc="sum")
    found = pairs("Alderby's parcels minus Dunmore's parcels, day by day in 2024", *BOTH)
    assert list(found.values()) == pytest.approx((wide.Alderby - wide.Dunmore).tolist())


def test_a_running_total_begins_where_the_days_do() -> None:
    truth = YEAR.groupby("day").parcels.sum().cumsum().tolist()
    assert list(pairs("running total of parcels in 2024", "loads").values()) == truth


def test_each_share_in_the_whole_is_told() -> None:
    sums = FRAME.groupby("district").parcels.sum()
    found = pairs("Share of each district in the total parcels, highest first, as bars", *BOTH)
    assert found == pytest.approx((100 * sums / sums.sum()).to_dict())


@pytest.mark.parametrize(
    "question",
    [
        "Show the cumulative returns of Ostara and Brimble from 2025-02-01 to 2025-03-31",
        "画一下Ostara和Brimble从2025-02-01到2025-03-31的累计收益率",
        "OstaraとBrimbleの2025年2月1日から3月31日までの累積収益率の折れ線グラフ",
    ],
)
def test_a_return_is_counted_from_the_first_day(question: str) -> None:
    own = SHARES["2025-02-01":"2025-03-31"]  # type: ignore[misc]
    truth = 100 * (own / own.iloc[0] - 1)
    for day, share, value in computed(question, "prices").rows:
        assert value == pytest.approx(truth[str(share)][str(day)])


@pytest.mark.parametrize("question", ["Rank the shares by return", "每个share的收益率排名"])
def test_names_are_ranked_by_return(question: str) -> None:
    truth = (100 * (SHARES.iloc[-1] / SHARES.iloc[0] - 1)).sort_values(ascending=False)
    assert computed(question, "prices").rows == [
        [name, pytest.approx(value)] for name, value in truth.items()
    ]


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("Forecast the close of Ostara for the next 5 days", 5),
        ("Ostara的close：预测未来5天", 5),
        ("今後5日間のOstaraのcloseを予測", 5),
        ("Forecast the next 3 values of the close of Ostara", 3),
    ],
)
def test_a_forecast_goes_on_behind_the_last_day(question: str, days: int) -> None:
    result = computed(question, "prices")
    last = FIRST + dt.timedelta(days=189)
    assert [row[0] for row in result.rows] == [
        str(last + dt.timedelta(days=n + 1)) for n in range(days)
    ]
    assert result.columns[1:] == ["forecast", "low", "high", "naive"]
    for _, *numbers in result.rows:
        value, low, high, _ = (float(str(number)) for number in numbers)
        assert low <= value <= high
    assert result.cells[0].column == "close"


def test_a_forecast_of_days_without_a_rhythm_is_one_of_months() -> None:
    result = computed("Forecast the total parcels for the next 4 months", "loads")
    assert [row[0] for row in result.rows] == [f"2025-{m:02}-01" for m in (7, 8, 9, 10)]


def test_a_forecast_needs_values() -> None:
    query = asked("Forecast the close of Ostara for the next 2 days in 2025", "prices").query
    few = table_from_rows(PRICES[:6], source="prices", hash_="few")
    with pytest.raises(KernelError, match="A forecast needs 6 values"):
        run_query(query, {"prices": few})


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Parcels per driver by district in 2024, bar chart", "driver"),
        ("Monthly parcels of Eastham in 2024 with a 3-month moving average", "Eastham"),
        ("moving average of the close of Ostara", "moving average"),  # of how many days?
    ],
)
def test_what_no_table_knows_is_not_answered_without_a_flag(question: str, word: str) -> None:
    candidates = parse(question, [p for _, p in TABLES.values()], today=TODAY)
    assert decide(candidates, None).decision != "answer"
    assert word in candidates[0].unread


@pytest.mark.parametrize(
    "question",
    [
        "3-month moving average of monthly parcels from January 2025 to June 2025",
        "Year-on-year change of parcels for each quarter of 2024, line chart",
        "Forecast the parcels for the next 4 months",
        "running total of parcels in 2024",
    ],
)
def test_a_transform_is_told_in_each_language_and_survives_the_wire(question: str) -> None:
    query = asked(question, "loads").query
    assert Query.model_validate_json(query.model_dump_json(exclude_defaults=True)) == query
    assert normal(normal(query)) == normal(query)
    told = {" ".join(describe(query, language)) for language in ("en", "zh", "ja")}
    assert len(told) == 3


def test_a_number_that_is_computed_under_its_own_name_is_told() -> None:
    close = Column(name="close")
    grown = Call(name="*", args=(close, Value(value=100)))
    held = Query(source="prices", items=(Item(expression=grown, name="close"),))
    told = describe(Query(source=held, items=(Item(expression=close),)), "en")
    assert told[0] == describe(held, "en")[0]
