"""Convert conditions to SQL with bound parameters."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from backends.data.errors import WrongArguments
from backends.data.table import Table, quote

if TYPE_CHECKING:
    from backends.data.column_types import TypedColumn
    from backends.data.values import Condition, Scalar

DAY = re.compile(r"^\d{4}-\d{2}-\d{2}$")
WHOLE = re.compile(r"^[-+]?[0-9]{1,40}$")
LARGEST = 2**63  # greater than any whole number in a column


def where(table: Table, conditions: list[Condition]) -> tuple[str, list[Any]]:
    """Return the WHERE clause for conditions that must all be met, and its bound values.

    Raises: UnknownColumn, WrongArguments.
    """
    parts: list[str] = []
    bound: list[Any] = []
    for condition in conditions:
        column = table.column(condition.column)
        if condition.other is not None:
            parts.append(compared(column, table.column(condition.other), condition.op))
            continue
        spelled = with_dictionary(table, column, condition) if column.dictionary else None
        sql, values = spelled or one(column, condition)
        parts.append(f"({sql})")
        bound += values
    return " AND ".join(parts) or "true", bound


def with_dictionary(
    table: Table, column: TypedColumn, condition: Condition
) -> tuple[str, list[Any]] | None:
    """Return a comparison with those of the listed values that match, ignoring case; None for other
    kinds of conditions.

    Each value is compared by its number in the dictionary. Converting every cell to lower case
    would take ten times as long.
    """
    value = condition.value
    asked = value if isinstance(value, list) else [value]
    single = condition.op in ("=", "!=") and not isinstance(value, list) and value is not None
    if not single and not (condition.op == "in" and isinstance(value, list) and value):
        return None
    name, type_ = quote(column.name), quote(column.dictionary)
    listed = f"SELECT CAST(unnest(enum_range(CAST(NULL AS {type_}))) AS VARCHAR) AS v"
    folded = ", ".join("lower(CAST(? AS VARCHAR))" for _ in asked)
    found = [
        row[0]
        for row in table.query(f"SELECT v FROM ({listed}) WHERE lower(v) IN ({folded})", asked)
    ]
    same = " OR ".join(f"{name} = CAST(? AS {type_})" for _ in found) or "false"
    if condition.op == "!=":
        return f"{name} IS NOT NULL AND NOT ({same})", found
    return same, found


def one(column: TypedColumn, condition: Condition) -> tuple[str, list[Any]]:
    """Return SQL for one condition.

    Raises: WrongArguments.
    """
    name, op, value = quote(column.name), condition.op, condition.value
    if op == "empty":
        return f"{name} IS NULL", []
    if op == "not empty":
        return f"{name} IS NOT NULL", []
    if op == "between":
        return between(column, name, as_list(condition, 2))
    if op == "in":
        values = [bind(column, value) for value in as_list(condition)]
        return f"{folded(column, name)} IN ({', '.join(mark(column, v) for v in values)})", values
    if isinstance(value, list) or value is None:
        raise WrongArguments(f"{condition.column} {op} needs one value.", "Specify one value.")
    if op == "contains":
        return f"contains(lower(CAST({name} AS VARCHAR)), lower(?))", [str(value)]
    if column.kind == "time" and DAY.match(str(value)):
        return on_day(name, op), [value, value][: 2 if op in ("=", "!=") else 1]
    if column.kind == "text" and op in ("=", "!="):
        return same_text(name, op), [value, value]
    bound = bind(column, value)
    return f"{folded(column, name)} {op} {mark(column, bound)}", [bound]


def same_text(name: str, op: str) -> str:
    """Return SQL that compares text, ignoring case. The length is compared first.

    DuckDB converts each character to exactly one lower-case character, so equal texts have equal
    lengths. Comparing lengths takes a fifth of the time that converting every cell would take.
    """
    text = "CAST(? AS VARCHAR)"
    both = f"length({name}) = length({text}) AND lower({name}) = lower({text})"
    return both if op == "=" else f"NOT ({both})"


def compared(column: TypedColumn, other: TypedColumn, op: str) -> str:
    """Return SQL that compares two columns, cell by cell.

    Raises: WrongArguments.
    """
    if op not in ("=", "!=", "<", "<=", ">", ">=") or column.kind != other.kind:
        raise WrongArguments(
            f"{column.name} cannot be compared with {other.name} by {op}.",
            "Compare two columns that contain numbers or dates.",
        )
    return f"{quote(column.name)} {op} {quote(other.name)}"


def between(column: TypedColumn, name: str, ends: list[Scalar]) -> tuple[str, list[Any]]:
    """Return SQL for a range that includes both ends. The last day is included as a whole."""
    low, high = ends
    if column.kind == "time" and DAY.match(str(high)):
        return f"{name} >= CAST(? AS TIMESTAMP) AND {name} < CAST(? AS DATE) + INTERVAL 1 DAY", [
            low,
            high,
        ]
    first, last = (bind(column, value) for value in ends)
    return f"{folded(column, name)} BETWEEN {mark(column, first)} AND {mark(column, last)}", [
        first,
        last,
    ]


def on_day(name: str, op: str) -> str:
    """Return SQL that compares a timestamp with a day."""
    if op in ("=", "!="):
        inside = f"{name} >= CAST(? AS TIMESTAMP) AND {name} < CAST(? AS DATE) + INTERVAL 1 DAY"
        return inside if op == "=" else f"NOT ({inside})"
    after = {">": ">= CAST(? AS DATE) + INTERVAL 1 DAY", "<=": "< CAST(? AS DATE) + INTERVAL 1 DAY"}
    return f"{name} {after.get(op, f'{op} CAST(? AS TIMESTAMP)')}"


def folded(column: TypedColumn, name: str) -> str:
    """Return SQL for a column in the form in which it is compared: text in lower case."""
    return f"lower({name})" if column.kind == "text" else name


def mark(column: TypedColumn, value: Scalar) -> str:
    """Return the placeholder for a value, cast to the column's type. In a float column, a whole
    number has a precision of only 53 bits.
    """
    if column.kind == "text":
        return "lower(CAST(? AS VARCHAR))"
    whole = column.sql == "BIGINT" and isinstance(value, int)
    return f"CAST(? AS {'DOUBLE' if column.kind == 'number' and not whole else column.sql})"


def bind(column: TypedColumn, value: Scalar) -> Scalar:
    """Return a value that can be cast to the column's type without losing its fraction.

    If a column of whole numbers is compared with 2.5, the value must not become 2; DuckDB's cast
    would round it. Raises: WrongArguments.
    """
    if column.kind == "number" and isinstance(value, int) and abs(value) >= LARGEST:
        return math.inf if value > 0 else -math.inf  # any value this large gives the same result
    if column.kind == "number" and isinstance(value, str):
        try:
            return bind(column, int(value)) if WHOLE.match(value) else float(value)
        except ValueError as error:
            raise WrongArguments(
                f"{column.name} contains numbers, but {value!r} is not a number.",
                "Specify a number.",
            ) from error
    return value


def as_list(condition: Condition, size: int | None = None) -> list[Any]:
    """Return the list of values that a condition needs.

    Raises: WrongArguments.
    """
    value = condition.value
    if not isinstance(value, list) or not value or (size is not None and len(value) != size):
        count = f"{size} values" if size else "a list of values"
        raise WrongArguments(
            f"{condition.column} {condition.op} needs {count}.", f"Specify {count}."
        )
    return list(value)
