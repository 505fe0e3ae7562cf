"""The words and options of `deskpilot chats`; what they do is loaded when one is run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.screen import run_safely

app = typer.Typer(
    help="Find, show, order, remove, back up and bring back conversations.", no_args_is_help=True
)
Name = Annotated[str, typer.Argument(help="A conversation: its id, the beginning of it, or its title.")]


@app.command("list")
def list_chats(
    trash: Annotated[bool, typer.Option("--trash", help="Those in the trash.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """List the conversations: pinned ones first, then the newest."""
    from app.cli.chats import reading

    raise typer.Exit(run_safely(reading.list_all(trash=trash, as_json=as_json)))


@app.command("search")
def search_chats(
    words: Annotated[list[str], typer.Argument(help="Words that must all occur.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Find words in titles, questions and answers."""
    from app.cli.chats import reading

    raise typer.Exit(run_safely(reading.search(" ".join(words), as_json=as_json)))


@app.command("show")
def show_chat(name: Name) -> None:
    """Print a conversation as it is shown in the window."""
    from app.cli.chats import reading

    raise typer.Exit(run_safely(reading.show(name)))


@app.command("rename")
def rename_chat(name: Name, title: Annotated[str, typer.Argument(help="Its new title.")]) -> None:
    """Give a conversation another title."""
    from app.cli.chats import changing

    raise typer.Exit(run_safely(changing.rename(name, title)))


@app.command("pin")
def pin_chat(name: Name, off: Annotated[bool, typer.Option("--off", help="Not any more.")] = False) -> None:
    """Let a conversation stand at the top of the list."""
    from app.cli.chats import changing

    raise typer.Exit(run_safely(changing.pin(name, pinned=not off)))


@app.command("move")
def move_chat(
    name: Name,
    folder: Annotated[str, typer.Argument(help="A folder, made by being named; none to take it out.")] = "",
) -> None:
    """Put a conversation into a folder."""
    from app.cli.chats import changing

    raise typer.Exit(run_safely(changing.move(name, folder)))


@app.command("delete")
def delete_chat(name: Name) -> None:
    """Put a conversation into the trash, where it stays for thirty days."""
    from app.cli.chats import changing

    raise typer.Exit(run_safely(changing.trash(name)))


@app.command("undelete")
def undelete_chat(name: Name) -> None:
    """Bring a conversation back from the trash."""
    from app.cli.chats import changing

    raise typer.Exit(run_safely(changing.take_back(name)))


@app.command("empty-trash")
def empty_trash() -> None:
    """Remove for good what is in the trash."""
    from app.cli.chats import changing

    raise typer.Exit(run_safely(changing.empty_trash()))


@app.command("backup")
def back_up(file: Annotated[Path, typer.Argument(help="The file to write.")]) -> None:
    """Write all conversations, dashboards and choices into one file; the files they speak of stay where they are."""
    from app.cli.chats import reading

    raise typer.Exit(run_safely(reading.back_up(file)))


@app.command("restore")
def restore(file: Annotated[Path, typer.Argument(help="A file that backup wrote.")]) -> None:
    """Put a backup in place of all conversations; what is here now is backed up first."""
    from app.cli.chats import changing

    raise typer.Exit(run_safely(changing.restore(file)))
