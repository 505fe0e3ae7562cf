"""What runs on a node: one model in a worker process of its own, asked through Ray Serve."""

# Ray may be missing where types are checked, and declares its own incompletely.
# pyright: reportMissingImports=false, reportPrivateUsage=false, reportAssignmentType=false
# pyright: reportPrivateImportUsage=false, reportAttributeAccessIssue=false
# pyright: reportArgumentType=false, reportUnnecessaryComparison=false

from __future__ import annotations

import asyncio
import os
import time
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any

import ray
from ray import serve
from ray.serve._private import replica as serve_replica

from backends import offline
from backends.cluster.hashes import paths_here
from backends.cluster.settings import LOOPBACK
from backends.flexai.entities import ModelType
from backends.flexai.errors import FlexAIError, InvokeError
from backends.trace import NOW
from backends.workers import Budget, Workers, frames

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable


def listen_on_loopback() -> None:
    """Let the replica's own server listen on loopback: Serve has no setting for it.

    It starts after the model's class was made, always on all interfaces.
    """
    bind: Callable[[Any, str], int] = serve_replica.add_port_to_grpc_server

    def bind_here(server: Any, address: str) -> int:
        return bind(server, address.replace("[::]", LOOPBACK))

    serve_replica.add_port_to_grpc_server = bind_here


class ModelReplica:
    """Owns the worker of one model. Its methods take and give frames, as the worker's pipe does.

    hash: of the model's files, which may lie elsewhere on each node. loopback: whether only this
    machine may reach the replica. Errors of a model are values, never exceptions: Ray would wrap
    them.
    """

    def __init__(
        self,
        provider: str,
        model_type: str,
        model: str,
        hash_: str,
        modules: dict[str, str] | None,
        memory: int,
        loopback: bool,
    ) -> None:
        if loopback:
            listen_on_loopback()
        offline.begin()
        # Ray gives a replica one thread, and engines would take it over.
        os.environ.pop("OMP_NUM_THREADS", None)
        self._asked = (provider, ModelType(model_type))
        self._model = model
        self._hash = hash_
        self._paths: dict[str, str] | None = None
        self._workers = Workers(modules, Budget(memory, idle_seconds=0))
        self._running = 0
        self._used_at = time.monotonic()
        self._id = serve.get_replica_context().replica_id.unique_id

    async def call(self, frame: bytes) -> AsyncGenerator[list[bytes], None]:
        """Run a method; yield a frame that says it has begun, and one with its result or error."""
        message = frames.decode(frame)
        NOW.set(message["trace"])
        self._running += 1
        try:
            yield [self._told({"begun": True, **self.about()})]
            arguments = await self._arguments(message)
            result = await self._workers.call(*self._asked, message["method"], **arguments)
            packed = frames.pack_result(result)
            yield [self._told({"result": packed.value, **self.about()}, packed.parts)]
        except FlexAIError as error:
            yield [self._told({"error": frames.pack_error(error), **self.about()})]
        finally:
            self._running -= 1
            self._used_at = time.monotonic()

    async def stream(self, frame: bytes) -> AsyncGenerator[list[bytes], None]:
        """Run a method that streams; yield what has come since the last time, as frames.

        The first says that the call has begun; the last has `end` or `error`.
        """
        message = frames.decode(frame)
        NOW.set(message["trace"])
        self._running += 1
        come: asyncio.Queue[bytes | None] = asyncio.Queue()
        reading = asyncio.create_task(self._read(message, come), name="read an answer")
        try:
            yield [self._told({"begun": True, **self.about()})]
            over = False
            while not over:
                new = [await come.get()]
                while not come.empty():
                    new.append(come.get_nowait())
                over = None in new
                if told := [one for one in new if one is not None]:
                    yield told
            await reading
        finally:
            reading.cancel()
            with suppress(asyncio.CancelledError):
                await reading
            self._running -= 1
            self._used_at = time.monotonic()

    async def _read(self, message: dict[str, Any], come: asyncio.Queue[bytes | None]) -> None:
        """Put the frames of an answer into a queue as they come, and None behind them."""
        try:
            arguments = await self._arguments(message)
            async with aclosing(self._workers.stream(*self._asked, **arguments)) as chunks:
                async for chunk in chunks:
                    packed = frames.pack_result(chunk)
                    come.put_nowait(self._told({"chunk": packed.value}, packed.parts))
            come.put_nowait(self._told({"end": True, **self.about()}))
        except FlexAIError as error:
            come.put_nowait(self._told({"error": frames.pack_error(error), **self.about()}))
        finally:
            come.put_nowait(None)

    async def _arguments(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call, with the paths of this machine.

        Raises: InvokeError if the model is not here.
        """
        arguments = frames.unpack_arguments(message["arguments"], message["parts"])
        if self._paths is None:
            given = arguments["credentials"]
            self._paths = await asyncio.to_thread(paths_here, self._hash, given)
        if self._paths is None:
            raise InvokeError(
                f"{self._model} is not on this machine of the cluster any more.",
                "Bring it back, or ask again: another machine may have it.",
            )
        arguments["credentials"] = arguments["credentials"] | self._paths
        return arguments

    def _told(self, message: dict[str, Any], parts: dict[str, bytes] | None = None) -> bytes:
        return frames.encode(message, parts)[frames.LENGTH.size :]

    def about(self) -> dict[str, Any]:
        """Return which replica this is, its worker's process and memory, and since when it is
        unused (seconds; 0 while it is used).
        """
        loaded = self._workers.loaded()
        told = {
            "replica": self._id,
            "node": ray.util.get_node_ip_address(),
            "idle": 0.0 if self._running else time.monotonic() - self._used_at,
            "pid": loaded[0].pid if loaded else 0,
            "memory": sum(one.memory_bytes for one in loaded),
            "device": loaded[0].device if loaded else "",
        }
        return {"about": told}

    async def state(self) -> dict[str, Any]:
        """Return what `about` says."""
        return self.about()["about"]

    async def ways_out(self) -> list[tuple[str, int, Any]]:
        """Let the worker try to reach other machines; see `Pool.ways_out`."""
        return await self._workers.ways_out()

    async def __del__(self) -> None:
        """End the worker; Serve waits for it before it ends the replica."""
        await self._workers.aclose()
