"""Ask a copilot: one POST, its events as they come."""

from __future__ import annotations

import json
import re
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx

from app.adapters.copilots.sse import EventReader, OversizedEvent, ServerEvent
from app.domain.errors import BrokenOff, Capped, NotACopilot, Refused, Stalled, Unreachable

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.adapters.copilots.feedback import Trace
    from app.domain.conversation import Caps
    from app.domain.copilot import Copilot

WHOLE = ("application/json", "text/plain", "text/markdown")
SAID = (
    "delta",
    "content",
    "message",
    "answer",
    "text",
    "response",
)  # where one-piece answers have their words
PLACE = re.compile(
    r'"loc"\s*:\s*\[([^\]]*)\]'
)  # of a 422; the input it repeats may be long and cut
FIELD = re.compile(r'"(\w+)"')


@dataclass(frozen=True)
class WireEvent:
    """One event of a copilot. raw: the data as it stood on the wire."""

    name: str
    data: dict[str, Any]
    raw: str


@dataclass
class Posted:
    """A question that was sent. answer: what comes; begun: whether anything of it was
    understood.
    """

    answer: httpx.Response
    begun: bool = False


async def query(
    client: httpx.AsyncClient, copilot: Copilot, body: dict[str, Any], caps: Caps, trace: Trace
) -> AsyncGenerator[WireEvent, None]:
    """Yield the events of a copilot's answer; closing the generator closes the connection.

    Raises: Unreachable, Refused, NotACopilot, Stalled, BrokenOff, Capped.
    """
    async with posted(client, copilot, body, caps, "text/event-stream", trace.headers()) as sent:
        await check_answer(sent.answer, copilot)
        trace.hear(sent.answer)
        if not is_stream(sent.answer):
            for event in whole(await read_all(sent.answer, caps.stream_bytes)):
                yield event
            return
        async with aclosing(events(sent.answer, caps.stream_bytes)) as found:
            async for event in found:
                sent.begun = True
                if (made := read(event)) is not None:
                    yield made


@asynccontextmanager
async def posted(
    client: httpx.AsyncClient,
    copilot: Copilot,
    body: dict[str, Any],
    caps: Caps,
    accept: str,
    beside: dict[str, str] | None = None,
) -> AsyncGenerator[Posted]:
    """Send a question; leaving the block closes the connection. beside: other headers, which yield
    to the copilot's.

    Raises: Unreachable, Stalled, BrokenOff, in place of what the connection raises.
    """
    # What is packed may unpack without end, so nothing is to be packed.
    headers = {"Accept": accept, "Accept-Encoding": "identity", **(beside or {}), **copilot.headers}
    timeout = httpx.Timeout(caps.idle_seconds, connect=caps.connect_seconds)
    sent: Posted | None = None
    try:
        # A redirect would carry the body, and the data in it, to another address.
        async with client.stream(
            "POST",
            copilot.query_url,
            json=body,
            headers=headers,
            timeout=timeout,
            follow_redirects=False,
        ) as answer:
            sent = Posted(answer)
            yield sent
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        raise Unreachable(
            f"{copilot.name} does not answer.", "Check that it runs, then send the question again."
        ) from error
    except httpx.TimeoutException as error:
        raise Stalled(
            f"{copilot.name} has been silent for too long.", "Send the question again."
        ) from error
    except OversizedEvent as error:
        raise BrokenOff(
            f"{copilot.name} sent {error}; the connection was closed.",
            "Ask for less, or use another copilot.",
        ) from error
    except httpx.HTTPError as error:
        begun = sent is not None and sent.begun
        text = (
            "broke off in the middle of its answer"
            if begun
            else "closed the connection without an answer"
        )
        raise BrokenOff(f"{copilot.name} {text}.", "Send the question again.") from error


async def events(answer: httpx.Response, limit: int) -> AsyncGenerator[ServerEvent, None]:
    """Yield the events of a response of up to `limit` bytes.

    Raises: BrokenOff, Capped, OversizedEvent.
    """
    reader = EventReader()
    async with aclosing(pieces(answer, limit)) as found:
        async for piece in found:
            for event in reader.feed(piece):
                yield event
    if reader.unfinished():
        raise BrokenOff("The answer ended in the middle of an event.", "Send the question again.")


async def pieces(answer: httpx.Response, limit: int) -> AsyncGenerator[bytes, None]:
    """Yield the body of a response of up to `limit` bytes, cut anywhere.

    Raises: Capped.
    """
    size = 0
    async for piece in answer.aiter_bytes():
        size += len(piece)
        if size > limit:
            raise Capped(
                "The answer grew without end and was closed.",
                "Use another copilot.",
                cap="stream_bytes",
            )
        yield piece


async def check_answer(answer: httpx.Response, copilot: Copilot) -> None:
    """Check that a response is a stream of events, or the whole answer of a copilot that does not
    stream.

    Raises: Refused, NotACopilot.
    """
    await refuse_unless_ok(answer, copilot)
    kind = answer.headers.get("content-type", "").partition(";")[0]
    if not is_stream(answer) and (copilot.streaming or kind not in WHOLE):
        raise NotACopilot(
            f"{copilot.name} answered with {kind or 'something'}, not with a stream of events.",
            "Check the address.",
        )


async def refuse_unless_ok(answer: httpx.Response, copilot: Copilot) -> None:
    """Check that a response is an answer at all.

    Raises: Refused, NotACopilot.
    """
    name = copilot.name
    if answer.is_redirect:
        to = answer.headers.get("location", "nowhere")[:200]
        raise Refused(
            f"{name} sends questions on to {to}; the question was not sent there.",
            "If you trust that address, add it as a copilot.",
            status=answer.status_code,
        )
    if answer.status_code != 200:
        detail = await read_some(answer)
        raise Refused(
            f"{name} answered with error {answer.status_code}.",
            (
                "Ask its maker, or choose another copilot."
                if answer.status_code < 500
                else "Send the question again."
            ),
            status=answer.status_code,
            detail=detail[:300],
            fields=frozenset(FIELD.findall(" ".join(PLACE.findall(detail)))),
        )
    if answer.headers.get("content-encoding", "identity") != "identity":
        raise NotACopilot(
            f"{name} answered packed, though that was not asked for.", "Ask its maker."
        )


def is_stream(answer: httpx.Response) -> bool:
    """Tell whether a response is a stream of events."""
    return "text/event-stream" in answer.headers.get("content-type", "")


async def read_some(answer: httpx.Response) -> str:
    """Return the beginning of a body."""
    body = b""
    async for piece in answer.aiter_bytes():
        body += piece
        if len(body) > 64_000:
            break
    return body.decode("utf-8", "replace")


async def read_all(answer: httpx.Response, limit: int) -> str:
    """Return a body.

    Raises: Capped.
    """
    async with aclosing(pieces(answer, limit)) as found:
        return b"".join([piece async for piece in found]).decode("utf-8", "replace")


def whole(body: str) -> list[WireEvent]:
    """Return the events an answer in one piece stands for: its words, or a call."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = body
    if isinstance(value, dict) and "function" in value:
        return [WireEvent("copilotFunctionCall", value, body)]
    if isinstance(value, dict):
        value = next((value[key] for key in SAID if isinstance(value.get(key), str)), "")
    text = value if isinstance(value, str) else body
    return [WireEvent("copilotMessageChunk", {"delta": text}, body)] if text else []


def read(event: ServerEvent) -> WireEvent | None:
    """Return an event of the protocol; None for one that carries no JSON object.

    Half a surrogate pair becomes `?` and NaN null: neither can be kept or sent on.
    """
    try:
        data = json.loads(event.data, parse_constant=lambda _: None)
        if "\\ud" in event.data.lower():
            data = json.loads(json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):  # nested without end is no event either
        return None
    return WireEvent(event.name, data, event.data) if isinstance(data, dict) else None
