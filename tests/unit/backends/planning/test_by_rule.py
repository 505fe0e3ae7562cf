"""What people call columns by rule: prices, growth, flows, ranks, in tables whose columns have
names of their own.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import pytest

from backends.data.profile import profile
from backends.data.table import table_from_rows
from backends.planning import plan
from backends.planning.plan import columns_said

if TYPE_CHECKING:
    from backends.data.values import Profile
    from backends.planning import Plan

NOW = dt.datetime(2024, 7, 1, 12)
DAYS = [(dt.date(2024, 1, 1) + dt.timedelta(n)).isoformat() for n in range(180)]


def profiled(name: str, rows: list[dict[str, Any]]) -> Profile:
    return profile(table_from_rows(rows, source=name, hash_=name), name)


@pytest.fixture(scope="module")
def prices() -> Profile:
    candles = ("开盘价", "最高价", "最低价", "收盘价")
    return profiled(
        "日线",
        [
            {"日期": day, "股票名称": name, **{c: i + n + k / 10 for k, c in enumerate(candles)}}
            for n, day in enumerate(DAYS)
            for i, name in enumerate(("比亚迪", "五粮液", "贵州茅台", "宁德时代"))
        ],
    )


@pytest.fixture(scope="module")
def flows() -> Profile:
    return profiled(
        "北向资金", [{"日期": day, "净流入": n % 7 - 3.5} for n, day in enumerate(DAYS)]
    )


@pytest.fixture(scope="module")
def growth() -> Profile:
    quarters = [
        f"{y}-{end}" for y in range(2010, 2024) for end in ("03-31", "06-30", "09-30", "12-31")
    ]
    return profiled(
        "国内生产总值", [{"季度": q, "GDP同比": n % 5 + 4.5} for n, q in enumerate(quarters)]
    )


def planned(question: str, *profiles: Profile) -> Plan:
    made = plan(question, list(profiles), now=NOW)
    assert made is not None
    return made


def test_the_price_of_a_share_is_its_close(prices: Profile) -> None:
    assert columns_said("比亚迪的股价走势", [prices]) == "比亚迪的收盘价走势"
    made = planned("画一下比亚迪2024年1月到2024年3月的股价走势", prices)
    assert made.intent.metrics == ["收盘价"]


def test_growth_is_the_column_that_holds_it_and_is_forecast(
    growth: Profile, prices: Profile
) -> None:
    assert columns_said("GDP增速是多少", [growth]) == "GDP同比是多少"
    assert columns_said("gdp的同比增长率", [growth]) == "GDP同比"
    assert columns_said("收盘价的增速", [growth, prices]) == "收盘价的增速"
    made = planned("预测未来4个季度的GDP增速", growth, prices)
    assert not made.asks
    assert [s.interface for s in made.workflow.steps][-2:] == ["forecast", "show_table"]
    assert made.workflow.steps[-2].arguments["steps"] == 4


@pytest.mark.parametrize(
    "question",
    [
        "2024年1月1日到3月31日北向资金每日净流入和累计净流入",
        "2024年第一季度北向资金每日净流入的柱状图和累计净流入的折线图",
    ],
)
def test_a_flow_of_each_day_stands_beside_its_sum(
    question: str, flows: Profile, growth: Profile
) -> None:
    made = planned(question, flows, growth)
    assert not made.asks
    assert made.workflow.steps[0].arguments["start"] == "2024-01-01"
    assert made.workflow.steps[0].arguments["end"] == "2024-03-31"
    assert [s.interface for s in made.workflow.steps] == [
        "read_series",
        "cumulate",
        "bar",
        "line",
        "overlay",
    ]


def test_a_running_sum_alone_is_one_line(flows: Profile, growth: Profile) -> None:
    made = planned("画出2024年北向资金的累计净流入", flows, growth)
    assert "bar" not in [s.interface for s in made.workflow.steps]


@pytest.mark.parametrize(
    "question",
    ["2024年收益率最高的3只股票,画柱状图", "Top 3 股票 by return in 2024 as a bar chart"],
)
def test_the_highest_are_no_column_of_highs(
    question: str, prices: Profile, growth: Profile
) -> None:
    made = planned(question, prices, growth)
    assert not made.unread
    ranked = next(s for s in made.workflow.steps if s.interface == "rank")
    assert (ranked.arguments["by"], ranked.arguments["n"]) == ("growth %", 3)
    assert made.workflow.steps[0].arguments["columns"][-1] == "收盘价"


def test_members_of_somebody_are_counted_though_a_list_of_them_has_a_day_each(
    prices: Profile,
) -> None:
    rows = [
        {"manager": "Ann Becker", "fund": "Harbor Growth", "since": "2018-04-01"},
        {"manager": "Ann Becker", "fund": "Granite Income", "since": "2019-09-01"},
        {"manager": "Kenji Mori", "fund": "Lotus Value", "since": "2017-01-15"},
    ]
    made = planned("How many funds does Ann Becker manage?", prices, profiled("managers", rows))
    assert "None" not in made.workflow.model_dump_json()
    assert not made.asks
    assert [s.interface for s in made.workflow.steps][:2] == ["read_constituents", "combine"]


def test_mean_and_median_over_a_year_are_of_all_its_days(prices: Profile) -> None:
    sectors = profiled(
        "sectors",
        [
            {"sector": "白酒", "股票名称": "五粮液"},
            {"sector": "白酒", "股票名称": "贵州茅台"},
            {"sector": "电池", "股票名称": "宁德时代"},
        ],
    )
    made = planned("2024年白酒所有成分股收盘价的均值和中位数", prices, sectors)
    reads = [s for s in made.workflow.steps if s.interface == "read_series"]
    assert [s.arguments["start"] for s in reads] == ["2024-01-01"]
    assert "read_cross_section" not in [s.interface for s in made.workflow.steps]


@pytest.mark.parametrize(
    "question",
    [
        "Forecast the GDP同比 for the next 4 quarters and save the table to /home/ann/gdp.csv",
        "Forecast the GDP同比 for the next 4 quarters and save it as gdp_forecast.csv",
        "预测未来4个季度的GDP增速，并保存到C:\\t\\gdp.csv",
    ],
)
def test_a_place_that_was_written_is_no_word_of_the_data(
    question: str, growth: Profile, prices: Profile
) -> None:
    made = planned(question, growth, prices)
    assert not made.asks
    assert made.workflow.steps[-1].arguments["save"] is True
