"""The model service as a child process: starting, finding and watching it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import time
from dataclasses import dataclass, field
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from app.domain.errors import ServiceError
from backends import children
from backends.paths import data_folder, endpoint_file

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Limits = Callable[[], Awaitable[dict[str, str]]]

START_SECONDS = 60
BACK_OFF_SECONDS = (0.0, 1.0, 2.0, 4.0)
CALM_SECONDS = 60.0  # a service that has run this long resets the restart count
END_SECONDS = 5.0  # seconds that a service of an older version has to exit by itself


@dataclass(frozen=True)
class ServiceAddress:
    """The service's address, token and Deskpilot version.

    started: when its process started, in seconds since 1970; None if the file does not specify
    this.
    """

    url: str
    token: str
    pid: int
    version: str = ""
    started: float | None = field(default=None, compare=False)

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers for each request."""
        return {"Authorization": f"Bearer {self.token}"}


class ServiceProcess:
    """Starts the service when it is first needed, and restarts it after a crash.

    The service exits with this process, because the pipe to its standard input closes. A service
    that an older version of Deskpilot left running is replaced; a service of a newer version is
    left alone and is not used. limits: a function that is called before each start and returns
    environment variables, over which our own take precedence. version: the version of this program,
    which an update can change on disk while it runs.
    """

    def __init__(self, limits: Limits | None = None, version: str | None = None) -> None:
        self._limits = limits
        self._version = version or installed_version("deskpilot")
        self._process: asyncio.subprocess.Process | None = None
        self._address: ServiceAddress | None = None
        self._lock = asyncio.Lock()
        self._starting: asyncio.Task[ServiceAddress] | None = None
        self._deaths = 0
        self._started = 0.0

    @property
    def pid(self) -> int | None:
        """The id of the service process that this process started; None if it has not started
        one.
        """
        return self._process.pid if self._process else None

    async def address(self) -> ServiceAddress:
        """Return the service's address, after starting the service if necessary.

        Raises: ServiceError; SetupError if the limits are invalid.
        """
        if self._address is not None and self._alive() and not self._lock.locked():
            return self._address
        if self._starting is None or self._starting.done():
            self._starting = asyncio.create_task(self._get())
            self._starting.add_done_callback(_take_note)
        return await asyncio.shield(
            self._starting
        )  # the caller may give up, but the start continues for the next caller

    async def renew(self) -> None:
        """End the service if it is ours. It is started again when it is next needed."""
        async with self._lock:
            await self._end()
            self._process = self._address = None

    async def aclose(self) -> None:
        """End the service if it is ours, and stop any start that is in progress."""
        if self._starting is not None and not self._starting.done():
            self._starting.cancel()
            await asyncio.wait([self._starting])
        await self._end()

    async def _end(self) -> None:
        process = self._process
        if process is None or process.returncode is not None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), 5)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):  # it may have exited just now
                process.kill()
            await process.wait()

    async def _get(self) -> ServiceAddress:
        async with self._lock:
            if self._address is None or not self._alive():
                self._address = await self._find_or_start()
            return self._address

    def _alive(self) -> bool:
        if self._process is not None:
            return self._process.returncode is None and is_running(self._process.pid)
        return self._address is not None and is_running(self._address.pid)

    async def _find_or_start(self) -> ServiceAddress:
        found = read_address(endpoint_file()) if self._process is None else None
        if found is not None and await self._fits(found):
            return found
        if self._process is not None:
            calm = time.monotonic() - self._started > CALM_SECONDS
            self._deaths = 1 if calm else self._deaths + 1
        if self._deaths >= len(BACK_OFF_SECONDS):
            raise ServiceError("The model service keeps stopping.", f"Check {log_file()}.")
        await asyncio.sleep(BACK_OFF_SECONDS[self._deaths])
        self._started = time.monotonic()
        data_folder().mkdir(parents=True, exist_ok=True)
        limits = await self._limits() if self._limits else {}
        with log_file().open("ab") as log:
            self._process = await children.start(
                "-m",
                "backends.service",
                "--parent-pipe",
                variables=limits | os.environ,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        return await self._ready(self._process)

    async def _ready(self, process: asyncio.subprocess.Process) -> ServiceAddress:
        assert process.stdout is not None
        line = b""
        with contextlib.suppress(TimeoutError):
            line = await asyncio.wait_for(process.stdout.readline(), START_SECONDS)
        if not line:
            await self._end()
            if (found := read_address(endpoint_file())) is not None:
                self._process = None  # another process started one first, and that service is used
                return found if await self._fits(found) else await self._find_or_start()
            raise ServiceError("The model service did not start.", f"Check {log_file()}.")
        address = address_in(json.loads(line))
        if address.version != self._version:
            await self._end()
            self._process = None
            raise ServiceError(
                f"Deskpilot was updated to version {address.version} while running; this window "
                f"is still version {self._version}.",
                "Close it and start it again.",
            )
        return address

    async def _fits(self, found: ServiceAddress) -> bool:
        """Return whether a running service has our version; end an older service that a window or a
        command started.

        Raises: ServiceError for a newer service, and for an older one that a user makes available
        to others.
        """
        if found.version == self._version:
            return True
        if release(found.version) > release(self._version):
            raise ServiceError(
                f"A newer Deskpilot ({found.version}) is running; this is {self._version}.",
                "Use the newer one, or quit it first.",
            )
        process = process_of(found)
        if process is None or "--parent-pipe" not in process.cmdline():
            raise ServiceError(
                "The running model service belongs to an older Deskpilot; this is version "
                f"{self._version}.",
                f"Stop it (process {found.pid}) and start it again.",
            )
        await asyncio.to_thread(end_process, process)
        return False


def _take_note(start: asyncio.Task[ServiceAddress]) -> None:
    """Log the result of a start whose caller is no longer waiting; the next caller tries again."""
    if not start.cancelled():
        start.exception()


def read_address(path: Path) -> ServiceAddress | None:
    """Return the address written by a running service; None if none is running."""
    try:
        address = address_in(json.loads(path.read_text()))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    # Process ids are reused, so a process with this id may not be the service.
    same = address.started is None or process_of(address) is not None
    return address if same and is_running(address.pid) else None


def address_in(told: Any) -> ServiceAddress:
    """Return the address contained in the data written by a service.

    Raises: KeyError, TypeError, ValueError if the data is not an address.
    """
    url = f"http://{told['host']}:{told['port']}"
    started = told.get("started")
    return ServiceAddress(
        url,
        told["token"],
        int(told["pid"]),
        str(told.get("version", "")),
        None if started is None else float(started),
    )


def release(version: str) -> tuple[int, ...]:
    """Return the numbers in a version, such as (0, 1, 0) for 0.1.0. If there is no version, return
    (), which sorts first.
    """
    found = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(part) for part in found[0].split(".")) if found else ()


def process_of(address: ServiceAddress) -> psutil.Process | None:
    """Return the process of a service; None if its id now belongs to another process."""
    try:
        process = psutil.Process(address.pid)
        same = address.started is not None and abs(process.create_time() - address.started) < 1
    except psutil.Error:
        return None
    return process if same else None


def end_process(process: psutil.Process) -> None:
    """Ask a process to exit, and kill it if it does not. Its workers exit with it.

    Raises: ServiceError if this user is not permitted to end it.
    """
    try:
        process.terminate()
        if not has_ended(process):
            process.kill()
            has_ended(process)
    except psutil.NoSuchProcess:
        pass  # it has just exited
    except psutil.AccessDenied as error:
        raise ServiceError(
            f"An older model service (process {process.pid}) could not be stopped.",
            "Stop it first.",
        ) from error


def has_ended(process: psutil.Process) -> bool:
    """Wait briefly for a process to exit, and return whether it did.

    This polls instead of waiting for the process, because its parent, which may be this process,
    reads its exit status.
    """
    last = time.monotonic() + END_SECONDS
    while is_running(process.pid):
        if time.monotonic() > last:
            return False
        time.sleep(0.02)
    return True


def is_running(pid: int) -> bool:
    """Return whether a process exists and is not a zombie."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except (
        psutil.NoSuchProcess,
        psutil.AccessDenied,
        ValueError,
    ):  # because a process owned by another user is not our service
        return False


def log_file() -> Path:
    """Return the service's log file."""
    return data_folder() / "service.log"
