"""A turn from question to end: stopped at once, on disk each second, in words whatever happens."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from app.adapters.store.store import PAGE
from app.domain.copilot import OfferedWidget, RequestOffer
from app.domain.errors import StoreError
from app.domain.events import CallResult, CopilotCall, Ended, Status
from app.domain.stream import Chunk, Message
from app.services import functions
from app.services.conversation import recorder, turns
from backends.data.column_types import TypedColumn
from backends.data.interfaces import INTERFACES
from backends.data.table import Table, connect
from tests.unit.app.services.scripted import Terminal, call, ended, found, said

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path

    from app.domain.conversation import Turn
    from app.domain.events import Item


async def forever(_: list[Turn]) -> AsyncGenerator[Item, None]:
    yield said("Half an ")
    yield said("answer")
    await asyncio.Event().wait()


class Watched:
    """Asks a turn as the window does, and waits for what it tells."""

    def __init__(self, asked: turns.Turns) -> None:
        self.turns = asked
        self.items: list[Item] = []
        self._news = asyncio.Event()
        asked.subscribe(self._on_item)

    def _on_item(self, _: Turn, item: Item) -> None:
        self.items.append(item)
        self._news.set()

    async def until(self, kind: type[Any], count: int = 1) -> None:
        async with asyncio.timeout(10):
            while sum(isinstance(i, kind) for i in self.items) < count:
                self._news.clear()
                await self._news.wait()


async def stopped_after(
    terminal: Terminal, asked: turns.Turns, kind: type[Any], count: int
) -> tuple[float, Turn]:
    """Return the seconds from stop() to the end that is told, and the turn."""
    watched = Watched(asked)
    turn = await terminal.new(asked)
    asked.ask([], turn, found, RequestOffer())
    await watched.until(kind, count)
    begun = time.perf_counter()
    assert asked.stop(turn.id)
    await watched.until(Ended)
    took = time.perf_counter() - begun
    assert ended(watched.items) == Ended("stopped", "Stopped.")
    return took, turn


async def test_stop_ends_the_answer_at_once_and_keeps_the_words_already_said(
    terminal: Terminal,
) -> None:
    took: list[float] = []
    for _ in range(3):
        seconds, turn = await stopped_after(terminal, terminal.turns(forever), Chunk, 3)
        took.append(seconds)
        kept = await terminal.kept(turn)
        assert (kept.state, kept.answer(), kept.items[-1]) == (
            "stopped",
            "Half an answer",
            Ended("stopped", "Stopped."),
        )
    assert min(took) <= 0.1


async def test_stop_does_not_wait_for_a_computation(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = asyncio.Event()

    async def long(*_: Any) -> Any:
        await free.wait()

    async def script(_: list[Turn]) -> AsyncGenerator[Item, None]:
        yield call("get_widget_data", widget_uuid="u")

    monkeypatch.setitem(functions.FUNCTIONS, "get_widget_data", long)
    seconds, turn = await stopped_after(terminal, terminal.turns(script), CopilotCall, 1)
    assert seconds <= 1
    kept = await terminal.kept(turn)
    assert [type(i) for i in kept.items] == [CopilotCall, Ended]


async def test_stop_ends_the_query_that_computes(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine is stopped, not only waited for no longer: it would add up for years."""
    loop, begun, over = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()

    def tick(x: int) -> int:
        if not x:  # a row DuckDB reads: the query runs
            loop.call_soon_threadsafe(begun.set)
        return x

    connection = connect()
    connection.create_function("tick", tick, ["BIGINT"], "BIGINT")  # pyright: ignore[reportArgumentType]
    relation = "(SELECT range AS _row, tick(range) AS x FROM range(1000000000000000))"
    table = Table(connection, relation, [TypedColumn("x", "number", "BIGINT")], "u", "h")

    def run(interface: str, arguments: dict[str, Any]) -> Any:
        try:
            return INTERFACES[interface].run(table, arguments)
        finally:
            loop.call_soon_threadsafe(over.set)

    async def script(_: list[Turn]) -> AsyncGenerator[Item, None]:
        parameters = {"source": "u", "column": "x"}
        yield call(
            "execute_agent_tool", server_id="deskpilot", tool_name="sum", parameters=parameters
        )

    monkeypatch.setattr(terminal.widgets.sources, "run", run)
    asked = terminal.turns(script)
    watched, turn = Watched(asked), await terminal.new(asked)
    asked.ask([], turn, found, RequestOffer([OfferedWidget("u")]))
    async with asyncio.timeout(20):
        await begun.wait()
        assert asked.stop(turn.id)
        await watched.until(Ended)
        await over.wait()
    assert [type(i) for i in (await terminal.kept(turn)).items] == [CopilotCall, Ended]


async def test_a_turn_stopped_before_it_began_ends_all_the_same(terminal: Terminal) -> None:
    asked = terminal.turns(forever)
    watched, turn = Watched(asked), await terminal.new(asked)
    asked.ask([], turn, found, RequestOffer())
    assert asked.stop(turn.id)
    await watched.until(Ended)
    assert (watched.items, turn.state) == ([Ended("stopped", "Stopped.")], "stopped")
    assert not asked.stop(turn.id)


async def test_words_are_on_disk_though_the_copilot_fell_silent(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert recorder.FLUSH_SECONDS <= 1
    monkeypatch.setattr(recorder, "FLUSH_SECONDS", 0.01)
    written, put = asyncio.Event(), terminal.store.put_items

    async def put_items(turn_id: str, first: int, items: list[Any], state: Any = None) -> None:
        await put(turn_id, first, items, state)
        written.set()

    monkeypatch.setattr(terminal.store, "put_items", put_items)
    asked = terminal.turns(forever)
    turn = await terminal.new(asked)
    asked.ask([], turn, found, RequestOffer())
    async with asyncio.timeout(10):
        await written.wait()
    kept = await terminal.kept(turn)
    assert (kept.state, kept.answer()) == ("running", "Half an answer")
    asked.stop(turn.id)


async def test_a_quick_stream_is_written_once_a_second_not_with_each_word(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def script(_: list[Turn]) -> AsyncGenerator[Item, None]:
        for _number in range(1000):
            yield said("word ")
            await asyncio.sleep(0)

    writes: list[int] = []
    put = terminal.store.put_items

    async def put_items(turn_id: str, first: int, items: list[Any], state: Any = None) -> None:
        writes.append(len(items))
        await put(turn_id, first, items, state)

    monkeypatch.setattr(terminal.store, "put_items", put_items)
    begun = time.monotonic()
    turn, items = await terminal.run(script)
    assert ended(items).state == "done"
    assert len(writes) <= 2 + time.monotonic() - begun
    assert (await terminal.kept(turn)).answer() == "word " * 1000


async def test_items_that_come_while_others_are_written_are_written_too(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "FLUSH_SECONDS", 0.0)  # all the time

    async def script(_: list[Turn]) -> AsyncGenerator[Item, None]:
        for number in range(50):
            yield said(f"{number} ")
            yield Status("INFO", str(number))
            await asyncio.sleep(0)

    turn, items = await terminal.run(script)
    kept = await terminal.kept(turn)
    assert kept.items == turn.items
    assert [i.message for i in kept.items if isinstance(i, Status)] == [str(n) for n in range(50)]
    assert ended(items).state == "done"


async def test_a_question_is_on_disk_before_the_copilot_hears_of_it(terminal: Terminal) -> None:
    seen: list[str] = []

    async def script(asked: list[Turn]) -> AsyncGenerator[Item, None]:
        seen.extend(t.question for t in await terminal.store.turns(asked[-1].conversation_id))
        yield said("x")

    await terminal.run(script)
    assert seen == ["q"]


async def test_a_store_that_fails_in_mid_answer_ends_the_turn_in_words(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def put_items(*_: Any) -> None:
        raise StoreError("The disk is full.", "Make room.")

    async def endless(_: list[Turn]) -> AsyncGenerator[Item, None]:
        while True:
            yield said("word ")
            await asyncio.sleep(0)

    asked = terminal.turns(endless)
    monkeypatch.setattr(recorder, "FLUSH_SECONDS", 0.0)
    monkeypatch.setattr(terminal.store, "put_items", put_items)
    watched, turn = Watched(asked), await terminal.new(asked)
    asked.ask([], turn, found, RequestOffer())
    await watched.until(Ended)
    assert ended(watched.items) == Ended("failed", "The disk is full.", "Make room.")


async def test_results_are_sent_with_the_next_request_and_numbers_checked(
    terminal: Terminal, tmp_path: Path
) -> None:
    async def script(asked: list[Turn]) -> AsyncGenerator[Item, None]:
        results = [i for i in asked[-1].items if isinstance(i, CallResult)]
        if not results:
            yield said("Let me look. ")
            yield call(
                "execute_agent_tool",
                server_id="deskpilot",
                tool_name="count",
                parameters={"source": uid},
            )
        else:
            yield said(f"There are {json.loads(results[0].content)['value']} rows, or 777.")

    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")
    uid = (await terminal.widgets.add_file(tmp_path / "t.csv")).uuid
    asked = terminal.turns(script)
    turn = await terminal.new(asked)
    offer = turns.offer_for(terminal.widgets, [uid])
    items = [item async for item in asked.run([], turn, found, offer)]
    assert turn.answer() == "Let me look. There are 2 rows, or 777."
    warning = [i.message for i in items if isinstance(i, Status)]
    assert warning == ["Not found in any result: 777"]
    messages = [i for i in turn.items if isinstance(i, Message)]
    flags = [i for i in items if isinstance(i, Chunk) and (i.start or i.end)]
    assert (len(messages), [f.start for f in flags]) == (2, [True, False, True, False])


async def test_a_number_in_the_name_of_the_table_is_no_number_made_up(
    terminal: Terminal, tmp_path: Path
) -> None:
    async def script(asked: list[Turn]) -> AsyncGenerator[Item, None]:
        results = [i for i in asked[-1].items if isinstance(i, CallResult)]
        if not results:
            yield call(
                "execute_agent_tool",
                server_id="deskpilot",
                tool_name="count",
                parameters={"source": uid},
            )
        else:
            yield said("Sales of 2023: 2 rows, and 2024 would be another file.")

    (tmp_path / "sales_2023.csv").write_text("a,b\n1,2\n3,4\n")
    uid = (await terminal.widgets.add_file(tmp_path / "sales_2023.csv")).uuid
    asked = terminal.turns(script)
    offer = turns.offer_for(terminal.widgets, [uid])
    items = [item async for item in asked.run([], await terminal.new(asked), found, offer)]
    assert [i.message for i in items if isinstance(i, Status)] == ["Not found in any result: 2024"]


async def test_the_first_and_last_day_of_the_table_are_no_numbers_made_up(
    terminal: Terminal, tmp_path: Path
) -> None:
    """“The data covers 2021-02-17 to 2026-11-15. Which period do you mean?” was marked."""

    async def script(asked: list[Turn]) -> AsyncGenerator[Item, None]:
        results = [i for i in asked[-1].items if isinstance(i, CallResult)]
        if not results:
            yield call(
                "execute_agent_tool",
                server_id="deskpilot",
                tool_name="count",
                parameters={"source": uid},
            )
        else:
            yield said("It covers 2021-02-17 to 2026-11-15, not 1999-01-02.")

    (tmp_path / "t.csv").write_text("day,b\n2021-02-17,2\n2024-03-04,4\n2026-11-15,1\n")
    uid = (await terminal.widgets.add_file(tmp_path / "t.csv")).uuid
    asked = terminal.turns(script)
    offer = turns.offer_for(terminal.widgets, [uid])
    items = [item async for item in asked.run([], await terminal.new(asked), found, offer)]
    (warning,) = [i.message for i in items if isinstance(i, Status)]
    assert warning.startswith("Not found in any result: 1999")
    assert not {"2021", "2026", "17", "15"} & set(warning.replace(",", "").split())


async def test_a_question_in_a_long_conversation_reads_no_more_than_goes_along(
    terminal: Terminal,
) -> None:
    asked: list[int] = []

    async def script(branch: list[Turn]) -> AsyncGenerator[Item, None]:
        asked.append(len(branch))
        yield said("x")

    port = terminal.turns(script, history_turns=40)
    first = await terminal.new(port)
    last = None
    for number in range(200):
        made = replace(first, id=str(number), parent=last, state="done", items=[])
        await terminal.store.add_turn(made)
        last = made.id
    before = await terminal.store.turns(first.conversation_id)
    turn = port.new_turn(first.conversation_id, "q", last)
    items = [item async for item in port.run(before, turn, found, RequestOffer())]
    assert (asked, ended(items).state) == ([41], "done")
    assert 40 <= sum(turn.is_read for turn in before) <= 40 + PAGE
