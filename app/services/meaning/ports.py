"""What a search by meaning needs of the outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np

    from app.domain.conversation import Found
    from app.domain.meaning import Part, Told


class EmbedPort(Protocol):
    """Turns texts into vectors, on this machine."""

    async def model(self) -> str | None:
        """Return the model that does, of those that lie on this machine; raises DeskpilotError."""
        ...

    async def embed(self, model: str, texts: list[str], *, asked: bool) -> np.ndarray:
        """Return a row of length 1 for each text; asked: they are what one looks for; raises DeskpilotError."""
        ...


class MeaningsPort(Protocol):
    """Keeps the vectors of turns; raises StoreError."""

    async def unread(self, model: str, below: int | None, limit: int) -> list[Told]:
        """Return texts a model has not read yet, the newest first."""
        ...

    async def put(self, model: str, told: Told, parts: list[Part]) -> None:
        """Keep what a text means."""
        ...

    async def vectors(self, model: str, after: int) -> tuple[list[int], bytes]:
        """Return the ids above one and their vectors."""
        ...

    async def found(self, ids: list[int]) -> dict[int, Found]:
        """Return the turns vectors belong to."""
        ...

    async def count(self, model: str) -> tuple[int, int]:
        """Return how many texts were read, of how many."""
        ...
