"""Where a database is and who asks: an address as one types it, kept without its password."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from app.domain.errors import DatabaseError

SCHEMES = ("postgresql", "postgres")
PORT = 5432
CONNECTING = 10.0  # seconds it may take to be let in
OPTIONS = ("host", "sslmode", "sslrootcert", "sslcert", "sslkey")  # none of them holds a secret
LIKE = "Write it like postgresql://user@127.0.0.1:5432/shop."


@dataclass(frozen=True)
class Address:
    """A PostgreSQL database. host: a name, an address, or the folder of a socket. options: of the connection."""

    host: str
    port: int
    database: str
    user: str = ""
    options: tuple[tuple[str, str], ...] = ()

    @property
    def url(self) -> str:
        """Return it as it is kept: there is never a password in it."""
        who = f"{quote(self.user, safe='')}@" if self.user else ""
        given = self.options
        if self.host.startswith("/"):
            where, given = f":{self.port}", (("host", self.host), *given)
        else:
            where = f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"
        query = f"?{urlencode(given)}" if given else ""
        return f"postgresql://{who}{where}/{quote(self.database, safe='')}{query}"

    @property
    def name(self) -> str:
        """Return what it is called in words."""
        return self.database

    def conninfo(self, password: str, seconds: float = CONNECTING) -> str:
        """Return it as PostgreSQL's client library takes it; a name with spaces or quotes is one all the same.

        seconds: what is to be done may take; the library waits two for a connection at least.
        """
        told = {
            "host": self.host,
            "port": str(self.port),
            "dbname": self.database,
            "user": self.user,
        }
        told |= {"password": password, "client_encoding": "UTF8", "application_name": "deskpilot"}
        # A network that is gone shows in half a minute, not in hours.
        told |= {
            "connect_timeout": f"{max(2, min(CONNECTING, seconds)):.0f}",
            "keepalives_idle": "10",
            "keepalives_interval": "5",
        }
        told |= {"keepalives_count": "3", **dict(self.options)}
        return " ".join(f"{name}={quoted(value)}" for name, value in told.items() if value)


def read_address(text: str) -> tuple[Address, str]:
    """Return the address that somebody typed, and the password that stood in it, if one did.

    Raises: DatabaseError for what is none.
    """
    try:
        split = urlsplit(text.strip())
        port = split.port or PORT
        given = parse_qsl(split.query, keep_blank_values=True)
    except ValueError as error:
        raise DatabaseError("That is no address of a database.", LIKE) from error
    database = unquote(split.path.removeprefix("/"))
    if split.scheme not in SCHEMES or not database or "/" in database or split.fragment:
        raise DatabaseError("That is no address of a PostgreSQL database.", LIKE)
    secret = dict(given).pop("password", "") or unquote(split.password or "")
    unknown = [name for name, _ in given if name not in (*OPTIONS, "password")]
    if unknown:
        raise DatabaseError(
            f"{unknown[0]!r} cannot stand in the address of a database.",
            f"It may name {', '.join(OPTIONS)}.",
        )
    options = {name: value for name, value in given if name in OPTIONS}
    host = options.pop("host", "") or unquote(split.hostname or "") or "localhost"
    made = Address(
        host, port, database, unquote(split.username or ""), tuple(sorted(options.items()))
    )
    if any(ord(c) < 32 for c in made.conninfo(secret)):
        raise DatabaseError("That is no address of a database.", LIKE)
    return made, secret


def is_address(text: str) -> bool:
    """Tell whether somebody means a database."""
    return text.strip().partition("://")[0].lower() in SCHEMES


def quoted(value: str) -> str:
    """Return a value as PostgreSQL's client library reads it."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
