"""Made-up tables of the kinds Data-Copilot is asked about: shares, indices, members, reports,
funds, managers, macro, money flow, news, companies. Names are those of its examples, every number
is drawn at random.

    python -m tests.finance.tables FOLDER    writes them as CSV files
"""

from __future__ import annotations

import sys
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

BANKS = ["成都银行", "杭州银行", "宁波银行"]
FIFTY = [
    "贵州茅台",
    "中国平安",
    "五粮液",
    "宁德时代",
    "泸州老窖",
    "格力电器",
    "天坛生物",
    "杭州银行",
]
STOCKS = list(dict.fromkeys([*FIFTY, *BANKS, "洋河集团", "天齐锂业"]))
INDICES = ["中证500", "科创50", "沪深300", "创业板指", "中证1000", "上证50"]
FUNDS = [
    "华商优势行业",
    "易方达蓝筹精选",
    "易方达优质精选",
    "中泰星元",
    "中泰玉衡",
    "华商新趋势优选",
    "工银战略转型",
    "工银新金融",
]
MANAGERS = [
    ("张坤", "易方达基金", "易方达蓝筹精选"), ("张坤", "易方达基金", "易方达优质精选"), ("周海栋", "华商基金", "华商优势行业"),
    ("周海栋", "华商基金", "华商新趋势优选"), ("姜诚", "中泰资管", "中泰星元"), ("姜诚", "中泰资管", "中泰玉衡"),
    ("杜洋", "工银瑞信", "工银战略转型"), ("杜洋", "工银瑞信", "工银新金融"),
]  # fmt: skip
MEANINGS = {
    "stock_daily": {"pe_ttm": "市盈率", "turnover_rate": "换手率", "vol": "成交量"},
    "finance": {
        "roe": "净资产收益率",
        "netprofit_yoy": "归母净利润同比增长率",
        "grossprofit_margin": "销售毛利率",
    },
    "money_flow": {"north_money": "北向资金净流入", "south_money": "南向资金净流入"},
}


def walk(chance: np.random.Generator, days: pd.DatetimeIndex, start: float) -> pd.DataFrame:
    """Return candles that wander."""
    close = start * np.exp(np.cumsum(chance.normal(0.0002, 0.016, len(days))))
    open_ = close * (1 + chance.normal(0, 0.005, len(days)))
    return pd.DataFrame(
        {
            "trade_date": days.strftime("%Y-%m-%d"),
            "open": open_.round(2),
            "high": (np.maximum(open_, close) * 1.008).round(2),
            "low": (np.minimum(open_, close) * 0.992).round(2),
            "close": close.round(2),
            "vol": chance.integers(10_000, 90_000, len(days)),
        }
    )


def stock_daily(chance: np.random.Generator) -> pd.DataFrame:
    """Days of shares, 2018 to August 2023."""
    days = pd.bdate_range("2018-01-02", "2023-08-25")
    parts = []
    for name in STOCKS:
        part = walk(chance, days, float(chance.uniform(10, 300)))
        part.insert(1, "stock_name", name)
        part["pe_ttm"] = (20 + np.cumsum(chance.normal(0, 0.2, len(days)))).round(2)
        part["turnover_rate"] = chance.uniform(0.2, 4, len(days)).round(3)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def index_daily(chance: np.random.Generator) -> pd.DataFrame:
    """Days of indices."""
    days = pd.bdate_range("2018-01-02", "2023-08-25")
    parts = []
    for name in INDICES:
        part = walk(chance, days, float(chance.uniform(900, 5000)))
        part.insert(1, "index_name", name)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def index_members() -> pd.DataFrame:
    """Members of indices and industries, listed anew each half year; they change."""
    rows = []
    for day in pd.date_range("2018-06-30", "2023-06-30", freq="6ME").strftime("%Y-%m-%d"):
        rows += [(day, "上证50", name) for name in (FIFTY if day > "2020" else FIFTY[:6])]
        rows += [(day, "城商行Ⅱ", name) for name in BANKS]
        rows += [(day, "创业板指", name) for name in ("宁德时代", "天齐锂业")]
    return pd.DataFrame(rows, columns=["list_date", "group_name", "member_name"])


def finance(chance: np.random.Generator) -> pd.DataFrame:
    """Quarterly reports of companies."""
    days = pd.date_range("2011-03-31", "2023-06-30", freq="QE").strftime("%Y-%m-%d")
    rows = [
        (day, name, *chance.uniform(2, 35, 2).round(2), *chance.uniform(-20, 60, 1).round(2), float(chance.uniform(10, 90).__round__(2)))
        for name in STOCKS
        for day in days
    ]  # fmt: skip
    return pd.DataFrame(
        rows,
        columns=["end_date", "stock_name", "roe", "roa", "netprofit_yoy", "grossprofit_margin"],
    )


def fund_nav(chance: np.random.Generator) -> pd.DataFrame:
    """Days of funds."""
    days = pd.bdate_range("2019-12-02", "2023-08-25")
    rows = []
    for name in FUNDS:
        value = np.exp(np.cumsum(chance.normal(0.0003, 0.012, len(days)))).round(4)
        rows += [
            (day, name, float(nav))
            for day, nav in zip(days.strftime("%Y-%m-%d"), value, strict=True)
        ]
    return pd.DataFrame(rows, columns=["nav_date", "fund_name", "nav"])


def macro(chance: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Growth of a country by quarter, prices and money by month."""
    quarters = pd.period_range("2000Q1", "2023Q2", freq="Q").astype(str)
    season = np.tile([0.4, 0.1, -0.2, -0.3], len(quarters) // 4 + 1)[: len(quarters)]
    gdp = (
        9 - 0.04 * np.arange(len(quarters)) + season + chance.normal(0, 0.2, len(quarters))
    ).round(2)
    months = pd.period_range("2000-01", "2023-07", freq="M").astype(str)
    prices = {
        c: (chance.normal(m, 1, len(months))).round(2)
        for c, m in (("cpi_yoy", 2.2), ("ppi_yoy", 1.5), ("m2_yoy", 12.0))
    }
    return {
        "gdp": pd.DataFrame({"quarter": quarters, "gdp_yoy": gdp}),
        "cpi_ppi_money": pd.DataFrame({"month": months, **prices}),
    }


def money_flow(chance: np.random.Generator) -> pd.DataFrame:
    """What flows in each day."""
    days = pd.bdate_range("2018-01-02", "2023-08-25").strftime("%Y-%m-%d")
    flows = chance.normal(3, 40, (len(days), 2)).round(2)
    return pd.DataFrame(
        {"trade_date": days, "north_money": flows[:, 0], "south_money": flows[:, 1]}
    )


@lru_cache
def made() -> dict[str, pd.DataFrame]:
    """Return all tables by name; the same each time."""
    chance = np.random.default_rng(2306)
    times = pd.date_range("2022-07-01 08:00", periods=60, freq="7h").strftime("%Y-%m-%d %H:%M:%S")
    return {
        "stock_daily": stock_daily(chance),
        "index_daily": index_daily(chance),
        "index_members": index_members(),
        "finance": finance(chance),
        "fund_nav": fund_nav(chance),
        "fund_managers": pd.DataFrame(MANAGERS, columns=["manager", "company", "fund_name"]),
        **macro(chance),
        "money_flow": money_flow(chance),
        "news": pd.DataFrame(
            {
                "time": times,
                "title": [f"市场快讯第{i}号" for i in range(60)],
                "content": [f"第{i}条新闻的内容" for i in range(60)],
            }
        ),
        "company": pd.DataFrame(
            {
                "stock_name": STOCKS,
                "introduction": [f"{n}是一家上市公司" for n in STOCKS],
                "main_business": [f"{n}的主营业务" for n in STOCKS],
            }
        ),
    }


def write(folder: Path) -> None:
    """Write all tables as CSV files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in made().items():
        frame.to_csv(folder / f"{name}.csv", index=False)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
