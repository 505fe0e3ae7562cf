"""The MCP servers that the user added. Their secrets are in the keyring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.domain.errors import ToolError
from app.domain.tool import SERVER, TERMINAL, McpEntry, read_entry

if TYPE_CHECKING:
    from pathlib import Path

    from app.services.ports import FilePort, SecretsPort
    from app.services.tools.toolbox import Toolbox
    from app.tools.mcp.server import Keep, McpServer, Secrets


class McpServers:
    """The servers, by id. The file contains no secrets, and shell commands can change it while a
    window is open.
    """

    def __init__(self, file: FilePort, secrets: SecretsPort, toolbox: Toolbox, logs: Path) -> None:
        self._file, self._secrets, self._toolbox, self._logs = file, secrets, toolbox, logs
        self._servers: dict[str, McpServer] = {}
        toolbox.before_offering(self.restore)

    async def restore(self) -> None:
        """Offer the servers that were added here or with a shell command, and end those that were
        removed.

        Raises: SetupError, also if an entry cannot be understood.
        """
        kept = await self._file.read()
        for name in [name for name in self._servers if name not in kept]:
            await self._forget(name)
        for name, fields in kept.items():
            entry = understood(name, fields)
            known = self._servers.get(name)
            if entry is None or (known is not None and same(known.entry, entry)):
                continue
            if known is not None:
                await self._forget(name)
            self._offer(made(entry, self._kept_secrets, self._keep, self._log(name)))

    def all(self) -> list[McpServer]:
        """Return the servers in the order in which they were added."""
        return list(self._servers.values())

    async def add(self, entry: McpEntry, secrets: dict[str, str]) -> McpServer:
        """Start or contact a server, read its tools, and store it.

        secrets: the environment variables for a program, or the headers for an address. Raises:
        ToolError, SecretsError, SetupError.
        """
        await self.restore()
        if not SERVER.fullmatch(entry.id) or entry.id == TERMINAL:
            raise ToolError(
                f"{entry.id!r} cannot be used as its name.",
                "Use lowercase letters, digits, hyphens and full stops.",
            )
        if entry.id in {server.id for server in self._toolbox.servers()} - set(self._servers):
            raise ToolError(f"{entry.id} is already used by other tools.", "Give it another name.")

        async def given(_: McpEntry) -> dict[str, str]:
            return secrets

        async def later(_: McpEntry) -> None:
            return

        trial = made(entry, given, later, self._log(entry.id))
        try:
            await trial.learn()
        finally:
            await trial.aclose()
        if secrets:
            await self._secrets.put(secret_name(entry.id), secrets)
        learnt = trial.entry
        await self._file.change(lambda kept: kept | {entry.id: learnt.as_dict()})
        await self._forget(entry.id)
        server = made(learnt, self._kept_secrets, self._keep, self._log(entry.id))
        self._offer(server)
        return server

    async def remove(self, name: str) -> None:
        """End a server, and remove it and its secrets.

        Raises: ToolError, SecretsError, SetupError.
        """
        if name not in self._servers:
            names = ", ".join(self._servers)
            remedy = f"Available: {names}." if names else "Add one: deskpilot mcp add NAME."
            raise ToolError(f"There is no server {name!r}.", remedy)
        if self._servers[name].entry.secrets:
            await self._secrets.put(secret_name(name), {})
        await self._file.change(lambda kept: {k: v for k, v in kept.items() if k != name})
        await self._forget(name)

    async def restart(self) -> None:
        """Restart our own servers at their next call, because offline mode was switched on or
        off.
        """
        for server in self.all():
            await server.restart()

    def _offer(self, server: McpServer) -> None:
        self._servers[server.id] = server
        self._toolbox.put(server)

    def _log(self, name: str) -> Path:
        return self._logs / f"{name}.log"

    async def _forget(self, name: str) -> None:
        known = self._servers.pop(name, None)
        if known is not None:
            self._toolbox.drop(name)
            await known.aclose()

    async def _keep(self, entry: McpEntry) -> None:
        """Save the tools of a server, unless it was removed in the meantime."""
        await self._file.change(
            lambda kept: kept | {entry.id: entry.as_dict()} if entry.id in kept else kept
        )

    async def _kept_secrets(self, entry: McpEntry) -> dict[str, str]:
        return await self._secrets.get(secret_name(entry.id)) if entry.secrets else {}


def understood(name: str, fields: Any) -> McpEntry | None:
    """Restore a server from its stored form. Return None for anything else."""
    try:
        entry = read_entry(fields)
    except (TypeError, KeyError):
        return None
    return entry if entry.id == name and (entry.command or entry.url) else None


def same(one: McpEntry, other: McpEntry) -> bool:
    """Return whether two entries refer to the same server, regardless of the tools they list."""
    return (one.command, one.url, one.secrets) == (other.command, other.url, other.secrets)


def secret_name(name: str) -> str:
    """Return the name under which the secrets of a server are stored in the keyring."""
    return f"mcp:{name}"


def made(entry: McpEntry, secrets: Secrets, keep: Keep, log: Path) -> McpServer:
    """Return a server. The protocol's library, which takes up 30 MB of memory, is loaded with the
    first server."""
    from app.tools.mcp.server import McpServer

    return McpServer(entry, secrets, keep, log)
