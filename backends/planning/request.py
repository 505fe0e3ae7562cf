"""What a request asks for, according to its cue words."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel

from backends.data.workflow.step import Step
from backends.planning.tables import (
    Entity,
    Metric,
    TableLink,
    View,
    aliases,
    find_columns,
    find_entities,
    find_links,
    plain,
)
from backends.planning.text import BETWEEN, CJK
from backends.planning.times import COUNT, GRAINS, UNIT, UNITS, Grain, Time, count_of, read_time
from backends.query.annotate import Annotation
from backends.query.lexicon import Language
from backends.query.parser import spoken_words, words_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from backends.data.values import Profile
    from backends.query.annotate import Embed


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
    """What a request asks for. n: the number of rows in a ranking. ahead: the number of values to
    forecast, and their unit.
    """

    cues: list[str] = []
    form: Form | None = None
    indicators: list[str] = []
    n: int | None = None
    window: int | None = None
    ahead: tuple[int, Grain] | None = None

    def has(self, *names: str) -> bool:
        """Return whether at least one of these is asked for."""
        return any(name in self.cues for name in names)


def without(wanted: Wanted, text: str) -> Wanted:
    """Return what is asked for, ignoring cues that occur only in a column's name, such as "growth"
    in "profit growth".
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
    """Return what a request asks for, and the request without the length of a forecast: "the next
    12 quarters" is not a range of dates.
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


BARE = re.compile(  # the second date is in the same year as the first one
    r"((?:19|20)\d\d年|今年|去年)(\d{1,2})月(\d{1,2})[日号]?(到|至|-|~|—)(\d{1,2})月(\d{1,2})[日号]?"
)
PRICE_SAID = re.compile(
    r"股价|价格|净值|指数|点位|走势|\bprices?\b|\bquotes?\b|\bcourse\b|\bvalue\b", re.IGNORECASE
)


@dataclass
class Asked:
    """A request that has been read. rest: its words without dates and entities. masked: the same
    words, without columns as well. categories: the text columns that it names. told: the language
    of the answer.
    """

    question: str
    language: str
    today: dt.date
    views: list[View]
    time: Time
    wanted: Wanted
    entities: list[Entity]
    metrics: list[Metric]
    categories: list[Metric]
    rest: str
    links: list[TableLink] = field(default_factory=list[TableLink])
    masked: str = ""
    told: Language = "en"

    def view(self, uuid: str) -> View:
        """Return the table with a given UUID."""
        return next(view for view in self.views if view.uuid == uuid)

    @property
    def zh(self) -> bool:
        """Whether the request is in Chinese."""
        return self.language == "zh"

    def chosen(
        self, fits: Callable[[View], bool] = lambda view: True
    ) -> tuple[View, list[str]] | None:
        """Return the table that a request is about and the columns whose values it asks for, or
        None if it names none.

        The table in which the most entities are named is chosen; in case of a tie, the one whose
        column is most certain. If the request names no column but mentions a price, the closing
        price or the value of a fund is used.
        """
        best: tuple[float, View, list[str]] | None = None
        for view in self.views:
            if not fits(view):
                continue
            named = [m for m in self.metrics if m.source == view.uuid]
            covered = sum(1 for e in self.entities if e.of(view.uuid))
            priced = view.price is not None and bool(
                PRICE_SAID.search(self.question)
                or self.wanted.has("returns", "growth", "candles")
                or covered
            )
            score = named[0].score if named else (0.9 if priced else 0.0)
            if not score:
                continue
            sure = [m for m in named if m.score >= 1.0]
            of_price = priced and view.price and not sure and self.wanted.has("returns", "growth")
            columns = distinct(named) if named and not of_price else [str(view.price)]
            total = score + 0.8 * covered - 0.001 * self.views.index(view)
            if best is None or total > best[0]:
                best = (total, view, columns)
        return (best[1], best[2]) if best else None

    def filters(self, view: View) -> tuple[str | None, list[Any], list[dict[str, Any]]]:
        """Return, for one table, the column with the names of entities, the entities that the
        request names, and further conditions.
        """
        held: dict[str, list[Any]] = {}
        for entity in self.entities:
            places = sorted(entity.of(view.uuid), key=lambda p: p.column != view.entity)
            if places:
                held.setdefault(places[0].column, []).append(places[0].value)
        category = next((c.column for c in self.categories if c.source == view.uuid), None)
        if category and category not in held:
            by: str | None = category
        elif len(held) == 1 or view.entity in held:
            by = view.entity if view.entity in held else next(iter(held))
        else:
            by = max(held, key=lambda c: len(held[c])) if held else None
        where = [
            {
                "column": column,
                "op": "in" if len(values) > 1 else "=",
                "value": values if len(values) > 1 else values[0],
            }
            for column, values in held.items()
            if column != by
        ]
        return by, held.get(by, []) if by else [], where

    def span(self) -> dict[str, str]:
        """Return the range of dates as arguments."""
        made = {"start": self.time.start, "end": self.time.end}
        return {key: day.isoformat() for key, day in made.items() if day is not None}

    def at(self, view: View) -> dict[str, str]:
        """Return, as arguments, the point in time of a cross-section: the end of the range. Values
        from before the start of the range are not used.

        If a range starts with a quarter and ends at most two days before the quarter's end, the
        report on the quarter is meant.
        """
        if self.time.end is None or not view.time:
            return {}
        end = self.time.end
        for day in (end + dt.timedelta(days=n) for n in range(3)):
            first = dt.date(day.year, day.month - (day.month - 1) % 3, 1)
            if (
                view.grain == "quarter"
                and self.time.start == first
                and (day + dt.timedelta(days=1)).day == 1
                and day.month % 3 == 0
            ):
                end = day
        since = (
            {"since": self.time.start.isoformat()}
            if self.time.start and self.time.start < end
            else {}
        )
        return {"at": end.isoformat(), **since}

    def days(self) -> str:
        """Return the range of dates, described in words."""
        if self.time.start is None or self.time.end is None:
            return ""
        if self.time.is_point:
            return self.time.end.isoformat()
        return f"{self.time.start.isoformat()} – {self.time.end.isoformat()}"

    def title(self, what: str, names: list[Any] | None = None) -> str:
        """Return the title of a chart or table."""
        said = (
            [str(p.value) for e in self.entities for p in e.places[:1]]
            if names is None
            else [str(n) for n in names]
        )
        joined = BETWEEN[self.told].join(said[:4]) + ("…" if len(said) > 4 else "")
        return " · ".join(part for part in (joined, what, self.days()) if part)


def distinct(metrics: list[Metric]) -> list[str]:
    """Return the columns that are named at different positions in a request, the most certain
    first. If several are named at the same position, only the most certain one is returned.
    """
    kept: list[Metric] = []
    for metric in metrics:
        sure = metric.score >= 1.0 or metric.score >= 0.85 * metrics[0].score
        if sure and all(other.at != metric.at for other in kept):
            kept.append(metric)
    return [metric.column for metric in sorted(kept[:4], key=lambda m: m.at)]


class StepBuilder:
    """A list of steps that is being built. Each step gets the name of its result."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def add(self, interface: str, about: str, /, **arguments: Any) -> str:
        """Add a step and return the name of its result. Arguments that are None are left out."""
        name = f"result{len(self.steps) + 1}"
        given = {
            key: value for key, value in arguments.items() if value is not None and value != []
        }
        self.steps.append(Step(id=name, interface=interface, arguments=given, description=about))
        return name


def read_request(
    question: str, profiles: list[Profile], now: dt.datetime, embed: Embed | None
) -> Asked:
    """Read a request about some tables.

    now: the time to which "today" refers. Until the current day has ended for a source, "today"
    means yesterday.
    """
    views = [View(profile) for profile in profiles]
    entities, rest = find_entities(question, views)
    today = today_of([v for v in views if any(e.of(v.uuid) for e in entities)] or views, now)
    wanted, rest = read_cues(rest)
    time, rest = read_time(BARE.sub(r"\1\2月\3日\4\1\5月\6日", rest), today)
    if wanted.has("report") and time.end is not None and not time.exact:
        time = time.model_copy(update={"start": time.end, "exact": True})
    metrics, categories = find_columns(rest, views, today, embed)
    masked = plain(rest)
    for metric in metrics:
        masked = masked[: metric.at] + "#" * metric.size + masked[metric.at + metric.size :]
    wanted = without(wanted, masked)
    return Asked(
        question,
        "zh" if CJK.search(question) else "en",
        today,
        views,
        time,
        wanted,
        entities,
        metrics,
        categories,
        plain(rest),
        find_links(views),
        masked,
        "zh" if CJK.search(question) else "en",
    )


def today_of(views: list[View], now: dt.datetime) -> dt.date:
    """Return the date that counts as today. This is yesterday until the current day has ended for
    every source.
    """
    return min((view.profile.today(now) for view in views), default=now.date())


RUN = re.compile(r"[\u3400-\u9fff]+")
WORD = re.compile(r"[a-z][a-z'’-]{2,}")
SMALL = re.compile(
    r"请|帮我|帮忙|我们国家|我们|我|你|想要?|看看|看一?下|看|一下|下|的|和|与|及|以及|跟|同|在|了|是|吗|呢|吧|把|给|用|于|从|到|至|按|根据|基于|"
    r"展示|显示|查询|获取|计算|统计|列出|绘图|绘制|滚动|那个|名叫|这个?|那|他|它|其|里面?|中|内|上市公司|公司|基金经理|基金|股票|指数|财务指标|技术指标|指标|"
    r"数据|情况|分别|期间|各自|分布|截面|时序|网站上?|财经|市场|申万|[一二三]级行业|行业|怎么样|什么样?|哪[些个只家]?|如何|多只|两只|两者|两|多少|有|"
    r"并且?|同时|再|然后|将|且|或者?|以|每|各|个|只|家|支|名称|名字|简要|文字|月度|全国|中国|国内|整|这段时间|时间|走势|开始|最后|最近|今日|今天|新闻|消息|动态|增速|一张|一个|一些|柱状图?|所有|全部|大|小|高|低"
)


def unread(rest: str, views: list[View], today: dt.date) -> list[str]:
    """Return the words of a request that are not part of a date, an entity, a column or a cue, and
    are not filler words.

    rest: the request with its dates, entities and columns masked. views: the tables that a plan
    reads.
    """
    left = rest.lower().replace("#", " ")
    phrases = {
        p for v in views for c in v.profile.columns for p in aliases().get(plain(c.name), [])
    }
    for phrase in sorted(phrases, key=len, reverse=True):
        left = (
            left.replace(phrase, " ")
            if RUN.search(phrase)
            else re.sub(rf"\b{re.escape(phrase)}\b", " ", left)
        )
    for form in [*CUES.values(), *(f for f, _ in FORMS), *(f for f, _ in GRAINS), INDICATORS]:
        left = form.sub(" ", left)
    left = SMALL.sub(" ", left)
    unknown = [unknown_words(left, view, today) for view in views]
    return [word for word in (unknown[0] if unknown else ()) if all(word in u for u in unknown)]


def unknown_words(text: str, view: View, today: dt.date) -> list[str]:
    """Return the words of a text that mean nothing in connection with a table."""
    table = words_of(view.profile, spoken_words(text, view.profile))
    annotation = Annotation(text, table, today)
    found: list[str] = []
    for span in annotation.spans:
        keys = [token.key for token in annotation.tokens[span.first : span.last]]
        if span.unknown and not all(key in table.title for key in keys):
            found += [*RUN.findall(span.text), *WORD.findall(span.text)]
    return list(dict.fromkeys(word for word in found if len(word) > 1))
