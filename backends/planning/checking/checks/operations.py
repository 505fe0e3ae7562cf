"""Operations that are demanded and not done, or done and not demanded; the order and number of
rows.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.planning.checking.words import (
    DEMANDS,
    EACH,
    ENDS,
    HIGH,
    INDICATORS,
    LOW,
    NEVER,
    NTH,
    SINGLE,
    SOUGHT,
    THE_ONE,
)
from backends.planning.days import COUNT, count_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backends.planning.checking.offer import Offer
    from backends.planning.checking.request import Request

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
    """Tell whether a column holds the change itself, or a line shows how something changes."""
    held = bool(offer.measured) and all(CHANGES.search(column) for column in offer.measured)
    return held or (word == "变化" and offer.shape == "series")


def is_done(served: str, request: Request, offer: Offer, match: re.Match[str]) -> bool:
    """Tell whether a plan has what fulfils a demand."""
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


__all__ = ["COUNT", "demanded", "never", "order", "unasked", "undone"]
