"""The words and options of `deskpilot chats`; what they do is loaded when one is run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.screen import run_safely

app = typer.Typer(
    help="Find, show, order, remove, back up and bring back conversations.", no_args_is_help=True
)
Name = Annotated[
    str, typer.Argument(help="A conversation: its id, the beginning of it, or its title.")
]


@app.command("list")
def list_chats(
    trash: Annotated[bool, typer.Option("--trash", help="Those in the trash.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """List the conversations: pinned ones first, then the newest."""
    from app.cli import chats_run

    raise typer.Exit(run_safely(chats_run.list_all(trash=trash, as_json=as_json)))


@app.command("search")
def search_chats(
    words: Annotated[list[str], typer.Argument(help="Words that must all occur.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Find words in titles, questions and answers."""
    from app.cli import chats_run

    raise typer.Exit(run_safely(chats_run.search(" ".join(words), as_json=as_json)))


@app.command("show")
def show_chat(name: Name) -> None:
    """Print a conversation as it is shown in the window."""
    from app.cli import chats_run

    raise typer.Exit(run_safely(chats_run.show(name)))


@app.command("export")
def export_chat(
    name: Annotated[str, typer.Argument(help="A conversation; leave it out with --all.")] = "",
    form: Annotated[str, typer.Option("--format", "-f", help="md, html, pdf, json or lmc.")] = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A file instead of stdout.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All of them, as one JSON.")] = False,
) -> None:
    """Write a conversation as Markdown, HTML, PDF, JSON (all of it, to import again) or LMC
    messages.
    """
    from app.cli import chats_run

    if bool(name) == every:
        raise typer.BadParameter("Name a conversation, or say --all.")
    wanted = form or ("json" if every else output.suffix[1:].lower() if output else "md")
    if wanted not in chats_run.FORMS or (every and wanted != "json"):
        allowed = "json" if every else ", ".join(chats_run.FORMS)
        raise typer.BadParameter(
            f"{wanted or 'nothing'} is none of {allowed}.", param_hint="--format"
        )
    if output is None and (every or wanted == "pdf"):
        raise typer.BadParameter("Name a file with --output.")
    raise typer.Exit(run_safely(chats_run.export(name, wanted, output)))


@app.command("import")
def import_chats(
    file: Annotated[
        list[Path], typer.Argument(help="ZIP or JSON files of ChatGPT, LMC or Deskpilot.")
    ],
) -> None:
    """Take in conversations from the export of ChatGPT, from a list of LMC messages, or from an
    export of ours.
    """
    from app.cli import chats_run

    raise typer.Exit(run_safely(chats_run.take_in(file)))


@app.command("rename")
def rename_chat(name: Name, title: Annotated[str, typer.Argument(help="Its new title.")]) -> None:
    """Give a conversation another title."""
    from app.cli import chats_run

    raise typer.Exit(run_safely(chats_run.rename(name, title)))


@app.command("pin")
def pin_chat(
    name: Name, off: Annotated[bool, typer.Option("--off", help="Not any more.")] = False
) -> None:
    """Let a conversation stand at the top of the list."""
    from app.cli import chats_run

    raise typer.Exit(run_safely(chats_run.pin(name, pinned=not off)))


@app.command("move")
def move_chat(
    name: Name,
    folder: Annotated[
        str, typer.Argument(help="A folder, made by being named; none to take it out.")
    ] = "",
) -> None:
    """Put a conversation into a folder."""
    from app.cli import chats_run

    raise typer.Exit(run_safely(chats_run.move(name, folder)))


@app.command("delete")
def delete_chat(name: Name) -> None:
    """Put a conversation into the trash, where it stays for thirty days."""
    from app.cli import chats_run

    raise typer.Exit(run_safely(chats_run.trash(name)))


@app.command("undelete")
def undelete_chat(name: Name) -> None:
    """Bring a conversation back from the trash."""
    from app.cli import chats_run

    raise typer.Exit(run_safely(chats_run.take_back(name)))


@app.command("empty-trash")
def empty_trash() -> None:
    """Remove for good what is in the trash."""
    from app.cli import chats_run

    raise typer.Exit(run_safely(chats_run.empty_trash()))


@app.command("backup")
def back_up(file: Annotated[Path, typer.Argument(help="The file to write.")]) -> None:
    """Write all conversations, dashboards and choices into one file; the files they speak of stay
    where they are.
    """
    from app.cli import chats_run

    raise typer.Exit(run_safely(chats_run.back_up(file)))


@app.command("restore")
def restore(file: Annotated[Path, typer.Argument(help="A file that backup wrote.")]) -> None:
    """Put a backup in place of all conversations; what is here now is backed up first."""
    from app.cli import chats_run

    raise typer.Exit(run_safely(chats_run.restore(file)))
