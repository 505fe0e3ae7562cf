"""The assistants that the user created: they are saved by name, and published with a token and
permissions.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import replace
from typing import TYPE_CHECKING

from app.domain.copilot import Assistant, hash_of, read_assistant
from app.domain.errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.ports import FilePort
    from app.services.tools.toolbox import Toolbox

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")


class Assistants:
    """The assistants of one data folder. They are read again each time, so that a revocation by a
    shell command takes effect immediately.
    """

    def __init__(self, file: FilePort, toolbox: Toolbox, address: Callable[[], str]) -> None:
        """address: returns the address of this data folder's gateway, or an empty string."""
        self._file, self._toolbox, self.address = file, toolbox, address

    async def all(self) -> list[Assistant]:
        """Return the assistants, sorted by name.

        Raises: SetupError; ToolError if the file's content has an unexpected format.
        """
        try:
            return [
                read_assistant(fields) for _, fields in sorted((await self._file.read()).items())
            ]
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            raise ToolError(
                "The assistants file cannot be read.",
                "Move assistants.json away, and create the assistants again.",
            ) from error

    async def get(self, name: str) -> Assistant:
        """Return one assistant.

        Raises: ToolError, SetupError.
        """
        known = await self.all()
        for one in known:
            if one.name == name:
                return one
        names = ", ".join(one.name for one in known)
        remedy = (
            f"Available: {names}." if names else "Create one: deskpilot assistants create NAME."
        )
        raise ToolError(f"There is no assistant {name!r}.", remedy)

    async def create(self, made: Assistant) -> None:
        """Save an assistant. It replaces one with the same name, which is then no longer published.

        Raises: ToolError, SetupError.
        """
        self._check(made)
        await self._put(replace(made, granted=(), token=""))

    async def edit(self, made: Assistant) -> None:
        """Change an assistant. It stays published, and keeps the permissions for the tools that it
        still has.

        Raises: ToolError, SetupError.
        """
        self._check(made)
        known = await self.get(made.name)
        granted = tuple(pair for pair in known.granted if pair[0] in made.servers)
        await self._put(replace(made, granted=granted, token=known.token))

    def _check(self, made: Assistant) -> None:
        """Check that an assistant can be saved.

        Raises: ToolError.
        """
        if not NAME.fullmatch(made.name):
            raise ToolError(
                f"{made.name!r} cannot be used as its name.",
                "Use letters, digits, hyphens, underscores and full stops.",
            )
        known = {server.id for server in self._toolbox.servers()}
        if strange := [server for server in made.servers if server not in known]:
            raise ToolError(
                f"There is no plugin {strange[0]!r}.",
                f"Available: {', '.join(sorted(known)) or 'none'}.",
            )

    async def publish(self, name: str, granted: list[tuple[str, str]]) -> str:
        """Publish an assistant, and return its access token, which is not saved.

        granted: the calls that it is allowed to make without consent. Raises: ToolError,
        SetupError.
        """
        one = await self.get(name)
        for server, tool in granted:
            self._toolbox.tool(server, tool)
            if server not in one.servers:
                raise ToolError(f"{name} has no tools from {server}.", "Create it with them.")
        token = secrets.token_urlsafe(24)
        await self._put(replace(one, granted=tuple(dict.fromkeys(granted)), token=hash_of(token)))
        return token

    async def revoke(self, name: str, what: tuple[str, str] | None = None) -> None:
        """Revoke one of an assistant's permissions. By default, revoke all of them and its access
        token.

        Raises: ToolError, SetupError.
        """
        one = await self.get(name)
        if what is None:
            await self._put(replace(one, granted=(), token=""))
            return
        if what not in one.granted:
            raise ToolError(
                f"{name} cannot call {'/'.join(what)} on its own.",
                "See: deskpilot assistants list.",
            )
        await self._put(replace(one, granted=tuple(g for g in one.granted if g != what)))

    async def remove(self, name: str) -> None:
        """Remove an assistant.

        Raises: ToolError, SetupError.
        """
        await self.get(name)
        await self._file.change(lambda kept: {k: v for k, v in kept.items() if k != name})

    async def _put(self, one: Assistant) -> None:
        await self._file.change(lambda kept: kept | {one.name: one.as_dict()})
