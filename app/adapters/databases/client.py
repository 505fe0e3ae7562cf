"""Read databases, each in its own process, which is ended if it takes too long or is cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.domain.database import BYTES, LISTING, CopyProgress, DatabaseTable, TableCopy
from app.domain.errors import DatabaseError
from backends import children, offline

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.domain.database import DatabaseAddress, Wish

# additional seconds beyond the server's limit, so that the server can report the timeout itself
SPARE = 15.0
# variables through which the user can give the library a password directly
KEPT = ("PGPASSFILE", "PGPASSWORD")
GRACE = 3.0  # seconds allowed for the process to exit by itself
LINE = 64 * 1024**2  # maximum bytes in a line; the list of a database's tables is a single line
LOOK = 0.25  # seconds between two checks of a copy's size


class Postgres:
    """Lists and copies PostgreSQL tables. It stores neither connections nor passwords."""

    async def tables(self, address: DatabaseAddress, password: str) -> list[DatabaseTable]:
        """Return the tables and views of a database.

        Raises: DatabaseError.
        """
        told = await self._do(address, {"password": password, "seconds": LISTING}, LISTING, None)
        return [DatabaseTable(**one) for one in told["tables"]]

    async def copy(
        self,
        address: DatabaseAddress,
        password: str,
        wish: Wish,
        path: Path,
        progress: Callable[[CopyProgress], None] | None = None,
    ) -> TableCopy:
        """Copy a table of a database into a file, atomically, and return its description. progress:
        a function that is called with the progress. If this is cancelled, the query ends as well,
        and no partial file remains.

        Raises: DatabaseError.
        """
        part = path.with_name(f"{path.name}.part")
        job = {
            "password": password,
            "seconds": wish.seconds,
            "wish": asdict(wish),
            "path": str(part),
        }
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            made = TableCopy(**await self._do(address, job, wish.seconds, part, progress))
            await asyncio.to_thread(part.replace, path)
        except OSError as error:
            raise DatabaseError(
                f"The copy cannot be saved: {error.strerror or error}.",
                "Check the disk's free space.",
            ) from error
        finally:
            part.unlink(missing_ok=True)
        return made

    async def _do(
        self,
        address: DatabaseAddress,
        job: dict[str, Any],
        seconds: float,
        part: Path | None,
        progress: Callable[[CopyProgress], None] | None = None,
    ) -> dict[str, Any]:
        """Run a job in a process, which has exited by the time this returns."""
        if offline.is_on() and not (address.host.startswith("/") or offline.is_here(address.host)):
            raise DatabaseError(
                f"Deskpilot is offline: no connection to {address.host} is made.",
                "Turn off offline mode first.",
            )
        pipe = asyncio.subprocess.PIPE
        process = await children.start(
            "-m",
            "app.adapters.databases.reader",
            variables=environment(),
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            limit=LINE,
        )
        try:
            line = json.dumps(job | {"url": address.url}) + "\n"
            async with asyncio.timeout(seconds + SPARE):
                out, err = await self._answer(process, line.encode(), part, progress)
        except TimeoutError as error:
            raise DatabaseError(
                f"{address.host} did not respond within {seconds:g} s.",
                "Try again later, or read fewer rows.",
            ) from error
        finally:
            await asyncio.shield(ended(process))
        return understood(out, err, str(job["password"]))

    async def _answer(
        self,
        process: asyncio.subprocess.Process,
        line: bytes,
        part: Path | None,
        progress: Callable[[CopyProgress], None] | None,
    ) -> tuple[bytes, bytes]:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        with contextlib.suppress(ConnectionError):  # it has already exited, and its output says why
            process.stdin.write(line)
            await process.stdin.drain()  # keep the pipe open; the process exits when it closes
        rows: list[int] = []
        reading = asyncio.gather(last_line(process.stdout, rows.append), process.stderr.read())
        try:
            done = False
            while not done:
                done = bool((await asyncio.wait({reading}, timeout=LOOK))[0])
                size = await asyncio.to_thread(size_of, part) if part is not None else 0
                if rows and progress is not None:
                    progress(CopyProgress(rows[-1], size))
                if size > BYTES:
                    raise DatabaseError(
                        f"The copy takes more than {BYTES / 1024**3:g} GiB of disk space.",
                        "Create a view with what you need, or read fewer rows.",
                    )
            return reading.result()
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


async def last_line(pipe: asyncio.StreamReader, rows: Callable[[int], object]) -> bytes:
    """Return the last line that a process writes; the earlier lines report how many rows have been
    read.
    """
    last = b""
    while line := await pipe.readline():
        last = line
        with contextlib.suppress(ValueError):
            told: Any = json.loads(line)
            if list(told) == ["rows"]:
                rows(int(told["rows"]))
    return last


def environment() -> dict[str, str]:
    """Return the environment of the process, without the variables that redirect PostgreSQL's
    client library.
    """
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PG") or name in KEPT
    }


async def ended(process: asyncio.subprocess.Process) -> None:
    """End a process, which exits by itself once its pipe closes; if it does not, it is killed."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), GRACE)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):  # it may have exited just now
            process.kill()
        await process.wait()


def size_of(path: Path) -> int:
    """Return the size of a file; 0 if it does not exist yet."""
    return path.stat().st_size if path.is_file() else 0


def understood(out: bytes, err: bytes, password: str) -> dict[str, Any]:
    """Return the answer that a process wrote.

    Raises: DatabaseError if the answer is an error, or if the process exited without an answer.
    """
    try:
        told: Any = json.loads(out)
    except ValueError as error:
        lines = err.decode("utf-8", "replace").strip().splitlines()
        last = (
            lines[-1][:300].replace(password, "…")
            if lines and password
            else (lines or [""])[-1][:300]
        )
        raise DatabaseError(
            f"Reading the database stopped unexpectedly: {last or 'no reason given'}."
        ) from error
    if "error" in told:
        raise DatabaseError(
            told["error"]["text"], told["error"]["remedy"], kind=told["error"]["kind"]
        )
    return told
