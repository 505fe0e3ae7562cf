"""One MCP server: started or reached when first needed, ended with the terminal."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import time
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import httpx2
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CONNECTION_CLOSED, METHOD_NOT_FOUND
from pydantic import ValidationError

from app.domain.errors import ToolError
from app.domain.tool import OWN_PYTHON
from app.tools.mcp.contents import (
    PROMPT,
    READ,
    answer_of,
    named,
    prompting,
    reading,
    result_of,
    tools_of,
    writing,
)
from app.tools.mcp.notifications import News
from backends import children, offline

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable
    from pathlib import Path

    from app.domain.tool import McpEntry, Tool, ToolAnswer

    Secrets = Callable[
        [McpEntry], Awaitable[dict[str, str]]
    ]  # by the names of environment variables or headers
    Keep = Callable[[McpEntry], Awaitable[None]]

# Many servers print a greeting where the protocol belongs. The library skips the line and logs an
# exception, which Python shows in the shell unless the logger has a handler.
logging.getLogger("mcp").addHandler(logging.NullHandler())

MOST, TOOL = 256, 200_000  # tools of one server, and characters of what it says of one
GUARDED = "app.tools.mcp.guard"  # runs our own servers, and those that come with us
CALL_SECONDS, START_SECONDS, PAGES, AGAIN_SECONDS = 120.0, 60.0, 20, 1.0
FAULTS = (
    OSError,
    MCPError,
    ValidationError,
    httpx2.HTTPError,
    ValueError,
    RuntimeError,
    ExceptionGroup,
)


class McpServer:
    """One server. Its connection lives in a task of its own: the task that opens it must close it.

    log: receives the program's output outside the protocol. problem: why the last request failed.
    warnings: the simplified parts of its tools' parameters.
    """

    def __init__(self, entry: McpEntry, secrets: Secrets, keep: Keep, log: Path) -> None:
        self._log, self._secrets, self._keep = log, secrets, keep
        self.warnings: list[str] = []
        self._know(entry)
        self._task: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[Client] | None = None
        self._end = asyncio.Event()
        self._news = News(self._look_again)
        self._looking: asyncio.Task[None] | None = None
        self._looked = 0.0
        self.problem = ""

    def _know(self, entry: McpEntry) -> None:
        self.entry, (self._tools, self.warnings) = entry, tools_of(entry)

    @property
    def id(self) -> str:
        """Return its id in tool names."""
        return self.entry.id

    @property
    def name(self) -> str:
        """Return its display name."""
        return self.entry.id

    @property
    def tools(self) -> list[Tool]:
        """Return its tools, as of the last request."""
        changed = f"\nChanged since they were read: {', '.join(sorted(self._news.updated))}"
        return (
            [
                replace(tool, description=tool.description + changed) if tool.name == READ else tool
                for tool in self._tools
            ]
            if self._news.updated
            else self._tools
        )

    async def refresh(self) -> None:
        """Ask for its tools, unless it would have reported a change; if it cannot be asked,
        `problem` gives the reason.
        """
        if self._news.learnt and self._task is not None and not self._task.done():
            return
        try:
            await self.learn()
        except ToolError as error:
            self.problem = error.text

    async def learn(self) -> None:
        """Ask for its tools.

        Raises: ToolError.
        """
        client = await self._client()
        news = self._news
        news.learnt = news.tells(
            client, is_program=not self.entry.url
        )  # what changes from now on, it says
        known = [
            told.model_dump(mode="json", by_alias=True, exclude_none=True)
            for told in (await self._listed(client, "tools"))[:MOST]
        ]
        known = [told for told in known if len(json.dumps(told)) <= TOOL]
        has = client.server_capabilities
        if has.resources is not None:
            resources = await self._listed(client, "resources")
            templates = await self._listed(client, "resource_templates")
            known += [reading(resources, templates)] if resources or templates else []
        if has.prompts is not None and (prompts := await self._listed(client, "prompts")):
            known.append(prompting(prompts))
        self.problem = ""
        writes = tuple(
            sorted({*self.entry.writes, *writing(list(self.entry.known)), *writing(known)})
        )
        if list(self.entry.known) != known or self.entry.writes != writes:
            self._know(replace(self.entry, known=tuple(known), writes=writes))
            await self._keep(self.entry)

    def sends(self, name: str, parameters: dict[str, Any]) -> str:
        """Return the call as it goes to the server.

        Raises: ToolError.
        """
        own = named(self.entry, name)
        if own is None:
            raise ToolError(f"{self.name} has no {name}.", "Use one of its tools.")
        return f"{own}\n{json.dumps(parameters, ensure_ascii=False, indent=1)}"

    async def call(self, name: str, parameters: dict[str, Any]) -> ToolAnswer:
        """Return the result of a tool.

        Raises: ToolError.
        """
        own = named(self.entry, name)
        if own is None:
            raise ToolError(f"{self.name} has no {name}.", "Use one of its tools.")
        client = await self._client()
        try:
            async with asyncio.timeout(CALL_SECONDS):
                if own == READ:
                    uri = str(parameters.get("uri"))
                    contents = list((await client.read_resource(uri)).contents)
                    await self._news.watch(client, uri)
                    return answer_of(contents)
                if own == PROMPT:
                    given = {str(k): str(v) for k, v in (parameters.get("arguments") or {}).items()}
                    prompt = await client.get_prompt(str(parameters.get("name")), given)
                    return answer_of([message.content for message in prompt.messages])
                return result_of(await client.call_tool(own, parameters))
        except TimeoutError as error:
            raise ToolError(
                f"{self.name} takes too long.", "It may have been done all the same."
            ) from error
        except FAULTS as error:
            if not isinstance(error, MCPError) or error.error.code == CONNECTION_CLOSED:
                await self._hang_up()  # the next call opens a new one; this one is not made again
            raise self._fault(error) from error

    async def aclose(self) -> None:
        """End the connection, and the program if it was started here."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait({self._looking})
        await self._hang_up()

    async def restart(self) -> None:
        """End a server of ours; the next call starts it under the guard that holds then."""
        if self.entry.command[:1] == (OWN_PYTHON,):
            await self._hang_up()

    def _look_again(self) -> None:
        """Ask for its tools, as it reported a change; for one that reports changes all the time,
        wait for a question.
        """
        busy = self._looking is not None and not self._looking.done()
        if not self._news.learnt and not busy and time.monotonic() - self._looked > AGAIN_SECONDS:
            self._looked = time.monotonic()
            self._looking = asyncio.create_task(self.refresh(), name=f"mcp {self.id} has changed")

    async def _hang_up(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            self._end.set()
            await asyncio.wait({task})

    async def _listed(self, client: Client, what: str) -> list[Any]:
        """Return all entries of a paged list.

        Raises: ToolError.
        """
        made: list[Any] = []
        cursor: str | None = None
        try:
            async with asyncio.timeout(START_SECONDS):
                for _ in range(PAGES):
                    page: Any = await getattr(client, f"list_{what}")(cursor=cursor)
                    made += getattr(page, what)
                    cursor = page.next_cursor
                    if not cursor:
                        break
        except TimeoutError as error:
            raise ToolError(f"{self.name} takes too long.", "Try again later.") from error
        except FAULTS as error:
            if isinstance(error, MCPError) and error.error.code == METHOD_NOT_FOUND:
                return made  # servers of resources need not have templates of them
            raise self._fault(error) from error
        return made

    async def _client(self) -> Client:
        """Return the connection, opened if it is not open.

        Raises: ToolError.
        """
        if self._task is None or self._task.done():
            self._ready, self._end = asyncio.get_running_loop().create_future(), asyncio.Event()
            self._task = asyncio.create_task(
                self._serve(self._ready, self._end), name=f"mcp {self.id}"
            )
        assert self._ready is not None
        try:
            async with asyncio.timeout(START_SECONDS):
                return await asyncio.shield(
                    self._ready
                )  # who stops waiting does not stop the others
        except TimeoutError as error:
            raise ToolError(
                f"{self.name} does not answer.", "Try again later, or remove it."
            ) from error

    async def _serve(self, ready: asyncio.Future[Client], end: asyncio.Event) -> None:
        """Keep the connection open until the end."""
        try:
            async with self._transport(await self._secrets(self.entry)) as transport:
                self._news = News(self._look_again)
                hears = self._news.heard
                client = Client(
                    transport, read_timeout_seconds=CALL_SECONDS, cache=None, message_handler=hears
                )
                async with client, self._news.following(client):
                    if not ready.done():
                        ready.set_result(client)
                    await end.wait()
        except ToolError as error:
            fault = error
        except FAULTS as error:
            fault = self._fault(error)
        else:
            return
        if not ready.done():
            ready.set_exception(fault)
            ready.exception()  # it is told to who waits, if anybody does

    @asynccontextmanager
    async def _transport(self, secrets: dict[str, str]) -> AsyncGenerator[Any]:
        if self.entry.url:
            timeout = httpx2.Timeout(30.0, read=CALL_SECONDS)
            async with httpx2.AsyncClient(
                headers=secrets, timeout=timeout, trust_env=False
            ) as client:
                yield streamable_http_client(self.entry.url, http_client=client)
            return
        program, *arguments = self.entry.command
        told = StdioServerParameters(command=program, args=arguments, env=secrets)
        if program == OWN_PYTHON:
            told = StdioServerParameters(
                command=sys.executable,
                args=["-P", "-m", GUARDED, *arguments],
                env=children.environment(secrets | offline.variables()),
                cwd=children.folder(),
            )
        await asyncio.to_thread(self._log.parent.mkdir, parents=True, exist_ok=True)
        with self._log.open("w", encoding="utf-8") as log:
            yield stdio_client(told, errlog=log)

    def _fault(self, error: BaseException) -> ToolError:
        """Return the error in words; of several errors the first."""
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, FileNotFoundError):
            return ToolError(
                f"{self.entry.origin} cannot be started: there is no such program.",
                "Check its name.",
            )
        said = " ".join(str(error).split())[:200] or type(error).__name__
        return ToolError(
            f"{self.name} did not answer: {said}.", "Check that it works, or remove it."
        )
