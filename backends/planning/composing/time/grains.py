"""The units of time a request names: each of them, or which of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from backends.planning.days import COUNT
from backends.understanding.spans.text import CJK

if TYPE_CHECKING:
    from backends.planning.composing.said import Said
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
