"""A table in DuckDB, built from SQL or JSON rows, with typed columns and a row ordinal for
citations. Rows of totals at the end are removed.
"""

from __future__ import annotations

import datetime as dt
import itertools
import json
import re
import tempfile
import threading
import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from backends.data.column_types import TypedColumn, different_values, type_columns
from backends.data.computation import part, stoppable
from backends.data.errors import ComputationStopped, UnknownColumn, WrongArguments
from backends.data.periods import order_sql
from backends.data.values import Scalar

if TYPE_CHECKING:
    import duckdb


TOTAL = re.compile(
    r"(?:grand[ -]|sub[ -]?|overall"
    r" )?totals?|gesamt(?:summe)?|summe|insgesamt|合计|总计|总和|小计|共计|合計|総計|小計|総合計|计|計",
    re.IGNORECASE,
)
WITH_TOTAL = re.compile(
    r"\btotals?\b|合计|总计|合計|総計", re.IGNORECASE
)  # for example City total, 全年合计
LONGEST = 30  # maximum number of characters in such a label
MEAN = re.compile(
    r"(?:class |overall |group )?(?:average|avg\.?|mean)(?: score| mark)?"
    r"|(?:全班|班级|总)?(?:平均|平均值|平均分|平均数|平均成绩|均值|均分)|平均点|平均値",
    re.IGNORECASE,
)
LAST = 3  # number of rows examined at the end
FEWEST = 4  # number of rows that a table needs before its last rows can be totals
SMALL = 5000  # maximum number of rows of a table whose last row may be a total under any name
SURE = 3  # how many of its numbers must be sums
NEAR = 0.005  # how far rounding may make a written total differ from the sum, as a share
NUMBER = r"[$€£¥￥%,\s]"


def to_scalar(value: Any) -> Scalar:
    """Return a DuckDB value as a plain value: dates as ISO text, decimals as floats."""
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, float) and value != value:
        return None
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)


def is_total(value: object) -> bool:
    """Return whether a value is a name for a row of totals."""
    return isinstance(value, str) and TOTAL.fullmatch(value.strip().rstrip(":：")) is not None


def may_be_total(value: str) -> bool:
    """Return whether a value could be the name of a row of totals, provided that the row adds
    up.
    """
    return is_total(value) or (len(value) <= LONGEST and WITH_TOTAL.search(value) is not None)


def _may_be_figures(value: str) -> bool:
    """Return whether a value could be the name of a row of totals or averages."""
    return may_be_total(value) or MEAN.fullmatch(value.strip()) is not None


def drop_totals(cursor: duckdb.DuckDBPyConnection, raw: str, ordinal: str) -> None:
    """Remove the rows of totals and averages from the end of a table that has just been read.

    A row is removed if its first non-empty cell names a total, no other row has that name, and
    either the row's numbers are the sums of the rows above, or the column of that cell otherwise
    contains days or numbers. A row "Total" that contains rates, which cannot be added, is kept. In
    a small table, the last row is removed under any name ("County", "ALL") if enough of its numbers
    are such sums.
    """
    names = [str(row[0]) for row in cursor.execute(f"DESCRIBE {raw}").fetchall()][1:]
    listed = ", ".join(f"CAST({_quote(name)} AS VARCHAR)" for name in names)
    last = cursor.execute(
        f"SELECT {ordinal}, {listed} FROM {raw} ORDER BY {ordinal} DESC LIMIT {LAST}"
    ).fetchall()
    count = cursor.execute(f"SELECT count(*) FROM {raw}").fetchone()
    if not names or count is None or count[0] < FEWEST:
        return
    called = [_label(row[1:]) for row in last]
    if not any(_may_be_figures(label[1]) for label in called if label):
        above = f"{ordinal} < {last[0][0]}"
        if (
            called[0] is not None
            and count[0] <= SMALL
            and _is_sum(cursor, raw, names, last[0], above)
        ):
            cursor.execute(f"DELETE FROM {raw} WHERE {ordinal} >= {last[0][0]}")
        return
    while called and called[-1] is None:
        called.pop()
    dropped: list[int] = []
    for row, label in zip(last, called, strict=False):
        if label is None or not _may_be_figures(label[1]):
            break
        dropped.append(int(row[0]))
        column = _quote(names[label[0]])
        above = f"{ordinal} < {row[0]}"
        twice = cursor.execute(
            f"SELECT count(*) FILTER (trim(CAST({column} AS VARCHAR)) = ?), count(*) FILTER (NOT"
            f" regexp_matches(CAST({column} AS VARCHAR), '\\d')) FROM {raw} WHERE {above}",
            [label[1].strip()],
        ).fetchone()
        assert twice is not None
        plain = is_total(label[1]) and not twice[1]  # the column otherwise contains days or numbers
        if MEAN.fullmatch(label[1].strip()) is not None:
            # a row of averages next to a row of totals cannot be anything else
            fits = any(is_total(other[1]) for other in called if other)
            fits = fits or _fits(cursor, raw, names, row, above, "avg")
        else:
            fits = plain or _fits(cursor, raw, names, row, above, "sum")
        if twice[0] or not fits:
            return
    if dropped:
        cursor.execute(f"DELETE FROM {raw} WHERE {ordinal} >= {min(dropped)}")


def _label(cells: tuple[str | None, ...]) -> tuple[int, str] | None:
    """Return the position and text of the first non-empty cell."""
    return next(((i, cell) for i, cell in enumerate(cells) if cell and cell.strip()), None)


def _fits(
    cursor: duckdb.DuckDBPyConnection,
    raw: str,
    names: list[str],
    row: tuple[str | None, ...],
    above: str,
    figure: Literal["sum", "avg"],
) -> bool:
    """Return whether at least half of a row's numbers are the sums or averages of the numbers above
    them.
    """
    hits, misses = _figures(cursor, raw, names, row, above, figure)
    return hits > 0 and hits >= misses


def _is_sum(
    cursor: duckdb.DuckDBPyConnection,
    raw: str,
    names: list[str],
    row: tuple[str | None, ...],
    above: str,
) -> bool:
    """Return whether so many of a row's numbers are the sums of the numbers above them, and so few
    are not, that this cannot be a coincidence.
    """
    hits, misses = _figures(cursor, raw, names, row, above, "sum", give_up=2)
    return hits >= SURE and hits >= 3 * misses


def _figures(
    cursor: duckdb.DuckDBPyConnection,
    raw: str,
    names: list[str],
    row: tuple[str | None, ...],
    above: str,
    figure: Literal["sum", "avg"],
    give_up: int | None = None,
) -> tuple[int, int]:
    """Return how many of a row's numbers are the sums or averages of the numbers above them, and
    how many are not. Zeros are ignored. give_up: stop when there are this many more misses than
    hits.
    """
    hits = misses = 0
    for name, cell in zip(names, row[1:], strict=True):
        written = re.sub(NUMBER, "", cell or "")
        try:
            told = float(written)
        except ValueError:
            continue
        if not told or (give_up is not None and misses - hits >= give_up):
            continue
        text = f"regexp_replace(CAST({_quote(name)} AS VARCHAR), '{NUMBER}', '', 'g')"
        found = cursor.execute(
            f"SELECT {figure}(TRY_CAST({text} AS DOUBLE)) FROM {raw} WHERE {above}"
        ).fetchone()
        total = found[0] if found else None
        last_digit = 10.0 ** -len(written.partition(".")[2])
        if total is not None and abs(total - told) <= max(NEAR * abs(told), 0.51 * last_digit):
            hits += 1
        else:
            misses += 1
    return hits, misses


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


ORDINAL = "_row"
MANY, VALUES = 100_000, 102  # minimum rows of a large table; maximum values listed for a column
LOADED = 0.4  # progress at which a table's rows are loaded but not yet typed
numbers = itertools.count(1)


def connect(
    path: str = ":memory:", *, memory_limit: str = "2GB", threads: int = 2
) -> duckdb.DuckDBPyConnection:
    """Return a connection that does not download extensions."""
    import duckdb  # imported late, because it is large and a window may never query a table

    config: dict[str, Any] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "memory_limit": memory_limit,
        # temporary data needs its own folder: two databases that share one would overwrite each
        # other
        "temp_directory": f"{tempfile.gettempdir()}/deskpilot-{uuid.uuid4().hex}",
        "threads": threads,
    }
    return duckdb.connect(path, config=config)


@contextmanager
def duckdb_errors() -> Generator[None]:
    """Convert DuckDB errors that are raised in the block to our own.

    Raises: ComputationStopped; WrongArguments for anything that a table cannot answer.
    """
    import duckdb

    try:
        yield
    except duckdb.InterruptException as error:
        raise ComputationStopped("The computation was stopped.") from error
    except (
        duckdb.ConversionException,
        duckdb.BinderException,
        duckdb.OutOfRangeException,
        duckdb.InvalidInputException,
        duckdb.OutOfMemoryException,
    ) as error:
        raise WrongArguments(
            f"The table cannot answer that: {str(error).splitlines()[0]}", "Rephrase the request."
        ) from error


def quote(name: str) -> str:
    """Return an identifier quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


class Table:
    """A table in a connection, ready for queries.

    connection: shared; each query uses its own cursor, so several threads can run queries.
    relation: the table's name in SQL. columns: in the order of the source, without the ordinal.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection | None,
        relation: str,
        columns: list[TypedColumn],
        source: str,
        hash_: str,
    ) -> None:
        self._connection, self._relation = connection, relation
        self.columns = columns
        self.source = source
        self.hash = hash_
        self._medians: dict[str, tuple[Scalar, int]] = {}
        self._values: dict[str, list[tuple[Any, ...]]] = {}

    def _place(self) -> tuple[duckdb.DuckDBPyConnection, str]:
        """Return the connection and the name of the table's rows. The table must have rows."""
        assert self._connection is not None
        return self._connection, self._relation

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """Return the connection to the table's database."""
        return self._place()[0]

    @property
    def relation(self) -> str:
        """Return the table's name in SQL."""
        return self._place()[1]

    def column(self, name: str) -> TypedColumn:
        """Return the column with a given name.

        Raises: UnknownColumn.
        """
        for column in self.columns:
            if column.name == name:
                return column
        names = ", ".join(c.name for c in self.columns[:12])
        raise UnknownColumn(f"The table has no column {name!r}.", f"It has: {names}.")

    def order_key(self, name: str) -> str:
        """Return SQL for a column as a sort key. Written months and quarters are sorted by time.

        Raises: UnknownColumn.
        """
        column = self.column(name)
        return order_sql(quote(name), column.periods) if column.periods else quote(name)

    def query(self, sql: str, parameters: list[Any] | None = None) -> list[tuple[Any, ...]]:
        """Run a query and return its rows as plain values.

        Raises: WrongArguments if values do not match the type of a column; ComputationStopped.
        """
        rows = self._run(sql, parameters or [], lambda done: done.fetchall())
        return [tuple(to_scalar(value) for value in row) for row in rows]

    def select(
        self, sql: str, name: str, limit: int, seconds: float
    ) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Run an untrusted SELECT, in which the table is called `name`. Return the columns and up
        to `limit` rows.

        It cannot read files or use the network, writes nothing, and is stopped after the given
        number of seconds. Raises: WrongArguments for anything other than a single SELECT;
        ComputationStopped.
        """
        import duckdb

        cursor = self.connection.cursor()
        listed = ", ".join(quote(c.name) for c in self.columns)
        timer = threading.Timer(seconds, cursor.interrupt)
        timer.daemon = True
        try:
            wrapped = f"SELECT * FROM (\n{sql.strip().rstrip(';')}\n) LIMIT {int(limit)}"
            if [s.type for s in duckdb.extract_statements(wrapped)] != [
                duckdb.StatementType.SELECT
            ]:
                raise WrongArguments(
                    "This is not a single SELECT.", "Send one SELECT and nothing else."
                )
            # The file was read when the table was created. From here on, nothing external is
            # needed.
            cursor.execute("SET enable_external_access = false")
            cursor.execute(
                f"CREATE OR REPLACE TEMP VIEW {quote(name)} AS SELECT {listed} FROM {self.relation}"
            )
            timer.start()
            with stoppable(cursor):
                done = cursor.execute(wrapped)
                columns = [str(column[0]) for column in done.description or []]
                return columns, [
                    tuple(to_scalar(value) for value in row) for row in done.fetchall()
                ]
        except duckdb.InterruptException as error:
            raise ComputationStopped(
                f"The query ran for more than {seconds:g} s and was stopped."
            ) from error
        except duckdb.Error as error:
            raise WrongArguments(
                f"The query cannot be run: {str(error).splitlines()[0]}", "Fix the SQL."
            ) from error
        finally:
            timer.cancel()
            cursor.close()

    def array(self, sql: str, parameters: list[Any]) -> Any:
        """Run a query for a single column of numbers, and return the column as a numpy array.

        Raises: WrongArguments, ComputationStopped.
        """
        (values,) = self._run(sql, parameters, lambda done: done.fetchnumpy()).values()
        return values

    def median(
        self, name: str, clause: str = "true", bound: list[Any] | None = None
    ) -> tuple[Scalar, int]:
        """Return the median of a column's non-empty cells in the rows that meet a clause, and the
        number of these cells.

        The median of a whole column is cached, because a table never changes.
        Raises: WrongArguments, ComputationStopped.
        """
        if clause != "true":
            return self._median(name, clause, bound or [])
        if name not in self._medians:
            self._medians[name] = self._median(name, clause, [])
        return self._medians[name]

    def values(
        self, name: str, clause: str = "true", bound: list[Any] | None = None
    ) -> list[tuple[Any, ...]]:
        """Return the distinct values of a column in the rows that meet a clause.

        The most frequent values come first, and empty cells last; there are at most `VALUES`. Each
        has its count, and three totals that are the same in every row: the number of distinct
        values, of rows, and of cells that are not empty.

        The values of a whole column are cached, because a table never changes.
        Raises: WrongArguments, ComputationStopped.
        """
        if clause != "true":
            return self.query(
                different_values(quote(name), ORDINAL, self.relation, clause, VALUES), bound
            )
        if name not in self._values:
            self._values[name] = self.query(
                different_values(quote(name), ORDINAL, self.relation, clause, VALUES)
            )
        return self._values[name]

    def _median(self, name: str, clause: str, bound: list[Any]) -> tuple[Scalar, int]:
        quoted = quote(name)
        chosen = f"FROM {self.relation} WHERE {clause}"
        if self.count() < MANY or self.column(name).kind != "number":
            value, count = self.one(f"SELECT median({quoted}), count({quoted}) {chosen}", bound)
            return value, int(count or 0)
        # With many values, numpy takes a quarter of DuckDB's time, and reads the table only once.
        cells = self.array(f"SELECT {quoted} AS cells {chosen} AND {quoted} IS NOT NULL", bound)
        count, half = len(cells), len(cells) // 2
        if not count:
            return None, 0
        cells.partition(half)  # partitioning at two positions would take ten times as long
        high = cells[half].item()
        return high if count % 2 else (cells[:half].max().item() + high) / 2, count

    def _run(
        self, sql: str, parameters: list[Any], fetch: Callable[[duckdb.DuckDBPyConnection], Any]
    ) -> Any:
        cursor = self.connection.cursor()
        with duckdb_errors(), stoppable(cursor):
            return fetch(cursor.execute(sql, parameters))

    def one(self, sql: str, parameters: list[Any] | None = None) -> tuple[Any, ...]:
        """Run a query that returns exactly one row."""
        return self.query(sql, parameters)[0]

    def count(self) -> int:
        """Return the number of rows."""
        return self._size

    @cached_property
    def _size(self) -> int:
        return int(self.one(f"SELECT count(*) FROM {self.relation}")[0])

    def first(
        self, columns: list[str], clause: str, parameters: list[Any], limit: int
    ) -> list[tuple[Any, ...]]:
        """Return the first rows that meet a clause, each with its ordinal before the columns.

        The table is stored in the order of the source, which DuckDB keeps with WHERE and LIMIT
        (`preserve_insertion_order`). The query can therefore stop at the last row that it needs;
        sorting would require reading the whole table.
        """
        listed = ", ".join([ORDINAL, *map(quote, columns)])
        found = f"SELECT {listed} FROM {self.relation} WHERE {clause} LIMIT {limit}"
        return self.query(f"SELECT * FROM ({found}) ORDER BY {ORDINAL}", parameters)

    def rows(self, offset: int, limit: int) -> list[tuple[Scalar, ...]]:
        """Return the rows from `offset` up to, but not including, `offset + limit`, in the order of
        the source.
        """
        names = ", ".join(quote(c.name) for c in self.columns)
        sql = (
            f"SELECT {names} FROM {self.relation} WHERE {ORDINAL} >= ? AND {ORDINAL} < ? ORDER BY"
            f" {ORDINAL}"
        )
        return self.query(sql, [offset, offset + limit])


def table_from_sql(
    connection: duckdb.DuckDBPyConnection,
    select: str,
    parameters: list[Any],
    *,
    source: str,
    hash_: str,
    until: dt.date | None = None,
) -> Table:
    """Create a table from a SELECT. A row ordinal is added, and the types of text columns are
    determined by their content.

    until: the latest day that a date without a year may stand for; by default, a month from now.
    """
    number = next(numbers)
    raw, relation = f"raw_{number}", f"table_{number}"
    cursor = connection.cursor()
    # The ordinals follow the order of the source: by default, DuckDB keeps the insertion order.
    made = (
        f"CREATE TABLE {raw} AS SELECT (row_number() OVER ()) - 1 AS {ORDINAL}, * FROM ({select})"
    )
    with part(0.0, LOADED, cursor), stoppable(cursor):
        cursor.execute(made, parameters)
    with part(LOADED, 1.0), stoppable(cursor):
        drop_totals(cursor, raw, ORDINAL)
        columns = type_columns(cursor, raw, relation, until)
        cursor.execute(f"DROP TABLE {raw}")
    return Table(connection, relation, columns, source, hash_)


def table_from_rows(
    rows: list[dict[str, Any]],
    *,
    source: str,
    hash_: str = "",
    connection: duckdb.DuckDBPyConnection | None = None,
    until: dt.date | None = None,
) -> Table:
    """Return a table built from JSON rows. Columns may be missing from rows.

    until: the latest day that a date without a year may stand for; by default, a month from now.

    Raises: WrongArguments if there is no row or no column.
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        raise WrongArguments("There are no rows.", "Attach a table that has some.")
    cells = [[flat(row.get(name)) for row in rows] for name in names]
    connection = connection or connect()
    number = next(numbers)
    cursor = connection.cursor()
    kinds = [sql_type(column) for column in cells]
    shape = ", ".join(f"c{i} {kind}" for i, kind in enumerate(kinds))
    cursor.execute(f"CREATE TABLE rows_{number} ({shape})")
    # whole columns at once; row by row, a hundred thousand rows took twenty seconds
    lists = ", ".join(f"unnest(?::{kind}[])" for kind in kinds)
    fitted = [[fit(v, kind) for v in column] for column, kind in zip(cells, kinds, strict=True)]
    cursor.execute(f"INSERT INTO rows_{number} SELECT {lists}", fitted)
    selected = ", ".join(f"c{i} AS {quote(name)}" for i, name in enumerate(called(names)))
    table = table_from_sql(
        connection,
        f"SELECT {selected} FROM rows_{number}",
        [],
        source=source,
        hash_=hash_,
        until=until,
    )
    cursor.execute(f"DROP TABLE rows_{number}")
    return table


def called(names: list[str]) -> list[str]:
    """Return the names of columns. Columns without a name are named after their position."""
    made = [name.encode("utf-8", "replace").decode() for name in names]  # half a surrogate pair
    taken = {name.lower() for name in made if name.strip()}
    for i, name in enumerate(made):
        if not name.strip():
            free = f"column {i + 1}"
            while free in taken:
                free += " 2"
            taken.add(free)
            made[i] = free
    return made


def flat(value: Any) -> Scalar:
    """Return a JSON value as a cell. A hover card is replaced by its `value`."""
    if isinstance(value, dict):
        return (
            flat(value.get("value")) if "value" in value else json.dumps(value, ensure_ascii=False)
        )
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value


def sql_type(values: list[Scalar]) -> str:
    """Return the SQL type that can hold all the values; if their types are mixed, this is text."""
    kinds = {type(v) for v in values if v is not None}
    if kinds == {bool}:
        return "BOOLEAN"
    largest = max((abs(v) for v in values if isinstance(v, int)), default=0)
    if kinds and kinds <= {int, float} and largest < 10**300:
        return "BIGINT" if kinds == {int} and largest < 2**62 else "DOUBLE"
    return "VARCHAR"


def fit(value: Scalar, kind: str) -> Scalar:
    """Return a cell, converted to the Python type for its SQL type. Booleans become text in SQL's
    spelling if the type is text.
    """
    if value is None or kind in ("BIGINT", "BOOLEAN"):
        return value
    if kind == "DOUBLE":
        return float(value)
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return (
        text if text.isascii() else text.encode("utf-8", "replace").decode()
    )  # half a surrogate pair
