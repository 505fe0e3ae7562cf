"""The databases that the user added, and the tables copied from them. Passwords are in the
keyring.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from app.data.readers.parts import copied
from app.domain.database import (
    CopyProgress,
    DatabaseAddress,
    DatabaseTable,
    TableCopy,
    Wish,
    read_address,
)
from app.domain.errors import DatabaseError, SetupError
from app.services.dashboard.snapshots import file_name, remove_others

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.ports import FilePort, SecretsPort

PASSWORD = "password"
HOUR = 3600.0


class DatabasePort(Protocol):
    """Reads databases."""

    async def tables(self, address: DatabaseAddress, password: str) -> list[DatabaseTable]:
        """Return the tables and views of a database.

        Raises: DatabaseError.
        """
        ...

    async def copy(
        self,
        address: DatabaseAddress,
        password: str,
        wish: Wish,
        path: Path,
        progress: Callable[[CopyProgress], None] | None = None,
    ) -> TableCopy:
        """Write a table to a file, and report the progress.

        Raises: DatabaseError.
        """
        ...


@dataclass(frozen=True)
class Database:
    """A database that was added. url: its address without a password. secret: whether its password
    is in the keyring. tables: its tables when they were last listed.
    """

    url: str
    secret: bool
    tables: tuple[DatabaseTable, ...]

    @property
    def name(self) -> str:
        """Return its display name."""
        return read_address(self.url)[0].name


class Databases:
    """The databases, by address. folder: the folder for copies of their tables. added: returns the
    files that the user added.

    Questions use a copy of a table. The copy does not change, works offline, and can be cited and
    queried again, and no statement from a model ever reaches the database.
    """

    def __init__(
        self,
        port: DatabasePort,
        file: FilePort,
        secrets: SecretsPort,
        folder: Path,
        added: Callable[[], list[str]],
    ) -> None:
        self._port, self._file, self._secrets, self.folder = port, file, secrets, folder
        self._added = added

    async def all(self) -> list[Database]:
        """Return the databases in the order in which they were added.

        Raises: SetupError.
        """
        try:
            return [database_of(url, raw) for url, raw in (await self._file.read()).items()]
        except (TypeError, KeyError, DatabaseError) as error:
            raise SetupError(
                "The list of databases cannot be read.",
                "Move databases.json away, and add the databases again.",
            ) from error

    async def add(self, text: str, password: str = "") -> Database:
        """Add a database by its address, or update its list of tables. Its password is stored in
        the keyring.

        Raises: DatabaseError, SecretsError, SetupError.
        """
        address, typed = read_address(text)
        given = password or typed
        secret = given or await self._password(address)
        found = await self._port.tables(address, secret)
        if given:
            await self._secrets.put(secret_name(address.url), {PASSWORD: given})
        made = Database(address.url, bool(secret), tuple(found))
        kept = {"secret": made.secret, "tables": [asdict(one) for one in found]}
        await self._file.change(lambda known: known | {made.url: kept})
        return made

    async def remove(self, url: str) -> None:
        """Remove a database and its password. The copies of its tables stay.

        Raises: DatabaseError if it was not added; SecretsError, SetupError.
        """
        address, _ = read_address(url)
        known = next((one for one in await self.all() if one.url == address.url), None)
        if known is None:
            raise DatabaseError(
                "This database was not added.", "`deskpilot data databases` lists them."
            )
        if known.secret:
            await self._secrets.put(secret_name(address.url), {})
        await self._file.change(lambda known: {k: v for k, v in known.items() if k != address.url})

    async def copy(
        self, url: str, wish: Wish, progress: Callable[[CopyProgress], None] | None = None
    ) -> Path:
        """Copy a table from a database, replacing any earlier copy, and return the copy's path. If
        this is cancelled, an earlier copy stays unchanged.

        Raises: DatabaseError, SecretsError.
        """
        address, _ = read_address(url)
        path = self.place(address.url, wish.schema, wish.name)
        await self._port.copy(address, await self._password(address), wish, path, progress)
        return path

    async def refresh(
        self, path: Path, progress: Callable[[CopyProgress], None] | None = None
    ) -> Path:
        """Copy again the table that a file is a copy of.

        Raises: DatabaseError if the file is not a copy; SecretsError.
        """
        known = await asyncio.to_thread(copied, path)
        if known is None:
            raise DatabaseError(
                f"{path.name} is not a copy of a database table.", "Choose one that is."
            )
        address, _ = read_address(known.url)
        if all(one.url != address.url for one in await self.all()):
            raise DatabaseError(f"The database {address.name} was removed.", "Add it again.")
        wish = Wish(known.schema, known.name, known.first)
        await self._port.copy(address, await self._password(address), wish, path, progress)
        return path

    async def clean(self, shown: list[str]) -> None:
        """Remove copies that are no longer shown or stored, except recent ones.

        shown: the files of the widgets, once all of them are known. Raises: SetupError.
        """
        kept = {Path(path).parent.name for path in [*shown, *self._added()]}
        await asyncio.to_thread(remove_old, self.folder, kept)

    def place(self, url: str, schema: str, name: str) -> Path:
        """Return the path of a table's copy, which is always the same, so that notes and charts
        stay with it.
        """
        mark = hashlib.sha256(f"{url}\n{schema}\n{name}".encode()).hexdigest()[:32]
        return self.folder / mark / f"{file_name(name)}.parquet"

    async def _password(self, address: DatabaseAddress) -> str:
        known = (await self._file.read()).get(address.url)
        if not isinstance(known, dict) or not known.get("secret"):
            return ""
        return (await self._secrets.get(secret_name(address.url))).get(PASSWORD, "")


def remove_old(folder: Path, kept: set[str]) -> None:
    """Remove the copies in a folder, except those in `kept` and those of the last hour."""
    fresh = (
        {p.name for p in folder.iterdir() if p.stat().st_mtime > time.time() - HOUR}
        if folder.is_dir()
        else set()
    )
    remove_others(folder, kept | fresh)


def database_of(url: str, raw: Any) -> Database:
    """Restore a database from its stored form."""
    return Database(
        read_address(url)[0].url,
        bool(raw["secret"]),
        tuple(DatabaseTable(**one) for one in raw["tables"]),
    )


def secret_name(url: str) -> str:
    """Return the name under which a database's password is stored in the keyring."""
    return f"database:{url}"
