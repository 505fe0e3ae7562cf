"""Where the parts of a question belong: which column, which value, and what stands beside it."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from backends.data.values import Condition, Scalar
from backends.understanding.matching import compared
from backends.understanding.operations import THAN
from backends.understanding.spans.numbers import factor, unit_held, unit_said
from backends.understanding.spans.periods import conditions, hull, joined
from backends.understanding.spans.text import bare, name_words

if TYPE_CHECKING:
    from backends.data.values import ColumnProfile
    from backends.understanding.operations import Parts
    from backends.understanding.spans.flags import Flag
    from backends.understanding.spans.numbers import Comparison
    from backends.understanding.spans.periods import Period
    from backends.understanding.spans.text import Question
    from backends.understanding.values import Link


WORD = re.compile(r"[^\W\u3400-\u9fff]+|[\u3400-\u9fff]")
MORE = "higher|greater|more|larger|bigger|above|over|exceed(?:s|ed|ing)?|later"
LESS = "lower|less|smaller|fewer|below|under|earlier"
BESIDE = [
    (
        ">",
        re.compile(
            rf" (?:level |value )?(?:(?:is|was|are|were) )?(?:{MORE}) (?:than )?(?:the |its |their"
            r" |our )?"
        ),
    ),
    (
        "<",
        re.compile(
            rf" (?:level |value )?(?:(?:is|was|are|were) )?(?:{LESS}) (?:than )?(?:the |its |their"
            r" |our )?"
        ),
    ),
    (
        "=",
        re.compile(
            r" ?(?:=|equals?|(?:is|was|are|were) (?:equal to|the same as)) ?(?:the |its |their )?"
        ),
    ),
    (">", re.compile("(?:都|已经?)?(?:高于|超过|大于|多于|超出)")),
    ("<", re.compile("(?:都|已经?)?(?:低于|少于|小于|不足|不到)")),
]


def place_columns(question: Question, parts: Parts) -> None:
    """Read "more deaths than births" and 库存低于安全库存 as a comparison of two columns."""
    measures = [
        m for m in parts.matches if m.column.role == "measure" and m.score >= 0.55 and m.places
    ]
    for one in measures:
        for two in measures:
            first, second = min(one.places), min(two.places)
            if one is two or first >= second:
                continue
            word = WORD.match(question.lower, first)
            end = first + len(spoken_name(question, one.column, first)) or (
                word.end() if word else first
            )
            last = max(p for p in one.places if p < second)
            if last > first and (word := WORD.match(question.lower, last)):
                end = max(end, word.end())  # "stock on hand"
            op = beside(question.lower[:first], question.lower[end:second])
            if op and question.free(end, second):
                made = {"column": one.column.name, "op": op, "other": two.column.name}
                parts.add(
                    [Condition.model_validate(made)],
                    f"{one.column.name} {op} {two.column.name}",
                    first,
                )
                question.take(end, second, "> COL")
                return
    below_limit(question, parts)


LIMITS = re.compile(r"reorder|minimum|safety|threshold|安全|最低|警戒|订货点", re.IGNORECASE)
STOCKS = re.compile(r"qty|quantity|stock|on[ _]?hand|库存|数量|existing", re.IGNORECASE)


def below_limit(question: Question, parts: Parts) -> None:
    """Read "which products are below their reorder level" as stock under the limit, where the table
    has one of each.
    """
    said = re.search(rf"\b(?:{LESS})(?: than)? (?:the|its|their) |低于|少于|不足", question.lower)
    limits = [
        m
        for m in parts.matches
        if m.column.role == "measure" and LIMITS.search(m.column.name) and m.places
    ]
    stocks = [
        m.column
        for m in parts.matches
        if m.column.role == "measure" and STOCKS.search(m.column.name)
    ]
    stocks = [c for c in stocks if not LIMITS.search(c.name)]
    if (
        not said
        or len(limits) != 1
        or len(stocks) != 1
        or not 0 <= min(limits[0].places) - said.end() <= 2
    ):
        return
    made = {"column": stocks[0].name, "op": "<", "other": limits[0].column.name}
    parts.add(
        [Condition.model_validate(made)],
        f"{stocks[0].name} < {limits[0].column.name}",
        said.start(),
    )
    question.take(said.start(), said.end(), "> COL")


def spoken_name(question: Question, column: ColumnProfile, place: int) -> str:
    """Return as much of a column's name as the question says at a place."""
    names = [bare(column.name), " ".join(name_words(column.name))]
    return max(
        (
            n[:size]
            for n in names
            for size in range(len(n) + 1)
            if question.lower.startswith(n[:size], place)
        ),
        key=len,
    )


def beside(before: str, between: str) -> str | None:
    """Return the comparison that stands between two columns."""
    if re.fullmatch(r"s? (?:\w+ )?than (?:the |its |their )?", between):
        if re.search(r"\bmore\b[^,.]{0,25}$", before):
            return ">"
        return "<" if re.search(r"\b(?:fewer|less)\b[^,.]{0,25}$", before) else None
    return next(
        (
            op
            for op, pattern in BESIDE
            if pattern.fullmatch(between.lstrip("s") if between[:2] == "s " else between)
        ),
        None,
    )


SYMBOLS = {"between": "", "=": "=", ">": ">", ">=": "≥", "<": "<", "<=": "≤"}
LESS_THAN = re.compile(
    r"\b(?:less|fewer|lower|smaller|shorter|cheaper|colder)\b.*\bthan\b|少多少|低多少|便宜多少"
)
YEAR_AGO = re.compile(
    r"\byear[- ](?:on|over)[- ]year\b|\byoy\b|\b(?:the )?same (?:month|quarter|period|time) (?:of"
    r" )?(?:last|the previous|the prior|a) year\b|\ba year (?:earlier|ago|before)\b|同比"
)
STEP_AGO = re.compile(
    r"\b(?:month|quarter)[- ](?:on|over)[- ](?:month|quarter)\b|\b(?:the"
    r" )?(?:previous|prior|preceding) (?:month|quarter)\b|环比"
)
# which of two columns of the same values a preposition means
TOWARDS = [
    (
        re.compile(
            r"\b(?:from|out of|leaving|left|departing|departed|departures?|origin(?:ating)?)\b[a-z ]{0,12}$|从[^，,]{0,2}$"
        ),
        re.compile(r"orig|from|start|dep|source|出发|始发|寄"),
    ),
    (
        re.compile(
            r"\b(?:to|into|towards|bound for|arriving(?: in| at)?|destination)\b[a-z ]{0,12}$|[到往至]$"
        ),
        re.compile(r"dest|to$|^to|end|arr|target|目的|到达|收"),
    ),
    (re.compile(r"\bat home\b|\bhome\b"), re.compile(r"home|主")),
    (re.compile(r"\baway\b"), re.compile(r"away|visit|客")),
]


def place_flags(parts: Parts, flags: list[Flag]) -> None:
    """Add conditions that were said without a value."""
    for flag in flags:
        parts.add([flag.condition], flag.words, flag.start)


def place_links(question: Question, parts: Parts, links: list[Link]) -> None:
    """Turn values into conditions; two of one column are alternatives, or two sides."""
    by_column: dict[str, list[Link]] = {}
    for link in links:
        taken = {
            c
            for c, others in by_column.items()
            if any(set(o.columns) == set(link.columns) for o in others)
        }
        by_column.setdefault(column_of(question, link, taken), []).append(link)
    opposed = {"difference", "change"} & set(parts.operations)
    for column, group in by_column.items():
        excluded = {link.value for link in group if link.negated}
        kept = [link for link in group if not link.negated and link.value not in excluded]
        values = list(dict.fromkeys(link.value for link in kept))
        if len(values) == 2 and opposed and not parts.sides:
            sides = [[Condition(column=column, op="=", value=v)] for v in values]
            first, second = sides if LESS_THAN.search(question.lower) else sides[::-1]
            parts.sides = [first, second]
            parts.condition_words += [f"{values[0]} against {values[1]}"]
        elif values:
            made = (
                Condition(column=column, op="=", value=values[0])
                if len(values) == 1
                else Condition(column=column, op="in", value=list(values))
            )
            parts.add([made], " or ".join(map(str, values)), kept[0].start)
        for link in group:
            if link.negated:
                parts.add(
                    [Condition(column=column, op="!=", value=link.value)],
                    f"not {link.value}",
                    link.start,
                )


def column_of(question: Question, link: Link, taken: set[str]) -> str:
    """Return the column a value belongs to, where several hold it."""
    if len(link.columns) == 1:
        return link.columns[0]
    before, after = question.lower[: link.start], question.lower[link.end : link.end + 12]
    for said, sort in TOWARDS:
        if said.search(before[-24:]) or (
            said.pattern.startswith(r"\bat home") and said.search(after)
        ):
            for column in link.columns:
                if sort.search(column.lower()):
                    return column
    free = [c for c in link.columns if c not in taken]
    return (free or list(link.columns))[0]


def place_periods(question: Question, parts: Parts, periods: list[Period]) -> list[str]:
    """Turn periods into conditions, or two of them into sides; return the words that found no
    column.
    """
    unplaced: list[str] = []
    if (
        len(periods) == 3
        and periods[2].unit == "year"
        and all(periods[2].low <= p.low <= periods[2].high for p in periods[:2])
    ):
        periods = periods[:2]  # "May against April (2026)"
    column = dated(question, parts)
    opposed = {"difference", "change"} & set(parts.operations)
    if opposed and not parts.sides:
        pair = (
            periods
            if len(periods) == 2
            else with_earlier(question, periods)
            if len(periods) == 1
            else []
        )
        sides = [conditions(p, parts.profile, column) for p in pair]
        if len(sides) == 2 and sides[0] is not None and sides[1] is not None:
            backwards = (
                bool(THAN.search(question.lower))
                and len(periods) == 2
                and not LESS_THAN.search(question.lower)
            )
            parts.sides = [sides[1], sides[0]] if backwards else [sides[0], sides[1]]
            parts.condition_words.append(f"{pair[0].words} → {pair[1].words}")
            return []
    for one, two in joined(question, periods):
        if one in periods and two in periods:
            periods = [hull(one, two) if p is one else p for p in periods if p is not two]
    for period in periods:
        placed = conditions(period, parts.profile, column)
        if placed is None or any(
            excludes(one, other) for one in placed for other in parts.conditions
        ):
            unplaced.append(question.text[period.start : period.end])
        else:
            parts.add(placed, period.words, period.start)
    return unplaced


def excludes(one: Condition, other: Condition) -> bool:
    """Tell whether no row meets both conditions: "in 1990 and in 1995"."""
    return one.column == other.column and one.op == other.op == "=" and one.value != other.value


def dated(question: Question, parts: Parts) -> ColumnProfile | None:
    """Return the date column the question names, where the table has several."""
    dates = [c for c in parts.profile.columns if c.kind in ("date", "time") or c.role == "year"]
    named = [m for m in parts.matches if m.column in dates and m.score >= 0.42 and m.words]
    return named[0].column if named and len(dates) > 1 else None


def with_earlier(question: Question, periods: list[Period]) -> list[Period]:
    """Return the same period a year, or a step, earlier and the period itself, if the question says
    so.
    """
    (period,) = periods
    if dt.date.max in (period.low, period.high) or dt.date.min in (period.low, period.high):
        return []  # what lasts until today, or goes back for ever, has none before it
    if YEAR_AGO.search(question.lower):
        return [moved(period, 12), period]
    step = {"month": 1, "quarter": 3}.get(period.unit)
    return [moved(period, step), period] if step and STEP_AGO.search(question.lower) else []


def moved(period: Period, months: int) -> Period:
    """Return a period so many months earlier, of the same length in months."""

    def back(day: dt.date) -> dt.date:
        count = day.year * 12 + day.month - 1 - months
        return dt.date(count // 12, count % 12 + 1, 1)

    low, after = back(period.low), back(period.high + dt.timedelta(days=1))
    return replace(period, low=low, high=after - dt.timedelta(days=1), words=f"{low:%b %Y}")


def place_comparisons(question: Question, parts: Parts, comparisons: list[Comparison]) -> list[str]:
    """Give each comparison the column of numbers that stands nearest; return those that found
    none.
    """
    unplaced: list[str] = []
    for comparison in comparisons:
        said = question.text[comparison.start : comparison.end]
        columns = compared(question, parts, comparison)
        if not columns:
            unplaced.append(said)
        for column in columns:
            numbers = [in_scale(n, comparison, column) for n in comparison.numbers]
            value = numbers if comparison.op == "between" else numbers[0]
            if restricts_nothing(comparison.op, numbers[0], column):
                unplaced.append(said)  # "residents over 65" of a column of hundreds means their age
                continue
            made = Condition.model_validate(
                {"column": column.name, "op": comparison.op, "value": value}
            )
            parts.add(
                [made],
                f"{column.name} {SYMBOLS[comparison.op]} {' – '.join(map(str, numbers))}",
                comparison.start,
            )
    return unplaced


def restricts_nothing(op: str, number: Scalar, column: ColumnProfile) -> bool:
    """Tell whether every value of a column meets a comparison by far."""
    low, high = column.low, column.high
    if (
        not isinstance(number, int | float)
        or not isinstance(low, int | float)
        or not isinstance(high, int | float)
    ):
        return False
    return (op in (">", ">=") and 0 < number < low / 2) or (
        op in ("<", "<=") and number > 2 * high > 0
    )


SCALES = [
    (re.compile(r"^万|\(万|（万"), 1e4),
    (re.compile(r"^亿|\(亿|（亿"), 1e8),
    (re.compile(r"\bk[A-Z]{3}\b|(?<![a-z])thousands?(?![a-z])|千元|'000"), 1e3),
    (
        re.compile(
            r"\bm ?(?:USD|EUR|GBP)\b|[$€£] ?m\b|\bmn\b|^m$|\(m\)|(?<![a-z])millions?(?![a-z])|_musd|_meur|百万",
            re.I,
        ),
        1e6,
    ),
]


def in_scale(number: float, comparison: Comparison, column: ColumnProfile) -> Scalar:
    """Return a number as the column counts: "over 2 million" is 2 in a column of millions."""
    number *= factor(unit_said(comparison.unit), unit_held(column))
    if comparison.scale > 1:
        for said, size in SCALES:
            if said.search(column.unit or "") or said.search(column.name):
                number /= size
                break
    return int(number) if number.is_integer() else number
