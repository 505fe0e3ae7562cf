"""The working database of a running workflow."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from backends.data.column_types import TypedColumn, keep_type
from backends.data.computation import stoppable
from backends.data.errors import ComputationStopped, UnknownColumn, WrongArguments
from backends.data.table import ORDINAL, Table, connect, duckdb_errors, quote
from backends.data.workflow.step import (
    Chart,
    Output,
    OutputFrame,
    OutputSheet,
    OutputValue,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    import duckdb

    from backends.data.moments import PartialPeriod

ROWS = 500_000  # maximum number of rows in a frame
FOREVER = threading.TIMEOUT_MAX


class RunContext:
    """The place in which steps are computed.

    given: returns a table by its uuid, for this run. Sources are only read. Results are kept in
    memory, and are dropped with the context. Several steps may run at the same time, in threads.
    Inside the database, a single thread computes, so that sums are the same every time.
    """

    def __init__(
        self, source: Callable[[str], Table], loop: Callable[..., Output] | None = None
    ) -> None:
        self.given = source
        self.loop = loop
        self.connection = connect(threads=1)
        self.outputs: dict[str, Output] = {}
        self.hashes: dict[str, str] = {}
        self.parts: list[PartialPeriod] = []
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def note(self, parts: list[PartialPeriod]) -> None:
        """Record incomplete periods, so that comparisons with them can be explained."""
        with self._lock:
            self.parts += [part for part in parts if part not in self.parts]

    def close(self) -> None:
        """Drop all frames."""
        self.connection.close()

    def source(self, uid: str) -> Table:
        """Return one of the user's tables. Its hash is recorded, to show where the results come
        from.

        Raises: the errors of the tables' owner.
        """
        table = self.given(uid)
        self.hashes[uid] = table.hash
        return table

    def frame(self, handle: str) -> Table:
        """Return the rows that an earlier step produced.

        Raises: WrongArguments if the step did not produce rows.
        """
        made = self.outputs.get(handle)
        if isinstance(made, OutputFrame | OutputSheet):
            return made.table
        names = [
            name
            for name, output in self.outputs.items()
            if isinstance(output, OutputFrame | OutputSheet)
        ]
        raise WrongArguments(
            f"There are no rows {handle!r}.", f"Available: {', '.join(names) or 'none'}."
        )

    def chart(self, handle: str) -> Chart:
        """Return the chart that an earlier step drew.

        Raises: WrongArguments if the step did not draw a chart.
        """
        made = self.outputs.get(handle)
        if isinstance(made, Chart):
            return made
        raise WrongArguments(f"There is no chart {handle!r}.", "Draw it first.")

    def take(
        self,
        table: Table,
        select: str,
        bound: Sequence[Any] | Mapping[str, Any] = (),
        seconds: float = FOREVER,
    ) -> OutputFrame:
        """Copy the rows of a SELECT from the database of a source to this one. bound: values,
        either in order or by name.

        Raises: WrongArguments, also if there are more rows than a frame can hold;
        ComputationStopped, also after the given number of seconds.
        """
        cursor = table.connection.cursor()
        values = dict(bound) if isinstance(bound, Mapping) else list(bound)
        try:
            with duckdb_errors(), stoppable(cursor), broken_off(cursor, seconds):
                done = cursor.execute(f"SELECT * FROM (\n{select}\n) LIMIT {ROWS + 1}", values)
                described = [(str(c[0]), str(c[1])) for c in done.description or []]
                rows = done.fetchall()
        finally:
            cursor.close()
        if len(rows) > ROWS:
            raise too_many()
        lists: list[list[Any]] = [list(column) for column in zip(*rows, strict=True)]
        kinds = {
            n: (storable(t), v)
            for (n, t), v in zip(described, lists or [[] for _ in described], strict=True)
        }
        return self.build(kinds, [table])

    def build(
        self, columns: dict[str, tuple[str, list[Any]]], like: Sequence[Table] = ()
    ) -> OutputFrame:
        """Create a frame from whole columns. Each is given as name → SQL type and cells; all have
        the same length.
        """
        name = self._name("cells")
        cursor = self.connection.cursor()
        listed = ", ".join(f"{quote(n)} {kind}" for n, (kind, _) in columns.items())
        cursor.execute(f"CREATE TABLE {name} ({listed})")
        lists = ", ".join(f"unnest(?::{kind}[])" for kind, _ in columns.values())
        cursor.execute(
            f"INSERT INTO {name} SELECT {lists}", [cells for _, cells in columns.values()]
        )
        made = self.make(f"SELECT * FROM {name}", (), like)
        cursor.execute(f"DROP TABLE {name}")
        cursor.close()
        return made

    def make(
        self, select: str, bound: Sequence[Any] = (), like: Sequence[Table] = ()
    ) -> OutputFrame:
        """Create a frame from a SELECT over frames, in the order of its rows. like: frames whose
        columns pass on their unit and type to columns with the same name.

        Raises: WrongArguments, ComputationStopped.
        """
        import duckdb

        name = self._name("frame")
        cursor = self.connection.cursor()
        try:
            with stoppable(cursor):
                cursor.execute(
                    f"CREATE TABLE {name} AS SELECT (row_number() OVER ()) - 1 AS {ORDINAL}, * FROM"
                    f" ({select}) LIMIT {ROWS + 1}",
                    list(bound),
                )
                made = cursor.execute(f"SELECT count(*) FROM {name}").fetchone()
                if made is not None and made[0] > ROWS:
                    cursor.execute(f"DROP TABLE {name}")
                    raise too_many()
            described = cursor.execute(f"DESCRIBE {name}").fetchall()
        except duckdb.InterruptException as error:
            raise ComputationStopped("The computation was stopped.") from error
        except duckdb.Error as error:
            raise WrongArguments(
                f"These rows cannot be computed: {str(error).splitlines()[0]}",
                "Rephrase the request.",
            ) from error
        finally:
            cursor.close()
        known = {c.name: c for table in reversed(like) for c in table.columns}
        columns = [typed(str(row[0]), str(row[1]), known) for row in described[1:]]
        return OutputFrame(Table(self.connection, name, columns, "", ""))

    def _name(self, what: str) -> str:
        with self._lock:
            return f"{what}_{next(self._numbers)}"


def too_many() -> WrongArguments:
    """Return the error for having more rows than a frame can hold."""
    return WrongArguments(
        f"These are more than {ROWS:,} rows.",
        "Choose fewer rows, or aggregate them by day, month or year.",
    )


@contextmanager
def broken_off(cursor: duckdb.DuckDBPyConnection, seconds: float) -> Generator[None]:
    """Stop a cursor's query after the given number of seconds, unless the block has ended by then."""
    if seconds == FOREVER:
        yield
        return
    timer = threading.Timer(seconds, cursor.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def storable(kind: str) -> str:
    """Return the SQL type in which the cells of a source are stored here. Listed values are stored
    as text.
    """
    if kind.startswith("ENUM") or kind == "STRING":
        return "VARCHAR"
    return {"NUMBER": "DOUBLE", "DATETIME": "TIMESTAMP", "Date": "DATE"}.get(kind, kind)


def typed(name: str, kind: str, known: dict[str, TypedColumn]) -> TypedColumn:
    """Return a column of a frame. If the source has a column with the same name and type, its
    properties are kept.
    """
    column, _ = keep_type(name, kind, quote(name))
    before = known.get(name)
    return (
        before
        if before is not None and before.kind == column.kind and not before.dictionary
        else column
    )


def listed(table: Table, names: Sequence[str] = ()) -> str:
    """Return columns as SQL. If no names are given, these are all columns.

    Raises: UnknownColumn.
    """
    return ", ".join(quote(table.column(n).name) for n in names) or ", ".join(
        quote(c.name) for c in table.columns
    )


def number(table: Table, name: str) -> str:
    """Return SQL for a column of numbers.

    Raises: UnknownColumn, WrongArguments.
    """
    if table.column(name).kind not in ("number", "boolean"):
        raise WrongArguments(f"{name} contains no numbers.", f"Numeric columns: {numbers(table)}.")
    return quote(name)


def numbers(table: Table) -> str:
    """Return the names of the numeric columns as a list in words."""
    return ", ".join(c.name for c in table.columns if c.kind == "number") or "none"


def check_joined(left: Table, right: Table, on: list[str]) -> None:
    """Check how many rows a join would produce before it is made, because keys may occur several
    times on both sides.

    Raises: WrongArguments.
    """
    keys = listed(left, on)
    sides = [
        f"SELECT {keys}, count(*) AS n FROM {t.relation} GROUP BY {keys}" for t in (left, right)
    ]
    met = " AND ".join(f"l.{quote(n)} = r.{quote(n)}" for n in on)
    (count,) = left.one(f"SELECT sum(l.n * r.n) FROM ({sides[0]}) l JOIN ({sides[1]}) r ON {met}")
    if int(count or 0) > ROWS:
        raise WrongArguments(
            f"This would produce {int(count):,} rows; the limit is {ROWS:,}.",
            "Merge on columns whose values identify each row.",
        )


def free(name: str, taken: set[str]) -> str:
    """Return a name that no column has yet, and mark it as taken. taken: names in lower case,
    because SQL ignores case.
    """
    made, n = name, 2
    while made.lower() in taken:
        made, n = f"{name} {n}", n + 1
    taken.add(made.lower())
    return made


def numeric(value: OutputValue) -> float:
    """Return a value as a number.

    Raises: WrongArguments if it is a text or a day.
    """
    if isinstance(value.value, int | float):
        return float(value.value)
    raise WrongArguments(
        f"{value.name} returns {value.value!r}, which is not a number.",
        "Rank by something that returns numbers.",
    )


def time_of(table: Table, name: str | None = None) -> str:
    """Return the day column of a frame: the one with this name, or else the first one.

    Raises: UnknownColumn if there is no such column.
    """
    if name is not None:
        return table.column(name).name
    for column in table.columns:
        if column.kind in ("date", "time"):
            return column.name
    raise UnknownColumn("These rows have no column with days.", "Read them as a time series.")
