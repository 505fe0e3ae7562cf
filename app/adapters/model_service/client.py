"""What the model service is asked beside questions: vectors, sound into text and back, providers,
lent models, checks.
"""

from __future__ import annotations

import base64
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx

from app.adapters.copilots.sse import EventReader
from app.domain.errors import (
    MissingModel,
    ModelServiceError,
    ProviderError,
    ServiceError,
    SoundError,
)
from app.domain.sound import Heard
from app.tools.web.client import nobody

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path

    import numpy as np

    from app.services.conversation.copilots import ServicePort


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

        Raises: ProviderError for credentials that do not work, ModelServiceError for any other
        refusal, ServiceError if the service cannot be reached.
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


EMBED_SECONDS = 330  # the model may have to be loaded, behind others
KIND, MANY = "text-embedding", "multilingual"


class ServiceEmbedder:
    """Asks the model service, which is started if need be. No model behind a provider is asked: all
    that one wrote would go there.
    """

    def __init__(self, service: ServicePort) -> None:
        self._service = service
        self._client: httpx.AsyncClient | None = None  # kept: a new one costs more than a question

    async def aclose(self) -> None:
        """Hang up."""
        if self._client is not None:
            await self._client.aclose()

    async def model(self) -> str | None:
        """Return an embedder that lies on this machine, one for every language before others; None
        without one.

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
                verify=nobody(), timeout=httpx.Timeout(EMBED_SECONDS, connect=10), trust_env=False
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


SOUND_SECONDS = 600  # half a minute of speech may take a large model on an old laptop minutes
AGAIN = "Run the same command again."
MISSING = "model_not_found"  # what the service calls the error of a model that is not there


class ServiceSound:
    """Asks the model service, which is started if need be."""

    def __init__(self, service: ServicePort) -> None:
        self._service = service
        self._client: httpx.AsyncClient | None = None  # kept: a new one costs a clause's time

    async def aclose(self) -> None:
        """Hang up."""
        if self._client is not None:
            await self._client.aclose()

    async def transcribe(self, path: Path, fields: dict[str, str]) -> AsyncGenerator[Heard, None]:
        """Yield a file's transcript while it is written. fields: those of the service's form.

        Raises: SoundError, ServiceError.
        """
        try:
            file = path.open("rb")
        except OSError as error:
            raise SoundError(
                f"{path} cannot be read: {error.strerror}.", "Check its name."
            ) from error
        with file:
            request: dict[str, Any] = {
                "files": {"file": (path.name, file)},
                "data": fields | {"stream": "true"},
            }
            async with self._asked("/v1/audio/transcriptions", request) as answer:
                async for step in steps(answer):
                    yield step

    async def speak(self, body: dict[str, Any]) -> AsyncGenerator[bytes, None]:
        """Yield the sound of a text, a WAV. body: as the service's route takes it.

        Raises: SoundError, ServiceError.
        """
        async with self._asked("/v1/audio/speech", {"json": body}) as answer:
            async for piece in answer.aiter_bytes():
                yield piece

    async def voices(self) -> list[str]:
        """Return the models that speak, by id.

        Raises: SoundError, ServiceError.
        """
        async with self._asked("/v1/manage/models", {}, method="GET") as answer:
            told = json.loads(await answer.aread())
        return [model["id"] for model in told["installed"] if model["type"] == "tts"]

    @asynccontextmanager
    async def _asked(
        self, path: str, request: dict[str, Any], method: str = "POST"
    ) -> AsyncGenerator[httpx.Response]:
        address = await self._service.address()
        try:
            async with self._connected().stream(
                method, address.url + path, headers=address.headers, **request
            ) as answer:
                if answer.status_code != 200:
                    await answer.aread()
                    raise sound_error_of(answer)
                yield answer
        except httpx.HTTPError as error:
            raise SoundError("The model service broke off.", AGAIN) from error

    def _connected(self) -> httpx.AsyncClient:
        if self._client is None:
            timeout = httpx.Timeout(SOUND_SECONDS, connect=10)
            # on loopback no proxy of the system is asked
            self._client = httpx.AsyncClient(verify=nobody(), timeout=timeout, trust_env=False)
        return self._client


async def steps(answer: httpx.Response) -> AsyncGenerator[Heard, None]:
    """Yield the steps of a transcript.

    Raises: SoundError if it breaks off.
    """
    reader, done = EventReader(), False
    async for piece in answer.aiter_bytes():
        for event in reader.feed(piece):
            told: dict[str, Any] = json.loads(event.data)
            if "error" in told:
                raise SoundError(error_in(event.data))
            if told["type"] == "transcript.text.delta":
                yield Heard(told["delta"], told["heard"], told["duration"])
            else:
                done = True
                yield Heard("", told["duration"], told["duration"], told)
    if not done:
        raise SoundError("The transcript broke off.", AGAIN)


def sound_error_of(answer: httpx.Response) -> SoundError:
    """Return what an answer that is none tells."""
    text = error_in(answer.text) or f"The model service answered {answer.status_code}."
    try:
        missing = answer.json()["error"]["type"] == MISSING
    except (ValueError, KeyError, TypeError):
        missing = False
    return MissingModel(text) if missing else SoundError(text)


def error_in(body: str) -> str:
    """Return the sentence of an error the service answered with; empty if it has none."""
    try:
        return str(json.loads(body)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return ""
