"""What a request wishes for, and the slots it fills."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from backends.planning.asked import FEW, FORMS, Form
from backends.planning.composing.mentions import Mention, form_of, kinds_of
from backends.planning.text import CJK
from backends.planning.times import COUNT, UNIT, UNITS, Grain, count_of

if TYPE_CHECKING:
    from backends.planning.asked import Asked
    from backends.planning.composing.mentions import Said
    from backends.planning.tables import TableLink, View


CODE = re.compile(r"(?:^|_)(?:id|code|no|nr|key|symbol)$|编号|代码", re.IGNORECASE)
NAME = re.compile(r"name|title|名", re.IGNORECASE)
MEMBERS = re.compile(
    r"成[分份]股?|成员股?|持仓|\bconstituents?\b|\bmembers?\b|\bcomponents?\b|\bholdings?\b"
)


@dataclass(frozen=True)
class Dim:
    """A column for each of whose values something is told. at: where it is said."""

    source: str
    column: str
    at: int = 0
    marked: int = 2  # 3: by; 2: each, which; 1: a plural, all of them; 0: only named


def find_dims(said: Said, asked: Asked, main: View | None) -> list[Dim]:
    """Return the columns of text a request goes by, in order, and take their words.

    A word beside a value of its own column only says what kind of thing the value is: "the West
    region".
    """
    found = dim_mentions(said, asked, main)
    dims: list[Dim] = []
    places = sorted({(m.start, m.end) for m in found}, key=lambda p: (p[0] - p[1], p[0]))
    kept: list[tuple[int, int]] = []
    for place in places:
        if any(place[0] < b and a < place[1] for a, b in kept):
            continue
        kept.append(place)
    kept.sort()
    heads = {
        b
        for (_, a), (b, _) in pairwise(kept)
        if said.text[a:b] == " " and not said.text[:a].endswith("s")
    }
    modifiers = {
        one for one, after in pairwise(kept) if after[0] in heads
    }  # "each mechanic level" is a level
    for place in kept:
        if place in modifiers:
            said.take(*place, "dim")
            continue
        here = sorted((m for m in found if (m.start, m.end) == place), key=lambda m: -m.score)
        said.take(*place, "dim")
        if beside_value(said, asked, here) or told_as_one(said.text, *place):
            continue
        best = chosen(here, asked, main)
        marked = is_marked(said.text, *place)
        if said.text.count("(", 0, place[0]) > said.text.count(")", 0, place[0]) and any(
            d.marked >= 2 for d in dims
        ):
            continue  # "(mean over the shops)" only says how
        if best is not None and all(
            (d.source, d.column) != (best.source, best.column) for d in dims
        ):
            dims.append(Dim(best.source, best.column, best.start, marked))
    for match in said.find(MEMBERS):
        said.take(*match.span(), "dim")
    return dims


def dim_mentions(said: Said, asked: Asked, main: View | None) -> list[Mention]:
    """Return every place where words may name a column of text."""
    found: list[Mention] = []
    text = said.left()
    for view in asked.views:
        for column in view.texts:
            if column.distinct < 2:
                continue
            whole = view.profile.name if column.distinct == view.profile.rows else ""
            for phrase, score in kinds_of(column, whole, text):
                home = 0.05 * (main is not None and view.uuid == main.uuid)
                for match in re.finditer(form_of(phrase), text):
                    found.append(
                        Mention(*match.span(), view.uuid, column.name, score + home, match[0])
                    )
    return found


def chosen(here: list[Mention], asked: Asked, main: View | None) -> Mention | None:
    """Return which of the columns a word may mean is meant: the name of what a code stands for,
    else that of the table that is measured.
    """
    best = here[0]
    near = [m for m in here if m.score >= best.score - (0.2 if best.score >= 1.2 else 0.35)]
    if main is not None:
        best = next((m for m in near if m.source == main.uuid), best)
    if CODE.search(best.column):
        for link in asked.links:
            if link.source == best.source and link.column == best.column:
                other = asked.view(link.other)
                named = next(
                    (c for c in other.texts if NAME.search(c.name) and not CODE.search(c.name)),
                    None,
                )
                key = other.profile.column(link.other_column)
                if named is not None and key is not None and key.distinct == other.profile.rows:
                    return Mention(
                        best.start, best.end, other.uuid, named.name, best.score, best.said
                    )
        own = next(
            (
                c
                for c in asked.view(best.source).texts
                if NAME.search(c.name) and not CODE.search(c.name)
            ),
            None,
        )
        if own is not None:
            return Mention(best.start, best.end, best.source, own.name, best.score, best.said)
    return best


def beside_value(said: Said, asked: Asked, here: list[Mention]) -> bool:
    """Return whether a word stands right beside a value of a column it names."""
    start, end = here[0].start, here[0].end
    for span in said.spans:
        if not span.kind.startswith("entity"):
            continue
        gap = said.text[span.end : start] if span.end <= start else said.text[end : span.start]
        if len(gap) > 5 or not re.fullmatch(r"[\s'’]*s?\s*(?:的|:|is|=)?\s*", gap):
            continue
        entity = next((e for e in asked.entities if f"entity {e.said}" == span.kind), None)
        columns = (
            {(p.source, p.column) for p in entity.places} if entity else set[tuple[str, str]]()
        )
        names = {p.column for p in entity.places} if entity else set[str]()
        if any((m.source, m.column) in columns or m.column in names for m in here):
            return True
    return False


ALL_OF = re.compile(
    r"(?:全部|所有|[两二三四五六七八九十\d](?:大|个|家|种|只|座|款|条|支|位|名)?)$|\b(?:all|across)(?:"
    r" of)?(?: the)? (?:[a-z]+ )?$"
)
AS_ONE = re.compile(
    r"[^,，。"
    r";；]{0,12}?(?:合计|总(?!是)|加总|加起来|合在一起|合起来|之和|一共)|[^,.;]{0,40}?\b(?:together(?!"
    r" with)|combined|added up|in total)\b"
)
ACROSS = re.compile(rf"\bacross (?:all )?(?:of )?(?:the )?(?:{COUNT} )?$")
MADE_OF = re.compile(r"\b(?:averages?|means?|medians?|totals?|combined)\b")
EACH_OF = re.compile(r"\b(?:each|every)\b|各|每|分别")


def told_as_one(text: str, start: int, end: int) -> bool:
    """Return whether all of a kind of thing are told as one: "八家公司合计", "all plants together"."""
    before = text[max(0, start - 24) : start]
    if ACROSS.search(before) and MADE_OF.search(text) and not EACH_OF.search(text):
        return True
    before = before[-16:]
    if not ALL_OF.search(before) or EACH_OF.search(text[max(0, start - 5) : start]):
        return False
    match = AS_ONE.match(text[end:])
    return bool(match) and not EACH_OF.search(match[0])


def is_marked(text: str, start: int, end: int) -> int:
    """Return how surely words beside a column of text say that it is gone through: each, by, which,
    各, 按, 哪.
    """
    before, behind = text[max(0, start - 26) : start], text[end : end + 10]
    if CJK.search(text[start:end]):
        if re.search(r"(?:所有的?|全部的?|旗下的?|名下的?|里的?|下的?)$", before):
            return 1
        if re.search(r"(?:按照?|分)$", before):
            return 3
        return 2 * bool(
            re.search(
                rf"(?:各[个家只支条名位种大类]?|每一?[个种家只支条名位座款所]?|按照?|分|哪[些个家只几种]?|不同的?|{COUNT}[个家只支条名位种大座款所]|几[个家只支条名位种]|最[高低大小多少好差快]的?|行是|列是|以)$",
                before,
            )
            or re.match(
                r"(?:做|放|为|当|在|之间|分别|各|的?排名|是哪|列表|的?(?:构成|结构|分布|占比|份额)|[,、"
                r"]|和|与|间)",
                behind,
            )
        )
    plural = text[start:end].endswith("s") and not text[start:end].endswith("ss")
    if re.search(r"\b(?:all|only)(?: of)?(?: the)? (?:[a-z]+ )?$", before):
        return 1
    if re.search(r"\b(?:by|per)\s(?:(?:kind|type|sort) of )?$", before):
        return 3
    strong = bool(
        re.search(
            r"\b(?:by|per|each|every|which|what|across|rank(?:ing)?(?: the)?|for each|for"
            rf" every|top {COUNT}|between)(?: [a-z]+)?\s$|\b(?:the )?(?!(?:19|20)\d\d){COUNT}"
            r" (?:[a-z]+ )?$",
            before,
        )
        or re.search(r"\b(?:each|every) \S+ \S*\s?$", before)
        or re.match(
            rf" by {re.escape(text[start:end])}| (?:as|in|into) (?:rows|columns)|"
            r" (?:down|across)\b",
            behind,
        )
    )
    return 2 if strong else int(plural)


def links_between(asked: Asked, one: View, other: View) -> TableLink | None:
    """Return how two tables belong together, a column of the same name first."""
    found = [x for x in asked.links if x.source == one.uuid and x.other == other.uuid]
    return next((x for x in found if x.column == x.other_column), found[0] if found else None)


UNITWORD = (
    r"(?:trading |business |working"
    r" )?(?:days?|weeks?|months?|quarters?|years?|periods?|sessions?|天|日|周|个?月|个?季度?|期|年|场(?:比赛)?|games?|matches|次(?:考试)?|轮)"
)
ROLLING = (
    re.compile(
        rf"(?P<n>{COUNT})[\s-]?(?:{UNITWORD})?[\s-]?(?:的)?(?:simple"
        r" )?(?:移动平均线?值?|[滚滑]动平均值?|滚动均值|均线|moving[- ](?:average|mean)|rolling"
        r" (?:average|mean)|ma\b)"
    ),
    re.compile(
        r"(?:moving[- ]average|rolling"
        r" (?:average|mean)|移动平均线?|[滚滑]动平均)\s*(?:\(|over|of|with a window"
        rf" of|窗口)\s*(?:the last )?(?P<n>{COUNT})[\s-]?(?:{UNITWORD})?\)?"
    ),
)
ROLLED = re.compile(
    r"moving[- ]averages?|rolling (?:averages?|means?)|移动平均线?|[滚滑]动平均|均线"
)
INDICATOR = re.compile(
    rf"(?:(?<![月\d])(?P<n>{COUNT})[\s-]?(?:days?|日|天)[\s-]?(?:的)?)?(?:(?<![a-z])(?P<name>macd|kdj|rsi|boll|cci)(?![a-z])|(?P<b>布林(?:带|线)?(?:上中下轨)?|bollinger(?:"
    r" bands?)?)|(?P<m>(?:commodity )?channel index)|(?P<r>relative strength(?:"
    r" index)?)|(?P<s>stochastics?))(?:\s*(?P<p>\((?:[^()]|\([^()]*\))*\)))?"
)
FORMS_OF: dict[str, re.Pattern[str]] = {
    name: re.compile(form)
    for name, form in {
        "yoy": r"(?:\bas an? )?\byear[- ](?:on|over)[- ]year(?: (?:percent(?:age)? )?(?:changes?|growth(?: rates?)?|increases?))?|\byoy\b(?: growth| change)?|(?:compared (?:with|to)|against|over|versus|vs\.?|from|on) (?:the )?(?:same (?:quarter|month|period|week) (?:of the |in the |a )?)?(?:year before|previous year|prior year|year earlier)|同比(?:增长率?|增速|变化率?|变动|涨幅|增幅)?",
        "mom": r"\b(?:month|quarter|week|day|period)[- ](?:on|over|to)[- ](?:month|quarter|week|day|period)(?: (?:percent(?:age)? )?(?:changes?|growth(?: rates?)?))?|(?:compared (?:with|to)|against|over|versus|from|on) the (?:(?:previous|prior|preceding|last) (?:(?:trading |business )?day|month|quarter|week|period|one)|(?:trading |business )?(?:month|quarter|week|day) before)|\bfrom (?:one )?(?:month|day|week|quarter) to (?:the next|month|day|week|quarter)\b|\bdaily (?:percent(?:age)? )?changes?\b|\bfrom day to day\b|对前一个?(?:交易日|日|天|月|季度?)|较前一个?(?:交易日|日|天|月|季度?)|[比对较]上?前?一个?(?:交易日|日|天)|环比(?:增长率?|增速|变化率?|变动|涨幅|增幅)?|比上(?:个?月|季度?|周|期)末?|较上(?:个?月|季度?|周|期)末?",
        "cumulative": r"\bcumulative(?:ly)?\b|\brunning (?:total|sum)s?(?: of)?\b|\b(?:total|sum|it|they|amounts?) (?:runs?|builds?|adds?|grows?|piles?) up\b|\baccumulat(?:e|ed|ing)\b|累计值?|累积值?|逐[日月季]累加|累加",
        "returns": r"\b(?:daily |total |cumulative |weekly |monthly )?returns?\b|\breturned\b|收益率?(?:曲线)?|回报率?|涨跌幅|赚了?百分之(?:多少|几)|赚了?多少|涨了?百分之(?:多少|几)|涨幅",
        "growth": r"增长(?:了?(?:百分之)?(?:多少|几))?(?:最[快多大])?|增幅|增速|\bgrew\b|\bgrow\b|\bgrowth(?: rates?)?\b|\bgrown\b|\bgain(?:s|ed)?\b|\b(?:rise|rose|risen|fall|fell|fallen|increased?|decreased?|changed?|differ|develop|drop(?:ped)?)\b|变化了?(?:百分之)?(?:多少|几)|变动|上升了?|下降了?",
        "correlation": r"相关(?:性|系数|度|吗|关系)?|\bcorrelat(?:ion|ions|ed|es?)\b(?: coefficients?)?|go together|move together",
        "mean": r"平均(?:数|值|每[天日月年])?|均值|日均|月均|\bmeans?\b|\baverages?\b|\bon average\b",
        "median": r"中位数|中位值|\bmedians?\b",
        "sum": r"总(?:和|计|量|额|数)|合计|求和|加总|汇总|加起来|总(?=[\u3400-\u9fff])|\btotals?\b|\bsums?(?: of| up)?\b|\bsummed(?: up)?\b|\badd(?:ed|ing)? (?:it |them |these |those |all )?up\b|\bcombined\b",
        "points": r"百分点|\bpercentage points?\b|\bpoints? (?:higher|lower)\b",
        "max": r"最大值|最高值|峰值|\bmaxim(?:um|a|al)\b|\bpeaks?\b",
        "min": r"最小值|最低值|谷值|\bminim(?:um|a|al)\b",
        "count": r"有?(?<!哪)(?:几|多少)(?:只|个|家|支|名|位|种|项|条|天|次|笔|期|台|辆)|\bhow many\b|\bnumber of\b|\bcount(?: of)?\b|计数|[个家座台店只]数(?=[,，。?？和与及]|$)|数量",
        "pivot": r"透视表?|[占各]一[行列]|一[行列]一个|交叉表|\bpivot(?: table)?\b|\bcross[- ]?tab(?:le|ulat(?:e|ion))?s?\b|(?:做|放|为|当|在)行|行是|做列|列是|\bin(?:to)? rows\b|\bas rows\b|\bdown the side\b|\bas columns\b|\bin columns\b|\bacross\b(?= ?(?:,|the top|[a-z]* ?in the cells))|\bin the cells\b|值[是为]|\((?:rows?|columns?|行|列)\b|\((?:行|列)[::)]|\bone (?:row|column) (?:per|for)\b|交叉|\\b[a-z]+[- ]by[- ][a-z]+ (?:table|grid|matrix)\\b",
        "forecast": r"预测|预估|预计|推算|\bforecast(?:s|ed|ing)?\b|\bpredict(?:ed|ion|ions)?\b|\bproject(?:ed|ion|ions)?\b|\bextrapolat\w+|外推|往后推",
        "save": r"保存|存为|存下来?|存成|存起来|导出|\bsaved?\b|\bexport(?:ed)?\b(?= (?:it|them|the (?:table|rows|result|data)|as|to)\b|[.!]?\s*$)",
        "table": r"表格|列表|列出来?|列成表?|(?<!in the )(?<!of the )(?<!in this )(?<!in that )\btables?\b|\bprint(?:ed)?\b|\blist(?:ed)?\b|打印",
        "trend": r"走势图?|趋势|曲线|时序|\btrends?\b|\bover time\b|\bcurves?\b|\bdevelopment\b",
        "draw": r"绘制|画|作图|图|\bplot(?:s|ted)?\b|\bdraw(?:n)?\b|\bcharts?\b|\bgraphs?\b|\bdiagrams?\b",
        "candles": r"[kＫ]\s?线图?|蜡烛图|\bcandle(?:stick)?s?\b",
        "each": r"\bone lines? (?:for )?each\b|\ba line (?:for )?each\b|每[只个家种]一条线?|\beach\b|\bevery\b|各(?:自|是|个)?|每[一只个家种]|分别|\brespectively\b",
        "percent": r"%|\bper ?cent\b|\bpercentages?\b|百分之?(?:多少|几|比)?",
        "latest": r"最新(?:一期)?|\blatest\b|\bmost recent\b|\bnewest\b|当前|目前|\bcurrent(?:ly)?\b|\bnow\b",
        "compare": r"对比|比较|\bcompare(?:d)?\b|\bversus\b|\bvs\.?\b",
        "share": r"\bwhat (?:share|percentage|part|fraction)\b|占比|\bshares? of\b",
    }.items()
}
HIGH = (
    r"highest|largest|biggest|most|best|busiest|strongest|longest|hottest|warmest|wettest|windiest|fastest|greatest|richest|top|descending|high"
    r" to low|priciest"
)
LOW = (
    r"lowest|smallest|worst|least|fewest|weakest|quietest|shortest|coldest|coolest|driest|slowest|poorest|cheapest|bottom|ascending|low"
    r" to high"
)
UPWARD = re.compile(
    r"[跌降]得?最[多惨大狠猛快]|跌幅最大|\b(?:fall|fell|drop(?:ped)?|lost|declined?) (?:the"
    rf" )?most\b|\b(?:{LOW})\b|从低到高|从小到大|由低到高|由小到大|从少到多|[从由](?:短到长|慢到快|便宜到贵|差到好)|低到高|小到大|少到多|(?:少|小|低|慢|差|便宜|短|轻)的(?:放|排)?(?:在)?(?:最)?前|升序|最[低小少差慢弱短冷]|倒数|(?<!最)后(?={COUNT}(?:名|位|个|家|只))"
)
DOWNWARD = re.compile(
    rf"\b(?:{HIGH})\b|从高到低|从大到小|由高到低|由大到小|从多到少|[从由](?:长到短|快到慢|贵到便宜|好到差)|降序|最严重|最[高大多好强快长热]|(?:多|大|高|快|贵|好|长|重|热)的(?:放|排)?(?:在)?(?:最)?前|高到低|大到小|多到少|谁[多高大快强]谁在?前|排名前|前(?={COUNT}(?:名|位|个|家|只|大|天|年|月))"
)
RANKED = re.compile(
    r"\brank(?:ed|ing|s)?\b|\bsort(?:ed)?\b|\border(?:ed)?"
    r" by\b|排名|排序|排个名?|排一?下|排列|由|从[高低大小多少长短快慢贵好差]到"
)
FIRSTS = re.compile(
    rf"\btop (?P<a>{COUNT})\b|\b(?P<b>{COUNT}) (?:{HIGH}|{LOW})\b|\bwhich (?P<c>{COUNT})\b|\bthe"
    rf" (?P<h>{COUNT}) with the (?:{HIGH}|{LOW})\b|\bthe (?P<d>{COUNT}) (?=(?:[a-z\0]+"
    rf" ){{0,2}}[a-z]+s\b[^.]*\b(?:{HIGH}|{LOW})\b)|(?:最[高低大小多少好差快慢]的?|前|后|倒数|哪)(?P<e>{COUNT})(?=[\u3400-\u9fff])|(?<!all"
    rf" )(?<!all the )\b(?P<f>{COUNT})"
    rf" (?=[a-z]+s\b.{{0,40}}\b(?:{HIGH}|{LOW})\b)|\b(?:{HIGH}|{LOW}) (?P<g>{COUNT})\b"
)
ONE = re.compile(
    r"\bwhich (?:one|single )?(?!two|three|four|five|of\b)[a-z]+(?<!s)(?<!two)(?<!five)"
    r" (?:had|has|is|was|sold|made|took|did|comes?|came|earned|got|saw|used|paid|with|at|in|gained|lost|grew|produced|generated|recorded|reached|brought|spent|shows?|showed|attracted|received)\b|\bwho\b|\bwhich"
    r" (?:one|is|was)\b|哪一?[个家只名位座支款所种条城块台辆片间部]|最[高低多少大小好差快慢]的那一?[个家只名位座支款条]|告诉我.{0,4}名|叫什么|谁"
)
BAD = re.compile(
    r"unemploy|jobless|delay|mortal|death|defect|fail|fault|complain|crime|accident|error|pm2|pollut|loss|debt|churn|失业|延误|故障|死亡|投诉|污染"
)
HALF = re.compile(
    r"(?:未来|接下来|今后|往后)的?半年|(?:next|coming) (?:half[- ]year|half a year|six months)"
)
AHEAD = re.compile(
    r"(?:for |over )?(?:未来|接下来的?|今后|之后|此后|后续|往后|再往后|下|后|the"
    rf" )?(?:next|coming|following)?\s?(?P<n>{FEW})\s?(?:trading |business |working"
    rf" )?(?:{UNIT})(?!\d|开始|起)(?: ahead| forward| out)?(?:的?(?:数据)?)"
)


@dataclass
class Wishes:
    """cues: names of what is wanted. windows: of moving averages. indicators: with their window. n:
    of a rank.
    """

    cues: set[str] = field(default_factory=set[str])
    windows: list[int] = field(default_factory=list[int])
    indicators: dict[str, int | None] = field(default_factory=dict[str, "int | None"])
    form: Form | None = None
    n: int | None = None
    order: Literal["up", "down"] | None = None
    ranked: bool = False
    ahead: tuple[int, Grain] | None = None

    def has(self, *names: str) -> bool:
        """Return whether one of these is wanted."""
        return any(name in self.cues for name in names)


RATE = re.compile(r"_(?:yoy|mom|qoq)$|同比|环比", re.IGNORECASE)


SAME = re.compile(r"(?:跟|与|同|和|比|较)?(?:上一?年|去年|前一年)同[期季月周](?:相?比)?")
EVERY = re.compile(r"每个?[季月周日天]|逐[季月周日]|\b(?:each|every)\b")


def read_wishes(said: Said, mentions: list[Mention]) -> Wishes:
    """Return what a request wants done, and take the words of windows, indicators, changes and
    steps ahead from it.
    """
    made = Wishes()
    for match in said.find(LASTLY):
        made.cues.add("latest")
        said.take(*match.span(), "latest")
    indicators(said, made)
    for form in ROLLING:
        for match in said.find(form):
            made.windows.append(count_of(match["n"]))
            said.take(*match.span(), "rolling")
    if made.windows or next(said.find(ROLLED), None):
        made.cues.add("rolling")
        for match in said.find(ROLLED):
            said.take(*match.span(), "rolling")
    year_before(said, made)
    rates = any(RATE.search(m.column) for m in mentions)
    for name in ("yoy", "mom", "forecast"):
        for match in said.find(FORMS_OF[name]):
            if rates and name != "forecast":
                continue  # it is the name of a column
            made.cues.add(name)
            said.take(*match.span(), name)
    match = next(said.find(AHEAD), None)
    if match and re.search(r"next|coming|未来|接下来|今后|往后", match[0]):
        made.cues.add("forecast")
    if "forecast" in made.cues and (half := next(said.find(HALF), None)):
        made.ahead = (6, "month")
        said.take(*half.span(), "ahead")
    elif "forecast" in made.cues and match:
        unit: Grain = next(grain for _, grain in UNITS if match.groupdict().get(grain))
        made.ahead = (count_of(match["n"]), unit)
        said.take(*match.span(), "ahead")
    order(said, made)
    return made


LASTLY = re.compile(
    r"(?:the |its )?(?:last|latest|final|most recent|current|newest) (?:available |single"
    r" )?(?:values?|readings?|figures?|points?|trading day|day|date)\b(?! (?:of|in)"
    r" )|最新(?:的)?(?:数?值|一[天日期]|读数)|最后(?:一个?)?(?:值|天|日|个?交易日)|最近一(?:期|天|日|个交易日)"
)


def indicators(said: Said, made: Wishes) -> None:
    """Read technical indicators with their windows."""
    for match in said.find(INDICATOR):
        name = match["name"] or (
            "boll" if match["b"] else "cci" if match["m"] else "rsi" if match["r"] else "kdj"
        )
        window = count_of(match["n"]) if match["n"] else None
        if (
            match["p"]
            and (inside := re.search(r"\d+", match["p"]))
            and name in ("rsi", "boll", "cci", "kdj")
        ):
            window = window or int(inside[0])
        made.indicators[name] = window if window != 1 else None
        said.take(*match.span(), "indicator")


def year_before(said: Said, made: Wishes) -> None:
    """Read "each quarter against the same of the year before" as a change, and not as two
    quarters.
    """
    same = next(said.find(SAME), None)
    if same and EVERY.search(said.text):
        made.cues.add("yoy")
        said.take(*same.span(), "yoy")


MOST = re.compile(r"\b(?:most|best|top)\b")


def order(said: Said, made: Wishes) -> None:
    """Read in which order rows are wanted, and how many of them."""
    text = said.text
    down, up = DOWNWARD.search(text), UPWARD.search(text)
    worst = re.search(r"\bworst\b|最差", text)
    if worst and BAD.search(text):
        made.order = "down"
    elif up and (
        not down
        or (up.start() <= down.start() and (down.end() <= up.end() or not MOST.search(down[0])))
    ):
        made.order = "up"
    elif down:
        made.order = "down"
    made.ranked = bool(down or up or RANKED.search(text))


NOT_WISHED = re.compile(
    r"(?:\bnot (?:the )?|不是|而非|非)(?:daily )?(?:returns?|changes?|growth|收益率?|涨跌幅)"
)


def read_rest(said: Said, made: Wishes) -> None:
    """Read the wishes that names of columns may hold, too, once those are taken: the "growth" of
    "profit growth".
    """
    for match in said.find(NOT_WISHED):
        said.take(*match.span(), "not wished")
    for name, form in FORMS_OF.items():
        if name not in ("yoy", "mom", "forecast") and next(said.find(form), None):
            made.cues.add(name)
    if match := next(said.find(FIRSTS, "ranked", "dim", "metric", "grain"), None):
        n = count_of(next(v for v in match.groupdict().values() if v))
        made.n = n if n > 1 else None
    if re.search(r"[日月季年周场次]均", said.text):
        made.cues.add("mean")
    if made.n is None and made.order and (ONE.search(said.text) or seeks_one(said)):
        made.n = 1
    for form, shape in FORMS:
        if next(said.find(form), None):
            made.form = made.form or shape
    if re.search(r"柱子|\bcolumn chart\b|柱图", said.text):
        made.form = made.form or "bar"
    if re.search(r"折线|\bline\b", said.text) and made.form is None:
        made.form = "line"
    if "candles" in made.cues:
        made.form = "candlestick"


def seeks_one(said: Said) -> bool:
    """Return whether "which" stands before one thing of a kind: "which sea carrier"."""
    for span in said.spans:
        head = said.text[span.start : span.end].removesuffix("'s")
        one = span.kind == "dim" and not re.search(r"(?<!s)s$", head)
        if one and re.search(r"\bwhich (?:[a-z]+ ){0,2}$", said.text[: span.start]):
            return True
    return False


INSIDE = (
    ("mean", re.compile(r"平均|\b(?:average|mean)\b"), re.compile(r"平均|average|avg|mean")),
    (
        "max",
        re.compile(r"最[高大强长]|\b(?:highest|strongest|largest|longest|peak)\b"),
        re.compile(r"最|max|high|peak"),
    ),
    ("min", re.compile(r"最[低小]|\b(?:lowest|smallest|weakest)\b"), re.compile(r"最|min|low")),
)


def read_names(made: Wishes, named: list[tuple[str, str]]) -> None:
    """Read what is made of several rows from what a column is called and is not named: "平均气温" of
    气温.

    named: what a column is called, and its name.
    """
    if made.has("sum", "mean", "median", "max", "min"):
        return
    for called, name in named:
        made.cues |= {
            how
            for how, form, known in INSIDE
            if form.search(called) and not known.search(name.lower())
        }
