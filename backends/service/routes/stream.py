"""Live audio over a WebSocket: 16 kHz samples are received, and transcripts are sent."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from typing import IO, TYPE_CHECKING, Any, cast

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from backends.copilot import NoModel
from backends.flexai.entities import ModelType
from backends.flexai.errors import FlexAIError
from backends.flexai.models.speech_models import gather
from backends.service.live_sound import SoundSession, Start, silero

if TYPE_CHECKING:
    from backends.service.models import ServiceModels

router = APIRouter()

UNSUPPORTED, FAILED = 1003, 1011  # WebSocket close codes


class BadMessage(Exception):
    """The caller's message is not valid here. The text lists the valid messages."""


@router.websocket("/v1/audio/stream")
async def stream(socket: WebSocket) -> None:
    """Transcribe an audio stream.

    Received: `{"type": "start", …}` (see `Start`), then binary frames of 16-bit little-endian
    samples at 16 kHz with one channel; `end` when the speaker has released the key; `cancel` to
    discard the sound so far; a new `start` to begin again. Sent: `ready`, `speech-start`, `partial`
    (committed words never change, but open ones may), `speech-end`, `final`, `ended` (once after
    each `end`, after the last final transcript), `cancelled`, `error`. Closing the connection stops
    the model.
    """
    await socket.accept()
    caller = Caller(socket)
    try:
        await caller.run()
    except BadMessage as error:
        await caller.fail(UNSUPPORTED, str(error), "")
    except NoModel as error:
        await caller.fail(FAILED, error.text, error.remedy, "model_not_found")
    except FlexAIError as error:
        await caller.fail(FAILED, error.text, error.remedy)
    except WebSocketDisconnect:
        pass
    finally:
        await caller.aclose()


class Caller:
    """A sender of sound."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._models = cast("ServiceModels", socket.app.state.models)
        self._session: SoundSession | None = None

    async def run(self) -> None:
        """Read messages until the caller disconnects.

        Raises: WebSocketDisconnect, BadMessage, FlexAIError, NoModel.
        """
        while True:
            message = await self._next()
            if message["type"] == "websocket.disconnect":
                return
            if message.get("bytes") is not None:
                if self._session is None:
                    raise BadMessage("Describe the audio before sending it: start.")
                await self._session.sound(message["bytes"])
            else:
                await self._told(message["text"])

    async def fail(self, code: int, text: str, remedy: str, kind: str = "") -> None:
        """Send the error and disconnect. kind: the error type, as on other routes."""
        told = {"type": "error", "message": text, "remedy": remedy}
        try:
            await self._send(told | ({"kind": kind} if kind else {}))
            await self._socket.close(code)
        # Starlette raises these if the connection is closed
        except (WebSocketDisconnect, RuntimeError):
            return

    async def aclose(self) -> None:
        """Stop the model."""
        if self._session is not None:
            await self._session.aclose()

    async def _next(self) -> dict[str, Any]:
        """Return the next message. The error of a failed utterance is raised here."""
        receiving = asyncio.ensure_future(self._socket.receive())
        watched = {receiving} | ({self._session.failed} if self._session is not None else set())
        try:
            await asyncio.wait(watched, return_when=asyncio.FIRST_COMPLETED)
            if not receiving.done() and self._session is not None:
                self._session.failed.result()
            return dict(await receiving)
        finally:
            receiving.cancel()

    async def _told(self, text: str) -> None:
        try:
            told = json.loads(text)
            kind = told["type"]
            wanted = Start.model_validate(told) if kind == "start" else None
        except (ValueError, LookupError, TypeError, ValidationError) as error:
            raise BadMessage('Send JSON with a type: {"type": "start"}, end or cancel.') from error
        if wanted is not None:
            await self._start(wanted)
        elif self._session is None or kind not in ("end", "cancel"):
            raise BadMessage(f"{kind!r} is not supported here; send start, end or cancel.")
        else:
            await (self._session.end() if kind == "end" else self._session.cancel())

    async def _start(self, wanted: Start) -> None:
        found = await asyncio.to_thread(self._models.installed, ModelType.SPEECH2TEXT, wanted.model)
        model = found.entry.id
        options = {"language": wanted.language, "hotwords": wanted.hotwords, "temperature": 0.0}

        async def hear(file: IO[bytes]) -> dict[str, Any]:
            async with aclosing(self._models.listen(file, model=model, options=options)) as chunks:
                transcript = gather([chunk async for chunk in chunks])
            return {"text": transcript.text, "language": transcript.language}

        await asyncio.to_thread(silero)
        await self.aclose()
        self._session = SoundSession(wanted, hear, self._send)
        await self._send({"type": "ready", "model": model})
        if not any(loaded.model == found.entry.model for loaded in self._models.workers.loaded()):
            self._session.load()

    async def _send(self, told: dict[str, Any]) -> None:
        await self._socket.send_text(json.dumps(told, ensure_ascii=False))
