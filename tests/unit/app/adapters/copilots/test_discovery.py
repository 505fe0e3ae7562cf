"""Finding copilots, and writing to them in their generation's words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from app.adapters.copilots.discovery import check_host, discover, rebase
from app.adapters.copilots.requests import write_request
from app.domain.conversation import Turn
from app.domain.copilot import Copilot, OfferedWidget, RequestOffer
from app.domain.errors import ConsentNeeded, NotACopilot, Unreachable
from app.domain.events import CallResult, CopilotCall
from app.domain.stream import Message

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

OLD = {
    "old": {
        "name": "Old",
        "hasStreaming": True,
        "hasFunctionCalling": True,
        "endpoints": {"query": "http://localhost:7777/v1/query"},
    }
}
NEW = {
    k: {"name": k, "endpoints": {"query": "v1/query"}, "features": {"mcp-tools": True}}
    for k in ("a_b", "c")
}


def client(**published: Any) -> httpx.AsyncClient:
    def answer(request: httpx.Request) -> httpx.Response:
        found = published.get(request.url.path.strip("/").split("/")[-1].removesuffix(".json"))
        return httpx.Response(200, json=found) if found else httpx.Response(404)

    return httpx.AsyncClient(transport=httpx.MockTransport(answer))


async def test_todays_file_is_read_before_the_one_of_2024() -> None:
    async with client(agents=NEW, copilots=OLD) as web:
        found = await discover(web, "http://127.0.0.1:8000/base")
    assert [(c.id, c.dialect, c.query_url) for c in found] == [
        ("a_b", "today", "http://127.0.0.1:8000/base/v1/query"),
        ("c", "today", "http://127.0.0.1:8000/base/v1/query"),
    ]


async def test_a_port_published_wrong_is_put_right_and_told() -> None:
    async with client(copilots=OLD) as web:
        (found,) = await discover(web, "127.0.0.1:8123")
    assert (found.query_url, found.dialect) == ("http://127.0.0.1:8123/v1/query", "2024")
    assert "7777" in found.note


async def test_one_of_several_is_named_behind_a_hash() -> None:
    async with client(agents=NEW) as web:
        assert [c.id for c in await discover(web, "http://localhost:1#c")] == ["c"]
        with pytest.raises(NotACopilot, match="'x'"):
            await discover(web, "http://localhost:1#x")


async def test_nothing_there_is_told() -> None:
    async with client() as web:
        with pytest.raises(NotACopilot):
            await discover(web, "http://localhost:1")
    async with httpx.AsyncClient() as web:
        with pytest.raises(Unreachable):
            await discover(web, "http://127.0.0.1:9")


async def test_an_endpoint_on_another_host_needs_consent() -> None:
    moved = {
        "x": {"name": "x", "endpoints": {"query": "https://elsewhere.example/q"}, "features": {}}
    }
    async with client(agents=moved) as web:
        with pytest.raises(ConsentNeeded) as caught:
            await discover(web, "http://localhost:1")
        assert caught.value.host == "elsewhere.example"
        assert await discover(
            web, "http://localhost:1", allowed_hosts=frozenset({"elsewhere.example"})
        )


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1.evil.example/",
        "http://localhost.evil.example/",
        "http://10.0.0.1/",
        "http://[::2]/",
    ],
)
def test_what_only_looks_like_this_machine_is_not(url: str) -> None:
    with pytest.raises(ConsentNeeded):
        check_host(url, frozenset())


def test_an_address_elsewhere_is_not_rebased() -> None:
    assert rebase("http://localhost:1", "https://other.example:2/q") == (
        "https://other.example:2/q",
        "",
    )


def turn() -> Turn:
    wire = '{"function":"get_widget_data","input_arguments":{"widget_uuid":"u"},"smuggled":1,"extra_state":{"k":1}}'
    items = [
        Message("assistant", "message", "Looking."),
        CopilotCall("get_widget_data", {"widget_uuid": "u"}, wire),
        CallResult("get_widget_data", "rows", False, 0.1),
        Message("assistant", "message", "Done."),
    ]
    return Turn(
        "t", "c", None, '{"function": "x", "input_arguments": {}}', "done", 0.0, list(items)
    )


def copilot(dialect: Any, **features: Any) -> Copilot:
    return Copilot("i", "n", "http://localhost/q", dialect, features=features)


OFFER = RequestOffer(
    widgets=[
        OfferedWidget(
            "9f8e7d6c-5b4a-4c2e-9d0f-9e8d7c6b5a4b",
            "n",
            "d",
            metadata={"profile": {}, "rows": 1},
        )
    ],
    tools=[{"name": "look_up", "url": "deskpilot:data"}],
)


def test_calls_are_sent_back_verbatim_and_results_in_every_shape() -> None:
    messages = write_request(copilot("today", **{"mcp-tools": True}), [turn()], OFFER)["messages"]
    assert [m["role"] for m in messages] == ["human", "ai", "ai", "tool", "ai"]
    with pytest.raises(ValueError):  # JSON in a question must not be taken for a call
        json.loads(messages[0]["content"])
    assert json.loads(messages[2]["content"])["smuggled"] == 1
    tool = messages[3]
    assert (
        tool["content"]
        == tool["data"][0]["content"]
        == tool["data"][0]["items"][0]["content"]
        == "rows"
    )
    assert tool["extra_state"] == {"k": 1}


def test_no_field_is_null_in_either_generation() -> None:
    def has_null(value: Any) -> bool:
        if isinstance(value, dict):
            return any(has_null(v) for v in value.values())
        return any(has_null(v) for v in value) if isinstance(value, list) else value is None

    for dialect in ("2024", "today"):
        assert not has_null(
            write_request(copilot(dialect, hasFunctionCalling=True), [turn()], OFFER)
        )


def test_a_copilot_without_calls_is_sent_none() -> None:
    body = write_request(copilot("2024", hasFunctionCalling=False), [turn()], OFFER)
    assert [m["role"] for m in body["messages"]] == ["human", "ai"]
    assert (body["widgets"], body["context"]) == ([], [])  # there, for those that read them unasked


def test_2024_gets_a_list_of_widgets_without_our_profile() -> None:
    body = write_request(copilot("2024", hasFunctionCalling=True), [turn()], OFFER)
    assert body["widgets"][0]["metadata"] == {"rows": 1}
    assert set(body) == {"messages", "widgets", "context"}


def test_today_validates_with_the_sdk() -> None:
    from openbb_ai.models import QueryRequest

    QueryRequest.model_validate(
        write_request(copilot("today", **{"mcp-tools": True}), [turn()], OFFER)
    )


@pytest.mark.parametrize(
    "address",
    [
        "http://[::1",
        "http://127.0.0.1:99999",
        "http://127.0.0.1:80 x",
        "ftp://127.0.0.1",
        "http://",
        "file:///etc",
    ],
)
async def test_an_address_that_is_none_is_refused_in_a_sentence(address: str) -> None:
    async with client(agents=NEW) as web:
        with pytest.raises(NotACopilot, match="not a web address"):
            await discover(web, address)


@pytest.mark.parametrize("query", ["http://[::1", "http://127.0.0.1:99999/q", "ftp://127.0.0.1/q"])
async def test_a_published_address_that_is_none_leaves_the_others(query: str) -> None:
    async with client(agents={"bad": {"endpoints": {"query": query}}} | NEW) as web:
        assert [c.id for c in await discover(web, "http://localhost:1")] == ["a_b", "c"]


async def test_a_list_of_copilots_without_end_is_not_read_to_its_end() -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 1
            yield b" " * 1_000_000

    web = httpx.AsyncClient(
        transport=httpx.MockTransport(lambda _: httpx.Response(200, content=endless()))
    )
    async with web:
        with pytest.raises(NotACopilot, match="too large"):
            await discover(web, "http://localhost:1")
    assert sent < 10


async def test_the_address_of_the_file_itself_will_do() -> None:
    async with client(agents=NEW) as web:
        assert len(await discover(web, "http://localhost:1/agents.json")) == 2


@pytest.mark.parametrize(
    ("widgets", "dialect"),
    [
        ({"type": "array", "items": {}}, "2024"),
        ({"anyOf": [{"type": "array"}, {"type": "null"}]}, "2024"),
        ({"$ref": "#/components/schemas/WidgetCollection"}, "today"),
        ({"anyOf": [{"$ref": "#/components/schemas/WidgetCollection"}, {"type": "null"}]}, "today"),
    ],
)
async def test_a_copilots_own_schema_settles_its_generation(widgets: Any, dialect: str) -> None:
    schema = {
        "components": {"schemas": {"AgentQueryRequest": {"properties": {"widgets": widgets}}}}
    }
    async with client(copilots=OLD, openapi=schema) as web:
        (found,) = await discover(web, "127.0.0.1:7777")
    assert found.dialect == dialect


async def test_a_port_of_localhost_is_put_right_on_another_machine_too() -> None:
    async with client(copilots=OLD) as web:
        (found,) = await discover(
            web, "http://peer.example:8000", allowed_hosts=frozenset({"peer.example"})
        )
    assert found.query_url == "http://peer.example:8000/v1/query"


async def test_headers_go_to_the_server_they_were_given_for_and_no_other() -> None:
    moved = {
        "x": {"endpoints": {"query": "https://elsewhere.example/q"}},
        "y": {"endpoints": {"query": "/q"}},
    }
    hosts = frozenset({"elsewhere.example"})
    async with client(agents=moved) as web:
        other, same = await discover(
            web, "http://localhost:1", allowed_hosts=hosts, headers={"X-Key": "s"}
        )
    assert (other.headers, "not sent" in other.note) == ({}, True)
    assert same.headers == {"X-Key": "s"}


@pytest.mark.parametrize(
    ("status", "told"), [(302, "which is not followed"), (401, "requires authentication")]
)
async def test_why_nothing_was_found_is_told(status: int, told: str) -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(status, headers={"location": "http://169.254.169.254/"})

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as web:
        with pytest.raises(NotACopilot, match=told):
            await discover(web, "http://localhost:1")
