"""What a plan is held against: counts, dates, nouns, operations, outcomes, parts and shapes."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from backends.data.periods import days_of
from backends.planning.building.cells import RATES
from backends.planning.checking.words import (
    DEMANDS,
    DRAWN,
    EACH,
    ENDS,
    FIRST_DATED,
    FORMS,
    HIGH,
    INDICATORS,
    LOW,
    NEVER,
    NTH,
    ONE_ASKED,
    ONLY_CHANGED,
    POOLED,
    RANGED,
    SERIES_ASKED,
    SINGLE,
    SOUGHT,
    SUMMED_UP,
    TABLE,
    THE_ONE,
)
from backends.planning.composing.mentions import OF_NUMBERS, Said, listed
from backends.planning.composing.time import read_units
from backends.planning.composing.wishes import MEMBERS, is_marked, told_as_one
from backends.planning.shapes import RATE
from backends.planning.tables import plain
from backends.planning.text import CJK, name_words, stem
from backends.planning.times import COUNT, MONTHS, NAMES, count_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from backends.planning.checking.offer import Offer
    from backends.planning.checking.single import Named, Request
    from backends.planning.tables import View

__all__ = ["COUNT", "demanded", "never", "order", "unasked", "undone"]


COUNTED_EN = re.compile(
    r"\b(?:how many|(?:the )?numbers? of|counts? of|count(?: up)?(?: all)?(?:"
    r" the)?)\s+(?P<noun>(?:[a-z0-9\0'-]+\s+){0,3}?[a-z\0'-]+)"
)
MEASURE = "只个家支名位种项条笔座款台辆场天次张间份件部所本"
COUNTED_ZH = re.compile(rf"(?:几|多少)[{MEASURE}]的?(?P<noun>[\u3400-\u9fff\0]{{1,6}})")
# Units that rows cannot be counted in.
AMOUNT = re.compile(
    r"多少(?:万|亿|千)?(?:度|吨|升|公斤|千克|克|斤|元|块|钱|米|公里|千米|平方|亩|小时|分钟|股|手|兆瓦|千瓦|立方)"
)
NUMBERED = re.compile(
    r"(?:的|月|天|年|季度)(?P<noun>[\u3400-\u9fff]{2})(?:天数|次数|人数|件数|起数)"
)
# What every row may be, or stands for.
COMMON = re.compile(
    r"^(?:rows?|records?|entries|entry|lines?|times?|cases?|days|weeks|months|quarters|years|people|persons|men|women|more|记录|行|次|条|人)"
)


def nouns(request: Request, offer: Offer) -> Iterator[str]:
    """Yield what is counted, if the rows that are counted are something else."""
    if not (offer.how == {"count"} or "count" in offer.done) or not offer.sources:
        return
    if amount := AMOUNT.search(request.bare):
        yield amount[0]
    match = (COUNTED_ZH if request.zh else COUNTED_EN).search(request.text)
    sure = [n for n in request.numbers if n.sure >= (0.7 if request.zh else 0.9)]
    if match and any(n.start < match.end("noun") and match.start("noun") < n.end for n in sure):
        yield match["noun"].strip()  # "how many machines": a column holds how many
    numbered = NUMBERED.search(request.bare)
    if numbered and not any(
        k.start < numbered.end("noun") and numbered.start("noun") < k.end for k in request.kinds
    ):
        yield numbered[0]
    if len(request.views) < 2:
        return  # there is nothing else to count
    view = next((v for v in request.views if v.uuid == offer.sources[0]), None)
    if view is None or match is None or "distinct" in offer.done:
        return
    start, end = match.span("noun")
    kinds = [k for k in request.kinds if k.start < end and start < k.end]
    if (
        any(is_row(view, k) for k in kinds)
        or COMMON.match(match["noun"])
        or "\0" in request.open[start:end]
    ):
        return
    own = {c.name for c in view.profile.columns}
    repeated = any(k.columns & own and not k.columns & offer.grouped for k in kinds)
    repeated = repeated or (
        bool(kinds) and is_named(view, match["noun"])
    )  # rows, or different ones?
    if repeated or (not kinds and not is_named(view, match["noun"])):
        yield match["noun"].strip()


def is_row(view: View, named: Named) -> bool:
    """Return whether each row of a table is one of what is named."""
    return any(
        c.name in named.columns and c.distinct == view.profile.rows for c in view.profile.columns
    )


def is_named(view: View, noun: str) -> bool:
    """Return whether a table is called by what is counted."""
    called = plain(f"{view.profile.name} {view.profile.description}")
    if CJK.search(noun):
        return any(noun[i : i + 2] in called for i in range(len(noun) - 1))
    return bool({stem(w) for w in name_words(noun)} & {stem(w) for w in name_words(called)})


def flags(request: Request, offer: Offer) -> Iterator[str]:
    """Yield words that name a column of yes and no, if no condition is made of it: "late
    parcels".
    """
    held = {str(c["column"]) for c in offer.conditions} | offer.keys
    for view in request.views:
        for column in view.texts:
            told = {plain(str(v)) for v in column.values}
            if column.distinct == 2 and told <= YES_NO and column.name not in held:
                yield from (
                    request.text[k.start : k.end]
                    for k in request.kinds
                    if k.sure >= 1.0
                    and k.columns == frozenset([column.name])
                    and not request.text.startswith(" or not", k.end)
                )


YES_NO = {"yes", "no", "true", "false", "y", "n", "是", "否", "有", "无", "0", "1", "t", "f"}


Y, M, D = r"(?P<y>(?:19|20)\d\d)", r"(?P<m>1[0-2]|0?[1-9])", r"(?P<d>3[01]|[12]\d|0?[1-9])"
WRITTEN = [
    re.compile(form)
    for form in (
        rf"(?:{Y}年)?(?<!\d){M}月{D}[日号]",
        rf"(?<!\d){Y}[-/.]{M}[-/.]{D}(?!\d)",
        rf"(?<![\d.]){D}(?:st|nd|rd|th)?(?: of)? (?P<name>{NAMES})\b(?:,? {Y})?",
        rf"\b(?P<name>{NAMES})\.? {D}(?:st|nd|rd|th)?(?![\d%])(?:,? {Y})?",
        rf"{Y}年{M}月(?!\d)",
        rf"(?<![\d-]){Y}-(?P<m>0[1-9]|1[0-2])(?![\d-])",
        rf"\b(?P<name>{NAMES})\.?(?: of)?,? {Y}\b",
    )
]


def written(request: Request, offer: Offer) -> Iterator[str]:
    """Yield days, and months of a year, that no step holds. Those of one that lie within a written
    range are not asked.
    """
    taken: list[tuple[int, int]] = []
    for form in WRITTEN:
        for match in form.finditer(request.open):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            taken.append(match.span())
            if not held(match, offer):
                yield match[0]


SPANS = re.compile(
    r"\bsince\b|\bfrom\b|\bafter\b|\bbefore\b|\buntil\b|\bto\b|\bup\b|\bonwards?\b|\blater\b|\bearlier\b|以来|起|至今|到|至|以后|之后|以前|之前|往后|及|-|–|~"
)
LAGGED = {
    "change",
    "growth",
    "rolling",
    "technical",
    "forecast",
    "returns",
    "loop_rank",
    "difference",
}


def beyond(request: Request, offer: Offer) -> Iterator[str]:
    """Yield the one year a request names, if days of other years are taken, too."""
    years = set(re.findall(r"(?<![\d.])(?:19|20)\d\d(?![\d.])", request.bare))
    if (
        len(years) != 1
        or SPANS.search(request.bare)
        or offer.done & LAGGED
        or not (offer.start and offer.end)
    ):
        return
    year = years.pop()
    if (offer.start[:4], offer.end[:4]) != (year, year):
        yield year


def held(match: re.Match[str], offer: Offer) -> bool:
    """Return whether a day or month stands in what is done."""
    said = match.groupdict()
    month = MONTHS[said["name"]] if said.get("name") else int(said["m"])
    year, day = said.get("y"), said.get("d")
    if year and day:
        try:
            on = dt.date(int(year), month, int(day))
        except ValueError:
            return True
        near = {
            (on + dt.timedelta(days=n)).isoformat() for n in (-1, 0, 1)
        }  # "before 1 July" ends in June
        return bool(near & offer.dates) or on.isoformat()[:7] in offer.dates
    return any(
        date[5:7] == f"{month:02}"
        and (not year or date[:4] == year)
        and (not day or len(date) == 7 or date[8:10] == f"{int(day):02}")
        for date in offer.dates
    )


def dates_in(given: Any) -> Iterator[str]:
    """Yield the days and months that stand anywhere in arguments: 2024-05-01, 2024-05."""
    if isinstance(given, dict | list):
        inner: Iterable[Any] = given.values() if isinstance(given, dict) else given
        for one in inner:
            yield from dates_in(one)
    elif isinstance(given, BaseModel):
        yield from dates_in(given.model_dump())
    elif isinstance(given, str) and (match := re.match(r"\d{4}-\d\d(?:-\d\d)?(?!\d)", given)):
        yield match[0]
    elif isinstance(given, str) and (days := days_of(given)):
        yield from (day.isoformat() for day in days)


DONE = (*(re.compile(form) for _, form, _ in DEMANDS), *FORMS.values(), SOUGHT)
BY = re.compile(
    r"\b(?:by|per|for each|for every|of each|of every|in each|in every|each|every)\s+(?:the |its"
    r" |their |of the |of )?(?P<noun>[a-z'-]+(?:\s+[a-z'-]+)?)"
)
MADE_OF = re.compile(
    r"\b(?:average|mean|median|total|combined)\s+(?:(?:daily|weekly|monthly|quarterly|yearly|annual|overall|single|simple|number|amount|sum|value|values|level|of|the|its|their|all|and|median|mean|average|total)\s+)*(?P<noun>[a-z'-]+)"
)
# Words that name nothing of a table; more of them are listed as no_noun.
NO_NOUN = re.compile(rf"(?:{HIGH}|{LOW}|{COUNT}|{NAMES})")
NOUNS_MEASURE = "只个家支名位种项条笔座款台辆场次间份件部所类"
OF_EACH = re.compile(rf"(?:每一?[{NOUNS_MEASURE}]|各[个家种类项])(?P<noun>[\u3400-\u9fff]{{2}})")
BY_ZH = re.compile(
    r"按(?:照|不同的?)?(?P<noun>[\u3400-\u9fff]{2,5}?)(?:来?(?:统计|汇总|分组|分类|划分|加总|合计|求和|拆分|分开|分别))"
)
NO_NOUN_ZH = re.compile(
    r"[年月日天周季的]|全年|星期|自然|交易|平均|数[字值据]|总|从|由|大|小|高|低|多|少|时间|日期|图|表|行|列|品[种类]|股票|基金|公司|成[分份]|考试|比赛|测试|统考|调查"
)


def unresolved(request: Request, offer: Offer) -> Iterator[str]:
    """Yield nouns by which something is told apart, or of which something is made, that nothing in
    the tables is called.
    """
    forms = (OF_EACH, BY_ZH) if request.zh else (BY, MADE_OF)
    known = [(n.start, n.end) for n in (*request.kinds, *request.numbers)]
    for form in forms:
        for match in form.finditer(request.open):
            start, end = match.span("noun")
            first = match["noun"].split()[0]
            if any(s < end and start < e for s, e in known) or demands(request.open, start):
                continue
            none = (
                NO_NOUN_ZH.match(first)
                if request.zh
                else first in listed("no_noun") or NO_NOUN.fullmatch(first)
            )
            if not none:
                yield match["noun"]


def quantity(request: Request, offer: Offer) -> Iterator[str]:
    """Yield a noun that names a quantity, is averaged or added up, and names nothing of the tables:
    "mean age".
    """
    for match in MADE_OF.finditer(request.open):
        start, end = match.span("noun")
        named = any(n.start < end and start < n.end for n in (*request.kinds, *request.numbers))
        if match["noun"] in listed("risky") and not named:
            yield match["noun"]


def unsaid(request: Request, offer: Offer) -> Iterator[str]:
    """Yield columns by which rows come out apart though neither they nor one of their values is
    named.
    """
    told = {p.column for e in request.entities for p in e.places} | {
        c for k in request.kinds for c in k.columns
    }
    priced = any(view.price for view in request.views)
    if priced or MEMBERS.search(request.text):
        return
    texts = {c.name for view in request.views for c in view.texts}
    if offer.limits:
        return  # "the three highest": of what there is one row each
    yield from sorted((offer.keys & texts) - told)


def hardly(request: Request, offer: Offer) -> Iterator[str]:
    """Yield words that name what is measured only by a word of its meaning: "crossings" of the
    income of a crossing.
    """
    if request.zh:
        return
    for column in sorted({c.name for v in request.views for c in v.numbers} & offer.measured):
        said = [n for n in request.numbers if column in n.columns]
        if said and max(n.sure for n in said) < 0.8:
            yield request.text[said[0].start : said[0].end]


def demands(text: str, at: int) -> bool:
    """Return whether a word says what is to be done."""
    return any(form.match(text, at) for form in DONE)


SHARE = re.compile(r"\bshares? of\b|\bshare\b|percent|proportion|fraction|%|占|比重|份额|比例|百分")
PERCENT = re.compile(r"%|\bper ?cent|\bpercentage|\brate\b|百分之|百分比|比例|率")
EXACTLY = re.compile(r"\bminus\b|\bdifference\b|\bsubtract|减去|减(?!少)|之差|差[值额距]")
IN_AMOUNTS = re.compile(
    r"多少(?:十|百|千|万|亿)*(?:元|块|人|吨|件|辆|台|度|公里|米|点)|\babsolute\b|[变增减](?:动|化|长|加|少)额|增减额|\bin"
    r" (?:million|thousand|billion)s?\b|\bin (?:euros?|dollars|pounds|yuan|units|tonnes|points)\b"
)


def amounts(request: Request, offer: Offer) -> Iterator[str]:
    """Yield the words of a difference, if a growth in percent comes out."""
    match = EXACTLY.search(request.bare) or IN_AMOUNTS.search(request.text)
    if match and offer.percent and not PERCENT.search(request.text):
        yield match[0]


def percents(request: Request, offer: Offer) -> Iterator[str]:
    """Yield the word for a percentage, if a quotient comes out as it is."""
    match = re.search(r"\bpercent(?:age)?\b|百分之|百分比", request.bare)
    others = offer.done & {"share", "growth", "change", "returns", "loop_rank", "difference"}
    if match and "/" in offer.signs and "*" not in offer.signs and not others:
        yield match[0]


WITHIN = re.compile(r"[里中](?:面)?[,，](?=.*占)|\bamong (?:the |all )?")


def within(request: Request, offer: Offer) -> Iterator[str]:
    """Yield words for the whole a share is of, if what stands before them restricts the part,
    too.
    """
    match = WITHIN.search(request.text)
    columns = {str(c["column"]) for c in offer.conditions}
    share = "share" in request.text or "占" in request.text
    if match and share and "/" in offer.signs and len(columns) > 1:
        yield match[0].strip(" ,，")


def sorted_down(request: Request, offer: Offer) -> Iterator[str]:
    """Yield words for an order of all of something, if only the first comes out."""
    match = re.search(
        r"\bsorted\b|\brank(?:ed)? (?:all|every|each)|排序|从[高低大小多少]到", request.bare
    )
    if match and offer.limits == {1} and EACH.search(request.bare):
        yield match[0]


def windows(request: Request, offer: Offer) -> Iterator[str]:
    """Yield words for a window of days, if one day is all that is read."""
    match = re.search(r"moving|rolling|均线|移动|滚动|\d+[日天]均", request.text)
    if match and "rolling" in offer.done and offer.start and offer.start == offer.end:
        yield match[0]


def lately(request: Request, offer: Offer) -> Iterator[str]:
    """Yield words for the last day, if all days come out."""
    match = re.search(
        r"\b(?:at|on) the (?:very )?last (?:trading |available )?(?:day|date|session)\b",
        request.text,
    )
    if (
        match
        and "technical" in offer.done
        and offer.shape != "value"
        and not offer.limits
        and not offer.dates
    ):
        yield match[0]


def mixed(request: Request, offer: Offer) -> Iterator[str]:
    """Yield "占" where a quotient has a sum below it, and no brackets say so."""
    if {"+", "/"} <= offer.signs and "占" in request.text and "(" not in request.text:
        yield "占"


def lasts(request: Request, offer: Offer) -> Iterator[str]:
    """Yield what is asked of several, if the last row of all of them is told."""
    alone = offer.shape in ("value", "series") and not offer.keys and not offer.limits
    if alone and offer.how == {"last"} and "merge" in offer.done:
        yield "所有" if request.zh else "all of them"


def shares(request: Request, offer: Offer) -> Iterator[str]:
    """Yield "share" where shares come out and none are asked for: "the volume of all shares in each
    sector".
    """
    if "share %" in offer.measured and not SHARE.search(request.open):
        yield "占比" if request.zh else "share"


def means(request: Request, offer: Offer) -> Iterator[str]:
    """Yield a mean that is asked of several on one day, if the value of each comes out."""
    match = re.search(r"平均|均值|中位|\b(?:average|mean|median)\b", request.bare)
    if (
        match
        and offer.each & offer.keys
        and offer.how & {"mean", "median"}
        and not EACH.search(request.bare)
    ):
        yield match[0]


def several(request: Request, offer: Offer) -> Iterator[str]:
    """Yield words for some periods, if the change of one comes out."""
    match = re.search(
        r"[两二三四五六七八九十\d]个(?:季度|月)(?![以之前后])|\ball (?:four |twelve"
        r" )?(?:quarters|months)\b",
        request.text,
    )
    if match and offer.shape == "value" and "change" in offer.done:
        yield match[0]


def which_grew(request: Request, offer: Offer) -> Iterator[str]:
    """Yield what grew, if two columns are named and only one is looked at."""
    named = [n for n in request.numbers if n.sure >= 0.9]
    grown = "growth" in offer.done and {"growth", "growth %"} & offer.by
    if grown and len({n.columns for n in named}) > 1 and offer.limits:
        yield request.text[named[-1].start : named[-1].end]


COMPILED = [(name, re.compile(form), served) for name, form, served in DEMANDS]
COUNTS = re.compile(r"[a-z\0 -]{0,14}|[\u3400-\u9fff\0]{0,4}")
THAN = re.compile(r"\bthan$")
HOW_MUCH = re.compile(r"\bhow (?:much|many)\b|\bby how\b|\bwhat\b")
RAIN = re.compile(r"\b(?:rain|snow|hail|precipitation)\w*\s+(?:that )?$|[雨雪]$")
# An operation nobody asked for: the interface, and the demands one of which has to be there. In
# both languages: what it is called.
UNASKED: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
    ("growth", ("change", "return", "difference", "share"), "growth", "增长"),
    ("change", ("change", "return", "difference"), "change", "变化"),
    ("correlation", ("correlation",), "correlation", "相关"),
    ("correlations", ("correlation",), "correlation", "相关"),
    ("forecast", ("forecast", "ahead"), "forecast", "预测"),
    ("cumulate", ("running", "runs"), "running total", "累计"),
    ("rolling", ("window",), "moving average", "移动平均"),
    ("share", ("share", "ratio"), "share", "占比"),
)
DOWN = re.compile(
    rf"\b(?:{LOW})\b|最[低小少差慢弱短冷轻]|从[低小少]到|由[低小少]到|升序|倒数|跌得?最|最[惨]|[降跌][幅得]?最"
)
UP = re.compile(rf"\b(?:{HIGH})\b|最[高大多好强快长热重贵]|从[高大多]到|由[高大多]到|降序")
FELL_MOST = re.compile(
    r"[跌降]得?最[多狠惨猛快大厉]|[跌降]幅最[大高]|\b(?:fell|dropped|declined|lost) (?:the"
    r" )?most\b|\b(?:sharpest|biggest|largest|steepest) (?:fall|drop|decline|loss)"
)
FLOW = re.compile(r"净流入|净买入|净流出|\bnet (?:in|out)?flows?\b|\bnet purchases\b")
CHANGES = re.compile(r"_(?:yoy|mom|qoq)(?![a-z])|同比|环比|增速|增长率|growth", re.IGNORECASE)
FELL = re.compile(r"跌|下降|降幅|\b(?:fell|fall|drop|decline|loss|lost|decrease)\w*")


def demanded(request: Request) -> dict[str, re.Match[str]]:
    """Return what is demanded, and where."""
    found = {name: m for name, form, _ in COMPILED if (m := form.search(request.bare))}
    if (change := found.get("change")) and RAIN.search(request.text[: change.start()]):
        found.pop("change")
    if "return" in found and not any(view.price for view in request.views):
        found.pop("return")  # a book that is returned
    less = found.get("difference")
    if (
        less
        and THAN.search(less[0])
        and any(n.start - less.end() <= 12 and n.start >= less.end() for n in request.numbers)
        and not HOW_MUCH.search(request.text)
    ):
        found.pop("difference")  # "less stock than its reorder level" is a condition
    return found


def undone(
    request: Request, offer: Offer, but: frozenset[str] | set[str] = frozenset()
) -> Iterator[str]:
    """Yield the words of demands nothing fulfils. but: demands that are not looked at."""
    found = demanded(request)
    for name, _, served in COMPILED:
        match = found.get(name)
        if (
            match is None
            or name == "ahead"
            or name in but
            or (name == "change" and is_told(offer, match[0]))
            or any(is_done(one, request, offer, match) for one in served)
        ):
            continue
        yield match[0]
    for match in INDICATORS.finditer(request.bare):
        if "technical" not in offer.done:
            yield match[0]


def is_told(offer: Offer, word: str) -> bool:
    """Return whether a column holds the change itself, or a line shows how something changes."""
    held = bool(offer.measured) and all(CHANGES.search(column) for column in offer.measured)
    return held or (word == "变化" and offer.shape == "series")


def is_done(served: str, request: Request, offer: Offer, match: re.Match[str]) -> bool:
    """Return whether a plan has what fulfils a demand."""
    if served == "=value":
        return offer.shape == "value"
    if served == "counted":  # "how many orders" of a column that counts them
        behind = request.text[match.end() :]
        near = [
            n
            for n in request.numbers
            if (n.start >= match.end() and COUNTS.fullmatch(request.text[match.end() : n.start]))
            or (n.start < match.start() <= n.end + 8 and request.zh)
        ]
        near = [n for n in near if n.sure >= 0.8]
        return any(n.columns & offer.columns for n in near) or bool(re.match(r"\s*\0", behind))
    if served == "returned":
        own = {c.name for view in request.views for c in view.numbers}
        held = offer.measured | offer.by
        return any(
            ("return" in c or "gain" in c) and (c in own or "loop_rank" not in offer.done)
            for c in held
        )
    kind, _, what = served.partition(":")
    if kind == "how":
        return what in offer.how
    if kind == "sign":
        return what in offer.signs
    return served in offer.done


def never(request: Request, offer: Offer) -> Iterator[str]:
    """Yield words for what no interface does."""
    if "technical" in offer.done:
        return
    for match in NEVER.finditer(request.bare):
        yield match[0]


def unasked(request: Request, offer: Offer) -> Iterator[str]:
    """Yield what operations are called that nobody asked for."""
    found = demanded(request)
    for interface, asked, english, chinese in UNASKED:
        if interface == "cumulate" and FLOW.search(request.bare):
            continue  # what flows in is shown with its running sum
        if interface in offer.done and not found.keys() & set(asked):
            yield chinese if request.zh else english
    counts = offer.done & {"count"} or ("count" in offer.how and not offer.how - {"count"})
    if counts and "count" not in found and not COUNTABLE.search(request.bare):
        yield "计数" if request.zh else "count"
    if "median" in offer.how and "median" not in found:
        yield "中位数" if request.zh else "median"


COUNTABLE = re.compile(
    r"\bhow often\b|\bfrequen\w+|\bhow many\b|\bmost"
    r" common\b|[几多][少]?次|几|[有共]多少|多少(?!万|亿|元|百分|\0|[?？。,，]|$)|频"
)


def order(request: Request, offer: Offer) -> Iterator[str]:
    """Yield words for an order or a number of rows that is not kept."""
    sought = SOUGHT.search(request.bare.replace("most recent", " " * 11))
    ranks = (
        offer.done & {"rank", "loop_rank", "extreme"}
        or offer.up is not None
        or offer.how & {"max", "min"}
    )
    if sought and not ranks:
        yield sought[0]
    one = THE_ONE.search(request.bare) or singular_which(request)
    if (
        one
        and SINGLE.search(request.bare)
        and offer.done & {"rank", "loop_rank", "group"}
        and not offer.limits
        and not EACH.search(request.bare)
    ):
        yield one[0]
    if match := NTH.search(request.bare):
        n = count_of(next(v for v in match.groupdict().values() if v))
        if n > 1 and n not in offer.limits:
            yield match[0]
    if offer.up is not None and sought:
        down, up = DOWN.search(request.bare), UP.search(request.bare)
        wrong = up if offer.up and not down else down if not offer.up and not up else None
        if FELL_MOST.search(request.bare) and not offer.up:
            yield FELL_MOST.search(request.bare)[0]  # type: ignore[index]
        elif wrong and not (FELL.search(request.bare) or re.search("worst|最差", request.bare)):
            yield wrong[0]


def singular_which(request: Request) -> re.Match[str] | None:
    """Return where "which" stands before one thing: "which sea carrier"."""
    for named in request.kinds:
        text = request.text[named.start : named.end]
        match = re.search(r"\bwhich (?:[a-z\0-]+ ){0,2}$", request.open[: named.start])
        if match and not re.search(r"(?<!s)s$", text.removesuffix("'s")):
            return match
    return None


def extremes(request: Request, offer: Offer) -> Iterator[str]:
    """Yield the words of a highest or lowest number that is asked for each, if all are added up or
    averaged instead.
    """
    if request.zh or not EACH.search(request.bare) or offer.how & {"max", "min"} or offer.limits:
        return
    for match in SINGLE.finditer(request.bare):
        after = [n for n in request.numbers if n.start - match.end() == 1]
        if (
            after
            and match[0] not in ("most", "least")
            and not re.search(r"\bby\b|\brank", request.text[: match.start()])
        ):
            yield request.text[match.start() : after[0].end]


def ends(request: Request, offer: Offer) -> Iterator[str]:
    """Yield the end of a year that is asked for, if the whole year is taken."""
    match = ENDS.search(request.text)
    if (
        match
        and offer.how & {"sum", "mean"}
        and not offer.how & {"last", "first"}
        and offer.done & {"difference", "group", "sum", "mean"}
    ):
        yield match[0]


YEAR = re.compile(r"(?<![\d.])(?:19|20)\d\d(?![\d.])")
PER = re.compile(r"\bper (?:[a-z]+ of (?:the )?)?$")
OWNER = re.compile(
    r"\s*(?:'s|’s|(?:所)?管理的|旗下的?|名下的?|发行的|家的)\s*(?:the )?"
)  # "Zhou's fund" names the fund
SMALL = {
    "是",
    "否",
    "有",
    "无",
    "yes",
    "no",
    "true",
    "false",
    "y",
    "n",
    "男",
    "女",
    "大",
    "小",
    "中",
}
BESIDE = {"correlation", "correlations", "difference", "between", "pivot", "share"}


def values(request: Request, offer: Offer) -> Iterator[str]:
    """Yield values that no condition holds, and several that come out as one."""
    together: dict[str, list[str]] = {}
    for i, entity in enumerate(request.entities):
        behind = request.entities[i + 1].at if i + 1 < len(request.entities) else -1
        if entity.said in SMALL or OWNER.fullmatch(
            request.text[entity.at + len(entity.said) : max(behind, 0)]
        ):
            continue
        places = {(p.source, p.column) for p in entity.places}
        held = plain(str(entity.places[0].value)) in offer.values or any(
            plain(str(p.value)) in offer.values for p in entity.places
        )
        if not held and not any(entity.said in c.lower() for c in offer.columns):
            yield entity.said
            continue
        for column in {column for _, column in places}:
            together.setdefault(column, []).append(entity.said)
    pooled = POOLED.search(request.open)
    for column, said in together.items():
        several = list(dict.fromkeys(said))
        apart = column in offer.keys or offer.signs or offer.done & BESIDE
        if len(several) > 1 and not apart and not pooled and all_in(request, column, several):
            yield " … ".join(several[:3])


def all_in(request: Request, column: str, said: list[str]) -> bool:
    """Return whether each of the values stands in this column alone."""
    here = [e for e in request.entities if e.said in said]
    return all({p.column for p in e.places} == {column} for e in here)


def columns(request: Request, offer: Offer) -> Iterator[str]:
    """Yield words that name a column of numbers nothing is done with, and columns nobody named."""
    for named in request.numbers:
        if named.sure >= 1.0 and not named.columns & offer.columns and not is_kind(request, named):
            yield request.text[named.start : named.end]


def rates(request: Request, offer: Offer) -> Iterator[str]:
    """Yield "per" before a column of numbers, if nothing is divided."""
    for named in request.numbers:
        if "/" not in offer.signs and PER.search(request.text[: named.start]):
            yield f"per {request.text[named.start : named.end]}"


def unnamed(request: Request, offer: Offer) -> Iterator[str]:
    """Yield columns that come out though no word names them: they were guessed. The only one of a
    table is no guess
    where something is made of numbers: a "mean" of marks.
    """
    made_of = bool(OF_NUMBERS.search(request.text))
    known = {c.name for v in request.views for c in v.numbers if len(v.numbers) > 1 or not made_of}
    prices = {p for v in request.views for p in [v.price, *(v.candles or {}).values()]}
    named = {c for n in request.numbers for c in n.columns}
    yield from sorted((offer.measured & known) - prices - named)


COMPARED = re.compile(
    r"(?:低于|高于|超过|不足|大于|小于|不到|多于|少于|超出|至少|\b(?:above|below|over|under|exceed(?:s|ing)?|(?:more|less|fewer|higher|lower|greater)"
    r" than|at least|at most))\s*(?P<v>\d[\d,]*(?:\.\d+)?)"
)
SCALES = (1.0, 1e3, 1e4, 1e6, 1e8, 0.01)


def bounds(request: Request, offer: Offer) -> Iterator[str]:
    """Yield comparisons with a number that no condition makes."""
    held = {float(v) for c in offer.conditions for v in values_of(c)}
    for match in COMPARED.finditer(request.untimed):
        value = float(match["v"].replace(",", ""))
        if not any(
            abs(value * scale - v) < 1e-9 * max(1.0, abs(v)) for scale in SCALES for v in held
        ):
            yield match[0]


def values_of(condition: dict[str, Any]) -> list[float]:
    """Return the numbers a condition compares with."""
    value = condition.get("value")
    several: list[Any] = value if isinstance(value, list) else [value]
    return [float(v) for v in several if isinstance(v, int | float) and not isinstance(v, bool)]


def is_kind(request: Request, named: Named) -> bool:
    """Return whether words that may name a column of numbers name one of text as well."""
    return any(
        k.start <= named.start and named.end <= k.end and k.sure >= named.sure - 0.3
        for k in request.kinds
    )


def days(request: Request, offer: Offer) -> Iterator[str]:
    """Yield years and parts of years that no range of days holds."""
    begin, end = offer.start[:4], offer.end[:4]
    told = {str(v)[:4] for v in offer.values}
    for match in YEAR.finditer(request.bare):
        year = match[0]
        inside = (begin or "0000") <= year <= (end or "9999") and (begin or end)
        if (
            not inside
            and year not in told
            and not any(str(year) in str(c.get("value")) for c in offer.conditions)
        ):
            yield year
    if (
        "read_cross_section" in offer.done
        and offer.start == offer.end
        and (match := RANGED.search(request.text))
    ):
        yield match[0]
    match = FIRST_DATED.search(request.bare)
    if match and not offer.bounded:
        yield match[0]


def only(request: Request, offer: Offer) -> Iterator[str]:
    """Yield words that keep only what rose or fell, if no condition does so."""
    match = ONLY_CHANGED.search(request.bare)
    if match and not any(
        re.search("change|growth|return", str(c.get("column"))) for c in offer.conditions
    ):
        yield match[0]


def sought(request: Request, offer: Offer) -> Iterator[str]:
    """Yield the words of a column that is to be highest or lowest, if something else decides the
    order.
    """
    if not offer.by:
        return
    for match in SINGLE.finditer(request.bare):
        if request.zh:
            near = [
                n
                for n in request.numbers
                if n.end == match.start() or request.text[n.end : match.start()] in ("", "的")
            ]
        else:
            near = [
                n
                for n in request.numbers
                if 0 < n.start - match.end() <= 8
                and re.fullmatch(r"[a-z ]*", request.text[match.end() : n.start])
            ]
        for named in near[:1]:
            if (
                named.sure >= 0.8
                and not any(c in by for c in named.columns for by in offer.by)
                and not offer.by & MADE
            ):
                yield request.text[min(named.start, match.start()) : max(named.end, match.end())]


MADE = {"growth %", "change %", "growth", "return %", "rows", "correlation", "value", "None"}


def summed(request: Request, offer: Offer) -> Iterator[str]:
    """Yield columns that are added up though their numbers make no sum."""
    if offer.how != {"sum"} or len(offer.measured) < 2:
        return
    for view in request.views:
        for column in view.numbers:
            told = f"{column.name} {column.unit or ''} {column.meaning}".lower()
            if column.name in offer.measured and column.additive is False and RATES.search(told):
                yield column.name


def weak(request: Request, offer: Offer) -> Iterator[str]:
    """Yield columns that come out beside others though hardly a word names them, or only a
    condition does.
    """
    names = {c.name for v in request.views for c in v.numbers} & offer.measured
    if len(names) < 2:
        return
    bounded = {str(c["column"]) for c in offer.conditions}
    for name in sorted(names):
        said = [n for n in request.numbers if name in n.columns]
        hardly = bool(said) and max(n.sure for n in said) < 0.9
        if hardly or (name in bounded and len(said) < 2):
            yield name


SHAPES_PER = re.compile(r"\baverage [a-z ]{1,30} per (?:day|week|month|quarter|year)\b")
PICTURES = {"line", "bar", "candlestick"}
CHARTS = PICTURES | {"scatter", "pie", "overlay"}


def groups(request: Request, offer: Offer) -> Iterator[str]:
    """Yield words for what each of should have a row of its own, and has none."""
    for named in request.kinds:
        text = request.text[named.start : named.end]
        marked = is_marked(request.text, named.start, named.end)
        if (
            marked < 2
            or told_as_one(request.text, named.start, named.end)
            or named.columns & (offer.keys | offer.grouped)
            or counted(request, named.start)
        ):
            continue
        if offer.shape == "value" and offer.done & {"distinct"}:
            continue
        yield text
    units = read_units(Said(request.untimed))
    rates = bool(offer.measured) and not offer.how and all(RATE.search(c) for c in offer.measured)
    if units.grain and units.each and not rates and not has_grain(offer, units.grain):
        yield word_at(request, units.at)


def counted(request: Request, at: int) -> bool:
    """Return whether what stands at a place is counted."""
    return bool(
        re.search(
            r"(?:几|多少)[个家只支条名位种座款所]?$|(?:how many|number of|count of)\s*(?:(?!each"
            r" |every |per |by |for )[a-z\0-]+ ){0,2}$",
            request.open[:at],
        )
    )


def has_grain(offer: Offer, grain: str) -> bool:
    """Return whether rows come out, or are made on the way, for each such unit of time."""
    return (
        grain in offer.grains
        or (offer.timed and (offer.every in (grain, None)))
        or (offer.every == grain)
        or (grain == "day" and bool(offer.how & {"mean", "median", "max", "min"}))
    )


def unasked_groups(request: Request, offer: Offer) -> Iterator[str]:
    """Yield columns by which rows come out apart though they are to be told as one."""
    for named in request.kinds:
        if named.columns & offer.keys and told_as_one(request.text, named.start, named.end):
            yield request.text[named.start : named.end]


def form(request: Request, offer: Offer, *, tables: bool = True) -> Iterator[str]:
    """Yield words for a picture that is not drawn; tables: or a table."""
    for name, pattern in FORMS.items():
        drawn = offer.done & {"line", "candlestick"} or (offer.done & PICTURES and offer.timed)
        if name in offer.done or (
            name == "line" and (offer.shape in ("series", "forecast") or drawn)
        ):
            continue
        for match in pattern.finditer(request.bare):
            if not any(k.start <= match.start() < k.end for k in request.kinds):
                yield match[0]
    if not tables or offer.shape != "value" or offer.done & {"correlation", *CHARTS}:
        return
    for pattern in (DRAWN, TABLE):
        if match := pattern.search(request.bare):
            yield match[0]


def size(request: Request, offer: Offer) -> Iterator[str]:
    """Yield words for one number where rows come out, and for rows where one number comes out."""
    each = EACH.search(request.bare)
    series = SERIES_ASKED.search(request.bare)
    if offer.shape == "value":
        if series:
            yield series[0]
        elif (
            (units := read_units(Said(request.untimed))).grain
            and not offer.grains
            and not offer.limits
            and not staged(request)
        ):
            yield word_at(request, units.at)
        elif (
            each
            and not offer.grains
            and not offer.how & {"mean", "median", "max", "min"}
            and (not offer.limits or "extreme" in offer.done)
        ):
            yield each[0]
        return
    if (
        offer.shape == "rows"
        and series
        and not offer.timed
        and not offer.grains
        and not offer.limits
    ):
        yield series[0]
    if offer.shape == "series" and (match := SUMMED_UP.search(request.bare)):
        yield match[0]
    if (
        offer.shape == "series"
        and not series
        and not each
        and (match := one_for_all(request, offer))
    ):
        yield match[0]
    if (
        offer.shape == "series"
        and not each
        and (match := SHAPES_PER.search(request.text))
        and not DRAWN.search(request.bare)
    ):
        yield match[0]
    one = ONE_ASKED.search(request.bare)
    wide = each or series or offer.limits or "pivot" in offer.done
    several = len(request.entities) > 1 or any(
        is_marked(request.text, n.start, n.end) >= 2 and not counted(request, n.start)
        for n in request.kinds
    )
    told = "read_value" in offer.done or (
        one is not None and "are" in one[0] and "mean_median" in offer.done
    )
    if (
        one
        and not told
        and not wide
        and not several
        and offer.shape in ("rows", "series")
        and not offer.raw
    ):
        yield one[0]


def one_for_all(request: Request, offer: Offer) -> re.Match[str] | None:
    """Return where the difference of two means or sums is asked for: one number, and not one for
    each day.
    """
    if (
        "-" not in offer.signs
        or read_units(Said(request.untimed)).grain
        or DRAWN.search(request.bare)
    ):
        return None
    return re.search(
        r"平均|均值|合计|总[和量额]|中位|\b(?:average|mean|median|total)\b", request.bare
    )


def word_at(request: Request, at: int) -> str:
    """Return the word that begins at a place."""
    match = re.match(r"[a-z-]+(?: [a-z]+)?|.{1,3}", request.text[at:])
    return match[0] if match else ""


def staged(request: Request) -> bool:
    """Return whether a mean over such units of time is asked for: "the average daily sales", 日均."""
    return bool(
        re.search(
            r"[日月周季年]均|平均每|每[日天月周季年]平均|\b(?:average|mean|median|highest|lowest|per)\b",
            request.text,
        )
    )
