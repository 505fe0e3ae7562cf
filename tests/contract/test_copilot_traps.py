"""The numbered traps of the protocol, one by one, over the whole terminal: what a peer sends, what
comes of it.
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

from app.adapters.copilots.discovery import discover
from app.adapters.copilots.requests import widget, write_request
from app.domain.conversation import Caps, Turn
from app.domain.copilot import Copilot, OfferedWidget, RequestOffer
from app.domain.errors import ConsentNeeded
from app.domain.events import CallResult, CopilotCall, Status
from app.domain.stream import Message
from app.openbb.content import Reply, read_content
from app.openbb.parameters import read_params
from app.openbb.widgets import read_spec
from app.services.conversation.offer import param_of, params_of
from app.ui.chat.turn import TurnEntry
from app.ui.theme.tokens import LIGHT
from tests.contract.scripted_peer import (
    PEER,
    STREAM,
    Peer,
    Terminal,
    call,
    event,
    results,
    said,
    without,
)
from tests.contract.test_copilot_requests import Request2024

OLD = replace(without(PEER, hasFunctionCalling=True), dialect="2024")
UID = "9f8e7d6c-5b4a-4c2e-9d0f-9e8d7c6b5a4b"
SILENT = without(PEER)  # takes no calls


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "prices.csv"
    path.write_text("day,close\n2024-10-14,231.3\n2024-10-15,233.85\n")
    return path


def asks_for(uid: str) -> bytes:
    return call(
        "get_widget_data",
        data_sources=[{"widget_uuid": uid, "origin": "x", "id": "?", "input_args": {}}],
    )


# Stream parsing


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
async def test_1_lines_end_in_any_way_and_may_be_cut_in_the_middle_of_it(
    here: Terminal, end: str
) -> None:
    body = b"".join(event("copilotMessageChunk", {"delta": d}, end) for d in ("Hel", "lo"))
    turn, ended = await here.ask(Peer(lambda _: [body[i : i + 1] for i in range(len(body))]))
    assert (turn.answer(), ended.state) == ("Hello", "done")


async def test_2_separators_of_unicode_end_no_line_and_letters_may_be_cut(here: Terminal) -> None:
    words = "a\u2028b\u2029c\x85d\x0be é✓日本"
    body = said(words)
    turn, _ = await here.ask(
        Peer(lambda _: [body[:i] + b"" for i in (0,)] + [body[i : i + 1] for i in range(len(body))])
    )
    assert turn.answer() == words


async def test_3_comments_unknown_fields_and_events_several_data_lines_and_none_of_them_with_a_space(
    here: Terminal,
) -> None:
    body = (
        b": ping - 2026\r\n\r\nid: 7\r\nretry: 1\r\nwhat\r\nevent:copilotMessageChunk\r\n"
        b'data:{"delta":\r\ndata:"data: x"}\r\n\r\nevent: copilotNews\r\ndata: {"a": 1}\r\n\r\n'
    )
    turn, ended = await here.ask(Peer(lambda _: body))
    assert (turn.answer(), ended.state) == ("data: x", "done")


@pytest.mark.parametrize(
    "tail",
    [b"event: copilotMessageChunk", b'event: copilotMessageChunk\r\ndata: {"delta": "!"}\r\n'],
)
async def test_4_an_event_without_its_blank_line_is_dropped_and_the_turn_interrupted_and_not_asked_again(
    here: Terminal, tail: bytes
) -> None:
    peer = Peer(lambda _: said("Half an ans") + tail)
    turn, ended = await here.ask(peer)
    assert (turn.answer(), ended.state, len(peer.asked)) == ("Half an ans", "interrupted", 1)
    assert ended.remedy == "Send the question again."


async def test_4_a_connection_that_breaks_keeps_the_words(here: Terminal) -> None:
    class Broken(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield said("Half")
            raise httpx.RemoteProtocolError(
                "peer closed connection without sending complete message body"
            )

    turn, ended = await here.ask(
        Peer(lambda _: httpx.Response(200, headers=STREAM, stream=Broken()))
    )
    assert (turn.answer(), ended.state) == ("Half", "interrupted")


def test_5_silence_of_a_minute_is_no_end_and_connecting_is_quick() -> None:
    caps = Caps()
    assert caps.idle_seconds >= 120
    assert caps.connect_seconds <= 10


@pytest.mark.parametrize(
    ("response", "told"),
    [
        (httpx.Response(200, json={"answer": 42}), "application/json, not with a stream"),
        (httpx.Response(200, html="<!doctype html>Sign in"), "text/html, not with a stream"),
        (httpx.Response(500, text="Internal Server Error"), "error 500"),
        (httpx.Response(422, json={"detail": [{"loc": ["body", "messages"]}]}), "error 422"),
        (httpx.Response(405, text="no"), "error 405"),
        (httpx.Response(401, json={"detail": "no"}), "refused access (error 401)"),
    ],
)
async def test_6_what_is_no_stream_is_one_sentence(
    here: Terminal, response: httpx.Response, told: str
) -> None:
    peer = Peer(lambda _: response)
    _, ended = await here.ask(peer)
    assert (ended.state, len(peer.asked)) == ("failed", 1)
    assert told in ended.text


@pytest.mark.parametrize("body", ['"Hello."', '{"content": "Hello."}', "Hello."])
async def test_6_a_copilot_that_says_it_does_not_stream_may_answer_in_one_piece(
    here: Terminal, body: str
) -> None:
    whole = without(PEER, hasStreaming=False)
    kind = "text/plain" if body == "Hello." else "application/json"
    peer = Peer(lambda _: httpx.Response(200, text=body, headers={"content-type": kind}))
    turn, ended = await here.ask(peer, copilot=whole)
    assert (turn.answer(), ended.state) == ("Hello.", "done")


# History


def pair(function: str = "get_widget_data", content: str = "rows", **smuggled: Any) -> list[Any]:
    arguments: dict[str, Any] = {"widget_uuid": "u"}
    wire = json.dumps({"function": function, "input_arguments": arguments, **smuggled})
    return [CopilotCall(function, arguments, wire), CallResult(function, content, False, 0.1)]


def turn_of(*items: Any, question: str = "q", state: Any = "done") -> Turn:
    return Turn("t", "c", None, question, state, 0.0, list(items))


@pytest.mark.parametrize("copilot", [OLD, PEER], ids=["2024", "today"])
def test_7_results_have_their_text_where_each_generation_looks_for_it_and_nothing_is_null(
    copilot: Copilot,
) -> None:
    body = write_request(
        copilot, [turn_of(*pair(copilot_function_call_arguments={"k": 1}))], RequestOffer()
    )
    assert "null" not in json.dumps(body)
    _, called, result = body["messages"]
    assert json.loads(called["content"])["copilot_function_call_arguments"] == {"k": 1}  # verbatim
    assert (
        result["content"]
        == result["data"][0]["content"]
        == result["data"][0]["items"][0]["content"]
        == "rows"
    )
    (
        QueryRequest.model_validate(body)
        if copilot.dialect == "today"
        else Request2024.model_validate(body)
    )


async def test_8_a_copilot_that_takes_no_calls_is_sent_none_when_it_is_chosen_in_mid_conversation(
    here: Terminal, table: Path
) -> None:
    uid = await here.open(table)
    first = Peer(lambda body: said("There are two.") if results(body) else asks_for(uid))
    await here.ask(first, attach=(uid,))
    second = Peer(lambda _: said("As was said."))
    await here.ask(second, copilot=replace(SILENT, dialect="2024"), attach=(uid,))
    assert [(m["role"], m["content"]) for m in second.asked[0]["messages"]] == [
        ("human", "q"), ("ai", "There are two."), ("human", "q"),
    ]  # fmt: skip
    assert set(second.asked[0]) == {"messages", "context", "widgets"}
    assert second.asked[0]["widgets"] == []  # what is attached goes along in full instead
    third = Peer(lambda _: said("Once more."))
    await here.ask(third, copilot=OLD, attach=(uid,))
    assert [m["role"] for m in third.asked[0]["messages"]] == [
        "human",
        "ai",
        "tool",
        "ai",
        "human",
        "ai",
        "human",
    ]
    assert isinstance(third.asked[0]["widgets"], list)
    Request2024.model_validate(third.asked[0])


async def test_9_a_question_that_is_json_is_no_call(here: Terminal) -> None:
    question = '{"function": "get_widget_data", "input_arguments": {}}'
    peer = Peer(lambda _: said("ok"))
    await here.ask(peer, question)
    (message,) = QueryRequest.model_validate(peer.asked[0]).messages
    assert isinstance(message.content, str)  # type: ignore[union-attr]


async def test_10_what_cannot_be_had_is_told_as_text(here: Terminal, table: Path) -> None:
    uid = await here.open(table)
    peer = Peer(lambda body: said("ok") if results(body) else asks_for("nobody"))
    await here.ask(peer, attach=(uid,))
    (result,) = results(peer.asked[1])
    assert "error_type" not in json.dumps(result)
    assert "was not offered" in result["data"][0]["items"][0]["content"]


async def test_10_what_a_command_came_to_is_told_as_of_commands(here: Terminal) -> None:
    peer = Peer(lambda body: said("ok") if results(body) else call("delete_widget", name="x"))
    await here.ask(peer)
    entry = results(peer.asked[1])[0]["data"][0]
    assert (entry["status"], "has no function 'delete_widget'" in entry["message"]) == (
        "error",
        True,
    )
    QueryRequest.model_validate(peer.asked[1])


async def test_11_one_call_a_turn_is_usual_and_calls_without_end_are_not(
    here: Terminal, table: Path
) -> None:
    uid = await here.open(table)

    def once(body: dict[str, Any]) -> bytes:
        return said("ok") if body["messages"][-1]["role"] == "tool" else asks_for(uid)

    for _ in range(3):
        _, ended = await here.ask(Peer(once), attach=(uid,))
        assert ended.state == "done"
    same, other = (
        Peer(lambda _: asks_for(uid)),
        Peer(lambda body: call("x", n=len(body["messages"]))),
    )
    assert (await here.ask(same, attach=(uid,)))[1].cap == "repeats"
    assert (await here.ask(other))[1].cap == "calls"
    assert (len(same.asked), len(other.asked)) == (3, 9)


async def test_12_several_calls_in_one_stream_are_run_in_order_and_answered_at_once(
    here: Terminal, table: Path
) -> None:
    uid = await here.open(table)
    calls = asks_for(uid) + call("first") + said("More to come.") + call("second")
    peer = Peer(lambda body: said("ok") if results(body) else calls)
    turn, ended = await here.ask(peer, attach=(uid,))
    assert (ended.state, len(peer.asked)) == ("done", 2)
    assert [m["function"] for m in results(peer.asked[1])] == ["get_widget_data", "first", "second"]
    assert turn.answer() == "More to come.ok"


@pytest.mark.parametrize("named", [{"widget_uuid": "stale"}, {"widget_uuid": None}, {}])
async def test_13_a_stale_uuid_gives_way_to_the_id_whatever_the_origin(
    here: Terminal, table: Path, named: Any
) -> None:
    uid = await here.open(table)
    source = {"origin": "elsewhere", "id": uid, "input_args": {}, **named}
    peer = Peer(
        lambda body: said("ok") if results(body) else call("get_widget_data", data_sources=[source])
    )
    await here.ask(peer, attach=(uid,))
    assert "233.85" in results(peer.asked[1])[0]["content"]


async def test_14_only_what_was_offered_is_served(
    here: Terminal, table: Path, macro_csv: Path
) -> None:
    shown, hidden = await here.open(table), await here.open(macro_csv)
    peer = Peer(lambda body: said("ok") if results(body) else asks_for(hidden))
    await here.ask(peer, attach=(shown,))
    content = results(peer.asked[1])[0]["content"]
    assert "was not offered" in content
    assert "1959" not in content


def test_15_what_todays_models_refuse_of_a_widget_is_put_right() -> None:
    spec = read_spec(
        "a/b",
        {
            "name": "n",
            "endpoint": "e",
            "source": ["x", "y"],
            "params": [
                {"paramName": "city", "type": "text", "label": "City", "value": None},
                {"paramName": "kind", "type": "slider", "description": ""},
                {"paramName": "edit", "type": "form"},
                {"paramName": "city", "type": "date"},
            ],
        },
    )
    assert spec is not None
    offered = OfferedWidget(
        UID, "n", "d", "b", "a/b", params_of(spec, {}), spec.source, spec.category
    )
    copilot = without(PEER, **{"widget-dashboard-select": True})
    body = write_request(copilot, [turn_of()], RequestOffer(widgets=[offered]))
    made = QueryRequest.model_validate(body).widgets
    assert made
    assert [(p.name, p.type, p.description) for p in made.primary[0].params] == [
        ("city", "text", "City"),
        ("kind", "text", "kind"),
    ]
    assert made.primary[0].source == "x, y"
    assert "category" not in widget(offered)


# Data size


async def test_16_a_large_table_is_cut_and_says_so(here: Terminal, macro_csv: Path) -> None:
    uid = await here.open(macro_csv)
    peer = Peer(lambda body: said("ok") if results(body) else asks_for(uid))
    await here.ask(peer, attach=(uid,))
    content = results(peer.asked[1])[0]["content"]
    assert "183 are left out" in content
    assert len(content) < 30_000


def test_16_behind_an_error_the_last_call_is_left_out_so_that_the_next_turn_can_be_read() -> None:
    failed = turn_of(
        *pair("a"), *pair("b", "too much"), Status("ERROR", "context too long"), state="failed"
    )
    messages = write_request(PEER, [failed, turn_of(question="next")], RequestOffer())["messages"]
    assert [m["role"] for m in messages] == ["human", "ai", "tool", "human"]
    assert messages[2]["function"] == "a"


# Rendering and safety


def test_17_nothing_a_copilot_says_becomes_markup_or_is_fetched(qapp: Any) -> None:
    hostile = (
        "<script>alert(1)</script> ![x](http://127.0.0.1:9/track.png) [go](javascript:alert(1)) "
        '<artifact name="x">1</artifact> <citation id="1"/> <img src="http://127.0.0.1:9/x">'
    )
    entry = TurnEntry(turn_of(Message("assistant", "message", hostile)), set(), LIGHT)
    entry.rebuild()
    piece = entry.pieces[1]
    piece.lay_out(600, LIGHT)
    assert piece.document
    text = piece.document.toPlainText()
    assert "<script>" in text
    assert '<artifact name="x">' in text
    hrefs = {link.href for link in piece.document.links()}
    assert not any(href.startswith(("javascript", "file")) for href in hrefs)
    assert not [
        f for f in piece.document.allFormats() if f.isImageFormat()
    ]  # nothing to be fetched


async def test_18_another_host_is_asked_about_and_a_redirect_is_not_followed(
    here: Terminal,
) -> None:
    card = {"x": {"endpoints": {"query": "https://elsewhere.example/q"}}}
    peer = Peer(lambda _: httpx.Response(200, json=card))
    async with httpx.AsyncClient(transport=httpx.MockTransport(peer.handle)) as web:
        with pytest.raises(ConsentNeeded):
            await discover(web, "http://127.0.0.1:9")
    sent = Peer(
        lambda _: httpx.Response(307, headers={"location": "http://169.254.169.254/latest/"})
    )
    _, ended = await here.ask(sent, copilot=replace(PEER, headers={"X-Key": "s3cret"}))
    assert (
        "forwards questions to http://169.254.169.254/latest/; the question was not sent there"
        in ended.text
    )
    assert [str(r.url) for r in sent.requests] == [PEER.query_url]


async def test_19_keys_and_tokens_never_travel_in_a_request(here: Terminal, table: Path) -> None:
    uid = await here.open(table)
    peer = Peer(lambda _: said("ok"))
    copilot = replace(without(PEER, **{"mcp-tools": True}), headers={"X-Key": "s3cret"})
    await here.ask(peer, attach=(uid,), copilot=copilot)
    body = json.dumps(peer.asked[0])
    assert peer.asked[0]["tools"]
    assert not [word for word in ("auth_token", "api_keys", "s3cret") if word in body]
    assert peer.requests[0].headers["x-key"] == "s3cret"


def test_20_ids_of_features_are_kept_as_they_are_and_options_are_an_object_without_what_is_off() -> (
    None
):
    told = {
        "glm-5.1": {"label": "GLM"},
        "a_b": {"label": "b", "default": True},
        "note": {"type": "text", "label": "n"},
    }
    copilot = without(PEER, **told)
    assert [f.key for f in copilot.own_features()] == ["glm-5.1", "a_b", "note"]
    assert write_request(copilot, [turn_of()], RequestOffer())["workspace_options"] == {"a_b": True}
    chosen = replace(copilot, options={"glm-5.1": True, "a_b": False, "note": "x"})
    body = write_request(chosen, [turn_of()], RequestOffer())
    assert QueryRequest.model_validate(body).workspace_options == {"glm-5.1": True, "note": "x"}


def test_21_ids_with_slashes_are_ids() -> None:
    offered = OfferedWidget(UID, "n", "d", "b", "a/b c")
    body = write_request(PEER, [turn_of()], RequestOffer(widgets=[offered]))
    made = QueryRequest.model_validate(body).widgets
    assert made
    assert made.primary[0].widget_id == "a/b c"


def test_21_a_file_reference_is_an_address_and_a_source_of_none_is_no_source() -> None:
    told = {"name": "Report", "type": "pdf", "endpoint": "r", "source": "None"}
    spec = read_spec("reports/annual", told)
    assert spec
    assert spec.source == ""
    form = {"data_type": "pdf", "filename": "r.pdf"}
    for key in ("file_reference", "url"):
        reply = Reply(
            "", "application/json", json.dumps({"data_format": form, key: "http://x/r"}).encode()
        )
        content = read_content(spec, reply)
        (file,) = content.value
        assert (content.type, file["filename"], file["url"]) == ("pdf", "r.pdf", "http://x/r")


def test_21_parameters_in_lists_within_the_list_are_lines_and_are_all_told() -> None:
    one, two, three = ({"paramName": n, "type": "text", "value": n} for n in "abc")
    made = read_params([one, [two, three], "nonsense"])
    assert [(p.name, p.row) for p in made] == [("a", 0), ("b", 1), ("c", 1)]
    params = tuple(told for one in made if (told := param_of(one)) is not None)
    offered = OfferedWidget(UID, "n", "d", "b", "w", params)
    body = write_request(PEER, [turn_of()], RequestOffer(widgets=[offered]))
    read = QueryRequest.model_validate(body).widgets
    assert read
    assert [p.name for p in read.primary[0].params] == ["a", "b", "c"]


def test_every_trap_of_the_reference_has_its_test() -> None:
    here = Path(__file__).read_text("utf-8")
    assert [n for n in range(1, 22) if f"def test_{n}_" not in here] == []
