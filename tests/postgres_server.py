"""A PostgreSQL server for tests: made, started and stopped here, on this machine alone, with
passwords.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import adbc_driver_manager
import adbc_driver_postgresql
import duckdb

if TYPE_CHECKING:
    from collections.abc import Generator

# Waits until the tests are done, or dead: then their end of the pipe is closed.
END = 'read _; "$1" -D "$2" -w -m immediate stop; rm -rf "$3"'
BOSS, SECRET = "boss", "sésame 'ouvre\\toi"  # a password as hostile as they come


@dataclass(frozen=True)
class Server:
    """A running server. folder: its data; as_user: who runs it, where we are root."""

    folder: Path
    port: int
    as_user: str | None

    def url(self, user: str = BOSS, database: str = "postgres") -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def do(self, *statements: str, database: str = "postgres") -> None:
        """Run statements as the one who may do everything."""
        with self._connected(database) as connection:
            for statement in statements:
                with adbc_driver_manager.AdbcStatement(connection) as made:
                    made.set_sql_query(statement)
                    made.execute_update()

    def rows(self, sql: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        with (
            self._connected(database) as connection,
            adbc_driver_manager.AdbcStatement(connection) as made,
            duckdb.connect() as reader,
        ):
            made.set_sql_query(sql)
            stream, _ = made.execute_query()
            return reader.from_arrow(stream).fetchall()

    @contextmanager
    def locked(self, table: str) -> Generator[None]:
        """Hold a table locked against everybody."""
        with self._connected("postgres") as connection:
            connection.set_autocommit(False)
            with adbc_driver_manager.AdbcStatement(connection) as made:
                made.set_sql_query(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
                made.execute_update()
            yield
            connection.rollback()

    def control(self, action: str, *more: str) -> None:
        """Start, stop or restart it, and wait until that is done."""
        options = (
            f"-p {self.port} -k '' -c listen_addresses=127.0.0.1 -c fsync=off -c autovacuum=off"
        )
        run(
            self.as_user,
            str(program("pg_ctl")),
            "-D",
            str(self.folder),
            "-w",
            "-t",
            "60",
            "-l",
            str(self.folder / "log"),
            *(("-o", options) if action != "stop" else ()),
            *more,
            action,
        )

    @contextmanager
    def _connected(self, database: str) -> Generator[Any]:
        secret = SECRET.replace("\\", "\\\\").replace("'", "\\'")
        told = (
            f"host=127.0.0.1 port={self.port} user={BOSS} password='{secret}' dbname='{database}'"
        )
        with (
            adbc_driver_postgresql.connect(f"{told} client_encoding=UTF8") as held,
            adbc_driver_manager.AdbcConnection(held) as connection,
        ):
            yield connection


def program(name: str) -> Path:
    """Return where a program of PostgreSQL lies: on the path, or where Debian keeps those of each
    version.
    """
    if found := shutil.which(name):
        return Path(found)
    versions = sorted(
        Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda p: float(p.parents[1].name)
    )
    assert versions, "PostgreSQL is missing: packaging/dev.py installs it, or prints how."
    return versions[-1]


def run(as_user: str | None, *command: str) -> None:
    """Run a program, as another user where we are root: a server of PostgreSQL never runs as
    root.
    """
    told = quietly(as_user) | {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    done = subprocess.run(command, text=True, check=False, **told)
    assert done.returncode == 0, f"{command}: {done.stdout} {done.stderr}"


def quietly(as_user: str | None) -> dict[str, Any]:
    """Return how a program is started: by whom, and heard by nobody."""
    silent = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL) | {"cwd": "/"}
    if as_user is None:
        return silent
    return silent | {"user": as_user, "group": pwd.getpwnam(as_user).pw_gid, "extra_groups": []}


def somebody() -> str | None:
    """Return who is to run the server: nobody else, unless we are root."""
    if os.geteuid() != 0:
        return None
    names = {one.pw_name for one in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


@contextmanager
def running() -> Generator[Server]:
    """Make a server, start it, and let nothing of it be left, even if the tests are killed."""
    as_user = somebody()
    top = Path(
        tempfile.mkdtemp(prefix="deskpilot-pg-")
    )  # a test's own folder is closed to other users
    secret = top / "secret"
    secret.write_text(f"{SECRET}\n", "utf-8")
    if as_user:
        who = pwd.getpwnam(as_user)
        for path in (top, secret):
            os.chown(path, who.pw_uid, who.pw_gid)
    ending = subprocess.Popen(
        ["sh", "-c", END, "sh", str(program("pg_ctl")), str(top / "data"), str(top)],
        **quietly(as_user) | {"stdin": subprocess.PIPE, "start_new_session": True},
    )
    try:
        command = (
            str(program("initdb")),
            "-D",
            str(top / "data"),
            "-U",
            BOSS,
            "--pwfile",
            str(secret),
        )
        run(as_user, *command, "--auth=scram-sha-256", "--no-sync", "-E", "UTF8", "--locale=C")
        server = Server(top / "data", free_port(), as_user)
        server.control("start")
        yield server
    finally:
        assert ending.stdin is not None
        ending.stdin.close()
        ending.wait()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
