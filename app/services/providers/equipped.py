"""The model service, equipped: the models of the providers are lent to it before anybody asks."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.services.copilots import AddressPort, ServicePort
    from app.services.providers.providers import Providers


class Equipped:
    """The model service with everything lent to it: what a question is asked of.

    Its address is told once the models of the providers are there, each time it was started anew.
    """

    def __init__(self, service: ServicePort, providers: Providers) -> None:
        self._service = service
        self._providers = providers
        self._lending = asyncio.Lock()
        self._equipped: AddressPort | None = None

    async def address(self) -> AddressPort:
        """Return where it listens, started if need be.

        Raises: ServiceError, DeskpilotError.
        """
        async with self._lending:
            address = await self._service.address()
            if address != self._equipped:
                await self._providers.hand_over()
                self._equipped = address
            return address
