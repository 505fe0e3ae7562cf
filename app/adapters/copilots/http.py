"""Copilots over HTTP: their discovery, and their answers as the terminal's own events."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import httpx

from app.adapters.copilots.client import (
    AnswerEvents,
    PostedQuestion,
    Trace,
    WireEvent,
    check_answer,
    posted,
    rate,
)
from app.adapters.copilots.discovery import (
    PUBLISHED_SECONDS,
    check_host,
    discover,
    is_web_address,
    picture,
)
from app.adapters.copilots.lmc import ask_lmc
from app.adapters.copilots.requests import write_request
from app.adapters.copilots.wire_events import translate
from app.domain.conversation import Caps
from app.domain.errors import CopilotRefusal, NotACopilot, Unreachable
from app.domain.events import CopilotCall, Rateable
from app.tools.web import checked_client
from backends.trace import NOW, noted

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from app.domain.conversation import Turn
    from app.domain.copilot import Copilot, Dialect, RequestOffer
    from app.domain.events import Item

    Learned = Callable[[str, Dialect], Awaitable[None]]

# fields that differ between protocol versions, or that contain such fields
DIFFERS = {"widgets", "context", "content", "data", "items"}


@dataclass(frozen=True)
class _AcceptedQuestion:
    """A question that a copilot accepted, with the protocol version that the copilot understood."""

    sent: PostedQuestion
    copilot: Copilot
    trace: Trace


class HttpCopilots:
    """Finds and queries copilots, and remembers which protocol version each one uses.

    learned: a function that is called with this version and saves it for later processes.
    """

    def __init__(self, caps: Caps = Caps()) -> None:  # noqa: B008 - frozen
        self._caps = caps
        self._client = checked_client()
        self._spoken: dict[str, Dialect] = {}
        self.learned: Learned | None = None

    async def discover(
        self, address: str, allowed_hosts: frozenset[str], headers: dict[str, str] | None = None
    ) -> list[Copilot]:
        """Return the copilots that an address publishes.

        Raises: CopilotError and its subclasses.
        """
        return await discover(self._client, address, allowed_hosts=allowed_hosts, headers=headers)

    async def picture(self, copilot: Copilot) -> bytes:
        """Return a copilot's picture, or empty bytes if it has none that may be shown."""
        return await picture(self._client, copilot)

    async def reach(self, url: str, allowed_hosts: frozenset[str], headers: dict[str, str]) -> None:
        """Check that a server responds at an address. The content of the response does not matter.

        Raises: ConsentNeeded, NotACopilot, Unreachable.
        """
        if not is_web_address(url):
            raise NotACopilot(
                f"{url} is not a web address.", "Write it like http://127.0.0.1:8000."
            )
        check_host(url, allowed_hosts)
        try:
            async with self._client.stream("GET", url, headers=headers, timeout=PUBLISHED_SECONDS):
                return
        except httpx.HTTPError as error:
            raise Unreachable(
                f"{url} cannot be reached.", "Check the address, and that the server runs."
            ) from error

    def ask(
        self, copilot: Copilot, turns: list[Turn], offer: RequestOffer
    ) -> AsyncGenerator[Item, None]:
        """Yield a copilot's answer: the content chunks of its message, and its events.

        Raises: CopilotError and its subclasses.
        """
        if copilot.dialect == "lmc":
            return ask_lmc(self._client, copilot, turns, self._caps, offer)
        return self._ask(copilot, turns, offer)

    async def _ask(
        self, copilot: Copilot, turns: list[Turn], offer: RequestOffer
    ) -> AsyncGenerator[Item, None]:
        called = False
        async with self._posted(copilot, turns, offer) as question:
            sent, trace = question.sent, question.trace
            reader = AnswerEvents(sent, self._caps.stream_bytes)
            async for piece in sent.answer.aiter_bytes():
                for event in reader.feed(piece):
                    if question.copilot.dialect == "2024" and is_of_today(event):
                        await self._learn(replace(question.copilot, dialect="today"))
                    if (item := translate(event)) is not None:
                        called = called or isinstance(item, CopilotCall)
                        yield item
            for event in reader.finish():
                if (item := translate(event)) is not None:
                    called = called or isinstance(item, CopilotCall)
                    yield item
        if copilot.takes_feedback and not called:
            yield Rateable(copilot.feedback_url, trace.id)

    async def rate(self, copilot: Copilot, told: dict[str, Any]) -> None:
        """Send a copilot the rating of an answer.

        Raises: Unreachable, CopilotRefusal.
        """
        await rate(self._client, copilot, told)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    @asynccontextmanager
    async def _posted(
        self, copilot: Copilot, turns: list[Turn], offer: RequestOffer
    ) -> AsyncGenerator[_AcceptedQuestion]:
        """Send a question; leaving the block closes the connection.

        If the answer is a 422 that names a field in which the protocol versions differ, the
        question is sent again in the format of the other version. Raises: CopilotError and its
        subclasses.
        """
        spoken = replace(copilot, dialect=self._spoken.get(copilot.query_url, copilot.dialect))
        async with AsyncExitStack() as stack:
            try:
                question = await stack.enter_async_context(self._post(spoken, turns, offer))
            except CopilotRefusal as error:
                if error.status != 422 or not DIFFERS.intersection(error.fields):
                    raise
                other = replace(spoken, dialect="2024" if spoken.dialect == "today" else "today")
                question = await stack.enter_async_context(self._post(other, turns, offer))
                await self._learn(other)
            yield question

    @asynccontextmanager
    async def _post(
        self, copilot: Copilot, turns: list[Turn], offer: RequestOffer
    ) -> AsyncGenerator[_AcceptedQuestion]:
        body = write_request(copilot, turns, offer, self._caps.history_characters)
        last = turns[-1]
        trace = Trace(last.id if copilot.is_ours else last.conversation_id)
        NOW.set(trace.id)
        post = posted(self._client, copilot, body, self._caps, "text/event-stream", trace.headers())
        with noted("app", "ask", dialect=copilot.dialect):
            async with post as sent:
                await check_answer(sent.answer, copilot)
                trace.hear(sent.answer)
                yield _AcceptedQuestion(sent, copilot, trace)

    async def _learn(self, copilot: Copilot) -> None:
        if self._spoken.get(copilot.query_url) != copilot.dialect:
            self._spoken[copilot.query_url] = copilot.dialect
            if self.learned is not None:
                await self.learned(copilot.query_url, copilot.dialect)


def is_of_today(event: WireEvent) -> bool:
    """Return whether a call refers to its data in the format that was introduced together with
    widget priorities.
    """
    arguments = event.data.get("input_arguments")
    return isinstance(arguments, dict) and "data_sources" in arguments
