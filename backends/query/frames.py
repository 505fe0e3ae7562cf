"""The queries that one interpretation of a question may ask for."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import cast

from backends.data.query import (
    ENTRY,
    HEADER,
    PLACE,
    Aggregate,
    AggregateName,
    Call,
    Column,
    Expression,
    FunctionName,
    Item,
    Order,
    Query,
    Show,
    Subquery,
    Value,
)
from backends.data.values import ColumnProfile, Profile
from backends.query.annotate import ColumnLink, letters
from backends.query.reading import (
    ReadCondition,
    SpanReading,
    agg,
    both,
    call,
    col,
    joined,
    parts_of,
    val,
)

WHOLE = ("amount", "revenue", "fee", "price", "cost")  # what may be owed if no column states it
MONEY = ("£", "€", "$", "¥", "￥", "元", "円", "GBP", "EUR", "USD", "CHF", "CNY", "JPY")
# the unit after "per": 元/斤, price per kg
PER = re.compile(r"(?:/|\bper |每)\s*(\w+)", re.IGNORECASE)
FEW_GROUPS = 40  # maximum number of distinct whole numbers in a column by which rows can be grouped
LISTING = (",", "、", "/", "&", "+")  # symbols between the columns in a list
MOVED_MONEY = ("expense", "revenue", "cost", "incoming money", "payment", "salary")
POINTS = 150  # maximum number of daily points; longer charts have one for each month or year
GRAINS = ("day", "week", "month", "quarter", "year")
AGGREGATES: tuple[AggregateName, ...] = ("mean", "median", "sum", "min", "max")
CUES = (
    "sum",
    "mean",
    "median",
    "distinct",
    "share",
    "change",
    "difference",
    "moved",
    "ratio",
    "minus",
    "plus",
    "correlation",
    "moving",
    "running sum",
    "return",
    "forecast",
    "year on year",
    "period on period",
    "max",
    "min",
    "next",
    "previous",
    "group",
    "weighted mean",
    "chart",
    "single",
)


@dataclass(frozen=True)
class Frame:
    """A query, the spans it uses, and the evidence for and against it."""

    query: Query
    uses: frozenset[int]
    features: dict[str, float]


@dataclass(frozen=True)
class Measure:
    """A number that each row has. additive: whether it can be summed. score: how certain it is that
    this number is meant.
    """

    expression: Expression
    uses: frozenset[int]
    score: float
    additive: bool
    derived: bool = False


@dataclass(frozen=True)
class Target:
    """A thing that a question asks for or groups by. repeated: whether the same value can occur in
    several rows.
    """

    expression: Expression
    uses: frozenset[int]
    score: float
    repeated: bool
    column: str = ""
    grain: str = ""


@dataclass
class FrameBuilder:
    """Builds the queries of an interpretation."""

    reading: SpanReading
    source: str = field(init=False)

    def __post_init__(self) -> None:
        self.source = self.reading.table.profile.source
        self.where = joined(self.reading.conditions)
        self.condition_spans = frozenset(i for c in self.reading.conditions for i in c.spans)
        self.asks = {
            name: self.reading.sense(f"ask {name}")
            for name in (
                "who",
                "which",
                "when",
                "where",
                "count",
                "amount",
                "duration",
                "age",
                "distance",
                "weight",
                "height",
            )
        }

    @cached_property
    def _each_of_several(self) -> bool:
        """Whether the question asks for each of several values: 男会员和女会员各多少."""
        named = [c.column for c in self.reading.conditions if c.kind == "value" and c.column]
        asked = [*self.asks["count"], *self.asks["amount"]]
        return len(set(named)) < len(named) and any(i + 1 in asked for i in self.cue("group"))

    @cached_property
    def _money(self) -> bool:
        """Whether a value in the question means money received or spent, as 支出 does. A question
        about such a value rarely asks for a number of rows.
        """
        spans = self.reading.spans
        said = [set(spans[i].concepts) for c in self.reading.conditions for i in c.spans]
        # 支出多少 asks for an amount
        counted = self.asks["count"] and self._head("count") is not None
        return not counted and any(one & {*MOVED_MONEY} for one in said)

    def query(
        self,
        *items: Expression,
        where: Expression | None = None,
        group: tuple[Expression, ...] = (),
        order: tuple[Order, ...] = (),
        limit: int | None = None,
        ties: bool = False,
        distinct: bool = False,
        show: Show | None = None,
    ) -> Query:
        """Return a query on this table."""
        return Query(
            source=self.source,
            where=where,
            group=tuple(Item(expression=g) for g in group),
            items=tuple(Item(expression=i) for i in items),
            order=order,
            limit=limit,
            ties=ties,
            distinct=distinct,
            show=show,
        )

    def cue(self, *names: str) -> list[int]:
        """Return the spans that ask for an operation and do not belong to a condition."""
        found: list[int] = []
        for i in self.reading.sense(*names):
            if i not in self.condition_spans:
                found.append(i)
        return found

    def means(self) -> list[int]:
        """Return the words that ask for an average: on average, per game, or "a day" if each row
        stands for one day.
        """
        found = self.cue("mean")
        for i in self.cue("per", "group"):
            ahead = [
                j
                for j in (i + 1, i + 2)
                if j < len(self.reading.spans)
                and j not in self.condition_spans
                and (self.reading.spans[j].has("rows") or self._is_row(j))
                and not self._has_several_rows(j)
                and all(self.reading.spans[k].has("stop", "of") for k in range(i + 1, j))
            ]
            if ahead and not self.reading.spans[i].has("mean"):
                found = [*found, i, ahead[0]]
        return found

    def _has_several_rows(self, i: int) -> bool:
        """Return whether a word refers to people, and a column names the same people in several
        rows.
        """
        persons = set(cast("list[str]", self.reading.table.words.relations["persons"]))
        if not persons & set(self.reading.spans[i].concepts):
            return False
        rows = self.reading.table.profile.rows
        return any(
            o.column.kind == "text" and persons & set(o.concepts) and o.column.distinct < 0.9 * rows
            for o in self.reading.table.columns
        )

    def _is_row(self, i: int) -> bool:
        """Return whether a word names what each row stands for: the row's number, or the day if no
        two rows have the same day.
        """
        rows = self.reading.table.profile.rows
        link = self.reading.link(i)
        if link is not None:
            numbering = self.reading.words_of(link.column).numbering
            return link.column.distinct >= 0.97 * rows and (
                link.column.role != "measure" or numbering
            )
        dates = self.reading.dated()
        return (
            self.reading.spans[i].has("unit day")
            and bool(dates)
            and dates[0].distinct >= 0.97 * rows
        )

    def _row_mentions(self) -> list[int]:
        """Return the words that name what each row stands for, using a column without duplicates:
        the appointments in a table with an `Appointment no.`
        """
        return [
            i
            for i, link in self.reading.mentions
            if i not in self.condition_spans
            and link.column.missing == 0
            and link.column.kind == "text"
            and self._is_row(i)
        ]

    def _label_mentions(self) -> list[int]:
        """Return the words that name what each row stands for, using the column that labels the
        rows.
        """
        label = self.label()
        return [
            i
            for i, link in self.reading.mentions
            if i not in self.condition_spans
            and label is not None
            and link.column == label
            and link.column.distinct
            >= 0.9 * (self.reading.table.profile.rows - link.column.missing)
        ]

    # the numbers and groups that can be asked for

    def measures(self) -> list[Measure]:
        """Return the numbers that may be meant, most likely first."""
        reading = self.reading
        made: list[Measure] = []
        numeric: list[tuple[int, ColumnProfile, float]] = []
        for i, _ in reading.mentions:
            columns = [
                k
                for k in reading.spans[i].columns
                if k.column.kind == "number"
                and not reading.words_of(k.column).numbering
                and not reading.words_of(k.column).ordinal
                and k.score >= reading.spans[i].columns[0].score - 0.3
                and not self._names_other(i, k.score)
            ]
            for rank, link in enumerate(columns[:3]):
                made.append(
                    Measure(
                        col(link.column),
                        frozenset([i, *self._compound(i)]),
                        link.score - 0.02 * rank,
                        link.column.additive is not False,
                    )
                )
                if rank == 0:
                    numeric.append((i, link.column, link.score))
        different = [
            n for k, n in enumerate(numeric) if n[1].name not in {m[1].name for m in numeric[:k]}
        ]
        signs = self.cue("plus", "minus")
        if len(different) >= 2:
            (i, a, s), (j, b, t) = different[:2]
            between = [k for k in range(i + 1, j) if reading.spans[k].has("plus", "and", "minus")]
            signed = [k for k in signs if i < k < j]
            name: FunctionName = "-" if signed and reading.spans[signed[0]].has("minus") else "+"
            if between:
                parts = [call("coalesce", col(c), val(0)) if c.missing else col(c) for c in (a, b)]
                made.append(
                    Measure(
                        call(name, *parts),
                        frozenset([i, j, *between]),
                        (s + t) / 2 + (0.35 if self.cue("sum") or signed else 0.0),
                        additive=True,
                        derived=True,
                    )
                )
        gap = self.cue("difference")
        # if there are two averages, the gap is not meant
        if gap and len(different) >= 2 and len(self.cue("mean")) < 2:
            (i, a, s), (j, b, t) = different[:2]
            apart = call("absolute", call("-", col(a), col(b)))
            between = [k for k in range(i + 1, j) if reading.spans[k].has("and", "to")]
            uses = frozenset([i, j, *gap, *between])
            made.append(Measure(apart, uses, (s + t) / 2, additive=False, derived=True))
        made += self._counted()
        made += self._asked_of_one()
        made += self._listed_sum(different)
        made += self._durations()
        made += self._gaps()
        made += self._of_series(different)
        made += self._of_peers(different)
        made += self._written_products(numeric)
        made += self._products(made)
        made += self._remainders(made)
        return sorted(made, key=lambda m: -m.score)

    def _names_other(self, i: int, score: float) -> bool:
        """Return whether words are exactly the name of a text column, but only similar to the name
        of a number column: the defects in a table with Defect and Complaints.
        """
        best = self.reading.spans[i].columns[0]
        return best.score >= 0.95 and best.column.kind == "text" and score < 0.95

    def _asked_of_one(self) -> list[Measure]:
        """Return the columns that `how heavy`, `how tall` or `how far` asks for."""
        made: list[Measure] = []
        for concept in ("weight", "height", "distance", "age"):
            columns = [c for c in self.reading.by_concept(concept, 0.85) if c.kind == "number"]
            said = {i for i, k in self.reading.mentions if k.column in columns[:1]}  # "in grams"
            made += [
                Measure(col(column), frozenset([i, *said]), 0.9, additive=False)
                for i in self.asks[concept]
                for column in columns[:1]
            ]
        return made

    def _counted(self) -> list[Measure]:
        """Return the columns with the counts that certain words ask for: 匹数 for 何匹."""
        made: list[Measure] = []
        for i in self.asks["count"]:
            counter = self.reading.spans[i].text[-1:]
            if counter.isascii():
                continue
            for column in self.reading.table.profile.columns:
                bare = self.reading.words_of(column).keys
                name = "".join(bare)
                if column.kind == "number" and name in (counter, f"{counter}数", f"{counter}数量"):
                    made.append(Measure(col(column), frozenset([i]), 0.85, additive=True))
        return made

    def _listed_sum(self, named: list[tuple[int, ColumnProfile, float]]) -> list[Measure]:
        """Read `Latin, maths and history together` as the sum of the listed columns, of which there
        must be at least three.
        """
        total = self.cue("sum")
        run = named[:1]
        for one in named[1:]:
            between = self.reading.spans[run[-1][0] + 1 : one[0]]
            if not all(s.has("and", "plus") or s.text.strip() in LISTING for s in between):
                break
            run.append(one)
        if not total or len(run) < SERIES:
            return []
        added = [call("coalesce", col(c), val(0)) if c.missing else col(c) for _, c, _ in run]
        inside = set(range(run[0][0], run[-1][0] + 1))
        uses = frozenset({*inside, *total})
        likely = sum(score for *_, score in run) / len(run)
        return [Measure(call("+", *added), uses, likely + 0.3, additive=True, derived=True)]

    def _compound(self, i: int) -> list[int]:
        """Return the span that merely completes a name: the rate in `unemployment rate`, the price
        in `closing price`.
        """
        ahead = self.reading.spans[i + 1 : i + 2]
        free = ahead and i + 1 not in self.condition_spans and self.reading.is_sense(i + 1)
        return [i + 1] if free and ahead[0].has("compound") else []

    def _durations(self) -> list[Measure]:
        reading = self.reading
        asked = self.asks["duration"] + [
            i
            for i, s in enumerate(reading.spans)
            if i not in self.condition_spans
            and (
                any(c == "duration" for c in s.concepts)
                or any(x.endswith(" duration") for x in s.senses)
                or s.has("unit hour")
                or (s.has("unit minute") and self.asks["count"])
                or (s.has("unit day") and len(reading.mentions) > 1)
            )
        ]
        made: list[Measure] = []
        mentioned = [(i, k.column) for i, k in reading.mentions if reading.words_of(k.column).dated]
        dates = reading.dated()
        days = [
            o.column
            for o in reading.table.columns
            if o.column.kind == "number"
            and not o.numbering
            and "unit day" in self.reading.table.words.senses.get(o.keys, ())
        ]
        if asked and days:  # "how many days", if there is a column with the days
            made.append(Measure(col(days[0]), frozenset(asked), 0.9, additive=True))
        elif asked and len(dates) >= 2:
            uses = set(asked)
            names = list(dict.fromkeys(c.name for _, c in mentioned))
            pair = reading.lasting([c for _, c in mentioned])
            if pair:
                first, last = pair
                uses |= {i for i, c in mentioned if c in pair}
                made.append(
                    Measure(
                        call("days between", col(last), col(first)),
                        frozenset(uses),
                        0.85 if len(names) > 1 else 0.66,
                        additive=True,
                        derived=True,
                    )
                )
        clocked = [
            o.column
            for o in reading.table.columns
            if o.clocked or (o.column.kind == "time" and not self.asks["when"])
        ]
        if asked and len(clocked) >= 2:
            minutes = self.cue("unit minute") and not self.cue("unit hour")
            unit: FunctionName = "minutes between" if minutes else "hours between"
            asked += self.cue("unit minute") if minutes else []
            made.append(
                Measure(
                    call(unit, col(clocked[1]), col(clocked[0])),
                    frozenset(asked),
                    0.8,
                    additive=True,
                    derived=True,
                )
            )
        born = [c for c in dates if "born" in reading.words_of(c).concepts]
        aged = self.asks["age"] + [
            i
            for i, s in enumerate(reading.spans)
            if "age" in s.concepts or any(x.endswith(" age") for x in s.senses)
        ]
        if born and aged:
            today = Value(value=reading.annotation.clock.today.isoformat(), type="date")
            made.append(
                Measure(
                    call("years between", today, col(born[0])),
                    frozenset(aged),
                    0.8,
                    additive=False,
                    derived=True,
                )
            )
        return made

    def _gaps(self) -> list[Measure]:
        """Return by how much one column exceeds another with which it is compared: overspent, late,
        goal difference.
        """
        gaps = cast(
            "dict[str, list[list[str]]]", self.reading.table.words.relations.get("gaps", {})
        )
        made: list[Measure] = []
        for sense, pairs in gaps.items():
            cues = frozenset(self.reading.sense(sense))
            for left, right in pairs if cues else []:
                named = [
                    [
                        o.column
                        for o in self.reading.table.columns
                        if c in o.concepts and (o.column.kind == "number" or o.dated)
                    ]
                    for c in (left, right)
                ]
                if not all(named) or named[0][0] == named[1][0]:
                    continue
                a, b = named[0][0], named[1][0]
                dated = self.reading.words_of(a).dated
                if dated != self.reading.words_of(b).dated:
                    continue
                expression = call("days between" if dated else "-", col(a), col(b))
                made.append(Measure(expression, cues, 0.8, additive=True, derived=True))
                break
        return made

    def _products(self, known: list[Measure]) -> list[Measure]:
        made: list[Measure] = []
        products = cast("dict[str, list[str]]", self.reading.table.words.relations["products"])
        for i, span in enumerate(self.reading.spans):
            if i in self.condition_spans:
                continue
            for concept in span.concepts:
                if any(i in m.uses and m.score > 0.66 for m in known):
                    continue
                made += self._sum_of_parts(concept, frozenset([i]), 0.6)
                if concept not in products:
                    continue
                parts = [self.reading.by_concept(c, 0.9) for c in products[concept]]
                numbers = [[c for c in p if c.kind == "number"] for p in parts]
                there = {c.name for c in self.reading.by_concept(concept, 0.8)} - {
                    c.name for p in numbers for c in p
                }
                if there:  # a column already contains the difference
                    continue
                if all(numbers) and numbers[0][0] != numbers[1][0]:
                    made.append(
                        Measure(
                            call("*", col(numbers[0][0]), col(numbers[1][0])),
                            frozenset([i]),
                            0.62,
                            additive=True,
                            derived=True,
                        )
                    )
        if not any(not m.derived for m in known) and not made:
            made += self._unsaid()
        return made

    def _unsaid(self) -> list[Measure]:
        """Return the numbers that `how much`, `the total` or `how many more` may refer to if the
        question names no number.
        """
        made: list[Measure] = []
        if (
            self.asks["amount"]
            or self._money
            or self.cue("sum", "mean", "difference", "share", "change", "moved")
        ):
            made += self._sum_of_parts("amount", frozenset(), 0.5)
            money = [c for c in self.reading.by_concept("amount", 0.6) if c.kind == "number"]
            if not money:
                money = [
                    c
                    for c in self.reading.table.profile.columns
                    if c.kind == "number" and c.unit in MONEY and c.additive
                ]
            likely = 0.8 if self._money else 0.45
            made += [
                Measure(col(c), frozenset(), likely - 0.05 * r, additive=True)
                for r, c in enumerate(money[:2])
            ]
        if self.cue("difference", "sum", "max", "min"):
            counts = [
                c
                for name in ("quantity", "people", "duration")
                for c in self.reading.by_concept(name, 0.95)
                if c.kind == "number"
            ]
            made += [
                Measure(col(c), frozenset(), 0.4 - 0.05 * r, additive=True)
                for r, c in enumerate(counts[:3])
            ]
        return made

    def _of_series(self, named: list[tuple[int, ColumnProfile, float]]) -> list[Measure]:
        """Return how much each row changed along the columns of a series: which town grew most."""
        columns = series_of(self.reading.table.profile)
        moved = self.cue("moved", "change", "rose", "fell")
        held = [(i, c) for i, c, _ in named if c.name in columns]
        if not columns or not moved or len(held) > 1:
            return []
        ends = self._ends_of(columns, held)
        if ends is None:
            return []
        first, last, uses = ends
        gap = call("-", last, first)
        part = call("*", call("/", gap, first), val(100))
        share = frozenset(self.cue("percent", "share"))
        used = uses | frozenset(moved)
        return [
            Measure(part, used | share, 0.8 if share else 0.5, additive=False, derived=True),
            Measure(gap, used, 0.5 if share else 0.75, additive=True, derived=True),
        ]

    def _ends_of(
        self, columns: tuple[str, ...], held: list[tuple[int, ColumnProfile]]
    ) -> tuple[Expression, Expression, frozenset[int]] | None:
        """Return the first and last column of a series between which the change is measured. The
        first is the column that is named, if there is one.
        """
        uses = frozenset(i for i, _ in held)
        first = held[0][1].name if held else columns[0]
        if first == columns[-1]:
            return None
        return _named(first), _named(columns[-1]), uses

    def _of_peers(self, named: list[tuple[int, ColumnProfile, float]]) -> list[Measure]:
        """Return the sum of adjacent columns, such as the marks in all subjects."""
        peers = peers_of(self.reading.table.profile)
        if not peers or named:
            return []
        spoken = [
            i
            for i, s in enumerate(self.reading.spans)
            if i not in self.condition_spans
            and ("subject" in s.concepts or s.number == len(peers))
            and not s.columns
        ]
        if not spoken or not self.cue("sum", "mean"):
            return []
        added = call("+", *map(_named, peers))
        return [Measure(added, frozenset(spoken), 0.85, additive=True, derived=True)]

    def _written_products(self, numeric: list[tuple[int, ColumnProfile, float]]) -> list[Measure]:
        """Read `quantity times price` or `yield per hectare` as one column multiplied or divided by
        another in each row.
        """
        made: list[Measure] = []
        for k, (i, a, s) in enumerate(numeric):
            for j, b, t in numeric[k + 1 :]:
                if a.name == b.name:
                    continue
                if any(i < n < j for n, _, _ in numeric):
                    continue
                times = [n for n in range(i + 1, j) if self.reading.spans[n].has("product")]
                each = [n for n in range(i + 1, j) if self.reading.spans[n].has("group", "ratio")]
                if b.integer and b.distinct >= 0.9 * self.reading.table.profile.rows:
                    continue  # "per consignment", if consignments have only identifiers
                if times:
                    made.append(
                        Measure(
                            call("*", col(a), col(b)),
                            frozenset([i, j, *times]),
                            (s + t) / 2 + 0.3,
                            additive=True,
                            derived=True,
                        )
                    )
                elif each and not self._is_rate_per(a, [j]):
                    made.append(
                        Measure(
                            call("/", col(a), col(b)),
                            frozenset([i, j, *each]),
                            (s + t) / 2,
                            additive=False,
                            derived=True,
                        )
                    )
        return made

    def _sum_of_parts(self, concept: str, uses: frozenset[int], score: float) -> list[Measure]:
        parts = cast("dict[str, list[str]]", self.reading.table.words.relations["sums"]).get(
            concept, []
        )
        columns = [
            [
                o.column
                for o in self.reading.table.columns
                if c in o.concepts and o.column.kind == "number"
            ]
            for c in parts
        ]
        if not columns or not all(columns):
            return []
        added = [
            call("coalesce", col(c[0]), val(0)) if c[0].missing else col(c[0]) for c in columns
        ]
        return [Measure(call("+", *added), uses, score, additive=True, derived=True)]

    def _gross(self) -> list[ColumnProfile]:
        """Return the number columns that can be summed, starting with the one that has the largest
        values.
        """
        held = [c for c in self.reading.table.profile.columns if c.role == "measure"]
        numbered = [c for c in held if not self.reading.words_of(c).numbering]
        return sorted(
            numbered, key=lambda c: -float(c.high) if isinstance(c.high, int | float) else 0.0
        )

    def _numbers(self, concept: str) -> list[ColumnProfile]:
        """Return the number columns for a concept, leaving out those that merely number things."""
        return [
            o.column
            for o in self.reading.table.columns
            if concept in o.concepts and o.column.kind == "number" and not o.numbering
        ]

    def _remainders(self, known: list[Measure]) -> list[Measure]:
        """Return the amount owed if the table contains the amount due and the amount paid."""
        made: list[Measure] = []
        remainders = cast("dict[str, list[str]]", self.reading.table.words.relations["remainders"])
        for i, span in enumerate(self.reading.spans):
            for concept in span.concepts:
                if concept == "owed" and i in self.condition_spans:
                    made += [
                        Measure(col(c), frozenset([i]), 0.85 - 0.1 * rank, additive=True)
                        for rank, c in enumerate(
                            [c for name in ("payable", *WHOLE) for c in self._numbers(name)][:2]
                            or [c for c in self._gross() if c.additive][:1]
                        )
                    ]
                if concept not in remainders or i in self.condition_spans:
                    continue
                whole, rest = remainders[concept]
                paid = self._numbers(rest)
                due = [
                    c for name in (whole, *WHOLE) for c in self._numbers(name) if c not in paid[:1]
                ]
                parts = [due, paid]
                if all(parts):
                    made.append(
                        Measure(
                            call("-", col(parts[0][0]), col(parts[1][0])),
                            frozenset([i]),
                            0.9,
                            additive=True,
                            derived=True,
                        )
                    )
        return made

    def targets(self) -> list[Target]:
        """Return what a question may ask for or group by, most likely first."""
        reading, made = self.reading, list[Target]()
        wh = (
            self.asks["which"]
            + self.asks["where"]
            + self.asks["who"]
            + self.cue("group")
            + self.cue("list")
        )

        def near(i: int) -> float:
            before = [w for w in wh if w < i]
            after = [w for w in wh if w > i]
            gap = min([i - w for w in before] or [9])
            back = min([w - i for w in after] or [9])
            wide = reading.annotation.tokens[reading.spans[i].first].wide
            return (
                0.3
                if gap == 1
                else 0.22
                if gap == 2
                else 0.2
                if back == 1 and wide
                else 0.1
                if gap <= 4
                else 0.0
            )

        for i, _ in reading.mentions:
            for link in reading.spans[i].columns[:3]:
                c = link.column
                if (
                    reading.words_of(c).dated
                    and any(d.column == c.name for d in reading.conditions)
                    and not self.cue("distinct")
                ):
                    continue
                if link.score < reading.spans[i].columns[0].score - 0.3:
                    continue
                named = reading.words_of(c).ordinal or reading.words_of(c).numbering
                which = i > 0 and (
                    reading.spans[i - 1].has("ask which")  # "which drawer", "lines per account"
                    or (reading.spans[i - 1].has("per") and bool(self.cue("count")))
                )
                which = which and c.integer and c.distinct <= FEW_GROUPS
                if c.role == "measure" and not named and not which:
                    continue
                numbered = reading.words_of(c).numbering or which
                bonus = (
                    near(i)
                    - (0.3 if c.role == "measure" and not numbered else 0.0)
                    - (0.25 if reading.words_of(c).dated else 0)
                    - (0.25 if self.asks["who"] and not self._is_of_people(c) else 0)
                )
                made.append(
                    Target(
                        col(c),
                        frozenset([i]),
                        link.score + bonus,
                        c.distinct < 0.95 * (reading.table.profile.rows - c.missing),
                        c.name,
                    )
                )
        if self.asks["who"] or (
            self.asks["which"]
            and any("person" in reading.spans[i].concepts for i in range(len(reading.spans)))
        ):
            persons = cast("list[str]", reading.table.words.relations["persons"])
            ranked: list[tuple[int, ColumnProfile]] = []
            for o in reading.table.columns:
                if o.column.kind == "text" and set(o.concepts) & set(persons):
                    ranked.append(
                        (min(persons.index(c) for c in o.concepts if c in persons), o.column)
                    )
            if not ranked and self.asks["who"]:
                ranked = [(9, o.column) for o in reading.table.columns if names_people(o.column)]
            for rank, (_, c) in enumerate(sorted(ranked, key=lambda r: r[0])[:3]):
                made.append(
                    Target(
                        col(c),
                        frozenset(self.asks["who"]),
                        0.85 - 0.1 * rank,
                        c.distinct < 0.95 * (reading.table.profile.rows - c.missing),
                        c.name,
                    )
                )
        if self.asks["where"]:
            for c in reading.by_concept("place")[:2]:
                made.append(
                    Target(col(c), frozenset(self.asks["where"]), 0.8, repeated=True, column=c.name)
                )
        made += self._grains(near)
        return sorted(made, key=lambda t: -t.score)

    def _day_of_condition(self) -> ColumnProfile | None:
        """Return the date column that a question names together with a period: on which day in June
        does Barraclough arrive.
        """
        return next(
            (
                link.column
                for c in self.reading.conditions
                for i in c.spans
                if c.kind == "period"
                and (link := self.reading.link(i)) is not None
                and link.column.name == c.column
            ),
            None,
        )

    def _is_of_people(self, column: ColumnProfile) -> bool:
        """Return whether a column contains people, so that it can answer `who`."""
        persons = set(cast("list[str]", self.reading.table.words.relations["persons"]))
        return bool(persons & set(self.reading.words_of(column).concepts)) or names_people(column)

    def _grains(self, near: Callable[[int], float]) -> list[Target]:
        reading, made = self.reading, list[Target]()
        dates = reading.dated()
        for i, span in enumerate(reading.spans):
            if i in self.condition_spans or not reading.is_sense(i):
                continue
            bonus = near(i)
            clocked = [
                o.column for o in reading.table.columns if o.clocked or o.column.kind == "time"
            ]
            if dates:
                named = next(
                    ((j, k.column) for j, k in reading.mentions if k.column in dates), None
                )
                date = named[1] if named else self._day_of_condition() or dates[0]
                at = frozenset([i, named[0]] if named else [i])  # "per year of joining"
                if span.has("day of week"):
                    made.append(
                        Target(
                            call("weekday", col(date)),
                            at,
                            1.05 + bonus,
                            repeated=True,
                            grain="weekday",
                        )
                    )
                    continue
                if span.has("month of year"):
                    made.append(
                        Target(
                            call("month of year", col(date)),
                            at,
                            0.8 + bonus,
                            repeated=True,
                            grain="month of year",
                        )
                    )
                unit = next(
                    (s[5:] for s in span.senses if s.startswith("unit ") and s[5:] in GRAINS), ""
                )
                asked = span.has("ask when")
                if asked and not unit and date.kind == "time":
                    made.append(
                        Target(
                            col(date),
                            at,
                            0.65 + bonus,
                            repeated=False,
                            column=date.name,
                        )
                    )
                if unit or asked:
                    grain = unit or "day"
                    expression = (
                        col(date)
                        if grain == "day" and date.kind == "date"
                        else call(cast("FunctionName", grain), col(date))
                    )
                    repeated = grain != "day" or date.distinct < 0.95 * reading.table.profile.rows
                    made.append(
                        Target(
                            expression,
                            at,
                            0.6 + bonus - (0.1 if asked else 0),
                            repeated=repeated,
                            column=date.name if grain == "day" else "",
                            grain=grain,
                        )
                    )
            if clocked and span.has("hour of day", "unit hour"):
                made.append(
                    Target(
                        call("hour of day", col(clocked[0])),
                        frozenset([i]),
                        0.6 + bonus,
                        repeated=True,
                        grain="hour",
                    )
                )
        return made

    # what the question asks about these rows

    def frames(self) -> Iterator[Frame]:
        """Return all queries that the interpretation can ask for."""
        measures, targets = self.measures(), self.targets()
        yield from self._counts(targets)
        yield from self._aggregates(measures, targets)
        yield from self._extremes(measures, targets)
        yield from self._shares(measures, targets)
        yield from self._differences(measures, targets)
        yield from self._between_ends(measures)
        yield from self._measure_there(measures)
        yield from self._latest(measures)
        yield from self._weighted(measures)
        yield from self._how_far(measures, targets)
        yield from self._of_columns(measures)
        yield from self._moved_rows(measures)
        yield from self._ranks(measures)
        yield from self._against_rest(measures)
        yield from self._groups(measures, targets)
        yield from self._scatter(measures)
        yield from self._series()
        yield from self._peers()
        yield from self._lists(measures, targets)
        yield from self._ordered(measures, targets)
        yield from self._counts_and_sums(measures)
        yield from self._neighbours(targets)
        yield from self._beside(targets)
        yield from self._correlation(measures)

    def _frame(
        self,
        query: Query,
        uses: frozenset[int] | set[int],
        op: str,
        /,
        **features: float,
    ) -> Frame:
        used = frozenset(uses) | self.condition_spans
        if op != "group" and self._each_of_several:
            features["not each"] = 1.0
        if op in ("sum", "mean", "lookup", "count") and self.cue("names") and not self.cue(op):
            features["names computed"] = 1.0
        if self._money and (op == "count" or features.get("counted")):
            features["money counted"] = 1.0
        return Frame(query, used, {f"op {op}": 1.0, **features})

    def _head(self, ask: str) -> int | None:
        """Return the span to which `how many` refers: the next span that is not a linking word, or,
        in languages with a different word order, the one before.
        """
        places = self.asks[ask]
        if not places:
            return None
        i = places[0]
        for j in range(i + 1, min(i + 4, len(self.reading.spans))):
            span = self.reading.spans[j]
            if not any(c.isalnum() for c in span.text):
                break
            if not span.has("stop", "of") or span.columns:
                return j
        if not self.reading.spans[i].text.isascii():  # 季付的租客有几个
            return next((j for j in (i - 1, i - 2) if j >= 0 and self.reading.link(j)), None)
        return None

    def _counts(self, targets: list[Target]) -> Iterator[Frame]:
        asked = self.asks["count"] + self.cue("count") + self._days_asked()
        cue = {} if asked else {"uncued count": 1.0}
        # whatever else such a word could mean: 谁 may be interpreted as a column of people
        spoken = any(
            s.has("ask which", "ask who", "ask when", "ask where") for s in self.reading.spans
        )
        named = spoken or bool(self.cue("list"))
        if not asked and named:
            cue["which counted"] = 1.0
        rows = [*self.cue("rows"), *self._row_mentions()]
        head = self._head("count")
        unit = head is not None and self.reading.spans[head].has(
            "unit day", "unit month", "unit week", "unit year"
        )
        uses = {*asked, *rows, *self.cue("sum")}
        named = self.reading.link(head) if head is not None else None
        free = head not in self.condition_spans
        if head is not None and named and free and not self._is_added_up(head, named):
            uses.add(head)
        for link in self.reading.spans[head].columns[:1] if head is not None and free else ():
            if head in uses and link.score >= 0.8 and self._repeats(link.column):
                yield self._frame(
                    self.query(agg("distinct", col(link.column)), where=self.where, show="value"),
                    uses,
                    "distinct",
                    target=link.score,
                    headed=1.0,
                )
                uses.discard(head)  # a patient who has several rows counts only once
                cue = {"uncued": 1.0}
        if unit and head is not None:
            uses.add(head)
        if head is not None and self._measures_by(head):  # "how many gallons" does not count rows
            cue = {**cue, "unit counted": 1.0}
        yield self._frame(
            self.query(agg("count"), where=self.where, show="value"), uses, "count", **cue
        )
        different = self.cue("distinct")
        persons = cast("list[str]", self.reading.table.words.relations["persons"])
        people = [i for i in asked if "person" in " ".join(self.reading.spans[i].concepts)] or [
            i for i in rows if set(self.reading.spans[i].concepts) & set(persons)
        ]
        named = [
            o.column
            for o in self.reading.table.columns
            if o.column.kind == "text"
            and set(o.concepts) & {"name", "student", "customer", "person"}
            and o.column.distinct < 0.9 * self.reading.table.profile.rows
        ]
        if people and named and asked:
            yield self._frame(
                self.query(agg("distinct", col(named[0])), where=self.where, show="value"),
                uses | set(people),
                "distinct",
                people=1.0,
            )
        for target in targets[:3]:
            if not target.column and not target.grain:
                continue
            if not target.repeated and not different:
                continue
            headed = 1.0 if head is not None and head in target.uses else 0.0
            # a patient who came twice counts once, whereas two Chemistry exams may both be called
            # paper 1
            named = self.reading.table.profile.column(target.column)
            things = named is not None and not self._is_of_people(named)
            yield self._frame(
                self.query(agg("distinct", target.expression), where=self.where, show="value"),
                {*asked, *different, *target.uses, *self.cue("sum")},
                "distinct",
                target=target.score,
                headed=headed,
                **self._given(target),
                **cue,
                **({} if different else {"no distinct": 1.0}),
                **({"things distinct": 1.0} if things and not different else {}),
            )

    def _measures_by(self, i: int) -> bool:
        """Return whether a word is the unit of a column: gallons, kilograms, minutes."""
        span = self.reading.spans[i]
        units = {s[5:] for s in span.senses if s.startswith("unit ")} - set(GRAINS)
        numbers = [k.column for k in span.columns if k.column.kind == "number"]
        written = letters(span.text)  # "ml", if the lexicon does not have this unit
        return bool(numbers) and (
            bool(units) or any(written in self.reading.words_of(c).units for c in numbers)
        )

    def _days_asked(self) -> list[int]:
        """Return the words `how many days`, if each row stands for one day."""
        if not self.reading.has_row_a_day():
            return []
        return [i for i in self.asks["duration"] if self._begins(i, "unit day", anywhere=True)]

    def _begins(self, i: int, sense: str, *, anywhere: bool = False) -> bool:
        """Return whether the first words of a span have a certain sense by themselves, as `how
        much` does in `how much more`. anywhere: whether to consider words anywhere in the span.
        """
        span, words = self.reading.spans[i], self.reading.table.words
        tokens = self.reading.annotation.tokens[span.first : span.last]
        starts = range(len(tokens)) if anywhere else range(1)
        return any(
            sense in words.senses_of(tokens[start:end])
            for start in starts
            for end in range(start + 1, len(tokens) + 1)
        )

    def _is_added_up(self, head: int, link: ColumnLink) -> bool:
        """Return whether `how many` asks for the sum of a column, such as units or passengers, and
        not for a number of rows.
        """
        exact = link.score >= 0.9 and link.column.role == "measure" and link.column.integer
        numbering = self.reading.words_of(link.column).numbering
        span = self.reading.spans[head]
        if link.column.kind == "number" and not numbering:
            exact = exact or any(s.startswith("unit ") for s in span.senses)  # "how many minutes"
        return exact and not numbering and not span.has("rows")

    def _repeats(self, column: ColumnProfile) -> bool:
        """Return whether a column contains numbers that identify people or things, some of which
        appear in several rows.
        """
        concepts = self.reading.table.of(column).concepts
        rows = self.reading.table.profile.rows
        return "number" in concepts and len(concepts) > 1 and column.distinct < 0.97 * rows

    def _aggregates(self, measures: list[Measure], targets: list[Target]) -> Iterator[Frame]:
        per = [t for t in targets if t.grain in GRAINS and t.repeated]
        for measure in measures[:5]:
            for name in AGGREGATES:
                cue = set(self.means() if name == "mean" else self.cue(name))
                features: dict[str, float] = {"measure": measure.score}
                asked: set[int] = set()
                if name == "sum":
                    asked = {*self.asks["amount"], *self.asks["count"], *self.asks["duration"]}
                if not cue:
                    if name == "sum":
                        if not asked:
                            features["uncued"] = 1.0
                    elif name == "mean" and not measure.additive:
                        features["uncued mean"] = 1.0
                    elif name == "mean" and self.asks["duration"]:
                        features["uncued"] = 0.5
                    else:
                        continue
                if name == "sum" and not measure.additive and not cue:
                    features["not additive"] = 1.0
                if name == "sum" and asked:
                    features |= self._how_many(measure)
                if name == "sum" and _is_distance(measure.expression):
                    features["sum of distances"] = 1.0
                uses = {
                    *cue,
                    *asked,
                    *measure.uses,
                    *self.asks["which"],
                    *self.asks["amount"],
                    *self.asks["duration"],
                    *self.cue("rows"),
                }
                if name in ("mean", "median"):
                    uses |= {*self.asks["count"], *self.cue("sum")}
                yield self._frame(
                    self.query(agg(name, measure.expression), where=self.where, show="value"),
                    uses,
                    name,
                    **features,
                )
                if name == "mean" and per and measure.additive:
                    days = call(
                        "/", agg("sum", measure.expression), agg("distinct", per[0].expression)
                    )
                    yield self._frame(
                        self.query(days, where=self.where, show="value"),
                        uses | per[0].uses | set(self.cue("group")),
                        "mean of sums",
                        **features,
                    )
                elif name in ("median", "max", "min") and per and measure.additive:
                    inner = Query(
                        source=self.source,
                        where=self.where,
                        group=(Item(expression=per[0].expression, name="group"),),
                        items=(Item(expression=agg("sum", measure.expression), name="value"),),
                    )
                    outer = Query(
                        source=inner,
                        items=(Item(expression=Aggregate(name=name, args=(_named("value"),))),),
                        show="value",
                    )
                    yield self._frame(outer, uses | per[0].uses, f"{name} of sums", **features)
        if per and self.cue("mean"):
            inner = Query(
                source=self.source,
                where=self.where,
                group=(Item(expression=per[0].expression, name="group"),),
                items=(Item(expression=agg("count"), name="value"),),
            )
            outer = Query(
                source=inner,
                items=(Item(expression=Aggregate(name="mean", args=(_named("value"),))),),
                show="value",
            )
            yield self._frame(
                outer,
                {
                    *self.cue("mean", "group"),
                    *self.asks["count"],
                    *per[0].uses,
                    *self.cue("rows"),
                },
                "mean of counts",
            )

    def _how_many(self, measure: Measure) -> dict[str, float]:
        """Return the reason not to answer `how many` with the sum of a column: it contains money, a
        word asks for a number of rows, or the number is a filter.
        """
        if not self.asks["count"] or self.asks["amount"]:
            return {}
        column = measure.expression.name if isinstance(measure.expression, Column) else ""
        profile = self.reading.table.profile.column(column) if column else None
        asked = [self.reading.spans[i] for i in self.asks["count"]]
        head = self._head("count")
        aside = head is not None and head not in measure.uses
        rows = aside and head is not None and self.reading.spans[head].has("rows")
        other = aside and head is not None and self._measures_by(head)
        counts = rows or any(span.has("counts rows") for span in asked)
        money = profile is not None and (
            profile.unit in MONEY
            or (
                profile.unit is None
                and bool({*WHOLE} & set(self.reading.words_of(profile).concepts))
            )
        )
        things = any(span.has("counts things", "counts rows") for span in asked)
        chosen = any(c.kind == "number" and c.column == column for c in self.reading.conditions)
        return {
            **({"many money": 1.0} if money and things else {}),
            **({"many rows": 1.0} if counts else {}),
            **({"other unit": 1.0} if other else {}),
            **({"many chosen by": 1.0} if column and chosen else {}),
        }

    def _extremes(self, measures: list[Measure], targets: list[Target]) -> Iterator[Frame]:
        reading = self.reading
        rivals = self._rivals()
        ends = any(
            sense.split()[0] in ("max", "min", "more", "less")
            for k, span in enumerate(reading.spans)
            for sense in span.senses
            if reading.is_sense(k)
        )
        for i, span in enumerate(reading.spans):
            if i in self.condition_spans or not reading.is_sense(i):
                continue
            if {i, i + 1} & self._orderings():
                continue
            for sense in span.senses:
                name, _, concept = sense.partition(" ")
                if name == "nth" and not ends:  # "comes second in the number of complaints"
                    yield from self._extreme(i, True, "", measures, targets)
                if name in ("max", "min"):
                    yield from self._extreme(i, name == "max", concept, measures, targets)
                if name in ("max", "min", "more", "less") and rivals:
                    most = name in ("max", "more")
                    yield from self._extreme(i, most, concept, measures, rivals, rival=1.0)

    def _rivals(self) -> list[Target]:
        """Return the things that a question compares: `which is older, A or B`, `more in 2012 or in
        2007`.
        """
        conditions = self.reading.conditions
        either = frozenset(self.reading.sense("or", "between"))
        rows = self.reading.table.profile.rows
        for c in conditions:
            others = [
                d for d in conditions if d is not c and d.kind == c.kind and d.column == c.column
            ]
            column = self.reading.table.profile.column(c.column)
            if not others or column is None:
                continue
            if c.kind == "value":
                repeated = column.distinct < 0.95 * (rows - column.missing)
                return [Target(col(column), either, 1.0, repeated, column.name)]
            grain = c.period.grain if c.period else ""
            if c.kind == "period" and grain in GRAINS:
                if column.kind == "number":
                    return [Target(col(column), either, 1.0, repeated=True, column=column.name)]
                made = (
                    col(column)
                    if grain == "day"
                    else call(cast("FunctionName", grain), col(column))
                )
                return [Target(made, either, 1.0, repeated=True, grain=grain)]
        return []

    def _extreme(
        self,
        i: int,
        most: bool,
        concept: str,
        measures: list[Measure],
        targets: list[Target],
        *,
        rival: float = 0.0,
    ) -> Iterator[Frame]:
        reading = self.reading
        n, n_uses = (1, set[int]()) if rival else self.top(i)
        rows = frozenset(self.cue("rows"))
        asks = {*self.asks["which"], *self.asks["who"], *self.asks["where"], *self.asks["amount"]}
        chosen: list[Measure | None] = []
        if concept == "duration" and most and (since := self._since(i)) is not None:
            chosen, concept, most = [since], "date", False  # "has been frozen the longest"
        elif concept == "rows":
            counts = [
                c
                for c in reading.table.profile.columns
                if c.role == "measure" and c.integer and not reading.words_of(c).numbering
            ]
            chosen = [
                None,
                *(
                    Measure(col(c), frozenset(), 0.55 - 0.1 * r, additive=True)
                    for r, c in enumerate(counts[:2])
                ),
            ]
        elif concept == "date" and self._clocks() and not (self.asks["when"] and self._dates()):
            yield from self._clock_extreme(i, most, asks)
            return
        elif concept == "date":
            chosen = [
                Measure(
                    col(c),
                    frozenset(k for k, link in reading.mentions if link.column == c),
                    0.8 - 0.05 * r,
                    additive=False,
                )
                for r, c in enumerate(self._dates()[:3])
            ]
            for k, link in reading.mentions:  # "the oldest by year"
                if link.column.role == "year" or "year" in reading.words_of(link.column).concepts:
                    chosen.append(
                        Measure(col(link.column), frozenset([k]), link.score, additive=False)
                    )
            # "who joined last" uses the date of joining, whatever other date columns there are
            chosen = [m for m in chosen if m is not None and m.uses] or chosen
            listed = frozenset(self.cue("listed"))
            likely = 0.9 if listed else 0.3 if chosen else 0.55
            chosen.append(Measure(Column(name=PLACE), listed, likely, additive=False))
        elif concept == "age" and self._born() is not None:
            born = self._born()
            assert born is not None
            at = frozenset(k for k, link in reading.mentions if link.column == born)
            most = not most  # the oldest person was born first
            chosen = [Measure(col(born), at, 0.85, additive=False)]
        elif concept:
            for c in reading.by_concept(concept)[:2]:
                if c.kind == "number":
                    chosen.append(
                        Measure(
                            col(c),
                            frozenset(k for k, link in reading.mentions if link.column == c),
                            0.85,
                            c.additive is not False,
                        )
                    )
            named = any(m.uses and m.score >= 0.75 and not m.derived for m in measures)
            if concept == "duration" and not named:  # "the longest stage"
                known = [m.expression for m in chosen if m is not None]
                chosen += [
                    Measure(col(c), frozenset(), 0.7, c.additive is not False)
                    for name in ("distance", "length")
                    for c in reading.by_concept(name, 0.95)[:1]
                    if c.kind == "number" and col(c) not in known
                ]
            chosen += [m for m in measures if m.derived]
            known = [m.expression for m in chosen if m is not None]
            chosen += [  # "the longest drive in miles"
                m
                for m in measures[:3]
                if concept not in ("age", "date", "rows")
                and m.score >= 0.75
                and m.expression not in known
                and any(i < k <= i + 4 for k in m.uses)
            ]
            if not chosen:
                chosen = [m for m in measures[:2]]
        else:
            chosen = [*measures[:4], None]
            if not measures and not any(t.repeated for t in targets):
                main = [
                    c
                    for c in reading.table.profile.columns
                    if c.role == "measure" and not reading.words_of(c).numbering
                ]
                sums = [c for c in self._gross() if set(reading.words_of(c).concepts) & {*WHOLE}]
                main = [*sums[:1], *main]
                chosen += [
                    Measure(col(c), frozenset(), 0.25, c.additive is not False) for c in main[:1]
                ]
        mean = self.means()
        total = self.cue("sum")
        shown: list[Target | None] = [*targets[:4]] if rival else [*targets[:4], None]
        days = {c.name for c in reading.dated()}
        for target in shown:
            for measure in chosen:
                if measure is not None and target is not None and measure.uses & target.uses:
                    continue
                if (
                    measure is not None
                    and target is not None
                    and measure.expression == Column(name=PLACE)
                    and not measure.uses
                    and target.column in days
                ):
                    continue  # the last day is not the day in the last row
                for frame in self._extreme_of(
                    i,
                    most,
                    measure,
                    target,
                    n,
                    frozenset(n_uses) | asks | rows,
                    mean,
                    total,
                    concept,
                ):
                    if rival:
                        yield replace(frame, features={**frame.features, "rival": 1.0})
                    else:
                        yield self._at_place(frame, i)

    def _since(self, i: int) -> Measure | None:
        """Return the date since which something `has been frozen`, if this date is named right
        before a superlative of time.
        """
        for k, link in self.reading.mentions:
            done = any(self.reading.spans[j].has("done") for j in (k - 1, k - 2) if j >= 0)
            if 0 < i - k <= 3 and done and self.reading.words_of(link.column).dated:
                return Measure(col(link.column), frozenset([k]), 0.9, additive=False)
        return None

    def _at_place(self, frame: Frame, i: int) -> Frame:
        """Return the frame for the second or third place in an order, if a nearby word asks for
        it.
        """
        places = [
            (j, int(sense[4:]))
            for j in (i, i - 1, i - 2, i + 1, i - 3, i + 2)
            if 0 <= j < len(self.reading.spans)
            and j not in self.condition_spans
            and self.reading.is_sense(j)
            for sense in self.reading.spans[j].senses
            if sense.startswith("nth ")
        ]
        if not places or frame.query.limit != 1:
            return frame
        at, place = places[0]
        query = frame.query.model_copy(update={"offset": place - 1, "ties": False})
        return replace(frame, query=query, uses=frame.uses | {at})

    def _extreme_of(
        self,
        i: int,
        most: bool,
        measure: Measure | None,
        target: Target | None,
        n: int,
        uses: frozenset[int],
        mean: list[int],
        total: list[int],
        concept: str,
    ) -> Iterator[Frame]:
        used = {i, *uses, *(measure.uses if measure else ()), *(target.uses if target else ())}
        features: dict[str, float] = {}
        features["measure"] = measure.score if measure else 0.0
        if target:
            features["target"] = target.score
        counted = {*self.asks["count"]}
        if target is None:
            if measure is None:
                return
            name: AggregateName = "max" if most else "min"
            if n == 1:
                yield self._frame(
                    self.query(agg(name, measure.expression), where=self.where, show="value"),
                    used,
                    name,
                    **features,
                )
            wanted = self.asks["who"] or (self.asks["which"] and not self.cue("ask what"))
            named = self._row_names()
            if not named:
                return
            items = (*map(col, named), measure.expression)
            several = named[0].distinct < 0.97 * self.reading.table.profile.rows
            present = call("not", call("empty", measure.expression))
            where = both([*([self.where] if self.where else []), present])
            yield self._frame(
                self.query(
                    *items,
                    where=where if measure.derived else self.where,
                    order=(Order(by=measure.expression, descending=most),),
                    limit=n,
                    ties=True,  # include rows that tie with the last one
                    show="row" if n == 1 else "table",
                ),
                used,
                "row extreme",
                **features,
                **({} if wanted else {"unasked row": 1.0}),
                **({"most of a row": 1.0} if self._is_of_all(i, measure, several) else {}),
            )
            return
        if target.repeated:
            aggregates: list[tuple[AggregateName, float]] = []
            if measure is None:
                aggregates = [("count", 0.0)]
            elif concept == "date":
                aggregates = [("max" if most else "min", 0.0)]
            elif mean:
                aggregates = [("mean", 0.0)]
            elif total:
                aggregates = [("sum", 0.0)]
            elif concept:
                aggregates = [
                    ("max" if most else "min", 0.0),
                    ("mean", 0.5),
                    *([("sum", 0.7)] if measure.additive else []),
                ]
            elif measure.additive:
                aggregates = [("sum", 0.0), ("max" if most else "min", 0.6)]
            else:
                aggregates = [("max" if most else "min", 0.0), ("mean", 0.2)]
            for name, cost in aggregates:
                expression = agg(name, measure.expression) if measure else agg("count")
                also = set(mean) if name == "mean" else set(total)
                alone = name == "sum" and not total and self._is_of_one_row(i, target)
                highest = name == "sum" and not total and self.reading.spans[i].has("degree")
                if not measure:
                    also = (also - set(total)) | counted
                yield self._frame(
                    self.query(
                        expression,
                        where=self._with_present(target),
                        group=(target.expression,),
                        order=(Order(by=expression, descending=most),),
                        limit=n,
                        ties=True,  # include rows that tie with the last one
                        show="row" if n == 1 else "table",
                    ),
                    used | also,
                    "group extreme",
                    **features,
                    second=cost + self._each(target),
                    **({"counted": 1.0} if measure is None else {}),
                    **({"spending counted": 1.0} if measure is None and self._pays(i) else {}),
                    **({"sum of one row": 1.0} if alone else {}),
                    **({"sum of highest": 1.0} if highest else {}),
                )
        if measure is not None:
            where = (
                both(
                    [
                        *([self.where] if self.where else []),
                        call("not", call("empty", measure.expression)),
                    ]
                )
                if measure.derived
                else self.where
            )
            yield self._frame(
                self.query(
                    target.expression,
                    measure.expression,
                    where=where,
                    order=(Order(by=measure.expression, descending=most),),
                    limit=n,
                    ties=True,  # include rows that tie with the last one
                    show="row" if n == 1 else "table",
                ),
                used | set(total) | set(self.cue("single")),
                "row of extreme",
                **features,
                **({"repeated": 1.0} if target.repeated and not self.cue("single") else {}),
                **({"most of a row": 1.0} if self._is_of_all(i, measure, target.repeated) else {}),
                **({"total of a row": 1.0} if total else {}),
            )

    def _is_of_all(self, i: int, measure: Measure, several: bool) -> bool:
        """Return whether a superlative refers to a person's sum over all rows: who owes us the
        most.

        several: whether a person can have several rows.
        """
        asked = self.asks["who"] or (self.asks["which"] and self._pays(i))
        bare = self.reading.spans[i].has("max", "min") and not self.reading.spans[i].has("degree")
        return bool(asked) and bare and several and measure.additive

    def _pays(self, i: int) -> bool:
        """Return whether there is a word for paying or owing next to a superlative: spent the
        most.
        """
        spans = self.reading.spans
        paying = cast("list[str]", self.reading.table.words.relations["paying"])
        near = [j for j in range(i - 3, i + 3) if 0 <= j < len(spans) and j != i]
        return any(set(spans[j].concepts) & set(paying) for j in near)

    def _is_of_one_row(self, i: int, target: Target) -> bool:
        """Return whether a superlative refers to a single row: the match with the most, 最高的一次.

        Words that already name the thing or person asked for are ignored.
        """
        wide = self.reading.annotation.tokens[self.reading.spans[i].first].wide
        near = range(i + 1, i + 4) if wide else range(i - 3, i)
        spans = self.reading.spans
        return any(
            0 <= j < len(spans) and spans[j].has("rows", "single") and j not in target.uses
            for j in near
        )

    def _each(self, target: Target) -> float:
        """Return 1 if the question asks for a number for each value of the target but not which
        value it is, as in "the maximum close per company". Otherwise, return 0.
        """
        if self.asks["which"] or self.asks["who"]:
            return 0.0
        spans = self.reading.spans
        for at in target.uses:
            wide = self.reading.annotation.tokens[spans[at].first].wide
            beside = [at - 1, *([at + 1] if wide or not spans[at].text.isascii() else [])]
            if any(0 <= i < len(spans) and spans[i].has("group", "per") for i in beside):
                return 1.0
        return 0.0

    def _born(self) -> ColumnProfile | None:
        """Return the column with birth dates. Return None if there is a column with ages, or none
        with birth dates.
        """
        columns = self.reading.table.columns
        if any(
            "age" in o.concepts and o.column.kind == "number" and o.column.role != "year"
            for o in columns
        ):
            return None
        return next((o.column for o in columns if "born" in o.concepts), None)

    def _dates(self) -> list[ColumnProfile]:
        """Return the date columns, starting with those to which conditions or words refer."""
        spoken = {c.column for c in self.reading.conditions if c.kind in ("period", "present")} | {
            k.column.name for _, k in self.reading.mentions
        }
        return sorted(self.reading.dated(), key=lambda c: c.name not in spoken)

    def _clocks(self) -> list[tuple[int, ColumnProfile]]:
        return [
            (i, k.column)
            for i, k in self.reading.mentions
            if self.reading.words_of(k.column).clocked
        ]

    def _clock_extreme(self, i: int, most: bool, asks: set[int]) -> Iterator[Frame]:
        for at, column in self._clocks()[:2]:
            minutes = call(
                "+",
                call("*", call("hour of day", col(column)), val(60)),
                call("minute", col(column)),
            )
            query = self.query(
                col(column),
                where=self.where,
                order=(Order(by=minutes, descending=most),),
                limit=1,
                show="value",
            )
            yield self._frame(
                query, {i, at, *asks, *self.cue("hour of day")}, "row of extreme", measure=0.8
            )

    def _with_present(self, target: Target) -> Expression | None:
        """Return the conditions. If grouping values can be empty, a condition that excludes empty
        ones is added.
        """
        column = self.reading.table.profile.column(target.column) if target.column else None
        if column is None or not column.missing:
            return self.where
        present = call("not", call("empty", target.expression))
        return both([self.where, present] if self.where else [present])

    def top(self, i: int) -> tuple[int, set[int]]:
        """Return the number of rows that are asked for, and the words that ask for them: the three
        highest, top 5, which 5 years had the most.
        """
        asks = [*self.asks["which"], *self.asks["who"], *self.cue("list")]
        behind = (
            i + 3
            if self.reading.spans[i + 1 : i + 2] and self.reading.spans[i + 1].has("of")
            else i + 2
        )
        for j in (i + 1, i - 1, i + 2, behind, *(k + 1 for k in asks), *(k + 2 for k in asks)):
            if 0 <= j < len(self.reading.spans) and j not in self.condition_spans:
                span = self.reading.spans[j]
                if (
                    span.number
                    and 1 <= span.number <= 100
                    and span.number == int(span.number)
                    and self.reading.choices[j].role in ("number", "sense")
                ):
                    return int(span.number), {j}
        return 1, set()

    def _shares(self, measures: list[Measure], targets: list[Target]) -> Iterator[Frame]:
        named = {j for i, _ in self.reading.mentions for j in self._compound(i)}
        cue = [i for i in self.cue("share") or self.cue("percent") if i not in named]
        if not cue:
            return
        asks = {
            *cue,
            *self.cue("percent"),
            *self.asks["which"],
            *self.asks["count"],
            *self.asks["amount"],
            *self.cue("rows"),
            *self.cue("sum"),
        }
        hundred = val(100)
        if len(measures) >= 2:
            ordered = sorted(
                [m for m in measures if not m.derived], key=lambda m: min(m.uses, default=0)
            )
            for a in ordered:
                for b in ordered:
                    if a is b or a.uses & b.uses:
                        continue
                    expression = call(
                        "*", call("/", agg("sum", a.expression), agg("sum", b.expression)), hundred
                    )
                    late = 0.3 if min(a.uses, default=0) > min(b.uses, default=0) else 0.0
                    if self._is_told_last(cue, max(min(a.uses, default=0), min(b.uses, default=0))):
                        late = 0.3 - late
                    yield self._frame(
                        self.query(expression, where=self.where, show="value"),
                        asks | a.uses | b.uses,
                        "ratio of sums",
                        measure=(a.score + b.score) / 2,
                        second=late,
                    )
        conditions = self.reading.conditions
        parts: list[tuple[list[ReadCondition], list[ReadCondition]]] = [
            ([c], [d for d in conditions if d is not c]) for c in conditions
        ]
        if len(conditions) > 1:
            parts.append((conditions, []))
        for part, base in parts:
            where, of = joined(part), joined(base)
            features = {
                "part last": 1.0 if part[-1] is max(conditions, key=lambda c: c.at) else 0.0
            }
            features["part beside"] = (
                1.0 if any(abs(c.at - k) == 1 and c.at < k for c in part for k in cue) else 0.0
            )
            # this is A 占 B, unlike "what share of B is A"
            ahead = bool(base) and max(c.at for c in part) < cue[0] < min(c.at for c in base)
            features["part ahead"] = 1.0 if ahead else 0.0
            features["part period"] = 1.0 if any(c.kind == "period" for c in part) else 0.0
            made = call("*", call("/", agg("count", where=where), agg("count")), hundred)
            yield self._frame(
                self.query(made, where=of, show="value"),
                {*asks, *self.cue("count"), *self._label_mentions()},
                "share",
                **features,
            )
            summed = {"sum though counted": 1.0} if self.cue("count") else {}
            for measure in measures[:2]:
                if measure.additive:
                    made = call(
                        "*",
                        call(
                            "/",
                            agg("sum", measure.expression, where=where),
                            agg("sum", measure.expression),
                        ),
                        hundred,
                    )
                    yield self._frame(
                        self.query(made, where=of, show="value"),
                        asks | measure.uses,
                        "share of sum",
                        measure=measure.score,
                        **features,
                        **summed,
                    )

    def _is_told_last(self, cue: list[int], last: int) -> bool:
        """Return whether a request for a share is phrased in the order of `what share of those
        invited is coming`: the whole comes first, and the part follows after a verb.
        """
        spans = self.reading.spans
        return cue[0] < last - 1 and any(
            spans[i].has("copula") for i in range(max(cue[0] + 2, last - 2), last)
        )

    def _differences(self, measures: list[Measure], targets: list[Target]) -> Iterator[Frame]:
        per = [t for t in targets if t.grain in GRAINS and t.repeated]
        change = self.cue("change")
        percent = self.cue("percent", "share")
        moved = self.cue("moved")
        gap = self.cue("difference", "minus")
        ratio = self.cue("ratio")
        sides = self._sides()
        if sides is None:
            yield from self._surplus(measures)
            return
        a, b, rest = sides
        if not (change or moved or gap or ratio):
            yield from self._days_apart(a, b, joined(rest))
            gap = self._how_much_more()
            if not gap and percent and not self.cue("share") and a.kind == b.kind == "period":
                change = percent
            elif not gap:
                return
        shared = joined(rest)
        yield from self._days_apart(a, b, shared)
        asks = {
            *change,
            *percent,
            *moved,
            *gap,
            *ratio,
            *self.asks["amount"],
            *self.asks["count"],
            *self.cue("rows"),
            *self.cue("sum"),
            *self.asks["which"],
        }
        choices: list[tuple[AggregateName, Measure | None]] = [("count", None)]
        for measure in measures[:3]:
            if self.cue("median"):
                choices.append(("median", measure))
            elif self.means() or not (measure.additive or self.cue("sum")):
                choices.append(("mean", measure))
            else:
                choices.append(("sum", measure))
        for name, measure in choices:
            args = (measure.expression,) if measure else ()
            left, right = (
                Aggregate(name=name, args=args, where=side.expression) for side in (a, b)
            )
            if name == "mean" and per and measure and measure.additive:
                left, right = (
                    call(
                        "/",
                        agg("sum", measure.expression, where=side.expression),
                        agg("distinct", per[0].expression, where=side.expression),
                    )
                    for side in (a, b)
                )
            uses = (
                asks
                | (measure.uses if measure else frozenset())
                | set(self.means() if name == "mean" else self.cue(name) if measure else [])
                | (per[0].uses if per and name == "mean" else frozenset())
            )
            features = {
                "measure": measure.score if measure else 0.0,
                "counted": 0.0 if measure else 1.0,
            }
            much = any(self._begins(i, "ask amount") for i in gap)
            if measure is None and (self.asks["amount"] or much):
                features["much counted"] = 1.0
            older, newer = (left, right)
            if (
                a.period
                and b.period
                and a.period.start
                and b.period.start
                and a.period.start > b.period.start
            ):
                older, newer = right, left
            if change or (percent and (moved or gap)):
                made = call("*", call("/", call("-", newer, older), older), val(100))
                yield self._frame(
                    self.query(made, where=shared, show="value"), uses, "change", **features
                )
            elif ratio:
                yield self._frame(
                    self.query(call("/", left, right), where=shared, show="value"),
                    uses,
                    "ratio",
                    **features,
                )
            else:
                made = call("-", newer, older) if a.period and moved else call("-", left, right)
                yield self._frame(
                    self.query(made, where=shared, show="value"), uses, "difference", **features
                )

    def _surplus(self, measures: list[Measure]) -> Iterator[Frame]:
        """Yield money received minus money spent, if a column says which of the two a row is: 结余,
        the balance, what is left of it.
        """
        asked = self.cue("surplus")
        values = self.reading.table.value_concepts
        sides = [
            (one, value)
            for concepts in (("revenue", "incoming money"), ("expense",))
            for one, value in next((values[c] for c in concepts if values.get(c)), [])[:1]
        ]
        if not asked or len(sides) < 2 or sides[0][0].column != sides[1][0].column:
            return
        known = [m for m in measures if not m.derived and m.additive]
        if not known:
            amounts = [c for c in self.reading.by_concept("amount", 0.6) if c.kind == "number"]
            known = [Measure(col(c), frozenset(), 0.8, additive=True) for c in amounts]
        for measure in known[:2]:
            came, went = (
                agg("sum", measure.expression, where=call("=", col(one.column), val(value)))
                for one, value in sides
            )
            yield self._frame(
                self.query(call("-", came, went), where=self.where, show="value"),
                {*asked, *measure.uses, *self.asks["amount"], *self.asks["count"]},
                "difference",
                measure=measure.score,
            )

    def _days_apart(
        self, a: ReadCondition, b: ReadCondition, where: Expression | None
    ) -> Iterator[Frame]:
        """Yield the number of days between two things that are named: the planting and the
        harvest.
        """
        asked, dates = self.asks["duration"], self.reading.dated()
        for day in dates[:2] if asked and a.kind == b.kind == "value" else ():
            first, last = (agg("max", col(day), where=side.expression) for side in (a, b))
            apart = call("absolute", call("days between", last, first))
            uses = {*asked, *self.cue("difference", "between", "rows")}
            uses |= {i for i, link in self.reading.mentions if link.column == day}
            yield self._frame(self.query(apart, where=where, show="value"), uses, "days apart")

    def _how_much_more(self) -> list[int]:
        """Return the words that ask for the difference between two things without using the word:
        how many hours more, which is higher and by what.
        """
        asked = self.asks["count"] + self.asks["amount"] + self.asks["duration"]
        more = self.cue("more", "less")
        return [*more, *self.cue("than")] if asked and more else []

    def _between_ends(self, measures: list[Measure]) -> Iterator[Frame]:
        """Yield the difference between the highest and the lowest: the biggest ward minus the
        smallest.
        """
        gap, top, bottom = self.cue("difference", "minus"), self.cue("max"), self.cue("min")
        if not gap or not top or not bottom:
            return
        for measure in [m for m in measures if not m.derived][:3]:
            apart = call("-", agg("max", measure.expression), agg("min", measure.expression))
            uses = {
                *gap,
                *top,
                *bottom,
                *measure.uses,
                *self.asks["amount"],
                *self.asks["count"],
                *self.asks["which"],
                *self.cue("rows"),
                *(i for i, _ in self.reading.mentions),
            }
            yield self._frame(
                self.query(apart, where=self.where, show="value"),
                uses,
                "between ends",
                measure=measure.score,
            )

    def _weighted(self, measures: list[Measure]) -> Iterator[Frame]:
        """Yield a weighted average, such as the average price weighted by units."""
        cue = self.cue("weighted mean")
        plain = [m for m in measures if not m.derived and m.uses]
        for a in plain[:4] if cue else []:
            for b in plain[:4]:
                if a is b or a.uses & b.uses or a.expression == b.expression:
                    continue
                product = call("*", a.expression, b.expression)
                present = call("not", call("empty", a.expression))
                weights = agg("sum", b.expression, where=present)
                # the weight is next to the cue, or comes last if the cue comes before both
                far = [min(abs(i - cue[0]) for i in m.uses) for m in (a, b)]
                ahead = cue[0] < min(*a.uses, *b.uses)
                weighing = far[1] > far[0] if ahead else far[1] < far[0]
                yield self._frame(
                    self.query(
                        call("/", agg("sum", product), weights), where=self.where, show="value"
                    ),
                    {
                        *cue,
                        *self.cue("mean", "group", "rows"),
                        *a.uses,
                        *b.uses,
                        *self.asks["which"],
                    },
                    "weighted mean",
                    measure=(a.score + b.score) / 2,
                    second=0.0 if weighing else 0.4,
                )

    def _measure_there(self, measures: list[Measure]) -> Iterator[Frame]:
        """Yield a number from the row in which another number is highest or lowest, such as the
        rain on the coldest day.
        """
        plain = [m for m in measures if not m.derived and m.uses]
        for end in self.cue("max", "min"):
            most = self.reading.spans[end].has("max")
            for a in plain[:4]:
                for b in plain[:4]:
                    if a is b or a.uses & b.uses or a.expression == b.expression:
                        continue
                    far = min(abs(i - end) for i in b.uses) < min(abs(i - end) for i in a.uses)
                    uses = {
                        end,
                        *a.uses,
                        *b.uses,
                        *self.asks["amount"],
                        *self.asks["count"],
                        *self.asks["which"],
                        *self.asks["when"],
                        *self.cue("rows", "winner"),
                    }
                    yield self._frame(
                        self.query(
                            b.expression,
                            where=self.where,
                            order=(Order(by=a.expression, descending=most),),
                            limit=1,
                            ties=True,
                            show="row",
                        ),
                        uses,
                        "measure there",
                        measure=(a.score + b.score) / 2,
                        second=0.4 if far else 0.0,
                    )

    def _latest(self, measures: list[Measure]) -> Iterator[Frame]:
        """Yield the number on the last day, such as the current price, or the weight when last
        recorded.
        """
        now, dates = self.cue("present"), self.reading.dated()
        if not any(self.asks[name] for name in ("which", "who", "when", "where", "count")):
            now = now or self.cue("max date")
        for measure in [m for m in measures if m.uses][:3] if now and dates else ():
            told = [call("not", call("empty", measure.expression))]
            told = told if _has_gaps(measure, self.reading.table.profile) else []
            query = self.query(
                measure.expression,
                where=both([*parts_of(self.where), *told]),
                order=(Order(by=col(dates[0]), descending=True),),
                limit=1,
                ties=True,
                show="row",
            )
            uses = {*now, *measure.uses, *self.asks["amount"], *self.asks["which"]}
            yield self._frame(query, uses, "latest", measure=measure.score)

    def _of_columns(self, measures: list[Measure]) -> Iterator[Frame]:
        """Yield the difference, change or ratio between two columns: 2024 minus 2023, spend against
        budget, takings per customer.
        """
        plain = [m for m in measures if not m.derived and m.uses]
        change, percent = self.cue("change"), self.cue("percent", "share")
        gap, moved = self.cue("difference", "minus"), self.cue("moved")
        per = self.cue("mean", "group", "ratio", "per")
        asks = {
            *change,
            *percent,
            *gap,
            *moved,
            *self.asks["amount"],
            *self.asks["count"],
            *self.asks["which"],
            *self.cue("rows", "sum", "more", "less"),
        }
        pairs = [
            (a, b)
            for a in plain
            for b in plain
            if a is not b
            and not a.uses & b.uses
            and a.expression != b.expression
            and not self._is_rate_per(a.expression, b.uses)
        ]
        pairs = [*pairs[:12], *self._along_series(plain)]
        than = self.cue("than")
        downward = self.cue("less", "downward") and not self.cue("minus")
        for a, b in pairs:
            first = min(a.uses, default=0)
            features = {"measure": (a.score + b.score) / 2}
            later = self._later(a, b)
            ahead = 0.0 if (later if later is not None else first < min(b.uses, default=0)) else 0.4
            named_first = min([first, *b.uses])
            if any(0 < named_first - i <= 2 for i in than):  # "higher than the low was the high"
                ahead = 0.4 - ahead
            averages = self.cue("mean")
            name: AggregateName = "mean" if len(averages) == 2 else "sum"
            left, right = agg(name, a.expression), agg(name, b.expression)
            uses = {*asks, *a.uses, *b.uses, *than, *(averages if name == "mean" else ())}
            if change or (percent and (moved or gap)):
                made = call("*", call("/", call("-", left, right), right), val(100))
                yield self._frame(
                    self.query(made, where=self.where, show="value"),
                    uses,
                    "change of columns",
                    second=ahead,
                    **features,
                )
            elif gap or moved:
                made = call("-", right, left) if downward and not moved else call("-", left, right)
                yield self._frame(
                    self.query(made, where=self.where, show="value"),
                    uses,
                    "difference of columns",
                    second=ahead,
                    **features,
                )
            if per and not gap and not change:
                made = call("/", left, right)
                yield self._frame(
                    self.query(made, where=self.where, show="value"),
                    {*uses, *per},
                    "sum per sum",
                    second=0.0 if first < min(b.uses, default=0) else 0.3,
                    **features,
                )

    def _is_rate_per(self, one: Expression | ColumnProfile, spans: Iterable[int]) -> bool:
        """Return whether a column is already expressed per the unit that the spans name. If a price
        per kg is asked for per kg, it is not divided by a weight in kg.
        """
        unit = PER.search(one.name) if isinstance(one, Column | ColumnProfile) else None
        words = self.reading.table.words
        said = {words.key(self.reading.spans[i].text) for i in spans}
        return unit is not None and words.key(unit[1]) in said

    def _along_series(self, plain: list[Measure]) -> list[tuple[Measure, Measure]]:
        """Return the last column of a series together with the column that is named, or else with
        the first.
        """
        columns = series_of(self.reading.table.profile)
        if not columns:
            return []
        held = [
            (min(m.uses), column)
            for m in plain
            if isinstance(m.expression, Column)
            and m.expression.name in columns
            and (column := self.reading.table.profile.column(m.expression.name)) is not None
        ]
        ends = self._ends_of(columns, held[:1])
        if ends is None or len({c.name for _, c in held}) > 1:
            return []
        first, last, uses = ends
        return [
            (
                Measure(last, frozenset(), 0.6, additive=True),
                Measure(first, uses, 0.6, additive=True),
            )
        ]

    def _how_far(self, measures: list[Measure], targets: list[Target]) -> Iterator[Frame]:
        """Yield the difference between two columns in each row, if the question asks how the
        columns compare: did we hit the budget in April?
        """
        pairs = [c for c in self.reading.conditions if c.kind == "pair"]
        gaps = [m for m in measures if m.derived and any(m.uses & c.spans for c in pairs)]
        for measure in gaps[:1]:
            others = joined([c for c in self.reading.conditions if not c.spans & measure.uses])
            total = agg("sum", measure.expression)
            asks = {
                *measure.uses,
                *self.asks["amount"],
                *self.asks["which"],
                *self.asks["who"],
                *self.cue("sum", "rows", "difference"),
            }
            yield self._frame(
                self.query(total, where=others, show="value"),
                asks,
                "how far",
                measure=measure.score,
            )
            over = both([*([others] if others else []), *(c.expression for c in pairs)])
            yield self._frame(
                self.query(total, where=over, show="value"),
                asks,
                "how far of those",
                measure=measure.score,
            )
            for end in self.cue("max", "min"):
                most = self.reading.spans[end].has("max")
                for target in [t for t in targets if t.repeated][:2]:
                    yield self._frame(
                        self.query(
                            total,
                            where=others,
                            group=(target.expression,),
                            order=(Order(by=total, descending=most),),
                            limit=1,
                            ties=True,
                            show="row",
                        ),
                        {*asks, end, *target.uses},
                        "group extreme",
                        measure=measure.score,
                        target=target.score,
                    )

    def _moved_rows(self, measures: list[Measure]) -> Iterator[Frame]:
        """Yield which rows, or how many of them, rose or fell from one column to another: fewer
        people in 2025 than in 2021.
        """
        plain = [m for m in measures if not m.derived and m.uses]
        for sense, sign in (("rose", ">"), ("fell", "<")):
            cue = self.cue(sense)
            for a in plain[:4] if cue else []:
                for b in plain[:4]:
                    if a is b or a.uses & b.uses or self._later(a, b) is not True:
                        continue
                    moved = call(cast("FunctionName", sign), a.expression, b.expression)
                    where = both([*([self.where] if self.where else []), moved])
                    uses = {
                        *cue,
                        *a.uses,
                        *b.uses,
                        *self.asks["count"],
                        *self.cue("rows", "moved", "list", "more", "less"),
                        *self.asks["which"],
                    }
                    if self.asks["count"] or self.cue("count"):
                        yield self._frame(
                            self.query(agg("count"), where=where, show="value"), uses, "count"
                        )
                    names = self._row_names()
                    if names and not self.asks["count"]:
                        yield self._frame(
                            self.query(*map(col, names), where=where, distinct=True, show="list"),
                            uses,
                            "list label",
                        )

    def _later(self, a: Measure, b: Measure) -> bool | None:
        """Return whether a column is named after a later period than another column. Return None if
        they are not named after different periods.
        """
        names = [m.expression.name for m in (a, b) if isinstance(m.expression, Column)]
        years = [re.search(r"(?<!\d)((?:19|20)\d\d)(?!\d)", name) for name in names]
        if len(years) == 2 and years[0] and years[1] and years[0][1] != years[1][1]:
            return years[0][1] > years[1][1]
        return None

    def _ranks(self, measures: list[Measure]) -> Iterator[Frame]:
        """Yield the rank of a named value among all values, which are ordered by a number."""
        cue = self.cue("rank")
        if not cue:
            return
        values = [c for c in self.reading.conditions if c.kind == "value"]
        for c in values[:2]:
            rest = [d.expression for d in self.reading.conditions if d is not c]
            for measure in measures[:3]:
                own = Subquery(
                    query=self.query(
                        agg("max", measure.expression), where=both([*rest, c.expression])
                    )
                )
                where = both([*rest, call(">", measure.expression, own)])
                made = call("+", agg("count"), val(1))
                uses = {
                    *cue,
                    *measure.uses,
                    *self.cue("max", "rows"),
                    *self.asks["which"],
                    *self.asks["where"],
                    *self.asks["count"],
                }
                yield self._frame(
                    self.query(made, where=where, show="value"), uses, "rank", measure=measure.score
                )

    def _against_rest(self, measures: list[Measure]) -> Iterator[Frame]:
        """Yield how much more or less the rows that meet a condition have than all others: than the
        rest, than days without rain.
        """
        cue = self.cue("difference", "minus", "more", "less")
        rest = self.cue("rest")
        if not cue and not rest:
            return
        conditions = [
            c
            for c in self.reading.conditions
            if c.kind in ("value", "number", "weekday", "period", "present")
        ]
        for c in conditions[:3]:
            others = both([d.expression for d in self.reading.conditions if d is not c])
            for measure in measures[:2]:
                name: AggregateName = (
                    "median"
                    if self.cue("median")
                    else "mean"
                    if self.means() or not measure.additive
                    else "sum"
                )
                for one in dict.fromkeys((name, "mean")):
                    left = agg(cast("AggregateName", one), measure.expression, where=c.expression)
                    right = agg(
                        cast("AggregateName", one),
                        measure.expression,
                        where=call("not", c.expression),
                    )
                    uses = {
                        *cue,
                        *rest,
                        *measure.uses,
                        *(self.means() if one == "mean" else self.cue(one)),
                        *self.asks["amount"],
                        *self.asks["count"],
                        *self.asks["which"],
                        *self.asks["duration"],
                    }
                    yield self._frame(
                        self.query(call("-", left, right), where=others, show="value"),
                        uses,
                        "against rest",
                        measure=measure.score,
                        second=0.0 if one == name else 0.4,
                        **({} if rest else {"unsaid rest": 1.0}),
                    )

    def _sides(self) -> tuple[ReadCondition, ReadCondition, list[ReadCondition]] | None:
        """Return the two conditions that are compared, and those that apply to both sides."""
        conditions = sorted(self.reading.conditions, key=lambda c: c.at)
        moved = self.cue("change", "moved", "difference", "minus", "ratio")
        for c in conditions if moved else []:  # "from May to June"
            if c.period is not None and c.period.ends and (ends := self.reading.ends_of(c)):
                return *ends, [d for d in conditions if d is not c]
        for kind in ("period", "value", "weekday", "number"):
            of_kind = [c for c in conditions if c.kind == kind]
            for a in of_kind:
                for b in of_kind:
                    if a.at < b.at and a.column == b.column:
                        return a, b, [c for c in conditions if c is not a and c is not b]
        return None

    def _groups(self, measures: list[Measure], targets: list[Target]) -> Iterator[Frame]:
        cue = self.cue("group")
        drawn, form = self.form()
        descending = bool(self.cue("descending"))
        sorting = self.cue("descending", "ascending")
        if not cue and not drawn:
            return
        if drawn and not any(t.repeated or t.grain or t.column == self._axis() for t in targets):
            targets = [*self._axes(), *targets]
        named = list(
            dict.fromkeys(
                c.column for c in self.reading.conditions if c.kind == "value" and c.column
            )
        )
        several = [c for c in named if sum(d.column == c for d in self.reading.conditions) > 1]
        likely = 0.95 if self._each_of_several else 0.6
        targets = [
            *targets[:2],
            *(Target(_named(c), frozenset(), likely, repeated=True, column=c) for c in several),
            *targets[2:],
        ]
        for target in targets[:3]:
            choices: list[tuple[AggregateName, Measure | None]] = [("count", None)]
            for measure in measures[:3]:
                if measure.uses & target.uses:
                    continue
                usual: AggregateName = "sum" if measure.additive else "mean"
                asked: list[AggregateName] = [name for name in AGGREGATES if self.cue(name)]
                choices.extend((name, measure) for name in asked or [usual])
            for name, measure in choices:
                expression = agg(name, measure.expression) if measure else agg("count")
                uses = {
                    *cue,
                    *sorting,
                    *drawn,
                    *target.uses,
                    *(measure.uses if measure else ()),
                    *self.cue(name),
                    *self.asks["count"],
                    *self.asks["amount"],
                    *self.cue("rows"),
                    *(() if measure else set(self._row_mentions()) - target.uses),
                    *self.asks["which"],
                    *self.cue("list"),
                }
                yield self._frame(
                    self.query(
                        expression,
                        where=self.where,
                        group=(target.expression,),
                        order=(Order(by=expression, descending=descending),) if sorting else (),
                        show=form or ("line" if self._is_time(target) else "bar"),
                    ),
                    uses,
                    "group",
                    target=target.score,
                    measure=measure.score if measure else 0.0,
                    counted=0.0 if measure else 1.0,
                    **self._given(target),
                )

    def form(self) -> tuple[list[int], Show | None]:
        """Return the words that ask for a chart, and the type of chart if they name one."""
        charts: list[tuple[str, Show]] = [
            ("chart bar", "bar"),
            ("chart line", "line"),
            ("chart pie", "pie"),
        ]
        drawn = self.cue("chart", *(sense for sense, _ in charts))
        named: Show | None = next((show for sense, show in charts if self.cue(sense)), None)
        return drawn, named if drawn else "table"

    def _is_time(self, target: Target) -> bool:
        """Return whether a target is a time column, or a continuous part of one, such as the
        month.
        """
        times = {c.name for c in self.reading.dated()} | {self._axis()}
        return target.grain in GRAINS or bool(target.column and target.column in times)

    def _axis(self) -> str:
        """Return the time column for a chart if the question names none, or an empty string."""
        dates = self.reading.dated()
        years = [c.name for c in self.reading.table.profile.columns if c.role == "year"]
        return dates[0].name if dates else years[0] if years else ""

    def _axes(self) -> list[Target]:
        """Return the axis of a chart if the question names none: the dates, or months or years if
        there are many dates. Without dates, it is the year, or else the name of each row.
        """
        for date in self.reading.dated()[:1]:
            if date.distinct <= POINTS:
                return [Target(col(date), frozenset(), 0.6, repeated=True, column=date.name)]
            try:
                low, high = (dt.date.fromisoformat(str(end)[:10]) for end in (date.low, date.high))
            except ValueError:
                return [Target(col(date), frozenset(), 0.6, repeated=True, column=date.name)]
            grain: FunctionName = "month" if (high - low).days <= POINTS * 31 else "year"
            axis = call(grain, col(date))
            return [Target(axis, frozenset(), 0.6, repeated=True, grain=grain)]
        label = self.label()
        name = self._axis() or (label.name if label else "")
        return [Target(_named(name), frozenset(), 0.6, repeated=True, column=name)] if name else []

    def _scatter(self, measures: list[Measure]) -> Iterator[Frame]:
        """Read `plot price against size` as one point for each row."""
        drawn = self.cue("chart scatter") or self.cue("chart", "chart line")
        joint = [*self.cue("against"), *self.cue("and"), *self.cue("group"), *self.cue("to")]
        plain = [m for m in measures if not m.derived]
        different = [m for m in plain if m.expression != plain[0].expression] if plain else []
        if not drawn or not different or not (joint or self.cue("chart scatter")):
            return
        first, second = sorted((plain[0], different[0]), key=lambda m: min(m.uses, default=0))
        yield self._frame(
            self.query(second.expression, first.expression, where=self.where, show="scatter"),
            {*drawn, *joint, *first.uses, *second.uses},
            "scatter",
            measure=(first.score + second.score) / 2,
        )

    def _series(self) -> Iterator[Frame]:
        """Read a question about columns that form a series (2021, 2022, 2023): in which of them a
        number is highest, what their sum or mean is, or how they develop.
        """
        columns = series_of(self.reading.table.profile)
        if not columns or any(link.column.name in columns for _, link in self.reading.mentions):
            return
        entry, header = Column(name=ENTRY), Column(name=HEADER)
        period = {*self.cue("unit year", "unit month", "unit quarter"), *self.asks["when"]}
        asks = {*self.asks["which"], *self.cue("rows"), *self.asks["amount"], *self.asks["count"]}
        pinned = any(map(self._names_one_row, self.reading.conditions))
        whole = self._stacked(columns, self.query(where=self.where))
        for i, span in enumerate(self.reading.spans):
            if i in self.condition_spans or not self.reading.is_sense(i) or not period:
                continue
            for most in (True, False):
                if not any(s.partition(" ")[0] == ("max" if most else "min") for s in span.senses):
                    continue
                n, n_uses = self.top(i)
                value = entry if pinned else agg("sum", entry)
                made = whole.model_copy(
                    update={
                        "group": () if pinned else (Item(expression=header),),
                        "items": tuple(map(_item, (header, value) if pinned else (value,))),
                        "order": (Order(by=value, descending=most),),
                        "limit": n,
                        "ties": True,
                        "show": "row" if n == 1 else "table",
                    }
                )
                yield self._frame(made, {i, *period, *asks, *n_uses}, "series extreme")
        for name in ("mean", "max", "min", "median"):
            if (cue := self.cue(name)) and pinned:
                made = whole.model_copy(
                    update={"items": (_item(agg(name, entry)),), "show": "value"}
                )
                yield self._frame(made, {*cue, *asks}, "series value")
        drawn, form = self.form()
        if drawn and pinned:
            made = whole.model_copy(
                update={"items": (_item(header), _item(entry)), "show": form or "line"}
            )
            yield self._frame(made, {*drawn, *period, *asks, *self.cue("list")}, "series chart")
        elif drawn and not self.cue("group"):
            update = {"group": (_item(header),), "items": (_item(agg("sum", entry)),)}
            made = whole.model_copy(update={**update, "show": form or "line"})
            yield self._frame(made, {*drawn, *period, *asks, *self.cue("list")}, "series chart")

    def _peers(self) -> Iterator[Frame]:
        """Read a question that asks in which of several similar columns a number is best, such as
        the hardest subject.
        """
        peers = peers_of(self.reading.table.profile)
        spoken = [
            i
            for i, s in enumerate(self.reading.spans)
            if i not in self.condition_spans and "subject" in s.concepts and not s.columns
        ]
        if not peers or not spoken:
            return
        entry, header = Column(name=ENTRY), Column(name=HEADER)
        asks = {*self.asks["which"], *self.cue("mean"), *self.cue("rows")}
        for i, span in enumerate(self.reading.spans):
            if i in self.condition_spans or not self.reading.is_sense(i):
                continue
            for most in (True, False):
                if not any(s.partition(" ")[0] == ("max" if most else "min") for s in span.senses):
                    continue
                mean = agg("mean", entry)
                made = self._stacked(peers, self.query(where=self.where)).model_copy(
                    update={
                        "group": (_item(header),),
                        "items": (_item(mean),),
                        "order": (Order(by=mean, descending=most),),
                        "limit": 1,
                        "ties": True,
                        "show": "row",
                    }
                )
                yield self._frame(made, {i, *spoken, *asks}, "series extreme")

    def _stacked(self, columns: tuple[str, ...], query: Query) -> Query:
        return query.model_copy(update={"stack": columns})

    def _when_of(self, target: Target) -> set[int]:
        """Return the words that ask when something happened, if a target is a date or a time."""
        column = self.reading.table.profile.column(target.column) if target.column else None
        words = self.reading.words_of(column) if column is not None else None
        timed = bool(target.grain) or (words is not None and (words.dated or words.clocked))
        return set(self.asks["when"]) if timed else set()

    def _given(self, target: Target) -> dict[str, float]:
        """Return the reason not to ask for a column: the question already states the column's
        value.
        """
        given = any(
            c.kind == "value"
            and c.column == target.column
            and isinstance(c.expression, Call)
            and c.expression.name == "="
            and sum(d.column == c.column for d in self.reading.conditions) == 1
            for c in self.reading.conditions
        )
        return {"given": 1.0} if given and target.column else {}

    def _lists(self, measures: list[Measure], targets: list[Target]) -> Iterator[Frame]:
        reading = self.reading
        asks = {
            *self.asks["which"],
            *self.asks["who"],
            *self.asks["where"],
            *self.cue("list"),
            *self.cue("rows"),
        }
        days = {c.name for c in reading.dated()}
        quiet: dict[str, float] = {} if asks or self.asks["when"] else {"uncued": 1.0}
        for target in targets[:4]:
            if target.grain and target.grain != "day":
                continue
            if self.asks["who"] and (target.grain or target.column in days):
                continue  # "who" does not ask for a date
            yield self._frame(
                self.query(target.expression, where=self.where, distinct=True, show="list"),
                asks | target.uses | set(self.cue("distinct")) | self._when_of(target),
                "list",
                target=target.score,
                unconditional=0.0 if self.where else 1.0,
                **quiet,
                **self._given(target),
            )
            yield from self._without(target, asks)
        for target in self._label_targets() if self.cue("names") and self.where else []:
            yield self._frame(
                self.query(target.expression, where=self.where, distinct=True, show="list"),
                asks,
                "list",
                target=target.score,
            )
        if self.where is not None:
            name = self.label()
            if name is not None:
                yield self._frame(
                    self.query(col(name), where=self.where, distinct=True, show="list"),
                    asks,
                    "list label",
                    **quiet,
                )
            yield self._frame(self.query(where=self.where, show="table"), asks, "rows", **quiet)
        pinned = any(map(self._names_one_row, reading.conditions))
        compared = frozenset(i for c in reading.conditions if c.kind == "pair" for i in c.spans)
        looks = [m for m in measures[:4] if not m.derived or (pinned and not m.uses & compared)]
        for measure in looks:
            uses = {
                *self.asks["which"],
                *self.asks["amount"],
                *self.asks["age"],
                *self.asks["duration"],
                *self.asks["count"],
                *self.asks["weight"],
                *self.asks["height"],
                *self.asks["distance"],
                *measure.uses,
            }
            yield self._frame(
                self.query(measure.expression, where=self.where, show="value"),
                uses,
                "lookup",
                measure=measure.score,
                pinned=float(pinned),
                unconditional=0.0 if self.where else 1.0,
            )

    def _ordered(self, measures: list[Measure], targets: list[Target]) -> Iterator[Frame]:
        """Yield rows in a certain order: `oldest first`. In `dearest first`, the word first does
        not ask for a single row.
        """
        spans = self.reading.spans
        for at in self._orderings():
            for sense in spans[at - 1].senses:
                name, _, concept = sense.partition(" ")
                if name not in ("max", "min"):
                    continue
                asks = {*self.asks["which"], *self.asks["who"], *self.cue("list", "rows")}
                by = self._orders(concept, measures)
                for target in [*targets[:2], *self._label_targets()]:
                    for measure in by:
                        yield self._frame(
                            self.query(
                                target.expression,
                                measure.expression,
                                where=self.where,
                                order=(Order(by=measure.expression, descending=name == "max"),),
                                show="table",
                            ),
                            {at, at - 1, *asks, *target.uses, *measure.uses},
                            "ordered",
                            target=target.score,
                            measure=measure.score,
                        )

    def _orderings(self) -> set[int]:
        """Return the words that end a clause and turn a superlative into an order: oldest first."""
        spans = self.reading.spans
        return {
            i
            for i in self.cue("in order")
            if i
            and any(s.startswith(("max", "min")) for s in spans[i - 1].senses)
            and (i + 1 == len(spans) or not any(c.isalnum() for c in spans[i + 1].text))
        }

    def _orders(self, concept: str, measures: list[Measure]) -> list[Measure]:
        """Return what the rows can be ordered by. A date column that a condition restricts comes
        before other date columns.
        """
        if concept != "date":
            return measures[:3]
        asked = {c.column for c in self.reading.conditions}
        due = ("due", "expires")
        days = sorted(
            self._dates(),
            key=lambda c: (
                c.name not in asked,
                not {*due} & set(self.reading.words_of(c).concepts),
                c.missing,
            ),
        )
        return [
            Measure(col(c), frozenset(), 0.8 - 0.05 * n, additive=False)
            for n, c in enumerate(days[:3])
        ]

    def _label_targets(self) -> list[Target]:
        """Return the column that labels the rows, as a target that the question does not name."""
        label = self.label()
        if label is None:
            return []
        return [Target(col(label), frozenset(), 0.7, repeated=False, column=label.name)]

    def _counts_and_sums(self, measures: list[Measure]) -> Iterator[Frame]:
        """Yield a number of rows together with a total, such as how many invoices there are, and
        how much net.
        """
        # "cuánto" means both how much and how many
        either = {*self.asks["count"]} & {*self.asks["amount"]}
        many, much = ({*self.asks[name]} - either for name in ("count", "amount"))
        if not many or not much:
            return
        head = self._head("count")
        link = self.reading.link(head) if head is not None else None
        if head is not None and link is not None and self._is_added_up(head, link):
            return
        rows = {*self.cue("rows"), *self._row_mentions(), *self.cue("sum", "and")}
        for measure in measures[:3]:
            if measure.derived or not measure.additive:
                continue
            yield self._frame(
                self.query(
                    agg("count"), agg("sum", measure.expression), where=self.where, show="row"
                ),
                {*many, *much, *rows, *measure.uses, *({head} if head is not None else ())},
                "count and sum",
                measure=measure.score,
            )

    def _without(self, target: Target, asks: set[int]) -> Iterator[Frame]:
        """Yield things that have no row of a certain kind: departments without any training, who
        never lost.
        """
        if not target.repeated or not target.column:
            return
        for c in self.reading.conditions:
            denied = c.expression
            if (
                not isinstance(denied, Call)
                or denied.name not in ("not", "!=")
                or c.column == target.column
                or c.kind not in ("value", "pair", "period")
            ):
                continue
            said = denied.args[0] if denied.name == "not" else call("=", *denied.args)
            rest = [d.expression for d in self.reading.conditions if d is not c]
            those = Subquery(
                query=self.query(target.expression, where=both([*rest, said]), distinct=True)
            )
            where = both([*rest, call("not", call("in", target.expression, those))])
            features = {"target": target.score}
            if self.asks["count"]:
                counted = agg("distinct", target.expression)
                yield self._frame(
                    self.query(counted, where=where, show="value"),
                    asks | target.uses | set(self.asks["count"]),
                    "without",
                    **features,
                )
            else:
                yield self._frame(
                    self.query(target.expression, where=where, distinct=True, show="list"),
                    asks | target.uses,
                    "without",
                    **features,
                )

    def _names_one_row(self, condition: ReadCondition) -> bool:
        """Return whether a condition leaves only one row, because it names a value or date that no
        two rows share.
        """
        profile = self.reading.table.profile
        column = profile.column(condition.column) if condition.column else None
        if (
            column is not None
            and column.role in ("quarter", "month")
            and condition.kind == "period"
        ):
            parts = condition.expression.args if isinstance(condition.expression, Call) else ()
            return len(parts) == 2 and all(isinstance(p, Call) and p.name == "=" for p in parts)
        if column is None or column.distinct < 0.9 * profile.rows:
            return False
        period = condition.period
        if condition.kind == "period" and period is not None and period.start and period.end:
            held = profile.rows * (period.end - period.start).days
            low, high = (str(end)[:10] for end in (column.low, column.high))
            if period.start == period.end:
                return True
            try:
                reach = (dt.date.fromisoformat(high) - dt.date.fromisoformat(low)).days
            except ValueError:
                return period.grain in ("month", "quarter", "year") and column.role == "period"
            return held < 1.5 * reach
        return condition.kind == "value"

    def _row_names(self) -> list[ColumnProfile]:
        """Return the columns that identify rows: a name, or else the date, or else the year and
        quarter or month.
        """
        label = self.label()
        if label is not None:
            return [label]
        dates = self.reading.dated()
        parts = [
            c for c in self.reading.table.profile.columns if c.role in ("year", "quarter", "month")
        ]
        return dates[:1] or parts[:2]

    def label(self) -> ColumnProfile | None:
        """Return the column that labels the rows."""
        persons = set(cast("list[str]", self.reading.table.words.relations["persons"])) | {
            "product",
            "animal",
        }
        texts = [
            o
            for o in self.reading.table.columns
            if o.column.kind == "text"
            and o.column.role != "identifier"
            and not o.dated
            and not o.clocked
        ]
        few = 0.2 * self.reading.table.profile.rows  # 经手人 in a cash book does not label rows
        named = [o for o in texts if set(o.concepts) & persons and o.column.distinct > few]
        pool = named or texts
        return max(pool, key=lambda o: o.column.distinct).column if pool else None

    def _neighbours(self, targets: list[Target]) -> Iterator[Frame]:
        """Yield the next row after today, the last row before it, or a row next to a named row."""
        reading = self.reading
        today = Value(value=reading.annotation.clock.today.isoformat(), type="date")
        dates = reading.dated()
        for sense, sign, descending in (("next", ">", False), ("previous", "<", True)):
            cue = self.cue(sense)
            if not cue or not dates:
                continue
            due = [c for c in dates if set(reading.words_of(c).concepts) & {"due", "expires"}]
            for rank, date in enumerate(
                [
                    *(k.column for _, k in reading.mentions if k.column in dates),
                    *(due if sense == "next" else []),
                    *dates[:1],
                ][:2]
            ):
                conditions = [c for c in reading.conditions if c.kind != "period"]
                anchor: Expression = today
                values = [c for c in conditions if c.kind == "value"]
                unique = [
                    c
                    for c in conditions
                    if c.kind == "value"
                    and (p := reading.table.profile.column(c.column))
                    and p.distinct >= 0.95 * reading.table.profile.rows
                ]
                if unique:
                    anchor = Subquery(
                        query=self.query(agg("max", col(date)), where=unique[0].expression)
                    )
                    conditions = [c for c in conditions if c is not unique[0]]
                elif len(values) >= 2 and any(c.at in (cue[0] - 1, cue[0] - 2) for c in values):
                    anchor = Subquery(
                        query=self.query(agg("max", col(date)), where=joined(conditions))
                    )
                    asked = {t.column for t in targets[:1]}
                    conditions = (
                        [c for c in conditions if c.column not in asked]
                        if any(c.column in asked for c in values)
                        else values[:1]
                    )
                made = both(
                    [
                        *(c.expression for c in conditions),
                        call(cast("FunctionName", sign), col(date), anchor),
                    ]
                )
                uses = {
                    *cue,
                    *self.asks["when"],
                    *self.asks["which"],
                    *self.asks["who"],
                    *(k for k, link in reading.mentions if link.column == date),
                    *(k for c in reading.conditions for k in c.spans),
                    *self.cue("rows"),
                    *self.cue("max", "min"),
                }
                shown: list[Target | None] = [*[t for t in targets[:2] if not t.grain], None]
                for target in shown:
                    expression = target.expression if target else col(date)
                    items = (
                        (expression,)
                        if target is None or target.column == date.name
                        else (expression, col(date))
                    )
                    yield self._frame(
                        self.query(
                            *items,
                            where=made,
                            order=(Order(by=col(date), descending=descending),),
                            limit=1,
                            ties=True,
                            show="row",
                        ),
                        uses | (target.uses if target else frozenset()),
                        "neighbour",
                        second=0.3 * rank,
                        target=target.score if target else 0.0,
                        **({"when": 1.0} if target is None and self.asks["when"] else {}),
                    )

    def _beside(self, targets: list[Target]) -> Iterator[Frame]:
        """Yield the row listed before or after the row with a named value."""
        reading = self.reading
        anchors = [c for c in reading.conditions if c.kind == "value"]
        for sense, other, sign, descending in (
            ("next", "after", ">", False),
            ("previous", "before", "<", True),
        ):
            cues = self.cue(sense, other)
            for cue in cues[:2]:
                near = sorted(anchors, key=lambda c: abs(c.at - cue))[:1]
                for anchor in near:
                    place = agg("max" if descending is False else "min", Column(name=PLACE))
                    there = Subquery(query=self.query(place, where=anchor.expression))
                    rest = [c.expression for c in reading.conditions if c is not anchor]
                    where = both(
                        [*rest, call(cast("FunctionName", sign), Column(name=PLACE), there)]
                    )
                    column = reading.table.profile.column(anchor.column)
                    own = (
                        [Target(col(column), frozenset(), 0.6, repeated=False, column=column.name)]
                        if column
                        else []
                    )
                    for target in [
                        *[t for t in targets[:3] if not t.grain and t.column != anchor.column],
                        *own,
                    ]:
                        yield self._frame(
                            self.query(
                                target.expression,
                                where=where,
                                order=(Order(by=Column(name=PLACE), descending=descending),),
                                limit=1,
                                show="row",
                            ),
                            {
                                *cues,
                                *target.uses,
                                *self.cue("listed", "rows", "max", "min"),
                                *self.asks["which"],
                                *self.asks["who"],
                                *self.asks["when"],
                            },
                            "beside",
                            target=target.score,
                        )

    def _correlation(self, measures: list[Measure]) -> Iterator[Frame]:
        cue = self.cue("correlation")
        plain = [m for m in measures if not m.derived]
        for k, a in enumerate(plain[:3]):
            for b in plain[k + 1 : 4]:
                if cue and not a.uses & b.uses and a.expression != b.expression:
                    yield self._frame(
                        self.query(
                            agg("correlation", a.expression, b.expression),
                            where=self.where,
                            show="value",
                        ),
                        {*cue, *a.uses, *b.uses, *self.asks["which"]},
                        "correlation",
                        measure=(a.score + b.score) / 2,
                    )


def _has_gaps(measure: Measure, profile: Profile) -> bool:
    """Return whether the number is missing in some rows."""
    one = measure.expression
    column = profile.column(one.name) if isinstance(one, Column) else None
    return column is not None and bool(column.missing)


def _is_distance(expression: Expression) -> bool:
    """Return whether a number is the absolute difference between two columns."""
    return isinstance(expression, Call) and expression.name == "absolute"


def names_people(column: ColumnProfile) -> bool:
    """Return whether most values of a column look like people's names: up to three capitalised
    words.
    """
    values = [v for v in column.values if isinstance(v, str)]
    if column.kind != "text" or not values or column.role == "identifier":
        return False
    named = sum(
        all(word[:1].isupper() and word.isalpha() for word in v.split()) and len(v.split()) <= 3
        for v in values
    )
    return named >= 0.8 * len(values)


def _item(expression: Expression) -> Item:
    return Item(expression=expression)


SERIES = 3  # minimum number of columns that form a series
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def series_of(profile: Profile) -> tuple[str, ...]:
    """Return the number columns whose names differ only in the year. If there are fewer than three,
    the result is empty.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    for column in profile.columns:
        years = YEAR.findall(column.name)
        if column.kind == "number" and len(years) == 1:
            stem = YEAR.sub("", column.name).strip().lower()
            found.setdefault(stem, []).append((years[0], column.name))
    longest = max(found.values(), key=len, default=[])
    return tuple(name for _, name in sorted(longest)) if len(longest) >= SERIES else ()


ALIKE = 1.7  # maximum ratio between the highest values of similar columns


def peers_of(profile: Profile) -> tuple[str, ...]:
    """Return adjacent number columns that measure the same thing, such as marks. If there are fewer
    than three, the result is empty.
    """
    longest: list[str] = []
    run: list[ColumnProfile] = []
    for column in [*profile.columns, None]:
        high = column.high if column is not None else None
        if (
            column is None
            or column.kind != "number"
            or column.role != "measure"
            or not isinstance(high, int | float)
            or high <= 0
        ):
            begun, runs_on = list[ColumnProfile](), False
        else:
            begun = [column]
            runs_on = all(
                column.unit == one.unit
                and isinstance(one.high, int | float)
                and 1 / ALIKE <= high / one.high <= ALIKE
                for one in run
            )
        if runs_on:
            run += begun
        else:
            if len(run) > len(longest):
                longest = [one.name for one in run]
            run = begun
    return tuple(longest) if len(longest) >= SERIES else ()


def _named(name: str) -> Expression:
    return Column(name=name)
