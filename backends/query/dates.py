"""The only module that reads dates. It finds the parts of a text that name periods of time.

Words have senses, which come from the lexicon: `month 5`, `weekday 6`, `day -1`, `unit month`,
`past`, `present`, `future`, `ago`, `so far`, `half 1`, `season 3`, `since`, `until`. Each token is
mapped to one letter. Patterns over these letters find dates in any language, whatever its word
order.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass

from backends.query.lexicon import LONGEST, Lexicon, Token

ERAS = {
    "R": 2018,
    "r": 2018,
    "H": 1988,
    "h": 1988,
    "S": 1925,
    "令和": 2018,
    "平成": 1988,
    "昭和": 1925,
    "民国": 1911,
    "民國": 1911,
}
ERA = r"(?:令和|平成|昭和|民[国國]|[RHS](?=\d{1,2}[.年]))"
DAY_SIGN, MONTH_SIGN, YEAR_SIGN = "日号號", "月", "年"
NUMERIC = (
    (re.compile(rf"({ERA})\s*(\d{{1,3}}|元)[年.]度?\s*(\d{{1,2}})[月.]\s*(\d{{1,2}})日?"), "eymd"),
    (re.compile(rf"({ERA})\s*(\d{{1,3}}|元)[年.]\s*(\d{{1,2}})月"), "eym"),
    (re.compile(rf"({ERA})\s*(\d{{1,3}}|元)年度"), "ef"),
    (re.compile(rf"({ERA})\s*(\d{{1,3}}|元)年"), "ey"),
    (
        re.compile(r"(?<!\d)(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*[日号]?(?!\d)"),
        "ymd",
    ),
    (re.compile(r"(?<!\d)(\d{1,2})[/.](\d{1,2})[/.](\d{4}|\d{2})(?!\d)"), "xxy"),
    (re.compile(r"(?<!\d)(\d{4})\s*年\s*(\d{1,2})\s*月份?"), "ym"),
    (re.compile(r"(?<![\d.])((?:19|20)\d\d)-(0[1-9]|1[0-2])(?![\d-])"), "ym"),
    (re.compile(r"(?<!\d)(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]"), "md"),
    (re.compile(r"(?<![\d.])(\d{4})\s*年度"), "f"),
    (re.compile(r"(?<![\d.])(\d{4})\s*年"), "y"),
    (
        re.compile(
            r"(?<!\d)(\d{1,2})\s*(?:月份?)?\s*[-–—~〜～至到]\s*(\d{1,2})\s*月份?(?![間间\d])"
        ),
        "mm",
    ),
    (re.compile(r"(?<!\d)(\d{1,2})\s*月份?(?![間间])"), "m"),
    (re.compile(r"(?<![\d./])(\d{1,2})/(\d{1,2})(?![\d/.])"), "xx"),
    (re.compile(r"(?i)\bfy\s?((?:20)?\d\d)\b"), "y"),
)
DIGITS = {c: str(i) for i, c in enumerate("〇一二三四五六七八九")} | {"零": "0", "两": "2"}
NO_DIGIT = re.compile("一(?=[共直般样起定些番緒])")  # 4月一共 does not mean the first of April


@dataclass(frozen=True)
class Period:
    """The days from `start` to `end`, both included. None stands for an open end.

    grain: the unit in the question: day, week, month, quarter, year or range. said_year: whether
    the question stated the year. ends: the first and last period of a range; a question about a
    change compares them.
    """

    start: dt.date | None
    end: dt.date | None
    grain: str = "range"
    said_year: bool = True
    ends: tuple[Period, Period] | None = None


@dataclass(frozen=True)
class DateSpan:
    """A period and the tokens from which it was read: from `first` up to, but not including,
    `last`.
    """

    first: int
    last: int
    period: Period


@dataclass(frozen=True)
class Clock:
    """The context of a date: today, and the range of the table.

    monthly: whether the table's dates stand only for months, so that `May 25` means May 2025.
    rolling: whether the last three months end today, as for prices, or are three whole months.
    """

    today: dt.date
    low: dt.date | None = None
    high: dt.date | None = None
    monthly: bool = False
    rolling: bool = False


def month_end(year: int, month: int) -> dt.date:
    """Return the last day of a month."""
    return add_months(dt.date(year, month, 1), 1) - dt.timedelta(1)


def add_months(day: dt.date, months: int) -> dt.date:
    """Return the first day of the month that is this number of months later."""
    whole = day.year * 12 + day.month - 1 + months
    return dt.date(whole // 12, whole % 12 + 1, 1)


def of_unit(day: dt.date, unit: str, shift: int = 0) -> Period:
    """Return the day, week, month, quarter or year that contains a day. shift: by how many units to
    move it.
    """
    if unit == "day":
        day += dt.timedelta(shift)
        return Period(day, day, "day")
    if unit == "week":
        monday = day - dt.timedelta(day.weekday()) + dt.timedelta(7 * shift)
        return Period(monday, monday + dt.timedelta(6), "week")
    months = {"month": 1, "quarter": 3, "half": 6, "year": 12}[unit]
    first = dt.date(day.year, (day.month - 1) // months * months + 1, 1)
    first = add_months(first, months * shift)
    return Period(first, add_months(first, months) - dt.timedelta(1), unit)


def month_of(clock: Clock, month: int, year: int | None = None) -> Period:
    """Return a month. If no year is given, it is the most recent one that has begun and that the
    table covers.
    """
    if year is not None:
        return Period(dt.date(year, month, 1), month_end(year, month), "month")
    year = year_of(clock, lambda y: (dt.date(y, month, 1), month_end(y, month)))
    return Period(dt.date(year, month, 1), month_end(year, month), "month", said_year=False)


def year_of(clock: Clock, made: Callable[[int], tuple[dt.date, dt.date]]) -> int:
    """Return the year that is meant if none is stated."""
    low, high = clock.low or dt.date(clock.today.year, 1, 1), clock.high or clock.today
    years = [y for y in range(low.year, high.year + 1) if made(y)[0] <= high and made(y)[1] >= low]
    if years:  # if the table extends into the future, the nearest year
        return min(years, key=lambda y: abs((made(y)[0] - clock.today).days))
    return clock.today.year if made(clock.today.year)[0] <= clock.today else clock.today.year - 1


def _numeric(text: str, clock: Clock, day_first: bool) -> list[tuple[int, int, Period]]:
    found: list[tuple[int, int, Period]] = []
    for pattern, form in NUMERIC:
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end, _ in found):
                continue
            period = _of_numbers([*match.groups()], form, clock, day_first)
            if period:
                found.append((match.start(), match.end(), period))
    return found


def _of_numbers(groups: list[str], form: str, clock: Clock, day_first: bool) -> Period | None:
    year: int | None = None
    if form[0] == "e":
        year = ERAS[groups[0]] + (1 if groups[1] == "元" else int(groups[1]))
        rest = [int(one) for one in groups[2:]]
        if form == "ef":
            return Period(dt.date(year, 4, 1), dt.date(year + 1, 3, 31), "year")
    else:
        rest = [int(one) for one in groups]
    try:
        if form == "f":
            return Period(dt.date(rest[0], 4, 1), dt.date(rest[0] + 1, 3, 31), "year")
        if form in ("y", "ey"):
            year = year or (rest[0] + 2000 if rest[0] < 100 else rest[0])
            return Period(dt.date(year, 1, 1), dt.date(year, 12, 31), "year")
        if form == "m":
            return month_of(clock, rest[0]) if 1 <= rest[0] <= 12 else None
        if form == "mm":
            if not (1 <= rest[0] <= 12 and 1 <= rest[1] <= 12):
                return None
            return _joined(month_of(clock, rest[0]), month_of(clock, rest[1]))
        if form in ("ym", "eym"):
            year, month = (year, rest[0]) if year else (rest[0], rest[1])
            return Period(dt.date(year, month, 1), month_end(year, month), "month")
        if form in ("md", "xx"):
            month, day = rest if form == "md" or not day_first else (rest[1], rest[0])
            if month > 12 and day <= 12:
                month, day = day, month
            dt.date(2024, month, day)
            year = year_of(clock, lambda y: (_day(y, month, day), _day(y, month, day)))
            return Period(_day(year, month, day), _day(year, month, day), "day", said_year=False)
        if form == "xxy":
            day, month, year = (rest[0], rest[1], rest[2])
            if month > 12 or not day_first:
                day, month = month, day
            if month > 12:
                day, month = month, day
            year += 2000 if year < 100 else 0
        else:
            year, month, day = (year, *rest) if year else (rest[0], rest[1], rest[2])
        one = dt.date(year, month, day)
    except ValueError:
        return None
    return Period(one, one, "day")


def _day(year: int, month: int, day: int) -> dt.date:
    return dt.date(year, month, min(day, month_end(year, month).day))


LETTERS = {
    "past": "L",
    "present": "T",
    "future": "X",
    "ago": "A",
    "sofar": "F",
    "since": "S",
    "until": "E",
    "between": "B",
    "and": "&",
    "to": "-",
    "of": "o",
    "stop": "o",
    "before": "<",
    "after": ">",
    "same period": "Z",
    "week before": "V",
    "quarter of": "Q",
    "beginning": "b",
    "end of": "e",
    "hence": "H",
    "times": "o",
}


class DateReader:
    """Finds the dates in a text.

    day_first: whether 5/6 means 5 June.
    """

    def __init__(
        self,
        words: Lexicon,
        text: str,
        tokens: list[Token],
        clock: Clock,
        *,
        day_first: bool = False,
    ) -> None:
        self._words, self._tokens, self._clock = words, tokens, clock
        self._atoms: list[tuple[str, int | str | Period, int, int]] = []
        self._read_atoms(text, day_first)

    def _read_atoms(self, text: str, day_first: bool) -> None:
        """Convert each token or lexicon entry to a letter, with its value and its tokens."""
        plain = "".join(DIGITS.get(c, c) for c in _tens(NO_DIGIT.sub("_", text)))
        numeric = (
            _numeric(plain, self._clock, day_first)
            if len(plain) == len(text)
            else _numeric(text, self._clock, day_first)
        )
        at = 0
        while at < len(self._tokens):
            token = self._tokens[at]
            dated = next((n for n in numeric if n[0] <= token.start < n[1]), None)
            if dated:
                last = at
                while last < len(self._tokens) and self._tokens[last].start < dated[1]:
                    last += 1
                self._atoms.append(("P", dated[2], at, last))
                at = last
                continue
            at = self._atom(at)

    def _atom(self, at: int) -> int:
        tokens = self._tokens
        for size in range(min(LONGEST, len(tokens) - at), 0, -1):
            senses = self._words.senses_of(tokens[at : at + size])
            for sense in senses:
                found = self._letter(sense, at, size)
                if found:
                    self._atoms.append((*found, at, at + size))
                    return at + size
            if size > 1 and senses and tokens[at].wide and self._opens(tokens[at]):
                self._atoms.append(("?", "", at, at + size))  # 到期 (due) does not mean until
                return at + size
        token = tokens[at]
        if token.number and token.text.isdigit():
            value = int(token.text)
            letter = "Y" if 1900 <= value <= 2100 and len(token.text) == 4 else "N"
            self._atoms.append((letter, value, at, at + 1))
        else:
            self._atoms.append(
                (
                    "-" if token.text in "-–—~〜～" else "o" if token.text in ",の的在" else "?",
                    token.text,
                    at,
                    at + 1,
                )
            )
        return at + 1

    def _opens(self, token: Token) -> bool:
        """Return whether a word by itself means since or until."""
        return any(LETTERS.get(sense) in ("S", "E") for sense in self._words.senses_of([token]))

    def _letter(self, sense: str, at: int, size: int) -> tuple[str, int | str | Period] | None:
        name, _, rest = sense.partition(" ")
        if name == "month" and rest.isdigit():
            token = self._tokens[at]
            if "maybe " + rest in self._words.senses.get((token.key,), ()) and not self._is_month(
                at
            ):
                return None
            return "M", int(rest)
        if name == "unit":
            return "U", rest
        if name == "feast":
            month, day = map(int, rest.split())
            known = year_of(self._clock, lambda y: (_day(y, month, day), _day(y, month, day)))
            one = _day(known, month, day)
            return "P", Period(one, one, "day", said_year=False)
        if name == "shift":
            unit, number = rest.split()
            return "P", of_unit(self._clock.today, unit, int(number))
        if name == "number" and rest.isdigit():
            return "N", int(rest)
        if name in ("half", "third", "season", "quarter") and rest.isdigit():
            return {"half": "h", "third": "t", "season": "s", "quarter": "q"}[name], int(rest)
        if name == "weekday" and rest.isdigit():
            return "W", int(rest)
        letter = LETTERS.get(sense)
        return (letter, sense) if letter else None

    def _is_month(self, at: int) -> bool:
        """Return whether a word that can be a month or something else is a month here."""
        token = self._tokens[at]
        before = self._tokens[at - 1] if at else None
        after = self._tokens[at + 1] if at + 1 < len(self._tokens) else None
        if token.text[0].isupper() and before is not None and not token.text.isupper():
            return True
        if before is not None and (
            before.number or "before month" in self._words.senses.get((before.key,), ())
        ):
            return True
        if after is None or after.number or not (after.word or after.wide):
            return True
        further = self._tokens[at + 2] if at + 2 < len(self._tokens) else None
        joined = "to" in self._words.senses.get((after.key,), ())
        return joined and further is not None and self._names_month(further)

    def _names_month(self, token: Token) -> bool:
        return any(s.startswith("month ") for s in self._words.senses.get((token.key,), ()))

    def spans(self) -> list[DateSpan]:
        """Return the dates in the text, from left to right."""
        letters = "".join(a[0] for a in self._atoms)
        taken = [False] * len(letters)
        found: list[DateSpan] = []
        for pattern, rule in RULES:
            for match in pattern.finditer(letters):
                first, last = match.span()
                if first == last or any(taken[first:last]):
                    continue
                held = [(a[0], a[1]) for a in self._atoms[first:last] if a[0] not in "o?"]
                period = rule(held, self._clock)
                if period is None:
                    continue
                for i in range(first, last):
                    taken[i] = True
                found.append(DateSpan(self._atoms[first][2], self._atoms[last - 1][3], period))
        return self._later(self._ranged(sorted(found, key=lambda one: one.first)))

    def _ranged(self, found: list[DateSpan]) -> list[DateSpan]:
        """Join two dates that have a range word between them. Give dates after `since` or `until`
        an open end.
        """
        made: list[DateSpan] = []
        closed: DateSpan | None = None  # the previous date, before a word gave it an open end
        for span in found:
            before = self._letters_before(span.first)
            after = self._letters_after(span.last)
            period = span.period
            last, closed = closed or (made[-1] if made else None), None
            between = self._letters_between(last.last, span.first) if last else "?"
            opened = last is not None and self._letters_before(last.first)[-1:] in ("B", "S")
            if (
                last
                and (
                    (between in ("-", "E") and last.period.grain != "range")
                    or between == "S"  # 1月から6月まで
                    or (between == "&" and self._letters_before(last.first)[-1:] == "B")
                )
                and not (
                    between == "-"
                    and (last.period.said_year or not period.said_year)
                    and last.period.start
                    and period.start
                    and last.period.start > period.start
                )
            ):
                joined = _joined(last.period, period)
                if joined:
                    start = last.first - (self._tokens_before(last.first) if opened else 0)
                    ends = after[:1] == "E" and self._tokens[span.last].wide
                    end = span.last + (self._tokens_after(span.last) if ends else 0)
                    made[-1] = DateSpan(start, end, joined)
                    continue
            if period.start and period.end:
                if before[-1:] == "S" or after[:1] == "S":
                    period = Period(period.start, None, "range", period.said_year)
                elif before[-1:] in ("E",) or after[:1] == "E":
                    period = Period(None, period.end, "range", period.said_year)
                elif before[-1:] == "<" or after[:1] == "<":
                    period = Period(None, period.start - dt.timedelta(1), "range", period.said_year)
                elif before[-1:] == ">" or after[:1] == ">":
                    period = Period(period.end + dt.timedelta(1), None, "range", period.said_year)
            if period is not span.period:
                first, end = span.first, span.last
                if before[-1:] in tuple("SE<>"):
                    first -= self._tokens_before(span.first)
                else:
                    end += self._tokens_after(span.last)
                closed = span
                span = DateSpan(first, end, period)
            made.append(span)
        return made

    def _later(self, found: list[DateSpan]) -> list[DateSpan]:
        """Apply a year to the range next to it, and use the preceding date to resolve `same period`
        and `the week before`.
        """
        made: list[DateSpan] = []
        for span in found:
            last = made[-1] if made else None
            near = last is not None and self._letters_between(last.last, span.first) == ""
            if (
                last
                and near
                and not last.period.said_year
                and span.period.grain == "year"
                and span.period.start
                and last.period.start
            ):
                moved = _in_year(last.period, span.period.start.year)
                made[-1] = DateSpan(last.first, span.last, moved)
                continue
            made.append(span)
        for letter, _, first, end in self._atoms:
            if letter not in "ZV":
                continue
            before = [s for s in made if s.last <= first and s.period.start and s.period.end]
            beside = [
                s
                for s in before
                if s.last == first and s.period.grain == "year" and s is not before[0]
            ]
            anchor = before[0] if before else None
            if anchor is None or anchor.period.start is None or anchor.period.end is None:
                continue
            if letter == "V":
                start = anchor.period.start
                period = Period(start - dt.timedelta(7), start - dt.timedelta(1), "week")
            else:
                period = _in_year(anchor.period, anchor.period.start.year - 1)
            made = [s for s in made if s not in beside]
            made.append(DateSpan(beside[0].first if beside else first, end, period))
        return sorted(made, key=lambda one: one.first)

    def _letters_before(self, at: int) -> str:
        return "".join(a[0] for a in self._atoms if a[3] <= at).rstrip("o")

    def _letters_after(self, at: int) -> str:
        return "".join(a[0] for a in self._atoms if a[2] >= at)

    def _letters_between(self, first: int, last: int) -> str:
        return "".join(a[0] for a in self._atoms if a[2] >= first and a[3] <= last).replace("o", "")

    def _tokens_before(self, at: int) -> int:
        start = next((a[2] for a in reversed(self._atoms) if a[3] <= at and a[0] != "o"), at)
        return at - start

    def _tokens_after(self, at: int) -> int:
        end = next((a[3] for a in self._atoms if a[2] >= at), at)
        return end - at


def _in_year(period: Period, year: int) -> Period:
    assert period.start is not None
    shift = year - period.start.year
    ends = [
        day and _day(day.year + shift, day.month, day.day) for day in (period.start, period.end)
    ]
    return Period(ends[0], ends[1], period.grain)


def _tens(text: str) -> str:
    """Return a text in which 十一月 (November) is written as 11月. If possible, its length does not
    change.
    """
    text = re.sub(r"十([一二])(?=月)", lambda m: "1" + DIGITS[m[1]], text)
    return re.sub(r"([一二三四五六七八九〇])(?=月)", lambda m: DIGITS[m[1]], text)


def _joined(a: Period, b: Period) -> Period | None:
    if not a.start or not b.end:
        return None
    if a.start > b.end and not a.said_year:
        a = Period(a.start.replace(year=a.start.year - 1, day=min(a.start.day, 28)), a.end, a.grain)
        assert a.start
    if a.start > b.end:
        return None
    return Period(a.start, b.end, "range", b.said_year, ends=(a, b))


DAYS, MONTHS = {"day": 1, "week": 7}, {"month": 1, "quarter": 3, "half": 6, "year": 12}
Held = list[tuple[str, "int | str | Period"]]


def _get(held: Held, letter: str) -> int | None:
    return next((int(v) for k, v in held if k == letter and isinstance(v, int)), None)


def _unit(held: Held) -> str:
    return next((str(v) for k, v in held if k == "U"), "day")


def _absolute(held: Held, clock: Clock) -> Period | None:
    month, day, year = _get(held, "M"), _get(held, "N"), _get(held, "Y")
    if month is None:
        return None
    shifted = next((v for k, v in held if k == "P" and isinstance(v, Period)), None)
    if shifted and shifted.grain == "year" and shifted.start:
        year = shifted.start.year
    reach = (clock.low.year, clock.high.year) if clock.low and clock.high else (1, 0)
    if clock.monthly and year is None and day and reach[0] <= 2000 + day <= reach[1]:
        year, day = 2000 + day, None
    if day is not None and not 1 <= day <= 31:
        year, day = 2000 + day if day < 100 else None, None
    if day is None:
        return month_of(clock, month, year)
    known = year or year_of(clock, lambda y: (_day(y, month, day), _day(y, month, day)))
    one = _day(known, month, day)
    return Period(one, one, "day", said_year=year is not None)


def _days_of_month(held: Held, clock: Clock) -> Period | None:
    """Read `8 to 14 June`, `June 8-14` and 6月8日到14日 as days in one month."""
    days = [int(v) for k, v in held if k == "N" and isinstance(v, int)]
    first = next((v for k, v in held if k == "P" and isinstance(v, Period)), None)
    if first is not None:
        if first.grain != "day" or first.start is None or _unit(held) != "day":
            return None
        month, low, year = first.start.month, first.start.day, first.start.year
    else:
        month, low, year = _get(held, "M"), days.pop(0), _get(held, "Y")
    if month is None or not 1 <= low < days[0] <= 31:
        return None
    known = year or year_of(clock, lambda y: (_day(y, month, low), _day(y, month, days[0])))
    said = year is not None and (first is None or first.said_year)
    return Period(_day(known, month, low), _day(known, month, days[0]), said_year=said)


def _relative(held: Held, clock: Clock) -> Period | None:
    unit, number = _unit(held), _get(held, "N")
    letters = {k for k, _ in held}
    today = clock.today
    if unit not in ("day", "week", "month", "quarter", "half", "year"):
        return None
    if "A" in letters or "H" in letters:
        shift = -(number or 1) if "A" in letters else number or 1
        if unit in ("week", "month", "quarter", "half") and number:
            return of_unit(today, unit, shift)
        return of_unit(today, unit, shift)
    if "L" in letters:
        if number is None:
            return of_unit(today, unit, -1)
        return _last(number, unit, clock)
    if "X" in letters:
        if number is None:
            return of_unit(today, unit, 1)
        first = today + dt.timedelta(1)
        return Period(
            first,
            today
            + dt.timedelta(
                {"day": 1, "week": 7, "month": 30, "quarter": 91, "half": 182, "year": 365}[unit]
                * number
            ),
        )
    period = of_unit(today, unit)
    return Period(period.start, today, unit) if "F" in letters else period


def _last(number: int, unit: str, clock: Clock) -> Period:
    """Return the given number of units before today, or before the end of the table if that is
    earlier.
    """
    if clock.rolling and unit in MONTHS:
        return Period(later_by(clock.today, -number, unit), clock.today)
    if unit in ("day", "week"):
        days = number * DAYS[unit]
        end = clock.today - dt.timedelta(1)
        if clock.high and clock.high < clock.today - dt.timedelta(days):
            end = clock.high
        return Period(end - dt.timedelta(days - 1), end)
    months = MONTHS[unit] * number
    end = of_unit(clock.today, unit, -1).end
    assert end
    return Period(add_months(end, 1 - months), end)


def _so_far(held: Held, clock: Clock) -> Period | None:
    period = next((v for k, v in held if k == "P" and isinstance(v, Period)), None)
    if period is None or not period.start or period.start > clock.today:
        return None
    grain = "range" if period.end and period.end < clock.today else period.grain
    return Period(period.start, clock.today, grain, period.said_year)


def _from_on(held: Held, clock: Clock) -> Period | None:
    """Read `six months after March 2021`: a length of time counted from the start of a period."""
    rest = [(letter, value) for letter, value in held if letter != "N"]
    known, number, unit = (
        _known(rest, clock) or _absolute(rest, clock),
        _get(held, "N"),
        _unit(held),
    )
    if known is None or known.start is None or (number is None and unit != "half"):
        return None
    end = later_by(known.start, number or 1, unit) - dt.timedelta(1)
    return Period(known.start, end, said_year=known.said_year)


def later_by(day: dt.date, number: int, unit: str) -> dt.date:
    """Return the day that is this number of days, weeks, months, quarters, half years or years
    later. If its month is too short, return the month's last day.
    """
    if unit in DAYS:
        return day + dt.timedelta(DAYS[unit] * number)
    first = add_months(day, MONTHS[unit] * number)
    return _day(first.year, first.month, day.day)


def _part_of_year(held: Held, clock: Clock) -> Period | None:
    half, season, quarter = _get(held, "h"), _get(held, "s"), _get(held, "q")
    if quarter is None and any(k == "Q" for k, _ in held):
        quarter = _get(held, "N")
    year = _get(held, "Y")
    said = next((v for k, v in held if k == "P" and isinstance(v, Period)), None)
    if said and said.start and said.grain == "year":
        year = said.start.year
    if quarter is not None and not 1 <= quarter <= 4:
        return None
    if half:
        first, months = 6 * half - 5, 6
    elif quarter:
        first, months = 3 * quarter - 2, 3
    elif season:
        first, months = (3, 6, 9, 12)[season - 1], 3
    else:
        return None

    def made(y: int) -> tuple[dt.date, dt.date]:
        start = dt.date(y, first, 1)
        return start, add_months(start, months) - dt.timedelta(1)

    start, end = made(year if year else year_of(clock, made))
    return Period(start, end, "quarter" if quarter else "range", said_year=year is not None)


def _part_of_month(held: Held, clock: Clock) -> Period | None:
    """Read the first half of May, or its first, second or last ten days."""
    half, third = _get(held, "h"), _get(held, "t")
    month = next((v for _, v in held if isinstance(v, Period)), None) or _absolute(held, clock)
    if month is None or month.grain != "month" or not month.start or not month.end:
        return None
    first, last = (1, 15) if half == 1 else (16, 31)
    if third is not None:
        first, last = ((1, 10), (11, 20), (21, 31))[third - 1]
    start = month.start.replace(day=first)
    end = month.end.replace(day=min(last, month.end.day))
    return Period(start, end, "range", month.said_year)


def _known(held: Held, clock: Clock) -> Period | None:
    return next((v for _, v in held if isinstance(v, Period)), None)


def _year(held: Held, clock: Clock) -> Period | None:
    year = _get(held, "Y")
    return Period(dt.date(year, 1, 1), dt.date(year, 12, 31), "year") if year else None


def _year_and_month(held: Held, clock: Clock) -> Period | None:
    """Read `last year May`, in which the year and the month are written separately."""
    years = [v for _, v in held if isinstance(v, Period) and v.grain == "year"]
    months = [v for _, v in held if isinstance(v, Period) and v.grain in ("month", "day")]
    if not years or not months or months[0].said_year or not years[0].start or not months[0].start:
        return None
    start = months[0].start
    year = years[0].start.year
    if months[0].grain == "month":
        return Period(dt.date(year, start.month, 1), month_end(year, start.month), "month")
    one = _day(year, start.month, start.day)
    return Period(one, one, "day")


def _weekday(held: Held, clock: Clock) -> Period | None:
    number = _get(held, "W")
    if number is None:
        return None
    weeks = -1 if any(k == "L" for k, _ in held) else 1 if any(k == "X" for k, _ in held) else 0
    monday = clock.today - dt.timedelta(clock.today.weekday())
    day = monday + dt.timedelta(number - 1 + 7 * weeks)
    if weeks == -1 and day + dt.timedelta(7) < clock.today and not any(k == "U" for k, _ in held):
        day += dt.timedelta(7)
    return Period(day, day, "day")


Rule = Callable[[Held, Clock], "Period | None"]
RULES: list[tuple[re.Pattern[str], Rule]] = [
    (re.compile(pattern), rule)
    for pattern, rule in (
        (r"S?P>o?N?U|NU>(?:P|Mo?Y)", _from_on),
        (r"[SB]?No?[-&E]No?M(?:o*Y)?|MNo?-N(?!o*[MY])(?:o*Y)?|P[-E]NU", _days_of_month),
        (r"[PM]o*[ht]|ho*[PM]", _part_of_month),
        (r"No?Mo*Y|MNo*Y|NMo*Y", _absolute),
        (r"Po*P", _year_and_month),
        (r"Po*F|Fo*P", _so_far),
        (r"To?UF|Fo?To?U|ToUoF", _relative),
        (r"No?UA|AN?U|NoUoA|NUH|HNU", _relative),
        (r"o?LoNoo?U|LNo?U|NLU|XNU|LNoU|NoULo?", _relative),
        (
            r"[qhs]o*[YP]|[YP]o*[qhs]|Qo?No*[YP]|[YP]o*Q?o?N?Q|NQo*[YP]?|QN|NQ|[YP]o?Q?N?[qhs]|[qhs]",
            _part_of_year,
        ),
        (r"Mo*NoN?|No?M(?:o*P)?|Mo*Y|YoM|YM|P[o]*M|Mo*P|M-?N", _absolute),
        (r"LU?W|XU?W|TU?W", _weekday),
        (r"TU|Lo?U|Xo?U", _relative),
        (r"P", _known),
        (r"M", _absolute),
        (r"Y", _year),
    )
]
