"""Tell a copilot what one thinks of an answer, and by which id it knows that answer."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import httpx

from app.adapters.copilots.discovery import PUBLISHED_SECONDS
from app.domain.errors import Refused, Unreachable

if TYPE_CHECKING:
    from app.domain.copilot import Copilot

SENT, TOLD = "X-Trace-Id", ("x-server-trace-id", "x-trace-id")
LONGEST = 200  # characters of an id that is kept


class Trace:
    """By which id an answer is known: ours, unless the copilot tells one of its own."""

    def __init__(self, conversation_id: str) -> None:
        try:
            self.id = str(uuid.UUID(conversation_id))
        except ValueError:  # of a conversation that is kept nowhere
            self.id = str(uuid.uuid5(uuid.NAMESPACE_URL, conversation_id))

    def headers(self) -> dict[str, str]:
        """Return what a question carries of it."""
        return {SENT: self.id}

    def hear(self, answer: httpx.Response) -> None:
        """Learn which id the copilot gave its answer."""
        self.id = next(
            (answer.headers[name][:LONGEST] for name in TOLD if answer.headers.get(name)), self.id
        )


async def rate(client: httpx.AsyncClient, copilot: Copilot, told: dict[str, Any]) -> None:
    """Send what one thinks of an answer; it goes to that address and nowhere on from there.

    Raises: Unreachable, Refused.
    """
    try:
        answer = await client.post(
            copilot.feedback_url,
            json=told,
            headers=copilot.headers,
            timeout=PUBLISHED_SECONDS,
            follow_redirects=False,
        )
    except httpx.HTTPError as error:
        raise Unreachable(
            f"{copilot.name} cannot be told: it does not answer.",
            "Check that it runs, then rate again.",
        ) from error
    if not answer.is_success:
        raise Refused(
            f"{copilot.name} did not take the rating (error {answer.status_code}).",
            "Ask its maker.",
            status=answer.status_code,
        )
