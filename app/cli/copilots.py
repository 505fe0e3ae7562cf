"""The words and options of `deskpilot copilots`; what they do is loaded when one is run."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.screen import run_safely

app = typer.Typer(help="Add, list, show, set and remove copilots.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(help="The name a copilot was added under.")]


@app.command("add")
def add_copilot(
    address: Annotated[
        str, typer.Argument(help="Where it publishes agents.json; URL#id takes one of several.")
    ],
    name: Annotated[str, typer.Option(help="What to ask it by; its own id if absent.")] = "",
    header: Annotated[
        list[str] | None,
        typer.Option(help='Sent with each question, as "Name: value"; kept in the keyring.'),
    ] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A host that question and data may go to.")
    ] = None,
    dialect: Annotated[
        str, typer.Option(help="2024, today, or lmc for a server of Open Interpreter's kind.")
    ] = "",
) -> None:
    """Add a copilot by its address; added again, it is read anew."""
    from app.cli import copilots_run
    from app.domain.copilot import read_headers

    if dialect not in ("", "2024", "today", "lmc"):
        raise typer.BadParameter(f"{dialect} is none of 2024, today, lmc.", param_hint="--dialect")
    try:
        headers = read_headers(header or [])
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--header") from error
    hosts = frozenset(allow_host or [])
    raise typer.Exit(run_safely(copilots_run.add(address, name, headers, hosts, dialect or None)))


@app.command("list")
def list_copilots() -> None:
    """List the copilots that were added."""
    from app.cli import copilots_run

    raise typer.Exit(run_safely(copilots_run.list_all()))


@app.command("show")
def show_copilot(name: Name) -> None:
    """Show what is known of a copilot: what it can, where it is asked, its options."""
    from app.cli import copilots_run

    raise typer.Exit(run_safely(copilots_run.show(name)))


@app.command("set")
def set_copilot(
    name: Name, setting: Annotated[str, typer.Argument(help="KEY=VALUE, as show lists them.")]
) -> None:
    """Set one of a copilot's own options."""
    from app.cli import copilots_run

    raise typer.Exit(run_safely(copilots_run.set_option(name, setting)))


@app.command("remove")
def remove_copilot(name: Name) -> None:
    """Forget a copilot and its headers."""
    from app.cli import copilots_run

    raise typer.Exit(run_safely(copilots_run.remove(name)))
