"""`deskpilot skills`: instructions used by questions that begin with /skill:NAME."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.screen import printable, run_safely

if TYPE_CHECKING:
    from app.services.conversation.skills import Skills

app = typer.Typer(
    help="Instructions used by questions that begin with /skill:NAME.",
    no_args_is_help=True,
)
Name = Annotated[str, typer.Argument(help="The name of a skill.")]


@app.command("add")
def add(
    file: Annotated[Path, typer.Argument(help="A Markdown file; - reads stdin.")],
    name: Annotated[str, typer.Option(help="Its name; by default the file's name.")] = "",
    description: Annotated[
        str, typer.Option(help="A one-line description; by default the first line of the file.")
    ] = "",
) -> None:
    """Save a skill; an existing one of that name is replaced."""
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{file} cannot be read as text.", param_hint="FILE") from error
    raise typer.Exit(run_safely(keep(name or file.stem, description, text)))


@app.command("list")
def list_() -> None:
    """List the skills, and those that copilots proposed."""
    raise typer.Exit(run_safely(list_all()))


@app.command("show")
def show(name: Name) -> None:
    """Print a skill."""
    raise typer.Exit(run_safely(print_one(name)))


@app.command("accept")
def accept(name: Name) -> None:
    """Save a skill that a copilot proposed."""
    raise typer.Exit(run_safely(accept_one(name)))


@app.command("remove")
def remove(name: Name) -> None:
    """Remove a skill."""
    raise typer.Exit(run_safely(remove_one(name)))


async def keep(name: str, description: str, text: str) -> None:
    """Keep one."""
    made = await skills().put(name, description, text)
    typer.echo(
        printable(
            f"Saved {made.slug}: {made.description}\nTo use it: /skill:{made.slug} YOUR QUESTION"
        )
    )


async def list_all() -> None:
    """Print the skills."""
    known, proposed = await skills().all(), await skills().all(proposed=True)
    if not known and not proposed:
        typer.echo("There are no skills yet. Add one with: deskpilot skills add FILE")
    for skill in known:
        typer.echo(printable(f"{skill.slug}  {skill.description}"))
    for skill in proposed:
        typer.echo(
            printable(f"{skill.slug}  {skill.description}  (proposed by a copilot, not saved yet)")
        )


async def print_one(name: str) -> None:
    """Print one."""
    typer.echo(printable((await skills().get(name)).content))


async def accept_one(name: str) -> None:
    """Keep a proposed one."""
    await skills().accept(name)
    typer.echo(f"Saved {name}.")


async def remove_one(name: str) -> None:
    """Forget one."""
    await skills().remove(name)
    typer.echo(f"Removed {name}.")


def skills() -> Skills:
    """Return the skills of this data folder."""
    from app import bootstrap

    return bootstrap.skills()
