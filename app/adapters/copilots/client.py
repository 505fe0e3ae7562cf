"""Ask a copilot: send one POST request and yield the answer's events as they arrive."""

from __future__ import annotations

import json
import re
import uuid
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx

from app.adapters.copilots.discovery import PUBLISHED_SECONDS
from app.adapters.copilots.sse import EventReader, OversizedEvent, ServerEvent
from app.domain.errors import (
    BrokenOff,
    CapReached,
    CopilotRefusal,
    CopilotStalled,
    NotACopilot,
    Unreachable,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

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
)  # keys that hold the text of an answer sent in one piece
PLACE = re.compile(
    r'"loc"\s*:\s*\[([^\]]*)\]'
)  # limit for a 422 response; the input that it repeats may be long and is cut
FIELD = re.compile(r'"(\w+)"')


@dataclass(frozen=True)
class WireEvent:
    """One event of a copilot. raw: the event's data as received."""

    name: str
    data: dict[str, Any]
    raw: str


@dataclass
class PostedQuestion:
    """A question that was sent. answer: the answer's events. begun: whether at least one of them
    was understood.
    """

    answer: httpx.Response
    begun: bool = False


@asynccontextmanager
async def posted(
    client: httpx.AsyncClient,
    copilot: Copilot,
    body: dict[str, Any],
    caps: Caps,
    accept: str,
    beside: dict[str, str] | None = None,
) -> AsyncGenerator[PostedQuestion]:
    """Send a question; leaving the block closes the connection. beside: additional headers; the
    copilot's own headers take precedence.

    Raises: Unreachable, CopilotStalled, BrokenOff, in place of the connection's own errors.
    """
    # Compressed data could expand without limit, so compression is not accepted.
    headers = {"Accept": accept, "Accept-Encoding": "identity", **(beside or {}), **copilot.headers}
    timeout = httpx.Timeout(caps.idle_seconds, connect=caps.connect_seconds)
    sent: PostedQuestion | None = None
    try:
        # Following a redirect would send the body, and the data in it, to another address.
        async with client.stream(
            "POST",
            copilot.query_url,
            json=body,
            headers=headers,
            timeout=timeout,
            follow_redirects=False,
        ) as answer:
            sent = PostedQuestion(answer)
            yield sent
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        raise Unreachable(
            f"{copilot.name} does not respond.", "Check that it runs, then send the question again."
        ) from error
    except httpx.TimeoutException as error:
        raise CopilotStalled(
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
            "stopped in the middle of its answer"
            if begun
            else "closed the connection without an answer"
        )
        raise BrokenOff(f"{copilot.name} {text}.", "Send the question again.") from error


class BodySize:
    """Counts the bytes of a body, up to `limit`."""

    def __init__(self, limit: int) -> None:
        self._limit, self._size = limit, 0

    def add(self, piece: bytes) -> None:
        """Count the bytes in a piece of the body.

        Raises: CapReached.
        """
        self._size += len(piece)
        if self._size > self._limit:
            raise CapReached(
                "The answer grew without end, so the connection was closed.",
                "Use another copilot.",
                cap="stream_bytes",
            )


class AnswerEvents:
    """Turns the body of an answer, which may be split at any point, into events. An answer that is
    not a stream is read in one piece.

    limit: the maximum size of the body, in bytes.
    """

    def __init__(self, sent: PostedQuestion, limit: int) -> None:
        self._sent, self._size = sent, BodySize(limit)
        self._events = EventReader() if is_stream(sent.answer) else None
        self._body = bytearray()

    def feed(self, piece: bytes) -> list[WireEvent]:
        """Add the next bytes, and return the events that they complete.

        Raises: CapReached, OversizedEvent.
        """
        self._size.add(piece)
        if self._events is None:
            self._body += piece
            return []
        found = self._events.feed(piece)
        self._sent.begun = self._sent.begun or bool(found)
        return [made for event in found if (made := read(event)) is not None]

    def finish(self) -> list[WireEvent]:
        """Return the events of an answer sent in one piece.

        Raises: BrokenOff if a stream ended inside an event.
        """
        if self._events is None:
            return whole(self._body.decode("utf-8", "replace"))
        if self._events.unfinished():
            raise BrokenOff(
                "The answer ended in the middle of an event.", "Send the question again."
            )
        return []


async def check_answer(answer: httpx.Response, copilot: Copilot) -> None:
    """Check that a response is a stream of events or the complete answer of a copilot that does not
    stream.

    Raises: CopilotRefusal, NotACopilot.
    """
    await refuse_unless_ok(answer, copilot)
    kind = answer.headers.get("content-type", "").partition(";")[0]
    if not is_stream(answer) and (copilot.streaming or kind not in WHOLE):
        raise NotACopilot(
            f"{copilot.name} answered with {kind or 'data of an unknown type'}, not with a "
            "stream of events.",
            "Check the address.",
        )


async def refuse_unless_ok(answer: httpx.Response, copilot: Copilot) -> None:
    """Check that a response is an answer rather than an error.

    Raises: CopilotRefusal, NotACopilot.
    """
    name = copilot.name
    if answer.is_redirect:
        to = answer.headers.get("location", "nowhere")[:200]
        raise CopilotRefusal(
            f"{name} forwards questions to {to}; the question was not sent there.",
            "If you trust that address, add it as a copilot.",
            status=answer.status_code,
        )
    if answer.status_code != 200:
        detail = await read_some(answer)
        raise refusal(
            name,
            answer.status_code,
            detail=detail[:300],
            fields=frozenset(FIELD.findall(" ".join(PLACE.findall(detail)))),
        )
    if answer.headers.get("content-encoding", "identity") != "identity":
        raise NotACopilot(
            f"{name} sent a compressed answer that was not requested.", "Ask its maker."
        )


def refusal(name: str, status: int, *, detail: str, fields: frozenset[str]) -> CopilotRefusal:
    """Return the error for a failed answer, which says what the failure means and what to do."""
    if status in (401, 403):
        return CopilotRefusal(
            f"{name} refused access (error {status}).",
            "Add it again with the header or key it requires.",
            status=status,
            detail=detail,
            fields=fields,
        )
    return CopilotRefusal(
        f"{name} returned error {status}.",
        (
            "Try again later."
            if status == 429
            else "Ask its maker, or choose another copilot."
            if status < 500
            else "Send the question again."
        ),
        status=status,
        detail=detail,
        fields=fields,
    )


def is_stream(answer: httpx.Response) -> bool:
    """Return whether a response is a stream of events."""
    return "text/event-stream" in answer.headers.get("content-type", "")


async def read_some(answer: httpx.Response) -> str:
    """Return the beginning of a body."""
    body = b""
    async for piece in answer.aiter_bytes():
        body += piece
        if len(body) > 64_000:
            break
    return body.decode("utf-8", "replace")


def whole(body: str) -> list[WireEvent]:
    """Return the events for an answer sent in one piece: its text or a call."""
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
    """Return a protocol event; None if it does not contain a JSON object.

    An unpaired surrogate becomes `?`, and NaN becomes null: otherwise, they could not be stored or
    forwarded.
    """
    try:
        data = json.loads(event.data, parse_constant=lambda _: None)
        if "\\ud" in event.data.lower():
            data = json.loads(json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):  # excessive nesting is not an event, either
        return None
    return WireEvent(event.name, data, event.data) if isinstance(data, dict) else None


SENT, TOLD = "X-Trace-Id", ("x-server-trace-id", "x-trace-id")
LONGEST = 200  # maximum length of an id; the rest is cut off


class Trace:
    """The id of an answer, which is ours unless the copilot sends its own."""

    def __init__(self, conversation_id: str) -> None:
        try:
            self.id = str(uuid.UUID(conversation_id))
        except ValueError:  # the id of a conversation that is never stored
            self.id = str(uuid.uuid5(uuid.NAMESPACE_URL, conversation_id))

    def headers(self) -> dict[str, str]:
        """Return the headers that identify an answer in a request."""
        return {SENT: self.id}

    def hear(self, answer: httpx.Response) -> None:
        """Read the id that the copilot assigned to its answer."""
        self.id = next(
            (answer.headers[name][:LONGEST] for name in TOLD if answer.headers.get(name)), self.id
        )


async def rate(client: httpx.AsyncClient, copilot: Copilot, told: dict[str, Any]) -> None:
    """Send a rating to an address; redirects are not followed.

    Raises: Unreachable, CopilotRefusal.
    """
    try:
        answer = await client.post(
            copilot.feedback_url,
            json=told,
            headers=copilot.headers,
            timeout=PUBLISHED_SECONDS,
            follow_redirects=False,
        )
    except httpx.HTTPError as error:
        raise Unreachable(
            f"{copilot.name} cannot be updated: it does not respond.",
            "Check that it runs, then rate again.",
        ) from error
    if not answer.is_success:
        raise CopilotRefusal(
            f"{copilot.name} did not accept the rating (error {answer.status_code}).",
            "Ask its maker.",
            status=answer.status_code,
        )
