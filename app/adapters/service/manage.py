"""What the model service can be asked beside questions: providers, lent models, checks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx

from app.adapters.copilots.sse import EventReader
from app.domain.errors import ModelServiceError, ProviderError, ServiceError
from app.tools.web.certificates import nobody

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.services.copilots import ServicePort

WAIT_SECONDS = 330  # a server may load a model for the check
SILENT_SECONDS = 60  # a ping comes every 15


class ServiceManage:
    """Sends requests to the service, which is started if need be."""

    def __init__(self, service: ServicePort) -> None:
        self._service = service

    async def get(self, path: str) -> dict[str, Any]:
        """Return what a path tells.

        Raises: DeskpilotError.
        """
        return await self.send("GET", path)

    async def send(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the answer to a request; cancelled, the connection closes and the work ends.

        Raises: ProviderError for credentials that do not work, ModelServiceError for any other refusal,
        ServiceError if the service cannot be reached.
        """
        address = await self._service.address()
        try:
            async with httpx.AsyncClient(
                verify=nobody(), timeout=httpx.Timeout(WAIT_SECONDS, connect=10), trust_env=False
            ) as client:
                answer = await client.request(
                    method, address.url + path, json=body, headers=address.headers
                )
        except httpx.HTTPError as error:
            raise ServiceError(
                "The model service broke off.", "Try again; it is started anew."
            ) from error
        if answer.status_code == 200:
            return answer.json()
        raise refusal(answer)

    async def events(self, path: str, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        """Yield the events of an answer, up to an error among them; closing it ends the work.

        Raises: as `send`.
        """
        address = await self._service.address()
        reader = EventReader()
        timeout = httpx.Timeout(SILENT_SECONDS, connect=10)
        try:
            async with (
                httpx.AsyncClient(verify=nobody(), timeout=timeout, trust_env=False) as client,
                client.stream(
                    "POST", address.url + path, json=body, headers=address.headers
                ) as answer,
            ):
                if answer.status_code != 200:
                    await answer.aread()
                    raise refusal(answer)
                async for piece in answer.aiter_bytes():
                    for event in reader.feed(piece):
                        told = json.loads(event.data)
                        if "error" in told:
                            raise error_of(told["error"])
                        yield told
        except httpx.HTTPError as error:
            raise ServiceError(
                "The model service broke off.", "Try again; it is started anew."
            ) from error


def refusal(answer: httpx.Response) -> ProviderError | ModelServiceError:
    """Return the error the service answered with."""
    try:
        error = dict(answer.json()["error"])
    except (ValueError, KeyError, TypeError):
        return ModelServiceError(f"The model service answered {answer.status_code}.", "Try again.")
    return error_of(error)


def error_of(error: dict[str, Any]) -> ProviderError | ModelServiceError:
    """Return an error of the service as one of ours."""
    remedy = str(error.get("remedy") or "")
    text = str(error.get("message") or "").removesuffix(remedy).strip()
    if error.get("type") == "CredentialsValidateFailedError":
        return ProviderError(text, remedy)
    return ModelServiceError(text, remedy, kind=str(error.get("type") or ""))
