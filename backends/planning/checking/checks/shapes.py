"""For what one row comes out, how many come out, and as what they are shown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backends.planning.checking.words import (
    DRAWN,
    EACH,
    FORMS,
    ONE_ASKED,
    SERIES_ASKED,
    SUMMED_UP,
    TABLE,
)
from backends.planning.composing.said import Said
from backends.planning.composing.slots import is_marked, told_as_one
from backends.planning.composing.time.grains import read_units
from backends.planning.shapes.read import RATE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backends.planning.checking.offer import Offer
    from backends.planning.checking.request import Request

PER = re.compile(r"\baverage [a-z ]{1,30} per (?:day|week|month|quarter|year)\b")
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


def undivided(request: Request, offer: Offer) -> Iterator[str]:
    """Yield the unit of time something is asked for each of, if it is told as a whole."""
    units = read_units(Said(request.untimed))
    if units.grain and units.each and not staged(request) and not has_grain(offer, units.grain):
        yield word_at(request, units.at)


def counted(request: Request, at: int) -> bool:
    """Tell whether what stands at a place is counted."""
    return bool(
        re.search(
            r"(?:几|多少)[个家只支条名位种座款所]?$|(?:how many|number of|count of)\s*(?:(?!each"
            r" |every |per |by |for )[a-z\0-]+ ){0,2}$",
            request.open[:at],
        )
    )


def has_grain(offer: Offer, grain: str) -> bool:
    """Tell whether rows come out, or are made on the way, for each such unit of time."""
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
        and (match := PER.search(request.text))
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
    """Tell whether a mean over such units of time is asked for: "the average daily sales", 日均."""
    return bool(
        re.search(
            r"[日月周季年]均|平均每|每[日天月周季年]平均|\b(?:average|mean|median|highest|lowest|per)\b",
            request.text,
        )
    )
