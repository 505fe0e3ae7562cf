"""Periods, grains and beginnings that a request speaks of."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backends.planning.composing.expressions import Bound
from backends.planning.composing.mentions import Mention, find_columns
from backends.planning.tables import plain
from backends.planning.text import CJK
from backends.planning.times import (
    COUNT,
    MONTHS,
    NAMES,
    PAST,
    RELATIVE,
    YEAR,
    YESTERDAY,
    back,
    count_of,
    day_in,
    months,
    relative,
    unit_of,
)

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile
    from backends.planning.composing.mentions import Said
    from backends.planning.tables import View
    from backends.planning.times import Grain


# What has a day of its own each: a game, an exam.
EVENT = re.compile(
    r"\b(?:per|each|every|by) (?:single"
    r" )?(?:game|match|fixture|exam|test|session|race|round|event|visit)\b|\b(?:game|match|exam|race)[-"
    r" ]by[-"
    r" ](?:game|match|exam|race)\b|[每逐]一?[场届轮回](?:比赛)?|[每逐]一?次(?!数)(?:考试|比赛|测试|统考|调查)?|单场"
)
UNITS: tuple[tuple[Grain, str, str, str], ...] = (
    ("day", "day", "daily", "日|天|交易日"),
    ("week", "week", "weekly", "周|星期"),
    ("month", "month", "monthly", "个?月"),
    ("quarter", "quarter", "quarterly", "个?季度?"),
    ("year", "year", "yearly|annual|annually", "年"),
)
ORDER: list[Grain] = ["day", "week", "month", "quarter", "year"]
EACH = r"each|every|per|by|for each|for every|in each|in every|of each|of every"
STRONG: list[tuple[Grain, re.Pattern[str]]] = [
    (
        grain,
        re.compile(
            rf"\b(?:{EACH}) (?:calendar |trading |single |business )?{unit}\b|\b{unit}[- ]by[- ]{unit}\b|\b(?:{adjective})(?= (?:average|mean|median|total|sum|high|low|maximum|minimum)s?\b)|(?:每|各|按|逐|分)(?:一?个?|自然)(?:{zh})(?:度|份)?(?!期|报告)"
        ),
    )
    for grain, unit, adjective, zh in UNITS
]
WEAK_ZH = {
    "day": "日度|每日|逐日|日均",
    "week": "周度",
    "month": (
        "月度|月均|(?<![\\d一二三四五六七八九十本当])月份(?=[(（,，"
        "]|$)|(?<![\\d一二三四五六七八九十本上当每个各逐同整])月(?=[\u3400-\u9fff]{0,4}(?:量|额|费|收入|支出|人数))"
    ),
    "quarter": "季度(?=数据|序列|平?均|总|合计)",
    "year": "年度(?!报)|历年|年均",
}
WEAK: list[tuple[Grain, re.Pattern[str]]] = [
    (grain, re.compile(rf"\b(?:{adjective})\b|{WEAK_ZH[grain]}"))
    for grain, _, adjective, _ in UNITS
]
BEST = r"(?:the |{0} )*(?:[a-z]+est|most [a-z]+|best|worst|top)".replace("{0}", COUNT)
WITH = (
    rf"(?:the )?{COUNT}(?= [a-z]+ (?:with|that|when|in which|where|of (?:the"
    r" )?(?:highest|lowest))\b)"
)
ASKED: dict[bool, list[tuple[Grain, re.Pattern[str]]]] = {
    False: [
        (
            grain,
            re.compile(
                rf"\b(?:(?:which|what|rank(?:ing)? the|top)(?: {COUNT})?|{BEST}|{WITH}) (?:{COUNT} )?(?:calendar |trading )?{unit}s?\b(?! (?:over|on|to|before|ago|by|so|in) )"
            ),
        )
        for grain, unit, _, _ in UNITS
    ],
    True: [
        (
            grain,
            re.compile(
                rf"(?:哪|最[高低大小多少好差快热冷](?:的|那|{COUNT})*|前)(?:{COUNT}|几|一)?个?(?:{zh})(?:份|度)?"
            ),
        )
        for grain, _, _, zh in UNITS
    ],
}
SEVERAL: list[tuple[Grain, re.Pattern[str]]] = [
    (
        grain,
        re.compile(
            rf"(?:{COUNT}|the|all)"
            rf" ?(?:个)?(?:{unit}s|{zh.removeprefix('个?')}度?)(?=[做放为当]|行|列|\b|的)"
        ),
    )
    for grain, unit, _, zh in UNITS
    if grain in ("month", "quarter", "year")
]


@dataclass(frozen=True)
class Units:
    """grain: how finely is asked. ranked: the unit that is sought or ranked. at: where it is said.
    each: whether "each" is said.
    """

    grain: Grain | None = None
    ranked: Grain | None = None
    at: int = 0
    each: bool = False
    ranked_at: int = 0


def taken(
    said: Said, forms: list[tuple[Grain, re.Pattern[str]]], kind: str
) -> list[tuple[int, Grain]]:
    """Return where units of time stand in these forms, and take them."""
    found: list[tuple[int, Grain]] = []
    for grain, form in forms:
        for match in said.find(form):
            found.append((match.start(), grain))
            said.take(*match.span(), kind)
    return found


def read_units(said: Said) -> Units:
    """Return how finely a request asks, by "each month" or else "monthly"; and the unit of time it
    ranks.
    """
    strong = taken(said, STRONG, "grain")
    if not strong:
        strong = taken(said, [("day", EVENT)], "grain")
    ranked = taken(said, ASKED[bool(CJK.search(said.text))], "ranked")[:1]
    weak = taken(said, WEAK, "grain")
    if not strong and not weak:
        weak = taken(said, SEVERAL, "grain")  # "the four quarters as columns"
    if not strong and not weak:
        at = ranked[0][0] if ranked else 0
        return Units(None, ranked[0][1] if ranked else None, at, ranked_at=at)
    first = strong[0] if strong else max(weak, key=lambda w: ORDER.index(w[1]))
    at = ranked[0][0] if ranked else 0
    return Units(first[1], ranked[0][1] if ranked else None, first[0], bool(strong), at)


# What a column of beginnings is called, and the words of a request for it.
EVENTS = [
    (re.compile(column), re.compile(said))
    for column, said in (
        (
            r"buil|construct|建成|竣工|建造|建于",
            r"\b(?:built|constructed|completed)\b|建成|竣工|建造|建于|修建",
        ),
        (
            r"open|inaugur|开业|开馆|启用|投产|投运|开通|开园|开办",
            r"\b(?:opened|inaugurated|opening)\b|开业|开馆|启用|投产|投运|开通|开园|开办|开的",
        ),
        (
            r"found|establish|since|成立|创办|创立|设立|建校",
            r"\b(?:founded|established|set up)\b|成立|创办|创立|设立|建校",
        ),
        (r"list|ipo|上市|挂牌", r"\b(?:listed|floated|went public)\b|上市|挂牌"),
        (
            r"join|hire|start|employ|入职|加入|入会|注册|regist",
            r"\b(?:joined|hired|started|employed|registered)\b|入职|加入|入会|注册",
        ),
        (r"born|birth|出生", r"\bborn\b|出生"),
        (
            r"launch|issu|releas|publish|发布|推出|上线|发行|出版",
            r"\b(?:launched|issued|released|published)\b|发布|推出|上线|发行|出版",
        ),
        (
            r"bought|purchas|acqui|commission|购入|购置|购买|投入使用|服役",
            r"\b(?:bought|purchased|acquired|commissioned)\b|购入|购置|购买|买的|投入使用|服役",
        ),
    )
]
COMMON = {
    "日期",
    "时间",
    "年份",
    "月份",
    "date",
    "day",
    "time",
    "year",
    "month",
}  # that name no beginning
BEFORE = r"earlier than|before|prior to|早于"
AFTER = r"after|later than|晚于"
SINCE = r"since|from|from .{0,4}on"
IN = r"in|on|during|于|在|"
TAIL = re.compile(
    r"\s*年?(?:(?P<upto>(?:及|或)(?:以前|之前|更早)|or"
    r" (?:earlier|before))|(?P<from>(?:及|或)(?:以后|之后|更晚)|以来|起|or (?:later|after)|and"
    r" later|onwards?)|(?P<before>以前|之前|前)|(?P<after>以后|之后|后))"
)


def is_list(view: View) -> bool:
    """Return whether each row of a table is a thing by itself, such as a ship or a share, and no
    day of one.
    """
    return any(c.distinct == view.profile.rows > 1 for c in view.texts)


def is_series(view: View) -> bool:
    """Return whether a table goes on in time, and is no list of things with a day each."""
    return bool(view.numbers) and view.grain is not None and view.profile.rows > 30


def dated(view: View) -> list[ColumnProfile]:
    """Return the columns that say when the things of a list began, by day or year."""
    days = [c for c in view.profile.columns if c.kind in ("date", "time") and not is_series(view)]
    return days + [c for c in view.profile.columns if c.role == "year" and is_list(view)]


def find_beginnings(said: Said, views: list[View], today: dt.date) -> list[Bound]:
    """Return the conditions on columns of beginnings, and take their words, days too."""
    columns = {(v.uuid, c.name): c for v in views for c in dated(v)}
    named = find_columns(said, [(v, c) for v in views for c in dated(v)])
    named = [m for m in named if m.said not in COMMON]
    found: list[Bound] = []
    for mention in sorted([*named, *verbs(said, views)], key=lambda m: m.start):
        made = condition(said, mention, columns[mention.source, mention.column], today)
        if made is not None and said.free(mention.start, mention.end):
            bound, start, end = made
            said.take(start, end, "condition")
            found.append(Bound(mention, bound))
    return found


def verbs(said: Said, views: list[View]) -> list[Mention]:
    """Return the words for a beginning of which a table has one column."""
    text = said.left()
    made: list[Mention] = []
    for view in views:
        for called, form in EVENTS:
            columns = [c for c in dated(view) if called.search(plain(f"{c.name} {c.meaning}"))]
            if len(columns) == 1:
                made += [
                    Mention(*m.span(), view.uuid, columns[0].name, 1.0, m[0])
                    for m in form.finditer(text)
                ]
    return made


def condition(
    said: Said, mention: Mention, column: ColumnProfile, today: dt.date
) -> tuple[dict[str, Any], int, int] | None:
    """Return the condition that stands behind or before a word, and where it begins and ends."""
    text = said.left().replace("\0", "\n")
    behind = day_in(text[mention.end : mention.end + 40], today)
    if behind is not None:
        (first, last), start, end, _ = behind
        gap = text[mention.end : mention.end + start]
        tail = TAIL.match(text, mention.end + end)
        if (sign := sign_of(gap.strip(" 时间年份日期,"), tail)) is not None:
            upto = tail.end() if tail else mention.end + end
            return of(column, sign, first, last), mention.start, upto
    at = max(0, mention.start - 18)
    before, place = None, at
    while (made := day_in(text[: mention.start], today, place)) is not None:
        before, place = made, made[2]
    if before is None:
        return None
    (first, last), start, end, _ = before
    tail = TAIL.match(text, end)
    if not re.fullmatch(
        r"\s*年?\s*(?:才|就|所)?", text[tail.end() if tail else end : mention.start]
    ):
        return None
    sign = sign_of("", tail)
    return None if sign is None else (of(column, sign, first, last), start, mention.end)


def sign_of(lead: str, tail: re.Match[str] | None) -> str | None:
    """Return how days are compared; None if the words between say something else."""
    if tail is not None and re.fullmatch(f"{IN}|{SINCE}", lead):
        told = next(name for name, value in tail.groupdict().items() if value)
        return {"upto": "<=", "from": ">=", "before": "<", "after": ">"}[told]
    for sign, form in (("<", BEFORE), (">", AFTER), (">=", SINCE), ("=", IN)):
        if re.fullmatch(form, lead):
            return sign
    return None


def of(column: ColumnProfile, sign: str, first: dt.date, last: dt.date) -> dict[str, Any]:
    """Return a comparison of a column of days or years with the days of a period."""
    if column.role == "year":
        return {"column": column.name, "op": sign, "value": first.year}
    if sign == "=":
        return {
            "column": column.name,
            "op": "between",
            "value": [first.isoformat(), last.isoformat()],
        }
    day = last if sign in ("<=", ">") else first
    return {"column": column.name, "op": sign, "value": day.isoformat()}


JOIN = re.compile(
    r"\s*(?:,? ?(?:up )?(?:to|until|till|through|thru)|到|至|—|–|-|~)\s*(?:the |end of )?"
)
AND = re.compile(r"\s*(?:,|、|;|\band\b|,\s*and\b|&|和|与|及|以及|vs\.?|versus|对比?|比|还有)\s*")
PERIODS_SINCE = re.compile(
    r"(?:since|after|from|starting(?: in| from| with)?|(?<!各)自从?|从)\s*(?:the )?(?:start of"
    r" |beginning of )?$"
)
ONWARDS = re.compile(
    r"^\s*(?:onwards?|on\b|and later|or later|(?:up )?(?:to|until|till|through) (?:the"
    r" )?(?:present|now|today|(?:latest|last|most recent|newest)(?: available)?(?:"
    r" (?:day|week|month|quarter|year|report|date|data))?)\b|(?:一?直)?到(?:现在|今天|最[新近]的?(?:一[期天个])?)|以来|至今|以后|之后|开始|起)"
)
SO_FAR = re.compile(r"^\s*(?:so far|to date|till now|until now)")
LEAD = re.compile(
    r"(?:从|自|在|于|截至|截止至?|\b(?:between|from|in|on|during|as"
    r" of|at|of|for|over|until|by|through|throughout|since|up"
    r" to|the))\s+$|(?:从|自|在|于|截至|截止至?)\s*$"
)
PERIODS_TAIL = re.compile(
    r"^\s*(?:的?(?:这段时间|期间|之间)|整[一二三四五六七八九十]+年|间|内|(?:这?[两一二三四五]个?(?:报告期|时点|日期))|全年|一整年)"
)
END_OF = re.compile(r"(?:at |by )?(?:the )?(?:end|close) of\s*$")
END_BEHIND = re.compile(r"^\s*的?(?:年?底|年?末|期末|月末|季末)")
BARE = re.compile(
    rf"(?:(?P<d>3[01]|[12]\d|[1-9])(?:st|nd|rd|th)? (?P<name>{NAMES})|(?P<name2>{NAMES})\.?"
    r" (?P<d2>3[01]|[12]\d|[1-9])(?:st|nd|rd|th)?(?!"
    rf" ?\d)|(?P<zm>十[一二]?|(?<!十)[一二三四五六七八九])月份?(?![一二三四五六七八九])|(?P<m>1[0-2]|0?[1-9])月(?:(?P<d3>3[01]|[12]\d|0?[1-9])[日号])?份?|(?P<name3>{NAMES})\b|(?P<n>1[0-2]|[1-9])(?=\s*(?:到|至|[-~—–－])\s*(?:1[0-2]|[1-9])月)|(?<=到)(?P<d4>3[01]|[12]\d|0?[1-9])[日号]|第?(?P<q>[一二三四1-4])季度|q(?P<q2>[1-4])\b)"
)
# from one end of all there is to the other
WHOLE = re.compile(
    r"\b(?:from|between) (?:the )?(?:very )?first (?:[a-z]+ )?(?:to|and|until) (?:the )?(?:very"
    r" )?last"
    r" (?:day|week|month|quarter|year|session|row|reading)\b|从?(?:第一|首)个?[日天周月季年]度?(?:到|至)(?:最后一?|末)个?[日天周月季年]度?"
)
EARLIER = re.compile(
    r"去年同期|去年同[月季周日]|上年同[月季]|上年同期|前一年同期|同比去年|(?:the )?same"
    r" (?:month|quarter|period|day|time|week)(?:(?: of)?(?: the)? (?:last|previous|prior) year|(?:"
    r" of| in)? the year (?:before|earlier)| a year (?:before|earlier))|(?:a|one) year"
    r" (?:earlier|before|ago)|(?:the )?(?:year before|previous year|prior year)"
)
DAY_EDGE = ("day", "edge", "report", "today")


@dataclass(frozen=True)
class Said_:
    """A period as it is written: where it stands, its first and last day, and what it is."""

    at: int
    end: int
    first: dt.date
    last: dt.date
    kind: str


@dataclass(frozen=True)
class When:
    """The days of a request: from, to; periods: those that are named apart from each other, at
    least two. point: one day, or the end of a period. said: whether any was named.
    """

    first: dt.date | None = None
    last: dt.date | None = None
    periods: tuple[tuple[dt.date, dt.date], ...] = ()
    kind: str = ""
    point: bool = False
    said: bool = False


def read_when(said: Said, today: dt.date) -> When:
    """Return the days a request is about, and take them from it."""
    for match in said.find(WHOLE):
        said.take(*match.span(), "time")
    earlier = next(said.find(EARLIER), None)
    if earlier:
        said.take(*earlier.span(), "time")
    found = joined(said, mentions(said, today), today)
    if not found:
        return When()
    for one in found:
        lead = LEAD.search(said.text[: one.at])
        start = lead.start() if lead else one.at
        lead = LEAD.search(said.text[:start])
        start = lead.start() if lead else start
        said.take(start, one.end, "time")
        if tail := PERIODS_TAIL.match(said.text[one.end :]):
            said.take(one.end, one.end + tail.end(), "time")
    if earlier:
        one = found[-1]
        found.append(
            Said_(*earlier.span(), back(one.first, 1, "year"), back_end(one.last), one.kind)
        )
    return together(found)


def back_end(day: dt.date) -> dt.date:
    """Return the same day a year before; the end of February stays its end."""
    end = calendar.monthrange(day.year - 1, day.month)[1]
    at_end = day.day == calendar.monthrange(day.year, day.month)[1]
    return dt.date(day.year - 1, day.month, end if at_end else min(day.day, end))


def together(found: list[Said_]) -> When:
    """Return several periods as one span, and each by itself where they stand apart."""
    point = len(found) == 1 and found[0].first == found[0].last
    spans = tuple((one.first, one.last) for one in found)
    spans = tuple(dict.fromkeys(spans))
    kinds = {one.kind for one in found}
    return When(
        min(s[0] for s in spans),
        max(s[1] for s in spans),
        spans if len(spans) > 1 and len(kinds) == 1 else (),
        found[0].kind,
        point,
        True,
    )


def mentions(said: Said, today: dt.date) -> list[Said_]:
    """Return every period that is written by itself, in order."""
    text = said.left().replace("\0", "\n")
    found: list[Said_] = []
    at = 0
    while at < len(text):
        best: Said_ | None = None
        if made := day_in(text, today, at):
            (first, last), start, end, kind = made
            best = Said_(start, end, first, last, kind)
        if (match := PAST.search(text, at)) and not re.match(
            r"(?:the )?(?:last|previous) (?:year|quarter|month|week)$", match[0]
        ):
            made_ = past(match, today)
            best = made_ if best is None or made_.at <= best.at else best
        for form in (RELATIVE, YESTERDAY):
            if (match := form.search(text, at)) and (best is None or match.start() < best.at):
                told = relative(match[0], today)
                if told:
                    kind = "day" if form is YESTERDAY else unit_word(match["unit"])
                    best = Said_(match.start(), match.end(), *told[0], kind)
        if best is None:
            break
        found.append(best)
        at = best.end
    found = with_bare(text, found, today)
    years = [one for one in found if year_of_others(one, found, text)]
    for one in years:
        said.take(one.at, one.end, "time")
    return [one for one in found if one not in years]


def unit_word(said: str) -> str:
    """Return the unit a word means."""
    return {"季度": "quarter", "月": "month", "周": "week"}.get(said, said)


def past(match: re.Match[str], today: dt.date) -> Said_:
    """Return the days of "the last three months"."""
    said = match["n"] or (match["en"] or "1").strip()
    unit: Grain = unit_of(match)
    start = back(today, 6, "month") if said == "半" else back(today, count_of(said), unit)
    return Said_(match.start(), match.end(), start, today, "past")


def with_bare(text: str, found: list[Said_], today: dt.date) -> list[Said_]:
    """Return the periods with those that leave their year to another: "from 15 May to 15 June
    2026", "1月到5月".
    """
    taken = [(one.at, one.end) for one in found]
    years = [one for one in found if one.kind != "past"]
    made = list(found)
    for match in BARE.finditer(text):
        if any(match.start() < end and start < match.end() for start, end in taken):
            continue
        bound = (
            match["d"]
            or match["d2"]
            or match["m"]
            or match["n"]
            or match["q"]
            or match["q2"]
            or match["d4"]
            or match["zm"]
        )
        beside = any(
            AND.fullmatch(text[match.end() : one.at]) or JOIN.fullmatch(text[match.end() : one.at])
            for one in found
        )
        if not bound and not beside:
            continue  # "may" alone is no month
        year = (
            min(years, key=lambda one: abs(one.at - match.start())).last.year
            if years
            else today.year
        )
        month = match["m"] or match["n"]
        if match["zm"]:
            month = str(count_of(match["zm"]))
        if match["d4"] and years:
            month = str(min(years, key=lambda one: abs(one.at - match.start())).last.month)
        if name := match["name"] or match["name2"] or match["name3"]:
            month = MONTHS[name]
        if quarter := match["q"] or match["q2"]:
            n = {"一": 1, "二": 2, "三": 3, "四": 4}.get(quarter) or int(quarter)
            span, kind = months(year, 3 * n - 2, 3 * n), "quarter"
        else:
            span, kind = months(year, int(month or 1), int(month or 1)), "month"
        if day := match["d"] or match["d2"] or match["d3"] or match["d4"]:
            if int(day) > span[1].day:
                continue
            on = span[0].replace(day=int(day))
            span, kind = (on, on), "day"
        made.append(Said_(match.start(), match.end(), span[0], span[1], kind))
    return sorted(made, key=lambda one: one.at)


def year_of_others(one: Said_, all_: list[Said_], text: str) -> bool:
    """Return whether a year only says which year a bare month means: "今年 … (1月到5月)"."""
    if one.kind != "year" or one.first.month != 1:
        return False
    others = [
        o
        for o in all_
        if o is not one and o.kind in ("month", "quarter", "day") and o.first.year == one.first.year
    ]
    written = [o for o in others if not re.search(YEAR, text[o.at : o.end])]
    return bool(written)


def joined(said: Said, found: list[Said_], today: dt.date) -> list[Said_]:
    """Return the periods, those joined by "to" as one, those said to last until today as such."""
    made: list[Said_] = []
    for one in found:
        gap = said.text[made[-1].end : one.at] if made else ""
        if made and JOIN.fullmatch(gap) and one.last >= made[-1].first:
            before = made.pop()
            made.append(Said_(before.at, one.end, before.first, one.last, before.kind))
            continue
        if (
            made
            and made[-1].kind in DAY_EDGE
            and one.kind in DAY_EDGE
            and re.search(r"between [^,]*$", said.text[: made[-1].at])
            and re.fullmatch(r"\s*and\s*", gap)
        ):
            before = made.pop()
            made.append(Said_(before.at, one.end, before.first, one.last, before.kind))
            continue
        if (
            made
            and re.search(r"between\s*$", said.text[: made[-1].at])
            and re.fullmatch(r"\s*and\s*", gap)
        ):
            before = made.pop()
            made.append(Said_(before.at, one.end, before.first, one.last, before.kind))
            continue
        made.append(one)
    return [stretched(said, one, today) for one in made]


def stretched(said: Said, one: Said_, today: dt.date) -> Said_:
    """Return a period that begins or ends otherwise than it is written: "since", "so far", "the end
    of".
    """
    behind, before = said.text[one.end :], said.text[: one.at]
    if match := END_BEHIND.match(behind):
        return Said_(one.at, one.end + match.end(), one.last, one.last, "edge")
    if match := END_OF.search(before):
        return Said_(match.start(), one.end, one.last, one.last, "edge")
    if match := ONWARDS.match(behind):
        return Said_(one.at, one.end + match.end(), one.first, max(today, one.last), one.kind)
    if match := SO_FAR.match(behind):
        return Said_(one.at, one.end + match.end(), one.first, min(today, one.last), one.kind)
    if (
        (match := PERIODS_SINCE.search(before))
        and one.first <= today
        and match[0].strip() not in ("from", "从", "after")
    ):
        return Said_(match.start(), one.end, one.first, max(today, one.last), one.kind)
    return one
