"""What `deskpilot data` does with databases: adds them, copies tables, copies them anew, forgets them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from app.adapters.databases.building import build_databases
from app.bootstrap import library
from app.cli.data.tables import keep
from app.cli.screen import printable
from app.data.readers.snapshot import copied
from app.domain.databases.held import ROWS, Wish
from app.domain.errors import DatabaseError

if TYPE_CHECKING:
    from app.domain.databases.held import Held
    from app.services.databases.databases import Database, Databases

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
    """Return the table somebody means, with its schema or, where there is one of that name, without.

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
