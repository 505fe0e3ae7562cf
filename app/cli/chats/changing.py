"""Change conversations; not while a window has them open."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import typer

from app.bootstrap import build_history
from app.cli.chats.reading import counted
from app.cli.screen import printable
from backends.paths import store_file

if TYPE_CHECKING:
    from pathlib import Path


async def rename(name: str, title: str) -> None:
    """Give one a title."""
    async with build_history() as history:
        await history.rename((await history.named(name)).id, title)


async def pin(name: str, *, pinned: bool) -> None:
    """Pin one, or not."""
    async with build_history() as history:
        await history.pin((await history.named(name)).id, pinned=pinned)


async def move(name: str, folder: str) -> None:
    """Put one into a folder."""
    async with build_history() as history:
        await history.move((await history.named(name)).id, folder)


async def trash(name: str) -> None:
    """Put one into the trash."""
    async with build_history() as history:
        one = await history.named(name)
        await history.trash(one.id)
    typer.echo(
        printable(f"{one.title} is in the trash. Back again: deskpilot chats undelete {one.id[:8]}")
    )


async def take_back(name: str) -> None:
    """Bring one back."""
    async with build_history() as history:
        await history.take_back((await history.named(name)).id)


async def empty_trash() -> None:
    """Remove for good what is in the trash."""
    async with build_history() as history:
        count = await history.empty_trash()
    typer.echo(f"{counted(count)} removed for good.")


async def restore(file: Path) -> None:
    """Put a backup in place of what is here, which is backed up first."""
    at = datetime.now().strftime("%Y-%m-%d-%H%M%S")
    before = store_file().with_name(f"deskpilot-before-restore-{at}.sqlite")
    async with build_history() as history:
        await history.back_up(before)
        await history.restore(file)
        count = len(await history.conversations())
    typer.echo(f"{counted(count)} brought back. What was here before is kept in {before}.")
