"""What the model service can be asked beside questions: providers, lent models, checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx

from app.domain.errors import ModelServiceError, ProviderError, ServiceError

if TYPE_CHECKING:
    from app.services.copilots import ServicePort

WAIT_SECONDS = 330  # a server may load a model for the check


class ServiceManage:
    """Sends requests to the service, which is started if need be."""

    def __init__(self, service: ServicePort) -> None:
        self._service = service

    async def get(self, path: str) -> dict[str, Any]:
        """Return what a path tells.

        Raises: DeskpilotError.
        """
        return await self.send("GET", path)

    async def send(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the answer to a request; cancelled, the connection closes and the work ends.

        Raises: ProviderError for credentials that do not work, ModelServiceError for any other refusal,
        ServiceError if the service cannot be reached.
        """
        address = await self._service.address()
        try:
            async with httpx.AsyncClient(
                timeout=httpx.Timeout(WAIT_SECONDS, connect=10), trust_env=False
            ) as client:
                answer = await client.request(method, address.url + path, json=body, headers=address.headers)
        except httpx.HTTPError as error:
            raise ServiceError("The model service broke off.", "Try again; it is started anew.") from error
        if answer.status_code == 200:
            return answer.json()
        raise refusal(answer)


def refusal(answer: httpx.Response) -> ProviderError | ModelServiceError:
    """Return the error the service answered with."""
    try:
        error = dict(answer.json()["error"])
    except (ValueError, KeyError, TypeError):
        return ModelServiceError(f"The model service answered {answer.status_code}.", "Try again.")
    remedy = str(error.get("remedy") or "")
    text = str(error.get("message") or "").removesuffix(remedy).strip()
    if error.get("type") == "CredentialsValidateFailedError":
        return ProviderError(text, remedy)
    return ModelServiceError(text, remedy, kind=str(error.get("type") or ""))
