"""Conversations out into files and in from files, in the shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from app.bootstrap import build_chats
from app.cli.chats.reading import counted
from app.services.chats.exchange import FORMS as TEXTS

if TYPE_CHECKING:
    from pathlib import Path

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
            from app.ui.chats.printing import write_pdf_without_window

            write_pdf_without_window(await exchange.text(uid, "html"), output)
        else:
            await exchange.write(uid, text_form, output)


async def take_in(files: list[Path]) -> None:
    """Take in the conversations of files, each file whole."""
    async with build_chats() as (_, exchange):
        for file in files:
            typer.echo(f"{counted(len(await exchange.read(file)))} taken in from {file}.")
