"""Notifications of an MCP server: changed lists and resources."""

from __future__ import annotations

import asyncio
import contextlib
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from mcp import MCPError
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.types import (
    EmptyResult,
    PromptListChangedNotification,
    ResourceListChangedNotification,
    ResourceUpdatedNotification,
    SubscribeRequest,
    SubscribeRequestParams,
    ToolListChangedNotification,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from mcp import Client
    from mcp.client.session import IncomingMessage
    from mcp.client.subscriptions import Subscription

LISTS = (
    ToolListChangedNotification,
    ResourceListChangedNotification,
    PromptListChangedNotification,
)
# watched resources of one server, and the seconds allowed for starting to watch one
WATCHED, WATCH_SECONDS = 100, 5.0


class News:
    """The parts of a server's data that are out of date. learnt: whether the lists are up to date.

    updated: resources that were read and have changed since. tell: called when something changes.
    """

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell
        self._listening = False
        self.learnt = False
        self.updated: set[str] = set()
        self._watched: set[str] = set()
        self._more, self._heard_out = asyncio.Event(), asyncio.Event()

    async def heard(self, message: IncomingMessage) -> None:
        """Handle a message that the server sent on its own initiative."""
        if isinstance(message, LISTS):
            self._lists_changed()
        elif isinstance(message, ResourceUpdatedNotification):
            self._changed(str(message.params.uri))

    def _lists_changed(self) -> None:
        self.learnt = False
        self._tell()

    def _changed(self, uri: str) -> None:
        if uri in self._watched:
            self.updated.add(uri)
            self._tell()

    def tells(self, client: Client, *, is_program: bool) -> bool:
        """Return whether a server reports changes of its lists.

        A server from before 2026 that is reached over HTTP may have no stream for such reports.
        """
        has = client.server_capabilities
        said = all(
            part is None or part.list_changed for part in (has.tools, has.resources, has.prompts)
        )
        return said and (self._listening or (is_program and not listens(client)))

    async def watch(self, client: Client, uri: str) -> None:
        """Subscribe to changes of a resource, if the server offers that."""
        self.updated.discard(uri)
        has = client.server_capabilities.resources
        if (
            uri in self._watched
            or len(self._watched) >= WATCHED
            or has is None
            or not has.subscribe
        ):
            return
        self._watched.add(uri)
        with contextlib.suppress(
            MCPError, TimeoutError
        ):  # not watched then, but every reading is fresh anyway
            if not listens(client):
                asked = SubscribeRequest(params=SubscribeRequestParams(uri=uri))
                await client.session.send_request(asked, EmptyResult, WATCH_SECONDS)
                return
            self._heard_out.clear()
            self._more.set()
            async with asyncio.timeout(WATCH_SECONDS):
                await self._heard_out.wait()

    @asynccontextmanager
    async def following(self, client: Client) -> AsyncGenerator[None]:
        """Listen to a server from 2026 or later, which reports changes only to clients that
        listen.
        """
        if not listens(client):
            yield
            return
        task = asyncio.create_task(self._follow(client), name="listen to a server of tools")
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _follow(self, client: Client) -> None:
        """Listen, starting again with each additional resource to watch, until the server ends the
        stream.
        """
        with contextlib.suppress(SubscriptionLost, ListenNotSupportedError, MCPError, TimeoutError):
            while True:
                self._more.clear()
                more = asyncio.create_task(self._more.wait(), name="wait for a resource to watch")
                try:
                    if not await self._listen(client, more):
                        return
                finally:
                    more.cancel()
                    self._listening = self.learnt = False

    async def _listen(self, client: Client, more: asyncio.Task[bool]) -> bool:
        """Listen until the stream ends or there is more to watch; return whether to listen again.
        Messages are passed to `heard`.
        """
        told = client.listen(
            tools_list_changed=True,
            prompts_list_changed=True,
            resources_list_changed=True,
            resource_subscriptions=sorted(self._watched),
        )
        async with told as events:
            self._listening = True
            if not self._more.is_set():
                self._heard_out.set()
            drained = asyncio.create_task(drain(events), name="listen to its end")
            try:
                await asyncio.wait((drained, more), return_when=asyncio.FIRST_COMPLETED)
                return not drained.done()
            finally:
                drained.cancel()
                with contextlib.suppress(asyncio.CancelledError, SubscriptionLost):
                    await drained


async def drain(events: Subscription) -> None:
    """Read a stream to its end.

    Raises: SubscriptionLost.
    """
    async for _ in events:
        pass


def listens(client: Client) -> bool:
    """Return whether a server reports changes only to clients that listen."""
    return client.protocol_version >= "2026"
