"""One MCP server: started or contacted when first needed, and ended with the terminal. Its tools,
results, resources and notifications are converted to the terminal's values.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import json
import logging
import re
import sys
import time
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import httpx2
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.types import (
    CONNECTION_CLOSED,
    METHOD_NOT_FOUND,
    EmptyResult,
    PromptListChangedNotification,
    ResourceListChangedNotification,
    ResourceUpdatedNotification,
    SubscribeRequest,
    SubscribeRequestParams,
    ToolListChangedNotification,
)
from pydantic import ValidationError

from app.domain.errors import ToolError
from app.domain.tool import OWN_PYTHON, Tool, ToolAnswer, shown
from app.tools.schemas import NoSuchPart, SchemaWriter
from backends import children, offline

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable
    from pathlib import Path

    from mcp import types
    from mcp.client.session import IncomingMessage
    from mcp.client.subscriptions import Subscription

    from app.domain.tool import McpEntry

    Secrets = Callable[
        [McpEntry], Awaitable[dict[str, str]]
    ]  # keyed by the names of environment variables or headers
    Keep = Callable[[McpEntry], Awaitable[None]]


ANSWER, ABOUT, LISTED = 10 * 1024 * 1024, 2000, 40
READ, PROMPT = (
    "read_resource",
    "get_prompt",
)  # our own tools for servers that have resources and prompts


def tools_of(entry: McpEntry) -> tuple[list[Tool], list[str]]:
    """Return a server's tools, and notes about simplifications in their parameters.

    Names that terminals cannot use are changed. A tool that was once marked as able to write stays
    marked, regardless of what the server declares later.
    """
    made: dict[str, Tool] = {}
    warnings: list[str] = []
    for told in entry.known:
        name = safe(str(told.get("name") or ""))
        if not name or name in made:
            continue
        notes = told.get("annotations")
        title = str(
            told.get("title") or (notes.get("title") if isinstance(notes, dict) else "") or name
        )
        about = str(told.get("description") or "")[:ABOUT]
        known, simplified = bindable(told.get("inputSchema"))
        warnings += [f"{name}: {one}" for one in simplified]
        writes = not says_it_reads(told) or name in entry.writes
        made[name] = Tool(entry.id, name, title[:120], about, known, writes, entry.origin)
    return list(made.values()), warnings


def writing(known: list[dict[str, Any]]) -> list[str]:
    """Return the names of the tools that do not declare themselves read-only."""
    return [safe(str(told.get("name") or "")) for told in known if not says_it_reads(told)]


def says_it_reads(told: dict[str, Any]) -> bool:
    """Return whether a tool declares that it changes nothing."""
    notes = told.get("annotations")
    return isinstance(notes, dict) and notes.get("readOnlyHint") is True


def bindable(schema: Any) -> tuple[dict[str, Any], list[str]]:
    """Return a schema from which a grammar can be built, with its references resolved, and a list
    of the parts that were simplified.
    """
    if not isinstance(schema, dict):
        return {}, []
    writer = SchemaWriter(schema)
    try:
        return writer.schema(schema), writer.warnings
    except NoSuchPart as error:
        why = (
            f"“{error.reference[:100]}” leads nowhere; any value is accepted, and the server checks"
            " it"
        )
        return {"type": "object"}, [why]


def named(entry: McpEntry, name: str) -> str | None:
    """Return the server's own name for a tool, or None."""
    return next(
        (str(t["name"]) for t in entry.known if safe(str(t.get("name") or "")) == name), None
    )


def safe(name: str) -> str:
    """Return a name with at most 64 characters, which are only letters, digits, _ and -."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:64]


def reading(
    resources: list[types.Resource], templates: list[types.ResourceTemplate]
) -> dict[str, Any]:
    """Return our tool that reads a server's resources. The placeholders in braces in a template
    have to be filled in.
    """
    lines = [f"{one.uri}: {one.title or one.name}" for one in resources[:LISTED]]
    about = "Read one of these resources, by its URI:\n" + "\n".join(lines)
    if templates:
        filled = [f"{one.uri_template}: {one.title or one.name}" for one in templates[:LISTED]]
        about += "\nOr one of these, with a value in place of each {…}:\n" + "\n".join(filled)
    return ours(READ, about, {"uri": {"type": "string"}}, ["uri"])


def prompting(prompts: list[types.Prompt]) -> dict[str, Any]:
    """Return our tool that fills in a server's prompts."""
    lines = [
        f"{one.name}({', '.join(a.name for a in one.arguments or [])}):"
        f" {one.description or one.title or ''}"
        for one in prompts[:LISTED]
    ]
    about = "Fill in one of these templates and return its text:\n" + "\n".join(lines)
    properties = {
        "name": {"type": "string", "enum": [one.name for one in prompts[:LISTED]]},
        "arguments": {"type": "object", "additionalProperties": {"type": "string"}},
    }
    return ours(PROMPT, about, properties, ["name"])


def ours(name: str, about: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    """Return one of our tools in the protocol's format."""
    schema = {"type": "object", "properties": properties, "required": required}
    return {
        "name": name,
        "description": about,
        "inputSchema": schema,
        "annotations": {"readOnlyHint": True},
    }


def result_of(result: types.CallToolResult) -> ToolAnswer:
    """Return the result of a tool."""
    if result.structured_content is not None:
        content = json.dumps(result.structured_content, ensure_ascii=False)
        return ToolAnswer(content, result.is_error, note=failure(result.is_error))
    return answer_of(list(result.content), failed=result.is_error)


def failure(failed: bool) -> str:
    """Return the message for a failure."""
    return "It reports that this did not work." if failed else ""


def answer_of(parts: list[Any], *, failed: bool = False) -> ToolAnswer:
    """Return the text parts of an answer as one text, and its pictures. Of the other parts, only
    the first is kept completely.
    """
    texts, notes, full, kind = list[str](), list[str](), b"", ""
    pictures: list[bytes] = []
    for part in parts:
        inner = getattr(part, "resource", part)
        if isinstance(text := getattr(inner, "text", None), str):
            texts.append(text)
        elif isinstance(data := getattr(inner, "data", None) or getattr(inner, "blob", None), str):
            body = decoded(data)
            told = getattr(inner, "mime_type", None) or "unknown type"
            if len(shown([*pictures, body])) > len(pictures):
                pictures.append(
                    body
                )  # the user sees it, so there is no need to describe it or to look for it on disk
                continue
            notes.append(f"Part of the answer is not text: {told}, {len(body):,} bytes.")
            full, kind = full or body, kind or told
        elif (uri := getattr(inner, "uri", None)) is not None:
            texts.append(f"{getattr(inner, 'name', '')} {uri}".strip())
    content = "\n".join(texts)
    if len(content) > ANSWER:
        content, notes = (
            content[:ANSWER],
            [*notes, "The answer is longer than 10 MB; only the beginning was read."],
        )
    note = " ".join([failure(failed), *notes]).strip()
    return ToolAnswer(content, failed, full, kind, note=note, pictures=tuple(pictures))


def decoded(data: str) -> bytes:
    """Return decoded base64, or empty bytes if it is invalid."""
    try:
        return base64.b64decode(data, validate=True)[:ANSWER]
    except (binascii.Error, ValueError):
        return b""


LISTS = (
    ToolListChangedNotification,
    ResourceListChangedNotification,
    PromptListChangedNotification,
)
# maximum number of watched resources per server, and number of seconds allowed for starting to
# watch one
WATCHED, WATCH_SECONDS = 100, 5.0


class News:
    """The parts of a server's data that are out of date. learnt: whether its lists are up to date.

    updated: the resources that were read and have changed since. tell: called when something
    changes.
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
        """Return whether a server reports changes to its lists.

        A server from before 2026 that is reached over HTTP may have no stream for such reports.
        """
        has = client.server_capabilities
        said = all(
            part is None or part.list_changed for part in (has.tools, has.resources, has.prompts)
        )
        return said and (self._listening or (is_program and not listens(client)))

    async def watch(self, client: Client, uri: str) -> None:
        """Subscribe to changes to a resource, if the server offers this."""
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
        ):  # the resource is then not watched, but it is fetched again each time it is read anyway
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
        """Listen until the stream ends or there is more to watch, and return whether to listen
        again. Messages are passed to `heard`.
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


# Many servers print a greeting before they use the protocol. The library skips such lines and logs
# an exception, which Python prints to the terminal unless the logger has a handler.
logging.getLogger("mcp").addHandler(logging.NullHandler())

# maximum number of tools per server, and of characters per tool description
MOST, TOOL = 256, 200_000
GUARDED = "app.tools.mcp.guard"  # runs our own servers and those shipped with Deskpilot
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
    """One server. Its connection has its own task, because the task that opens a connection must
    also close it.

    log: receives the program's output that is not part of the protocol. problem: why the last
    request failed. warnings: the simplified parts of its tools' parameters.
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
        """Return its tools, as listed at the last request."""
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
        """Request its tools, unless the server reports changes and has reported none. If the
        request fails, `problem` gives the reason.
        """
        if self._news.learnt and self._task is not None and not self._task.done():
            return
        try:
            await self.learn()
        except ToolError as error:
            self.problem = error.text

    async def learn(self) -> None:
        """Request its tools.

        Raises: ToolError.
        """
        client = await self._client()
        news = self._news
        news.learnt = news.tells(
            client, is_program=not self.entry.url
        )  # it reports changes from now on
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
        """Return the call as it is sent to the server.

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
                f"{self.name} takes too long.", "It may have been carried out anyway."
            ) from error
        except FAULTS as error:
            if not isinstance(error, MCPError) or error.error.code == CONNECTION_CLOSED:
                # the next call opens a new connection; this call is not repeated
                await self._hang_up()
            raise self._fault(error) from error

    async def aclose(self) -> None:
        """Close the connection, and end the server's program if it was started here."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait({self._looking})
        await self._hang_up()

    async def restart(self) -> None:
        """End one of our own servers. The next call starts it with the network access that is
        allowed by then.
        """
        if self.entry.command[:1] == (OWN_PYTHON,):
            await self._hang_up()

    def _look_again(self) -> None:
        """Request its tools because it reported a change. If the server keeps reporting changes,
        wait for the next question.
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
                # a server that has resources does not necessarily have resource templates
                return made
            raise self._fault(error) from error
        return made

    async def _client(self) -> Client:
        """Return the connection, after opening it if necessary.

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
                )  # a caller that stops waiting does not stop the others
        except TimeoutError as error:
            raise ToolError(
                f"{self.name} does not respond.", "Try again later, or remove it."
            ) from error

    async def _serve(self, ready: asyncio.Future[Client], end: asyncio.Event) -> None:
        """Keep the connection open until it is no longer needed."""
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
            ready.exception()  # raised for any callers that are waiting

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
        """Return the error in words. If there are several errors, return the first."""
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, FileNotFoundError):
            return ToolError(
                f"{self.entry.origin} cannot be started: there is no such program.",
                "Check its name.",
            )
        said = " ".join(str(error).split())[:200] or type(error).__name__
        return ToolError(
            f"{self.name} did not respond: {said}.", "Check that it works, or remove it."
        )
