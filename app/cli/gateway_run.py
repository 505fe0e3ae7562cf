"""`deskpilot gateway`: the terminal without a window, asked by other programs in the words of
several protocols.
"""

from __future__ import annotations

import asyncio
import secrets
import sys
import uuid
from contextlib import ExitStack, aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn

from app.adapters.gateway.address import told_to_others
from app.adapters.gateway.lmc import lmc_app
from app.adapters.gateway.mcp import data_server
from app.adapters.gateway.web import gateway
from app.bootstrap import build
from app.cli.approval import Approving
from app.cli.documents import documents_meant
from app.domain.errors import DeskpilotError
from app.services.conversation.dialogue import answered, temporary
from app.services.dashboard.table_notes import add_tables

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.domain.copilot import Copilot
    from app.services.deskpilot import Deskpilot

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})


@dataclass(frozen=True)
class Request:
    """What was asked on the command line. here: whether code is allowed in this shell; else callers
    run it themselves.
    """

    host: str
    port: int
    token: str
    copilot: str
    here: bool
    widgets: list[Path] = field(default_factory=list[Path])
    lmc: bool = False
    mcp: bool = False
    documents: tuple[str, ...] = ()


async def run_gateway(request: Request) -> int:
    """Serve until Ctrl+C; return the exit status.

    Raises: DeskpilotError.
    """
    async with build(None) as deskpilot:
        for path in request.widgets:
            await add_tables(deskpilot.widgets, path)
        for named in request.documents:
            await documents_meant(deskpilot, named)
        token = request.token or secrets.token_urlsafe(24)
        leave = Approving(deskpilot.dashboard.consents).begin() if request.here else None
        answering = Gateway(deskpilot, request)
        published = [one.name for one in await deskpilot.belt.assistants.all() if one.token]
        if not (request.lmc or request.mcp or published):
            raise DeskpilotError(
                "There is nothing to serve.",
                "Say --lmc or --mcp, or publish an assistant: deskpilot assistants.",
            )
        app = gateway(deskpilot, token=token, with_data=request.mcp, host=request.host)
        if request.lmc:
            app.mount("/", lmc_app(answering.answer, token, LOOPBACK | {request.host}))
        server = uvicorn.Server(
            uvicorn.Config(app, request.host, request.port, log_level="warning")
        )
        serving = asyncio.create_task(server.serve(), name="gateway")
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        with ExitStack() as known:
            if server.started:
                port = server.servers[0].sockets[0].getsockname()[1]
                known.enter_context(told_to_others(f"http://{request.host}:{port}"))
                print(f"Listening on http://{request.host}:{port}", file=sys.stderr)
                told = "the one you gave" if request.token else token
                print(f"Token: {told}", file=sys.stderr, flush=True)
            await serving
        if leave is not None:
            leave()
        return 0 if server.started else 1


async def run_stdio(request: Request) -> None:
    """Serve our data interfaces to the program that started us, until it hangs up.

    Raises: DeskpilotError.
    """
    from mcp import stdio_server

    async with build(None) as deskpilot:
        for path in request.widgets:
            await add_tables(deskpilot.widgets, path)
        for named in request.documents:
            await documents_meant(deskpilot, named)
        server = data_server(deskpilot.widgets, deskpilot.documents)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())


class Gateway:
    """Answers lists of messages, each in a conversation of its own that is kept nowhere."""

    def __init__(self, deskpilot: Deskpilot, request: Request) -> None:
        self._deskpilot, self._request = deskpilot, request

    async def answer(self, messages: object) -> AsyncGenerator[dict[str, Any], None]:
        """Yield the chunks of an answer."""
        deskpilot, conversation = self._deskpilot, temporary(uuid.uuid4().hex)

        async def find() -> Copilot:
            name = self._request.copilot
            return await (deskpilot.copilots.named(name) if name else deskpilot.copilots.local())

        try:
            chunks = answered(deskpilot, find, messages, conversation, goes_on=self._request.here)
            async with aclosing(chunks) as found:
                async for chunk in found:
                    yield chunk
        finally:
            await asyncio.shield(deskpilot.turns.forget_code(conversation))
