"""Copilots that mean harm or are broken beyond reason: none is done, and each is reported in one
clear state.
"""

from __future__ import annotations

import gzip
import json
import tracemalloc
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from app.domain.errors import NotACopilot
from app.domain.events import CallResult, CopilotCall, Status
from app.services.functions import FUNCTIONS
from tests.contract.scripted_peer import PEER, STREAM, Peer, Terminal, call, event, results, said
from tests.contract.test_copilot_stream import Pieces

MB = 1 << 20


def artifact(kind: str, content: Any, chart: Any = None) -> bytes:
    made = {"type": kind, "name": "x", "uuid": "u", "description": "", "content": content}
    return event("copilotMessageArtifact", made | ({"chart_params": chart} if chart else {}))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "to",
    ["http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/", "/v2", "file:///etc/passwd"],
)
async def test_a_redirect_is_told_and_not_followed(here: Terminal, status: int, to: str) -> None:
    peer = Peer(lambda _: httpx.Response(status, headers={"location": to}))
    _, ended = await here.ask(peer)
    assert (ended.state, len(peer.requests)) == ("failed", 1)
    assert to in ended.text


async def test_a_chunk_of_100_mb_is_cut_off_long_before(here: Terminal) -> None:
    class Huge(httpx.AsyncByteStream):
        sent = 0

        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield said("Hello. ") + b'event: copilotMessageChunk\r\ndata: {"delta": "'
            for _ in range(100):
                Huge.sent += 1
                yield b"x" * MB
            yield b'"}\r\n\r\n'

    tracemalloc.start()
    turn, ended = await here.ask(Peer(lambda _: httpx.Response(200, headers=STREAM, stream=Huge())))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (turn.answer(), ended.state) == ("Hello. ", "interrupted")
    assert "more than" in ended.text
    assert Huge.sent <= 17
    assert peak < 120 * MB


async def test_100_mb_in_one_read_are_no_more_welcome(here: Terminal) -> None:
    _, ended = await here.ask(
        Peer(lambda _: event("copilotMessageChunk", {"delta": "x" * 100 * MB}))
    )
    assert ended.state == "interrupted"


async def test_ten_thousand_calls_are_neither_run_nor_kept(here: Terminal) -> None:
    peer = Peer(
        lambda _: [
            call("get_widget_data", data_sources=[{"widget_uuid": str(n)}]) for n in range(10_000)
        ]
    )
    turn, ended = await here.ask(peer)
    assert (ended.state, ended.cap) == ("interrupted", "steps")
    assert (len(peer.asked), len([i for i in turn.items if isinstance(i, CopilotCall)])) == (1, 0)


async def test_three_hundred_calls_in_one_stream_are_run_as_far_as_a_turn_may_go(
    here: Terminal,
) -> None:
    peer = Peer(lambda _: b"".join(call("x", n=n) for n in range(300)))
    turn, ended = await here.ask(peer)
    assert (ended.state, ended.cap) == ("interrupted", "calls")
    assert len([i for i in turn.items if isinstance(i, CopilotCall)]) <= 8


async def test_an_answer_that_was_packed_to_unpack_without_end_is_refused(here: Terminal) -> None:
    packed = gzip.compress(said("x" * 50 * MB))
    answer = httpx.Response(
        200, headers=STREAM | {"content-encoding": "gzip"}, stream=Pieces([packed])
    )
    turn, ended = await here.ask(Peer(lambda _: answer))
    assert (turn.answer(), ended.state) == ("", "failed")
    assert "compressed" in ended.text


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (said("Hi <script>alert(1)</script> ![x](http://127.0.0.1:9/x.png)"), "1 script, 1 external address"),
        (said("[go](javascript:alert(1))"), "1 script"),
        (artifact("html", "<script>x()</script><iframe src='http://x'></iframe>"), "1 script, 1 frame"),
        (artifact("text", "<img src=http://127.0.0.1:9/x.png>"), "1 external address"),
        (artifact("chart", [], {"data": [], "layout": {"title": "</script><script>x()</script>"}}), "1 script"),
    ],
)  # fmt: skip
async def test_what_would_run_or_fetch_something_is_reported(
    here: Terminal, sent: bytes, told: str
) -> None:
    turn, ended = await here.ask(Peer(lambda _: [sent, said("Done.")]))
    warnings = [i.message for i in turn.items if isinstance(i, Status) and i.level == "WARNING"]
    assert ended.state == "done"
    assert warnings == [f"Not run or loaded: {told} in the answer."]


async def test_a_call_for_a_widget_that_was_not_offered_is_refused_and_seen(here: Terminal) -> None:
    uid = "123e4567-e89b-12d3-a456-426614174000"
    ask = call("get_widget_data", data_sources=[{"widget_uuid": uid, "origin": "x", "id": "y"}])
    peer = Peer(lambda asked: said("ok") if results(asked) else ask)
    turn, ended = await here.ask(peer)
    (result,) = [i for i in turn.items if isinstance(i, CallResult)]
    assert (ended.state, result.failed) == ("done", True)  # the step is shown as one that failed
    assert "was not offered" in result.content


async def test_steps_and_words_without_end_are_ended(here: Terminal) -> None:
    steps = [event("copilotStatusUpdate", {"message": str(n)}) for n in range(3000)]
    assert (await here.ask(Peer(lambda _: steps)))[1].cap == "steps"
    words = Peer(lambda _: [said("word " * 1000) for _ in range(200)])
    turn, ended = await here.ask(words)
    assert ended.cap == "characters"
    assert len(turn.answer()) > 300_000


@pytest.mark.parametrize(
    "data",
    [
        '{"function": null, "input_arguments": null}',
        '{"function": ["x"], "input_arguments": "x"}',
        '{"function": "get_widget_data", "input_arguments": {"data_sources": {"a": 1}}}',
        '{"function": "get_widget_data", "input_arguments": {"widget_uuids": [null, {}, 7]}}',
        (
            '{"function": "execute_agent_tool", "input_arguments": {"server_id": 7, "parameters":'
            " [1]}}"
        ),
        (
            '{"function": "execute_agent_tool", "input_arguments": {"server_id": "deskpilot",'
            ' "tool_name": "sum", "parameters": {"source": "/etc/passwd"}}}'
        ),
        '{"input_arguments": {}}',
    ],
)
async def test_calls_of_any_shape_are_answered(here: Terminal, data: str) -> None:
    body = f"event: copilotFunctionCall\r\ndata: {data}\r\n\r\n".encode()
    peer = Peer(lambda asked: said("ok") if results(asked) else body)
    turn, ended = await here.ask(peer)
    assert (ended.state, turn.answer()) == ("done", "ok")
    assert (
        "error" in results(peer.asked[1])[0]["content"]
        or "not" in results(peer.asked[1])[0]["content"]
    )


@pytest.mark.parametrize(
    "function",
    [
        *sorted(FUNCTIONS), "get_params_options", "add_widget_to_dashboard", "update_widget_in_dashboard",
        "add_generative_widget", "manage_navigation_bar", "assign_tasks_to_agents", "get_skill_content", "save_skill",
        "execute_client_sql", "prepare_client_sql_tables", "read_widget", "delete_widget", "os.system", "__class__",
    ],
)  # fmt: skip
async def test_every_function_is_answered_with_an_honest_word_when_it_names_nothing(
    here: Terminal, function: str
) -> None:
    peer = Peer(lambda asked: said("ok") if results(asked) else call(function))
    _, ended = await here.ask(peer)
    assert ended.state == "done"
    (result,) = results(peer.asked[1])
    assert len(result["content"]) > 10
    assert len(result["data"]) == 1


async def test_what_a_copilot_publishes_may_be_nonsense() -> None:
    from app.adapters.copilots.discovery import discover

    for published in (
        [],
        {"x": []},
        {"x": {"endpoints": []}},
        {"x": {"endpoints": {"query": 7}}},
        7,
        None,
        "x",
    ):
        answer = Peer(lambda _, told=published: httpx.Response(200, text=json.dumps(told)))  # type: ignore[misc]
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer.handle)) as web:
            with pytest.raises(NotACopilot):
                await discover(web, "http://127.0.0.1:9")


async def test_headers_of_one_copilot_are_not_sent_to_another(here: Terminal) -> None:
    from dataclasses import replace

    peer: Any = Peer(lambda _: said("ok"))
    await here.ask(peer, copilot=replace(PEER, headers={"Authorization": "Bearer s3cret"}))
    await here.ask(peer, copilot=replace(PEER, query_url="http://127.0.0.1:10/q"))
    assert ["authorization" in r.headers for r in peer.requests] == [True, False]
