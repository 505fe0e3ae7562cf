"""`deskpilot copilots`: add, list, show, set and remove copilots."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.screen import printable, run_safely

if TYPE_CHECKING:
    from app.domain.copilot import AddedCopilot, Dialect


app = typer.Typer(help="Add, list, show, set and remove copilots.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(help="The name of an added copilot.")]


@app.command("add")
def add_copilot(
    address: Annotated[
        str, typer.Argument(help="The address with agents.json; URL#id chooses one of several.")
    ],
    name: Annotated[str, typer.Option(help="Its name; by default its own id.")] = "",
    header: Annotated[
        list[str] | None,
        typer.Option(help='Sent with each question, as "Name: value"; kept in the keyring.'),
    ] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A host that may receive the question and data.")
    ] = None,
    dialect: Annotated[
        str, typer.Option(help="2024, today, or lmc for an Open Interpreter server.")
    ] = "",
) -> None:
    """Add a copilot by its address, or update one."""
    from app.domain.copilot import read_headers

    if dialect not in ("", "2024", "today", "lmc"):
        raise typer.BadParameter(
            f"{dialect} is not one of 2024, today or lmc.", param_hint="--dialect"
        )
    try:
        headers = read_headers(header or [])
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--header") from error
    hosts = frozenset(allow_host or [])
    raise typer.Exit(run_safely(add(address, name, headers, hosts, dialect or None)))


@app.command("list")
def list_copilots() -> None:
    """List the added copilots."""
    raise typer.Exit(run_safely(list_all()))


@app.command("show")
def show_copilot(name: Name) -> None:
    """Show the features, address and options of a copilot."""
    raise typer.Exit(run_safely(show(name)))


@app.command("set")
def set_copilot(
    name: Name, setting: Annotated[str, typer.Argument(help="KEY=VALUE, as listed by show.")]
) -> None:
    """Set an option of a copilot."""
    raise typer.Exit(run_safely(set_option(name, setting)))


@app.command("remove")
def remove_copilot(name: Name) -> None:
    """Remove a copilot and its headers."""
    raise typer.Exit(run_safely(remove(name)))


TOLD = {"2024": "OpenBB, 2024", "today": "OpenBB, current", "lmc": "Open Interpreter (LMC)"}


async def add(
    address: str, name: str, headers: dict[str, str], hosts: frozenset[str], dialect: Dialect | None
) -> int:
    """Add the copilots of an address, asking first whether another machine may be asked.

    Raises: DeskpilotError.
    """
    from app.bootstrap import build_copilots
    from app.domain.errors import ConsentNeeded

    async with build_copilots() as copilots:
        while True:
            try:
                made = await copilots.add(
                    address, name=name, headers=headers, hosts=hosts, dialect=dialect
                )
                break
            except ConsentNeeded as error:
                asked = printable(f"{error.text} Allow {error.host}?")
                if not sys.stdin.isatty() or not typer.confirm(asked, err=True):
                    raise
                hosts |= {error.host}
        for added in made:
            if added.copilot.note:
                print(printable(added.copilot.note), file=sys.stderr)
            told = printable(f"Added {added.name}: {added.copilot.name}, {added.copilot.query_url}")
            print(told)
    return 0


async def list_all() -> int:
    """Print the copilots, a line each."""
    from rich.console import Console
    from rich.table import Table

    from app.bootstrap import build_copilots

    async with build_copilots() as copilots:
        known = await copilots.all()
    if not known:
        print("No copilots have been added. Add one with: deskpilot copilots add URL")
        return 0
    table = Table("name", "copilot", "questions go to", "speaks", box=None)
    for added in known:
        c = added.copilot
        table.add_row(*map(printable, (added.name, c.name, c.query_url, TOLD[c.dialect])))
    Console(markup=False).print(table)
    return 0


async def show(name: str) -> int:
    """Print the details of a copilot."""
    from app.bootstrap import build_copilots

    async with build_copilots() as copilots:
        added = await copilots.get(name)
    for what, told in described(added):
        print(printable(f"{what:<12} {told}".rstrip()))
    return 0


async def remove(name: str) -> int:
    """Forget a copilot."""
    from app.bootstrap import build_copilots

    async with build_copilots() as copilots:
        await copilots.remove(name)
    print(f"Removed {name}.")
    return 0


async def set_option(name: str, setting: str) -> int:
    """Set one of a copilot's own features, given as KEY=VALUE; on and off turn a switch."""
    from app.bootstrap import build_copilots
    from app.domain.copilot import WHOLE

    key, _, value = setting.partition("=")
    async with build_copilots() as copilots:
        added = await copilots.get(name)
        kinds: dict[str, str] = {f.key: f.type for f in added.copilot.own_features()} | {
            WHOLE: "toggle"
        }
        is_on = value.lower() in ("on", "true", "yes", "1")
        await copilots.set_option(name, key, is_on if kinds.get(key) == "toggle" else value)
    return 0


def described(added: AddedCopilot) -> list[tuple[str, str]]:
    """Return the description of a copilot."""
    from app.domain.copilot import WHOLE

    c = added.copilot
    features = sorted(
        k for k in c.features if c.has(k) and k not in {f.key for f in c.own_features()}
    )
    lines = [
        ("name", added.name),
        ("copilot", c.name),
        ("about", c.description),
        ("found at", added.address),
        ("questions go to", c.query_url),
        ("speaks", TOLD[c.dialect]),
        ("features", ", ".join(features)),
    ]
    lines += [("hosts", ", ".join(added.hosts))] if added.hosts else []
    lines += [("headers", ", ".join(added.secrets) + " (in the keyring)")] if added.secrets else []
    lines += [("note", c.note)] if c.note else []
    for feature in c.own_features():
        value = c.options.get(feature.key, feature.default)
        told = "on" if value is True else "off" if value is False else value
        lines.append(
            ("option", f"{feature.key}={told}   {feature.label} {feature.description}".rstrip())
        )
    if c.looks_around:
        told = "on" if c.sees_all else "off"
        lines.append(("option", f"{WHOLE}={told}   May see all widgets, not only what is attached"))
    return lines
