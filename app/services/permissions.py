"""All permissions that the user granted, in one list, each of which can be revoked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from app.domain.copilot import OTHERS, WHOLE

if TYPE_CHECKING:
    from app.services.consents import Consents
    from app.services.conversation.copilots import Copilots
    from app.services.conversation.history import History
    from app.services.conversation.skills import Skills
    from app.services.dashboard.backends import Backends
    from app.services.models.providers import Providers
    from app.services.tools.plugins import Plugins

    Kind = Literal["copilot", "sees", "delegates", "provider", "backend", "plugin", "skill", "code"]


@dataclass(frozen=True)
class Permission:
    """A permission. name: the name of the program or server that has it. where: the machines that
    it applies to, or empty for this one.

    The kind `code` is the permission to run a conversation's code without a prompt. Its name is the
    conversation's title, which is empty for a temporary conversation, and its uid is the
    conversation's id.
    """

    kind: Kind
    name: str
    where: str = ""
    uid: str = ""


@dataclass(frozen=True)
class Givers:
    """The services that store permissions."""

    copilots: Copilots
    providers: Providers
    backends: Backends
    plugins: Plugins
    skills: Skills
    consents: Consents
    history: History


class Permissions:
    """Lists permissions, and revokes them at the service that stores them."""

    def __init__(self, givers: Givers) -> None:
        self._by = givers

    async def all(self) -> list[Permission]:
        """Return the current permissions, which shell commands may have changed.

        Raises: SetupError, StoreError.
        """
        found: list[Permission] = []
        for added in await self._by.copilots.all():
            hosts = dict.fromkeys([added.copilot.host, *added.hosts])
            found.append(Permission("copilot", added.name, ", ".join(hosts)))
            if added.copilot.looks_around and added.copilot.sees_all:
                found.append(Permission("sees", added.name, added.copilot.host))
            if added.copilot.options.get(OTHERS):
                found.append(Permission("delegates", added.name, added.copilot.host))
        found += [
            Permission("provider", one.name, one.host) for one in await self._by.providers.added()
        ]
        await self._by.backends.restore()
        found += [
            Permission("backend", one.id, urlsplit(one.url).netloc)
            for one in self._by.backends.all()
        ]
        await self._by.plugins.restore()
        for plugin in self._by.plugins.all():
            found.append(
                Permission(
                    "plugin", plugin.installed.id, ", ".join(sorted(plugin.installed.origins))
                )
            )
        found += [Permission("skill", skill.slug) for skill in await self._by.skills.all()]
        return found + await self._code()

    async def _code(self) -> list[Permission]:
        allowed = self._by.consents.allowed
        kept = (
            [*await self._by.history.conversations(), *await self._by.history.trashed()]
            if allowed
            else []
        )
        named = [Permission("code", one.title, uid=one.id) for one in kept if one.id in allowed]
        gone = allowed.difference(one.id for one in kept)
        return [*named, *(Permission("code", "", uid=uid) for uid in sorted(gone))]

    async def take_back(self, permission: Permission) -> None:
        """Revoke a permission.

        Raises: DeskpilotError in the same cases as in the service that stores the permission.
        """
        name = permission.name
        match permission.kind:
            case "copilot":
                await self._by.copilots.remove(name)
            case "sees":
                await self._by.copilots.set_option(name, WHOLE, False)
            case "delegates":
                await self._by.copilots.set_option(name, OTHERS, False)
            case "provider":
                await self._by.providers.remove(name)
            case "backend":
                await self._by.backends.remove(name)
            case "plugin":
                await self._by.plugins.remove(name)
            case "skill":
                await self._by.skills.remove(name)
            case "code":
                self._by.consents.allowed.discard(permission.uid)
