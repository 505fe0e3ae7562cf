"""`deskpilot gateway`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.screen import run_safely
from backends.paths import secret_of


def gateway(
    lmc: Annotated[
        bool, typer.Option("--lmc", help="LMC messages, as Open Interpreter has them.")
    ] = False,
    mcp: Annotated[
        bool, typer.Option("--mcp", help="Our data interfaces for MCP clients, at /mcp.")
    ] = False,
    stdio: Annotated[
        bool, typer.Option("--stdio", help="With --mcp: over stdin and stdout, and nothing else.")
    ] = False,
    host: Annotated[str, typer.Option(help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 0,
    token_file: Annotated[
        Path | None,
        typer.Option(
            help=(
                "A file with the token callers must send; else DESKPILOT_TOKEN, else one is made"
                " and printed."
            )
        ),
    ] = None,
    copilot: Annotated[
        str, typer.Option(help="An added copilot that answers; ours if absent.")
    ] = "",
    ask_here: Annotated[
        bool,
        typer.Option(
            "--ask-here", help="Ask in this shell whether code may run here; else callers run it."
        ),
    ] = False,
    widget: Annotated[list[Path] | None, typer.Option(help="A table that goes along.")] = None,
    documents: Annotated[
        list[str] | None,
        typer.Option(help="A folder, file or library of documents that may be searched."),
    ] = None,
) -> None:
    """Let other programs ask: published assistants as models at /v1/chat/completions, and what the
    options name.
    """
    if stdio and (lmc or not mcp):
        raise typer.BadParameter(
            "Only our data interfaces go over stdin and stdout: --mcp --stdio."
        )
    from app.cli.gateway_run import Request, run_gateway, run_stdio

    try:
        token = secret_of(token_file)
    except (OSError, ValueError) as error:
        raise typer.BadParameter(str(error), param_hint="--token-file") from error
    asked = Request(
        host, port, token, copilot, ask_here, widget or [], lmc, mcp, tuple(documents or [])
    )
    if stdio:
        raise typer.Exit(run_safely(run_stdio(asked)))
    raise typer.Exit(run_safely(run_gateway(asked)))
