"""What a copilot of ours streams, the terminal reads: whatever is said, wherever the bytes are
cut.
"""

from __future__ import annotations

import asyncio
import itertools
from functools import cache
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sse_starlette import ServerSentEvent

from app.adapters.copilots.http import HttpCopilots
from app.domain.conversation import Turn
from app.domain.copilot import Copilot, RequestOffer
from app.domain.errors import BrokenOff
from app.domain.events import Artifact, Citations, CopilotCall, Status, Suggestions
from app.domain.stream import Chunk
from backends.protocol import events as wire

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from app.domain.events import Item

COPILOT = Copilot("i", "Peer", "http://localhost/q", "today")
QUESTION = Turn("t", "c", None, "q", "running", 0.0)
MADE: list[wire.Event] = [
    wire.StatusUpdate("INFO", "mean · 收盘价", [{"interpretation": {"words": ["mean"]}}]),
    wire.MessageChunk("a\u2028b\r\n\x85 é✓ data: x\n\nevent: y"),
    wire.ArtifactEvent("chart", "n", "d", "u", [{"x": 1}], {"chartType": "line", "xKey": "x", "yKey": ["x"]}),
    wire.CitationsEvent([wire.CitationEvent("i", {"uuid": "u", "name": "w"}, [{"row": 1, "column": "c", "value": 9.6}])]),
    wire.SuggestionsEvent(["And in 2010?"]),
    wire.FunctionCall("f", {"a": "é"}, {"k": 1}),
]  # fmt: skip


def streamed(made: list[wire.Event], end: str = "\r\n") -> bytes:
    """Return events as our service puts them on the wire."""
    told = [wire.encode(event, "today") for event in made]
    return b"".join(
        ServerSentEvent(data, event=name, sep=end).encode() for name, data in told if name
    )  # type: ignore[misc]


class Pieces(httpx.AsyncByteStream):
    """A body that comes in pieces."""

    def __init__(self, pieces: list[bytes]) -> None:
        self.pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self.pieces:
            yield piece


@cache
def copilots() -> HttpCopilots:
    """Return what asks; each answer comes through a client of its own."""
    return HttpCopilots()


async def read(pieces: list[bytes]) -> tuple[list[Item], bool]:
    """Return what the terminal makes of a body, and whether it took it for whole."""
    head = {"content-type": "text/event-stream; charset=utf-8"}
    transport = httpx.MockTransport(
        lambda _: httpx.Response(200, headers=head, stream=Pieces(pieces))
    )
    items: list[Item] = []
    async with httpx.AsyncClient(transport=transport) as client:
        try:
            port = copilots()
            port._client = client  # pyright: ignore[reportPrivateUsage]
            async for item in port.ask(COPILOT, [QUESTION], RequestOffer()):
                items.append(item)
        except BrokenOff:
            return items, False
    return items, True


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
async def test_a_stream_cut_in_two_at_every_byte_gives_the_same_items(end: str) -> None:
    body = streamed(MADE, end)
    whole = await read([body])
    assert [type(i) for i in whole[0]] == [
        Status,
        Chunk,
        Artifact,
        Citations,
        Suggestions,
        CopilotCall,
    ]
    for cut in range(len(body) + 1):
        assert await read([body[:cut], body[cut:]]) == whole


async def test_a_stream_that_ends_at_any_byte_gives_a_beginning_and_says_if_it_broke_off() -> None:
    lengths = [len(streamed([event])) for event in MADE]
    whole, _ = await read([streamed(MADE)])
    ends = [0, *itertools.accumulate(lengths)]
    body = streamed(MADE)
    for cut in range(len(body) + 1):
        items, complete = await read([body[:cut]])
        # Behind the CR of the closing CRLF an event is whole already; a blank line may be cut in
        # two.
        count = sum(cut >= end - 1 for end in ends[1:])
        assert items == whole[:count]
        assert complete == (cut in ends or cut + 1 in ends[1:])


DELTAS = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20), max_size=4
)


@given(
    deltas=DELTAS,
    sizes=st.lists(st.integers(1, 40), min_size=1, max_size=30),
    end=st.sampled_from(["\r\n", "\n", "\r"]),
)
@settings(max_examples=60, deadline=None)
def test_whatever_is_said_arrives_in_whatever_pieces(
    deltas: list[str], sizes: list[int], end: str
) -> None:
    body = streamed([wire.MessageChunk(d) for d in deltas], end)
    pieces: list[bytes] = []
    for size in itertools.cycle(sizes):
        if not body:
            break
        pieces.append(body[:size])
        body = body[size:]
    items, complete = asyncio.run(read(pieces))
    assert [i.content for i in items if isinstance(i, Chunk)] == deltas
    assert complete


@pytest.mark.parametrize(
    "data", ["", "null", "[]", "{", '{"delta": 1}', '{"delta": null}', "\x00", "NaN"]
)
async def test_an_event_of_another_shape_is_passed_over(data: Any) -> None:
    body = f"event: copilotMessageChunk\r\ndata: {data}\r\n\r\n".encode() + streamed(
        [wire.MessageChunk("ok")]
    )
    assert await read([body]) == ([Chunk("assistant", "message", "ok")], True)
