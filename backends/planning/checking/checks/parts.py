"""Values, columns and days that are named and not used."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from backends.planning.building.cells import RATES
from backends.planning.checking.words import FIRST_DATED, ONLY_CHANGED, POOLED, RANGED, SINGLE
from backends.planning.composing.mentions import OF_NUMBERS
from backends.planning.tables import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backends.planning.checking.offer import Offer
    from backends.planning.checking.request import Named, Request

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
    """Tell whether each of the values stands in this column alone."""
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
    """Tell whether words that may name a column of numbers name one of text as well."""
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
