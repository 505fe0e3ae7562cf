"""Copilots over HTTP: discovery, and answers as the terminal's own events."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import httpx

from app.adapters.copilots.client import WireEvent, query
from app.adapters.copilots.discovery import (
    PUBLISHED_SECONDS,
    check_host,
    discover,
    is_web_address,
    picture,
)
from app.adapters.copilots.feedback import Trace, rate
from app.adapters.copilots.lmc import ask_lmc
from app.adapters.copilots.requests import write_request
from app.adapters.copilots.shapes import translate
from app.domain.conversation import Caps
from app.domain.errors import NotACopilot, Refused, Unreachable
from app.domain.events import Call, Rateable, Status
from app.tools.web.client import authorities
from backends.trace import NOW, noted

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from app.domain.conversation import Turn
    from app.domain.copilot import Copilot, Dialect, Offer
    from app.domain.events import Item

    Learned = Callable[[str, Dialect], Awaitable[None]]

DIFFERS = {
    "widgets",
    "context",
    "content",
    "data",
    "items",
}  # between the generations, or what holds it


class HttpCopilots:
    """Finds copilots and asks them; remembers which generation a copilot turned out to speak.

    learned: told of it, to be remembered for longer than this process.
    """

    def __init__(self, caps: Caps = Caps()) -> None:  # noqa: B008 - frozen
        self._caps = caps
        self._client = httpx.AsyncClient(verify=authorities(), trust_env=False)
        self._spoken: dict[str, Dialect] = {}
        self.learned: Learned | None = None

    async def discover(
        self, address: str, allowed_hosts: frozenset[str], headers: dict[str, str] | None = None
    ) -> list[Copilot]:
        """Return the copilots an address publishes.

        Raises: CopilotError and its kinds.
        """
        return await discover(self._client, address, allowed_hosts=allowed_hosts, headers=headers)

    async def picture(self, copilot: Copilot) -> bytes:
        """Return a copilot's picture; empty if it has none that may be shown."""
        return await picture(self._client, copilot)

    async def reach(self, url: str, allowed_hosts: frozenset[str], headers: dict[str, str]) -> None:
        """Check that somebody answers at an address, whatever they answer.

        Raises: ConsentNeeded, NotACopilot, Unreachable.
        """
        if not is_web_address(url):
            raise NotACopilot(f"{url} is no web address.", "Write it like http://127.0.0.1:8000.")
        check_host(url, allowed_hosts)
        try:
            async with self._client.stream("GET", url, headers=headers, timeout=PUBLISHED_SECONDS):
                return
        except httpx.HTTPError as error:
            raise Unreachable(
                f"{url} cannot be reached.", "Check the address, and that the server runs."
            ) from error

    async def ask(
        self, copilot: Copilot, turns: list[Turn], offer: Offer
    ) -> AsyncGenerator[Item, None]:
        """Yield what a copilot answers: content chunks of its message, and events.

        A 422 that names a field in which the generations differ is asked once more in the other
        one.
        Raises: CopilotError and its kinds.
        """
        if copilot.dialect == "lmc":
            if offer.widgets and not turns[-1].items:
                yield Status(
                    "WARNING",
                    f"{copilot.name} cannot be shown attached tables; it gets the words only.",
                )
            skills = [str(skill["contentMarkdown"]) for skill in offer.selected]
            async with aclosing(ask_lmc(self._client, copilot, turns, self._caps, skills)) as items:
                async for item in items:
                    yield item
            return
        spoken = replace(copilot, dialect=self._spoken.get(copilot.query_url, copilot.dialect))
        try:
            async with aclosing(self._items(spoken, turns, offer)) as items:
                async for item in items:
                    yield item
        except Refused as error:
            if error.status != 422 or not DIFFERS.intersection(error.fields):
                raise
            other = replace(spoken, dialect="2024" if spoken.dialect == "today" else "today")
            async with aclosing(self._items(other, turns, offer)) as items:
                async for item in items:
                    await self._learn(other)
                    yield item

    async def rate(self, copilot: Copilot, told: dict[str, Any]) -> None:
        """Tell a copilot what one thinks of an answer.

        Raises: Unreachable, Refused.
        """
        await rate(self._client, copilot, told)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def _items(
        self, copilot: Copilot, turns: list[Turn], offer: Offer
    ) -> AsyncGenerator[Item, None]:
        body = write_request(copilot, turns, offer, self._caps.history_characters)
        last = turns[-1]
        trace, called = Trace(last.id if copilot.is_ours else last.conversation_id), False
        NOW.set(trace.id)
        asked = query(self._client, copilot, body, self._caps, trace)
        with noted("app", "ask", dialect=copilot.dialect):
            async with aclosing(asked) as found:
                async for event in found:
                    if copilot.dialect == "2024" and is_of_today(event):
                        await self._learn(replace(copilot, dialect="today"))
                    item = translate(event)
                    called = called or isinstance(item, Call)
                    if item is not None:
                        yield item
        if copilot.takes_feedback and not called:
            yield Rateable(copilot.feedback_url, trace.id)

    async def _learn(self, copilot: Copilot) -> None:
        if self._spoken.get(copilot.query_url) != copilot.dialect:
            self._spoken[copilot.query_url] = copilot.dialect
            if self.learned is not None:
                await self.learned(copilot.query_url, copilot.dialect)


def is_of_today(event: WireEvent) -> bool:
    """Tell whether a call names its data in the way that came with priorities of widgets."""
    arguments = event.data.get("input_arguments")
    return isinstance(arguments, dict) and "data_sources" in arguments
