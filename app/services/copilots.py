"""Which copilot answers: our own on this machine, or one at an address."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

from app.domain.errors import NotACopilot, Unreachable

if TYPE_CHECKING:
    from app.domain.copilot import Copilot
    from app.services.ports import CopilotPort


DEATH_SECONDS = 0.3


class ServicePort(Protocol):
    """The model service of this machine."""

    async def address(self) -> AddressPort:
        """Return where it listens, started if need be; raises ServiceError."""
        ...


class AddressPort(Protocol):
    """Where the service listens."""

    @property
    def url(self) -> str:
        """Its base address."""
        ...

    @property
    def headers(self) -> dict[str, str]:
        """What each request carries."""
        ...


class Copilots:
    """Finds the copilot for a question."""

    def __init__(self, port: CopilotPort, service: ServicePort) -> None:
        self._port = port
        self._service = service

    async def local(self) -> Copilot:
        """Return the copilot of this machine; the service is started if need be.

        Raises: ServiceError, CopilotError.
        """
        try:
            return await self._discover_local()
        except Unreachable:
            # It died a moment ago and the system has not told us yet; by now it has.
            await asyncio.sleep(DEATH_SECONDS)
            return await self._discover_local()

    async def _discover_local(self) -> Copilot:
        address = await self._service.address()
        found = await self._port.discover(address.url, frozenset(), address.headers)
        return found[0]

    async def at(self, address: str, allowed_hosts: frozenset[str] = frozenset()) -> Copilot:
        """Return the copilot at an address.

        Raises: CopilotError; NotACopilot if it publishes several and none is named.
        """
        found = await self._port.discover(address, allowed_hosts)
        if len(found) > 1:
            names = ", ".join(f"{address}#{c.id}" for c in found)
            raise NotACopilot(f"{address} publishes {len(found)} copilots.", f"Name one: {names}.")
        return found[0]
