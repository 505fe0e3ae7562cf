"""`deskpilot assistants`: create assistants and publish them through the gateway."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.screen import printable, run_safely

app = typer.Typer(
    help="Assistants: named models with instructions, plugins and tables.", no_args_is_help=True
)
Name = Annotated[str, typer.Argument(help="The name of an assistant.")]


@app.command("create")
def create(
    name: Name,
    model: Annotated[
        str, typer.Option(help="The chat model; by default the one in the settings.")
    ] = "",
    prompt: Annotated[str, typer.Option(help="Its instructions; @FILE reads a file.")] = "",
    plugin: Annotated[list[str] | None, typer.Option(help="A plugin or MCP server for it.")] = None,
    widget: Annotated[list[Path] | None, typer.Option(help="A table for it.")] = None,
) -> None:
    """Create an assistant; an existing one of that name is replaced and unpublished."""
    told = prompt
    if prompt.startswith("@"):
        try:
            told = Path(prompt[1:]).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise typer.BadParameter(
                f"{prompt[1:]} cannot be read as text.", param_hint="--prompt"
            ) from error
    files = tuple(str(path.expanduser().absolute()) for path in widget or [])
    raise typer.Exit(run_safely(create_one(name, model, told, tuple(plugin or []), files)))


@app.command("list")
def list_() -> None:
    """List the assistants and the calls they may make without asking."""
    raise typer.Exit(run_safely(list_all()))


@app.command("publish")
def publish(
    name: Name,
    allow: Annotated[
        list[str] | None,
        typer.Option(help="PLUGIN/TOOL that its users may call without asking."),
    ] = None,
) -> None:
    """Publish an assistant through the gateway and print its token, once."""
    raise typer.Exit(run_safely(publish_one(name, [pair(one) for one in allow or []])))


@app.command("revoke")
def revoke(
    name: Name,
    what: Annotated[
        str,
        typer.Argument(help="PLUGIN/TOOL to revoke; by default everything, including the token."),
    ] = "",
) -> None:
    """Revoke permissions of an assistant."""
    raise typer.Exit(run_safely(revoke_one(name, pair(what) if what else None)))


@app.command("remove")
def remove(name: Name) -> None:
    """Remove an assistant."""
    raise typer.Exit(run_safely(remove_one(name)))


async def create_one(
    name: str, model: str, prompt: str, plugins: tuple[str, ...], files: tuple[str, ...]
) -> None:
    """Keep one."""
    from app.adapters.builders import build_belt
    from app.domain.copilot import Assistant

    async with build_belt() as belt:
        await belt.assistants.create(Assistant(name, model, prompt, plugins, files))
    typer.echo(f"Created {name}. To publish it: deskpilot assistants publish {name}")


async def list_all() -> None:
    """Print them."""
    from app.adapters.builders import build_belt

    async with build_belt() as belt:
        known = await belt.assistants.all()
    if not known:
        typer.echo("There are no assistants yet. Create one with: deskpilot assistants create NAME")
    for one in known:
        parts = [one.name, "published" if one.token else "not published", one.model, *one.servers]
        typer.echo(printable("  ".join(part for part in parts if part)))
        for server, tool in one.granted:
            typer.echo(f"  may call {server}/{tool} without asking")


async def publish_one(name: str, granted: list[tuple[str, str]]) -> None:
    """Publish one."""
    from app.adapters.builders import build_belt

    async with build_belt() as belt:
        token = await belt.assistants.publish(name, granted)
    typer.echo(
        f"{name} is published. Its token, which is not shown again:\n{token}\nTo serve it: "
        "deskpilot gateway"
    )


async def revoke_one(name: str, what: tuple[str, str] | None) -> None:
    """Revoke a permission."""
    from app.adapters.builders import build_belt

    async with build_belt() as belt:
        await belt.assistants.revoke(name, what)
    typer.echo(
        f"{name} can no longer do that without asking."
        if what
        else f"{name} is no longer published."
    )


async def remove_one(name: str) -> None:
    """Forget one."""
    from app.adapters.builders import build_belt

    async with build_belt() as belt:
        await belt.assistants.remove(name)
    typer.echo(f"Removed {name}.")


def pair(text: str) -> tuple[str, str]:
    """Return PLUGIN/TOOL as both."""
    server, slash, tool = text.partition("/")
    if not slash or not server or not tool:
        raise typer.BadParameter("Write it like todolist/todo.")
    return server, tool
