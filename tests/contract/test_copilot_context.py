"""What goes along in full: attached data for copilots that take no calls, and what answers showed
before.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openbb_ai.models import QueryRequest

from app.domain.conversation import Turn
from app.domain.copilot import Copilot, Dialect, OfferedWidget, RequestOffer
from app.domain.events import Artifact
from app.services.conversation.context import CHARACTERS, shown_before, with_context
from tests.contract.scripted_peer import PEER, Peer, Terminal, event, said
from tests.contract.test_copilot_requests import Request2024

LISTENS = Copilot(
    "l", "Listener", "http://127.0.0.1:9/q", "2024", features={"hasFunctionCalling": False}
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "prices.csv"
    path.write_text("date,close\n2024-10-15,233.85\n2024-10-14,231.3\n")
    return path


@pytest.mark.parametrize("dialect", ["2024", "today"])
async def test_a_copilot_that_cannot_ask_is_given_what_is_attached(
    here: Terminal, table: Path, dialect: Dialect
) -> None:
    uid = await here.open(table)
    peer = Peer(lambda _: said("233.85"))
    _, ended = await here.ask(peer, copilot=replace(LISTENS, dialect=dialect), attach=(uid,))
    assert ended.state == "done"
    (sent,) = peer.asked[0]["context"]
    assert (sent["uuid"], sent["name"]) == (uid, "prices")
    assert json.loads(sent["data"]["content"])[0]["close"] == 233.85
    assert sent["data"]["items"][0]["content"] == sent["data"]["content"]
    assert sent["content"] == sent["data"]["content"]  # where the first copilots read it
    assert "profile" not in sent.get("metadata", {})
    widgets = peer.asked[0]["widgets"]
    assert not (any(widgets.values()) if isinstance(widgets, dict) else widgets)
    (Request2024 if dialect == "2024" else QueryRequest).model_validate(peer.asked[0])
    if dialect == "today":
        request = QueryRequest.model_validate(peer.asked[0])
        assert request.context is not None
        assert request.context[0].data.items[0].content == sent["data"]["content"]


async def test_a_copilot_that_asks_is_not_given_it_twice(here: Terminal, table: Path) -> None:
    uid = await here.open(table)
    peer = Peer(lambda _: said("ok"))
    await here.ask(peer, attach=(uid,))
    assert peer.asked[0]["context"] == []


async def test_a_large_table_is_cut_to_the_question_and_says_so(
    here: Terminal, macro_csv: Path
) -> None:
    uid = await here.open(macro_csv)
    peer = Peer(lambda _: said("ok"))
    await here.ask(peer, "What was unemp in 2009 Q3?", copilot=LISTENS, attach=(uid,))
    text = peer.asked[0]["context"][0]["data"]["content"]
    assert len(text) < 25_000
    assert "left out" in text


@pytest.mark.parametrize("dialect", ["2024", "today"])
async def test_what_an_answer_showed_goes_along_with_the_next_question(
    here: Terminal, dialect: Dialect
) -> None:
    rows = [{"symbol": "AAPL", "close": 233.85}]
    shown = {
        "type": "table",
        "name": "Closes",
        "description": "of today",
        "content": rows,
        "uuid": "no uuid",
    }
    first = Peer(lambda _: event("copilotMessageArtifact", shown) + said("Here."))
    await here.ask(first)
    assert first.asked[0]["context"] == []
    second = Peer(lambda _: said("Yes."))
    await here.ask(second, copilot=replace(PEER, dialect=dialect))
    third = Peer(lambda _: said("Yes."))
    await here.ask(third, copilot=replace(PEER, dialect=dialect))
    (sent,) = second.asked[0]["context"]
    assert third.asked[0]["context"] == [sent]  # the same each time, its uuid too
    assert (sent["name"], sent["description"]) == ("Closes", "of today")
    assert json.loads(sent["data"]["items"][0]["content"]) == rows
    assert sent["data"]["items"][0]["data_format"]["parse_as"] == "table"
    (QueryRequest if dialect == "today" else Request2024).model_validate(second.asked[0])


def test_of_many_and_long_artifacts_the_newest_go_along_cut() -> None:
    many: list[Any] = [
        Artifact("table", f"T{n}", [{"n": i, "text": "x" * 50} for i in range(1000)])
        for n in range(12)
    ]
    turn = Turn("t", "c", None, "q", "done", 0.0, many)
    sent = shown_before([turn])
    assert [one["name"] for one in sent] == [f"T{n}" for n in range(4, 12)]
    told = json.loads(sent[0]["data"]["content"])
    assert len(sent[0]["data"]["content"]) <= CHARACTERS + 100
    assert told["note"] == f"Only the first {len(told['rows'])} of 1000 rows are here."


async def test_our_own_copilot_and_lmc_servers_are_given_none(here: Terminal, table: Path) -> None:
    uid = await here.open(table)
    offer = RequestOffer([OfferedWidget(uid, "prices", "d")])
    turn = Turn("t", "c", None, "q", "running", 0.0, [Artifact("text", "A", "words")])
    for copilot in (replace(LISTENS, is_ours=True), replace(LISTENS, dialect="lmc")):
        assert await with_context(offer, copilot, [turn], here.widgets.sources) is offer


async def test_what_cannot_be_read_is_left_out(here: Terminal) -> None:
    offer = RequestOffer([OfferedWidget("gone", "n", "d")])
    turn = Turn("t", "c", None, "q", "running", 0.0)
    assert (await with_context(offer, LISTENS, [turn], here.widgets.sources)).context == []
