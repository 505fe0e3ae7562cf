"""The embedder of the model service: texts into vectors, by a model that lies on this machine."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import httpx

from app.adapters.service.manage import refusal
from app.domain.errors import ModelServiceError, ServiceError
from app.tools.web.certificates import nobody

if TYPE_CHECKING:
    import numpy as np

    from app.services.copilots import ServicePort

WAIT_SECONDS = 330  # the model may have to be loaded, behind others
KIND, MANY = "text-embedding", "multilingual"


class ServiceEmbedder:
    """Asks the model service, which is started if need be. No model behind a provider is asked: all that one wrote
    would go there."""

    def __init__(self, service: ServicePort) -> None:
        self._service = service
        self._client: httpx.AsyncClient | None = None  # kept: a new one costs more than a question

    async def aclose(self) -> None:
        """Hang up."""
        if self._client is not None:
            await self._client.aclose()

    async def model(self) -> str | None:
        """Return an embedder that lies on this machine, one for every language before others; None without one.

        Raises: ServiceError, ModelServiceError.
        """
        told = await self._asked("GET", "/v1/manage/catalogue")
        here = [one for one in told["models"] if one["type"] == KIND and one["here"]]
        here.sort(key=lambda one: MANY not in one["languages"])
        return str(here[0]["id"]) if here else None

    async def embed(self, model: str, texts: list[str], *, asked: bool) -> np.ndarray:
        """Return a row of length 1 for each text; cancelled, the model stops.

        Raises: ServiceError, ModelServiceError.
        """
        import numpy as np

        body = {
            "model": model,
            "input": texts,
            "encoding_format": "base64",
            "input_type": "query" if asked else "document",
        }
        told = await self._asked("POST", "/v1/embeddings", body)
        rows = [
            np.frombuffer(base64.b64decode(one["embedding"]), dtype="<f4") for one in told["data"]
        ]
        made = np.stack(rows).astype(np.float32)
        return made / np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-9)

    async def _asked(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        address = await self._service.address()
        if self._client is None:
            self._client = httpx.AsyncClient(
                verify=nobody(), timeout=httpx.Timeout(WAIT_SECONDS, connect=10), trust_env=False
            )
        try:
            answer = await self._client.request(
                method, address.url + path, json=body, headers=address.headers
            )
        except httpx.HTTPError as error:
            raise ServiceError(
                "The model service broke off.", "Try again; it is started anew."
            ) from error
        if answer.status_code != 200:
            error = refusal(answer)
            raise (
                error
                if isinstance(error, ModelServiceError)
                else ModelServiceError(error.text, error.remedy)
            )
        return answer.json()
