"""The model service's ear for live sound: a WebSocket, samples in, words out."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosedOK, WebSocketException

from app.adapters.model_service.client import MISSING
from app.domain.errors import MissingModel, SoundError
from app.domain.sound import LiveStep

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from websockets.asyncio.client import ClientConnection

    from app.services.conversation.copilots import ServicePort

BROKEN, AGAIN = "The model service broke off.", "Say it again."
FIELDS = ("utterance", "committed", "open", "text", "language")


class ServiceEar:
    """Asks the model service, which is started if need be."""

    def __init__(self, service: ServicePort) -> None:
        self._service = service

    @asynccontextmanager
    async def listen(self, wanted: dict[str, Any]) -> AsyncGenerator[LiveStream]:
        """Open a stream; it is ready to hear. wanted: as the service's `start` takes it.

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
            raise SoundError(BROKEN, AGAIN) from error


class LiveStream:
    """One stream."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def begin(self, wanted: dict[str, Any]) -> None:
        """Begin anew in another way; what was sent before is forgotten.

        Raises: SoundError.
        """
        await self._send(json.dumps({"type": "start"} | wanted))

    async def send(self, sound: bytes) -> None:
        """Hand on samples.

        Raises: SoundError.
        """
        await self._send(sound)

    async def end(self) -> None:
        """Say that all is said.

        Raises: SoundError.
        """
        await self._send(json.dumps({"type": "end"}))

    async def steps(self) -> AsyncGenerator[LiveStep, None]:
        """Yield what is heard.

        Raises: SoundError.
        """
        while True:
            try:
                step = told(await self._socket.recv())
            except ConnectionClosedOK:
                return
            except WebSocketException as error:
                raise SoundError(BROKEN, AGAIN) from error
            yield LiveStep(step["type"], **{k: step[k] for k in FIELDS if k in step})

    async def _send(self, data: bytes | str) -> None:
        try:
            await self._socket.send(data)
        except ConnectionClosedOK:
            return
        except WebSocketException as error:
            raise SoundError(BROKEN, AGAIN) from error


def told(text: str | bytes) -> dict[str, Any]:
    """Return a message of the service.

    Raises: SoundError for one that tells of an error.
    """
    message: dict[str, Any] = json.loads(text)
    if message["type"] == "error":
        kind = MissingModel if message.get("kind") == MISSING else SoundError
        raise kind(message["message"], message["remedy"])
    return message
