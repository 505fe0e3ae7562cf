"""Whether one operation serves a request, and the verdict on it."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from backends.planning.checking import checks
from backends.planning.checking.offer import Offer, of_reading, of_steps
from backends.planning.checking.words import NTH, SOUGHT
from backends.planning.composing.mentions import Said, compounds, form_of, kinds_of, phrases
from backends.planning.composing.time import read_units, read_when
from backends.planning.composing.wishes import is_marked
from backends.planning.tables import Entity, View, find_entities, plain
from backends.planning.times import count_of
from backends.understanding.describe import which_column
from backends.understanding.spans.text import CJK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from backends.data.values import Profile
    from backends.data.workflow.step import Step
    from backends.understanding import Reading, Understanding


@dataclass(frozen=True)
class Named:
    """Words that may name columns. columns: which ones; sure: how surely, 1 and more by a whole
    name.
    """

    start: int
    end: int
    columns: frozenset[str]
    sure: float


@dataclass(frozen=True)
class Request:
    """A request. text: in one form of each character; bare: the same, blanks where values or
    columns of numbers are named; open: only values are blanks; untimed: days are blanks, too.
    """

    text: str
    open: str
    bare: str
    untimed: str
    views: list[View]
    entities: list[Entity]
    numbers: list[Named]
    kinds: list[Named]

    @property
    def zh(self) -> bool:
        """Whether it was asked in Chinese."""
        return bool(CJK.search(self.text))


def read(question: str, views: list[View]) -> Request:
    """Return what a request about some tables names."""
    text = plain(question)
    entities, _ = find_entities(question, views)
    open_ = text
    for entity in sorted(entities, key=lambda e: -len(e.said)):
        form = (
            re.escape(entity.said)
            if CJK.search(entity.said)
            else rf"(?<![a-z0-9]){re.escape(entity.said)}(?:'s|s)?(?![a-z0-9])"
        )
        open_ = re.sub(form, lambda m: "\0" * len(m[0]), open_)
    numbers = longest(number_names(open_, views))
    kinds = longest(kind_names(open_, views))
    bare = open_
    for one in numbers:
        bare = bare[: one.start] + "\0" * (one.end - one.start) + bare[one.end :]
    timed = Said(bare.replace("\0", " "))
    read_when(timed, dt.date(2026, 1, 1))  # where days stand does not hang on which day it is
    return Request(text, open_, bare, timed.left(), views, entities, numbers, kinds)


def number_names(text: str, views: list[View]) -> list[tuple[int, int, str, float]]:
    """Return where columns of numbers are named."""
    return [
        (*match.span(), column.name, score)
        for view in views
        for column in view.numbers
        for phrase, score in (*phrases(column.name, column.meaning), *compounds(column.name, text))
        if score >= 0.7
        for match in re.finditer(form_of(phrase), text)
    ]


def kind_names(text: str, views: list[View]) -> list[tuple[int, int, str, float]]:
    """Return where columns of text are named by what their values are."""
    return [
        (*match.span(), column.name, score)
        for view in views
        for column in view.texts
        if column.distinct >= 2
        for phrase, score in kinds_of(
            column, view.profile.name if column.distinct == view.profile.rows else "", text
        )
        for match in re.finditer(form_of(phrase), text)
    ]


def longest(found: list[tuple[int, int, str, float]]) -> list[Named]:
    """Return the places that lie in no longer one, each with all columns it may name."""
    kept: list[Named] = []
    for start, end in sorted({(f[0], f[1]) for f in found}, key=lambda p: (p[0] - p[1], p[0])):
        if any(start < k.end and k.start < end for k in kept):
            continue
        within = [f for f in found if start <= f[0] and f[1] <= end]
        here = [f for f in within if (f[0], f[1]) == (start, end)]
        kept.append(Named(start, end, frozenset(f[2] for f in within), max(f[3] for f in here)))
    return sorted(kept, key=lambda k: k.start)


KNOWN = {
    "count",
    "sum",
    "ratio",
    "runs",
    "product",
}  # demands a single operation's own reading is sure of
RATIO = re.compile(r"\bdivided by\b|\bratio\b|除以|之比|比值|比率|人均")
EVERY = re.compile(r"\beach\b|各(?!种各样|位|级)|分别|每[家个只种](?!月|年|季|星期|小时)")
COUNTED_TOO = re.compile(
    r"\bnumber of [a-z]+ and\b|\band (?:the )?number of\b|有几[家个座只]|[座家]数"
)
SAME = re.compile(r"同[月季期周](?!比)|\bsame (?:month|quarter|period|week)\b")
OF_DAYS = re.compile(
    r"\bof (?:the )?(?:year|annual|total of the year|all"
    r" years)\b|占(?:全年|全部|当年|总)|\b(?:fell|came|was) in\b"
)
LISTS = ("list_rows", "look_up", "series", "latest")


def doubtful(request: Request, offer: Offer, reading: Reading) -> Iterator[str]:
    """Yield the words of a question that one operation does not serve."""
    name = reading.interface
    yield from checks.undone(
        request, offer, but=KNOWN | ({"difference"} if compared(request, offer) else set[str]())
    )
    if (match := RATIO.search(request.bare)) and not offer.signs:
        yield match[0]
    yield from checks.never(request, offer)
    yield from checks.values(request, offer)
    yield from checks.form(request, offer, tables=False)
    if name == "count" or offer.how == {"count"}:
        yield from checks.unasked(request, offer)
    yield from unordered(request, offer)
    yield from checks.bounds(request, offer)
    yield from coarse(request, offer)
    if offer.how & {"mean", "median"} and (match := COUNTED_TOO.search(request.bare)):
        yield match[0]
    yield from checks.ends(request, offer)
    yield from rows_for_periods(request, offer)
    if (
        name == "difference"
        and reading.arguments.get("how") != "percent"
        and (match := PERCENT.search(request.bare))
    ):
        yield match[0]
    if name in ("difference", "change") and (match := SAME.search(request.text)):
        yield match[0]
    if name == "share":
        yield from only_days(request, reading)
        yield from both_sides(request, reading)
    if name not in LISTS:
        yield from apart(request, offer)
    yield from repeated(request, offer)
    if len(request.views) > 1 or name != "count":
        yield from checks.columns(request, offer)
    yield from checks.nouns(request, offer)
    yield from checks.quantity(request, offer)
    yield from all_in_order(request, offer)
    yield from uncounted(request, offer)
    yield from two_times(request, reading)
    if len(request.views) > 1:
        yield from checks.unresolved(request, offer)
    yield from unasked_mean(request, offer)
    yield from checks.written(request, offer)
    if name not in LISTS:
        yield from checks.undivided(request, offer)
        yield from checks.rates(request, offer)


ALL_IN_ORDER = re.compile(
    r"\b(?:[a-z]+est|most|least|best|worst)"
    r" first\b|的(?:放|排)?在?最?前|排序|排列|[从由][高低大小多少]到[高低大小多少]"
)
PERCENT = re.compile(r"%|\bper ?cent\b|\bpercentage\b(?! points?)|百分之|百分比")
PRICE = re.compile(r"\bpric|\bclos(?:e|ing)\b|\bquot|收盘|股价|价格|净值")


PERIODS = re.compile(
    r"(?:几|多少)个?(?:季度|月|天|年|周)|\bhow many (?:days|weeks|months|quarters|years)\b"
)


def uncounted(request: Request, offer: Offer) -> Iterator[str]:
    """Yield words for a number of days or periods, if something is added up instead."""
    match = PERIODS.search(request.bare)
    if match and offer.done & {"sum", "mean", "median"} and not offer.how & {"count"}:
        yield match[0]


def two_times(request: Request, reading: Reading) -> Iterator[str]:
    """Yield "to" of a range of which both ends became conditions of their own: "January to May" as
    the year, in May.
    """
    where = [
        c if isinstance(c, dict) else c.model_dump() for c in reading.arguments.get("where") or []
    ]
    times = {name for view in request.views for name in view.time}
    held = [c for c in where if c["column"] in times and c["op"] in ("between", "=", "in")]
    match = re.search(r"[到至]|(?<=[a-z]) (?:to|through|until) |–", request.text)
    if match and len(held) > 1 and len({c["column"] for c in held}) == 1:
        yield match[0].strip()


def unasked_mean(request: Request, offer: Offer) -> Iterator[str]:
    """Yield what a mean is called where the price over some days is asked for: that is a line."""
    ranged = any(c.get("op") == "between" and not one_day(c) for c in offer.conditions)
    unasked = "mean" in offer.done and "mean" not in checks.demanded(request)
    every = read_units(Said(request.untimed)).grain
    if ranged and unasked and (every or PRICE.search(request.text)):
        yield "平均值" if request.zh else "mean"


def all_in_order(request: Request, offer: Offer) -> Iterator[str]:
    """Yield words for an order of all, if only the first comes out."""
    if offer.limits == {1} and (match := ALL_IN_ORDER.search(request.bare)):
        yield match[0]


def both_sides(request: Request, reading: Reading) -> Iterator[str]:
    """Yield values that part and whole have in common, if only the part is restricted to them:
    "soya of A in all soya".
    """
    where = {
        str(c["value"] if isinstance(c, dict) else c.value).lower()
        for c in reading.arguments.get("where") or []
    }
    for entity in request.entities:
        if request.text.count(entity.said) > 1 and entity.said not in where:
            yield entity.said


def only_days(request: Request, reading: Reading) -> Iterator[str]:
    """Yield values that restrict the whole, if the part is only a range of days: "Arden's share in
    May" is no share of May.
    """
    times = {name for v in request.views for name in v.time}
    part = {
        str(c["column"] if isinstance(c, dict) else c.column)
        for c in reading.arguments.get("part") or []
    }
    if part and part <= times and not OF_DAYS.search(request.bare):
        yield from (e.said for e in request.entities)


def compared(request: Request, offer: Offer) -> bool:
    """Tell whether a condition compares a column: "less stock than its reorder level" is no
    difference.
    """
    numbers = {c.name for v in request.views for c in v.numbers}
    return "count" in offer.done and any(str(c["column"]) in numbers for c in offer.conditions)


def coarse(request: Request, offer: Offer) -> Iterator[str]:
    """Yield the unit of time a series should have, if it comes out finer."""
    units = read_units(Said(request.untimed))
    own = {v.grain for v in request.views}
    if "series" in offer.done and units.grain and units.grain not in offer.grains | own:
        yield checks.word_at(request, units.at)


def rows_for_periods(request: Request, offer: Offer) -> Iterator[str]:
    """Yield the month that is sought, if single rows are ranked and those are days."""
    units = read_units(Said(request.untimed))
    finer = {v.grain for v in request.views} & {"day", "week", "month", "quarter"}
    if "extreme" in offer.done and units.ranked not in (None, "day") and units.ranked not in finer:
        yield checks.word_at(request, units.ranked_at)


def unordered(request: Request, offer: Offer) -> Iterator[str]:
    """Yield words for an order, or a number of rows, that is not kept."""
    sought = SOUGHT.search(request.bare.replace("most recent", " " * 11))
    if (
        sought
        and offer.up is None
        and not offer.limits
        and not offer.done & {"latest", "between", "difference", "share"}
    ):
        yield sought[0]
    if match := NTH.search(request.bare):
        n = count_of(next(v for v in match.groupdict().values() if v))
        if n not in offer.limits and (n > 1 or not offer.limits):
            yield match[0]


def apart(request: Request, offer: Offer) -> Iterator[str]:
    """Yield words for each of something, where one number comes out for all."""
    for named in request.kinds:
        before = request.text[max(0, named.start - 8) : named.start]
        said = EVERY.search(before) or (
            re.search(r"[按分]$", before) if not named.columns & offer.keys else None
        )
        if said and not named.columns & offer.columns and not checks.counted(request, named.start):
            yield request.text[named.start : named.end]
    if every_one(request, offer):
        yield "every"
    if (
        offer.shape == "value"
        and (match := EVERY.search(request.bare))
        and not offer.how & {"mean", "median"}
    ):
        yield match[0]
    if offer.done & {"share", "difference"} and (match := SOUGHT.search(request.bare)):
        yield match[0]


def every_one(request: Request, offer: Offer) -> bool:
    """Tell whether one number comes out for every one of something."""
    every = re.search(r"\bevery (?!day|week|month|quarter|year|other)", request.bare)
    return (
        bool(every)
        and offer.shape == "value"
        and not re.search(r"\bhow (?:many|much)\b|\bin every\b", request.bare)
    )


def repeated(request: Request, offer: Offer) -> Iterator[str]:
    """Yield a kind of thing of which the first few are asked for, where the first few rows come
    out: a thing may have many.
    """
    if (
        "extreme" not in offer.done
        or offer.limits <= {1}
        or any(c.get("op") == "between" and one_day(c) for c in offer.conditions)
    ):
        return
    for named in request.kinds:
        views = [
            v
            for v in request.views
            for c in v.texts
            if c.name in named.columns and c.distinct * 2 < v.profile.rows
        ]
        if (
            views
            and is_marked(request.text, named.start, named.end)
            and not any(
                str(c.get("value"))[:2] in ("19", "20") and c.get("op") == "="
                for c in offer.conditions
            )
        ):
            yield request.text[named.start : named.end]


def one_day(condition: dict[str, object]) -> bool:
    """Tell whether a range holds one day."""
    value = condition.get("value")
    return isinstance(value, list) and len(value) == 2 and str(value[0])[:10] == str(value[1])[:10]


CHECKS = (
    checks.undone,
    checks.never,
    checks.unasked,
    checks.order,
    checks.extremes,
    checks.ends,
    checks.values,
    checks.columns,
    checks.unnamed,
    checks.rates,
    checks.bounds,
    checks.days,
    checks.only,
    checks.sought,
    checks.summed,
    checks.weak,
    checks.groups,
    checks.unasked_groups,
    checks.form,
    checks.size,
    checks.amounts,
    checks.lasts,
    checks.mixed,
    checks.percents,
    checks.within,
    checks.sorted_down,
    checks.windows,
    checks.lately,
    checks.shares,
    checks.means,
    checks.several,
    checks.which_grew,
    checks.nouns,
    checks.flags,
    checks.unresolved,
    checks.unsaid,
    checks.hardly,
    checks.written,
    checks.beyond,
)


def doubts_of_steps(question: str, views: list[View], steps: list[Step]) -> list[str]:
    """Return the words of a request that the steps of a plan do not serve."""
    return doubts(read(question, views), of_steps(steps, views))


def doubts_of_reading(question: str, profiles: list[Profile], reading: Reading) -> list[str]:
    """Return the words of a question that one operation on one table does not serve."""
    request = read(question, [View(profile) for profile in profiles])
    return spelled(doubtful(request, of_reading(reading), reading))


def checked(question: str, profiles: list[Profile], understood: Understanding) -> Understanding:
    """Return how a question was understood, the words that its operation does not serve among those
    that are told as left out.
    """
    if understood.decision not in ("answer", "confirm") or not understood.readings:
        return understood
    found = doubts_of_reading(question, profiles, understood.readings[0])
    if not found:
        return understood
    ignored = list(dict.fromkeys([*understood.ignored, *found]))
    if (about := counted_instead(question, profiles, understood.readings[0])) is not None:
        back = which_column(about, understood.language)
        return understood.model_copy(update={"decision": "ask", "ignored": ignored, "back": back})
    return understood.model_copy(update={"decision": "confirm", "ignored": ignored})


def counted_instead(question: str, profiles: list[Profile], reading: Reading) -> Profile | None:
    """Return the table whose rows are counted where a sum or a mean is asked for, of a column that
    was not found.
    """
    if reading.interface != "count":
        return None
    demands = checks.demanded(read(question, [View(profile) for profile in profiles]))
    if "count" in demands or not demands.keys() & {"sum", "mean", "median"}:
        return None
    return next((p for p in profiles if p.source == reading.arguments.get("source")), None)


def doubts(request: Request, offer: Offer) -> list[str]:
    """Return the words of a request that what is done does not serve, each once."""
    return spelled(word for check in CHECKS for word in check(request, offer))


def spelled(words: Iterable[str]) -> list[str]:
    """Return words without the blanks of what is masked, each once."""
    found = [re.sub(r"[\0\s]+", " ", word).strip(" .,;，。；") for word in words]
    return list(dict.fromkeys(word for word in found if word))
