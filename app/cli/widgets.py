"""`deskpilot widgets`: add, list and remove widget backends."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.screen import run_safely

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.services.dashboard.backends import Backends

app = typer.Typer(help="Widget backends: servers that publish widgets.json.", no_args_is_help=True)


@app.command("add")
def add(
    url: Annotated[str, typer.Argument(help="Its base address, such as http://127.0.0.1:7779.")],
    header: Annotated[
        list[str] | None,
        typer.Option(help='Sent with each request, as "Name: value"; kept in the keyring.'),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(help="NAME=SECRET, sent in the query; stored in the keyring."),
    ] = None,
) -> None:
    """Add a backend, or update its list of widgets."""
    from app.domain.copilot import read_headers

    try:
        headers = read_headers(header or [])
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--header") from error
    raise typer.Exit(run_safely(add_backend(url, headers, read_keys(key or []))))


@app.command("list")
def list_() -> None:
    """List the backends and their widgets."""
    raise typer.Exit(run_safely(list_backends()))


@app.command("remove")
def remove(url: Annotated[str, typer.Argument(help="Its base address.")]) -> None:
    """Remove a backend and its secrets."""
    raise typer.Exit(run_safely(remove_backend(url)))


async def add_backend(url: str, headers: dict[str, str], keys: dict[str, str]) -> None:
    """Add a backend and print its widgets."""
    from app.openbb.widgets import read_apps

    async with opened() as backends:
        backend = await backends.add(url, headers, keys)
    apps = read_apps(backend.apps)
    boards = f" and {len(apps)} dashboard{'s' * (len(apps) != 1)}" if apps else ""
    typer.echo(f"Added {backend.name}: {len(backend.specs())} widgets{boards}.")


async def list_backends() -> None:
    """Print them."""
    from app.cli.screen import printable

    async with opened() as backends:
        found = backends.all()
    if not found:
        typer.echo("There are no widget backends yet. Add one with: deskpilot widgets add URL")
    for backend in found:
        secret = ", ".join((*backend.headers, *backend.keys))
        typer.echo(f"{backend.url}{f'  (with {secret})' if secret else ''}")
        for spec in backend.specs():
            typer.echo(printable(f"  {spec.name}  [{spec.kind}]  {spec.description}".rstrip()))


async def remove_backend(url: str) -> None:
    """Forget one."""
    from app.services.dashboard.backends import address_of

    async with opened() as backends:
        await backends.remove(address_of(url))
    typer.echo(f"Removed {url}.")


@asynccontextmanager
async def opened() -> AsyncGenerator[Backends]:
    """Open the store of the backends, without the rest of the terminal."""
    from app.bootstrap import build_backends

    async with build_backends() as backends:
        yield backends


def read_keys(given: list[str]) -> dict[str, str]:
    """Return NAME=SECRET options by their names."""
    made: dict[str, str] = {}
    for one in given:
        name, _, secret = one.partition("=")
        if not name or not secret:
            raise typer.BadParameter("Write it like apikey=secret.", param_hint="--key")
        made[name] = secret
    return made
