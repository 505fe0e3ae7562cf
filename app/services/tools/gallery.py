"""The gallery: servers and a plugin that are shipped with Deskpilot, each of which can be added
with one click.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

from app.domain.database import read_address
from app.domain.errors import ToolError
from app.domain.tool import OWN_PYTHON, McpEntry
from backends import children, offline

if TYPE_CHECKING:
    from app.services.tools.mcp import McpServers
    from app.services.tools.plugins import Plugins

Asks = Literal["", "folder", "address"]

WEB = "web-pages"
TODO_PORT = 7781
STARTING_SECONDS = 20.0


@dataclass(frozen=True)
class Offered:
    """An entry of the gallery. module: the server's module, which runs with Deskpilot's Python, or
    empty for a plugin. option: the command-line option placed before the user's value. asks: a
    description of that value. program: another program that must be installed. asked_first:
    read-only tools that nevertheless need consent, because a web address can carry data away.
    """

    id: str
    module: str = ""
    option: str = ""
    asks: Asks = ""
    program: str = ""
    asked_first: tuple[str, ...] = ()

    @property
    def missing(self) -> bool:
        """Return whether a program that it needs is missing."""
        return bool(self.program) and shutil.which(self.program) is None


OFFERED = (
    Offered("files", "app.tools.mcp.files", asks="folder"),
    Offered("git", "mcp_server_git", "--repository", "folder", "git"),
    Offered("time", "mcp_server_time"),
    Offered(WEB, "mcp_server_fetch", asked_first=("fetch",)),
    Offered("postgresql", "app.adapters.databases.tool_server", asks="address"),
    Offered("to-do"),
)


class TodoSample:
    """The sample plugin, a separate process that runs while Deskpilot does."""

    def __init__(self) -> None:
        self._port = TODO_PORT
        self.url = f"http://127.0.0.1:{TODO_PORT}"
        self._process: asyncio.subprocess.Process | None = None
        self._starting = asyncio.Lock()

    async def start(self) -> None:
        """Start the sample plugin unless it is running, and return once it answers.

        Raises: ToolError.
        """
        async with self._starting:
            if self._process is not None and self._process.returncode is None:
                return
            if await self._answers():
                return  # another Deskpilot process is running the sample
            quiet = asyncio.subprocess.DEVNULL
            program = str(files("resources") / "samples" / "todo" / "todo.py")
            self._process = await children.start(
                *(program, "--port", str(self._port), "--parent-pipe"),
                # the sample exits when this process ends, however that happens
                stdin=asyncio.subprocess.PIPE,
                stdout=quiet,
                stderr=quiet,
            )
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(STARTING_SECONDS):
                    while self._process.returncode is None:
                        if await self._answers():
                            return
                        await asyncio.sleep(0.1)
            await self.aclose()
            raise ToolError("The to-do list did not start.", "Try again.")

    async def aclose(self) -> None:
        """End the sample plugin."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            process.terminate()
            await process.wait()

    async def _answers(self) -> bool:
        """Return whether something listens at the sample's address."""
        try:
            _reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        except OSError:
            return False
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
        return True


class Gallery:
    """Adds entries of the gallery, and keeps the sample plugin running once it has been added."""

    def __init__(self, plugins: Plugins, mcp: McpServers, todo: TodoSample) -> None:
        self._plugins, self._mcp, self._todo = plugins, mcp, todo

    async def restore(self) -> None:
        """Start the sample plugin if the user added it; if that fails, it has no tools."""
        if self.is_added(OFFERED[-1]):
            with contextlib.suppress(ToolError):
                await self._todo.start()

    def is_added(self, offered: Offered) -> bool:
        """Return whether an entry has already been added."""
        if offered.module:
            return any(
                server.entry.command[:2] == (OWN_PYTHON, offered.module)
                for server in self._mcp.all()
            )
        return any(
            plugin.installed.url.startswith(self._todo.url) for plugin in self._plugins.all()
        )

    async def add(self, offered: Offered, given: str = "") -> None:
        """Add an entry. given: the folder or address that it asks for.

        Raises: ToolError, DatabaseError, SecretsError, SetupError.
        """
        if offered.missing:
            raise ToolError(f"{offered.program} is not on this machine.", "Install it first.")
        if offered.id == WEB and offline.is_on():
            raise ToolError("Deskpilot is offline.", "Turn off Offline in Settings, Network first.")
        if not offered.module:
            await self._todo.start()
            await self._plugins.add(await self._plugins.look(self._todo.url))
            return
        arguments = [offered.option] if offered.option else []
        secrets: dict[str, str] = {}
        if offered.asks == "address":
            address, password = read_address(given)
            arguments.append(address.url)
            secrets = {"PGPASSWORD": password} if password else {}
        elif offered.asks:
            arguments.append(given)
        command = (OWN_PYTHON, offered.module, *arguments)
        entry = McpEntry(offered.id, command, "", tuple(secrets), writes=offered.asked_first)
        await self._mcp.add(entry, secrets)

    async def aclose(self) -> None:
        """End the sample plugin."""
        await self._todo.aclose()
