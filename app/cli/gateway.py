"""`deskpilot gateway`: serve the terminal to other programs, without a window."""

from __future__ import annotations

import asyncio
import secrets
import sys
import uuid
from contextlib import ExitStack, aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.screen import run_safely
from backends.paths import secret_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.domain.copilot import Copilot
    from app.services.deskpilot import Deskpilot


def gateway(
    lmc: Annotated[
        bool, typer.Option("--lmc", help="LMC messages, as in Open Interpreter.")
    ] = False,
    mcp: Annotated[
        bool, typer.Option("--mcp", help="Our data interfaces for MCP clients, at /mcp.")
    ] = False,
    stdio: Annotated[
        bool, typer.Option("--stdio", help="With --mcp: use stdin and stdout.")
    ] = False,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 picks a free port.")] = 0,
    token_file: Annotated[
        Path | None,
        typer.Option(
            help=(
                "A file with the token that callers must send; by default DESKPILOT_TOKEN, or a "
                "new one, which is printed."
            )
        ),
    ] = None,
    copilot: Annotated[
        str, typer.Option(help="The added copilot that answers; by default ours.")
    ] = "",
    ask_here: Annotated[
        bool,
        typer.Option(
            "--ask-here", help="Ask in this shell before code runs here; otherwise callers run it."
        ),
    ] = False,
    widget: Annotated[list[Path] | None, typer.Option(help="A table to attach.")] = None,
    documents: Annotated[
        list[str] | None,
        typer.Option(help="A folder, file or library of documents to search."),
    ] = None,
) -> None:
    """Serve published assistants at /v1/chat/completions, and what the options specify."""
    if stdio and (lmc or not mcp):
        raise typer.BadParameter(
            "Only our data interfaces can use stdin and stdout: --mcp --stdio."
        )
    try:
        token = secret_of(token_file)
    except (OSError, ValueError) as error:
        raise typer.BadParameter(str(error), param_hint="--token-file") from error
    asked = GatewayRequest(
        host, port, token, copilot, ask_here, widget or [], lmc, mcp, tuple(documents or [])
    )
    if stdio:
        raise typer.Exit(run_safely(run_stdio(asked)))
    raise typer.Exit(run_safely(run_gateway(asked)))


LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})


@dataclass(frozen=True)
class GatewayRequest:
    """The arguments of the command. here: whether code is allowed in this shell; else callers run
    it.
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


async def run_gateway(request: GatewayRequest) -> int:
    """Serve until Ctrl+C; return the exit status.

    Raises: DeskpilotError.
    """
    import uvicorn

    from app.adapters.gateway.address import told_to_others
    from app.adapters.gateway.web import gateway as gateway_app
    from app.adapters.gateway.web import lmc_app
    from app.bootstrap import build
    from app.cli.approval import ShellConsents
    from app.cli.documents import documents_meant
    from app.domain.errors import DeskpilotError
    from app.services.dashboard.table_notes import add_tables

    async with build(None) as deskpilot:
        for path in request.widgets:
            await add_tables(deskpilot.widgets, path)
        for named in request.documents:
            await documents_meant(deskpilot, named)
        token = request.token or secrets.token_urlsafe(24)
        leave = ShellConsents(deskpilot.dashboard.consents).begin() if request.here else None
        answering = Gateway(deskpilot, request)
        published = [one.name for one in await deskpilot.belt.assistants.all() if one.token]
        if not (request.lmc or request.mcp or published):
            raise DeskpilotError(
                "There is nothing to serve.",
                "Use --lmc or --mcp, or publish an assistant: deskpilot assistants.",
            )
        app = gateway_app(deskpilot, token=token, with_data=request.mcp, host=request.host)
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
                told = "the one you set" if request.token else token
                print(f"Token: {told}", file=sys.stderr, flush=True)
            await serving
        if leave is not None:
            leave()
        return 0 if server.started else 1


async def run_stdio(request: GatewayRequest) -> None:
    """Serve our data interfaces to the program that started us, until it hangs up.

    Raises: DeskpilotError.
    """
    from mcp import stdio_server

    from app.adapters.gateway.mcp import data_server
    from app.bootstrap import build
    from app.cli.documents import documents_meant
    from app.services.dashboard.table_notes import add_tables

    async with build(None) as deskpilot:
        for path in request.widgets:
            await add_tables(deskpilot.widgets, path)
        for named in request.documents:
            await documents_meant(deskpilot, named)
        server = data_server(deskpilot.widgets, deskpilot.documents)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())


class Gateway:
    """Answers lists of messages, each in an unsaved conversation of its own."""

    def __init__(self, deskpilot: Deskpilot, request: GatewayRequest) -> None:
        self._deskpilot, self._request = deskpilot, request

    async def answer(self, messages: object) -> AsyncGenerator[dict[str, Any], None]:
        """Yield the chunks of an answer."""
        from app.services.dialogue import answered, temporary

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
            await asyncio.shield(deskpilot.turns.leave_code(conversation))
