"""The client of the model service for everything except questions: embeddings, speech, providers,
lent models, moderation.
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
from app.documents.passages import ScanLine
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

WAIT_SECONDS = 330  # because the service may load a model for the check
SILENT_SECONDS = 60  # a ping is sent every 15 seconds


class ServiceManage:
    """Sends requests to the service, starting it if necessary."""

    def __init__(self, service: ServicePort) -> None:
        self._service = service

    async def get(self, path: str) -> dict[str, Any]:
        """Return the answer to a GET request.

        Raises: DeskpilotError.
        """
        return await self.send("GET", path)

    async def send(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the answer to a request. If this is cancelled, the connection closes and the
        service stops the work.

        Raises: ProviderError for credentials that are not valid, ModelServiceError for any other
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
        """Yield the events of an answer, up to the first error; closing this generator ends the
        work.

        Raises: the same errors as `send`.
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
    """Return the error contained in the service's answer."""
    try:
        error = dict(answer.json()["error"])
    except (ValueError, KeyError, TypeError):
        return ModelServiceError(f"The model service answered {answer.status_code}.", "Try again.")
    return error_of(error)


def error_of(error: dict[str, Any]) -> ProviderError | ModelServiceError:
    """Return an error reported by the service as one of our errors."""
    remedy = str(error.get("remedy") or "")
    text = str(error.get("message") or "").removesuffix(remedy).strip()
    if error.get("type") == "CredentialsValidateFailedError":
        return ProviderError(text, remedy)
    return ModelServiceError(text, remedy, kind=str(error.get("type") or ""))


EMBED_SECONDS = 330  # because other models may have to be loaded first, then this one
KIND, RERANK, OCR, MANY = "text-embedding", "rerank", "ocr", "multilingual"


class ServiceEmbedder:
    """Gets embeddings from the model service. Remote models are not used, because every text would
    have to be sent to them.
    """

    def __init__(self, service: ServicePort) -> None:
        self._service = service
        # kept open, because opening a new connection takes longer than embedding a question
        self._client: httpx.AsyncClient | None = None

    async def aclose(self) -> None:
        """Close the connection."""
        if self._client is not None:
            await self._client.aclose()

    async def model(self) -> str | None:
        """Return an embedder on this machine, preferably one for all languages; None if there is no
        embedder.

        Raises: ServiceError, ModelServiceError.
        """
        found = (await self.retrieval()).embedders
        return found[0].id if found else None

    async def languages(self, model: str) -> frozenset[str]:
        """Return the languages that an embedder supports; `*` stands for any.

        Raises: ServiceError, ModelServiceError.
        """
        found = (await self.retrieval()).embedders
        return next((one.languages for one in found if one.id == model), frozenset("*"))

    async def retrieval(self) -> RetrievalModels:
        """Return the embedders, rerankers and OCR models on this machine, with those for all
        languages first.

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
        """Return a score for how well each text answers a query. If this is cancelled, the model
        stops.

        Raises: ServiceError, ModelServiceError.
        """
        body = {"model": model, "query": query, "documents": texts, "return_documents": False}
        told = await self._asked("POST", "/v1/rerank", body)
        scores = {int(one["index"]): float(one["relevance_score"]) for one in told["results"]}
        return [scores[at] for at in range(len(texts))]

    async def embed(self, model: str, texts: list[str], *, asked: bool) -> np.ndarray:
        """Return a unit vector for each text, as a row of an array. If this is cancelled, the model
        stops.

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
        """Return the lines of text in a picture, in reading order and with their positions in
        pixels. If this is cancelled, the model stops.

        pixels: grey values, one byte each. Raises: ServiceError, ModelServiceError.
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


# on an old laptop, a large model can take minutes to process half a minute of speech
SOUND_SECONDS = 600
AGAIN = "Run the same command again."
MISSING = "model_not_found"  # the service's error type for a model that is missing


class ServiceSound:
    """Gets speech and transcripts from the model service."""

    def __init__(self, service: ServicePort) -> None:
        self._service = service
        # kept open, because opening a new connection takes as long as processing a clause
        self._client: httpx.AsyncClient | None = None

    async def aclose(self) -> None:
        """Close the connection."""
        if self._client is not None:
            await self._client.aclose()

    async def transcribe(
        self, path: Path, fields: dict[str, str]
    ) -> AsyncGenerator[TranscriptStep, None]:
        """Yield a file's transcript as it is produced. fields: the fields of the service's form.

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
        """Yield the speech for a text, as a WAV file. body: the request body, as the service's
        route expects it.

        Raises: SoundError, ServiceError.
        """
        async with self._asked("/v1/audio/speech", {"json": body}) as answer:
            async for piece in answer.aiter_bytes():
                yield piece

    async def voices(self) -> list[str]:
        """Return the ids of the speech models.

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
            # requests to the loopback address do not use the system's proxy
            self._client = httpx.AsyncClient(verify=nobody(), timeout=timeout, trust_env=False)
        return self._client


async def steps(answer: httpx.Response) -> AsyncGenerator[TranscriptStep, None]:
    """Yield a transcript step by step.

    Raises: SoundError if the transcript is interrupted.
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
    """Return the error for a failed answer."""
    text = error_in(answer.text) or f"The model service answered {answer.status_code}."
    try:
        missing = answer.json()["error"]["type"] == MISSING
    except (ValueError, KeyError, TypeError):
        missing = False
    return MissingModel(text) if missing else SoundError(text)


def error_in(body: str) -> str:
    """Return the message of an error in the service's answer; empty if it has none."""
    try:
        return str(json.loads(body)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return ""


BROKEN, SAY_AGAIN = "The model service lost the connection.", "Say it again."
FIELDS = ("utterance", "committed", "open", "text", "language")


class ServiceEar:
    """Opens live audio streams to the model service."""

    def __init__(self, service: ServicePort) -> None:
        self._service = service

    @asynccontextmanager
    async def listen(self, wanted: dict[str, Any]) -> AsyncGenerator[LiveStream]:
        """Open a stream and wait until it is ready. wanted: the options, in the format that the
        service's `start` expects.

        Raises: SoundError, which names a missing model and its size; ServiceError.
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
    """A live audio stream."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def begin(self, wanted: dict[str, Any]) -> None:
        """Start over with different options; audio that was sent earlier is discarded.

        Raises: SoundError.
        """
        await self._send(json.dumps({"type": "start"} | wanted))

    async def send(self, sound: bytes) -> None:
        """Send samples.

        Raises: SoundError.
        """
        await self._send(sound)

    async def end(self) -> None:
        """Report the end of the audio.

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

    Raises: SoundError if the message is an error.
    """
    message: dict[str, Any] = json.loads(text)
    if message["type"] == "error":
        kind = MissingModel if message.get("kind") == MISSING else SoundError
        raise kind(message["message"], message["remedy"])
    return message
