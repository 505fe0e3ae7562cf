"""`deskpilot data`: tables, databases, and workflows saved for them."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.screen import printable, run_safely

if TYPE_CHECKING:
    from app.data.design.definition import State
    from app.data.library.entry import LibraryEntry
    from app.data.sources import Sources
    from app.domain.dashboard import Widget
    from app.domain.database import DatabaseTable
    from app.services.dashboard.databases import Database, Databases
    from app.services.library.designer import DesignProgress
    from backends.data.values import Scalar
    from backends.data.workflow.report import Shown, WorkflowResult
    from backends.data.workflow.step import Parameter, Workflow


app = typer.Typer(
    help="Tables, notes on them, and a library of workflows.",
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
        typer.Option(help="A table or view of the database to copy, as schema.name."),
    ] = None,
    first: Annotated[int, typer.Option(min=0, help="How many rows of a large table to copy.")] = 0,
    about: Annotated[str, typer.Option(help="A one-sentence description of the table.")] = "",
    meaning: Annotated[
        list[str] | None, typer.Option(help="COLUMN=TEXT: the description of a column.")
    ] = None,
    closes: Annotated[
        str,
        typer.Option(
            help=(
                "HH:MM, with a time zone if different from this machine's; before this time, the "
                "table's latest day is yesterday."
            )
        ),
    ] = "",
) -> None:
    """Describe a table: what it contains, what its columns mean, and when its day ends.

    For a database, its tables are listed or copied; you are asked for the password, which is saved
    in the keyring.
    """
    from app.domain.database import is_address

    meanings = dict(pair(text, "--meaning") for text in meaning or [])
    if is_address(file):
        raise typer.Exit(
            run_safely(add_database(file, table or [], first, (about, meanings, closes)))
        )
    if table or first:
        raise typer.BadParameter(
            "Only a database has tables to choose from.", param_hint="--table, --first"
        )
    raise typer.Exit(run_safely(keep(file, about, meanings, closes)))


@app.command("databases")
def databases() -> None:
    """List the added databases and their tables."""
    raise typer.Exit(run_safely(list_databases()))


@app.command("refresh")
def refresh(name: Annotated[str, typer.Argument(help="A table; by default all.")] = "") -> None:
    """Copy database tables again."""
    raise typer.Exit(run_safely(refresh_tables(name)))


@app.command("forget")
def forget(url: Annotated[str, typer.Argument(help="The address of a database.")]) -> None:
    """Remove a database and its password; copies of its tables stay."""
    raise typer.Exit(run_safely(forget_database(url)))


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List the tables that were added or are on a dashboard; --json prints all details."""
    raise typer.Exit(run_safely(list_tables(as_json)))


@app.command("design")
def design(
    tables: Annotated[
        list[Path] | None, typer.Argument(help="Tables; without any, resume the unfinished design.")
    ] = None,
    requests: Annotated[
        int, typer.Option(min=1, max=500, help="How many requests to design for.")
    ] = 60,
    like: Annotated[
        list[str] | None,
        typer.Option(help="An example request; can be repeated."),
    ] = None,
    chance: Annotated[int | None, typer.Option(help="The random seed.")] = None,
    as_json: Json = False,
) -> None:
    """Let the model design interfaces for tables, test them, and save them in the library.

    Ctrl+C stops it; without tables it resumes the interrupted design.
    """
    raise typer.Exit(run_safely(run_design(tables or [], requests, like or [], chance, as_json)))


@app.command("library")
def list_workflows(
    name: Annotated[str, typer.Argument(help="A workflow, to show its steps.")] = "",
    as_json: Json = False,
) -> None:
    """List the workflows in the library, or show one."""
    raise typer.Exit(run_safely(show(name, as_json) if name else list_library(as_json)))


@app.command("save")
def save(
    name: Name,
    chat: Annotated[str, typer.Option(help="The chat it ran in; by default the newest.")] = "",
    parameter: Annotated[
        list[str] | None,
        typer.Option(help="NAME=STEP.ARGUMENT: a parameter, such as start=result1.start."),
    ] = None,
    description: Annotated[str, typer.Option(help="Its description.")] = "",
    file: Annotated[
        Path | None,
        typer.Option("--file", help="A workflow as JSON, instead of the last one that ran."),
    ] = None,
    widget: Annotated[
        list[Path] | None, typer.Option(help="A table that it reads, if not added yet.")
    ] = None,
) -> None:
    """Validate a workflow that ran, and save it under a name."""
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
    """Run a workflow from the library again, without a model."""
    given = dict(pair(text, "VALUES") for text in values or [])
    raise typer.Exit(run_safely(replay(name, given, csv, as_json)))


@app.command("test")
def test(name: Name) -> None:
    """Validate a workflow from the library again and save the result as a new version."""
    raise typer.Exit(run_safely(try_out(name)))


@app.command("remove")
def remove(name: Name) -> None:
    """Remove a workflow."""
    raise typer.Exit(run_safely(forget_workflow(name)))


def pair(text: str, hint: str) -> tuple[str, str]:
    """Return both sides of `name=value`.

    Raises: BadParameter.
    """
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise typer.BadParameter(f"{text} is not NAME=VALUE.", param_hint=hint)
    return name.strip(), value


async def keep(named: str, about: str, meanings: dict[str, str], closes: str) -> None:
    """Save notes on a file or widget by its name and print them; for a file with several tables, on
    each.

    Raises: SourceError.
    """
    from app.bootstrap import library
    from app.data.library.library_file import parsing_file
    from app.data.readers import tables_of
    from app.data.sources import Sources
    from app.data.tables import uuid_of
    from app.services.dashboard.table_notes import MOST, check_clock, note_of, too_many

    check_clock(closes)
    file, widget = await meant(named)
    paths = await asyncio.to_thread(tables_of, file)
    if len(paths) > 1 and widget is None:
        if about or meanings or len(paths) > MOST:
            raise too_many(file, paths)
        for path in paths:
            await keep(str(path), "", {}, closes)
        return
    source = await asyncio.to_thread(Sources().add_file, file)
    await library().keep_note(uuid_of(file), note_of(source, about, meanings, closes))
    made = await asyncio.to_thread(Sources(library().note).add_file, file)
    typer.echo(printable(json.dumps(parsing_file(made, widget), ensure_ascii=False, indent=1)))


async def meant(named: str) -> tuple[Path, Widget | None]:
    """Return the file that is meant, or that of a named table: of the dashboards, or one that was
    added.

    Raises: SourceError if several are called so.
    """
    from app.bootstrap import library
    from app.data.readers.parts import copied, name_of
    from app.data.tables import uuid_of
    from app.domain.errors import SourceError

    file = Path(named)
    shown = await on_dashboards()
    known = [w for w in shown if w.uuid == uuid_of(file)]
    if known or await asyncio.to_thread(is_there, file):
        return file, known[0] if known else None
    called: dict[str, Widget | None] = {w.path: w for w in shown if named in (w.name, w.uuid)}
    for note in library().notes().values():
        path = Path(note.path)
        copy = await asyncio.to_thread(copied, path)
        known_as = (copy.name, f"{copy.schema}.{copy.name}") if copy else (name_of(path),)
        if named in (*known_as, uuid_of(path)):
            called.setdefault(note.path, None)
    if len(called) > 1:
        names = ", ".join(uuid_of(Path(path)) for path in called)
        raise SourceError(f"{len(called)} tables are named {named}.", f"Specify one of {names}.")
    return next(((Path(path), widget) for path, widget in called.items()), (file, None))


async def file_meant(path: Path) -> Path:
    """Return a file, or the file of a table by that name.

    Raises: SourceError if several are called so.
    """
    return path if await asyncio.to_thread(is_there, path) else (await meant(str(path)))[0]


def is_there(file: Path) -> bool:
    """Return whether there is such a file, or the file of such a table."""
    from app.data.readers.parts import TableRef

    return TableRef.of(file.expanduser()).file.exists()


async def on_dashboards() -> list[Widget]:
    """Return the widgets whose own file may be a table."""
    from app.bootstrap import build_history

    async with build_history(reading=True) as history:
        return await history.tables()


async def list_tables(as_json: bool) -> None:
    """Print the tables that were added, and those that are on a dashboard."""
    from app.bootstrap import library
    from app.data.library.library_file import kind_of, parsing_file
    from app.data.sources import Sources
    from app.domain.errors import DeskpilotError

    notes, shown = library().notes(), {w.uuid: w for w in await on_dashboards()}
    paths = {uid: note.path for uid, note in notes.items()} | {
        uid: w.path for uid, w in shown.items()
    }
    if not paths:
        typer.echo("No tables have been added yet. Add one with: deskpilot data add FILE")
    sources = Sources(library().note)
    for uid, path in paths.items():
        widget = shown.get(uid)
        try:
            source = await asyncio.to_thread(sources.add_file, Path(path))
        except DeskpilotError as error:
            if widget is None or widget.type == "table":  # of the others not each holds rows
                typer.echo(printable(f"{path}: {error}"), err=True)
            continue
        if as_json:
            typer.echo(json.dumps(parsing_file(source, widget), ensure_ascii=False))
        else:
            rows, columns = source.profile.rows, len(source.profile.columns)
            name, about = widget.name if widget else source.profile.name, source.profile.description
            kind = kind_of(source, widget)
            typer.echo(
                printable(f"{name} [{kind}]: {rows:,} rows, {columns} columns. {about}".strip())
            )
        sources.close(uid)


SHOWN = 200  # tables that are listed


async def add_database(
    url: str, tables: list[str], first: int, said: tuple[str, dict[str, str], str]
) -> None:
    """Add a database; copy tables from it, or list them.

    said: notes on a table, on its columns, and on the end of its day. Raises: DatabaseError,
    SecretsError, SetupError, SourceError.
    """
    from app.adapters.builders import build_databases
    from app.domain.database import ROWS, Wish

    databases = build_databases()
    made = await added(databases, url)
    if not tables:
        tell(made)
        return
    for one in tables:
        held = named(made, one)
        path = await databases.copy(made.url, Wish(held.schema, held.name, first, max(first, ROWS)))
        await keep(str(path), *said)


async def added(databases: Databases, url: str) -> Database:
    """Add a database; if it needs a password, ask for it on a terminal.

    Raises: DatabaseError, SecretsError, SetupError.
    """
    from app.domain.errors import DatabaseError

    try:
        return await databases.add(url)
    except DatabaseError as error:
        if error.kind != "password" or not sys.stdin.isatty():
            raise
    return await databases.add(url, typer.prompt("Password", hide_input=True))


def tell(database: Database) -> None:
    """Print the tables of a database."""
    typer.echo(printable(f"{database.url}: {len(database.tables):,} tables and views."))
    for held in database.tables[:SHOWN]:
        rows = f"about {held.rows:,} row{'s' * (held.rows != 1)}"
        size = "view" if held.view else rows if held.rows >= 0 else "size unknown"
        typer.echo(
            printable(f"  {held.full_name}  [{size}]  {' '.join(held.about.split())}".rstrip())
        )
    if len(database.tables) > SHOWN:
        typer.echo(f"  … and {len(database.tables) - SHOWN:,} more")
    typer.echo("To copy one: deskpilot data add ADDRESS --table NAME")


def named(database: Database, name: str) -> DatabaseTable:
    """Return the named table, with its schema or, if there is only one of that name, without.

    Raises: DatabaseError.
    """
    from app.domain.errors import DatabaseError

    found = [one for one in database.tables if name in (one.full_name, one.name)]
    exact = [one for one in found if one.full_name == name]
    if len(exact or found) == 1:
        return (exact or found)[0]
    if found:
        names = ", ".join(one.full_name for one in found)
        raise DatabaseError(f"{name!r} matches several tables.", f"Specify one of {names}.")
    names = (
        ", ".join(one.full_name for one in database.tables[:12])
        or "nothing this user is allowed to see"
    )
    raise DatabaseError(f"The database has no table {name!r}.", f"It has {names}.")


async def list_databases() -> None:
    """Print the databases that were added, and their tables at the last request."""
    from app.adapters.builders import build_databases

    found = await build_databases().all()
    if not found:
        typer.echo(
            "No databases have been added yet. Add one with: deskpilot data add "
            "postgresql://user@host/name"
        )
    for one in found:
        tell(one)


async def refresh_tables(name: str) -> None:
    """Copy tables again, all that were added, or one of them.

    Raises: DatabaseError, SecretsError, SetupError.
    """
    from app.adapters.builders import build_databases
    from app.bootstrap import library
    from app.data.readers.parts import copied
    from app.domain.errors import DatabaseError

    databases, done = build_databases(), 0
    for note in library().notes().values():
        known = copied(Path(note.path))
        if known is None or name not in ("", known.name, f"{known.schema}.{known.name}"):
            continue
        await databases.refresh(Path(note.path))
        typer.echo(printable(f"{known.schema}.{known.name}: read again."))
        done += 1
    if not done:
        raise DatabaseError(
            f"No database table named {name!r} has been added."
            if name
            else "No database table has been added.",
            "`deskpilot data list` shows what has been added.",
        )


async def forget_database(url: str) -> None:
    """Forget a database and its password.

    Raises: DatabaseError, SecretsError, SetupError.
    """
    from app.adapters.builders import build_databases

    await build_databases().remove(url)
    typer.echo("Removed. Copies of its tables are kept.")


PHASES = {
    "asking": "Collecting questions",
    "defining": "Defining interfaces",
    "merging": "Merging",
    "validating": "Validating",
    "done": "Done",
}


async def run_design(
    tables: list[Path], wanted: int, seeds: list[str], chance: int | None, as_json: bool
) -> None:
    """Design interfaces over tables, or go on with the unfinished design.

    Raises: DeskpilotError.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bars

    from app.adapters.builders import designer
    from app.bootstrap import build_service, library
    from app.data.readers import tables_of
    from app.services.tasks import Tasks

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[last]}"),
    )
    tables = [one for table in tables for one in await asyncio.to_thread(tables_of, table)]
    async with build_service() as manage:
        job = designer(manage, Tasks(), library())
        with Bars(*columns, console=console, disable=not console.is_terminal) as bars:
            task = bars.add_task("", total=None, last="")

            def tell(told: DesignProgress) -> None:
                outcome = f"{told.text}: {told.word} {told.reason}" if told.word else told.text
                last = printable(outcome.strip())[:80]
                bars.update(
                    task,
                    description=PHASES[told.phase],
                    completed=told.done,
                    total=told.total,
                    last=last,
                )
                if not console.is_terminal:
                    console.print(
                        f"{PHASES[told.phase]} {told.done}/{told.total}: {last}",
                        markup=False,
                        highlight=False,
                    )

            try:
                state = await job.run(tables, tell, wanted, seeds, chance)
            except asyncio.CancelledError:
                console.print("Stopped. To resume: deskpilot data design", markup=False)
                raise
    print_outcome(state, as_json)


def print_outcome(state: State, as_json: bool) -> None:
    """Print the result of a design."""
    from rich.console import Console

    console = Console(soft_wrap=True, highlight=False, markup=False)
    if as_json:
        console.print(state.model_dump_json())
        return
    console.print(
        f"{len(state.requests)} requests, {len(state.definitions)} definitions, {len(state.merged)}"
        f" of them merged, {len(state.validated)} of {len(state.kept)} interfaces validated, by"
        f" {state.model}."
    )
    for one in state.kept:
        console.print(printable(f"{one.name} v{one.version} {one.status} {one.reason}".strip()))


CLOCK = re.compile(r"^([01]\d|2[0-3]):[0-5]\d$")
SHOWN_ROWS = 20


async def opened(entry: LibraryEntry | None = None) -> Sources:
    """Return the tables that were added, or those a workflow reads, open.

    Raises: SourceError.
    """
    from app.bootstrap import library
    from app.data.sources import Sources

    kept = library()
    sources = Sources(kept.note)
    for path in entry.origin.paths.values() if entry else []:
        await asyncio.to_thread(sources.add_file, Path(path))
    return sources


async def list_library(as_json: bool) -> None:
    """Print the workflows of the library; those whose tables changed are reported as stale."""
    from app.bootstrap import library

    entries = library().entries()
    if not entries and not as_json:
        typer.echo("The library is empty. To save a workflow that ran: deskpilot data save NAME")
    for entry in entries:
        entry = await as_it_is(entry)
        if as_json:
            typer.echo(entry.model_dump_json())
            continue
        given = ", ".join(f"{p.name}={p.default}" for p in entry.workflow.parameters)
        why = f" ({entry.reason})" if entry.reason else ""
        typer.echo(
            printable(
                f"{entry.name} v{entry.version} {entry.status}{why}: {entry.description} [{given}]"
            )
        )


async def as_it_is(entry: LibraryEntry) -> LibraryEntry:
    """Return an entry, stale if its tables are not as they were."""
    from app.data.library.validator import stale
    from app.domain.errors import DeskpilotError

    try:
        reason = stale(entry, await opened(entry))
    except DeskpilotError as error:
        reason = error.text
    return entry.model_copy(update={"status": "stale", "reason": reason}) if reason else entry


async def show(name: str, as_json: bool) -> None:
    """Print a workflow: its steps and its origin.

    Raises: SourceError.
    """
    from app.bootstrap import library

    entry = await as_it_is(library().entry(name))
    if as_json:
        typer.echo(entry.model_dump_json(indent=1))
        return
    lines = [
        f"{entry.name} v{entry.version}, {entry.status} {entry.reason}".strip(),
        entry.description,
    ]
    lines += [f"asked: {entry.origin.question}"] if entry.origin.question else []
    lines += [f"reads: {path}" for path in entry.origin.paths.values()]
    for step in entry.workflow.steps:
        lines.append(
            f"{step.id}: {step.interface} {json.dumps(step.arguments, ensure_ascii=False)}"
        )
    typer.echo(printable("\n".join(lines)))


async def keep_workflow(
    name: str, chat: str, named: dict[str, str], more: tuple[str, Path | None, list[Path]]
) -> None:
    """Validate a workflow and save it as a new version of its name.

    named: its parameters. more: its description, an output file, the tables it reads. Raises:
    SourceError, DeskpilotError.
    """
    from app.bootstrap import library
    from app.data.library.entry import with_parameters
    from app.data.library.validator import entry_of, validated
    from app.data.readers import tables_of
    from app.data.sources import Sources
    from app.data.tables import uuid_of
    from app.domain.errors import SourceError

    description, file, widgets = more
    workflow, question, paths = from_file(file) if file else await ran_in(chat)
    for path in widgets:
        paths += [
            str(path.expanduser().absolute()),
            *map(str, await asyncio.to_thread(tables_of, path)),
        ]
    sources = Sources(library().note)
    known = {uuid_of(Path(path)): path for path in paths}
    for uid in workflow.sources():
        if uid not in known:
            raise SourceError(
                "The workflow reads a table whose file is not known.",
                "Add it: deskpilot data add FILE.",
            )
        await asyncio.to_thread(sources.add_file, Path(known[uid]))
    made = entry_of(name, with_parameters(workflow, named), sources, question, description)
    made = await library().put(await validated(made, sources))
    typer.echo(printable(f"Saved {made.name} v{made.version}: {made.status} {made.reason}".strip()))
    if made.status != "validated":
        raise typer.Exit(1)


def from_file(file: Path) -> tuple[Workflow, str, list[str]]:
    """Return a workflow of a file, and the tables that were added.

    Raises: SourceError.
    """
    from pydantic import ValidationError

    from app.bootstrap import library
    from app.domain.errors import SourceError
    from backends.data.workflow.step import Workflow

    try:
        made = Workflow.model_validate_json(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        raise SourceError(
            f"{file.name} contains no workflow.", "It needs steps with id, interface and arguments."
        ) from error
    return made, "", [note.path for note in library().notes().values()]


async def ran_in(chat: str) -> tuple[Workflow, str, list[str]]:
    """Return the workflow that ran last in a chat, its question, and the known tables.

    Raises: SourceError if none ran; NoConversation.
    """
    from app.bootstrap import build_history, library
    from app.domain.errors import SourceError
    from app.domain.events import CopilotCall
    from backends.data.workflow.report import TOOL
    from backends.data.workflow.step import Workflow

    async with build_history(reading=True) as history:
        found = [await history.named(chat)] if chat else await history.conversations()
        for conversation in found[:20]:
            turns = await history.open(conversation.id)
            await history.read(turns)
            for turn in reversed(turns):
                for item in reversed(turn.items):
                    parameters = (
                        item.arguments.get("parameters") if isinstance(item, CopilotCall) else None
                    )
                    if (
                        isinstance(item, CopilotCall)
                        and item.arguments.get("tool_name") == TOOL
                        and isinstance(parameters, dict)
                    ):
                        made = Workflow.model_validate(parameters["workflow"])
                        widgets = await history.files()
                        paths = [*widgets, *(note.path for note in library().notes().values())]
                        return made, turn.question, paths
    raise SourceError(
        "No workflow has run there yet.", "Ask something that takes several steps first."
    )


async def replay(name: str, given: dict[str, str], csv: Path | None, as_json: bool) -> None:
    """Run a workflow again and print its result.

    Raises: DeskpilotError, KernelError.
    """
    from app.bootstrap import library
    from app.data.export import rows_to_csv
    from app.data.library.validator import replayed, titled
    from backends.data.workflow.summary import piece_uid

    entry = library().entry(name)
    known = {p.name: p for p in entry.workflow.parameters}
    values = {
        key: cast_to(known[key], text) if key in known else text for key, text in given.items()
    }
    sources = await opened(entry)
    if csv is not None:
        await asyncio.to_thread(check_place, csv, entry)
    result = await replayed(entry, values, sources)
    if as_json:
        typer.echo(result.model_dump_json())
    else:
        print_result(result)
    tables = [one for one in result.shown if one.kind == "table"] or result.shown
    if csv is not None and tables and not result.failed:
        one = tables[-1]
        whole = sources.runs.whole(piece_uid(result.hashes, titled(entry, values), one.step))
        count = await asyncio.to_thread(rows_to_csv, as_rows(one) if whole is None else whole, csv)
        typer.echo(f"{csv}: {count:,} rows.", err=as_json)


def check_place(csv: Path, entry: LibraryEntry) -> None:
    """Check that no table is overwritten, and ask before another file is, if a user is at the
    terminal.

    Raises: SourceError.
    """
    from app.data.readers.parts import TableRef
    from app.domain.errors import SourceError

    place = csv.expanduser().resolve()
    read = [TableRef.of(Path(path)).file.resolve() for path in entry.origin.paths.values()]
    if place in read or (
        place.exists() and any(one.exists() and place.samefile(one) for one in read)
    ):
        raise SourceError(
            f"{csv.name} is a table that {entry.name} reads.", "Choose another place."
        )
    if place.is_file() and sys.stdin.isatty() and not typer.confirm(f"Overwrite {csv}?", err=True):
        raise SourceError(f"{csv.name} already exists.", "Choose another place.")


def cast_to(parameter: Parameter, text: str) -> Scalar:
    """Convert typed text to a parameter's type.

    Raises: SourceError.
    """
    from app.domain.errors import SourceError

    if parameter.type != "number":
        return text
    try:
        return float(text) if "." in text else int(text)
    except ValueError as error:
        raise SourceError(
            f"{parameter.name} accepts a number; {text!r} is not a number.", "Specify a number."
        ) from error


def print_result(result: WorkflowResult) -> None:
    """Print values and the first rows of tables and charts."""
    from app.domain.errors import SourceError
    from backends.data.workflow.summary import not_whole

    for step in result.failed:
        raise SourceError(f"{step.id}: {step.error}", step.remedy)
    for one in result.shown:
        if one.kind == "value":
            typer.echo(printable(f"{one.title}: {one.value} {one.unit or ''}".strip()))
            continue
        rows = as_rows(one)
        typer.echo(printable(f"{one.title} ({one.kind}, {max(one.rows_in_all, len(rows)):,} rows)"))
        if rows:
            typer.echo(printable("  " + " · ".join(rows[0])))
        for row in rows[:SHOWN_ROWS]:
            typer.echo(printable("  " + " · ".join(str(value) for value in row.values())))
    for part in result.parts:
        typer.echo(not_whole(part))


def as_rows(one: Shown) -> list[dict[str, Any]]:
    """Return a value, table or chart as rows."""
    if one.kind == "value":
        return [{one.title: one.value}]
    if one.kind == "table":
        return [dict(zip(one.columns, row, strict=True)) for row in one.rows]
    made: list[dict[str, Any]] = []
    for trace in one.figure.get("data", []):
        label, cells = (
            trace.get("x") or trace.get("labels"),
            trace.get("y") or trace.get("close") or trace.get("values"),
        )
        made += [
            {"series": trace.get("name", ""), "at": x, "value": y}
            for x, y in zip(label, cells, strict=True)
        ]
    return made


async def try_out(name: str) -> None:
    """Validate a workflow again and save the result.

    Raises: SourceError.
    """
    from app.bootstrap import library
    from app.data.library.validator import validated

    entry = library().entry(name)
    made = await library().put(await validated(entry, await opened(entry)))
    typer.echo(printable(f"{made.name} v{made.version}: {made.status} {made.reason}".strip()))


async def forget_workflow(name: str) -> None:
    """Remove a workflow.

    Raises: SourceError.
    """
    from app.bootstrap import library

    await library().remove(name)
    typer.echo(printable(f"Removed {name}."))
