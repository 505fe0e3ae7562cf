"""A plugin as it is kept: what it published when the person took it, and where it may be asked."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Published:
    """The texts of a manifest and of a specification, and the marks by which their servers know these versions."""

    manifest: str
    spec: str
    marks: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]], hash=False)


@dataclass(frozen=True)
class Installed:
    """url: of its manifest. origins: where it may be asked, and what kind of place each was.

    waiting: what it publishes now and the person has not agreed to; why: what is different, in words.
    """

    id: str
    url: str
    published: Published
    origins: dict[str, str] = field(hash=False)
    waiting: Published | None = None
    why: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return asdict(self)


def read_installed(fields: dict[str, Any]) -> Installed:
    """Return a plugin as `as_dict` wrote it.

    Raises: TypeError, KeyError for anything else.
    """
    waiting = fields.get("waiting")
    return Installed(
        str(fields["id"]),
        str(fields["url"]),
        Published(**fields["published"]),
        {str(k): str(v) for k, v in fields["origins"].items()},
        Published(**waiting) if waiting else None,
        tuple(fields.get("why") or ()),
    )
