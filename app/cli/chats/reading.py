"""Look at conversations, also while a window has them open."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

import typer

from app.bootstrap import build_history
from app.cli.screen import printable

if TYPE_CHECKING:
    from pathlib import Path

    from app.domain.conversation import Conversation

SHORT_ID = 8


async def list_all(*, trash: bool, as_json: bool) -> None:
    """Print the conversations, one a line."""
    async with build_history(reading=True) as history:
        found = await (history.trashed() if trash else history.conversations())
    if as_json:
        for one in found:
            typer.echo(json.dumps(asdict(one), ensure_ascii=False))
        return
    if not found:
        typer.echo("The trash is empty." if trash else "There is no conversation yet.")
    for one in sorted(found, key=lambda c: not c.pinned):
        typer.echo(printable(line_of(one)))


def line_of(one: Conversation) -> str:
    """Return a conversation on one line: id, day, marks, title."""
    day = datetime.fromtimestamp(one.updated_at).strftime("%Y-%m-%d %H:%M")
    marks = ("★ " if one.pinned else "") + (f"[{one.folder}] " if one.folder else "")
    return f"{one.id[:SHORT_ID]}  {day}  {marks}{one.title}"


async def search(wanted: str, *, as_json: bool) -> None:
    """Print where every word occurs."""
    async with build_history(reading=True) as history:
        found = await history.search(wanted)
    if not found and not as_json:
        typer.echo(f"Nothing says {wanted}.")
    for one in found:
        if as_json:
            typer.echo(json.dumps(asdict(one), ensure_ascii=False))
        else:
            where = f"\n          {one.excerpt}" if one.turn_id else ""
            typer.echo(printable(f"{one.conversation_id[:SHORT_ID]}  {one.title}{where}"))


async def show(name: str) -> None:
    """Print the branch of a conversation that was last shown."""
    async with build_history(reading=True) as history:
        one = await history.named(name)
        thread = await history.thread(one.id)
        for turn in thread.path:
            number, count = thread.place(turn)
            branch = f"  ({number} of {count})" if count > 1 else ""
            typer.echo(printable(f"› {turn.question}{branch}\n\n{turn.words().strip()}\n"))


async def back_up(file: Path) -> None:
    """Write the store into a file."""
    async with build_history(reading=True) as history:
        await history.back_up(file)
        count = len(await history.conversations())
    size = (await asyncio.to_thread(file.stat)).st_size
    typer.echo(f"{counted(count)} kept in {file} ({size / 1e6:.1f} MB).")


def counted(count: int) -> str:
    """Return how many conversations there are, in words."""
    return f"{count} conversation{'s' * (count != 1)}"
