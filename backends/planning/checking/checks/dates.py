"""Days and months that are written out, and stand nowhere in what is done."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from backends.data.periods import days_of
from backends.planning.days import MONTHS, NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from backends.planning.checking.offer import Offer
    from backends.planning.checking.request import Request

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
    """Tell whether a day or month stands in what is done."""
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
