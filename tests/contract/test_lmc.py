"""Servers of Open Interpreter's kind as copilots: chunks cut anywhere, code refused before it could
run.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse

from app.adapters.copilots.http import HttpCopilots
from app.adapters.copilots.lmc import ask_lmc, lmc_messages
from app.adapters.copilots.requests import write_messages
from app.bootstrap import build
from app.domain.conversation import Caps, Turn
from app.domain.copilot import Copilot, OfferedWidget, RequestOffer
from app.domain.errors import BrokenOff, CopilotError
from app.domain.events import CallResult, CopilotCall, Status
from app.domain.stream import Chunk, Message
from app.services.conversation.turns import offer_for
from tests.contract.test_copilot_stream import Pieces
from tests.end2end.strangers import serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from app.domain.events import Item
    from app.services.consents import Consents

SERVER = Copilot("lmc", "OI", "http://localhost/", "lmc")
CODE = "print('é\u2028')"
ASKS = [
    {"role": "assistant", "type": "message", "start": True},
    {"role": "assistant", "type": "message", "content": "Let me "},
    {"role": "assistant", "type": "message", "content": "look. é✓\u2028"},
    {"role": "assistant", "type": "message", "end": True},
    {"role": "assistant", "type": "code", "format": "python", "start": True},
    {"role": "assistant", "type": "code", "format": "python", "content": CODE},
    {"role": "assistant", "type": "code", "format": "python", "end": True},
    {"role": "computer", "type": "confirmation", "format": "execution",
     "content": {"type": "code", "format": "python", "content": CODE}},
    {"role": "computer", "type": "console", "format": "output", "content": "IT RAN"},
]  # fmt: skip
RAN = [
    {"role": "computer", "type": "console", "start": True},
    {"role": "computer", "type": "console", "format": "active_line", "content": 1},
    {"role": "computer", "type": "console", "format": "output", "content": "a\n"},
    {"role": "computer", "type": "console", "format": "active_line", "content": None},
    {"role": "computer", "type": "console", "format": "output", "content": "b\n"},
    {"role": "computer", "type": "console", "end": True},
    {"role": "assistant", "type": "message", "content": "Done."},
    {"role": "server", "type": "status", "content": "complete"},
    {"role": "assistant", "type": "message", "content": "after the end"},
]


def body(chunks: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(c, ensure_ascii=False).encode() + b"\n" for c in chunks)


def turn(*items: Any, question: str = "q") -> Turn:
    return Turn("t", "c", None, question, "running", 0.0, list(items))


async def read(pieces: list[bytes], **caps: Any) -> list[Item]:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, stream=Pieces(pieces)))
    async with httpx.AsyncClient(transport=transport) as client:
        return [
            item async for item in ask_lmc(client, SERVER, [turn()], Caps(**caps), RequestOffer())
        ]


async def test_lines_cut_at_every_byte_are_the_same_chunks() -> None:
    whole = await read([body(ASKS)])
    assert [i.content for i in whole if isinstance(i, Chunk) and i.content] == [
        "Let me ", "look. é✓\u2028", CODE,
    ]  # fmt: skip
    for cut in range(len(body(ASKS)) + 1):
        assert await read([body(ASKS)[:cut], body(ASKS)[cut:]]) == whole


async def test_reading_ends_with_the_wish_to_run_code_which_is_a_call() -> None:
    items = await read([body(ASKS)])
    assert isinstance(items[-1], CopilotCall)
    assert items[-1].arguments == {"language": "python", "code": CODE}


@pytest.mark.parametrize(
    "content", [{"code": "x", "language": "r"}, {"type": "code", "format": "r", "content": "x"}]
)
async def test_both_forms_of_a_confirmation_are_read(content: Any) -> None:
    (call,) = await read([body([{"role": "computer", "type": "confirmation", "content": content}])])
    assert isinstance(call, CopilotCall)
    assert call.arguments == {"language": "r", "code": "x"}


@pytest.mark.parametrize("end", [b"", b"\n"])
async def test_an_answer_that_ends_in_mid_line_broke_off(end: bytes) -> None:
    assert len(await read([body(ASKS[:2]).rstrip(b"\n") + end])) == 2
    with pytest.raises(BrokenOff):
        await read([body(ASKS[:2]) + b'{"role": "assis'])


@pytest.mark.parametrize(
    ("chunk", "shown"),
    [
        ({"role": "assistant", "type": "message", "content": {"a": 1}}, None),
        ({"role": "nobody", "type": "message", "content": "x"}, None),
        ({"role": "assistant", "type": "review", "content": "x"}, None),
        ({"role": "server", "type": "error", "content": "Traceback"}, Status("ERROR", "Traceback")),
        ({"role": "assistant", "type": "message", "content": ""}, None),
        (
            {"role": "assistant", "type": "message", "format": 7, "content": "x"},
            Chunk("assistant", "message", "x"),
        ),
    ],
)
async def test_chunks_of_any_shape_do_no_harm(chunk: Any, shown: Item | None) -> None:
    assert await read([b"[1]\nnonsense\n\n" + body([chunk])]) == ([shown] if shown else [])


async def test_a_line_or_an_answer_without_end_is_cut_off() -> None:
    with pytest.raises(CopilotError):
        await read([b"x" * (1 << 20)] * 110)
    with pytest.raises(CopilotError, match="grew without end"):
        await read([body(ASKS[:2])] * 50, stream_bytes=1000)


class Server:
    """A server that asks to run code, and answers once it was told what came of it."""

    def __init__(self) -> None:
        self.asked: list[list[dict[str, Any]]] = []
        self.ran = False
        self.app = FastAPI()
        self.app.post("/")(self.chat)

    async def chat(self, request: Request) -> StreamingResponse:
        messages = (await request.json())["messages"]
        self.asked.append(messages)

        async def stream() -> AsyncIterator[bytes]:
            if messages[-1]["role"] == "user":
                yield body(ASKS[:-1])
                await asyncio.Event().wait()  # what pulls the next chunk lets the code run
                self.ran = True
            yield body(RAN)

        return StreamingResponse(stream(), media_type="application/x-ndjson")


async def ask(server: Server, say: Callable[[Consents], object] | None) -> tuple[Turn, list[Item]]:
    """Ask a server with code to run; a person answers as `say` does."""
    with serving(server.app) as address:
        async with build(None) as deskpilot:
            consents = deskpilot.dashboard.consents
            if say is not None:
                loop = asyncio.get_running_loop()
                consents.subscribe(lambda consent: consent and loop.call_soon(say, consents))
            await deskpilot.copilots.add(f"{address}/", name="oi", dialect="lmc")
            asked = deskpilot.turns.new_turn((await deskpilot.history.begin("q")).id, "q", None)

            async def find() -> Copilot:
                return await deskpilot.copilots.named("oi")

            async with asyncio.timeout(40):
                offer = offer_for(deskpilot.widgets, [])
                return asked, [item async for item in deskpilot.turns.run([], asked, find, offer)]


async def test_code_of_a_server_runs_here_once_a_person_allows_it_and_the_server_goes_on(
    home: Any,
) -> None:
    server = Server()
    asked, items = await ask(server, lambda consents: consents.answer(True))
    first, second = server.asked
    assert first == [{"role": "user", "type": "message", "content": "q"}]
    assert second == [
        *first,
        {"role": "assistant", "type": "message", "content": "Let me look. é✓\u2028"},
        {"role": "assistant", "type": "code", "format": "python", "content": CODE},
        {"role": "computer", "type": "console", "format": "output", "content": "é\u2028\n"},
    ]
    assert not server.ran  # it was cut off when it asked; what ran, ran here
    kept = [(i.type, i.content) for i in asked.items if isinstance(i, Message)]
    assert kept == [
        ("message", "Let me look. é✓\u2028"),
        ("code", CODE),
        ("console", "é\u2028\n"),
        ("console", "a\nb\n"),
        ("message", "Done."),
    ]
    assert asked.state == "done"
    lines = [i.content for i in items if isinstance(i, Chunk) and i.format == "active_line"]
    assert lines == ["1", None, "1", ""]


@pytest.mark.parametrize("say", [None, lambda consents: consents.answer(False)])
async def test_code_that_is_not_allowed_is_not_run_and_the_server_is_told(
    home: Any, say: Any
) -> None:
    server = Server()
    asked, _ = await ask(server, say)
    assert [(m["role"], m["type"]) for m in server.asked[1]] == [
        ("user", "message"), ("assistant", "message"), ("assistant", "code"), ("computer", "console"),
    ]  # fmt: skip
    assert "did not allow" in server.asked[1][-1]["content"]
    assert not server.ran
    assert asked.state == "done"


def test_what_a_server_said_is_words_for_an_openbb_copilot_and_calls_of_one_are_left_out_for_a_server() -> (
    None
):
    wire = '{"function": "get_widget_data", "input_arguments": {}}'
    run = CopilotCall("run_code", {}, json.dumps(ASKS[7]))
    turns = [
        turn(
            Message("assistant", "code", "x", "python"), run, CallResult("run_code", "no", True, 0)
        ),
        turn(
            CopilotCall("get_widget_data", {}, wire),
            CallResult("get_widget_data", "rows", False, 0),
        ),
    ]
    told = write_messages(turns, with_calls=True)
    assert [m["role"] for m in told] == ["human", "ai", "human", "ai", "tool"]
    assert told[1]["content"] == "\n```python\nx\n```\n"
    assert [(m["role"], m["type"]) for m in lmc_messages(turns, 1000, [])] == [
        ("user", "message"), ("assistant", "code"), ("computer", "console"), ("user", "message"),
    ]  # fmt: skip


async def test_attached_tables_that_a_server_cannot_see_are_told(home: Any) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, stream=Pieces([body(RAN)])))
    port = HttpCopilots()
    await port.aclose()
    port._client = httpx.AsyncClient(transport=transport)
    from app.domain.copilot import RequestOffer

    offer = RequestOffer(widgets=[OfferedWidget("u")])
    items = [item async for item in port.ask(SERVER, [turn()], offer)]
    await port.aclose()
    assert items[0] == Status(
        "WARNING", "OI cannot receive attached tables; it gets only the question."
    )
