"""The language model that was named for this session: lent to the service, and asked for with each question."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from app.domain.copilot import is_loopback
from app.domain.errors import SetupError

if TYPE_CHECKING:
    from app.domain.copilot import Copilot, Offer
    from app.domain.language_model import Llm

LENT, PARAMETERS = "session", "deskpilot-llm"


class ManagePort(Protocol):
    """Asks the model service."""

    async def send(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Send a request; raises DeskpilotError."""
        ...


class Talking:
    """Has questions answered by a model of this session. llm: may be changed between questions."""

    def __init__(self, llm: Llm, manage: ManagePort) -> None:
        self.llm = llm
        self._manage = manage

    async def offered(self, offer: Offer, copilot: Copilot) -> Offer:
        """Return what goes along with a question, the model among it; only our own copilot is told of it.

        Raises: SetupError, DeskpilotError if the service does not take it.
        """
        if not copilot.is_ours:
            return offer
        model = self.llm.model
        if self.llm.elsewhere:
            if not model:
                raise SetupError("A server is named, and no model of it.", "Set llm.model, too.")
            credentials = self.llm.credentials()
            host = urlsplit(credentials["base_url"]).hostname or ""
            lent = {"model": model, "type": "llm", "credentials": credentials}
            lent["host"] = "" if is_loopback(host) else host
            body = {"provider": "openai_compatible", "models": [lent]}
            await self._manage.send("PUT", f"/v1/manage/lent/{LENT}", body)
            model = f"{LENT}/{model}"
        parameters = self.llm.parameters()
        options = offer.options | ({PARAMETERS: json.dumps(parameters)} if parameters else {})
        return replace(offer, model=offer.model or model, options=options)
