"""One worker process, as the service sees it."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import math
import os
import time
from typing import TYPE_CHECKING, Any

from backends import children
from backends.flexai.errors import InvokeBadRequestError, InvokeServerUnavailableError
from backends.trace import NOW
from backends.workers import frames
from backends.workers import frames as values

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

log = logging.getLogger(__name__)


class NeverBegun(InvokeServerUnavailableError):
    """The process died before it started the call, so the call may be sent to another process."""


ENDS = {"result", "end", "error"}  # a message with one of these keys is the last one for its call
CANCEL_SECONDS = 2.0  # a process with a call that ignores its cancel frame for longer is killed,
QUIET_SECONDS = 60.0  # unless it runs another call that sent something within this time


class Worker:
    """A child process that runs one model class and as many calls at once as the model accepts.

    It is created by `start`. at_once: the maximum number of concurrent calls. Once `alive` is
    False, it stays False, and the pool creates another worker.
    """

    def __init__(self, process: asyncio.subprocess.Process, at_once: int = 1) -> None:
        self._process = process
        self.at_once = at_once
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Queue[dict[str, Any] | None]] = {}
        # when each call was sent or last sent something, except for calls being stopped
        self._heard: dict[int, float] = {}
        self._turns = asyncio.Semaphore(at_once)
        self._ended = False
        self._reader = asyncio.create_task(self._read(), name=f"worker {process.pid}: read")
        self.memory_bytes = 0
        self.device = ""

    @classmethod
    async def start(cls, arguments: list[str], at_once: int = 1) -> Worker:
        """Start a process. `arguments` are those of backends.workers.child."""
        process = await children.start(
            "-m",
            "backends.workers.child",
            *arguments,
            variables=os.environ | {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        return cls(process, at_once)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Return whether the process still answers."""
        return self._process.returncode is None and not self._ended

    async def call(self, method: str, arguments: dict[str, Any]) -> Any:
        """Run a method of the model and return its result.

        Raises: FlexAIError as the model raised it; InvokeServerUnavailableError if the process
        dies.
        """
        async with contextlib.aclosing(self._messages(method, arguments, stream=False)) as messages:
            async for message in messages:
                return values.unpack_result(message["result"], message["parts"])
        raise gone()

    async def stream(self, method: str, arguments: dict[str, Any]) -> AsyncGenerator[Any, None]:
        """Run a streaming method, and yield its chunks. Closing the generator stops the model.

        Raises: the same errors as `call`.
        """
        async with contextlib.aclosing(self._messages(method, arguments, stream=True)) as messages:
            async for message in messages:
                if "chunk" in message:
                    yield values.unpack_result(message["chunk"], message["parts"])

    async def close(self) -> None:
        """Close the pipe, which ends the process. Kill the process if it does not end."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), CANCEL_SECONDS)
        except TimeoutError:
            self.kill()
            await self._process.wait()
        await self._reader

    def kill(self) -> None:
        """Kill the process, which then accepts no further calls."""
        self._ended = True
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    async def _messages(
        self, method: str, arguments: dict[str, Any], *, stream: bool
    ) -> AsyncGenerator[dict[str, Any], None]:
        async with self._turns:
            number = next(self._numbers)
            frame = call_frame(number, method, arguments, stream=stream, at_once=self.at_once)
            inbox: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
            self._waiting[number] = inbox
            begun = ended = False
            try:
                await self._send(frame)
                self._heard[number] = time.monotonic()
                while not ended:
                    message = await inbox.get()
                    if message is None:
                        ended = True
                        raise gone() if begun else gone(NeverBegun)
                    if "begun" in message:
                        begun = True
                        continue
                    self.memory_bytes = message.get("memory", self.memory_bytes)
                    self.device = message.get("device", self.device)
                    ended = bool(message.keys() & ENDS)
                    if "error" in message:
                        raise values.unpack_error(message["error"])
                    yield message
            finally:
                if not ended:
                    await asyncio.shield(self._stop(number, inbox))
                del self._waiting[number]
                self._heard.pop(number, None)

    async def _stop(self, number: int, inbox: asyncio.Queue[dict[str, Any] | None]) -> None:
        """Cancel a call and wait until the model has released it.

        If the model does not release it, kill the process, unless it is running other calls, whose
        answers would also be lost.
        """
        self._heard.pop(number, None)
        with contextlib.suppress(InvokeServerUnavailableError):  # already gone, nothing to stop
            await self._send(frames.encode({"cancel": number}))
            while True:
                try:
                    async with asyncio.timeout(CANCEL_SECONDS):
                        await end_of(inbox)
                    break
                except TimeoutError:
                    heard = max(self._heard.values(), default=-math.inf)
                    if time.monotonic() - heard > QUIET_SECONDS:
                        told = "worker %d did not stop in %g s and was killed"
                        log.info(told, self.pid, CANCEL_SECONDS)
                        self.kill()
                        break

    async def _send(self, frame: bytes) -> None:
        pipe = self._process.stdin
        if pipe is None or not self.alive:
            raise gone(NeverBegun)
        try:
            pipe.write(frame)
            await pipe.drain()
        except (BrokenPipeError, ConnectionResetError) as error:
            raise gone(NeverBegun) from error

    async def _read(self) -> None:
        pipe = self._process.stdout
        try:
            while pipe is not None:
                message = await frames.read_async(pipe)
                number = message.get("id", 0)
                inbox = self._waiting.get(number)
                if inbox is not None:
                    if number in self._heard:
                        self._heard[number] = time.monotonic()
                    inbox.put_nowait(message)
        except (asyncio.IncompleteReadError, ConnectionResetError):
            pass
        except frames.BrokenFrame as error:
            log.info("worker %d sent a broken frame and was killed: %s", self.pid, error)
            self.kill()
        finally:
            self._ended = True
            for inbox in self._waiting.values():
                inbox.put_nowait(None)
        await self._process.wait()


async def end_of(inbox: asyncio.Queue[dict[str, Any] | None]) -> None:
    """Read the messages for a call, up to the last one or until the process ends."""
    while (message := await inbox.get()) is not None and not message.keys() & ENDS:
        pass


def call_frame(
    number: int, method: str, arguments: dict[str, Any], *, stream: bool, at_once: int = 1
) -> bytes:
    """Return the frame for a call. at_once: how many calls the child process can run at once.

    Raises: InvokeBadRequestError for arguments that cannot be sent through the pipe. The process is
    not affected.
    """
    packed = values.pack_arguments(arguments)
    try:
        call = {
            "id": number,
            "method": method,
            "arguments": packed.value,
            "stream": stream,
            "at_once": at_once,
            "trace": NOW.get(),
        }
        return frames.encode(call, packed.parts)
    except (TypeError, ValueError) as error:
        raise InvokeBadRequestError(
            f"The call cannot be sent to the model: {error}.",
            "Send text, numbers, lists or an open file.",
        ) from error


def gone(
    kind: type[InvokeServerUnavailableError] = InvokeServerUnavailableError,
) -> InvokeServerUnavailableError:
    """Return the error for a process that died."""
    return kind(
        "The model's process has stopped.",
        "Send the question again; the service will be restarted.",
    )
