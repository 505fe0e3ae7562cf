"""What a request wants done: words that ask for a forecast, a return, a rank, a chart and the
like.
"""

from __future__ import annotations

import re
from typing import Literal

from pydantic import BaseModel

from backends.planning.days import COUNT, count_of
from backends.planning.times import UNIT, UNITS, Grain

Form = Literal["line", "bar", "scatter", "pie", "candlestick"]

CUES: dict[str, re.Pattern[str]] = {
    name: re.compile(form, re.IGNORECASE)
    for name, form in {
        "forecast": (
            r"预测|预估|\bforecast(?:s|ed)?\b|\bpredict(?:ed|ion|ions)?\b|\bproject(?:ed|ion)\b"
        ),
        "candles": r"[kＫ]\s?线图?|蜡烛图|\bcandle(?:stick)?s?(?: chart)?\b",
        "rolling": (
            rf"(?P<n>{COUNT})[\s-]?(?:日|天|周|个?月|期|季度?|年|days?|weeks?|months?|quarters?|years?|periods?|rows?)?[\s-]?(?:的)?(?:移动平均线?|滚动平均|滚动均值|均线|moving[-"
            r" ]average|rolling (?:average|mean))"
        ),
        "correlation": r"相关(?:性|系数|度)?|\bcorrelat(?:ion|ed|es?)\b",
        "cumulative": r"累计|累积|\bcumulative(?:ly)?\b|\brunning (?:total|sum)\b|\baccumulated\b",
        "yoy": (
            r"同比(?:增长率?|增速|变化|涨幅)?|\byear[- ](?:on|over)[- ]year(?:"
            r" (?:change|growth))?\b|\byoy\b|(?:compared with|against|over) the year before"
        ),
        "mom": (
            r"环比(?:增长率?|增速|变化|涨幅)?|\b(?:month|quarter|week|day)[- ](?:on|over)[-"
            r" ](?:month|quarter|week|day)(?: (?:change|growth))?\b|\bfrom"
            r" (?:month|day|week|quarter|year) to (?:month|day|week|quarter|year)\b"
        ),
        "returns": (
            r"(?:每天|每日)?(?:的)?(?<!资产)(?:收益率|回报率)|涨跌幅|收益情况|\b(?:daily |total"
            r" |cumulative )?returns?\b(?! on)"
        ),
        "growth": (
            r"增长(?:了多少|最[多快大]|幅度|率)?|增幅|涨幅|\bgrew\b|\bgrowth\b|\bgrown?\b|\bgained?\b|\b(?:rose|risen|fell|fallen|increased?|changed?)\b(?="
            r" (?:the )?(?:most|least|by|between|from))"
        ),
        "mean": r"均值|平均|\bmeans?\b|\baverages?\b",
        "median": r"中位数|\bmedians?\b",
        "rank": (
            rf"(?:排名)?前(?P<zn>{COUNT})(?:名|只|个|家|位|大|的)?|最[高大多好强快](?:的)?(?P<hn>{COUNT})?(?=个|只|家|名|位|的|$|[^\d])|\btop"
            rf" (?P<tn>{COUNT})\b|\b(?P<bn>{COUNT})"
            r" (?:best|highest|largest|biggest|most)\b|\b(?:highest|largest|biggest|best|most)(?:"
            r" first)?\b|排名|排序|从高到低|\brank(?:ed|ing|s)?\b|\bsort(?:ed)?\b"
        ),
        "lowest": (
            rf"最[低小少差慢](?:的)?(?P<hn>{COUNT})?|(?:后|倒数)(?P<zn>{COUNT})(?:名|只|个|家|位)|\bbottom"
            rf" (?P<tn>{COUNT})\b|\b(?P<bn>{COUNT})"
            r" (?:worst|lowest|smallest|least)\b|\b(?:lowest|smallest|worst|least|fewest)(?:"
            r" first)?\b|从低到高"
        ),
        "count": r"有?(?:几|多少)(?:只|个|家|支|名|位|种|项|条)|\bhow many\b|\bnumber of\b",
        "compare": r"比较|对比|差异|\bcompar(?:e|ed|ing|ison)\b|\bversus\b|\bvs\.?\b",
        "members": (
            r"成[分份]股|成[分份]|旗下|名下|管理的?|所有|每只|每个|各个|\bconstituents?\b|\bmembers?\b|\bmanaged"
            r" by\b|\bmanages?\b|\beach\b|\ball(?: the)?\b"
        ),
        "latest": r"最新的?|当前|现在|\blatest\b|\bcurrent\b|\bmost recent\b|\bnewest\b",
        "ratio": r"除以|(?:的)?比[率值例](?!图)|\bdivided by\b|\bratio\b|\bper\b",
        "minus": (
            r"减去?|之差|差值|差额|\bminus\b|\bdifference between\b|\bspread between\b|\bless\b"
        ),
        "times": r"乘以|相乘|乘积|\btimes\b|\bmultiplied by\b|\bproduct of\b",
        "flow": r"净流入|净买入|\bnet (?:inflows?|purchases|flows?)\b",
        "pivot": r"透视|\bpivot\b|\bcross[- ]?tab(?:le|ulation)?\b",
        "save": (
            r"保存|存为|导出|\bsaved?\b(?="
            r" (?:it|them|the|this|that|as|to)\b|[.!]?\s*$)|\bexport(?:ed)?\b(?= (?:it|them|the"
            r" (?:table|rows|result|data)|as|to)\b|[.!]?\s*$)"
        ),
        "table": r"打印|表格|列表|列出|\btables?\b|\bprint(?:ed)?\b|\blist(?:ed)?\b",
        "trend": (
            r"走势|趋势|变化(?:情况)?|曲线|时序|\btrends?\b|\bover"
            r" time\b|\bcourse\b|\bdevelop(?:s|ed|ment)?\b"
        ),
        "draw": (
            r"绘制|绘图|画(?:出|一下|一?张)?|作图|图|\bplot(?:s|ted)?\b|\bdraw(?:n)?\b|\bcharts?\b|\bgraphs?\b|\bdiagrams?\b"
        ),
        "report": r"年报|一季报|半年报|中报|三季报|\bannual reports?\b",
        "about": r"介绍|简介|干什么|是做什么|\bintroduce\b|\bwhat does\b|\btell me about\b",
        "how_much": r"是多少|多少|\bwhat (?:is|was|were|are)\b|\bhow much\b",
        "sum": r"总(?:和|计|量|额|数)?|合计|求和|\btotals?\b|\bsums?\b|\bsummed\b",
        "max": r"最大值|最高值|峰值|\bmaxim(?:um|a|al)\b|\bpeaks?\b",
        "min": r"最小值|最低值|\bminim(?:um|a|al)\b",
    }.items()
}
FORMS: list[tuple[re.Pattern[str], Form]] = [
    (re.compile(r"柱状图|柱形图|条形图|\bbars?(?: chart)?\b", re.IGNORECASE), "bar"),
    (
        re.compile(
            r"折线图?|条(?:折|曲)?线|线图(?<![kＫ]线图)|\blines?(?: chart)?\b", re.IGNORECASE
        ),
        "line",
    ),
    (re.compile(r"饼图|\bpie\b", re.IGNORECASE), "pie"),
    (re.compile(r"散点图?|\bscatter\b", re.IGNORECASE), "scatter"),
]
INDICATORS = re.compile(r"\b(macd|kdj|rsi|boll|cci)\b|(布林)|(bollinger)", re.IGNORECASE | re.ASCII)
FEW = COUNT.replace(r"\d+", r"(?<![\d年月.-])\d{1,3}(?![\d.])")
AHEAD = re.compile(
    r"(?:未来|接下来|今后|之后|此后|后续|后|the"
    rf" )?(?:next|coming|following|中国的?|中国)?\s?(?P<n>{FEW})\s?(?:trading |business |working"
    rf" )?(?:{UNIT})(?!\d|开始|起)(?:的?(?:数据)?)",
    re.IGNORECASE,
)


class Wanted(BaseModel):
    """What is asked for. n: of a rank. ahead: how many values a forecast has, in which unit."""

    cues: list[str] = []
    form: Form | None = None
    indicators: list[str] = []
    n: int | None = None
    window: int | None = None
    ahead: tuple[int, Grain] | None = None

    def has(self, *names: str) -> bool:
        """Tell whether one of these is asked for."""
        return any(name in self.cues for name in names)


def without(wanted: Wanted, text: str) -> Wanted:
    """Return what is wanted without what only the name of a column said: the "growth" of "profit
    growth".
    """
    named = (
        "growth",
        "yoy",
        "mom",
        "returns",
        "sum",
        "mean",
        "ratio",
        "cumulative",
        "flow",
        "count",
        "trend",
    )
    return wanted.model_copy(
        update={"cues": [c for c in wanted.cues if c not in named or CUES[c].search(text)]}
    )


def read_cues(text: str) -> tuple[Wanted, str]:
    """Return what a request wants, and the request without the span of a forecast: "the next 12
    quarters" is no range of days.
    """
    found = {name: match for name, form in CUES.items() if (match := form.search(text))}
    wanted = Wanted(cues=list(found))
    for form, name in FORMS:
        if form.search(text):
            wanted.form = wanted.form or name
    wanted.form = "candlestick" if "candles" in found else wanted.form
    wanted.indicators = list(
        dict.fromkeys("boll" if m[2] or m[3] else m[1].lower() for m in INDICATORS.finditer(text))
    )
    for cue in ("rank", "lowest"):
        if cue in found:
            said = next((v for v in found[cue].groupdict().values() if v), None)
            wanted.n = count_of(said) if said else wanted.n
    if "rolling" in found:
        wanted.window = count_of(found["rolling"]["n"])
    if "forecast" in found:
        begun = found["forecast"].end()
        match = AHEAD.search(text, begun) or AHEAD.search(text)
        if match:
            unit: Grain = next(grain for _, grain in UNITS if match.groupdict().get(grain))
            wanted.ahead = (count_of(match["n"]), unit)
            text = f"{text[: match.start()]} {text[match.end() :]}"
    return wanted, text
