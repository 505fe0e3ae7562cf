"""A computation nobody waits for any more ends inside the engine, too."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress
from typing import Any

import pytest

from backends.data.column_types import TypedColumn
from backends.data.computation import interruptibly
from backends.data.errors import ComputationStopped
from backends.data.interfaces import INTERFACES
from backends.data.table import Table, connect, table_from_rows


class Endless:
    """A table of 10^15 rows: `begun` is set once DuckDB reads them, `ended` when whoever asked got
    its answer.
    """

    def __init__(self) -> None:
        self.begun, self.ended = threading.Event(), threading.Event()
        self.told: list[str] = []
        connection = connect()
        begun = self.begun

        def tick(x: int) -> int:
            begun.set()
            return x

        connection.create_function("tick", tick, ["BIGINT"], "BIGINT")  # pyright: ignore[reportArgumentType]
        relation = "(SELECT range AS _row, tick(range % 1000) AS x FROM range(1000000000000000))"
        self.table = Table(connection, relation, [TypedColumn("x", "number", "BIGINT")], "s", "h")

    def ask(self, interface: str, **arguments: Any) -> None:
        try:
            INTERFACES[interface].run(self.table, {"source": "s", **arguments})
        except ComputationStopped as error:
            self.told.append(error.text)
        finally:
            self.ended.set()

    def select(self) -> None:
        with suppress(ComputationStopped):
            self.table.select("SELECT sum(x) FROM t", "t", 1, 600)
        self.ended.set()


@pytest.mark.parametrize(
    ("interface", "arguments"),
    [
        ("sum", {"column": "x"}),
        ("distinct", {"column": "x", "where": [{"column": "x", "op": ">", "value": -1}]}),
        ("group", {"by": "x", "aggregate": "count"}),
    ],
)
async def test_cancelled_a_query_that_would_run_for_years_ends_at_once(
    interface: str, arguments: dict[str, Any]
) -> None:
    endless = Endless()
    task = asyncio.create_task(interruptibly(lambda: endless.ask(interface, **arguments)))
    assert await asyncio.to_thread(endless.begun.wait, 20)
    begun = time.perf_counter()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.perf_counter() - begun < 1
    assert await asyncio.to_thread(endless.ended.wait, 20)
    assert endless.told == ["The computation was stopped."]


async def test_a_strangers_select_ends_as_well() -> None:
    endless = Endless()
    task = asyncio.create_task(interruptibly(endless.select))
    assert await asyncio.to_thread(endless.begun.wait, 20)
    task.cancel()
    assert await asyncio.to_thread(endless.ended.wait, 20)


async def test_it_ends_at_whatever_moment_it_is_cancelled() -> None:
    """An interrupt that comes before DuckDB begins is forgotten by DuckDB, and must not be by
    us.
    """
    for turns in range(8):
        endless = Endless()
        task = asyncio.create_task(interruptibly(lambda e=endless: e.ask("sum", column="x")))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        if endless.begun.is_set():
            assert await asyncio.to_thread(endless.ended.wait, 20)
    assert not [
        t for t in threading.enumerate() if t.name == "stop a computation" and not await gone(t)
    ]


async def gone(thread: threading.Thread) -> bool:
    await asyncio.to_thread(thread.join, 20)
    return not thread.is_alive()


async def test_others_go_on_and_the_table_answers_afterwards() -> None:
    table = table_from_rows([{"x": i} for i in range(1000)], source="s")
    endless = Endless()
    task = asyncio.create_task(interruptibly(lambda: endless.ask("sum", column="x")))
    assert await asyncio.to_thread(endless.begun.wait, 20)
    task.cancel()
    result = await interruptibly(INTERFACES["sum"].run, table, {"source": "s", "column": "x"})
    assert result.value == 499_500
    assert await asyncio.to_thread(endless.ended.wait, 20)
    assert endless.table.one("SELECT 1") == (1,)


async def test_what_goes_wrong_in_a_thread_is_told_where_it_is_awaited() -> None:
    def wrong() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        await interruptibly(wrong)
