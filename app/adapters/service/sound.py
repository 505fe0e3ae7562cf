"""The model service's ears and voice: a file into text, a text into sound."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx

from app.adapters.copilots.sse import EventReader
from app.domain.errors import MissingModel, SoundError
from app.domain.sound import Heard
from app.tools.web.certificates import nobody

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path

    from app.services.copilots import ServicePort

WAIT_SECONDS = 600  # half a minute of speech may take a large model on an old laptop minutes
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
                    raise error_of(answer)
                yield answer
        except httpx.HTTPError as error:
            raise SoundError("The model service broke off.", AGAIN) from error

    def _connected(self) -> httpx.AsyncClient:
        if self._client is None:
            timeout = httpx.Timeout(WAIT_SECONDS, connect=10)
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


def error_of(answer: httpx.Response) -> SoundError:
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
