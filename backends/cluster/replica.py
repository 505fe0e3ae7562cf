"""The code that runs on a node: one model in its own worker process, called through Ray Serve."""

# Ray may be missing where types are checked, and its own type declarations are incomplete.
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
from ray._private import state as ray_state
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

WATCH_SECONDS = 1.0


def listen_on_loopback() -> None:
    """Make the replica's own server listen on the loopback interface. Serve has no setting for
    this.

    The server starts after the model's class has been created, and always on all interfaces.
    """
    bind: Callable[[Any, str], int] = serve_replica.add_port_to_grpc_server

    def bind_here(server: Any, address: str) -> int:
        return bind(server, address.replace("[::]", LOOPBACK))

    serve_replica.add_port_to_grpc_server = bind_here


class ModelReplica:
    """Owns the worker of one model. Its methods take and return frames, as the worker's pipe does.

    hash: the hash of the model's files, whose paths may differ between nodes. loopback: whether
    only this machine can reach the replica. nodes: the nodes that the model is placed on. A model's
    errors are returned as values and never raised, because Ray would wrap them.
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
        nodes: list[str],
    ) -> None:
        if loopback:
            listen_on_loopback()
        offline.begin()
        # Ray limits a replica to one thread, and engines would adopt that limit.
        os.environ.pop("OMP_NUM_THREADS", None)
        self._asked = (provider, ModelType(model_type))
        self._model = model
        self._hash = hash_
        self._nodes = nodes
        self._paths: dict[str, str] | None = None
        self._workers = Workers(modules, Budget(memory, idle_seconds=0))
        self._running: dict[asyncio.Task[None], str] = {}
        self._watching: asyncio.Task[None] | None = None
        self._used_at = time.monotonic()
        self._id = serve.get_replica_context().replica_id.unique_id

    async def call(self, frame: bytes, job: str) -> AsyncGenerator[list[bytes], None]:
        """Run a method. Yield a frame that says that it has started, followed by one with its
        result or error.

        job: Ray's name for the calling service.
        """
        message = frames.decode(frame)
        async with aclosing(self._answered(self._run(message), message, job)) as pieces:
            async for piece in pieces:
                yield piece

    async def stream(self, frame: bytes, job: str) -> AsyncGenerator[list[bytes], None]:
        """Run a streaming method. Yield lists of the frames that have arrived since the last list.

        The first frame says that the call has started, and the last one contains `end` or `error`.
        job: the same as in `call`.
        """
        message = frames.decode(frame)
        async with aclosing(self._answered(self._read(message), message, job)) as pieces:
            async for piece in pieces:
                yield piece

    async def _answered(
        self, made: AsyncGenerator[bytes, None], message: dict[str, Any], job: str
    ) -> AsyncGenerator[list[bytes], None]:
        """Yield the frames of an answer in lists, each with the frames that have arrived since the
        last list.
        """
        NOW.set(message["trace"])
        come: asyncio.Queue[bytes | None] = asyncio.Queue()

        async def read() -> None:
            try:
                async with aclosing(made):
                    async for told in made:
                        come.put_nowait(told)
            except FlexAIError as error:
                come.put_nowait(self._told({"error": frames.pack_error(error), **self.about()}))
            finally:
                come.put_nowait(None)

        reading = asyncio.create_task(read(), name="read an answer")
        self._running[reading] = job
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch(), name="watch the services")
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
            del self._running[reading]
            self._used_at = time.monotonic()

    async def _run(self, message: dict[str, Any]) -> AsyncGenerator[bytes, None]:
        arguments = await self._arguments(message)
        result = await self._workers.call(*self._asked, message["method"], **arguments)
        packed = frames.pack_result(result)
        yield self._told({"result": packed.value, **self.about()}, packed.parts)

    async def _read(self, message: dict[str, Any]) -> AsyncGenerator[bytes, None]:
        arguments = await self._arguments(message)
        async with aclosing(self._workers.stream(*self._asked, **arguments)) as chunks:
            async for chunk in chunks:
                packed = frames.pack_result(chunk)
                yield self._told({"chunk": packed.value}, packed.parts)
        yield self._told({"end": True, **self.about()})

    async def _watch(self) -> None:
        """Stop the answers for services that have ended. Ray would let these answers continue
        although nobody reads them."""
        while self._running:
            await asyncio.sleep(WATCH_SECONDS)
            jobs = await asyncio.to_thread(ray_state.jobs)
            gone = {one["JobID"] for one in jobs if one["IsDead"]}
            for reading, job in list(self._running.items()):
                if job in gone:
                    reading.cancel()

    async def _arguments(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call, with the paths on this machine.

        Raises: InvokeError if the model is not on this machine.
        """
        arguments = frames.unpack_arguments(message["arguments"], message["parts"])
        if self._paths is None:
            given = arguments["credentials"]
            self._paths = await asyncio.to_thread(paths_here, self._hash, given)
        if self._paths is None:
            raise InvokeError(
                f"{self._model} is no longer on this machine in the cluster.",
                "Restore it, or ask again: another machine may have it.",
            )
        arguments["credentials"] = arguments["credentials"] | self._paths
        return arguments

    def _told(self, message: dict[str, Any], parts: dict[str, bytes] | None = None) -> bytes:
        return frames.encode(message, parts)[frames.LENGTH.size :]

    def about(self) -> dict[str, Any]:
        """Return this replica's state: its id, its worker's process and memory, the number of
        running calls, and the number of seconds since it was last used (0 while it is in use).
        """
        loaded = self._workers.loaded()
        told = {
            "replica": self._id,
            "node": ray.util.get_node_ip_address(),
            "nodes": self._nodes,
            "running": len(self._running),
            "idle": 0.0 if self._running else time.monotonic() - self._used_at,
            "pid": loaded[0].pid if loaded else 0,
            "memory": sum(one.memory_bytes for one in loaded),
            "device": loaded[0].device if loaded else "",
        }
        return {"about": told}

    async def state(self) -> dict[str, Any]:
        """Return the same state as `about`."""
        return self.about()["about"]

    async def ways_out(self) -> list[tuple[str, int, Any]]:
        """Let the worker try to reach other machines. See `Pool.ways_out`."""
        return await self._workers.ways_out()

    async def __del__(self) -> None:
        """End the worker. Serve waits for this before it ends the replica."""
        await self._workers.aclose()
