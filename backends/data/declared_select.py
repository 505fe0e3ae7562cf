"""Check the contents of a declared SELECT, and run it over one or more tables."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from backends.data.computation import stoppable
from backends.data.errors import WrongArguments
from backends.data.table import ORDINAL, Table, connect, quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import duckdb


# The nodes other than expressions that a parsed statement may contain; any others are refused.
PARTS = {
    "SELECT_NODE",
    "SET_OPERATION_NODE",
    "CTE_NODE",
    "BASE_TABLE",
    "JOIN",
    "SUBQUERY",
    "EMPTY",
    "EXPRESSION_LIST",
    "TABLE_FUNCTION",
    "ORDER_MODIFIER",
    "LIMIT_MODIFIER",
    "DISTINCT_MODIFIER",
    "ORDER_DEFAULT",
    "ASCENDING",
    "DESCENDING",
}
ROWS_FROM = {"range", "generate_series", "unnest"}  # functions that may return rows
# Names without brackets that return a property of the machine, its clock or its user.
OUTSIDE = {
    "current_date",
    "current_time",
    "current_timestamp",
    "localtime",
    "localtimestamp",
    "current_user",
    "user",
    "session_user",
    "current_role",
    "current_schema",
    "current_catalog",
}
SINCE_TODAY = {"age": 2}  # functions that use today's date if they get fewer values than this
DRAWN = {"reservoir_quantile"}  # listed as deterministic, although they draw random samples
MEND = "Send one SELECT over the tables it names."


def check_reading(sql: str, tables: Iterable[str], columns: Iterable[str]) -> set[str]:
    """Return the columns that a SELECT names, in lower case. `*` is included if it reads all
    columns.

    tables: the names that the SELECT may use. columns: the columns of these tables. Raises:
    WrongArguments if the text is not a single SELECT, if it reads anything else, or if its result
    depends on chance or on the current day.
    """
    return set(names_read(sql, frozenset(tables), frozenset(columns)))


@lru_cache(maxsize=64)
def names_read(sql: str, tables: frozenset[str], columns: frozenset[str]) -> frozenset[str]:
    """Return the result of `check_reading`."""
    try:
        nodes = list(walked(parsed(sql)))
    except RecursionError as error:
        raise WrongArguments("The request is nested too deeply.", MEND) from error
    known = {name.lower() for name in tables} | {
        key.lower() for node in nodes for key in named_here(node)
    }
    held = {name.lower() for name in columns}
    used: set[str] = set()
    for node in nodes:
        check_part(node, known)
        if node.get("class") in ("FUNCTION", "WINDOW"):
            check_function(str(node.get("function_name")), len(node.get("arguments") or []))
        if node.get("class") == "STAR":
            used.add("*")
        if node.get("class") == "COLUMN_REF":
            names = [str(n).lower() for n in cast("list[Any]", node["column_names"])]
            if len(names) == 1 and names[0] in OUTSIDE - held:
                raise WrongArguments(f"{names[0]} is different each day or on each machine.", MEND)
            used.update(names)
    return frozenset(used)


def parsed(sql: str) -> dict[str, Any]:
    """Return the only SELECT in a text as a tree.

    Raises: WrongArguments.
    """
    import duckdb

    with reader().cursor() as cursor:
        try:
            row = cursor.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
        except duckdb.Error as error:
            raise WrongArguments(
                f"The request cannot be read: {str(error).splitlines()[0]}", MEND
            ) from error
    assert row is not None
    tree: dict[str, Any] = json.loads(row[0])
    if tree.get("error"):
        raise WrongArguments(f"This is not a single SELECT: {tree.get('error_message')}", MEND)
    if len(tree["statements"]) != 1:
        raise WrongArguments("These are several statements.", MEND)
    return tree["statements"][0]


def walked(node: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in a tree."""
    if isinstance(node, dict):
        held = cast("dict[str, Any]", node)
        yield held
        for value in held.values():
            yield from walked(value)
    elif isinstance(node, list):
        for value in cast("list[Any]", node):
            yield from walked(value)


def named_here(node: dict[str, Any]) -> list[str]:
    """Return the names that a WITH clause defines."""
    held = node.get("cte_map")
    pairs: list[dict[str, Any]] = (
        cast("dict[str, Any]", held).get("map", []) if isinstance(held, dict) else []
    )
    return [str(pair["key"]) for pair in pairs]


def check_part(node: dict[str, Any], known: set[str]) -> None:
    """Check that a part of a statement either reads only named tables or computes.

    Raises: WrongArguments.
    """
    kind = node.get("type")
    if not isinstance(kind, str) or "class" in node:
        return
    if kind not in PARTS and not kind.endswith("_TYPE_INFO"):
        raise WrongArguments(
            f"A declared SELECT cannot contain {kind.lower().replace('_', ' ')}.", MEND
        )
    if node.get("sample"):
        raise WrongArguments("A sample is different each time.", MEND)
    if kind == "BASE_TABLE":
        name = str(node.get("table_name"))
        if node.get("schema_name") or node.get("catalog_name") or name.lower() not in known:
            raise WrongArguments(f"The SELECT reads {name!r}, which is not declared.", MEND)
    if kind == "TABLE_FUNCTION":
        name = str(cast("dict[str, Any]", node["function"]).get("function_name"))
        if name.lower() not in ROWS_FROM:
            raise WrongArguments(f"Rows cannot come from {name}().", MEND)


def check_function(name: str, given: int) -> None:
    """Check that a function is deterministic and has no side effects. given: the number of values
    passed to it.

    Raises: WrongArguments.
    """
    if given < SINCE_TODAY.get(name.lower(), 0):
        raise WrongArguments(
            f"{name}() with one day counts up to today.", "Specify the last day to count to."
        )
    if name.lower() in DRAWN or name.lower() not in functions() | ROWS_FROM:
        raise WrongArguments(
            f"{name}() cannot be used here.", "Use functions that depend only on the values."
        )


@lru_cache
def reader() -> duckdb.DuckDBPyConnection:
    """Return a database without tables, which parses statements and never runs them."""
    return connect(threads=1)


@lru_cache
def functions() -> frozenset[str]:
    """Return the functions that are deterministic and have no side effects.

    Variants that take times with a time zone are ignored, because no table contains such times.
    Their results depend on the time zone of the session; since version 2.0.1, DuckDB reports this
    for `-` and `+`, too.
    """
    zoned = (
        "list_bool_or([t LIKE '%TIME ZONE%' OR t LIKE '%TIMESTAMPTZ%' FOR t IN parameter_types])"
    )
    with reader().cursor() as cursor:
        rows = cursor.execute(
            "SELECT function_name, bool_and(function_type IN ('scalar', 'aggregate', 'window') AND"
            " coalesce(stability, 'CONSISTENT') = 'CONSISTENT' AND NOT coalesce(has_side_effects,"
            f" false)) FROM duckdb_functions() WHERE NOT coalesce({zoned}, false)"
            " GROUP BY function_name"
        ).fetchall()
    return frozenset(str(name).lower() for name, pure in rows if pure)


CELLS = 2_000_000  # maximum number of cells copied for one SELECT


def select_over(
    tables: dict[str, Table], sql: str, limit: int, seconds: float
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Run an untrusted SELECT over tables, which have the given names in it; see `Table.select`.

    Raises: WrongArguments, also if too many cells would have to be copied; ComputationStopped.
    """
    (name, table), *others = tables.items()
    if not others:
        return table.select(sql, name, limit, seconds)
    cells = sum(one.count() * len(one.columns) for one in tables.values())
    if cells > CELLS:
        raise WrongArguments(
            f"The tables have {cells:,} cells in total; a SELECT over several tables can use up "
            f"to {CELLS:,}.",
            "Query each table separately, then join the results.",
        )
    together = connect()
    try:
        for called, one in tables.items():
            copy(one, together, called)
        first = Table(together, quote(name), table.columns, table.source, table.hash)
        return first.select(
            sql, f"{name}_", limit, seconds
        )  # all tables are already here under these names
    finally:
        together.close()


def copy(table: Table, there: Any, name: str) -> None:
    """Copy a table without its ordinal into another database, keeping the order of its rows."""
    listed = ", ".join(quote(c.name) for c in table.columns)
    cursor = table.connection.cursor()
    chosen = f"SELECT {listed} FROM {table.relation} ORDER BY {ORDINAL}"
    with stoppable(cursor):
        kinds = [str(row[1]) for row in cursor.execute(f"DESCRIBE {chosen}").fetchall()]
        rows = cursor.execute(chosen).fetchall()
    cursor.close()
    columns = ", ".join(
        f"{quote(c.name)} {kind}" for c, kind in zip(table.columns, kinds, strict=True)
    )
    there.execute(f"CREATE TABLE {quote(name)} ({columns})")
    # Whole columns are copied at once; copying row by row would take minutes.
    lists = ", ".join(f"unnest(?::{kind}[])" for kind in kinds)
    values = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in kinds]
    there.execute(f"INSERT INTO {quote(name)} SELECT {lists}", values)
