"""The words and options of `deskpilot data`; what they do is loaded when one is run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.screen import run_safely

app = typer.Typer(
    help="Tables, what is known of them, and a library of workflows over them.",
    no_args_is_help=True,
)
Name = Annotated[str, typer.Argument(help="The name of a workflow.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("add")
def add(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE|WIDGET|ADDRESS",
            help=(
                "A table: CSV, Parquet, Excel, JSON, SQLite, DuckDB; a widget of the dashboard by"
                " its name; or postgresql://user@host/name."
            ),
        ),
    ],
    table: Annotated[
        list[str] | None,
        typer.Option(help="Of a database: a table or view to copy, as schema.name."),
    ] = None,
    first: Annotated[
        int, typer.Option(min=0, help="Of a large table: how many rows to copy, the rest left out.")
    ] = 0,
    about: Annotated[str, typer.Option(help="What the table holds, in a sentence.")] = "",
    meaning: Annotated[
        list[str] | None, typer.Option(help="COLUMN=WORDS: what a column holds.")
    ] = None,
    closes: Annotated[
        str,
        typer.Option(
            help=(
                "HH:MM, and a time zone if another than here: before, the table's today is"
                " yesterday."
            )
        ),
    ] = "",
) -> None:
    """Keep what is known of a table: what it holds, what its columns mean, when its day is over.

    Of a database the tables are listed, or copied; the password is asked for, and kept in the
    keyring.
    """
    from app.domain.database import is_address

    meanings = dict(pair(text, "--meaning") for text in meaning or [])
    if is_address(file):
        from app.cli.data_tables import add_database

        raise typer.Exit(
            run_safely(add_database(file, table or [], first, (about, meanings, closes)))
        )
    from app.cli.data_tables import keep

    if table or first:
        raise typer.BadParameter(
            "Only a database has tables to choose from.", param_hint="--table, --first"
        )
    raise typer.Exit(run_safely(keep(file, about, meanings, closes)))


@app.command("databases")
def databases() -> None:
    """List the databases that were added, and their tables."""
    from app.cli.data_tables import list_databases

    raise typer.Exit(run_safely(list_databases()))


@app.command("refresh")
def refresh(name: Annotated[str, typer.Argument(help="A table; all if absent.")] = "") -> None:
    """Copy tables of databases anew."""
    from app.cli.data_tables import refresh as copy_anew

    raise typer.Exit(run_safely(copy_anew(name)))


@app.command("forget")
def forget(url: Annotated[str, typer.Argument(help="The address of a database.")]) -> None:
    """Forget a database and its password; copies of its tables stay."""
    from app.cli.data_tables import forget_database

    raise typer.Exit(run_safely(forget_database(url)))


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List the tables that were added or stand on a dashboard; --json prints all that is known of
    them.
    """
    from app.cli.data_tables import list_tables

    raise typer.Exit(run_safely(list_tables(as_json)))


@app.command("design")
def design(
    tables: Annotated[
        list[Path] | None, typer.Argument(help="Tables; none: go on with the unfinished design.")
    ] = None,
    requests: Annotated[
        int, typer.Option(min=1, max=500, help="How many requests it asks itself.")
    ] = 60,
    like: Annotated[
        list[str] | None,
        typer.Option(help="A request such as you would make; may be given several times."),
    ] = None,
    chance: Annotated[
        int | None, typer.Option(help="A number: the same one, the same choices.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Let the model design interfaces over tables: asked, defined, merged, tried out, kept in the
    library.

    Ctrl+C stops it, and the model; without tables it goes on where it was, whatever ended it.
    """
    from app.cli.data_design import design as work

    raise typer.Exit(run_safely(work(tables or [], requests, like or [], chance, as_json)))


@app.command("library")
def library(
    name: Annotated[str, typer.Argument(help="A workflow, to see its steps.")] = "",
    as_json: Json = False,
) -> None:
    """List the workflows of the library, or show one."""
    from app.cli.data_run import list_library, show

    raise typer.Exit(run_safely(show(name, as_json) if name else list_library(as_json)))


@app.command("save")
def save(
    name: Name,
    chat: Annotated[str, typer.Option(help="The chat it ran in; the newest if absent.")] = "",
    parameter: Annotated[
        list[str] | None,
        typer.Option(help="NAME=STEP.ARGUMENT: what one may change, such as start=result1.start."),
    ] = None,
    description: Annotated[str, typer.Option(help="What it is for.")] = "",
    file: Annotated[
        Path | None, typer.Option("--file", help="A workflow as JSON, instead of one that ran.")
    ] = None,
    widget: Annotated[
        list[Path] | None, typer.Option(help="A table it reads, if that was not added.")
    ] = None,
) -> None:
    """Keep a workflow that ran under a name, once it was tried out."""
    from app.cli.data_run import keep_workflow

    named = dict(pair(text, "--parameter") for text in parameter or [])
    raise typer.Exit(
        run_safely(keep_workflow(name, chat, named, (description, file, widget or [])))
    )


@app.command("run")
def run(
    name: Name,
    values: Annotated[list[str] | None, typer.Argument(help="PARAMETER=VALUE.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write its last table as CSV.")] = None,
    as_json: Json = False,
) -> None:
    """Run a workflow of the library again, without any model."""
    from app.cli.data_run import replay

    given = dict(pair(text, "VALUES") for text in values or [])
    raise typer.Exit(run_safely(replay(name, given, csv, as_json)))


@app.command("test")
def test(name: Name) -> None:
    """Try a workflow of the library out again; what comes of it is kept as a new version."""
    from app.cli.data_run import try_out

    raise typer.Exit(run_safely(try_out(name)))


@app.command("remove")
def remove(name: Name) -> None:
    """Forget a workflow."""
    from app.cli.data_run import forget

    raise typer.Exit(run_safely(forget(name)))


def pair(text: str, hint: str) -> tuple[str, str]:
    """Return both sides of `name=value`.

    Raises: BadParameter.
    """
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise typer.BadParameter(f"{text} is not NAME=VALUE.", param_hint=hint)
    return name.strip(), value
