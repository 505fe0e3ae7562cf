"""What comes out in another form than is asked: in percent or in amounts, the last of all, only the
first, all days.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.planning.checking.words import EACH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backends.planning.checking.offer import Offer
    from backends.planning.checking.request import Request

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
