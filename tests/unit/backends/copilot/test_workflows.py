"""Requests of several steps: the plan in the copilot, the work in the terminal, mended at most
twice.
"""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest

from app.data.sources import Runs
from backends.copilot import answer
from backends.copilot.workflows import begun
from backends.data.interfaces import INTERFACES
from backends.data.profile import profile
from backends.data.table import Table, table_from_rows
from backends.data.values import Result
from backends.data.workflow.report import TOOL, WorkflowResult
from backends.data.workflow.step import Workflow
from backends.planning import plan
from backends.planning.plan import moved
from backends.protocol.events import ArtifactEvent, Event, FunctionCall, MessageChunk, StatusUpdate
from backends.protocol.parser import parse_request
from tests.unembedded import Silent

pytestmark = pytest.mark.slow

TODAY = dt.date(2024, 6, 28)


def prices(step: int = 1) -> Table:
    """Days of two shares."""
    first = dt.date(2024, 1, 1)
    rows = [
        {
            "day": str(first + dt.timedelta(days=step * i)),
            "share": share,
            "close": start + i * slope,
        }
        for i in range(120)
        for share, start, slope in (("Ostara", 100, 1), ("Brimble", 50, -0.1))
    ]
    return table_from_rows(rows, source="prices", hash_="h1")


def body(question: str, table: Table, *more: dict[str, Any]) -> dict[str, Any]:
    """Return a request about one table."""
    about = profile(table, "share prices").model_dump(mode="json")
    widget = {
        "uuid": "prices",
        "name": "share prices",
        "description": "",
        "origin": "deskpilot",
        "widget_id": "prices",
        "params": [],
        "metadata": {"profile": about},
    }
    tools = [
        {"name": n, "server_id": "deskpilot", "url": "deskpilot:data"} for n in ("query", TOOL)
    ]
    return {
        "messages": [{"role": "human", "content": question}, *more],
        "widgets": {"primary": [widget], "secondary": [], "extra": []},
        "tools": tools,
    }


async def ask(question: str, table: Table, *more: dict[str, Any]) -> list[Event]:
    """Return what the copilot says."""
    query = parse_request(body(question, table, *more))
    return [event async for event in answer(query, Silent(), today=TODAY)]


def exchange(call: FunctionCall, result: WorkflowResult | Result) -> list[dict[str, Any]]:
    """Return the call and its result as messages."""
    said = {
        "function": call.function,
        "input_arguments": call.arguments,
        "extra_state": call.extra_state,
    }
    return [
        {"role": "ai", "content": json.dumps(said)},
        {
            "role": "tool", "function": call.function, "input_arguments": call.arguments, "extra_state": call.extra_state,
            "data": [{"items": [{"content": result.model_dump_json()}]}],
        },
    ]  # fmt: skip


def run(runs: Runs, call: FunctionCall) -> WorkflowResult:
    """Do what a terminal does."""
    asked = call.arguments["parameters"]
    return runs.run(Workflow.model_validate(asked["workflow"]), asked["run"])


def words(events: list[Event]) -> str:
    """Return what was said."""
    return "".join(event.delta for event in events if isinstance(event, MessageChunk))


async def planned(question: str, table: Table) -> list[Event]:
    """Return the beginning of the workflow that a plan makes of a request."""
    about = profile(table, "share prices")
    made = plan(question, [about], now=dt.datetime.combine(TODAY, dt.time(20)))
    assert made is not None
    return begun(moved(made, [about]))


async def conversation(question: str, table: Table) -> tuple[list[Event], list[WorkflowResult]]:
    """Run the workflow of a request, and each call after it, until an answer comes; return it and
    every result.
    """
    runs, more, results = (
        Runs({"prices": table}.__getitem__),
        list[dict[str, Any]](),
        list[WorkflowResult](),
    )
    for _ in range(6):
        events = await (ask(question, table, *more) if more else planned(question, table))
        calls = [event for event in events if isinstance(event, FunctionCall)]
        if not calls:
            return events, results
        results.append(run(runs, calls[0]))
        more += exchange(calls[0], results[-1])
    raise AssertionError("it goes on and on")


async def test_a_half_served_request_is_asked_back_with_what_can_be_done() -> None:
    events = await ask("Forecast the close of Ostara for the next 3 months as a pie", prices())
    assert isinstance(events[0], StatusUpdate)
    assert events[0].details[0]["alternatives"]
    assert "pie" in words(events)
    assert not [event for event in events if isinstance(event, FunctionCall)]


async def test_the_plan_is_shown_before_it_runs() -> None:
    events = await planned("Forecast the close of Ostara for the next 3 months", prices())
    assert isinstance(events[0], StatusUpdate)
    assert events[0].details[0]["steps"]
    assert isinstance(events[-1], FunctionCall)


@pytest.mark.parametrize(
    "question", ["What was the close of Ostara on 2024-02-01?", "How many rows are there?"]
)
async def test_one_operation_on_one_table_is_answered_as_before(question: str) -> None:
    called = [event for event in await ask(question, prices()) if isinstance(event, FunctionCall)]
    assert called[0].arguments["tool_name"] != TOOL


async def test_a_step_that_fails_is_mended_and_the_rest_is_not_computed_again() -> None:
    events, results = await conversation(
        "Forecast the next 3 values of the close of Ostara", prices(step=17)
    )
    assert [len(result.failed) for result in results] == [1, 0]
    assert "not regular" in results[0].failed[0].error
    assert results[0].run == results[1].run
    assert any(isinstance(event, ArtifactEvent) and event.type == "table" for event in events)


async def test_what_cannot_be_mended_is_told() -> None:
    events, results = await conversation(
        "Draw the cumulative return of Ostara from 1990-01-01 to 1990-03-31", prices()
    )
    assert len(results) == 1
    assert "No row meets these conditions" in words(events)


async def test_days_a_table_does_not_reach_to_are_told_before_anything_runs() -> None:
    question = "Draw the cumulative return of Ostara and Brimble over the last two weeks"
    events = await planned(question, prices())
    assert not [event for event in events if isinstance(event, FunctionCall)]
    assert "“share prices” ends on 2024-04-29" in words(events)
    offered = next(e for e in events if isinstance(e, StatusUpdate)).details[0]["alternatives"][0]
    assert offered["arguments"]["workflow"]["steps"][0]["arguments"]["end"] == "2024-04-29"


async def test_a_step_is_mended_twice_at_most() -> None:
    table = prices(step=17)
    runs = Runs({"prices": table}.__getitem__)
    question = "Forecast the next 3 values of the close of Ostara"
    (call,) = [event for event in await planned(question, table) if isinstance(event, FunctionCall)]
    worn = FunctionCall(
        call.function, call.arguments, call.extra_state | {"repairs": {"result2": 2}}
    )
    events = await ask(question, table, *exchange(worn, run(runs, worn)))
    assert not [event for event in events if isinstance(event, FunctionCall)]
    assert "not regular" in words(events)


async def test_results_are_computed_anew_when_a_table_changed() -> None:
    held = {"prices": prices()}
    runs = Runs(held.__getitem__)
    question = "Draw the cumulative returns of Ostara and Brimble from 2024-01-01 to 2024-03-31"
    (call,) = [
        one for one in await planned(question, held["prices"]) if isinstance(one, FunctionCall)
    ]
    first = run(runs, call)
    other = prices(step=2)
    other.hash = "h2"
    held["prices"] = other
    again = runs.run(Workflow.model_validate(call.arguments["parameters"]["workflow"]), first.run)
    assert [s.preview.rows for s in first.steps if s.preview] != [
        s.preview.rows for s in again.steps if s.preview
    ]


async def test_words_left_over_are_asked_back_and_done_without_them_once_that_is_chosen() -> None:
    question = "Plot the cumulative return of Ostara and Zephyrine since March 2024"
    events = await planned(question, prices())
    assert not [e for e in events if isinstance(e, FunctionCall)]
    words = "".join(e.delta for e in events if isinstance(e, MessageChunk))
    assert "zephyrine" in words
    status = next(e for e in events if isinstance(e, StatusUpdate))
    choice = status.details[0]["alternatives"][0]
    query = parse_request(
        body(question, prices()) | {"workspace_options": {"deskpilot-reading": json.dumps(choice)}}
    )
    again = [event async for event in answer(query, Silent(), today=TODAY)]
    call = next(e for e in again if isinstance(e, FunctionCall))
    assert not run(Runs(lambda _: prices()), call).failed


async def test_a_name_that_the_profile_does_not_list_is_looked_for_in_the_table() -> None:
    rows = [
        {"day": f"2024-{1 + i % 6:02}-{1 + i // 600:02}", "sensor": f"Unit {i:03}", "load": i % 97}
        for i in range(3000)
    ]
    table = table_from_rows(rows, source="prices", hash_="h1")
    question = "Forecast the load of Unit 1777 for the next 3 months and plot it"
    events = await ask(question, table)
    call = next(e for e in events if isinstance(e, FunctionCall))
    assert call.arguments["tool_name"] == "find_values"
    found = INTERFACES["find_values"].run(table, call.arguments["parameters"])
    said = {"function": call.function, "input_arguments": call.arguments, "extra_state": {}}
    more = [
        {"role": "ai", "content": json.dumps(said)},
        {"role": "tool", "function": call.function, "input_arguments": call.arguments, "data": [{"items": [{"content": found.model_dump_json()}]}]},
    ]  # fmt: skip
    again = await ask(question, table, *more)
    further = next(e for e in again if isinstance(e, FunctionCall))
    assert "Unit 1777" in json.dumps(further.arguments["parameters"]["query"])
