"""Secrets in the system's keyring: headers for copilots and widget backends, and API keys for
providers.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, TypeVar

from app.domain.errors import SecretsError

if TYPE_CHECKING:
    from collections.abc import Callable

SERVICE = "deskpilot"
LEAST = 1.0  # lowest priority at which the library itself would choose a keyring
REMEDY = (
    "Unlock it, or install one (on Linux, GNOME Keyring or KWallet); secrets are stored nowhere "
    "else."
)
T = TypeVar("T")


class Keyring:
    """Stores small sets of secrets, each under a name such as `copilot:research`."""

    async def get(self, name: str) -> dict[str, str]:
        """Return a set of secrets; empty if there is none.

        Raises: SecretsError.
        """
        import keyring  # importing this takes 50 ms, and most questions do not need it

        kept = await self._do(lambda: keyring.get_password(SERVICE, name))
        try:
            value = json.loads(kept or "{}")
        except ValueError:
            value = {}
        return {str(k): str(v) for k, v in value.items()} if isinstance(value, dict) else {}

    async def put(self, name: str, secrets: dict[str, str]) -> None:
        """Save a set of secrets, replacing the old one; an empty set removes it.

        Raises: SecretsError.
        """
        import keyring
        from keyring.errors import PasswordDeleteError

        def remove() -> None:
            try:
                keyring.delete_password(SERVICE, name)
            except PasswordDeleteError:
                return  # there was no secret

        if secrets:
            if why := await self.trouble():
                raise SecretsError(why, REMEDY)
            await self._do(lambda: keyring.set_password(SERVICE, name, json.dumps(secrets)))
        else:
            await self._do(remove)

    async def trouble(self) -> str:
        """Return why secrets cannot be stored, as a sentence; empty if they can be stored."""
        return await asyncio.to_thread(keyring_trouble)

    async def _do(self, work: Callable[[], T]) -> T:
        from keyring.errors import KeyringError

        try:
            return await asyncio.to_thread(work)
        except KeyringError as error:
            raise SecretsError(
                f"This system's keyring cannot be used: {str(error).partition('.')[0]}.",
                REMEDY,
            ) from error


def keyring_trouble() -> str:
    """Return why there is no usable keyring; a keyring that stores plain text does not count."""
    import keyring

    backend: Any = keyring.get_keyring()
    chained: Any = getattr(backend, "backends", None)
    if chained:  # if there are several keyrings, the first one stores secrets
        backend = chained[0]
    kind = f"{type(backend).__module__}.{type(backend).__name__}".lower()
    if "plaintext" in kind:
        return f"This system's keyring stores secrets in plain text ({type(backend).__name__})."
    if "null" in kind or float(type(backend).priority) < LEAST:
        return "This system has no keyring."
    return ""
