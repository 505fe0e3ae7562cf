"""`deskpilot settings`: list, set and reset settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from app.domain.settings import Setting

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="List, change and reset settings."
)


@app.command("list")
def list_(
    everything: Annotated[bool, typer.Option("--all", help="Include developer settings.")] = False,
) -> None:
    """List the settings, their values and what they do."""
    from app.cli.screen import run_safely

    raise typer.Exit(run_safely(run_list(everything=everything)))


@app.command("set")
def set_(
    key: Annotated[str, typer.Argument(help="As shown by `settings list`.")],
    value: Annotated[
        str, typer.Argument(help="on, off, a number, a name, or names separated by commas.")
    ],
) -> None:
    """Change a setting."""
    from app.cli.screen import run_safely

    raise typer.Exit(run_safely(run_set(key, value)))


@app.command()
def reset(key: Annotated[str, typer.Argument(help="As shown by `settings list`.")]) -> None:
    """Reset a setting to its default."""
    from app.cli.screen import run_safely

    raise typer.Exit(run_safely(run_set(key, None)))


async def run_list(*, everything: bool) -> int:
    """Print the settings; return the exit status.

    Raises: SetupError.
    """
    from rich.console import Console
    from rich.table import Column, Table

    from app.bootstrap import settings
    from app.domain.settings import PAGES

    kept = settings()
    table = Table(Column("key", no_wrap=True), "value", "what it does", box=None)
    for page in PAGES:
        for setting in page.settings:
            if everything or setting.level == "user":
                value = setting.shown(await kept.get(setting))
                table.add_row(setting.key, value or "-", told_of(setting))
    Console().print(table)
    return 0


def told_of(setting: Setting[Any]) -> str:
    """Return the description of a setting and its possible values."""
    what = f"The key for: {setting.label}." if setting.kind == "key" else setting.help
    return f"{what} ({setting.takes})"


async def run_set(key: str, value: str | None) -> int:
    """Set or, without a value, take back a setting; return the exit status.

    Raises: SetupError.
    """
    from app.bootstrap import settings
    from app.domain.settings import find

    setting = find(key)
    if value is None:
        await settings().reset(setting)
    else:
        await settings().put(setting, setting.read(value))
    return 0
