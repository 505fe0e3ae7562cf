"""What one thinks of an answer: who is told, what they are told, and what is kept of it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import httpx
import pytest

from app.adapters.copilots.client import Trace
from app.adapters.copilots.discovery import read_entries
from app.adapters.copilots.http import HttpCopilots
from app.domain.copilot import WRONG, AddedCopilot, Copilot
from app.domain.errors import CopilotRefusal, NotACopilot, Unreachable
from app.domain.events import Ended, Rateable
from app.services.conversation.copilots import Copilots
from app.services.conversation.history import History
from tests.contract.scripted_peer import PEER, STREAM, Peer, Terminal, call, results, said

WANTS = replace(
    PEER,
    features=PEER.features | {"feedback": True},
    feedback_url="http://127.0.0.1:9/v1/feedback",
)


class Book:
    """The copilots that were added, in memory."""

    def __init__(self, *known: AddedCopilot) -> None:
        self.known = list(known)

    async def all(self) -> list[AddedCopilot]:
        return self.known


class Secrets:
    """A keyring that holds one header."""

    async def get(self, name: str) -> dict[str, str]:
        return {"X-Key": "s3cret"} if name == "copilot:peer" else {}


def copilots_of(
    answer: httpx.Response | Exception, sent: list[httpx.Request], book: Book
) -> Copilots:
    """Return the service over a peer that gives one answer."""

    def handle(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        if isinstance(answer, Exception):
            raise answer
        return answer

    port = HttpCopilots()
    port._client = httpx.AsyncClient(transport=httpx.MockTransport(handle))
    return Copilots(port, None, book, Secrets())  # type: ignore[arg-type]


def published(feedback: str, query: str = "/v1/query") -> Copilot:
    entry = {
        "name": "P",
        "endpoints": {"query": query, "feedback": feedback},
        "features": {"feedback": True},
    }
    (made,) = read_entries("http://127.0.0.1:7777", {"p": entry}, "today", {})
    return made


@pytest.mark.parametrize(
    ("feedback", "url"),
    [
        ("/v1/feedback", "http://127.0.0.1:7777/v1/feedback"),
        (
            "http://localhost:9999/v1/feedback",
            "http://127.0.0.1:7777/v1/feedback",
        ),  # rebased, as the query is
        ("http://elsewhere.example/f", ""),  # nobody else is told
        ("javascript:alert(1)", ""),
    ],
)
def test_where_it_is_told_is_where_questions_go_or_nowhere(feedback: str, url: str) -> None:
    assert published(feedback).feedback_url == url
    assert published(feedback).takes_feedback == bool(url)


async def test_an_answer_can_be_rated_only_where_its_copilot_wants_that(here: Terminal) -> None:
    turn, _ = await here.ask(Peer(lambda _: said("Yes.")))
    assert not [i for i in turn.items if isinstance(i, Rateable)]
    turn, _ = await here.ask(Peer(lambda _: said("Yes.")), copilot=WANTS)
    (asked,) = [i for i in turn.items if isinstance(i, Rateable)]
    assert (asked.url, asked.vote) == (WANTS.feedback_url, "")
    assert isinstance(turn.items[-1], Ended)


async def test_the_trace_is_ours_unless_the_copilot_has_one_and_calls_do_not_multiply_it(
    here: Terminal,
) -> None:
    peer = Peer(
        lambda body: said("Done.") if results(body) else call("get_widget_data", widget_uuid="x")
    )
    turn, _ = await here.ask(peer, copilot=WANTS)
    traces = {request.headers["x-trace-id"] for request in peer.requests}
    assert len(peer.requests) == 2
    (asked,) = [i for i in turn.items if isinstance(i, Rateable)]
    assert traces == {asked.trace} == {Trace(turn.conversation_id).id}

    def own(_: Any) -> httpx.Response:
        return httpx.Response(
            200, headers=STREAM | {"X-Server-Trace-ID": "srv-1"}, content=said("Yes.")
        )

    turn, _ = await here.ask(Peer(own), copilot=WANTS)
    assert [i.trace for i in turn.items if isinstance(i, Rateable)] == ["srv-1"]


async def test_it_is_told_the_question_and_the_answer_and_the_vote_is_kept(here: Terminal) -> None:
    turn, _ = await here.ask(Peer(lambda _: said("It is 5.")), "How many?", copilot=WANTS)
    sent: list[httpx.Request] = []
    book = Book(AddedCopilot("peer", "http://127.0.0.1:9", WANTS, secrets=("X-Key",)))
    copilots = copilots_of(httpx.Response(200, json={"status": "ok"}), sent, book)
    rated = await copilots.rate(turn, "thumbs_down", [WRONG], "There are 6.")
    await History(here.store).keep_vote(turn, rated)
    assert sent[0].headers["x-key"] == "s3cret"
    assert json.loads(sent[0].content) == {
        "vote": "thumbs_down",
        "tags": [WRONG],
        "user_comment": "There are 6.",
        "ai_response": "It is 5.",
        "user_prompt": "How many?",
        "trace_id": rated.trace,
    }
    (stored,) = await here.store.turns(turn.conversation_id)
    assert [i.vote for i in stored.items if isinstance(i, Rateable)] == ["thumbs_down"]
    assert isinstance(stored.items[-1], Ended)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (httpx.Response(500), CopilotRefusal),
        (httpx.Response(307, headers={"location": "http://10.0.0.1/"}), CopilotRefusal),
        (httpx.ConnectError("gone"), Unreachable),
    ],
)
async def test_a_rating_that_is_not_taken_is_told_and_follows_no_redirect(
    here: Terminal, answer: Any, error: type[Exception]
) -> None:
    turn, _ = await here.ask(Peer(lambda _: said("It is 5.")), copilot=WANTS)
    sent: list[httpx.Request] = []
    copilots = copilots_of(answer, sent, Book(AddedCopilot("peer", "http://127.0.0.1:9", WANTS)))
    with pytest.raises(error):
        await copilots.rate(turn, "thumbs_up", [])
    assert len(sent) == 1


async def test_a_copilot_that_was_removed_is_told_nothing(here: Terminal) -> None:
    turn, _ = await here.ask(Peer(lambda _: said("It is 5.")), copilot=WANTS)
    with pytest.raises(NotACopilot):
        await copilots_of(httpx.Response(200), [], Book()).rate(turn, "thumbs_up", [])
