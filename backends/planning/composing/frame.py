"""A request as its parts: quantities, periods, who, conditions, what it goes by, and what is
wanted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from backends.planning.asked import FORMS, PRICE_SAID
from backends.planning.composing.expressions import (
    Found,
    Leaf,
    Quantity,
    find_bounds,
    find_quantities,
    leaves,
    written,
)
from backends.planning.composing.mentions import (
    OF_NUMBERS,
    Mention,
    Said,
    find_columns,
    listed,
    vocabulary,
)
from backends.planning.composing.time import When, find_beginnings, is_series, read_units, read_when
from backends.planning.composing.wishes import (
    DOWNWARD,
    FIRSTS,
    FORMS_OF,
    RANKED,
    UPWARD,
    Dim,
    Wishes,
    dim_mentions,
    find_dims,
    links_between,
    read_names,
    read_rest,
    read_wishes,
)
from backends.planning.text import CJK, lexicon

if TYPE_CHECKING:
    from backends.planning.asked import Asked
    from backends.planning.tables import Place, View
    from backends.planning.times import Grain

WORD = re.compile(r"[a-z][a-z'’-]{2,}|[a-z]\d*(?=[^a-z])")
RUN = re.compile(r"[\u3400-\u9fff]{2,}")


NUMBER = re.compile(r"(?<![a-z\d.])\d[\d,.]*\d|(?<![a-z\d.])\d(?![\d.a-z])")
NEGATION = re.compile(
    r"\b(?:not|without|except|excluding|exclude|other"
    r" than|neither|never|outside)\b|除了|除[^以]{1,8}(?:以?外)|不含|不包括|不算|没有|并非|非(?=[\u3400-\u9fff])|都不|不(?=[\u3400-\u9fff])(?!同|低于|高于|少于|多于|大于|小于|超过|到|足|满)"
)
JOINED = re.compile(
    r"(?:把|将)?[\u3400-\u9fff]{1,8}(?:和|与|跟)[\u3400-\u9fff]{1,8}?(?:这)?(?:两张|两个|两)表格?(?:按\S{1,6})?(?:连|合|拼|关联)[\u3400-\u9fff]{0,3}"
)


@dataclass
class Measured:
    """A quantity that is asked for. at: where. name: what it is called. percent: a ratio told in
    percent.
    """

    quantity: Quantity
    at: int
    name: str = ""
    percent: bool = False


@dataclass
class RequestFrame:
    """All parts of a request. main: the table that is measured. measured: in the order they are
    named. filters: conditions for each table. unread: words nothing stands for.
    """

    asked: Asked
    said: Said
    wishes: Wishes
    when: When
    grain: Grain | None
    ranked: Grain | None
    grain_at: int
    each: bool
    main: View
    measured: list[Measured] = field(default_factory=list[Measured])
    dims: list[Dim] = field(default_factory=list[Dim])
    filters: dict[str, list[dict[str, Any]]] = field(
        default_factory=dict[str, "list[dict[str, Any]]"]
    )
    named: dict[tuple[str, str], list[Any]] = field(
        default_factory=dict[tuple[str, str], "list[Any]"]
    )
    unread: list[str] = field(default_factory=list[str])

    def has(self, *names: str) -> bool:
        """Return whether one of these is wanted."""
        return self.wishes.has(*names)

    @property
    def columns(self) -> list[Leaf]:
        """Return the columns that are measured, each once."""
        return list(dict.fromkeys(leaf for m in self.measured for leaf in leaves(m.quantity)))


def read_frame(asked: Asked) -> RequestFrame | None:
    """Return the parts of a request; None if no table is measured by it."""
    said = Said(asked.question)
    for match in JOINED.finditer(said.text):
        said.take(*match.span(), "tables")
    take_entities(said, asked)
    numbers = [(v, c) for v in asked.views for c in v.numbers]
    wishes = read_wishes(said, find_columns(said, numbers))
    bounds = find_beginnings(said, asked.views, asked.today)
    when = read_when(said, asked.today)
    mentions = find_columns(said, numbers)
    units = read_units(said)
    mentions = [m for m in mentions if said.free(m.start, m.end)] or fallback(said, asked)
    main = main_view(asked, wishes, mentions)
    if main is None:
        return None
    named = dim_mentions(said, asked, main)
    mentions = [m for m in at_home(mentions, main) if m.score >= 1.2 or not outdone(m, named)]
    found = find_quantities(said, mentions, [main, *(v for v in asked.views if v is not main)])
    bounds += find_bounds(
        said, [m for m in mentions if all(m.end <= f.start or f.end <= m.start for f in found)]
    )
    frame = RequestFrame(
        asked, said, wishes, when, units.grain, units.ranked, units.at, units.each, main
    )
    for bound in bounds:
        frame.filters.setdefault(bound.mention.source, []).append(bound.condition)
    measure(frame, found, mentions, {(b.mention.start, b.mention.column) for b in bounds}, named)
    frame.dims = find_dims(said, asked, main)
    read_rest(said, wishes)
    read_names(
        wishes,
        [(m.name, m.quantity.column) for m in frame.measured if isinstance(m.quantity, Leaf)],
    )
    place_entities(frame)
    frame.unread = left_over(frame)
    return frame


def measure(
    frame: RequestFrame,
    found: list[Found],
    mentions: list[Mention],
    bounded: set[tuple[int, str]],
    named: list[Mention],
) -> None:
    """Take what is measured: quantities made of columns, and columns by themselves."""
    said = frame.said
    for one in found:
        frame.measured.append(Measured(one.quantity, one.start, one.said, one.percent))
        bracket = said.text[one.start : one.start + 1] == "("
        begun = one.start - len(one.said) * bracket
        begun = max(
            [begun, *(d.end for d in named if begun <= d.start < one.start)]
        )  # "各学段生师比(…)"
        said.take(begun, one.end, "quantity")
    for m in mentions:
        said.take(m.start, m.end, "metric")
        inside = any(f.start <= m.start and m.end <= f.end for f in found)
        known = any(x.quantity == Leaf(m.source, m.column) for x in frame.measured)
        part_of = m.score < 1.2 and any(
            Leaf(m.source, m.column) in leaves(f.quantity) for f in found
        )
        if not inside and not known and not part_of and (m.start, m.column) not in bounded:
            frame.measured.append(Measured(Leaf(m.source, m.column), m.start, m.said))
    frame.measured = once(frame.measured)


def once(measured: list[Measured]) -> list[Measured]:
    """Return what is measured in its order, each quantity once: one that is named and written out,
    too, is one.
    """
    made: dict[str, Measured] = {}
    for one in sorted(measured, key=lambda m: m.at):
        key = written(one.quantity)
        before = made.get(key)
        percent = one.percent or (before is not None and before.percent)
        made[key] = Measured(
            one.quantity,
            before.at if before else one.at,
            (before.name if before else "") or one.name,
            percent,
        )
    return list(made.values())


def take_entities(said: Said, asked: Asked) -> None:
    """Mark the values of tables a request names."""
    for entity in sorted(asked.entities, key=lambda e: -len(e.said)):
        form = (
            re.escape(entity.said)
            if CJK.search(entity.said)
            else rf"(?<![a-z0-9]){re.escape(entity.said)}(?:'s|’s|s)?(?![a-z0-9])"
        )
        for match in list(said.find(re.compile(form))):
            said.take(*match.span(), f"entity {entity.said}")


def fallback(said: Said, asked: Asked) -> list[Mention]:
    """Return the surest columns by nearness of meaning, where none is named by words we know; else
    the only one that goes on in time, where something is made of numbers: the "mean" of a list of
    marks.
    """
    near = [
        Mention(m.at, m.at + max(m.size, 1), m.source, m.column, m.score)
        for m in asked.metrics[:1]
        if m.score >= 1.0
    ]
    only = [
        (v, v.numbers[0])
        for v in asked.views
        if v.time and v.profile.rows > 30 and len(v.numbers) == 1
    ]
    made = next(said.find(OF_NUMBERS), None)
    if near or made is None or len(only) != 1 or next(said.find(FORMS_OF["count"]), None):
        return near
    view, column = only[0]
    at = made.span(made.lastgroup or 0)
    return [Mention(*at, view.uuid, column.name, 1.0, said.text[at[0] : at[1]])]


def main_view(asked: Asked, wishes: Wishes, mentions: list[Mention]) -> View | None:
    """Return the table that is measured: which most of the named columns are of, and its entities;
    else that with the price.
    """
    best: tuple[float, View] | None = None
    priced = (
        bool(wishes.indicators)
        or bool(FORMS_OF["returns"].search(asked.question.lower()))
        or bool(FORMS_OF["candles"].search(asked.question.lower()))
    )
    for i, view in enumerate(asked.views):
        score = sum(
            {m.column: min(m.score, 1.4) for m in mentions if m.source == view.uuid}.values()
        )
        score += 0.3 * sum(1 for e in asked.entities if e.of(view.uuid))
        score += 0.4 * bool(view.time and is_series(view)) - 0.001 * i
        if view.price and (priced or (PRICE_SAID.search(asked.question) and not mentions)):
            score += 1.5
        if best is None or score > best[0]:
            best = (score, view)
    return best[1] if best and best[0] > 0.25 else (asked.views[0] if asked.views else None)


def at_home(mentions: list[Mention], main: View) -> list[Mention]:
    """Return the mentions, of those at one place that of the main table."""
    made: list[Mention] = []
    for m in mentions:
        rivals = [o for o in mentions if o is not m and (o.start, o.end) == (m.start, m.end)]
        if (
            rivals
            and m.source != main.uuid
            and any(o.source == main.uuid or o.score > m.score for o in rivals)
        ):
            continue
        made.append(m)
    return made


def outdone(mention: Mention, named: list[Mention]) -> bool:
    """Return whether the words that may name a column of numbers name one of text at least as well:
    the "area" of a shop.
    """
    return any(
        o.start <= mention.start and mention.end <= o.end and o.score + 0.4 >= mention.score
        for o in named
    )


def place_entities(frame: RequestFrame) -> None:
    """Make conditions of the values a request names: in the main table if they are there, else in
    one that belongs to it.
    """
    held: dict[tuple[str, str], list[Any]] = {}
    for entity in frame.asked.entities:
        place = best_place(frame, list(entity.places))
        if place is not None:
            held.setdefault((place.source, place.column), []).append(place.value)
    frame.named = held
    for (source, column), values in held.items():
        several = len(values) > 1
        frame.filters.setdefault(source, []).append(
            {
                "column": column,
                "op": "in" if several else "=",
                "value": values if several else values[0],
            }
        )


def best_place(frame: RequestFrame, places: list[Place]) -> Place | None:
    """Return where a value is looked for."""
    at_main = [p for p in places if p.source == frame.main.uuid]
    linked = [
        p for p in places if links_between(frame.asked, frame.main, frame.asked.view(p.source))
    ]
    measured = {leaf.source for leaf in frame.columns}
    beside = [p for p in places if p.source in measured]
    return next(iter([*at_main, *beside, *linked, *places]), None)


def left_over(frame: RequestFrame) -> list[str]:
    """Return the words of a request nothing stands for."""
    said, asked = frame.said, frame.asked
    for form in [FIRSTS, *FORMS_OF.values(), *(f for f, _ in FORMS), UPWARD, DOWNWARD, RANKED]:
        for match in list(said.find(form)):
            said.take(*match.span(), "cue")
    left = said.left()
    spare = [m[0] for m in [*NUMBER.finditer(left), *NEGATION.finditer(left)]]
    names = " ".join(f"{v.profile.name} {v.profile.description}" for v in asked.views).lower()
    if asked.zh:
        for word in vocabulary().fluff_zh:
            left = left.replace(word, "\0")
        runs = [r for r in RUN.findall(left) if r not in names]
        latin = [
            w
            for w in re.findall(r"[a-z][a-z&]*\d*", left)
            if w not in vocabulary().fluff and w not in names
        ]
        return list(dict.fromkeys([*spare, *runs, *(w for w in latin if len(w) > 1)]))
    short = lexicon("en")
    small = (short.stop | short.common | vocabulary().fluff) - (listed("risky") - {"left", "over"})
    found = [re.sub(r"['’]s?$", "", w).strip("'’-") for w in said.whole(WORD, left)]
    words = [w for w in found if len(w) > 1 and w not in small and w.removesuffix("s") not in small]
    return list(
        dict.fromkeys([*spare, *(w for w in words if w not in re.findall(r"[a-z]+", names))])
    )
