"""What `deskpilot data` does with tables and databases: lists, adds, copies, keeps what one says of
them.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from app.adapters.system.builders import build_databases
from app.bootstrap import build_history, library
from app.cli.screen import printable
from app.data.library.parsing import kind_of, parsing_file
from app.data.readers.parts import apart, copied, name_of, tables_of
from app.data.sources import Sources, uuid_of
from app.domain.database import ROWS, Wish
from app.domain.errors import DatabaseError, DeskpilotError, SourceError
from app.services.dashboard.table_notes import MOST, check_clock, note_of, too_many

if TYPE_CHECKING:
    from app.domain.database import Held
    from app.domain.widget import Widget
    from app.services.dashboard.databases import Database, Databases


async def keep(named: str, about: str, meanings: dict[str, str], closes: str) -> None:
    """Keep what a person says of a file or a widget, by its name, and print what is known of it; of
    a file with several tables, of each.

    Raises: SourceError.
    """
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
    """Return the file somebody means, or that of a table they name: of the dashboards, or one that
    was added.

    Raises: SourceError where several are called so.
    """
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
        raise SourceError(f"{len(called)} tables are called {named}.", f"Name one of {names}.")
    return next(((Path(path), widget) for path, widget in called.items()), (file, None))


async def file_meant(path: Path) -> Path:
    """Return a file, or where there is none of this name that of the table somebody calls so.

    Raises: SourceError where several are called so.
    """
    return path if await asyncio.to_thread(is_there, path) else (await meant(str(path)))[0]


def is_there(file: Path) -> bool:
    """Tell whether there is such a file, or the file of such a table."""
    return apart(file.expanduser())[0].exists()


async def on_dashboards() -> list[Widget]:
    """Return the widgets whose own file may be a table."""
    async with build_history(reading=True) as history:
        return await history.tables()


async def list_tables(as_json: bool) -> None:
    """Print the tables that were added, and those that stand on a dashboard."""
    notes, shown = library().notes(), {w.uuid: w for w in await on_dashboards()}
    paths = {uid: note.path for uid, note in notes.items()} | {
        uid: w.path for uid, w in shown.items()
    }
    if not paths:
        typer.echo("No table was added yet: deskpilot data add FILE.")
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
    """Add a database; copy tables of it, or list what it holds.

    said: what the person says of a table, of its columns, when its day is over.
    Raises: DatabaseError, SecretsError, SetupError, SourceError.
    """
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
    """Add a database; a password it wants is asked for where somebody sits.

    Raises: DatabaseError, SecretsError, SetupError.
    """
    try:
        return await databases.add(url)
    except DatabaseError as error:
        if error.kind != "password" or not sys.stdin.isatty():
            raise
    return await databases.add(url, typer.prompt("Password", hide_input=True))


def tell(database: Database) -> None:
    """Print what a database holds."""
    typer.echo(printable(f"{database.url}: {len(database.tables):,} tables and views."))
    for held in database.tables[:SHOWN]:
        rows = f"about {held.rows:,} row{'s' * (held.rows != 1)}"
        size = "view" if held.view else rows if held.rows >= 0 else "size unknown"
        typer.echo(
            printable(f"  {held.full_name}  [{size}]  {' '.join(held.about.split())}".rstrip())
        )
    if len(database.tables) > SHOWN:
        typer.echo(f"  … and {len(database.tables) - SHOWN:,} more")
    typer.echo("To ask one: deskpilot data add ADDRESS --table NAME")


def named(database: Database, name: str) -> Held:
    """Return the table somebody means, with its schema or, where there is one of that name,
    without.

    Raises: DatabaseError.
    """
    found = [one for one in database.tables if name in (one.full_name, one.name)]
    exact = [one for one in found if one.full_name == name]
    if len(exact or found) == 1:
        return (exact or found)[0]
    if found:
        names = ", ".join(one.full_name for one in found)
        raise DatabaseError(f"{name!r} may be one of several.", f"Name one of {names}.")
    names = ", ".join(one.full_name for one in database.tables[:12]) or "nothing this user may see"
    raise DatabaseError(f"The database has no table {name!r}.", f"It has {names}.")


async def list_databases() -> None:
    """Print the databases that were added, and what they held when they were asked last."""
    found = await build_databases().all()
    if not found:
        typer.echo("No database was added yet: deskpilot data add postgresql://user@host/name")
    for one in found:
        tell(one)


async def refresh(name: str) -> None:
    """Copy tables anew, all that were added, or one of them.

    Raises: DatabaseError, SecretsError, SetupError.
    """
    databases, done = build_databases(), 0
    for note in library().notes().values():
        known = copied(Path(note.path))
        if known is None or name not in ("", known.name, f"{known.schema}.{known.name}"):
            continue
        await databases.refresh(Path(note.path))
        typer.echo(printable(f"{known.schema}.{known.name}: read anew."))
        done += 1
    if not done:
        raise DatabaseError(
            f"No table {name!r} of a database was added."
            if name
            else "No table of a database was added.",
            "deskpilot data list shows what was.",
        )


async def forget_database(url: str) -> None:
    """Forget a database and its password.

    Raises: DatabaseError, SecretsError, SetupError.
    """
    await build_databases().remove(url)
    typer.echo("Forgotten; copies of its tables stay.")
