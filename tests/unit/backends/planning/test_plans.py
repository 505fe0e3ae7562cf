"""The 25 examples of Data-Copilot's planning, and the request its prompt ends with: run, and
compared with pandas.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from backends.data.workflow.step import (
    Chart,
    OutputFrame,
    OutputSheet,
    OutputValue,
)
from backends.planning.text import getting
from tests.finance.tables import made as tables
from tests.unit.backends.planning.conftest import Ask, Work

pytestmark = pytest.mark.slow

Lines = dict[str, list[float]]


def named(table: str, name: str, column: str, first: str, last: str) -> list[float]:
    """Return a column of one name in a range of days."""
    frame = tables()[table]
    day, key = (
        next(c for c in frame if c.endswith("date")),
        next(c for c in frame if c.endswith("_name")),
    )
    return (
        frame[(frame[key] == name) & frame[day].between(first, last)]
        .sort_values(day)[column]
        .tolist()
    )


def earned(prices: list[float]) -> list[float]:
    """Return cumulative returns in percent."""
    return [100 * (p / prices[0] - 1) for p in prices]


def total(table: str, column: str, names: list[str], first: str, last: str) -> Lines:
    """Return what each earned, the most first."""
    made = {n: earned(named(table, n, column, first, last))[-1] for n in names}
    return {n: [v] for n, v in sorted(made.items(), key=lambda i: -i[1])}


def reported(column: str, names: list[str], day: str) -> Lines:
    """Return a column of a report for each, the most first."""
    frame = tables()["finance"]
    own = frame[(frame.end_date == day) & frame.stock_name.isin(names)].sort_values(
        column, ascending=False
    )
    return {n: [v] for n, v in zip(own.stock_name, own[column], strict=True)}


def members(group: str, day: str) -> list[str]:
    """Return the members of a group on a day."""
    frame = tables()["index_members"]
    own = frame[(frame.group_name == group) & (frame.list_date <= day)]
    return own[own.list_date == own.list_date.max()].member_name.tolist()


def periods(table: str, column: str, first: str, last: str) -> list[float]:
    """Return a column of quarters or months that end in a range."""
    frame = tables()[table]
    ends = (
        pd.PeriodIndex(frame.iloc[:, 0], freq="Q" if table == "gdp" else "M")
        .to_timestamp(how="end")
        .strftime("%Y-%m-%d")
    )
    return frame[(ends >= first) & (ends <= last)][column].tolist()


def flow(first: str, last: str) -> Lines:
    """Return what flowed in each day, and its running sum."""
    frame = tables()["money_flow"]
    own = frame[frame.trade_date.between(first, last)].north_money
    return {"north_money": own.tolist(), "cumulative north_money": own.cumsum().tolist()}


FIRST, LAST = "2018-05-23", "2021-05-23"
INDICES = ("沪深300", "创业板指", "中证1000")
BANKS = ("成都银行", "杭州银行", "宁波银行")
# request | what kinds of traces are drawn | what they show
CHARTS: list[tuple[str, set[str], Callable[[], Lines]]] = [
    ("请帮我绘制贵州茅台的2018年1月23日到2019年03月13日的收盘价的走势图", {"scatter"}, lambda: {"贵州茅台": named("stock_daily", "贵州茅台", "close", "2018-01-23", "2019-03-13")}),
    ("画一下五粮液和泸州老窖从2019年01月1日到2022年06月30日的累积收益率走势来比较两只股票这段时间收益率差异", {"scatter"}, lambda: {n: earned(named("stock_daily", n, "close", "2019-01-01", "2022-06-30")) for n in ("五粮液", "泸州老窖")}),
    ("申万二级行业城商行Ⅱ里所有成分股近三个月的收益率分布情况", {"bar"}, lambda: total("stock_daily", "close", members("城商行Ⅱ", "2023-08-25"), "2023-05-25", "2023-08-25")),
    ("我想看看中国2013年5月到2023年05月gdp的走势", {"scatter"}, lambda: {"gdp_yoy": periods("gdp", "gdp_yoy", "2013-05-01", "2023-05-31")}),
    ("绘图展示下沪深300,创业板指,中证1000指数从2023年01月01日到2023年05月10日期间的收益率走势图", {"scatter"}, lambda: {n: earned(named("index_daily", n, "close", "2023-01-01", "2023-05-10")) for n in INDICES}),
    ("展示上证50的每只成分股从2022年05月15日到2023年05月15日期间的各自的收益率分布", {"bar"}, lambda: total("stock_daily", "close", members("上证50", "2023-05-15"), "2022-05-15", "2023-05-15")),
    ("从2023年01月1日到2023年05月15日北上资金的净流入情况", {"bar", "scatter"}, lambda: flow("2023-01-01", "2023-05-15")),
    ("展示下2012年7月11日到2022年7月11日的中国每月的cpi同比变化", {"scatter"}, lambda: {"cpi_yoy": periods("cpi_ppi_money", "cpi_yoy", "2012-07-11", "2022-07-11")}),
    ("展示下从2012年7月11日到2022年7月11日的中国每季度的GDP增速同比,并将数据表格打印保存", {"scatter"}, lambda: {"gdp_yoy": periods("gdp", "gdp_yoy", "2012-07-11", "2022-07-11")}),
    ("查询基金净值,展示下从2020年1月11日到2023年1月11日期间华商优势行业的基金净值曲线", {"scatter"}, lambda: {"华商优势行业": named("fund_nav", "华商优势行业", "nav", "2020-01-11", "2023-01-11")}),
    ("查询多只基金,展示周海栋旗下管理的所有基金从2023年1月1日到2023年5月3日期间的收益率截面数据", {"bar"}, lambda: total("fund_nav", "nav", ["华商优势行业", "华商新趋势优选"], "2023-01-01", "2023-05-03")),
    ("查询多只基金收益率走势,展示华商优势行业和易方达蓝筹精选从2023年1月1日到2023年5月16日的累计收益率对比走势图", {"scatter"}, lambda: {n: earned(named("fund_nav", n, "nav", "2023-01-01", "2023-05-16")) for n in ("华商优势行业", "易方达蓝筹精选")}),
    ("绘图展示中国平安和贵州茅台从2011年5月23日到2021年5月23日期间的净资产回报率(roe)", {"scatter"}, lambda: {n: named("finance", n, "roe", "2011-05-23", LAST) for n in ("中国平安", "贵州茅台")}),
    ("展示成都银行、杭州银行和宁波银行从2020年5月16日到2023年5月16日的财务指标每年的归母净利润增幅", {"scatter"}, lambda: {n: named("finance", n, "netprofit_yoy", "2020-05-16", "2023-05-16") for n in BANKS}),
    ("展示上证50的所有成分股的一季报(2023年03月31日)的财务指标归母净利润增速同比(netprofit_yoy)的分布", {"bar"}, lambda: reported("netprofit_yoy", members("上证50", "2023-03-31"), "2023-03-31")),
    ("展示并计算上证50的所有成分股的年报(2022年12月31日)的财务指标净资产回报率(roe)的中位数和均值", {"bar"}, lambda: reported("roe", members("上证50", "2022-12-31"), "2022-12-31")),
    ("展示宁德时代和贵州茅台从2018年5月23日到2021年5月23日的技术指标市盈率估值(pe-ttm)估值走势", {"scatter"}, lambda: {n: named("stock_daily", n, "pe_ttm", FIRST, LAST) for n in ("宁德时代", "贵州茅台")}),
]  # fmt: skip


@pytest.mark.parametrize(("request_", "kinds", "wanted"), CHARTS, ids=[c[0][:24] for c in CHARTS])
def test_a_chart_shows_what_pandas_computes(
    ask: Ask, work: Work, request_: str, kinds: set[str], wanted: Callable[[], Lines]
) -> None:
    made = ask(request_)
    assert [task.kind for task in made.workflow.tasks] == ["acquisition", "visualization"]
    charts = [d.output for d in work(made).done if isinstance(d.output, Chart)]
    traces = charts[-1].figure["data"]
    assert {t["type"] for t in traces} == kinds
    truth = wanted()
    if kinds == {"bar"}:
        assert list(traces[0]["x"]) == list(truth)
        assert traces[0]["y"] == pytest.approx([v[0] for v in truth.values()])
        return
    drawn = {t["name"]: t["y"] for t in traces}
    assert drawn.keys() == truth.keys()
    for name, values in truth.items():
        assert len(values) > 5
        assert drawn[name] == pytest.approx(values)


def sheets(ask: Ask, work: Work, request: str, today: str = "2023-08-25") -> list[list[Any]]:
    """Return the rows of the table a request ends with."""
    sheet = work(ask(request, today)).done[-1].output
    assert isinstance(sheet, OutputSheet)
    return [list(row) for row in sheet.table.rows(0, 100)]


def test_funds_of_a_manager_are_counted(ask: Ask, work: Work) -> None:
    made = work(ask("2023年5月10日,易方达旗下的那个名叫张坤的基金经理他管理的基金有几只"))
    assert [d.output.value for d in made.done if isinstance(d.output, OutputValue)] == [2]


def test_funds_of_a_manager_are_listed(ask: Ask, work: Work) -> None:
    rows = sheets(
        ask, work, "查询基金经理,展示下2023年01月23日工银瑞信公司的基金经理杜洋最新管理的基金名称"
    )
    assert rows == [["工银战略转型"], ["工银新金融"]]


def test_one_number_of_a_report_is_told(ask: Ask, work: Work) -> None:
    made = work(ask("2023年01月01日到2023年03月30日贵州茅台的净资产收益率是多少"))
    assert isinstance(made.done[-1].output, OutputValue)
    assert made.done[-1].output.value == reported("roe", ["贵州茅台"], "2023-03-31")["贵州茅台"][0]


@pytest.mark.parametrize(
    ("request_", "name", "first", "last", "pane"),
    [
        ("我想看看2022年05月10日到2023年5月10的天坛生物的K线图和macd指标", "天坛生物", "2022-05-10", "2023-05-10", "macd"),
        ("2020年01月10日到2020年2月10期间杭州银行的K线图和cci指标", "杭州银行", "2020-01-10", "2020-02-10", "cci"),
    ],
)  # fmt: skip
def test_candles_stand_above_their_indicator(
    ask: Ask, work: Work, request_: str, name: str, first: str, last: str, pane: str
) -> None:
    chart = work(ask(request_)).done[-1].output
    assert isinstance(chart, Chart)
    candle = chart.figure["data"][0]
    assert candle["type"] == "candlestick"
    assert candle["close"] == named("stock_daily", name, "close", first, last)
    assert pane in [t["name"] for t in chart.figure["data"]]


def test_the_latest_news_are_those_until_now(ask: Ask, work: Work) -> None:
    rows = sheets(ask, work, "滚动展示财经网站上当前的最新的财经新闻和市场动态", "2022-07-12")
    news = tables()["news"]
    assert [r[0] for r in rows] == news[news.time <= "2022-07-12 23:59"].time.tolist()[::-1][:20]


def test_a_company_is_introduced(ask: Ask, work: Work) -> None:
    assert (
        sheets(ask, work, "简要文字介绍下上市公司贵州茅台和其主营业务")[0][2]
        == "贵州茅台的主营业务"
    )


def test_mean_and_median_are_computed_only_where_they_are_asked_for(ask: Ask, work: Work) -> None:
    finished = work(
        ask(
            "展示并计算上证50的所有成分股的年报(2022年12月31日)的财务指标净资产回报率(roe)的中位数和均值"
        )
    )
    values = pd.Series(
        [v[0] for v in reported("roe", members("上证50", "2022-12-31"), "2022-12-31").values()]
    )
    sheet = finished.done[-1].output
    assert isinstance(sheet, OutputSheet)
    assert sheet.table.rows(0, 2) == [
        (pytest.approx(values.mean()), pytest.approx(values.median()))
    ]
    for request, *_ in CHARTS:
        wanted = "中位数" in request
        assert any(s.interface == "mean_median" for s in ask(request).workflow.steps) is wanted


@pytest.mark.parametrize(
    ("request_", "today", "last", "steps"),
    [
        ("展示基于20000101日到20210523日(今日)中国每个季度的GDP增速的数据预测未来12个季度的数据并打印表格", "2021-05-23", "2021-03-31", 12),
        ("预测中国从2023年3月31日开始4个季度的GDP增长率", "2023-08-25", "2023-03-31", 4),
    ],
)  # fmt: skip
def test_a_forecast_begins_with_the_series_and_is_only_a_table(
    ask: Ask, work: Work, request_: str, today: str, last: str, steps: int
) -> None:
    finished = work(ask(request_, today))
    read, table = finished.done[0].output, finished.done[-1].output
    assert isinstance(read, OutputFrame)
    assert isinstance(table, OutputSheet)
    assert read.table.rows(0, 1)[0][0] == "2000-03-31"
    assert read.table.rows(read.table.count() - 1, 1)[0][0] == last
    assert table.table.count() == steps
    assert not [d for d in finished.done if isinstance(d.output, Chart)]


def test_a_table_is_saved_only_where_that_is_asked_for(ask: Ask) -> None:
    made = ask("展示下从2012年7月11日到2022年7月11日的中国每季度的GDP增速同比,并将数据表格打印保存")
    assert made.workflow.steps[-1].arguments["save"] is True
    assert not any(
        s.arguments.get("save")
        for s in ask("滚动展示财经网站上当前的最新的财经新闻和市场动态").workflow.steps
    )


def test_a_name_that_ends_with_a_number_stands_apart_from_the_day() -> None:
    assert (
        getting("收益率", ["沪深300", "中证1000"], ("2023-01-01", "2023-05-10"), [], "zh")
        == "依次获取沪深300、中证1000 2023-01-01到2023-05-10的收益率"
    )
    assert "茅台2023-01-01到" in getting("收益率", ["茅台"], ("2023-01-01", "2023-05-10"), [], "zh")
