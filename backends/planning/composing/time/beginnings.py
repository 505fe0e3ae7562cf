"""Conditions on when something began: "vessels built in 2015 or later", "2010年以后上市的股票"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from backends.planning.composing.conditions import Bound
from backends.planning.composing.mentions import Mention, find_columns
from backends.planning.days import day_in
from backends.planning.tables import plain

if TYPE_CHECKING:
    import datetime as dt

    from backends.data.values import ColumnProfile
    from backends.planning.composing.said import Said
    from backends.planning.tables import View

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
    """Tell whether each row of a table is a thing by itself, such as a ship or a share, and no day
    of one.
    """
    return any(c.distinct == view.profile.rows > 1 for c in view.texts)


def is_series(view: View) -> bool:
    """Tell whether a table goes on in time, and is no list of things with a day each."""
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
