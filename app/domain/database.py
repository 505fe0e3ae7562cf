"""Databases: their addresses, their tables, and copies of tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit
from urllib.parse import quote as url_quote

from app.domain.errors import DatabaseError


def unique(header: list[str]) -> list[str]:
    """Return column names that are unique and not empty, each on one line."""
    names: list[str] = []
    for i, raw in enumerate(header):
        name = " ".join(raw.removeprefix("\ufeff").split()) or f"column {i + 1}"
        made, n = name, 2
        while made.lower() in {other.lower() for other in names}:
            made, n = f"{name} {n}", n + 1
        names.append(made)
    return names


def literal(text: str) -> str:
    """Return text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def quote(name: str) -> str:
    """Return an identifier quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


SCHEMES = ("postgresql", "postgres")
PORT = 5432
CONNECTING = 10.0  # seconds allowed for connecting
OPTIONS = ("host", "sslmode", "sslrootcert", "sslcert", "sslkey")  # none of these holds a secret
LIKE = "Write it like postgresql://user@127.0.0.1:5432/shop."


@dataclass(frozen=True)
class DatabaseAddress:
    """A PostgreSQL database. host: a name, an address, or the folder of a socket. options:
    connection options.
    """

    host: str
    port: int
    database: str
    user: str = ""
    options: tuple[tuple[str, str], ...] = ()

    @property
    def url(self) -> str:
        """Return the address as it is stored, without a password."""
        who = f"{url_quote(self.user, safe='')}@" if self.user else ""
        given = self.options
        if self.host.startswith("/"):
            where, given = f":{self.port}", (("host", self.host), *given)
        else:
            where = f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"
        query = f"?{urlencode(given)}" if given else ""
        return f"postgresql://{who}{where}/{url_quote(self.database, safe='')}{query}"

    @property
    def name(self) -> str:
        """Return the database's display name."""
        return self.database

    def conninfo(self, password: str, seconds: float = CONNECTING) -> str:
        """Return the address in the format of PostgreSQL's client library; names may contain spaces
        or quotes.

        seconds: the time limit; the library waits at least two seconds for a connection.
        """
        told = {
            "host": self.host,
            "port": str(self.port),
            "dbname": self.database,
            "user": self.user,
        }
        told |= {"password": password, "client_encoding": "UTF8", "application_name": "deskpilot"}
        # Notice a lost network within half a minute instead of hours.
        told |= {
            "connect_timeout": f"{max(2, min(CONNECTING, seconds)):.0f}",
            "keepalives_idle": "10",
            "keepalives_interval": "5",
        }
        told |= {"keepalives_count": "3", **dict(self.options)}
        return " ".join(f"{name}={quoted(value)}" for name, value in told.items() if value)


def read_address(text: str) -> tuple[DatabaseAddress, str]:
    """Return the address in a typed text, and the password in it (empty if there is none).

    Raises: DatabaseError if the text is not an address.
    """
    try:
        split = urlsplit(text.strip())
        port = split.port or PORT
        given = parse_qsl(split.query, keep_blank_values=True)
    except ValueError as error:
        raise DatabaseError("This is not the address of a database.", LIKE) from error
    database = unquote(split.path.removeprefix("/"))
    if split.scheme not in SCHEMES or not database or "/" in database or split.fragment:
        raise DatabaseError("This is not the address of a PostgreSQL database.", LIKE)
    secret = dict(given).pop("password", "") or unquote(split.password or "")
    unknown = [name for name, _ in given if name not in (*OPTIONS, "password")]
    if unknown:
        raise DatabaseError(
            f"{unknown[0]!r} cannot be part of a database address.",
            f"It can name {', '.join(OPTIONS)}.",
        )
    options = {name: value for name, value in given if name in OPTIONS}
    host = options.pop("host", "") or unquote(split.hostname or "") or "localhost"
    made = DatabaseAddress(
        host, port, database, unquote(split.username or ""), tuple(sorted(options.items()))
    )
    if any(ord(c) < 32 for c in made.conninfo(secret)):
        raise DatabaseError("This is not the address of a database.", LIKE)
    return made, secret


def is_address(text: str) -> bool:
    """Return whether a text is intended as a database address."""
    return text.strip().partition("://")[0].lower() in SCHEMES


def quoted(value: str) -> str:
    """Return a value quoted for PostgreSQL's client library."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


FOLDER = "databases"  # folder for the copies, inside the data folder
KEY = "deskpilot_copy"  # key under which the file of a copy records its original
ROWS = 1_000_000  # number of a table's rows that are copied unless the user chooses a number
BYTES = 2 * 1024**3  # maximum size of a copy on disk
SECONDS = 600.0  # time limit for a copy
LISTING = 30.0  # seconds allowed for listing the tables


@dataclass(frozen=True)
class DatabaseTable:
    """A table or view. rows: the database's own estimate of its rows; -1 if it has none."""

    schema: str
    name: str
    view: bool = False
    rows: int = -1
    about: str = ""

    @property
    def full_name(self) -> str:
        """Return the table's name with its schema, as people write it."""
        return f"{self.schema}.{self.name}"


@dataclass(frozen=True)
class Wish:
    """A request to copy a table. first: the maximum number of rows, with the rest omitted; 0 to
    copy all the rows or, if there are too many, none.
    """

    schema: str
    name: str
    first: int = 0
    most: int = ROWS
    seconds: float = SECONDS


@dataclass(frozen=True)
class CopyProgress:
    """The progress of a copy. bytes: the number of bytes that are already on disk."""

    rows: int
    bytes: int


@dataclass(frozen=True)
class TableCopy:
    """A copy of a table. of: the approximate number of rows in the original if some were omitted;
    otherwise 0.

    url: the address of its database, without a password. rows: the number of rows copied. meanings:
    the owner's comments on columns, by column name. types: the columns' types, as the database
    names them.
    """

    url: str
    database: str
    schema: str
    name: str
    view: bool = False
    rows: int = 0
    of: int = 0
    first: int = 0
    about: str = ""
    meanings: dict[str, str] = field(default_factory=dict[str, str])
    types: dict[str, str] = field(default_factory=dict[str, str])

    def described(self) -> str:
        """Return a description, for people and copilots, that does not contain the name of a server
        or a user.
        """
        kind = "View" if self.view else "Table"
        part = f"Only the first {self.rows:,} of {about(self.of)} rows of the" if self.of else "The"
        told = f"{part} {kind.lower()} {self.schema}.{self.name} of the database {self.database}."
        return " ".join(one for one in (self.about.strip(), told) if one)

    def as_dict(self) -> dict[str, Any]:
        """Return the copy's fields as JSON values."""
        return dict(self.__dict__)


def about(rows: int) -> str:
    """Return an estimated number of rows, in words."""
    return f"about {rows:,}" if rows > 0 else "more"
