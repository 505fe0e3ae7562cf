"""The normal form of a query. Queries with the same meaning have the same normal form."""

from __future__ import annotations

import datetime as dt
from itertools import combinations
from typing import TYPE_CHECKING, cast

from backends.data.query import Aggregate, Call, Item, Order, Query, Subquery, Value, Window

if TYPE_CHECKING:
    from backends.data.query import Expression, FunctionName

MIRRORED: dict[str, FunctionName] = {
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
    "=": "=",
    "!=": "!=",
}
NEGATED: dict[str, FunctionName] = {
    "=": "!=",
    "!=": "=",
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
}
FIRST_YEAR, LAST_YEAR = 1900, 2100  # whole numbers in this range are treated as years
PERIODS = ("year", "quarter", "month")


def normal(query: Query) -> Query:
    """Return the normal form of a query, which returns the same rows.

    Conditions are not nested and have a fixed order, constants are on the right, and a test of a
    year or month is a range of dates. A share is 100 times a quotient, and a sum over an `if` is a
    sum over the rows that meet the condition of the `if`.
    """
    source = normal(query.source) if isinstance(query.source, Query) else query.source
    return query.model_copy(
        update={
            "source": source,
            "where": _condition(query.where),
            "having": _condition(query.having),
            "group": tuple(_item(item) for item in query.group),
            "items": tuple(_item(item) for item in query.items),
            "order": tuple(
                Order(by=_expression(order.by), descending=order.descending)
                for order in query.order
            ),
        }
    )


SAME_PART: dict[str, FunctionName] = {"weekday name": "weekday", "month name": "month of year"}
COMMUTING = ("+", "*")


def agree(one: Query, other: Query) -> bool:
    """Return whether two queries ask for the same thing, even if they display it differently."""
    return asked(normal(one)) == asked(normal(other))


def asked(query: Query) -> Query:
    """Return the meaning of a query in normal form, without anything that only affects the display:
    column names, ties, the columns after the first in a ranked list, and tests for empty cells that
    could not come first anyway.
    """
    source = asked(query.source) if isinstance(query.source, Query) else query.source
    items = tuple(Item(expression=_part(item.expression)) for item in query.items)
    group = tuple(Item(expression=_part(item.expression)) for item in query.group)
    order = tuple(Order(by=_part(one.by), descending=one.descending) for one in query.order)
    ranked = bool(order) and query.limit is not None
    if ranked and group:
        items = ()
    elif ranked:
        items = items[:1]
    present = [part for item in query.items for part in aggregated(item.expression)]
    present += [by for key in order for by in (key.by, *aggregated(key.by))]
    where = _part(query.where) if query.where is not None else None
    tests = [one for one in _flat(where, "and") if not _is_there(one, present)] if where else []
    where = _condition(Call(name="and", args=tuple(tests))) if tests else None
    pinned = [one.args[0] for one in tests if isinstance(one, Call) and one.name == "="]
    if query.items and not ranked:  # rows of a single town that are grouped by town
        group = tuple(item for item in group if item.expression not in pinned)
    return query.model_copy(
        update={
            "source": source,
            "items": items,
            "group": group,
            "order": order if query.limit is not None else (),
            "where": where,
            "ties": False,
            "distinct": False,
            "show": None,
        }
    )


def aggregated(expression: Expression) -> list[Expression]:
    """Return the expressions that are aggregated. There are none if an aggregate has no
    argument.
    """
    found: list[Expression] = []
    parts = [expression]
    while parts:
        part = parts.pop()
        if isinstance(part, Aggregate):
            if not part.args:
                return []
            found += [_part(arg) for arg in part.args]
        elif isinstance(part, Call):
            parts += part.args
    return found


def is_void(query: Query) -> bool:
    """Return whether no row can meet all conditions of a query, or it aggregates cells that they
    require to be empty. Nobody asks such a question.
    """
    if query.where is None:
        return False
    empty: list[Expression] = []
    filled: list[Expression] = []
    equal: list[tuple[Expression, Expression]] = []
    for test in _flat(query.where, "and"):
        inner = test.args[0] if isinstance(test, Call) and test.name == "not" else None
        if isinstance(test, Call) and test.name == "empty":
            empty.append(test.args[0])
        elif isinstance(inner, Call) and inner.name == "empty":
            filled.append(inner.args[0])
        elif isinstance(test, Call) and test.name == "=":
            equal.append((test.args[0], test.args[1]))
    if any(
        one == other
        and isinstance(value, Value)
        and isinstance(another, Value)
        and value != another
        for (one, value), (other, another) in combinations(equal, 2)
    ):
        return True
    if not empty:
        return False
    needed = [*filled, *(one for one, _ in equal)]
    needed += [part for item in query.items for part in aggregated(item.expression)]
    return any(one in needed for one in empty)


def _is_there(condition: Expression, present: list[Expression]) -> bool:
    """Return whether a condition only requires that the ranked or aggregated value is not empty."""
    if not (isinstance(condition, Call) and condition.name == "not"):
        return False
    inner = condition.args[0]
    if not (isinstance(inner, Call) and inner.name == "empty"):
        return False
    tested = inner.args[0]
    return any(tested == one or tested in _leaves(one) for one in present)


def _leaves(expression: Expression) -> list[Expression]:
    if isinstance(expression, Call):
        return [leaf for arg in expression.args for leaf in _leaves(arg)]
    return [expression]


def _part(expression: Expression) -> Expression:
    """Return an expression in the form in which it is compared: sums and products in a fixed order,
    weekdays and months by number.
    """
    if isinstance(expression, Subquery):
        return Subquery(query=asked(expression.query))
    if isinstance(expression, Aggregate):
        where = _part(expression.where) if expression.where is not None else None
        return Aggregate(name=expression.name, args=tuple(map(_part, expression.args)), where=where)
    if not isinstance(expression, Call):
        return expression
    args = tuple(map(_part, expression.args))
    if expression.name in ("absolute", "round"):  # the size of a difference, whether rounded or not
        return args[0]
    if expression.name == "not" and isinstance(args[0], Call) and args[0].name in NEGATED:
        return Call(name=NEGATED[args[0].name], args=args[0].args)
    if expression.name == ">" and (year := _year_after(args[1])):
        return Call(name=">=", args=(args[0], year))
    if expression.name in COMMUTING:
        flat = [part for arg in args for part in _flat(arg, expression.name)]
        args = tuple(sorted(flat, key=lambda part: part.model_dump_json()))
    return Call(name=SAME_PART.get(expression.name, expression.name), args=args)


def _item(item: Item) -> Item:
    return Item(expression=_expression(item.expression), name=item.name)


def _condition(expression: Expression | None) -> Expression | None:
    if expression is None:
        return None
    parts = _flat(_expression(expression), "and")
    parts = _merged_periods(parts)
    pinned = [part.args[0] for part in parts if isinstance(part, Call) and part.name in ("=", "in")]
    parts = [
        part
        for part in parts
        # a value that equals something is not empty
        if part != Value(value=True) and not _is_there(part, pinned)
    ]
    unique = sorted(dict.fromkeys(parts), key=lambda part: part.model_dump_json())
    if not unique:
        return None
    return unique[0] if len(unique) == 1 else Call(name="and", args=tuple(unique))


def _flat(expression: Expression, name: str) -> list[Expression]:
    if isinstance(expression, Call) and expression.name == name:
        return [part for arg in expression.args for part in _flat(arg, name)]
    return [expression]


def _expression(expression: Expression) -> Expression:
    if isinstance(expression, Subquery):
        return Subquery(query=normal(expression.query))
    if isinstance(expression, Aggregate):
        return _aggregate(expression)
    if isinstance(expression, Window):
        return expression.model_copy(
            update={
                "args": tuple(map(_expression, expression.args)),
                "by": tuple(map(_expression, expression.by)),
                "order": tuple(
                    Order(by=_expression(one.by), descending=one.descending)
                    for one in expression.order
                ),
            }
        )
    if isinstance(expression, Call):
        args = tuple(map(_expression, expression.args))
        return _call(Call(name=expression.name, args=args))
    return expression


def _aggregate(aggregate: Aggregate) -> Aggregate:
    args = tuple(map(_expression, aggregate.args))
    where = _condition(aggregate.where)
    if aggregate.name in ("sum", "count") and len(args) == 1 and isinstance(args[0], Call):
        chosen = args[0]
        if chosen.name == "if" and chosen.args[2] in (
            Value(value=None),
            *([Value(value=0)] if aggregate.name == "sum" else []),
        ):
            both = [chosen.args[0], *([where] if where is not None else [])]
            where = _condition(Call(name="and", args=tuple(both)) if len(both) > 1 else both[0])
            if chosen.args[1] == Value(value=1):
                return Aggregate(name="count", where=where)
            args = (chosen.args[1],)
    if aggregate.name == "count" and args and isinstance(args[0], Value):
        args = ()
    return Aggregate(name=aggregate.name, args=args, where=where)


def _call(call: Call) -> Expression:
    name, args = call.name, call.args
    if name in MIRRORED and isinstance(args[0], Value) and not isinstance(args[1], Value):
        return _call(Call(name=MIRRORED[name], args=(args[1], args[0])))
    if name in ("and", "or"):
        flat = list(dict.fromkeys(part for arg in args for part in _flat(arg, name)))
        if name == "or" and (one_of := _one_of(flat)):
            return one_of
        ordered = sorted(flat, key=lambda part: part.model_dump_json())
        return ordered[0] if len(ordered) == 1 else Call(name=name, args=tuple(ordered))
    if name == "not" and isinstance(args[0], Call):
        inner = args[0]
        if inner.name == "not":
            return inner.args[0]
        if inner.name in ("and", "or"):
            other: FunctionName = "or" if inner.name == "and" else "and"
            turned = tuple(_call(Call(name="not", args=(arg,))) for arg in inner.args)
            return _call(Call(name=other, args=turned))
    if name == "in" and len(args) == 2 and not isinstance(args[1], Subquery):
        return Call(name="=", args=args)
    if name == "in" and not isinstance(args[1], Subquery):
        if weekdays := _weekdays(args):
            return weekdays
        members = sorted(dict.fromkeys(args[1:]), key=lambda part: part.model_dump_json())
        return Call(name="in", args=(args[0], *members))
    if name == "=" and (weekdays := _weekdays(args)):
        return weekdays
    if name in ("<=", ">") and (day := _next_day(args[1])):
        return Call(name="<" if name == "<=" else ">=", args=(args[0], day))
    # multiplying by 1 makes a number a decimal
    if name == "*" and len(args) == 2 and Value(value=1) in args:
        return args[0] if args[1] == Value(value=1) else args[1]
    if name == "coalesce" and len(args) == 1:
        return args[0]
    if name == ">" and _is_year(args[0]) and (year := _year_after(args[1])):
        return Call(name=">=", args=(args[0], year))
    if name == "-" and args[1] == Value(value=1) and isinstance(args[0], Call):
        ratio = args[0]  # a / b − 1 equals the change (a − b) / b
        if ratio.name == "/":
            above, below = ratio.args
            below = _without_zero(below)
            change = Call(name="-", args=(above, below))
            return Call(name="/", args=(change, below))
    return _ratio(call) or call


def _one_of(parts: list[Expression]) -> Expression | None:
    """Combine several tests of whether one expression equals a constant into a single test. Return
    None for any other tests.
    """
    tested = [
        part.args[0]
        for part in parts
        if isinstance(part, Call) and part.name in ("=", "in") and isinstance(part.args[1], Value)
    ]
    if len(tested) < len(parts) or len(parts) < 2 or any(one != tested[0] for one in tested):
        return None
    members = [arg for part in parts for arg in cast("Call", part).args[1:]]
    return _call(Call(name="in", args=(tested[0], *members)))


def _next_day(expression: Expression) -> Value | None:
    """Return the day after a date, or None for anything else. "Up to a day" means "before the next
    day".
    """
    if not (isinstance(expression, Value) and expression.type == "date"):
        return None
    day = dt.date.fromisoformat(str(expression.value)[:10])
    if day == dt.date.max:
        return None
    return Value(value=(day + dt.timedelta(days=1)).isoformat(), type="date")


def _is_year(expression: Expression) -> bool:
    """Return whether an expression is the year of a date, which is always a whole number."""
    return isinstance(expression, Call) and expression.name == "calendar year"


def _year_after(expression: Expression) -> Value | None:
    """Return the year after a year, or None for anything else."""
    if not (isinstance(expression, Value) and isinstance(expression.value, int)):
        return None
    year = expression.value
    return Value(value=year + 1) if FIRST_YEAR <= year <= LAST_YEAR else None


def _weekdays(args: tuple[Expression, ...]) -> Expression | None:
    """Convert a test of a weekday that is counted from Sunday to a test of one that is counted from
    Monday.
    """
    tested = args[0]
    if not (isinstance(tested, Call) and tested.name == "modulo"):
        return None
    day, seven = tested.args
    if not (isinstance(day, Call) and day.name == "weekday" and seven == Value(value=7)):
        return None
    members = [
        Value(value=int(one.value) or 7)
        for one in args[1:]
        if isinstance(one, Value) and isinstance(one.value, int | float)
    ]
    if len(members) < len(args) - 1:
        return None
    if len(members) == 1:
        return Call(name="=", args=(day, members[0]))
    return Call(name="in", args=(day, *sorted(members, key=lambda one: one.model_dump_json())))


def _ratio(call: Call) -> Expression | None:
    """Return a quotient, or 100 times a quotient, in its usual form. Return None for anything
    else.
    """

    def is_hundred(one: Expression) -> bool:
        return isinstance(one, Value) and one.value == 100

    hundred = Value(value=100)
    if call.name == "*" and any(map(is_hundred, call.args)) and len(call.args) == 2:
        rest = next((one for one in call.args if not is_hundred(one)), None)
        return Call(name="*", args=(hundred, rest)) if rest is not None else None
    if call.name == "/" and isinstance(call.args[0], Call):
        above, below = call.args
        inner = cast("Call", above)
        if inner.name == "*" and len(inner.args) == 2 and any(map(is_hundred, inner.args)):
            rest = next((one for one in inner.args if not is_hundred(one)), None)
            if rest is not None:
                below = _without_zero(below)
                return Call(name="*", args=(hundred, Call(name="/", args=(rest, below))))
        return Call(name="/", args=(above, _without_zero(below)))
    if call.name == "/":
        return Call(name="/", args=(call.args[0], _without_zero(call.args[1])))
    return None


def _without_zero(expression: Expression) -> Expression:
    """Return a divisor without its guard against zero, because a quotient with a zero divisor is
    empty anyway.
    """
    if isinstance(expression, Call) and expression.name == "null if":
        return expression.args[0] if expression.args[1] == Value(value=0) else expression
    return expression


def _merged_periods(parts: list[Expression]) -> list[Expression]:
    """Return conditions in which tests of a period, such as year = 2026 and month = 5, are replaced
    by ranges of dates.
    """
    years: dict[Expression, int] = {}
    months: dict[Expression, int] = {}
    others: list[Expression] = []
    for part in parts:
        place = _tested_part(part)
        if place is None:
            others += _period_range(part)
            continue
        kept = years if place[0] == "calendar year" else months
        if kept.setdefault(place[1], place[2]) != place[2]:
            others.append(part)  # of two years, no row has both
    for column, year in years.items():
        month = months.pop(column, None)
        start = dt.date(year, month or 1, 1)
        end = dt.date(
            year + (month in (None, 12)), 1 if month in (None, 12) else (month or 0) + 1, 1
        )
        others += _between(column, start, end)
    for column, month in months.items():
        test = Call(name="month of year", args=(column,))
        others.append(Call(name="=", args=(test, Value(value=month))))
    return others


def _tested_part(part: Expression) -> tuple[str, Expression, int] | None:
    if not (isinstance(part, Call) and part.name == "="):
        return None
    tested, value = part.args
    if not (isinstance(tested, Call) and isinstance(value, Value) and isinstance(value.value, int)):
        return None
    if tested.name == "calendar year" and 1 <= value.value <= 9998:
        return tested.name, tested.args[0], value.value
    if tested.name == "month of year" and 1 <= value.value <= 12:
        return tested.name, tested.args[0], value.value
    return None


def _period_range(part: Expression) -> list[Expression]:
    """Convert a test that a period equals its start to a range of dates."""
    if isinstance(part, Call) and part.name == "=" and len(part.args) == 2:
        tested, value = part.args
        if (
            isinstance(tested, Call)
            and tested.name in PERIODS
            and isinstance(value, Value)
            and value.type == "date"
        ):
            start = dt.date.fromisoformat(str(value.value)[:10])
            months = {"year": 12, "quarter": 3, "month": 1}[tested.name]
            index = start.year * 12 + start.month - 1 + months
            return _between(tested.args[0], start, dt.date(index // 12, index % 12 + 1, 1))
    return [part]


def _between(column: Expression, start: dt.date, end: dt.date) -> list[Expression]:
    low = Value(value=start.isoformat(), type="date")
    high = Value(value=end.isoformat(), type="date")
    return [Call(name=">=", args=(column, low)), Call(name="<", args=(column, high))]
