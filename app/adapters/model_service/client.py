"""The client of the model service for everything but questions: embeddings, speech, providers, lent
models, moderation.
"""

from __future__ import annotations

import base64
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosedOK, WebSocketException

from app.adapters.copilots.sse import EventReader
from app.documents.text import ScanLine
from app.domain.errors import (
    MissingModel,
    ModelServiceError,
    ProviderError,
    ServiceError,
    SoundError,
)
from app.domain.model import RetrievalModel, RetrievalModels
from app.domain.sound import LiveStep, TranscriptStep
from app.tools.web import nobody

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path

    import numpy as np
    from websockets.asyncio.client import ClientConnection

    from app.services.ports import ServicePort

WAIT_SECONDS = 330  # a server may load a model for the check
SILENT_SECONDS = 60  # a ping comes every 15


class ServiceManage:
    """Sends requests to the service, which is started if necessary."""

    def __init__(self, service: ServicePort) -> None:
        self._service = service

    async def get(self, path: str) -> dict[str, Any]:
        """Return the answer of a path.

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
                "The model service lost the connection.", "Try again; it will be restarted."
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
                "The model service lost the connection.", "Try again; it will be restarted."
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
KIND, RERANK, OCR, MANY = "text-embedding", "rerank", "ocr", "multilingual"


class ServiceEmbedder:
    """Asks the model service for embeddings. Remote models are not used, since all texts would go
    there.
    """

    def __init__(self, service: ServicePort) -> None:
        self._service = service
        self._client: httpx.AsyncClient | None = None  # kept: a new one costs more than a question

    async def aclose(self) -> None:
        """Hang up."""
        if self._client is not None:
            await self._client.aclose()

    async def model(self) -> str | None:
        """Return an embedder that is on this machine, one for every language before others; None
        without one.

        Raises: ServiceError, ModelServiceError.
        """
        found = (await self.retrieval()).embedders
        return found[0].id if found else None

    async def languages(self, model: str) -> frozenset[str]:
        """Return the languages an embedder understands; `*` is any.

        Raises: ServiceError, ModelServiceError.
        """
        found = (await self.retrieval()).embedders
        return next((one.languages for one in found if one.id == model), frozenset("*"))

    async def retrieval(self) -> RetrievalModels:
        """Return the embedders, rerankers and OCR models that are on this machine, those for every
        language before others.

        Raises: ServiceError, ModelServiceError.
        """
        told = await self._asked("GET", "/v1/manage/catalogue")
        here = [one for one in told["models"] if one["here"]]
        here.sort(key=lambda one: MANY not in one["languages"])

        def of_kind(kind: str) -> tuple[RetrievalModel, ...]:
            return tuple(
                RetrievalModel(
                    str(one["id"]),
                    f"{one['id']}@{one['fingerprint']}",
                    frozenset("*" if name == MANY else name for name in one["languages"] or [MANY]),
                )
                for one in here
                if one["type"] == kind
            )

        return RetrievalModels(of_kind(KIND), of_kind(RERANK), of_kind(OCR))

    async def rerank(self, model: str, query: str, texts: list[str]) -> list[float]:
        """Return how well each text answers a query; cancelled, the model stops.

        Raises: ServiceError, ModelServiceError.
        """
        body = {"model": model, "query": query, "documents": texts, "return_documents": False}
        told = await self._asked("POST", "/v1/rerank", body)
        scores = {int(one["index"]): float(one["relevance_score"]) for one in told["results"]}
        return [scores[at] for at in range(len(texts))]

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

    async def read_picture(
        self, model: str, width: int, height: int, pixels: bytes
    ) -> list[ScanLine]:
        """Return the lines on a picture, in pixels and in reading order; cancelled, the model
        stops.

        pixels: a byte of grey for each.
        Raises: ServiceError, ModelServiceError.
        """
        coded = base64.b64encode(pixels).decode()
        body = {"model": model, "width": width, "height": height, "pixels": coded}
        told = await self._asked("POST", "/v1/ocr", body)
        return [ScanLine(str(one["text"]), tuple(one["box"])) for one in told["data"]]

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
                "The model service lost the connection.", "Try again; it will be restarted."
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
    """Asks the model service for speech and transcripts."""

    def __init__(self, service: ServicePort) -> None:
        self._service = service
        self._client: httpx.AsyncClient | None = None  # kept: a new one costs a clause's time

    async def aclose(self) -> None:
        """Hang up."""
        if self._client is not None:
            await self._client.aclose()

    async def transcribe(
        self, path: Path, fields: dict[str, str]
    ) -> AsyncGenerator[TranscriptStep, None]:
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
            raise SoundError("The model service lost the connection.", AGAIN) from error

    def _connected(self) -> httpx.AsyncClient:
        if self._client is None:
            timeout = httpx.Timeout(SOUND_SECONDS, connect=10)
            # on loopback no proxy of the system is asked
            self._client = httpx.AsyncClient(verify=nobody(), timeout=timeout, trust_env=False)
        return self._client


async def steps(answer: httpx.Response) -> AsyncGenerator[TranscriptStep, None]:
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
                yield TranscriptStep(told["delta"], told["heard"], told["duration"])
            else:
                done = True
                yield TranscriptStep("", told["duration"], told["duration"], told)
    if not done:
        raise SoundError("The transcript was cut off.", AGAIN)


def sound_error_of(answer: httpx.Response) -> SoundError:
    """Return the error of a failed answer."""
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


BROKEN, SAY_AGAIN = "The model service lost the connection.", "Say it again."
FIELDS = ("utterance", "committed", "open", "text", "language")


class ServiceEar:
    """Opens live streams of sound at the model service."""

    def __init__(self, service: ServicePort) -> None:
        self._service = service

    @asynccontextmanager
    async def listen(self, wanted: dict[str, Any]) -> AsyncGenerator[LiveStream]:
        """Open a stream and wait until it is ready. wanted: as the service's `start` expects it.

        Raises: SoundError, which names a model that is missing and its size; ServiceError.
        """
        address = await self._service.address()
        where = address.url.replace("http", "ws", 1) + "/v1/audio/stream"
        try:
            async with connect(where, additional_headers=address.headers, proxy=None) as socket:
                stream = LiveStream(socket)
                await stream.begin(wanted)
                told(await socket.recv())
                yield stream
        except (WebSocketException, OSError) as error:
            raise SoundError(BROKEN, SAY_AGAIN) from error


class LiveStream:
    """One stream."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def begin(self, wanted: dict[str, Any]) -> None:
        """Start again with other options; sound sent before is forgotten.

        Raises: SoundError.
        """
        await self._send(json.dumps({"type": "start"} | wanted))

    async def send(self, sound: bytes) -> None:
        """Hand on samples.

        Raises: SoundError.
        """
        await self._send(sound)

    async def end(self) -> None:
        """Report the end of the sound.

        Raises: SoundError.
        """
        await self._send(json.dumps({"type": "end"}))

    async def steps(self) -> AsyncGenerator[LiveStep, None]:
        """Yield transcription events.

        Raises: SoundError.
        """
        while True:
            try:
                step = told(await self._socket.recv())
            except ConnectionClosedOK:
                return
            except WebSocketException as error:
                raise SoundError(BROKEN, SAY_AGAIN) from error
            yield LiveStep(step["type"], **{k: step[k] for k in FIELDS if k in step})

    async def _send(self, data: bytes | str) -> None:
        try:
            await self._socket.send(data)
        except ConnectionClosedOK:
            return
        except WebSocketException as error:
            raise SoundError(BROKEN, SAY_AGAIN) from error


def told(text: str | bytes) -> dict[str, Any]:
    """Return a message of the service.

    Raises: SoundError for one that tells of an error.
    """
    message: dict[str, Any] = json.loads(text)
    if message["type"] == "error":
        kind = MissingModel if message.get("kind") == MISSING else SoundError
        raise kind(message["message"], message["remedy"])
    return message
