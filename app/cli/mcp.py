"""`deskpilot mcp`: MCP servers as tools for copilots."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.screen import printable, run_safely

app = typer.Typer(help="MCP servers as tools for copilots.", no_args_is_help=True)


@app.command("add", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def add(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Its name: lowercase letters, digits and hyphens.")],
    url: Annotated[
        str,
        typer.Option(help="The address of a running server, instead of a program after --."),
    ] = "",
    env: Annotated[
        list[str] | None, typer.Option(help="NAME=VALUE for a program; stored in the keyring.")
    ] = None,
    header: Annotated[
        list[str] | None, typer.Option(help='"Name: value" for an address; kept in the keyring.')
    ] = None,
) -> None:
    """Start a server or connect to one, and save it: deskpilot mcp add time -- python -m
    mcp_server_time.
    """
    from app.domain.copilot import read_headers

    command = [part for part in context.args if part != "--"]
    if bool(url) == bool(command):
        raise typer.BadParameter(
            "Specify a program after --, or an address with --url, but not both."
        )
    try:
        secrets = read_headers(header or []) if url else dict(read_pair(one) for one in env or [])
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    raise typer.Exit(run_safely(add_server(name, command, url, secrets)))


@app.command("list")
def list_() -> None:
    """List the servers and their tools."""
    raise typer.Exit(run_safely(list_servers()))


@app.command("remove")
def remove(name: Annotated[str, typer.Argument(help="Its name.")]) -> None:
    """Remove a server and its secrets."""
    raise typer.Exit(run_safely(remove_server(name)))


async def add_server(name: str, command: list[str], url: str, secrets: dict[str, str]) -> None:
    """Add a server and print its tools."""
    from app.adapters.builders import build_belt
    from app.domain.tool import McpEntry

    entry = McpEntry(name, tuple(command), url, tuple(secrets))
    async with build_belt() as belt:
        server = await belt.mcp.add(entry, secrets)
    typer.echo(printable(f"Added {server.name}: {len(server.tools)} tools."))


async def list_servers() -> None:
    """Print them."""
    from app.adapters.builders import build_belt

    async with build_belt() as belt:
        for server in belt.mcp.all():
            typer.echo(printable(f"{server.id}  {server.entry.origin}"))
            for tool in server.tools:
                about = " ".join(tool.description.split())[:80]
                typer.echo(
                    printable(f"  {tool.name}  {'writes' if tool.writes else 'reads'}  {about}")
                )
            for warning in server.warnings:
                typer.echo(printable(f"  simplified  {warning}"))
        if not belt.mcp.all():
            typer.echo(
                "There are no servers yet. Add one with: deskpilot mcp add NAME -- PROGRAM "
                "ARGUMENTS"
            )


async def remove_server(name: str) -> None:
    """Forget one."""
    from app.adapters.builders import build_belt

    async with build_belt() as belt:
        await belt.mcp.remove(name)
    typer.echo(f"Removed {name}.")


def read_pair(text: str) -> tuple[str, str]:
    """Return NAME=VALUE as both.

    Raises: ValueError.
    """
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ValueError("Write it like NAME=VALUE.")
    return name, value
