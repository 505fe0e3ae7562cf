"""Where the secrets of a provider are kept, and how they are found again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.domain.errors import SecretsError
from app.domain.provider import ENV

if TYPE_CHECKING:
    from app.domain.provider import Added, Filled, Keep
    from app.services.models.ports import KeysPort


def typed(filled: Filled) -> dict[str, str]:
    """Return every value of a form, those of the environment read.

    Raises: SecretsError for a variable that is not set.
    """
    read = {field: from_environment(name) for field, name in filled.environment.items()}
    return filled.values | filled.secrets | read


class Safe:
    """Secrets of forms, each form's under a scope: in the keyring, or as long as this process
    lasts.
    """

    def __init__(self, keys: KeysPort) -> None:
        self._keys = keys
        self._session: dict[str, dict[str, str]] = {}

    async def keep(self, scope: str, filled: Filled, where: Keep) -> dict[str, str]:
        """Keep the secrets of a form; return of each field where it is.

        Raises: SecretsError; nothing is ever kept in plain text instead.
        """
        if filled.secrets and where == "keyring":
            await self._keys.put(scope, filled.secrets)
        elif filled.secrets:
            self._session[scope] = filled.secrets
        places: dict[str, str] = dict.fromkeys(filled.secrets, where)
        return places | {field: ENV + name for field, name in filled.environment.items()}

    async def find(self, scope: str, places: dict[str, str], name: str) -> dict[str, str]:
        """Return the secrets of a form. name: of the provider, for what is said.

        Raises: SecretsError for one that is not at hand.
        """
        kept = await self._keys.get(scope) if "keyring" in places.values() else {}
        held = self._session.get(scope, {})
        found: dict[str, str] = {}
        for field, place in places.items():
            if place.startswith(ENV):
                found[field] = from_environment(place.removeprefix(ENV))
            elif field in (source := held if place == "session" else kept):
                found[field] = source[field]
            else:
                why = (
                    "was kept until Deskpilot was closed"
                    if place == "session"
                    else "is no longer in the keyring"
                )
                raise SecretsError(f"The key of {name} {why}.", f"Remove {name} and add it again.")
        return found

    async def forget(self, added: Added) -> None:
        """Forget every secret of a provider.

        Raises: SecretsError.
        """
        of_models = [(scope_of(added.key, m.model, m.type), m.secrets) for m in added.models]
        for scope, places in ((scope_of(added.key), added.secrets), *of_models):
            if "keyring" in places.values():
                await self._keys.put(scope, {})
            self._session.pop(scope, None)


def scope_of(key: str, model: str = "", kind: str = "") -> str:
    """Return the name under which the secrets of a provider are, or of one of its models."""
    return f"provider:{key}" + (f"/{kind}/{model}" if model else "")


def from_environment(name: str) -> str:
    """Return a variable of the environment.

    Raises: SecretsError if it is not set.
    """
    value = os.environ.get(name)
    if not value:
        raise SecretsError(
            f"The environment variable {name} is not set.",
            "Set it, and start Deskpilot from there.",
        )
    return value
