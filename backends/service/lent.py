"""Models that a terminal lends to the service. Credentials stay in memory, never on disk or in a
log.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from backends.flexai.errors import InvokeAuthorizationError

if TYPE_CHECKING:
    from backends.flexai.entities import ModelType


@dataclass(frozen=True)
class LentEntry:
    """The description of a provider's model. id: for callers, `NAME/MODEL`. host: where the input
    is sent; empty for this machine.
    """

    id: str
    type: ModelType
    provider: str
    model: str
    host: str = ""
    languages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lent:
    """A model that can be used with these credentials, or the reason why it cannot."""

    entry: LentEntry
    credentials: dict[str, Any] = field(repr=False)
    problem: str = ""
    remedy: str = ""

    def usable(self) -> Lent:
        """Return itself.

        Raises: InvokeAuthorizationError if its credentials are not available.
        """
        if self.problem:
            raise InvokeAuthorizationError(self.problem, self.remedy)
        return self


class LentModels:
    """The models lent by terminals, by the name of the provider's configuration."""

    def __init__(self) -> None:
        self._lent: dict[str, list[Lent]] = {}

    def put(self, name: str, models: list[Lent]) -> list[Lent]:
        """Store the models of a configuration and return those they replace, which had the same
        name.

        If a second terminal has no access to the key, its models do not replace usable ones.
        """
        before = self._lent.get(name, [])
        if any(m.problem for m in models) and any(not m.problem for m in before):
            return []
        self._lent[name] = models
        return before

    def take_back(self, name: str) -> list[Lent]:
        """Remove a configuration; return its models."""
        return self._lent.pop(name, [])

    def all(self) -> list[Lent]:
        """Return every lent model."""
        return [lent for models in self._lent.values() for lent in models]

    def find(self, kind: ModelType, model_id: str) -> Lent | None:
        """Return a lent model by id and kind, or None."""
        return next(
            (x for x in self.all() if x.entry.id == model_id and x.entry.type is kind), None
        )
