"""Tasks that a copilot hands to others: only where the person allowed it, and only to those that
were added.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from openbb_ai.models import QueryRequest

from app.domain.copilot import OTHERS, AddedCopilot, Copilot
from app.domain.stream import Message
from app.services.conversation.turns import Turns
from tests.contract.scripted_peer import (
    PEER,
    STREAM,
    Peer,
    Terminal,
    call,
    event,
    results,
    said,
    terminal,
    without,
)

LEADS = replace(
    without(PEER, **{"widget-dashboard-select": True, "agent-orchestration": True}),
    options={OTHERS: True},
)
HELPER = replace(
    without(PEER, **{"widget-dashboard-select": True}),
    id="helper",
    name="Helper",
    query_url="http://127.0.0.1:10/q",
    description="Counts.",
)
ROWS = [{"a": 1}]


class Helpers:
    """The copilots that were added."""

    def __init__(self, *known: Copilot) -> None:
        self.known = [AddedCopilot(c.id, c.query_url.removesuffix("/q"), c) for c in known]

    async def all(self) -> list[AddedCopilot]:
        return self.known

    async def named(self, name: str) -> Copilot:
        return next(a.copilot for a in self.known if a.name == name)


@pytest.fixture
async def here() -> AsyncIterator[Terminal]:
    helpers = Helpers(LEADS, HELPER, Copilot("oi", "OI", "http://127.0.0.1:11/", "lmc"))
    async with terminal() as made:
        made.turns_of = lambda port, caps: Turns(
            made.store, port, made.widgets, made.tasks, caps, helpers=helpers
        )
        yield made


def task(number: str, agent: str = "helper", about: str = "How many rows?") -> dict[str, Any]:
    where = {"assigned_holder_url": "http://127.0.0.1:10", "assigned_agent_id": agent}
    return {"id": number, "description": about, **where}


def two(leads: Any, helps: Any) -> Peer:
    """Both copilots, told apart by what they are asked."""

    def script(body: dict[str, Any]) -> Any:
        return (leads if body["messages"][0]["content"] == "q" else helps)(body)

    return Peer(script)


def hands_on(*tasks: dict[str, Any]) -> Any:
    made = call("assign_tasks_to_agents", task_requests=list(tasks))
    return lambda body: said("Two rows, says Helper.") if results(body) else made


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "prices.csv"
    path.write_text("day,close\n2024-10-14,231.3\n2024-10-15,233.85\n")
    return path


async def test_a_task_is_carried_out_with_the_widgets_of_the_question(
    here: Terminal, table: Path
) -> None:
    uid = await here.open(table)
    asks = call(
        "get_widget_data",
        data_sources=[{"widget_uuid": uid, "origin": "x", "id": uid, "input_args": {}}],
    )
    shown = event("copilotMessageArtifact", {"type": "table", "name": "T", "content": ROWS})

    def helps(body: dict[str, Any]) -> bytes:
        return shown + said("There are 2.") if results(body) else asks

    peer = two(hands_on(task("t1")), helps)
    turn, ended = await here.ask(peer, copilot=LEADS, attach=(uid,))
    assert (ended.state, turn.answer()) == ("done", "Two rows, says Helper.")
    first, errand, told, last = peer.asked
    read = QueryRequest.model_validate(first)
    assert read.workspace_state
    assert [(a.holder_url, a.id, a.name) for a in read.workspace_state.agents or []] == [
        ("http://127.0.0.1:10", "helper", "Helper")  # neither itself nor a server that runs code
    ]
    assert errand["messages"] == [{"role": "human", "content": "How many rows?"}]
    assert errand["widgets"]["primary"][0]["uuid"] == uid
    assert "233.85" in results(told)[0]["content"]
    QueryRequest.model_validate(errand)
    QueryRequest.model_validate(last)
    assert results(last)[0]["data"] == [
        {
            "status": "success",
            "message": "There are 2.",
            "content": "There are 2.",
            "data": {
                "id": "t1",
                "agent": "Helper",
                "artifacts": [{"type": "table", "name": "T", "content": ROWS}],
            },
        }
    ]


async def test_without_the_persons_leave_nobody_is_named_and_nobody_is_asked(
    here: Terminal,
) -> None:
    peer = two(hands_on(task("t1")), lambda _: said("2"))
    await here.ask(peer, copilot=replace(LEADS, options={}))
    assert "workspace_state" not in peer.asked[0]
    assert len(peer.asked) == 2
    (entry,) = results(peer.asked[1])[0]["data"]
    assert entry["status"] == "error"
    assert "The person has not let you ask other copilots." in entry["message"]


async def test_each_task_has_its_entry_in_order_and_one_that_fails_says_why(here: Terminal) -> None:
    def helps(body: dict[str, Any]) -> Any:
        asked = body["messages"][0]["content"]
        return httpx.Response(500) if asked == "break" else said(f"Done: {asked}")

    handed = hands_on(
        task("1", about="one"), task("2", "nobody"), task("3", about="break"), task("4", about="")
    )
    peer = two(handed, helps)
    await here.ask(peer, copilot=LEADS)
    entries = results(peer.asked[-1])[0]["data"]
    assert [e["status"] for e in entries] == ["success", "error", "error", "error"]
    assert entries[0]["message"] == "Done: one"
    assert "There is no copilot 'nobody'." in entries[1]["message"]
    assert "error 500" in entries[2]["message"]


async def test_a_helper_hands_on_nothing_itself_and_calls_without_end_are_cut_off(
    here: Terminal,
) -> None:
    def helps(body: dict[str, Any]) -> bytes:
        return call("assign_tasks_to_agents", task_requests=[task(str(len(body["messages"])))])

    peer = two(hands_on(task("t1")), helps)
    _, ended = await here.ask(peer, copilot=LEADS, calls=3)
    assert ended.state == "done"
    (entry,) = results(peer.asked[-1])[0]["data"]
    assert "more than 3 calls" in entry["message"]
    refused = results(peer.asked[2])[0]["data"][0]
    assert "has not let you" in refused["message"]


async def test_a_helper_sees_no_widget_that_its_asker_was_not_told_of(
    here: Terminal, table: Path, macro_csv: Path
) -> None:
    attached, other = await here.open(table), await here.open(macro_csv)
    asks = call("get_widget_data", widget_uuid=other)
    peer = two(hands_on(task("t1")), lambda body: said("ok") if results(body) else asks)
    await here.ask(peer, copilot=LEADS, attach=(attached,))
    assert "was not offered" in results(peer.asked[2])[0]["content"]


async def test_a_direct_response_is_the_answer(here: Terminal) -> None:
    data = {
        "function": "assign_tasks_to_agents",
        "input_arguments": {"task_requests": [task("t1")]},
        "extra_state": {"expect_direct_response": True},
    }
    peer = two(lambda _: event("copilotFunctionCall", data), lambda _: said("There are 2."))
    turn, ended = await here.ask(peer, copilot=LEADS)
    assert (ended.state, turn.answer(), len(peer.asked)) == ("done", "There are 2.", 2)
    assert [i for i in turn.items if isinstance(i, Message)]
    again = Peer(lambda _: httpx.Response(200, headers=STREAM, content=said("ok")))
    await here.ask(again, "next", copilot=LEADS)
    (result,) = results(again.asked[0])
    assert result["data"] == []
    assert json.loads(again.asked[0]["messages"][1]["content"])["extra_state"] == {
        "expect_direct_response": True
    }
    QueryRequest.model_validate(again.asked[0])
