"""An assistant: a named model with instructions, tools and tables."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import asdict, dataclass
from typing import Any

SERVED_BY = "deskpilot gateway"  # the command that serves published assistants


@dataclass(frozen=True)
class Assistant:
    """An assistant. model: empty for the chat model. servers: ids of plugins and tool servers.
    widgets: paths of files.

    granted: (server, tool) pairs that its users may call without a consent question; the publisher
    agreed to them and can revoke them. token: the hash of the access token its users need; empty
    while it is not published.
    """

    name: str
    model: str = ""
    prompt: str = ""
    servers: tuple[str, ...] = ()
    widgets: tuple[str, ...] = ()
    granted: tuple[tuple[str, str], ...] = ()
    token: str = ""

    def opens_with(self, token: str) -> bool:
        """Return whether a token is the access token that users of this assistant need."""
        return bool(self.token) and hmac.compare_digest(self.token, hash_of(token))

    def as_dict(self) -> dict[str, Any]:
        """Return the assistant as JSON values; the token itself is never included."""
        return asdict(self)


def hash_of(token: str) -> str:
    """Return the stored hash of a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def read_assistant(fields: dict[str, Any]) -> Assistant:
    """Return an assistant from what `as_dict` wrote.

    Raises: TypeError, KeyError, ValueError for anything else.
    """
    return Assistant(
        str(fields["name"]),
        str(fields["model"]),
        str(fields["prompt"]),
        tuple(str(one) for one in fields["servers"]),
        tuple(str(one) for one in fields["widgets"]),
        tuple((str(server), str(tool)) for server, tool in fields["granted"]),
        str(fields["token"]),
    )
