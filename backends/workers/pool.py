"""All worker processes of the service: one for each model in use, and for each server it is asked of."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backends import offline
from backends.flexai.entities import ModelType
from backends.flexai.errors import InvokeBadRequestError, InvokeServerUnavailableError
from backends.workers.budget import Budget, Wanted
from backends.workers.room import Room
from backends.workers.slot import Key, Slot, key_of
from backends.workers.worker import NeverBegun, Worker, gone

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

BACK_OFF_SECONDS = (0.0, 1.0, 2.0, 4.0)  # before the 1st, 2nd … start in a row
STREAMS = {  # what streams, and how it is asked to
    ModelType.LLM: ("invoke", {"stream": True}),
    ModelType.TTS: ("invoke", {"streaming": True}),
    ModelType.SPEECH2TEXT: ("write", dict[str, bool]()),
}
LOADING = {
    "invoke",
    "write",
    "get_num_tokens",
    "validate_credentials",
    "measure",
}  # what brings the model into memory
CALM_SECONDS = 60.0  # a worker that lived this long starts the count anew


@dataclass(frozen=True)
class Loaded:
    """A worker that runs: which model, which process, how much memory it takes, whether it is in use.

    device: what the model computes on, in words; empty before it is loaded, or where it runs on a server.
    """

    provider: str
    model_type: ModelType
    model: str
    pid: int
    memory_bytes: int
    in_use: bool
    device: str


class Workers:
    """Runs FlexAI models in child processes, one for each (provider, type, model).

    A model behind a server has one for each set of credentials: two servers may use one name.

    modules: provider id → module for providers that are not installed as entry points.
    budget: the memory all of them share.
    Use as an async context manager, or call `aclose`.
    """

    def __init__(self, modules: dict[str, str] | None = None, budget: Budget | None = None) -> None:
        self._modules = [f"{name}={module}" for name, module in (modules or {}).items()]
        self._slots: dict[Key, Slot] = {}
        self._trials: set[Slot] = set()
        self._room = Room(budget or Budget(), lambda: [*self._slots.values(), *self._trials])
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
        """Call `invoke` of a model and return its whole result.

        Raises: FlexAIError and its kinds.
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
        """Call any method of a model, such as `get_num_tokens`; open files are sent whole and rewound.

        Raises: FlexAIError and its kinds.
        """
        named = {"model": model, "credentials": credentials, **arguments}
        wanted = Wanted(provider, model_type, model, credentials)
        try:
            return await self._called(wanted, method, named)
        except NeverBegun:  # it was dead already, or was killed for the call before
            return await self._called(wanted, method, named)

    async def _called(self, wanted: Wanted, method: str, named: dict[str, Any]) -> Any:
        async with self._lent(wanted, method) as worker:
            return await worker.call(method, named)

    async def try_out(
        self, provider: str, model_type: ModelType | None, *calls: tuple[str, dict[str, Any]]
    ) -> list[Any]:
        """Make calls in a process of its own that ends with them: a check leaves nothing loaded.

        model_type: None for methods of the provider itself, such as `validate_provider_credentials`.
        calls: method and arguments of each. Raises: FlexAIError and its kinds.
        """
        tried = dict(calls[0][1])
        slot = Slot(
            Wanted(
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
        """Call `invoke` of a language or speaking model, `write` of a listening one, and yield its chunks.

        `aclose()` stops the model.
        Raises: FlexAIError and its kinds, at once or in the middle.
        """
        if model_type not in STREAMS:
            raise InvokeBadRequestError(
                f"A {model_type.value} model does not stream.", "Use invoke."
            )
        method, switch = STREAMS[model_type]
        named = {"model": model, "credentials": credentials, **arguments, **switch}
        wanted = Wanted(provider, model_type, model, credentials)
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

    def loaded(self) -> list[Loaded]:
        """List the workers that run."""
        return [
            Loaded(
                provider,
                kind,
                model,
                slot.worker.pid,
                slot.resident(),
                slot.users > 0,
                slot.worker.device,
            )
            for (provider, kind, model, _), slot in self._slots.items()
            if kind is not None and slot.worker is not None and slot.alive
        ]

    async def ways_out(self) -> list[tuple[str, int, Any]]:
        """Let every idle worker, and one that is started for it, try to reach other machines.

        Returns model, process and the trials of each; raises FlexAIError and its kinds.
        """
        (provider, *_) = (one.partition("=")[0] for one in (*self._modules, "openai_compatible"))
        fresh = await self._start(Wanted(provider, None, "", {}))
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
        """The memory all models share."""
        return self._room.budget

    async def unload(
        self,
        provider: str,
        model_type: ModelType,
        model: str,
        credentials: dict[str, Any] | None = None,
    ) -> bool:
        """End a model's processes, calls in them included; return False if there was none.

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
                self._slots.pop(key, None)  # with the credentials it holds
        return any(ended)

    async def aclose(self) -> None:
        """End every process, those included that are just starting; no other is started."""
        self._closed = True
        await asyncio.gather(*(self._end(slot) for slot in [*self._slots.values(), *self._trials]))
        if self._sweeping is not None:
            self._sweeping.cancel()
            await asyncio.wait({self._sweeping})
        await self._room.settle()

    async def _end(self, slot: Slot) -> bool:
        async with slot.lock:
            return await self._room.unload(slot)

    @asynccontextmanager
    async def _lent(self, wanted: Wanted, method: str) -> AsyncGenerator[Worker]:
        """Lend a model's process; while it is lent it is not unloaded to make room for another."""
        slot = self._slots.setdefault(key_of(wanted), Slot(wanted))
        slot.users += 1
        try:
            slot.wanted = wanted
            worker = await self._running(slot)
            try:
                yield worker
            finally:
                if worker is slot.worker and worker.memory_bytes and method in LOADING:
                    slot.measured = True
        finally:
            slot.users -= 1
            slot.touch()
            self._room.changed()

    async def _running(self, slot: Slot) -> Worker:
        """Return the model's process, started if there is none.

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

    async def _start(self, wanted: Wanted) -> Worker:
        if self._closed:
            raise gone()
        if self._sweeping is None:
            self._sweeping = asyncio.create_task(self._room.sweep(), name="unload idle models")
        served = wanted.model_type.value if wanted.model_type else "provider"
        return await Worker.start([wanted.provider, served, *self._modules])

    async def _back_off(self, slot: Slot) -> None:
        """Wait longer before each start in a row; give up when none of them lasted."""
        now = time.monotonic()
        starts = [t for t in slot.starts if now - t < CALM_SECONDS]
        if len(starts) > 3 * len(BACK_OFF_SECONDS):
            raise InvokeServerUnavailableError(
                f"The process of {slot.wanted.model} keeps ending.",
                "Choose another model, or look into the log.",
            )
        await asyncio.sleep(
            BACK_OFF_SECONDS[min(max(0, len(starts) - 2), len(BACK_OFF_SECONDS) - 1)]
        )
        slot.starts = [*starts, time.monotonic()]
