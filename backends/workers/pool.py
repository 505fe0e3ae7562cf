"""The worker pool: it has a slot for each model in use, and unloads models to free memory."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import logging
import time
from collections.abc import Iterable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import psutil

from backends import offline
from backends.flexai.errors import InvokeBadRequestError, InvokeServerUnavailableError
from backends.workers.budget import Budget, ModelDemand
from backends.workers.protocol import STREAMS, LoadedWorker, at_once
from backends.workers.worker import NeverBegun, Worker, gone

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from backends.flexai.entities import ModelType


Key = tuple[str, "ModelType | None", str, str]  # provider, type, model and the server's identity


@dataclass(eq=False)
class ModelSlot:
    """A model that is, was or will be loaded.

    users: the number of calls that are running or waiting. need: the number of bytes reserved for
    it, which is 0 while it is not loaded. loaded_with: the settings of its process. measured:
    whether the model is in memory, so that the process reports its actual use. starts: the start
    times of processes that have not finished a call yet (monotonic seconds). lock: a lock that is
    held while its process is started or is ended on request.
    """

    wanted: ModelDemand
    worker: Worker | None = None
    users: int = 0
    need: int = 0
    loaded_with: dict[str, Any] = field(default_factory=dict[str, Any])
    measured: bool = False
    used_at: float = 0.0
    starts: list[float] = field(default_factory=list[float])
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def alive(self) -> bool:
        """Return whether its process is running."""
        return self.worker is not None and self.worker.alive

    @property
    def idle(self) -> bool:
        """Return whether the model is loaded and unused."""
        return self.alive and self.users == 0

    def running(self) -> int:
        """Return how many calls its process is running. Further calls wait."""
        return min(self.users, at_once(self.wanted)) if self.alive else 0

    def resident(self) -> int:
        """Return how many bytes of memory its process uses now."""
        return resident(self.worker.pid) if self.worker is not None and self.worker.alive else 0

    def takes(self) -> int:
        """Return how many bytes it takes up, or will take up once loaded, or 0 after its process
        has died.
        """
        if self.worker is not None and not self.worker.alive:
            return 0
        return self.resident() if self.measured else max(self.need, self.resident())

    def promised(self) -> int:
        """Return how many bytes it will take up but does not use yet."""
        return self.takes() - self.resident()

    def let_go(self) -> Worker | None:
        """Detach the process, and return it. Later calls for the model get another process."""
        worker, self.worker = self.worker, None
        self.need, self.measured = 0, False
        return worker

    def is_stale(self) -> bool:
        """Return whether a local model was loaded with other settings that no other call uses.

        If the same process loaded it again, perhaps with a longer context, the memory would not be
        reserved.
        """
        now = self.wanted.credentials
        return self.users <= 1 and "model_path" in now and now != self.loaded_with

    def touch(self) -> None:
        """Record that it was used now."""
        self.used_at = time.monotonic()


def resident(pid: int) -> int:
    """Return how many bytes of memory a process uses, or 0 after it has ended."""
    try:
        return psutil.Process(pid).memory_info().rss
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return 0


def key_of(wanted: ModelDemand) -> Key:
    """Return the key of a process.

    A model's file is loaded once per set of settings. Remote models are distinguished by their
    credentials, of which only a hash is stored.
    """
    asked = (
        ""
        if "model_path" in wanted.credentials
        else json.dumps(wanted.credentials, sort_keys=True, default=repr)
    )
    server = hashlib.sha256(asked.encode()).hexdigest() if asked else ""
    return wanted.provider, wanted.model_type, wanted.model, server


log = logging.getLogger(__name__)


class MemoryRoom:
    """The memory that all slots share. slots: a function that returns all slots.

    Nothing else runs between two `await`s, so checking the numbers and reserving memory needs no
    lock.
    """

    def __init__(self, budget: Budget, slots: Callable[[], Iterable[ModelSlot]]) -> None:
        self.budget = budget
        self._slots = slots
        self._closing: dict[Worker, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()

    async def make(self, slot: ModelSlot) -> None:
        """Wait until a model can be loaded, and reserve the memory for it.

        Raises: InvokeMemoryError if it does not fit alongside the models in use.
        """
        need = await asyncio.to_thread(self.budget.need, slot.wanted)
        end = time.monotonic() + self.budget.patience_seconds
        if need > self.budget.total():  # it can never fit, regardless of what else is unloaded
            raise self.budget.refusal(slot.wanted, need, self.budget.total(), [])
        while need > self.free():
            idle = sorted((s for s in self._slots() if s.idle), key=lambda s: s.used_at)
            used = [s for s in self._slots() if s.takes() and not s.idle]
            room = self.free() + sum(s.takes() for s in idle) + sum(self._closing.values())
            if need > room + sum(s.takes() for s in used) or (left := end - time.monotonic()) <= 0:
                raise self.budget.refusal(slot.wanted, need, room, [s.wanted.model for s in used])
            if need <= room and idle and not self._closing:
                log.info(
                    "%s is unloaded to make room for %s", idle[0].wanted.model, slot.wanted.model
                )
                await self.unload(idle[0])
            else:
                await self.change(left)
        slot.need = need

    def free(self) -> int:
        """Return the number of bytes that a model can take up now."""
        slots = list(self._slots())
        used = sum(s.takes() for s in slots) + sum(self._closing.values())
        return self.budget.free(used, sum(s.promised() for s in slots))

    async def unload(self, slot: ModelSlot) -> bool:
        """End a model's process. Return False if it has none."""
        takes = slot.takes()
        if slot.alive:
            slot.starts.clear()  # its end is not a crash
        worker = slot.let_go()
        if worker is None:
            return False
        self._closing[worker] = takes
        closing = asyncio.create_task(self._close(worker), name=f"worker {worker.pid}: close")
        self._tasks.add(closing)
        closing.add_done_callback(self._tasks.discard)
        await asyncio.shield(closing)  # even if a waiting caller is cancelled, the process is ended
        return True

    async def _close(self, worker: Worker) -> None:
        try:
            await worker.close()
        finally:
            del self._closing[worker]
            self.changed()

    async def settle(self) -> None:
        """Wait until every process that is ending has ended."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def changed(self) -> None:
        """Wake the calls that are waiting for memory."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def change(self, seconds: float | None) -> None:
        """Wait until memory has been released, but for no more than the given number of seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):  # wait_for would swallow a cancellation in 3.11
                await self._changed.wait()

    async def sweep(self) -> None:
        """In a loop, unload models that have been idle for longer than the budget allows."""
        while self.budget.idle_seconds:
            now = time.monotonic()
            ends = {
                slot: slot.used_at + self.budget.idle_seconds for slot in self._slots() if slot.idle
            }
            due = [slot for slot, end in ends.items() if end <= now]
            for slot in due:
                if slot.idle:  # may have been requested while the previous one was unloaded
                    log.info("%s was not used for a while and is unloaded", slot.wanted.model)
                    await self.unload(slot)
            if not due:
                await self.change(min(ends.values()) - now if ends else None)


BACK_OFF_SECONDS = (0.0, 1.0, 2.0, 4.0)  # seconds before the 1st, 2nd … consecutive start
LOADING = {
    "invoke",
    "write",
    "get_num_tokens",
    "validate_credentials",
    "measure",
}  # calls that load the model into memory
CALM_SECONDS = 60.0  # a worker that ran for this long resets the count


class Workers:
    """The pool of this machine: FlexAI models in child processes, one for each combination of
    provider, type and model.

    A model on a server has one process for each set of credentials, since two servers may use the
    same name.

    modules: provider id → module, for providers that are not installed as entry points. budget: the
    memory that all processes share. Use it as an async context manager, or call `aclose`.
    """

    def __init__(self, modules: dict[str, str] | None = None, budget: Budget | None = None) -> None:
        self._modules = [f"{name}={module}" for name, module in (modules or {}).items()]
        self._slots: dict[Key, ModelSlot] = {}
        self._trials: set[ModelSlot] = set()
        self._room = MemoryRoom(budget or Budget(), lambda: [*self._slots.values(), *self._trials])
        self._sweeping: asyncio.Task[None] | None = None
        self._closed = False

    async def __aenter__(self) -> Workers:
        """Return itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """End every process."""
        await self.aclose()

    async def invoke(
        self,
        provider: str,
        model_type: ModelType,
        *,
        model: str,
        credentials: dict[str, Any],
        **arguments: Any,
    ) -> Any:
        """Call `invoke` of a model and return its complete result.

        Raises: FlexAIError and its subclasses.
        """
        _, switch = STREAMS.get(model_type, ("", {}))
        arguments |= dict.fromkeys(switch, False)
        return await self.call(
            provider, model_type, "invoke", model=model, credentials=credentials, **arguments
        )

    async def call(
        self,
        provider: str,
        model_type: ModelType,
        method: str,
        *,
        model: str,
        credentials: dict[str, Any],
        **arguments: Any,
    ) -> Any:
        """Call any method of a model, such as `get_num_tokens`. Open files are sent completely, and
        rewound.

        Raises: FlexAIError and its subclasses.
        """
        named = {"model": model, "credentials": credentials, **arguments}
        wanted = ModelDemand(provider, model_type, model, credentials)
        try:
            return await self._called(wanted, method, named)
        except NeverBegun:  # already dead, or killed because of the previous call
            return await self._called(wanted, method, named)

    async def _called(self, wanted: ModelDemand, method: str, named: dict[str, Any]) -> Any:
        async with self._lent(wanted, method) as worker:
            return await worker.call(method, named)

    async def try_out(
        self, provider: str, model_type: ModelType | None, *calls: tuple[str, dict[str, Any]]
    ) -> list[Any]:
        """Make calls in a separate process that ends afterwards, so that a check does not leave a
        model loaded.

        model_type: the model's type, or None for methods of the provider itself, such as
        `validate_provider_credentials`. calls: the method and arguments of each call. Raises:
        FlexAIError and its subclasses.
        """
        tried = dict(calls[0][1])
        slot = ModelSlot(
            ModelDemand(
                provider,
                model_type,
                str(tried.get("model", provider)),
                tried.get("credentials", {}),
            )
        )
        slot.users += 1
        self._trials.add(slot)
        try:
            await self._room.make(slot)
            slot.worker = await self._start(slot.wanted)
            return [await slot.worker.call(method, arguments) for method, arguments in calls]
        finally:
            self._trials.discard(slot)
            await asyncio.shield(self._room.unload(slot))

    async def stream(
        self,
        provider: str,
        model_type: ModelType,
        *,
        model: str,
        credentials: dict[str, Any],
        **arguments: Any,
    ) -> AsyncGenerator[Any, None]:
        """Call a model's streaming method, and yield its chunks.

        It is `invoke` for language and text-to-speech models, and `write` for speech-to-text
        models. `aclose()` stops the model. Raises: FlexAIError and its subclasses, at the start or
        later.
        """
        if model_type not in STREAMS:
            raise InvokeBadRequestError(
                f"A {model_type.value} model does not support streaming.", "Use invoke."
            )
        method, switch = STREAMS[model_type]
        named = {"model": model, "credentials": credentials, **arguments, **switch}
        wanted = ModelDemand(provider, model_type, model, credentials)
        for last in (False, True):
            try:
                async with (
                    self._lent(wanted, method) as worker,
                    aclosing(worker.stream(method, named)) as chunks,
                ):
                    async for chunk in chunks:
                        yield chunk
            except NeverBegun:
                if last:
                    raise
            else:
                return

    def at_once(self, wanted: ModelDemand) -> int:
        """Return how many calls of a model can run at once, which is as many as its process
        accepts."""
        return at_once(wanted)

    def loaded(self) -> list[LoadedWorker]:
        """List the running workers."""
        return [
            LoadedWorker(
                provider,
                kind,
                model,
                slot.worker.pid,
                slot.resident(),
                slot.users > 0,
                slot.worker.device,
                running=slot.running(),
            )
            for (provider, kind, model, _), slot in self._slots.items()
            if kind is not None and slot.worker is not None and slot.alive
        ]

    def waiting(self) -> dict[str, int]:
        """See `Pool.waiting`."""
        found: dict[str, int] = {}
        for (_, _, model, _), slot in self._slots.items():
            found[model] = found.get(model, 0) + slot.users - slot.running()
        return found

    async def ways_out(self) -> list[tuple[str, int, Any]]:
        """Let every idle worker, and a new one, try to reach other machines.

        Returns the model, the process and the attempts of each worker. Raises: FlexAIError and its
        subclasses.
        """
        provider, *_ = (one.partition("=")[0] for one in (*self._modules, "openai_compatible"))
        fresh = await self._start(ModelDemand(provider, None, "", {}))
        try:
            found = [("", fresh.pid, await fresh.call(offline.METHOD, {}))]
        finally:
            await asyncio.shield(fresh.close())
        for slot in [slot for slot in self._slots.values() if slot.idle]:
            async with self._lent(slot.wanted, offline.METHOD) as worker:
                found.append((slot.wanted.model, worker.pid, await worker.call(offline.METHOD, {})))
        return found

    @property
    def budget(self) -> Budget:
        """The memory that all models share."""
        return self._room.budget

    async def unload(
        self,
        provider: str,
        model_type: ModelType,
        model: str,
        credentials: dict[str, Any] | None = None,
    ) -> bool:
        """End a model's processes, including their calls. Return False if there were none.

        credentials: end only the process that uses these.
        """
        named = {
            key: slot
            for key, slot in self._slots.items()
            if key[:3] == (provider, model_type, model)
            and (credentials is None or slot.wanted.credentials == credentials)
        }
        ended = [await self._end(slot) for slot in named.values()]
        for key, slot in named.items():
            if not slot.users and not slot.alive:
                self._slots.pop(key, None)  # the key contains the credentials it holds
        return any(ended)

    async def aclose(self) -> None:
        """End every process, including those that are just starting. No new ones are started."""
        self._closed = True
        await asyncio.gather(*(self._end(slot) for slot in [*self._slots.values(), *self._trials]))
        if self._sweeping is not None:
            self._sweeping.cancel()
            await asyncio.wait({self._sweeping})
        await self._room.settle()

    async def _end(self, slot: ModelSlot) -> bool:
        async with slot.lock:
            return await self._room.unload(slot)

    @asynccontextmanager
    async def _lent(self, wanted: ModelDemand, method: str) -> AsyncGenerator[Worker]:
        """Lend out a model's process. While it is lent, it is not ended to free memory."""
        slot = self._slots.setdefault(key_of(wanted), ModelSlot(wanted))
        slot.users += 1
        try:
            slot.wanted = wanted
            worker = await self._running(slot)
            try:
                yield worker
                slot.starts.clear()  # a process that completes a call is not in a crash loop
            finally:
                if worker is slot.worker and worker.memory_bytes and method in LOADING:
                    slot.measured = True
        finally:
            slot.users -= 1
            slot.touch()
            self._room.changed()

    async def _running(self, slot: ModelSlot) -> Worker:
        """Return the model's process, after starting it if necessary.

        Raises: InvokeMemoryError, InvokeServerUnavailableError.
        """
        async with slot.lock:
            if self._closed:
                raise gone()
            if slot.worker is not None and slot.worker.alive and not slot.is_stale():
                return slot.worker
            await self._room.unload(slot)
            await self._room.make(slot)
            try:
                await self._back_off(slot)
                slot.loaded_with = slot.wanted.credentials
                worker = slot.worker = await self._start(slot.wanted)
            finally:
                if slot.worker is None:
                    slot.let_go()
            return worker

    async def _start(self, wanted: ModelDemand) -> Worker:
        if self._closed:
            raise gone()
        if self._sweeping is None:
            self._sweeping = asyncio.create_task(self._room.sweep(), name="unload idle models")
        served = wanted.model_type.value if wanted.model_type else "provider"
        return await Worker.start([wanted.provider, served, *self._modules], at_once(wanted))

    async def _back_off(self, slot: ModelSlot) -> None:
        """Wait longer before each consecutive start, and give up if all these processes have ended
        early."""
        now = time.monotonic()
        starts = [t for t in slot.starts if now - t < CALM_SECONDS]
        if len(starts) > 3 * len(BACK_OFF_SECONDS):
            raise InvokeServerUnavailableError(
                f"The process of {slot.wanted.model} keeps stopping.",
                "Choose another model, or check the log.",
            )
        await asyncio.sleep(
            BACK_OFF_SECONDS[min(max(0, len(starts) - 2), len(BACK_OFF_SECONDS) - 1)]
        )
        slot.starts = [*starts, time.monotonic()]
