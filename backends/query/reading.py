"""One assignment of meanings to the spans of a question, and the conditions that follow from it."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, cast

from backends.data.query import (
    Aggregate,
    AggregateName,
    Call,
    Column,
    Expression,
    FunctionName,
    Item,
    Query,
    Subquery,
    Value,
)
from backends.data.values import ColumnProfile, Scalar
from backends.query.annotate import TOPIC, Annotation, ColumnLink, ColumnWords, letters
from backends.query.dates import Period

Role = Literal["value", "column", "sense", "date", "number", "clock", "unknown"]
Kind = Literal[
    "value", "period", "weekday", "number", "clock", "empty", "present", "pair", "average"
]
SIGNS: dict[str, FunctionName] = {">": ">", "<": "<", ">=": ">=", "<=": "<=", "=": "="}
FLIPPED: dict[str, FunctionName] = {">": "<=", "<": ">=", ">=": "<", "<=": ">", "=": "!="}
CLOCKED = {"before": "<", "after": ">=", "since": ">=", "until": "<="}  # comparison of times of day
# The units of columns whose numbers are in thousands, ten thousands or millions.
SCALES = {
    1_000: re.compile(r"(?<![a-zA-Z])k$|[$£€¥]k|\b0{3}s?\b|'000|thousand|千", re.IGNORECASE),
    10_000: re.compile("万"),
    1_000_000: re.compile(r"[$£€¥]\s?mn?$|\bmn\b|million|百万", re.IGNORECASE),
}
POSTFIXED = re.compile(
    "[及或]?以[上下内]|未[満满]|を?超え"
)  # comparisons written after a number: 43以上
LINKS = ("stop", "of", "than", "and", "to", "before month", "rows")


def col(column: ColumnProfile) -> Column:
    """Return a column as an expression."""
    return Column(name=column.name)


def val(value: Scalar) -> Value:
    """Return a constant."""
    return Value(value=value)


def call(name: FunctionName, *args: Expression) -> Call:
    """Return a call to a function with expressions as its arguments."""
    return Call(name=name, args=args)


def agg(name: AggregateName, *args: Expression, where: Expression | None = None) -> Aggregate:
    """Return an aggregate."""
    return Aggregate(name=name, args=args, where=where)


def both(parts: list[Expression]) -> Expression | None:
    """Return a condition that requires all the given conditions, or None if there are none."""
    unique = list(dict.fromkeys(parts))
    if not unique:
        return None
    return unique[0] if len(unique) == 1 else Call(name="and", args=tuple(unique))


def parts_of(where: Expression | None) -> list[Expression]:
    """Return the conditions joined by AND."""
    if where is None:
        return []
    if isinstance(where, Call) and where.name == "and":
        return [part for one in where.args for part in parts_of(one)]
    return [where]


@dataclass(frozen=True)
class ReadCondition:
    """A condition on rows, and the spans from which it was read. column: the column that it
    restricts.
    """

    expression: Expression
    spans: frozenset[int]
    kind: Kind
    column: str = ""
    at: int = 0
    period: Period | None = None
    score: float = 1.0


def joined(conditions: list[ReadCondition]) -> Expression | None:
    """Return a condition that requires all the given ones. Several values, or several periods, of
    the same column are alternatives.
    """
    groups: dict[tuple[str, ...], list[Expression]] = {}
    for k, c in enumerate(conditions):
        denied = isinstance(c.expression, Call) and c.expression.name in ("not", "!=")
        whole = c.kind in ("value", "weekday") or (
            c.kind == "period"
            and c.period is not None
            and bool(c.period.start)
            and bool(c.period.end)
        )
        key = (c.kind, c.column) if whole and not denied else (str(k),)
        groups.setdefault(key, []).append(c.expression)
    parts: list[Expression] = []
    for expressions in groups.values():
        unique = tuple(dict.fromkeys(expressions))
        parts.append(unique[0] if len(unique) == 1 else Call(name="or", args=unique))
    return both(parts)


@dataclass(frozen=True)
class Choice:
    """The meaning of one span in an interpretation. pick: which of the span's values or columns is
    meant.
    """

    role: Role
    pick: int = 0
    score: float = 1.0


@dataclass
class SpanReading:
    """A question in which each span has one meaning.

    mentions: the spans that name columns and that no condition uses.
    """

    annotation: Annotation
    choices: tuple[Choice, ...]
    conditions: list[ReadCondition] = field(default_factory=list[ReadCondition])
    used: set[int] = field(default_factory=set[int])

    def __post_init__(self) -> None:
        self.spans = self.annotation.spans
        self.table = self.annotation.table
        self.negations = [
            i
            for i, s in enumerate(self.spans)
            if self.is_sense(i) and s.has("not", "except", "excepted")
        ]
        self._pairs()
        self._same_day()
        self._averages()
        self._columns_compared()
        self._comparisons()
        self._spans_of_time()
        self._values()
        self._lapsed()
        self._placed()
        self._periods()
        self._empties()
        self._settled()
        self._zeros()
        self._sold_out()
        self._yes()
        self._serving()
        self._contraries()
        self._debts()
        self._somes()
        self._unfinished()
        self._signed()
        self._teams()

    def is_sense(self, i: int) -> bool:
        """Return whether a span is interpreted by its general meaning, and not as a column or
        value.
        """
        return self.choices[i].role == "sense"

    def sense(self, *names: str) -> list[int]:
        """Return the spans that have at least one of these senses."""
        return [i for i, s in enumerate(self.spans) if self.is_sense(i) and s.has(*names)]

    def link(self, i: int) -> ColumnLink | None:
        """Return the column that a span names, with a score."""
        choice = self.choices[i]
        if choice.role != "column":
            return None
        return self.spans[i].columns[choice.pick]

    @property
    def mentions(self) -> list[tuple[int, ColumnLink]]:
        """The spans that name columns and that no condition uses, from left to right."""
        found: list[tuple[int, ColumnLink]] = []
        for i in range(len(self.spans)):
            link = self.link(i)
            if link and i not in self.used:
                found.append((i, link))
        return found

    def words_of(self, column: ColumnProfile) -> ColumnWords:
        """Return the words of a column."""
        return self.table.of(column)

    def words_of_values(self, uses: Iterable[int]) -> set[str]:
        """Return the words of the values that some spans stand for: for the span Dr. Okafor, the
        words of the value Dr. Amara Okafor.
        """
        return {
            letters(word)
            for i in uses
            if self.choices[i].role == "value"
            for value in self.spans[i].values[self.choices[i].pick].values
            for word in str(value).split()
        }

    def dated(self) -> list[ColumnProfile]:
        """Return the date columns. Those with birth dates come last."""
        held = [one for one in self.table.columns if one.dated]
        return [one.column for one in sorted(held, key=lambda one: "born" in one.concepts)]

    def has_row_a_day(self) -> bool:
        """Return whether each row stands for a different day, so that a number of days is a number
        of rows.
        """
        dates, rows = self.dated(), self.table.profile.rows
        return bool(dates) and dates[0].kind == "date" and dates[0].distinct >= 0.97 * rows

    def by_concept(self, concept: str, least: float = 0.5) -> list[ColumnProfile]:
        """Return the columns that fit a concept, the closest first. least: the minimum similarity,
        from 0 to 1.
        """
        near = [
            (
                max((self.table.words.nearness(concept, c) for c in one.concepts), default=0.0),
                one.column,
            )
            for one in self.table.columns
        ]
        return [c for score, c in sorted(near, key=lambda n: -n[0]) if score >= least]

    def passes(self, i: int, to: int) -> bool:
        """Return whether the words between two spans are only connecting words."""
        first, last = (i + 1, to) if i < to else (to + 1, i)
        return all(
            self.choices[j].role in ("unknown", "column")
            or j in self.used
            or self.spans[j].has(*LINKS)
            or not any(letter.isalnum() or letter in "<>" for letter in self.spans[j].text)
            for j in range(first, last)
        )

    def lasting(
        self, mentioned: list[ColumnProfile] | None = None
    ) -> tuple[ColumnProfile, ColumnProfile] | None:
        """Return the columns with the first and last day of the event in each row. Return None
        unless there are two such columns.
        """
        dates = [c for c in self.dated() if c.kind == "date"]
        if mentioned and len({c.name for c in mentioned}) >= 2:
            pair = list({c.name: c for c in mentioned}.values())[:2]
        else:
            relations = self.table.words.relations
            starts = [c for c in dates if set(self.words_of(c).concepts) & set(relations["starts"])]
            ends = [c for c in dates if set(self.words_of(c).concepts) & set(relations["ends"])]
            ends.sort(key=lambda c: bool({"due", "expires"} & set(self.words_of(c).concepts)))
            ends = [c for c in mentioned or [] if c in dates and c not in starts[:1]][:1] or ends
            pair = [*starts[:1], *[c for c in ends if c not in starts[:1]][:1]]
            if len(pair) < 2:
                pair = dates
        if len(pair) != 2:
            return None
        first, last = sorted(pair, key=lambda c: str(c.low or ""))
        return first, last

    def _same_day(self) -> None:
        """Read `on the same day` as a condition that the event ended on the day on which it
        began.
        """
        for i in self.sense("same day"):
            pair = self.lasting(
                [k.column for _, k in self.mentions if self.words_of(k.column).dated]
            )
            if pair:
                at = [j for j, k in self.mentions if k.column in pair]
                self.conditions.append(
                    ReadCondition(
                        call("=", col(pair[1]), col(pair[0])), frozenset([i, *at]), "pair", at=i
                    )
                )
                self.used |= {i, *at}

    def _columns_compared(self) -> None:
        """Read `won more than lost` or `paid after due` as a comparison between two number or date
        columns.
        """
        for i, span in enumerate(self.spans):
            if not self.is_sense(i) or i in self.used:
                continue
            signs = [s.split()[0] for s in span.senses if s[0] in "<>="]
            wide = self.annotation.tokens[span.first].wide
            beside = range(max(0, i - 6) if wide else i + 1, min(i + 6, len(self.spans)))
            if span.has("more", "less") and any(self.spans[j].has("than") for j in beside):
                signs = [*signs, ">" if span.has("more") else "<"]
            timed = [s for s in span.senses if s in ("before", "after")]
            sign = signs[0] if signs else {"before": "<", "after": ">"}[timed[0]] if timed else ""
            if not sign or (self._number_beside(i) is not None):
                continue
            near = [(j, k.column) for j, k in self.mentions if abs(j - i) <= 7]
            if self._compared_before(i, sign, near):
                continue
            for of_days in (False, True):
                held = [
                    (j, c)
                    for j, c in near
                    if (
                        self.words_of(c).dated
                        if of_days
                        else c.kind == "number" and not self.words_of(c).numbering
                    )
                ]
                left = [one for one in held if one[0] < i][-1:]
                right = [one for one in held if one[0] > i and one[1] not in [c for _, c in left]]
                both_behind = [one for one in held if one[0] < i][-2:]
                if wide and not right and len({c.name for _, c in both_behind}) == 2:
                    left, right = both_behind[:1], both_behind[1:]  # AがBを上回る
                if not left:
                    left, right = right[:1], [one for one in right[1:] if one[1] != right[0][1]]
                if not right and left and left[0][0] > i:
                    left, right = [], left
                if not left and right and (other := self._partner(sign, right[0][1])):
                    left = [(right[0][0], other)]  # in "below the minimum", the stock is compared
                if not left or not right:
                    continue
                negated = [n for n in self.negations if n < i and self.passes(n, i)]
                made = call(
                    (FLIPPED if negated else SIGNS)[sign], col(left[0][1]), col(right[0][1])
                )
                at = {i, left[0][0], right[0][0], *negated[:1]}
                self.conditions.append(ReadCondition(made, frozenset(at), "pair", at=i))
                self.used |= at
                break

    def _partner(self, sign: str, column: ColumnProfile) -> ColumnProfile | None:
        """Return the column with which another one is usually compared, such as the minimum for the
        stock. Return None if there is none.
        """
        pairs = cast("dict[str, list[list[str]]]", self.table.words.relations.get("pairs", {}))
        named = set(self.words_of(column).concepts)
        for left, held, right in (form for forms in pairs.values() for form in forms):
            if held == sign and right in named:
                for one in self.by_concept(left, 0.9):
                    if one != column and one.kind == column.kind:
                        return one
        return None

    def _compared_before(self, i: int, sign: str, near: list[tuple[int, ColumnProfile]]) -> bool:
        """Read `A 比 B 多` and `A より B が多い`, in which both columns and the word for
        `than` come before the comparison.
        """
        than = [j for j in range(max(0, i - 6), i) if self.spans[j].has("than")]
        if not than or not self.spans[i].has("more", "less"):
            return False
        numbers = [(j, c) for j, c in near if c.kind == "number" and not self.words_of(c).numbering]
        first = [one for one in numbers if one[0] < than[-1]][-1:]
        other = [one for one in numbers if than[-1] < one[0] < i][:1]
        if not first or not other or first[0][1] == other[0][1]:
            return False
        left, right = (
            (other[0], first[0]) if "より" in self.spans[than[-1]].text else (first[0], other[0])
        )
        made = call(SIGNS[sign], col(left[1]), col(right[1]))
        at = {i, than[-1], left[0], right[0]}
        self.conditions.append(ReadCondition(made, frozenset(at), "pair", at=i))
        self.used |= at
        return True

    def _zeros(self) -> None:
        """Read `zero faults`, `never lost` or `no days absent` as a number that is zero."""
        for i, link in self.mentions:
            column = link.column
            if (
                i in self.used
                or column.kind != "number"
                or self.words_of(column).numbering
                or column.low != 0
            ):
                continue
            near = [
                j
                for j in (i - 1, i - 2, i - 3, i + 1)
                if 0 <= j < len(self.spans) and j not in self.used
            ]
            denied = [
                j
                for j in near
                if (
                    self.spans[j].number == 0
                    or (self.is_sense(j) and self.spans[j].has("not", "missing"))
                )
                and self.passes(i, j)
            ]
            if denied:
                made = call("=", col(column), val(0))
                self.conditions.append(
                    ReadCondition(
                        made, frozenset([i, denied[0]]), "number", column.name, i, score=0.8
                    )
                )
                self.used |= {i, denied[0]}

    def _sold_out(self) -> None:
        """Read `out of stock` as a stock of zero or less."""
        held = [c for c in self.by_concept("stock", 0.9) if c.kind == "number"]
        for i in self.sense("sold out"):
            if held and i not in self.used:
                made = call("<=", col(held[0]), val(0))
                self.conditions.append(
                    ReadCondition(made, frozenset([i]), "number", held[0].name, i, score=0.9)
                )
                self.used.add(i)

    def _yes(self) -> None:
        """Read conditions such as `damaged` or `remote`. If a yes/no column is merely named, yes is
        meant.
        """
        for i, link in self.mentions:
            if i in self.used or self._asked(i) or self.words_of(link.column).dated:
                continue
            yes = [
                v
                for o, v in self.table.value_concepts.get("yes", [])
                if o.column.name == link.column.name
            ]
            no = [
                v
                for o, v in self.table.value_concepts.get("no", [])
                if o.column.name == link.column.name
            ]
            if not yes or link.column.distinct > 3:
                continue
            if any(c.kind == "value" and c.column == link.column.name for c in self.conditions):
                continue
            denied = self._denial(i)
            pending = (
                [n for n in self.negations if self._denies(n, i)] if denied is None else [denied]
            )
            value = no[0] if pending and no else yes[0]
            self.conditions.append(
                ReadCondition(
                    call("=", col(link.column), val(value)),
                    frozenset([i, *pending[:1]]),
                    "value",
                    link.column.name,
                    i,
                    score=0.85 * link.score,
                )
            )
            self.used |= {i, *pending[:1]}

    def _denies(self, n: int, i: int) -> bool:
        """Return whether a negation applies to a yes/no column: not remote, the tablets
        not taken.
        """
        if n in self.used:
            return False
        ahead = self.spans[n + 1] if n + 1 < len(self.spans) else None
        behind = ahead is not None and (ahead.has("stop") or ahead.unknown)
        return 0 < i - n <= 3 or (0 < n - i <= 2 and behind and self.passes(i, n))

    def _serving(self) -> None:
        """Read `still employed` or `current members` as an empty date of leaving."""
        left = [
            o.column
            for o in self.table.columns
            if o.dated
            and o.column.missing
            and set(o.concepts) & {"left", "discharged", "quit", "ended"}
        ]
        for i in self.sense("serving"):
            if left and i not in self.used:
                made = call("empty", col(left[0]))
                self.conditions.append(
                    ReadCondition(made, frozenset([i]), "empty", left[0].name, i, score=0.9)
                )
                self.used.add(i)

    def _contraries(self) -> None:
        """Read `owes us`, `unpaid` or `part-timers` if the table records the opposite: the date of
        payment is empty, full-time is no, or the status is not paid.

        If a number column contains the amount owed, no condition is made here.
        """
        contraries = cast("dict[str, str]", self.table.words.relations.get("contraries", {}))
        numbers = [o for o in self.table.columns if o.column.kind == "number"]
        summed = any({"owed", "balance", "paid"} & set(o.concepts) for o in numbers)
        for i, span in enumerate(self.spans):
            for asked in span.concepts:
                if i in self.used or self.choices[i].role == "value" or asked not in contraries:
                    continue
                named = any(c.kind == "number" for c in self.by_concept(asked, 0.85))
                if (asked == "owed" and summed) or named:
                    continue
                if (made := self._contrary(asked, contraries[asked])) is not None:
                    column, condition, kind = made
                    self.conditions.append(
                        ReadCondition(condition, frozenset([i]), kind, column.name, i, score=0.9)
                    )
                    self.used.add(i)

    def _debts(self) -> None:
        """Read `who owes us` or 欠费的会员 as an amount above zero, if a column contains it.

        If the question also asks for the amount itself, only the words before that are a condition:
        how many owe, and how much.
        """
        asked = {"list", "ask who", "ask which", "ask count"}
        people = [i for i, span in enumerate(self.spans) if asked & set(span.senses)]
        much = [i for i, span in enumerate(self.spans) if span.has("ask amount", "sum")]
        owed = [i for i, span in enumerate(self.spans) if {"owed", "balance"} & set(span.concepts)]
        ends = any(s.startswith(("max", "min", "mean")) for span in self.spans for s in span.senses)
        if not people or ends or (much and (much[0] < people[0] or len(owed) < 2)):
            return
        for i in owed:
            link = self.link(i)
            if i in self.used or link is None:
                continue
            column = link.column
            held = {"owed", "balance"} & set(self.words_of(column).concepts)
            some = column.low == 0 or column.missing
            if column.kind != "number" or not held or not some:
                continue
            self.conditions.append(
                ReadCondition(
                    call(">", col(column), val(0)),
                    frozenset([i]),
                    "number",
                    column.name,
                    i,
                    score=0.9,
                )
            )
            self.used.add(i)
            return

    def _contrary(self, asked: str, held: str) -> tuple[ColumnProfile, Expression, Kind] | None:
        """Return the column that records whether a row is `held`, the condition that the row is
        `asked` instead, and the kind of this condition. Return None if there is no such column.
        """
        values = self.table.value_concepts
        if said := values.get(asked):
            one, value = said[0]
            return one.column, call("=", col(one.column), val(value)), "value"
        if settled := values.get(held):
            one, value = settled[0]
            return one.column, call("!=", col(one.column), val(value)), "value"
        for one in self.table.columns:
            if held not in one.concepts:
                continue
            if one.dated and one.column.missing:
                return one.column, call("empty", col(one.column)), "empty"
            for said, value in values.get("no", []):
                if said.column == one.column and one.column.distinct <= 3:
                    return one.column, call("=", col(one.column), val(value)), "value"
        return None

    def _somes(self) -> None:
        """Read `with red cards` or `any refunds` as a number above zero or a cell that is not
        empty.
        """
        for i, link in self.mentions:
            before = i - 1
            if before > 0 and self.spans[before].text.lower() in ("a", "an", "any"):
                before -= 1  # for example, "have a parts cost"
            if i in self.used or before < 0 or before in self.used:
                continue
            column = link.column
            if not self.is_sense(before):
                continue
            if (
                self.spans[before].has("not", "missing")
                and column.kind == "number"
                and column.missing
            ):
                made = call("empty", col(column))
                self.conditions.append(
                    ReadCondition(made, frozenset([i, before]), "empty", column.name, i, score=0.7)
                )
                self.used |= {i, before}
                continue
            if not self.spans[before].has("filled"):
                continue
            if column.kind == "number" and column.low == 0 and not self.words_of(column).numbering:
                made = call(">", col(column), val(0))
            elif column.missing and (not self.words_of(column).dated or link.score >= 0.95):
                made = call("not", call("empty", col(column)))
            else:
                continue
            self.conditions.append(
                ReadCondition(made, frozenset([i, before]), "number", column.name, i, score=0.75)
            )
            self.used |= {i, before}

    def _unfinished(self) -> None:
        """Read `still here` or `not yet`, without an object, as the condition that the last day of
        the row's event is empty.
        """
        marks = [
            i
            for i in self.sense("pending")
            if i not in self.used and not self._is_amount(i - 1) and not self._is_amount(i + 1)
        ]
        if not marks or any(c.kind == "empty" for c in self.conditions):
            return
        relations = self.table.words.relations
        open_ = [c for c in self.dated() if c.missing]
        ends = [c for c in open_ if set(self.words_of(c).concepts) & set(relations["ends"])] or (
            open_ if len(open_) == 1 else []
        )
        if ends:
            negated = [n for n in self.sense("not") if n not in self.used]
            self.conditions.append(
                ReadCondition(
                    call("empty", col(ends[0])),
                    frozenset([*marks, *negated[:1]]),
                    "empty",
                    ends[0].name,
                    marks[0],
                    score=0.7,
                )
            )
            self.used |= {*marks, *negated[:1]}

    def _is_amount(self, i: int) -> bool:
        """Return whether a span names a column with an amount owed or paid: the amount
        still owing.
        """
        link = self.link(i) if 0 <= i < len(self.spans) else None
        owed = {"owed", "balance", "paid"}
        return (
            link is not None
            and link.column.kind == "number"
            and bool(owed & set(self.words_of(link.column).concepts))
        )

    def _pairs(self) -> None:
        """Read late, over budget and home win as comparisons between two columns."""
        pairs = cast(
            "dict[str, list[tuple[str, FunctionName, str]]]",
            self.table.words.relations.get("pairs", {}),
        )
        for name, forms in {**pairs, "overdue": pairs["late"]}.items():
            for i in self.sense(name):
                open_ = self._overdue() if name in ("late", "overdue") else None
                pair = self._pair(forms)
                made = open_ or pair if name == "overdue" else pair or open_
                if made:
                    denied = self._denied_after(i)
                    made = call("not", made) if denied is not None else made
                    at = [i] if denied is None else [i, denied]
                    self.conditions.append(ReadCondition(made, frozenset(at), "pair", at=i))
                    self.used |= set(at)

    def _signed(self) -> None:
        """Read `money in` or `went out` as an amount above or below zero if one column contains
        both.
        """
        money = [
            o.column
            for o in self.table.columns
            if o.column.kind == "number"
            and not o.numbering
            and set(o.concepts) & {"amount", "revenue", "balance", "payment"}
            and isinstance(o.column.low, int | float)
            and isinstance(o.column.high, int | float)
            and o.column.low < 0 < o.column.high
        ]
        for i, span in enumerate(self.spans) if len(money) == 1 else []:
            named = {"incoming money", "expense"} & set(span.concepts)
            if len(named) != 1 or i in self.used or not self.is_sense(i) or span.has("of"):
                continue
            made = call(">" if "incoming money" in named else "<", col(money[0]), val(0))
            self.conditions.append(
                ReadCondition(made, frozenset([i]), "number", money[0].name, i, score=0.8)
            )
            self.used.add(i)

    def _teams(self) -> None:
        """Read the games that a team won or lost. The team may be in the home column or in the away
        column; this determines which goals are compared.
        """
        sides = [
            [o.column for o in self.table.columns if side in o.concepts and o.column.kind == "text"]
            for side in ("home", "away")
        ]
        if not all(sides) or self.sense("home win", "away win"):
            return
        home, away = sides[0][0], sides[1][0]
        played = [c for c in self.conditions if c.kind == "pair" and _is_of_goals(c.expression)]
        teams = [
            c for c in self.conditions if c.kind == "value" and c.column in (home.name, away.name)
        ]
        if len(played) != 1 or len(teams) != 1 or not self.sense("win", "loss"):
            return
        goals, team = played[0].expression, teams[0].expression
        if not isinstance(goals, Call) or not isinstance(team, Call) or team.name != "=":
            return
        if team.args[1] not in [val(v) for v in home.values] or team.args[1] not in [
            val(v) for v in away.values
        ]:
            return
        turned = call(goals.name, *reversed(goals.args))
        either = call(
            "or",
            call("and", call("=", col(home), team.args[1]), goals),
            call("and", call("=", col(away), team.args[1]), turned),
        )
        spans = played[0].spans | teams[0].spans
        rest = [c for c in self.conditions if c not in (played[0], teams[0])]
        self.conditions = [*rest, ReadCondition(either, spans, "pair", at=teams[0].at)]

    def _denied_after(self, i: int) -> int | None:
        """Return the negation that follows a word, as in Japanese: 期限までに返さなかった (not
        returned by the deadline).
        """
        if not self.annotation.tokens[self.spans[i].first].wide:
            return None
        near = [n for n in self.negations if i < n <= i + 3 and n not in self.used]
        return near[0] if near and self.spans[near[0]].has("not") else None

    def _overdue(self) -> Expression | None:
        """Return the condition that a due date has passed without payment or return. Return None if
        the table has no due date.
        """
        due = [o.column for o in self.table.columns if o.dated and "due" in o.concepts]
        if not due:
            return None
        today = Value(value=self.annotation.clock.today.isoformat(), type="date")
        parts: list[Expression] = [call("<", col(due[0]), today)]
        done = [o for o in self.table.columns if set(o.concepts) & {"paid", "returned", "finished"}]
        days = [o.column for o in done if o.dated and o.column != due[0]]
        sums = [o.column for o in done if o.column.kind == "number" and not o.numbering]
        whole = [
            o.column
            for o in self.table.columns
            if o.column.kind == "number"
            and not o.numbering
            and o.column not in sums
            and set(o.concepts) & {"payable", "amount", "revenue"}
        ]
        settled = self.table.value_concepts.get("paid", [])
        if days:
            parts.append(call("empty", col(days[0])))
        elif settled:
            parts.append(call("!=", col(settled[0][0].column), val(settled[0][1])))
        elif sums and whole:
            widest = max(
                whole, key=lambda c: float(c.high) if isinstance(c.high, int | float) else 0.0
            )
            paid = call("coalesce", col(sums[0]), val(0))
            parts.append(call("<", paid, col(widest)))
        return both(parts)

    def _pair(self, forms: list[tuple[str, FunctionName, str]]) -> Expression | None:
        numbers = [o for o in self.table.columns if o.column.kind == "number" or o.dated]
        for left, sign, right in forms:
            for a in (o.column for o in numbers if left in o.concepts):
                for b in (o.column for o in numbers if right in o.concepts and o.column != a):
                    if (a.kind == "number") == (b.kind == "number"):
                        return call(sign, col(a), col(b))
        return None

    def _averages(self) -> None:
        for name, sign in (("above average", ">"), ("below average", "<")):
            for i in self.sense(name):
                column = self._numeric_near(i)
                if column is None:
                    continue
                at, link = column
                self._against_mean(i, sign, link, [i, *at])
        for i, span in enumerate(self.spans):
            signs = (
                [s.split()[0] for s in span.senses if s[0] in "<>"]
                + [">"] * span.has("more")
                + ["<"] * span.has("less")
            )
            means = [
                j
                for j in range(i + 1, min(i + 5, len(self.spans)))
                if self.spans[j].has("mean", "average value")
            ]
            if not self.is_sense(i) or i in self.used or not signs or not means:
                continue
            column = self._numeric_near(i)
            if column is not None and all(
                self.spans[j].has("than", "stop", "of") or self.choices[j].role == "unknown"
                for j in range(i + 1, means[0])
            ):
                self._against_mean(i, signs[0], column[1], [i, means[0], *column[0]])

    def _against_mean(self, i: int, sign: str, column: ColumnProfile, spans: list[int]) -> None:
        """Read a comparison of a column with its own average over all rows."""
        mean = Query(
            source=self.table.profile.source, items=(Item(expression=agg("mean", col(column))),)
        )
        made = call(SIGNS[sign], col(column), Subquery(query=mean))
        self.conditions.append(ReadCondition(made, frozenset(spans), "average", column.name, i))
        self.used |= set(spans)

    def _numeric_near(self, i: int, concept: str = "") -> tuple[list[int], ColumnProfile] | None:
        """Return the number column to which a comparison refers: the one that is named nearby, or
        else the only one.
        """
        if concept:
            columns = [c for c in self.by_concept(concept) if c.kind == "number"]
            if columns:
                return [], columns[0]
        order = [*range(i - 1, max(-1, i - 7), -1), *range(i + 1, min(len(self.spans), i + 5))]
        for j in order:
            link = self.link(j)
            if self.spans[j].has("aged") and j not in self.used:
                ages = [c for c in self.by_concept("age", 0.9) if c.kind == "number"]
                if ages:
                    return [], ages[0]
            if (
                link
                and j not in self.used
                and link.column.kind == "number"
                and not self.words_of(link.column).numbering
            ):
                return [j], link.column
        measures = [c for c in self.table.profile.columns if c.role == "measure"]
        return ([], measures[0]) if len(measures) == 1 else None

    def _year_beside(self, i: int, number: float) -> tuple[list[int], ColumnProfile] | None:
        """Return the column with years to which a number such as 1850 may belong."""
        if number != int(number) or not 1000 <= number <= 2200:
            return None
        years = [
            o.column
            for o in self.table.columns
            if o.column.kind == "number" and ("year" in o.concepts or o.column.role == "year")
        ]
        named = [(j, k.column) for j, k in self.mentions if k.column in years and abs(j - i) <= 6]
        if named:
            return [named[0][0]], named[0][1]
        return ([], years[0]) if len(years) == 1 else None

    def _counted_in(self, number: int) -> tuple[list[int], ColumnProfile] | None:
        """Return the column that is named right after a number: at least 4 stars."""
        j = number + 1
        link = self.link(j) if j < len(self.spans) and j not in self.used else None
        if link is None or link.score < 0.95 or link.column.kind != "number":
            return None
        return None if self.words_of(link.column).numbering else ([j], link.column)

    def _comparisons(self) -> None:
        """Read comparison words with the number or time of day next to them."""
        for i, span in enumerate(self.spans):
            if not self.is_sense(i) or i in self.used:
                continue
            signs = [s for s in span.senses if s[0] in "<>="]
            timed = [s for s in span.senses if s in CLOCKED]
            if not signs and not timed:
                continue
            number = self._number_beside(i)
            if number is None:
                continue
            held = self.spans[number]
            negated = [n for n in self.negations if n < i and self.passes(n, i)]
            if held.clock is not None:
                sign = signs[0].split()[0] if signs else CLOCKED[timed[0]]
                self._clock_condition(i, number, sign)
                continue
            if held.number is None:
                continue
            if not signs and timed and (year := self._year_beside(number, held.number)):
                at, column = year
                # with years, not with times of day
                sign = ">" if timed[0] == "after" else CLOCKED[timed[0]]
                made = call(SIGNS[sign], col(column), val(_whole(held.number)))
                uses = frozenset([i, number, *at])
                self.conditions.append(
                    ReadCondition(made, uses, "number", column.name, i, score=0.9)
                )
                self.used |= uses
                continue
            if not signs:
                continue
            sign, _, concept = (
                signs[-1].partition(" ") if len(signs) > 1 else signs[0].partition(" ")
            )
            found = self._counted_in(number) if not concept else None
            found = found or self._numeric_near(i, concept) or self._numeric_near(number)
            unit = next(
                (
                    s.split()[1]
                    for j in (number + 1, i + 1)
                    if j < len(self.spans)
                    for s in self.spans[j].senses
                    if s.startswith("unit ")
                ),
                "",
            )
            pair = self.lasting(
                [k.column for _, k in self.mentions if self.words_of(k.column).dated]
            )
            in_days = (unit, "day")  # a column with hours is not compared with days
            lengths = [
                c
                for c in self.by_concept("duration", 0.8)
                if c.kind == "number"
                and (c.unit in in_days or set(in_days) & set(self.words_of(c).keys))
            ]
            if unit in ("day", "week") and pair and not lengths:
                days = held.number * (7 if unit == "week" else 1)
                made = call(
                    (FLIPPED if negated else SIGNS)[sign],
                    call("days between", col(pair[1]), col(pair[0])),
                    val(_whole(days)),
                )
                at = {
                    i,
                    number,
                    number + 1,
                    *negated[:1],
                    *(j for j, k in self.mentions if k.column in pair),
                    *(j for j in range(max(0, i - 2), i) if "duration" in self.spans[j].concepts),
                }
                self.conditions.append(
                    ReadCondition(made, frozenset(at), "number", "", i, score=0.8)
                )
                self.used |= at
                continue
            if found is None:
                continue
            at, column = found
            again = self.link(number + 1) if number + 1 < len(self.spans) else None
            if again is not None and any(  # "£5 per ball", where both price and length are per ball
                k.column == column and k.score >= 0.85 for k in self.spans[number + 1].columns
            ):
                at = [*at, number + 1]
            also = self._beside_column(at, column)
            made = call(
                (FLIPPED if negated else SIGNS)[sign],
                col(column),
                val(_amount(held.number, column)),
            )
            self.conditions.append(
                ReadCondition(
                    made,
                    frozenset([i, number, *at, *negated[:1]]),
                    "number",
                    column.name,
                    i,
                    score=0.9 if at or concept else 0.5,
                )
            )
            self.used |= {i, number, *at, *negated[:1]}
            for j, other in also:
                made = call(
                    (FLIPPED if negated else SIGNS)[sign],
                    col(other),
                    val(_amount(held.number, other)),
                )
                self.conditions.append(
                    ReadCondition(made, frozenset([i, j]), "number", other.name, j, score=0.9)
                )
                self.used.add(j)
        self._equalities()

    def _beside_column(
        self, at: list[int], column: ColumnProfile
    ) -> list[tuple[int, ColumnProfile]]:
        """Return the column that `and` joins to a column compared with a number: both history and
        biology above 90.
        """
        for j, link in self.mentions if at else []:
            low, high = sorted((j, at[0]))
            joined = [k for k in range(low + 1, high) if self.spans[k].has("and")]
            if (
                j not in at
                and high - low <= 2
                and joined
                and link.column.kind == "number"
                and link.column != column
                and not self.words_of(link.column).numbering
            ):
                return [(j, link.column)]
        return []

    def _spans_of_time(self) -> None:
        """Read `more than a week`, which contains no number, as more than one week."""
        for i, span in enumerate(self.spans):
            if (
                i in self.used
                or not self.is_sense(i)
                or not any(s[0] in "<>" for s in span.senses)
                or self._number_beside(i) is not None
            ):
                continue
            near = [
                j
                for j in range(max(0, i - 3), min(i + 4, len(self.spans)))
                if self.spans[j].has("unit week", "unit month") and j != i and j not in self.used
            ]
            pair = self.lasting(
                [k.column for _, k in self.mentions if self.words_of(k.column).dated]
            )
            if not near or not pair:
                continue
            days = 7 if self.spans[near[0]].has("unit week") else 30
            negated = [n for n in self.negations if n < i and self.passes(n, i)]
            sign = next(s for s in span.senses if s[0] in "<>").split()[0]
            made = call(
                (FLIPPED if negated else SIGNS)[sign],
                call("days between", col(pair[1]), col(pair[0])),
                val(days),
            )
            at = {i, near[0], *negated[:1], *(j for j, k in self.mentions if k.column in pair)}
            self.conditions.append(ReadCondition(made, frozenset(at), "number", "", i, score=0.8))
            self.used |= at

    def _number_beside(self, i: int) -> int | None:
        order = [i + 1, i + 2, i + 3, i - 1, i - 2]
        if POSTFIXED.match(self.spans[i].text):
            order = [i - 1, i - 2, *order[:3]]
        for j in order:
            if (
                0 <= j < len(self.spans)
                and j not in self.used
                and self.choices[j].role in ("number", "clock")
            ):
                if j > i and not all(
                    self.spans[k].has(*LINKS)
                    or self.link(k)
                    or not any(c.isalnum() for c in self.spans[k].text)
                    for k in range(i + 1, j)
                ):
                    continue
                return j
        return None

    def _clock_condition(self, i: int, number: int, sign: str) -> None:
        clocked = [o.column for o in self.table.columns if o.clocked or o.column.kind == "time"]
        if not clocked:
            return
        column = clocked[0]
        at: list[int] = []
        for j in range(len(self.spans)):
            link = self.link(j)
            if link and link.column in clocked:
                column, at = link.column, [j]
                break
        hour, minute = self.spans[number].clock or (0, 0)
        hours = call("hour of day", col(column))
        made: Expression = call(SIGNS[sign], hours, val(hour))
        if minute:
            minutes = call("+", call("*", hours, val(60)), call("minute", col(column)))
            made = call(SIGNS[sign], minutes, val(60 * hour + minute))
        self.conditions.append(
            ReadCondition(made, frozenset([i, number, *at]), "clock", column.name, i)
        )
        self.used |= {i, number, *at}

    def _equalities(self) -> None:
        """Read `grade 6` or `6年生`: a whole number next to a column whose whole numbers group the
        rows.
        """
        self._ranges()
        self._said_to_be()
        for i in range(len(self.spans)):
            if self.choices[i].role != "number" or i in self.used:
                continue
            before = i - 2 if i > 1 and not self._spoken(i - 1) else i - 1  # Inv # 2617
            for j in (before, i + 1):
                if not 0 <= j < len(self.spans) or j in self.used:
                    continue
                link = self.link(j)
                number = self.spans[i].number
                if link is None or number is None or not link.column.integer:
                    continue
                beside = j == i + 1 and not self.spans[j].text.isascii()  # 6楼, for the column 楼层
                if link.score < (0.5 if beside else 0.55):
                    continue
                low, high = link.column.low, link.column.high
                within = (
                    isinstance(low, (int, float))
                    and isinstance(high, (int, float))
                    and low <= number <= high
                )
                numbering = self.words_of(link.column).numbering or link.column.role == "identifier"
                if within and (link.column.distinct <= 40 or numbering):
                    made = call("=", col(link.column), val(_whole(number)))
                    self.conditions.append(
                        ReadCondition(
                            made, frozenset([i, j]), "number", link.column.name, i, score=0.85
                        )
                    )
                    self.used |= {i, j}
                    break

    def _said_to_be(self) -> None:
        """Read `whose score is 10`, 到席人数是0的 and 満足度が2だった.

        12号桌 is also read, if there is a column 桌号.
        """
        spans = self.spans
        for i in range(len(spans)):
            number = spans[i].number
            if number is None:
                ranked = re.match(r"(\d+)[位等級级]$", spans[i].text)  # 順位が1位
                number = float(ranked[1]) if ranked and spans[i].has("max", "min") else None
            if number is None or i in self.used or spans[i].clock is not None:
                continue
            turned = "".join(span.text for span in spans[i + 1 : i + 3])[::-1]
            for one in self.table.profile.columns:
                if len(turned) == 2 and one.name == turned and one.kind == "number":
                    self._equals(one, number, [i, i + 1, i + 2])
            if not i or i in self.used:
                continue
            if spans[i - 1].has("equals"):
                j = next((k for k in range(i - 2, -1, -1) if not spans[k].has("compound")), -1)
            else:
                j = i - 1 if spans[i - 1].text.endswith(TOPIC) else -1
            link = self.link(j) if j >= 0 else None
            if link is not None and link.column.kind == "number" and link.score >= 0.8:
                self._equals(link.column, number, [i, *range(j, i)])

    def _equals(self, column: ColumnProfile, number: float, at: list[int]) -> None:
        made = call("=", col(column), val(_whole(number)))
        self.conditions.append(
            ReadCondition(made, frozenset(at), "number", column.name, at[0], score=0.9)
        )
        self.used |= set(at)

    def _spoken(self, i: int) -> bool:
        """Return whether a span contains letters or digits, and not only symbols."""
        return any(c.isalnum() for c in self.spans[i].text)

    def _ranges(self) -> None:
        """Read `rounds 1 to 5` or 标价在100元到300元之间 as a number column whose values are
        between two numbers.
        """
        for i in range(len(self.spans) - 2):
            if self.spans[i].number is None:
                continue
            between = i + 2 if self._is_unit(i + 1) else i + 1
            if between + 1 >= len(self.spans):
                continue
            low, high = self.spans[i].number, self.spans[between + 1].number
            joint = self.spans[between]
            if (
                low is None
                or high is None
                or not low < high
                or {i, between + 1} & self.used
                or not (joint.has("to") or joint.text in ("-", "–", "~", "〜"))
            ):
                continue
            end = between + 3 if self._is_unit(between + 2) else between + 2
            said = i > 0 and self.spans[i - 1].has("between") and self.link(i - 1) is None
            for j in (i - 2 if said else i - 1, end):
                link = self.link(j) if 0 <= j < len(self.spans) and j not in self.used else None
                if link is None or link.column.kind != "number" or link.score < 0.6:
                    continue
                if not link.column.integer and link.score < 0.95:
                    continue
                column = col(link.column)
                made = call(
                    "and",
                    call(">=", column, val(_whole(low))),
                    call("<=", column, val(_whole(high))),
                )
                first = i - 1 if said else i
                at = frozenset[int]([*range(first, end), j])
                self.conditions.append(
                    ReadCondition(made, at, "number", link.column.name, i, score=0.9)
                )
                self.used |= at
                break

    def _is_unit(self, i: int) -> bool:
        """Return whether a span is the unit of a number column, such as 元 after 100."""
        if i >= len(self.spans):
            return False
        span = self.spans[i]
        said = {letters(span.text), *span.senses}
        return any(said & self.words_of(k.column).units for k in span.columns)

    def _values(self) -> None:
        """Read values and their negations. Neighbouring values of the same column are
        alternatives.
        """
        found: list[tuple[int, ColumnProfile, tuple[Scalar, ...], bool, list[int]]] = []
        for i, span in enumerate(self.spans):
            choice = self.choices[i]
            if choice.role != "value":
                continue
            link = span.values[choice.pick]
            uses = [i]
            for j in (i - 1, i + 1, i - 2, i + 2, i - 3, i - 4):
                beside = self.link(j) if 0 <= j < len(self.spans) and j not in self.used else None
                if (
                    beside
                    and beside.column.name == link.column.name
                    and self.passes(i, j)
                    and not self._asked(j)
                ):
                    uses.append(j)
            self.used |= set(uses)
            found.append((i, link.column, link.values, False, uses))
        for k, (i, column, values, _, uses) in enumerate(found):
            denied = self._denial(i)
            if denied is not None:
                found[k] = (i, column, values, True, [*uses, denied])
                self.used.add(denied)
        for i, column, values, denied, uses in found:
            members = [val(v) for v in values]
            one = (
                call("=", col(column), members[0])
                if len(members) == 1
                else call("in", col(column), *members)
            )
            if denied:
                one = call("not", one)
                one = self._opposite(i) or one
            self.conditions.append(
                ReadCondition(
                    one, frozenset(uses), "value", column.name, i, score=self.choices[i].score
                )
            )

    def _opposite(self, i: int) -> Expression | None:
        """Return the status that `not yet` means, if the table has such a status."""
        opposite = cast("dict[str, str]", self.table.words.relations.get("opposites", {}))
        if not self.sense("pending"):
            return None
        for concept in self.spans[i].concepts:
            for one, value in self.table.value_concepts.get(opposite.get(concept, ""), []):
                return call("=", col(one.column), val(value))
        return None

    def _asked(self, i: int) -> bool:
        return i > 0 and self.spans[i - 1].has("ask which", "group")

    def _denial(self, i: int) -> int | None:
        """Return the span that negates another one. It is before this span or, in some languages,
        after it.
        """
        free = [n for n in self.negations if n not in self.used]
        for n in reversed(free):
            if (
                n < i
                and i - n <= 4
                and self.spans[n].has("not", "except")
                and all(
                    self.spans[k].has(*LINKS)
                    or k in self.used
                    or self.choices[k].role in ("unknown",)
                    for k in range(n + 1, i)
                )
            ):
                return n
        for n in free:
            if (
                n > i
                and n - i <= 4
                and self.spans[n].has("excepted")
                and all(self.spans[k].has(*LINKS) or k in self.used for k in range(i + 1, n))
            ):
                return n
        return None

    def _periods(self) -> None:
        dated = self.dated()
        for i, span in enumerate(self.spans):
            if self.choices[i].role == "date" and span.period and i not in self.used:
                self._period(i, span.period, dated)
            if not self.is_sense(i) or i in self.used or not dated:
                continue
            column, at = self._date_near(i, dated)
            days = [int(s.split()[1]) for s in span.senses if s.startswith("weekday ")]
            weekday = call("weekday", col(column))
            made: Expression | None = None
            if days:
                made = call("=", weekday, val(days[0]))
            elif span.has("weekend"):
                made = call("in", weekday, val(6), val(7))
            elif span.has("working day") and not span.has("day of week"):
                made = call("<=", weekday, val(5))
            if made is not None:
                denied = self._denial(i)
                if denied is not None:
                    made = call("not", made)
                    self.used.add(denied)
                self.conditions.append(
                    ReadCondition(
                        made,
                        frozenset([i, *at, *([] if denied is None else [denied])]),
                        "weekday",
                        column.name,
                        i,
                    )
                )
                self.used |= {i, *at}

    def _date_near(self, i: int, dated: list[ColumnProfile]) -> tuple[ColumnProfile, list[int]]:
        order = sorted(range(len(self.spans)), key=lambda j: (abs(j - i), j > i))
        for j in order:
            if j == i or abs(j - i) > 7 or j in self.used:
                continue
            link = self.link(j)
            counts = self.spans[j].has("unit day") and j and self.spans[j - 1].number is not None
            if link and link.column in dated and not self._asked(j) and not counts:
                return link.column, [j]
        for _, link in self.mentions:  # "what was sold for in April" was sold in April
            shared = {key for key in self.words_of(link.column).keys if len(key) > 2}
            for column in dated if link.score >= 0.7 else ():
                if shared & set(self.words_of(column).keys):
                    return column, []
        return dated[0], []

    def _period(self, i: int, period: Period, dated: list[ColumnProfile]) -> None:
        made: list[Expression] = []
        at: list[int] = []
        name = ""
        years = [c for c in self.table.profile.columns if c.role == "year"]
        spoken = [(j, k.column) for j, k in self.mentions if abs(j - i) <= 5]
        whole = all(
            end is None or _is_year_end(end, last)
            for end, last in ((period.start, False), (period.end, True))
        )
        by_year = bool(years) and (
            not dated
            or (
                period.grain in ("year", "range")
                and whole
                and not any(c in dated for _, c in spoken)
            )
        )
        if dated and not by_year:
            column, at = self._date_near(i, dated)
            name = column.name
            if period.start == period.end and period.start and column.kind == "date":
                made.append(call("=", col(column), _day(period.start.isoformat())))
            else:
                if period.start:
                    made.append(call(">=", col(column), _day(period.start.isoformat())))
                if period.end:
                    made.append(call("<=", col(column), _day(period.end.isoformat())))
        else:
            named = [(j, c) for j, c in spoken if c in years]
            at = [named[0][0]] if named else []
            made, name = self._in_parts(period, named[0][1] if named else None)
            if not made:
                return
        expression = both(made)
        assert expression is not None
        denied = self._denial(i)
        if denied is not None:
            expression = call("not", expression)
            self.used.add(denied)
        over = self._over(i)
        self.conditions.append(
            ReadCondition(
                expression,
                frozenset([i, *at, *over, *([] if denied is None else [denied])]),
                "period",
                name,
                i,
                period,
            )
        )
        self.used |= {i, *at, *over}

    def _over(self, i: int) -> list[int]:
        """Return the `over` in "over the last 20 days", which does not compare anything."""
        for j in range(i - 1, max(-1, i - 3), -1):
            if not self.is_sense(j) or not self.spans[j].has("stop") or j in self.used:
                return []
            if self.spans[j].has(">"):
                return [j]
        return []

    def ends_of(self, condition: ReadCondition) -> tuple[ReadCondition, ReadCondition] | None:
        """Return the conditions for the first and the last part of a range of periods. Return None
        if the two are the same or if there is no date column for them.
        """
        ends = condition.period.ends if condition.period is not None else None
        column = self.table.profile.column(condition.column)
        if ends is None or column is None or column not in self.dated() or ends[0] == ends[1]:
            return None

        def made(end: Period) -> ReadCondition | None:
            if end.start is None or end.end is None:
                return None
            first, last = _day(end.start.isoformat()), _day(end.end.isoformat())
            within = call("and", call(">=", col(column), first), call("<=", col(column), last))
            at = condition.spans, "period", condition.column, condition.at
            return ReadCondition(within, *at, period=end)

        first, last = made(ends[0]), made(ends[1])
        return (first, last) if first is not None and last is not None else None

    def _in_parts(
        self, period: Period, named: ColumnProfile | None
    ) -> tuple[list[Expression], str]:
        """Return a period as conditions on columns with years and with quarters or months, and the
        name of one of these columns.
        """
        columns = self.table.profile.columns
        years = [named] if named is not None else [c for c in columns if c.role == "year"]
        quarters = [c for c in columns if c.role == "quarter" and c.kind == "number"]
        months = [c for c in columns if c.role == "month" and c.kind == "number"]
        start, end = period.start, period.end
        fine, size = (months, 1) if months and not quarters else (quarters, 3)
        if not years:
            if (
                start
                and end
                and fine
                and not period.said_year
                and period.grain in ("month", "quarter")
            ):
                part = (start.month - 1) // size + 1
                return [call("=", col(fine[0]), val(part))], fine[0].name
            return [], ""
        year = years[0]
        whole = all(
            end is None or _is_year_end(end, last) for end, last in ((start, False), (end, True))
        )
        if whole or not fine:
            if start and end and start.year == end.year:
                return [call("=", col(year), val(start.year))], year.name
            made: list[Expression] = []
            made += [call(">=", col(year), val(start.year))] if start else []
            made += [call("<=", col(year), val(end.year))] if end else []
            return made, year.name
        per = 12 // size
        if (
            start
            and end
            and start.year == end.year
            and (start.month - 1) // size == (end.month - 1) // size
        ):
            part = (start.month - 1) // size + 1
            return [
                call("=", col(year), val(start.year)),
                call("=", col(fine[0]), val(part)),
            ], fine[0].name
        place = call("+", call("*", col(year), val(per)), col(fine[0]))
        made = []
        if start:
            made.append(call(">=", place, val(start.year * per + (start.month - 1) // size + 1)))
        if end:
            made.append(call("<=", place, val(end.year * per + (end.month - 1) // size + 1)))
        return made, fine[0].name

    def _empties(self) -> None:
        """Read `not collected yet`, `still waiting` or `no remark` as empty cells, or as a status
        that means this.
        """
        marks = [i for i in self.sense("pending", "not", "missing") if i not in self.used]
        if not marks:
            return
        for i in sorted(range(len(self.spans)), key=lambda j: min(abs(j - m) for m in marks)):
            if i in self.used or i in marks:
                continue
            concepts = self.spans[i].concepts
            opposite = cast("dict[str, str]", self.table.words.relations.get("opposites", {}))
            for concept in concepts:
                status = self.table.value_concepts.get(opposite.get(concept, ""), [])
                if status:
                    one, value = status[0]
                    made = call("=", col(one.column), val(value))
                    self.conditions.append(
                        ReadCondition(made, frozenset([i, *marks]), "empty", one.column.name, i)
                    )
                    self.used |= {i, *marks}
                    return
            for link in self.spans[i].columns if self.choices[i].role == "column" else []:
                says_no = any(
                    one.column == link.column for one, _ in self.table.value_concepts.get("no", [])
                )
                if says_no and not any(self.spans[m].has("missing") for m in marks):
                    return  # "not paid" means N if a column contains Y and N
                if (
                    link.column.missing
                    and (
                        self.words_of(link.column).dated
                        or any(self.spans[m].has("missing") for m in marks)
                        or link.column.kind == "text"
                    )
                    and link.score >= 0.35
                ):
                    made = call("empty", col(link.column))
                    denied = [n for n in self.negations if self.spans[n].has("except", "excepted")]
                    if denied and self.spans[marks[0]].has("missing"):
                        made, marks = call("not", made), [*marks, *denied]
                    self.conditions.append(
                        ReadCondition(
                            made,
                            frozenset([i, *marks]),
                            "empty",
                            link.column.name,
                            i,
                            score=link.score,
                        )
                    )
                    self.used |= {i, *marks}
                    return

    def _lapsed(self) -> None:
        """Read expired or run out as a date before today."""
        due = [
            o.column for o in self.table.columns if o.dated and set(o.concepts) & {"expires", "due"}
        ]
        today = Value(value=self.annotation.clock.today.isoformat(), type="date")
        for i in self.sense("lapsed"):
            named = [k.column for j, k in self.mentions if j < i and self.words_of(k.column).dated]
            lapsed = named[-1:] or due
            if i in self.used or not lapsed:
                continue
            near = [
                j
                for j in range(len(self.spans))
                if (p := self.spans[j].period) and p.start == p.end == self.annotation.clock.today
            ]
            uses = frozenset([i, *near, *(j for j, k in self.mentions if k.column in named[-1:])])
            self.conditions.append(
                ReadCondition(call("<", col(lapsed[0]), today), uses, "period", lapsed[0].name, i)
            )
            self.used |= uses

    def _placed(self) -> None:
        """Read `came first` or `in third place` if a column contains the places."""
        places = [
            o.column
            for o in self.table.columns
            if o.column.integer and "rank" in o.concepts and o.column.low == 1
        ]
        for i, span in enumerate(self.spans) if places else ():
            place = next((s.split()[1] for s in span.senses if s.startswith("placed ")), None)
            if place is None or i in self.used or not self.is_sense(i):
                continue
            made = call("=", col(places[0]), val(int(place)))
            self.conditions.append(
                ReadCondition(made, frozenset([i]), "value", places[0].name, i, score=0.95)
            )
            self.used.add(i)

    def _settled(self) -> None:
        """Read conditions without a negation: settled bills are not owed, items that were collected
        have a date of collection, and any reaction counts as a reaction.
        """
        opposite = cast("dict[str, str]", self.table.words.relations.get("opposites", {}))
        for i, span in enumerate(self.spans):
            if i in self.used or self.choices[i].role not in ("column", "sense"):
                continue
            for concept in span.concepts:
                if concept not in opposite or self.table.value_concepts.get(concept):
                    continue
                for one, value in self.table.value_concepts.get(opposite[concept], [])[:1]:
                    made = both(
                        [
                            call("!=", col(one.column), val(value)),
                            call("not", call("empty", col(one.column))),
                        ]
                    )
                    assert made is not None
                    self.conditions.append(
                        ReadCondition(made, frozenset([i]), "empty", one.column.name, i, score=0.9)
                    )
            link = self.link(i)
            if link is None:
                continue
            words = self.words_of(link.column)
            nothing = [
                v
                for c in ("none", "no")
                for o, v in self.table.value_concepts.get(c, [])
                if o.column.name == link.column.name
            ]
            marks = [
                j
                for j in (i - 1, i - 2)
                if j >= 0 and self.spans[j].has("filled", "not", "missing") and self.passes(j, i)
            ]
            if (
                nothing
                and not marks
                and any(
                    self.spans[j].has("max", "min", "ask count") for j in (i - 1, i - 2) if j >= 0
                )
            ):
                self.conditions.append(
                    ReadCondition(
                        call("!=", col(link.column), val(nothing[0])),
                        frozenset([i]),
                        "value",
                        link.column.name,
                        i,
                        score=0.9,
                    )
                )
                self.used.add(i)
            elif nothing and marks:
                filled = self.spans[marks[0]].has("filled")
                denied = [n for n in self.negations if filled and i - 4 <= n < marks[0]]
                sign: FunctionName = "!=" if filled and not denied else "="
                self.conditions.append(
                    ReadCondition(
                        call(sign, col(link.column), val(nothing[0])),
                        frozenset([i, marks[0], *denied[-1:]]),  # "not fitted with DCC"
                        "value",
                        link.column.name,
                        i,
                        score=0.9,
                    )
                )
                self.used |= {i, marks[0], *denied[-1:]}
            elif (
                not words.dated
                and link.column.missing
                and link.column.kind == "text"
                and link.column.distinct <= 3
                and link.score >= 0.9
                and not self._asked(i)
                and i not in self.used
            ):  # "cancelled": if there is any text in the cell, the answer is yes
                denied = self._denial(i)
                made = call("empty", col(link.column))
                made = made if denied is not None else call("not", made)
                at = [i] if denied is None else [i, denied]
                self.conditions.append(
                    ReadCondition(made, frozenset(at), "present", link.column.name, i, score=0.85)
                )
                self.used |= set(at)
            elif (
                words.dated
                and link.column.missing
                and not self._is_asked_for(i)
                and (
                    (link.score >= 0.4 and span.concepts)
                    or (link.score >= 0.7 and self._is_done(i))
                )
            ):
                denied = self._denial(i)
                made = call("empty", col(link.column))
                made = made if denied is not None else call("not", made)
                at = [i] if denied is None else [i, denied]
                self.conditions.append(
                    ReadCondition(made, frozenset(at), "present", link.column.name, i, score=0.95)
                )
                self.used |= set(at[1:])

    def _is_asked_for(self, i: int) -> bool:
        """Return whether a span is what the question asks for: what is the use-by date of
        the pie.
        """
        for j in range(i - 1, -1, -1):
            if self.spans[j].has("ask what", "ask when"):
                return any(self.spans[k].has("copula") for k in range(j + 1, i))
            if not self.spans[j].has("stop", "of"):
                return False
        return False

    def _is_done(self, i: int) -> bool:
        """Return whether the words before a span say that something was done: have been toured,
        已经缴费.
        """
        return any(self.spans[j].has("done") for j in (i - 1, i - 2) if j >= 0)


def _is_of_goals(expression: Expression) -> bool:
    """Return whether a condition compares one column with another."""
    return (
        isinstance(expression, Call)
        and expression.name in ("<", ">")
        and all(isinstance(one, Column) for one in expression.args)
    )


def _day(iso: str) -> Value:
    return Value(value=iso, type="date")


def _amount(number: float, column: ColumnProfile) -> int | float:
    """Return a number in the unit of a column whose numbers are in thousands or millions: £200k is
    200 in a column with £k. A number that is at most twice the column's maximum is returned
    unchanged.
    """
    scale = next((s for s, written in SCALES.items() if written.search(column.unit or "")), 1)
    high = column.high if isinstance(column.high, int | float) else 0.0
    return _whole(number / scale if scale > 1 and number > 2 * abs(high) else number)


def _whole(number: float) -> int | float:
    return int(number) if number == int(number) else number


def _is_year_end(day: dt.date, last: bool) -> bool:
    """Return whether a day is the first day of a year. last: check instead whether it is the last
    day.
    """
    return (day.month, day.day) == ((12, 31) if last else (1, 1))
