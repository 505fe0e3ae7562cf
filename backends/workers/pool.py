"""All worker processes of the service: one for each model in use."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backends.flexai.entities import ModelType
from backends.flexai.errors import InvokeBadRequestError, InvokeServerUnavailableError
from backends.workers.worker import NeverBegun, Worker, gone

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

BACK_OFF_SECONDS = (0.0, 1.0, 2.0, 4.0)  # before the 1st, 2nd … start in a row
STREAMS = {  # what streams, and how it is asked to
    ModelType.LLM: ("invoke", {"stream": True}),
    ModelType.TTS: ("invoke", {"streaming": True}),
    ModelType.SPEECH2TEXT: ("write", dict[str, bool]()),
}
CALM_SECONDS = 60.0  # a worker that lived this long starts the count anew


@dataclass(frozen=True)
class Loaded:
    """A worker that runs: which model, which process, how much memory it last reported."""

    provider: str
    model_type: ModelType
    model: str
    pid: int
    memory_bytes: int


class Workers:
    """Runs FlexAI models in child processes, one process for each (provider, type, model).

    modules: provider id → module for providers that are not installed as entry points.
    Use as an async context manager, or call `aclose`.
    """

    def __init__(self, modules: dict[str, str] | None = None) -> None:
        self._modules = [f"{name}={module}" for name, module in (modules or {}).items()]
        self._workers: dict[tuple[str, ModelType, str], Worker] = {}
        self._starting: dict[tuple[str, ModelType, str], asyncio.Lock] = {}
        self._starts: dict[tuple[str, ModelType, str], list[float]] = {}
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
        worker = await self._worker(provider, model_type, model)
        try:
            return await worker.call(method, named)
        except NeverBegun:  # it was dead already, or was killed for the call before
            worker = await self._worker(provider, model_type, model)
            return await worker.call(method, named)

    async def try_out(
        self, provider: str, model_type: ModelType | None, *calls: tuple[str, dict[str, Any]]
    ) -> list[Any]:
        """Make calls in a process of its own that ends with them: a check leaves nothing loaded.

        model_type: None for methods of the provider itself, such as `validate_provider_credentials`.
        calls: method and arguments of each. Raises: FlexAIError and its kinds.
        """
        served = model_type.value if model_type else "provider"
        worker = await Worker.start([provider, served, *self._modules])
        try:
            return [await worker.call(method, arguments) for method, arguments in calls]
        finally:
            await asyncio.shield(worker.close())

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
            raise InvokeBadRequestError(f"A {model_type.value} model does not stream.", "Use invoke.")
        method, switch = STREAMS[model_type]
        named = {"model": model, "credentials": credentials, **arguments, **switch}
        for last in (False, True):
            worker = await self._worker(provider, model_type, model)
            try:
                async with aclosing(worker.stream(method, named)) as chunks:
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
            Loaded(provider, model_type, model, worker.pid, worker.memory_bytes)
            for (provider, model_type, model), worker in self._workers.items()
            if worker.alive
        ]

    async def unload(self, provider: str, model_type: ModelType, model: str) -> bool:
        """End a model's process, calls in it included; return False if there was none."""
        return await self._end((provider, model_type, model))

    async def aclose(self) -> None:
        """End every process, those included that are just starting; no other is started."""
        self._closed = True
        await asyncio.gather(*(self._end(key) for key in list(self._starting)))

    async def _end(self, key: tuple[str, ModelType, str]) -> bool:
        async with self._starting.setdefault(key, asyncio.Lock()):
            worker = self._workers.pop(key, None)
            if worker is None:
                return False
            await worker.close()
            return True

    async def _worker(self, provider: str, model_type: ModelType, model: str) -> Worker:
        key = (provider, model_type, model)
        async with self._starting.setdefault(key, asyncio.Lock()):
            worker = self._workers.get(key)
            if self._closed:
                raise gone()
            if worker is not None and worker.alive:
                return worker
            if worker is not None:
                await worker.close()
            await self._back_off(key)
            self._workers[key] = await Worker.start([provider, model_type.value, *self._modules])
            return self._workers[key]

    async def _back_off(self, key: tuple[str, ModelType, str]) -> None:
        """Wait longer before each start in a row; give up when none of them lasted."""
        now = time.monotonic()
        starts = [t for t in self._starts.get(key, []) if now - t < CALM_SECONDS]
        if len(starts) > 3 * len(BACK_OFF_SECONDS):
            raise InvokeServerUnavailableError(
                f"The process of {key[2]} keeps ending.", "Choose another model, or look into the log."
            )
        await asyncio.sleep(BACK_OFF_SECONDS[min(max(0, len(starts) - 2), len(BACK_OFF_SECONDS) - 1)])
        self._starts[key] = [*starts, time.monotonic()]
