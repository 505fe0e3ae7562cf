"""The 29 examples of Data-Copilot's intent analysis, and the request its prompt ends with.

Three of them contradict their own day (they were asked on 2021-05-23 and answered for 2023): the
right days stand here.
"""

from __future__ import annotations

import pytest

from tests.unit.backends.planning.conftest import Ask, Work

pytestmark = pytest.mark.slow

LINE, BARS, TABLE = ["line"], ["bar"], ["show_table"]
RETURNS = ["returns", "line"]
EACH = ["read_constituents", "loop_rank", "bar"]
FLOW = ["cumulate", "bar", "line", "overlay"]
MEMBER = ["read_constituents", "read_cross_section", "rename", "merge", "select", "rank", "bar"]

# today | request | first and last day | who or what | columns | how shown | interfaces behind the
# reading of rows
INTENTS = [
    ("2019-03-13", "请帮我绘制贵州茅台的2018年1月23日到今天的股价走势图", "2018-01-23 2019-03-13", ["贵州茅台"], ["close"], "chart", LINE),
    ("2019-03-13", "我想看中证500和科创50今年的指数走势", "2019-01-01 2019-03-13", ["中证500", "科创50"], ["close"], "chart", LINE),
    ("2023-05-13", "画一下五粮液和泸州老窖从2019年年初到2022年年中的收益率走势", "2019-01-01 2022-06-30", ["五粮液", "泸州老窖"], ["close"], "chart", RETURNS),
    ("2023-05-13", "画一下格力电器从2019年年初到2022年年中的收益率", "2019-01-01 2022-06-30", ["格力电器"], ["close"], "chart", RETURNS),
    ("2023-05-13", "比较洋河集团和泸州老窖从2019年年初到2022年年中的收益率是怎么样的", "2019-01-01 2022-06-30", ["洋河集团", "泸州老窖"], ["close"], "chart", RETURNS),
    ("2023-05-10", "申万二级行业城商行Ⅱ里所有成分股近三个月的收益率", "2023-02-10 2023-05-10", ["城商行Ⅱ"], ["close"], "chart", EACH),
    ("2023-05-10", "我想看看中国近十年gdp的走势", "2013-05-10 2023-05-10", [], ["gdp_yoy"], "chart", LINE),
    ("2023-05-10", "易方达旗下的那个名叫张坤的基金经理他管理的基金有几只", None, ["易方达基金", "张坤"], [], "text", ["read_constituents", "combine", "read_value", *TABLE]),
    ("2023-05-10", "今年一季度贵州茅台的净资产收益率是多少", "2023-01-01 2023-03-31", ["贵州茅台"], ["roe"], "text", ["read_cross_section", "read_value"]),
    ("2022-05-10", "比较下沪深300,创业板指,中证1000指数今年的收益率", "2022-01-01 2022-05-10", ["沪深300", "创业板指", "中证1000"], ["close"], "chart", RETURNS),
    ("2019-10-15", "上证50的成分股近一年的涨跌幅", "2018-10-15 2019-10-15", ["上证50"], ["close"], "chart", EACH),
    ("2021-04-01", "今年北上资金的净流入情况", "2021-01-01 2021-04-01", [], ["north_money"], "chart", FLOW),
    ("2021-04-01", "我想看看宁德时代从2019年1月之后半年的股价走势", "2019-01-01 2019-06-30", ["宁德时代"], ["close"], "chart", LINE),
    ("2022-07-11", "我想看看现在的新闻或者最新的消息", "2022-07-11 2022-07-11", [], [], "table", ["read_rows", *TABLE]),
    ("2022-07-11", "最新的新闻和财经消息有什么", None, [], [], "table", ["read_rows", *TABLE]),
    ("2022-07-11", "中国过去十年的cpi走势是什么", "2012-07-11 2022-07-11", [], ["cpi_yoy"], "chart", LINE),
    ("2022-07-11", "过去十年中国(我们国家)的GDP", "2012-07-11 2022-07-11", [], ["gdp_yoy"], "chart", LINE),
    ("2022-07-11", "过去五年中国的货币供应量走势,并且打印保存", "2017-07-11 2022-07-11", [], ["m2_yoy"], "chart", [*LINE, *TABLE]),
    ("2023-01-23", "我想看看周海栋管理的华商优势行业的近三年来的价格走势(净值)", "2020-01-23 2023-01-23", ["华商优势行业"], ["nav"], "chart", LINE),
    ("2023-01-23", "易方达的张坤管理了几个基金", None, ["易方达基金", "张坤"], [], "text", ["read_constituents", "combine", "read_value", *TABLE]),
    ("2023-05-03", "基金经理周海栋名下的所有基金今年的收益率情况", "2023-01-01 2023-05-03", ["周海栋"], ["nav"], "chart", EACH),
    ("2023-05-03", "基金经理姜诚名下的所有基金", None, ["姜诚"], [], "table", ["read_constituents", *TABLE]),
    ("2023-05-03", "介绍下贵州茅台,这公司是干什么的,主营业务是什么", None, ["贵州茅台"], [], "table", ["read_rows", *TABLE]),
    ("2021-05-23", "我想比较下中国平安和贵州茅台近十年的净资产回报率", "2011-05-23 2021-05-23", ["中国平安", "贵州茅台"], ["roe"], "chart", LINE),
    # the example says 2020-05-16 to 2023-05-16 and another bank
    ("2021-05-23", "我想看看下成都银行,杭州银行和成都银行近三年的净利润增速", "2018-05-23 2021-05-23", ["成都银行", "杭州银行"], ["netprofit_yoy"], "chart", LINE),
    # the example says 2023-03-31
    ("2021-05-23", "今年一季度上证50是成分股的归母净利润同比增速分别是", "2021-01-01 2021-03-31", ["上证50"], ["netprofit_yoy"], "chart", MEMBER),
    # the example says 2022-12-31
    ("2021-05-23", "去年上证50所有成分股年报里净资产回报率的中位数和均值分别是", "2020-12-31 2020-12-31", ["上证50"], ["roe"], "chart", [*MEMBER, "mean_median", *TABLE]),
    ("2021-05-23", "看一下近三年宁德时代和贵州茅台的估值变化", "2018-05-23 2021-05-23", ["宁德时代", "贵州茅台"], ["pe_ttm"], "chart", LINE),
    ("2021-05-23", "预测未来12个季度的中国季度GDP增速数据", None, [], ["gdp_yoy"], "table", ["forecast", *TABLE]),
    ("2023-08-25", "预测未来中国4个季度的GDP增长率", None, [], ["gdp_yoy"], "table", ["forecast", *TABLE]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("today", "request_", "days", "objects", "metrics", "form", "interfaces"),
    INTENTS,
    ids=[i[1][:24] for i in INTENTS],
)
def test_a_request_is_understood(
    ask: Ask,
    work: Work,
    today: str,
    request_: str,
    days: str | None,
    objects: list[str],
    metrics: list[str],
    form: str,
    interfaces: list[str],
) -> None:
    made = ask(request_, today)
    time = made.intent.time
    assert (f"{time.start} {time.end}" if time.start else None) == days
    assert made.intent.objects == objects
    assert made.intent.metrics == metrics
    assert made.intent.format == form
    used = [step.interface for step in made.workflow.steps if step.interface != "read_series"]
    assert used == interfaces
    work(made)


def test_the_location_is_told(ask: Ask) -> None:
    assert ask("我想看看中国近十年gdp的走势").intent.location == "中国"


def test_before_the_market_closes_today_is_yesterday(ask: Ask) -> None:
    request = "请帮我绘制贵州茅台的2018年1月23日到今天的股价走势图"
    assert str(ask(request, "2019-03-13T14:59", closes="15:00").intent.time.end) == "2019-03-12"
    assert str(ask(request, "2019-03-13T15:00", closes="15:00").intent.time.end) == "2019-03-13"
    assert str(ask(request, "2019-03-13T03:00").intent.time.end) == "2019-03-13"
