"""What the providers need of the outside; the adapters provide it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from app.services.ports import SecretsPort

if TYPE_CHECKING:
    from collections.abc import Callable


class FilePort(Protocol):
    """An object that is kept over restarts."""

    async def read(self) -> dict[str, Any]:
        """Return what is kept; raises SetupError."""
        ...

    async def change(self, changed: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Keep what `changed` makes of what is kept; raises SetupError."""
        ...


class KeysPort(SecretsPort, Protocol):
    """Sets of secrets by name, in the system's keyring."""

    async def trouble(self) -> str:
        """Return why secrets cannot be kept; empty if they can."""
        ...


class ManagePort(Protocol):
    """The model service's routes beside questions."""

    async def get(self, path: str) -> dict[str, Any]:
        """Return what a path tells; raises DeskpilotError."""
        ...

    async def send(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the answer to a request; raises ProviderError, ModelServiceError, ServiceError."""
        ...
