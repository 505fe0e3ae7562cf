"""`deskpilot chats`: list, find, change, import and export conversations."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.screen import printable, run_safely

if TYPE_CHECKING:
    from app.domain.conversation import Conversation


app = typer.Typer(
    help="Find, show, organize, delete, back up and restore conversations.", no_args_is_help=True
)
Name = Annotated[
    str, typer.Argument(help="A conversation: its id, the start of its id, or its title.")
]


@app.command("list")
def list_chats(
    trash: Annotated[bool, typer.Option("--trash", help="Show the trash.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per line.")
    ] = False,
) -> None:
    """List the conversations: pinned ones first, then the newest."""
    raise typer.Exit(run_safely(list_all(trash=trash, as_json=as_json)))


@app.command("search")
def search_chats(
    words: Annotated[list[str], typer.Argument(help="Words that must all occur.")],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per line.")
    ] = False,
) -> None:
    """Find words in titles, questions and answers."""
    raise typer.Exit(run_safely(search(" ".join(words), as_json=as_json)))


@app.command("show")
def show_chat(name: Name) -> None:
    """Print a conversation."""
    raise typer.Exit(run_safely(show(name)))


@app.command("export")
def export_chat(
    name: Annotated[str, typer.Argument(help="A conversation; omit it with --all.")] = "",
    form: Annotated[str, typer.Option("--format", "-f", help="md, html, pdf, json or lmc.")] = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to this file instead of stdout.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="All conversations, as one JSON file.")
    ] = False,
) -> None:
    """Export a conversation as Markdown, HTML, PDF, JSON (complete, to import again) or LMC
    messages.
    """
    if bool(name) == every:
        raise typer.BadParameter("Specify a conversation, or use --all.")
    wanted = form or ("json" if every else output.suffix[1:].lower() if output else "md")
    if wanted not in FORMS or (every and wanted != "json"):
        allowed = "json" if every else ", ".join(FORMS)
        raise typer.BadParameter(
            f"{wanted or 'nothing'} is not one of {allowed}.", param_hint="--format"
        )
    if output is None and (every or wanted == "pdf"):
        raise typer.BadParameter("Specify a file with --output.")
    raise typer.Exit(run_safely(export(name, wanted, output)))


@app.command("import")
def import_chats(
    file: Annotated[
        list[Path], typer.Argument(help="ZIP or JSON files of ChatGPT, LMC or Deskpilot.")
    ],
) -> None:
    """Import conversations from ChatGPT's export, a list of LMC messages, or our own export."""
    raise typer.Exit(run_safely(take_in(file)))


@app.command("rename")
def rename_chat(name: Name, title: Annotated[str, typer.Argument(help="Its new title.")]) -> None:
    """Rename a conversation."""
    raise typer.Exit(run_safely(rename(name, title)))


@app.command("pin")
def pin_chat(
    name: Name, off: Annotated[bool, typer.Option("--off", help="Turn it off.")] = False
) -> None:
    """Pin a conversation to the top of the list."""
    raise typer.Exit(run_safely(pin(name, pinned=not off)))


@app.command("move")
def move_chat(
    name: Name,
    folder: Annotated[
        str,
        typer.Argument(help="A folder, created if necessary; omit it for none."),
    ] = "",
) -> None:
    """Move a conversation to a folder."""
    raise typer.Exit(run_safely(move(name, folder)))


@app.command("delete")
def delete_chat(name: Name) -> None:
    """Move a conversation to the trash, where it stays for thirty days."""
    raise typer.Exit(run_safely(trash(name)))


@app.command("undelete")
def undelete_chat(name: Name) -> None:
    """Restore a conversation from the trash."""
    raise typer.Exit(run_safely(take_back(name)))


@app.command("empty-trash")
def empty_trash() -> None:
    """Delete everything in the trash permanently."""
    raise typer.Exit(run_safely(delete_trashed()))


@app.command("backup")
def back_up(file: Annotated[Path, typer.Argument(help="The file to write.")]) -> None:
    """Write all conversations, dashboards and choices to one file; attached files stay where they
    are.
    """
    raise typer.Exit(run_safely(write_backup(file)))


@app.command("restore")
def restore(file: Annotated[Path, typer.Argument(help="A file written by `backup`.")]) -> None:
    """Replace all conversations with a backup; the current ones are backed up first."""
    raise typer.Exit(run_safely(read_backup(file)))


SHORT_ID = 8


async def list_all(*, trash: bool, as_json: bool) -> None:
    """Print the conversations, one a line."""
    from app.bootstrap import build_history

    async with build_history(reading=True) as history:
        found = await (history.trashed() if trash else history.conversations())
    if as_json:
        for one in found:
            typer.echo(json.dumps(asdict(one), ensure_ascii=False))
        return
    if not found:
        typer.echo("The trash is empty." if trash else "There are no conversations yet.")
    for one in sorted(found, key=lambda c: not c.pinned):
        typer.echo(printable(line_of(one)))


def line_of(one: Conversation) -> str:
    """Return a conversation on one line: id, day, marks, title."""
    day = datetime.fromtimestamp(one.updated_at).strftime("%Y-%m-%d %H:%M")
    marks = ("★ " if one.pinned else "") + (f"[{one.folder}] " if one.folder else "")
    return f"{one.id[:SHORT_ID]}  {day}  {marks}{one.title}"


async def search(wanted: str, *, as_json: bool) -> None:
    """Print the places where every word occurs."""
    from app.bootstrap import build_history

    async with build_history(reading=True) as history:
        found = await history.search(wanted)
    if not found and not as_json:
        typer.echo(f"No conversation contains {wanted}.")
    for one in found:
        if as_json:
            typer.echo(json.dumps(asdict(one), ensure_ascii=False))
        else:
            where = f"\n          {one.excerpt}" if one.turn_id else ""
            typer.echo(printable(f"{one.conversation_id[:SHORT_ID]}  {one.title}{where}"))


async def show(name: str) -> None:
    """Print the branch of a conversation that was last shown."""
    from app.bootstrap import build_history

    async with build_history(reading=True) as history:
        one = await history.named(name)
        thread = await history.thread(one.id)
        await history.read(thread.path)
        for turn in thread.path:
            number, count = thread.place(turn)
            branch = f"  ({number} of {count})" if count > 1 else ""
            typer.echo(printable(f"› {turn.question}{branch}\n\n{turn.words().strip()}\n"))


async def write_backup(file: Path) -> None:
    """Write the store into a file."""
    from app.bootstrap import build_history

    async with build_history(reading=True) as history:
        await history.back_up(file)
        count = len(await history.conversations())
    size = (await asyncio.to_thread(file.stat)).st_size
    typer.echo(f"{counted(count)} saved in {file} ({size / 1000000.0:.1f} MB).")


def counted(count: int) -> str:
    """Return how many conversations there are, in words."""
    return f"{count} conversation{'s' * (count != 1)}"


async def rename(name: str, title: str) -> None:
    """Give one a title."""
    from app.bootstrap import build_history

    async with build_history() as history:
        await history.rename((await history.named(name)).id, title)


async def pin(name: str, *, pinned: bool) -> None:
    """Pin one, or not."""
    from app.bootstrap import build_history

    async with build_history() as history:
        await history.pin((await history.named(name)).id, pinned=pinned)


async def move(name: str, folder: str) -> None:
    """Put one into a folder."""
    from app.bootstrap import build_history

    async with build_history() as history:
        await history.move((await history.named(name)).id, folder)


async def trash(name: str) -> None:
    """Put one into the trash."""
    from app.bootstrap import build_history

    async with build_history() as history:
        one = await history.named(name)
        await history.trash(one.id)
    typer.echo(
        printable(
            f"{one.title} is in the trash. To restore it: deskpilot chats undelete {one.id[:8]}"
        )
    )


async def take_back(name: str) -> None:
    """Bring one back."""
    from app.bootstrap import build_history

    async with build_history() as history:
        await history.take_back((await history.named(name)).id)


async def delete_trashed() -> None:
    """Permanently remove the content of the trash."""
    from app.bootstrap import build_history

    async with build_history() as history:
        count = await history.empty_trash()
    typer.echo(f"{counted(count)} permanently removed.")


async def read_backup(file: Path) -> None:
    """Replace the conversations by a backup; the present ones are backed up first."""
    from app.bootstrap import build_history, set_damaged_aside
    from app.domain.errors import StoreDamaged
    from backends.paths import store_file

    at = datetime.now().strftime("%Y-%m-%d-%H%M%S")
    before = store_file().with_name(f"deskpilot-before-restore-{at}.sqlite")
    try:
        async with build_history() as history:
            await history.back_up(before)
    except StoreDamaged:
        before = set_damaged_aside()
    async with build_history() as history:
        await history.restore(file)
        count = len(await history.conversations())
    typer.echo(f"{counted(count)} restored. The previous data was saved in {before}.")


FORMS = ("md", "html", "json", "lmc", "pdf")


async def export(name: str, form: str, output: Path | None) -> None:
    """Write one conversation, or all without a name; to stdout without a file."""
    from app.bootstrap import build_chats
    from app.services.conversation.exchange import FORMS as TEXTS

    async with build_chats(reading=True) as (history, exchange):
        if not name and output is not None:
            typer.echo(f"{counted(await exchange.write_all(output))} written to {output}.")
            return
        uid = (await history.named(name)).id
        text_form = TEXTS.get(form, "html")
        if output is None:
            typer.echo(await exchange.text(uid, text_form), nl=False)
        elif form == "pdf":
            from app.ui.chat.pdf import write_pdf_without_window

            write_pdf_without_window(await exchange.text(uid, "html"), output)
        else:
            await exchange.write(uid, text_form, output)


async def take_in(files: list[Path]) -> None:
    """Import conversations from files, each file entirely or not at all."""
    from app.bootstrap import build_chats

    async with build_chats() as (_, exchange):
        for file in files:
            typer.echo(f"{counted(len(await exchange.read(file)))} imported from {file}.")
