"""A server of the Model Context Protocol as it is kept."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class McpEntry:
    """command: the program and its arguments, for one that is started here; url: where one listens.

    secrets: names of environment variables or headers, whose values are in the keyring. known: the tools it had
    when it was asked last, as the protocol tells of them. writes: those that ever did not say that they only read.
    """

    id: str
    command: tuple[str, ...] = ()
    url: str = ""
    secrets: tuple[str, ...] = ()
    known: tuple[dict[str, Any], ...] = field(default=(), hash=False)
    writes: tuple[str, ...] = ()

    @property
    def origin(self) -> str:
        """Where a call goes, for people."""
        return self.url or " ".join(self.command)

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON values, without any secret."""
        return asdict(self)


def read_entry(fields: dict[str, Any]) -> McpEntry:
    """Return a server as `as_dict` wrote it.

    Raises: TypeError, KeyError for anything else.
    """
    return McpEntry(
        str(fields["id"]),
        tuple(str(part) for part in fields["command"]),
        str(fields["url"]),
        tuple(str(name) for name in fields["secrets"]),
        tuple(fields["known"]),
        tuple(str(name) for name in fields.get("writes") or ()),
    )
