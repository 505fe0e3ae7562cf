"""What `deskpilot chats` does: look at conversations, change them, bring them in and out as
files.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

import typer

from app.bootstrap import build_chats, build_history
from app.cli.screen import printable
from app.services.conversation.exchange import FORMS as TEXTS
from backends.paths import store_file

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


FORMS = (*TEXTS, "pdf")


async def export(name: str, form: str, output: Path | None) -> None:
    """Write one conversation, or all without a name; to stdout without a file."""
    async with build_chats(reading=True) as (history, exchange):
        if not name and output is not None:
            typer.echo(f"{counted(await exchange.write_all(output))} written to {output}.")
            return
        uid = (await history.named(name)).id
        text_form = TEXTS.get(form, "html")
        if output is None:
            typer.echo(await exchange.text(uid, text_form), nl=False)
        elif form == "pdf":
            from app.ui.chat.printing import write_pdf_without_window

            write_pdf_without_window(await exchange.text(uid, "html"), output)
        else:
            await exchange.write(uid, text_form, output)


async def take_in(files: list[Path]) -> None:
    """Take in the conversations of files, each file whole."""
    async with build_chats() as (_, exchange):
        for file in files:
            typer.echo(f"{counted(len(await exchange.read(file)))} taken in from {file}.")
