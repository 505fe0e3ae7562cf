"""Guard models behind a server."""

from __future__ import annotations

from typing import Any

from backends.flexai.models import ModerationModel
from backends.providers.openai_compatible.remote import Remote
from backends.providers.openai_compatible.settings import Settings
from backends.providers.openai_compatible.wire.connection import Peer
from backends.providers.openai_compatible.wire.values import rows_of

PIECE = 2000  # characters a guard looks at together


class RemoteModeration(Remote, ModerationModel):
    """Checks text over HTTP, a long one in pieces; a check that fails in any way raises."""

    def try_out(self, model: str, credentials: dict[str, Any]) -> None:
        """Check a word."""
        self.invoke(model, credentials, "ping")

    def described(self, settings: Settings) -> dict[str, Any]:
        """Return how a long text is cut."""
        return {"model_properties": {"max_characters_per_chunk": PIECE, "max_chunks": settings.batch_size}}

    def _invoke(self, model: str, credentials: dict[str, Any], text: str, user: str | None = None) -> bool:
        settings = self.settings(credentials)
        peer = Peer(settings)
        pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
        for start in range(0, len(pieces), settings.batch_size):
            some = pieces[start : start + settings.batch_size]
            answer = peer.post("/moderations", {"model": settings.name_of(model), "input": some})
            if any(flags(answer, len(some), peer)):
                return True
        return False


def flags(answer: dict[str, Any], count: int, peer: Peer) -> list[bool]:
    """Return what was found of each piece.

    Raises: InvokeServerUnavailableError unless each has an answer: silence is not "safe".
    """
    found = [row.get("flagged") for row in rows_of(answer, "results")]
    if len(found) != count or not all(isinstance(flag, bool) for flag in found):
        raise peer.strange(f"it did not say of {count} texts whether they are harmful")
    return [bool(flag) for flag in found]
