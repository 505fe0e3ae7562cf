"""Guard models on a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from backends.flexai.entities import Verdict
from backends.flexai.models import ModerationModel
from backends.providers.openai_compatible.connection import Peer, Remote
from backends.providers.openai_compatible.failures import rows_of
from backends.providers.openai_compatible.settings import ServerSettings

if TYPE_CHECKING:
    from collections.abc import Generator

PIECE = 2000  # maximum number of characters that a guard checks at once
OVERLAP = 200  # characters repeated in the next piece, so that every sentence is checked as a whole


class RemoteModeration(Remote, ModerationModel):
    """Checks text over HTTP; long texts are checked in pieces. If a check fails for any reason, it
    raises an error.
    """

    def try_out(self, model: str, credentials: dict[str, Any]) -> None:
        """Check a single word."""
        self.invoke(model, credentials, "ping")

    def described(self, settings: ServerSettings) -> dict[str, Any]:
        """Return the length of the pieces into which long texts are cut, and the batch size."""
        return {
            "model_properties": {
                "max_characters_per_chunk": PIECE,
                "max_chunks": settings.batch_size,
            }
        }

    def _invoke(
        self, model: str, credentials: dict[str, Any], text: str, user: str | None = None
    ) -> bool:
        return any(verdict.flagged for verdict in self._verdicts(model, credentials, text))

    def _judge(
        self, model: str, credentials: dict[str, Any], text: str, user: str | None = None
    ) -> Verdict:
        verdicts = list(self._verdicts(model, credentials, text))
        categories: dict[str, bool] = {}
        for verdict in verdicts:
            categories |= {
                n: found or categories.get(n, False) for n, found in verdict.categories.items()
            }
        return Verdict(flagged=any(verdict.flagged for verdict in verdicts), categories=categories)

    def _verdicts(self, model: str, credentials: dict[str, Any], text: str) -> Generator[Verdict]:
        """Yield the server's verdict on each piece of the text."""
        settings = self.settings(credentials)
        peer = Peer(settings)
        last = max(len(text) - OVERLAP, 1)
        pieces = [text[at : at + PIECE] for at in range(0, last, PIECE - OVERLAP)]
        for start in range(0, len(pieces), settings.batch_size):
            some = pieces[start : start + settings.batch_size]
            answer = peer.post("/moderations", {"model": settings.name_of(model), "input": some})
            yield from verdicts(answer, len(some), peer)


def verdicts(answer: dict[str, Any], count: int, peer: Peer) -> list[Verdict]:
    """Return the verdict on each piece.

    Raises: InvokeServerUnavailableError if any piece has no verdict: a missing verdict does not
    mean that the text is safe.
    """
    rows = rows_of(answer, "results")
    if len(rows) != count or not all(isinstance(row.get("flagged"), bool) for row in rows):
        raise peer.strange(f"it did not say whether each of {count} texts is harmful")
    return [
        Verdict(flagged=row["flagged"], categories=kinds_of(row.get("categories"))) for row in rows
    ]


def kinds_of(told: Any) -> dict[str, bool]:
    """Return the kinds of harm that a server names; answers in other formats are ignored."""
    known = cast("dict[str, Any]", told) if isinstance(told, dict) else {}
    return {name: found for name, found in known.items() if isinstance(found, bool)}
