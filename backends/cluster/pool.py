"""The pool of a cluster: it has one Serve application for each loaded model, on nodes that have the
model."""

# Ray may be missing where types are checked, and its own type declarations are incomplete.
# pyright: reportMissingImports=false, reportPrivateUsage=false, reportAssignmentType=false
# pyright: reportPrivateImportUsage=false, reportAttributeAccessIssue=false
# pyright: reportArgumentType=false, reportUnnecessaryComparison=false

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import time
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ray import serve
from ray.exceptions import RayError, RayTaskError
from ray.serve.config import RequestRouterConfig
from ray.serve.exceptions import RayServeException
from ray.serve.schema import ApplicationStatus

from backends.cluster.hashes import ModelHashes
from backends.cluster.nodes import NODE, RayCluster
from backends.cluster.replica import ModelReplica
from backends.cluster.settings import is_loopback
from backends.flexai.errors import (
    InvokeBadRequestError,
    InvokeError,
    InvokeMemoryError,
    InvokeServerUnavailableError,
)
from backends.workers import Budget, LoadedWorker, ModelDemand, Workers, frames
from backends.workers.protocol import STREAMS, at_once
from backends.workers.worker import call_frame, gone

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from ray.serve.handle import DeploymentHandle, DeploymentResponseGenerator

    from backends.flexai.entities import ModelType

log = logging.getLogger(__name__)

PREFIX = "deskpilot-"  # start of our applications' names
SWEEP_SECONDS = 2.0
# seconds that the load must stay higher or lower before replicas are added or removed
UP_SECONDS, DOWN_SECONDS = 3.0, 60.0
DRAIN_SECONDS = 3600.0  # time for a replica to finish its answers before it ends
HEALTH_SECONDS = 0.5  # seconds between two checks of a replica; a killed one is replaced soon
BROKEN = (RayError, RayServeException)
# A call that finds every replica busy is retried after this time. Ray's default of half a second is
# longer than many answers take.
RETRY = {"initial_backoff_s": 0.01, "backoff_multiplier": 2.0, "max_backoff_s": 0.05}
Key = tuple[str, "ModelType", str]


@dataclass(eq=False)
class ModelApplication:
    """A model that is, was or will be deployed.

    hash: the hash of its files. slots: how many calls a replica runs at once. nodes: the nodes that
    it is placed on. looked: the nodes that were asked whether they have the files. running: the
    number of our calls. waiting: the number of our calls that no replica has started. states: what
    each replica reported about itself, by its id. lock: a lock that is held while the model is
    deployed or ended.
    """

    wanted: ModelDemand
    hash: str
    slots: int
    handle: DeploymentHandle[Any] | None = None
    nodes: list[str] = field(default_factory=list[str])
    looked: set[str] = field(default_factory=set[str])
    running: set[DeploymentResponseGenerator[Any]] = field(
        default_factory=set["DeploymentResponseGenerator[Any]"]
    )
    waiting: int = 0
    states: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    used_at: float = 0.0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def name(self) -> str:
        """Return the name of the application, which is the same in every service of a cluster."""
        wanted = self.wanted
        parts = (wanted.provider, wanted.model_type, wanted.model, self.hash, self.slots)
        key = "/".join(map(str, parts))
        return PREFIX + hashlib.sha256(key.encode()).hexdigest()[:16]


class Cluster:
    """A pool that covers several machines.

    A model with files runs on the nodes that have them. A model on a remote server is called from a
    process on this machine, so that its key stays here.

    cluster: the connection, which is closed with the pool. replicas: the maximum number of replicas
    for one model. modules: provider id → module, for providers that are not installed.
    """

    def __init__(
        self,
        cluster: RayCluster,
        budget: Budget,
        *,
        replicas: int = 1,
        modules: dict[str, str] | None = None,
    ) -> None:
        self._cluster = cluster
        self._budget = budget
        hosts = [str(one["NodeManagerAddress"]) for one in cluster.nodes().values()]
        self._loopback = all(map(is_loopback, hosts))
        self._replicas = replicas
        self._modules = modules
        self._here = Workers(modules, budget)
        self._hashes = ModelHashes()
        self._apps: dict[tuple[Key, str], ModelApplication] = {}
        self._deploying = asyncio.Lock()
        self._closed = False
        self._sweeping = asyncio.create_task(self._sweep(), name="look after the cluster")

    @property
    def budget(self) -> Budget:
        """The memory that the models on one machine share."""
        return self._budget

    async def invoke(
        self,
        provider: str,
        model_type: ModelType,
        *,
        model: str,
        credentials: dict[str, Any],
        **arguments: Any,
    ) -> Any:
        """See `Pool.invoke`."""
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
        """See `Pool.call`."""
        named: dict[str, Any] = {"model": model, "credentials": credentials, **arguments}
        app = await self._app_of(ModelDemand(provider, model_type, model, credentials))
        if app is None:
            return await self._here.call(provider, model_type, method, **named)
        frame = call_frame(0, method, named, stream=False)
        async with aclosing(self._messages(app, "call", frame)) as messages:
            async for message in messages:
                if "result" in message:
                    return frames.unpack_result(message["result"], message["parts"])
        raise gone()

    async def stream(
        self,
        provider: str,
        model_type: ModelType,
        *,
        model: str,
        credentials: dict[str, Any],
        **arguments: Any,
    ) -> AsyncGenerator[Any, None]:
        """See `Pool.stream`."""
        if model_type not in STREAMS:
            raise InvokeBadRequestError(
                f"A {model_type.value} model does not support streaming.", "Use invoke."
            )
        named: dict[str, Any] = {"model": model, "credentials": credentials, **arguments}
        app = await self._app_of(ModelDemand(provider, model_type, model, credentials))
        if app is None:
            async with aclosing(self._here.stream(provider, model_type, **named)) as chunks:
                async for chunk in chunks:
                    yield chunk
            return
        frame = call_frame(0, STREAMS[model_type][0], named, stream=True)
        async with aclosing(self._messages(app, "stream", frame)) as messages:
            async for message in messages:
                if "chunk" in message:
                    yield frames.unpack_result(message["chunk"], message["parts"])

    async def try_out(
        self, provider: str, model_type: ModelType | None, *calls: tuple[str, dict[str, Any]]
    ) -> list[Any]:
        """See `Pool.try_out`. The calls run in a process on this machine."""
        return await self._here.try_out(provider, model_type, *calls)

    def at_once(self, wanted: ModelDemand) -> int:
        """Return how many calls of a model can run at once in all its replicas. With a lower limit,
        no replica would ever be added.
        """
        return at_once(wanted) * (self._replicas if "model_path" in wanted.credentials else 1)

    def loaded(self) -> list[LoadedWorker]:
        """List the running workers, here and on the nodes, in their last known state."""
        there = [
            LoadedWorker(
                app.wanted.provider,
                app.wanted.model_type,
                app.wanted.model,
                told["pid"],
                told["memory"],
                bool(app.running) or not told["idle"],
                told["device"],
                "" if is_loopback(told["node"]) else told["node"],
                told["running"],
            )
            for app in self._apps.values()
            if app.wanted.model_type is not None
            for told in app.states.values()
            if told["pid"]
        ]
        return [*self._here.loaded(), *there]

    def waiting(self) -> dict[str, int]:
        """See `Pool.waiting`. For a model on the nodes, these are our calls that no replica has
        started."""
        found = self._here.waiting()
        for app in self._apps.values():
            found[app.wanted.model] = found.get(app.wanted.model, 0) + app.waiting
        return found

    async def unload(
        self,
        provider: str,
        model_type: ModelType,
        model: str,
        credentials: dict[str, Any] | None = None,
    ) -> bool:
        """See `Pool.unload`."""
        ended = [await self._here.unload(provider, model_type, model, credentials)]
        for (key, _), app in list(self._apps.items()):
            if key == (provider, model_type, model) and (
                credentials is None or app.wanted.credentials == credentials
            ):
                ended.append(await self._end(app))
        return any(ended)

    async def ways_out(self) -> list[tuple[str, int, Any]]:
        """See `Pool.ways_out`. This covers this machine's processes and those of each replica."""
        found = await self._here.ways_out()
        for app in self._apps.values():
            for told in await self._told_by(app, "ways_out"):
                found += [(model or app.wanted.model, pid, trials) for model, pid, trials in told]
        return found

    async def aclose(self) -> None:
        """End our calls and processes, and Ray if it was started here.

        In a shared cluster, the models stay loaded for other services. They end when no service is
        left.
        """
        self._closed = True
        self._sweeping.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._sweeping
        for app in self._apps.values():
            for answer in list(app.running):
                answer.cancel()
        await self._here.aclose()
        await asyncio.to_thread(self._cluster.close)

    async def _app_of(self, wanted: ModelDemand) -> ModelApplication | None:
        """Return a model's application, or None if the model has no files here."""
        if wanted.model_type is None or "model_path" not in wanted.credentials:
            return None
        try:
            hash_ = await asyncio.to_thread(self._hashes.of, wanted.credentials)
        except OSError:
            return None  # the engine reports what is missing
        key = (wanted.provider, wanted.model_type, wanted.model), hash_
        app = self._apps.setdefault(key, ModelApplication(wanted, hash_, at_once(wanted)))
        app.wanted = wanted
        return app

    async def _messages(
        self, app: ModelApplication, method: str, frame: bytes
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Yield the messages that a replica sends in answer to a call.

        If a replica is lost before it sends anything, the call is sent to another replica, once.
        """
        for last in (False, True):
            app.waiting += 1
            handle = None
            try:
                handle = await self._deployed(app)
            finally:
                app.waiting -= handle is None  # the call was cancelled or could not be placed
            answer: DeploymentResponseGenerator[Any] = handle.options(
                stream=True, method_name=method
            ).remote(frame[frames.LENGTH.size :], self._cluster.job)
            app.running.add(answer)
            begun = ended = False
            try:
                async for pieces in answer:
                    app.waiting -= not begun
                    begun = True
                    for piece in pieces:
                        message = frames.decode(piece)
                        if "about" in message:
                            app.states[message["about"]["replica"]] = message["about"]
                        if "error" in message:
                            raise frames.unpack_error(message["error"])
                        yield message
                ended = True
                return
            except RayTaskError as error:
                ended = True
                log.warning("a replica of %s failed: %s", app.wanted.model, error)
                raise InvokeError(
                    "The model's replica failed.", "Check its log, or ask again."
                ) from error
            except BROKEN as error:
                ended = True
                app.states.clear()
                if begun or last or self._closed:
                    raise gone() from error
            finally:
                app.running.discard(answer)
                app.waiting -= not begun
                app.used_at = time.monotonic()
                if not ended:
                    answer.cancel()

    async def _deployed(self, app: ModelApplication) -> DeploymentHandle[Any]:
        """Return the handle of a model, after deploying the model if necessary.

        Raises: InvokeMemoryError, InvokeServerUnavailableError.
        """
        async with app.lock:
            slots = at_once(app.wanted)
            if self._closed:
                raise gone()
            if app.handle is not None and app.slots != slots:
                await self._ended(app)
            if app.handle is None:
                app.slots = slots
                app.used_at = time.monotonic()
                async with self._deploying:
                    app.handle = await self._deploy(app)
            return app.handle

    async def _deploy(self, app: ModelApplication, *, anew: bool = False) -> DeploymentHandle[Any]:
        """Return the handle of a model's application. anew: whether to place it again even if it is
        already deployed.

        Raises: InvokeMemoryError, InvokeServerUnavailableError.
        """
        wanted = app.wanted
        app.looked = set(self._cluster.nodes())
        nodes = await asyncio.to_thread(self._cluster.nodes_with, app.hash, wanted.credentials)
        if not nodes:
            raise InvokeServerUnavailableError(
                f"No machine in the cluster has {wanted.model} with the same files.",
                "Copy it to one: deskpilot models export-kit and import-kit.",
            )
        app.nodes = nodes
        known = await asyncio.to_thread(serve.status)
        there = known.applications.get(app.name)
        if there is not None and there.status == ApplicationStatus.RUNNING and not anew:
            return serve.get_app_handle(app.name)  # another service in the cluster deployed it
        need = await asyncio.to_thread(self._budget.need, wanted)
        await self._make_room(app, need, nodes)
        many: dict[str, Any] = {"num_replicas": 1}
        if self._replicas > 1:
            many = {
                "autoscaling_config": {
                    "min_replicas": 1,
                    "max_replicas": self._replicas,
                    "target_ongoing_requests": app.slots,
                    "upscale_delay_s": UP_SECONDS,
                    "downscale_delay_s": DOWN_SECONDS,
                    "look_back_period_s": 11.0,  # Ray requires more than ten seconds
                }
            }
        made: Any = serve.deployment(
            ModelReplica,
            name="model",
            max_ongoing_requests=app.slots,
            max_queued_requests=-1,  # the service itself limits how many calls it admits
            request_router_config=RequestRouterConfig(**RETRY),
            # old replicas of a model that is placed again serve until the new ones do
            max_surge_percent=100,
            health_check_period_s=HEALTH_SECONDS,
            graceful_shutdown_timeout_s=DRAIN_SECONDS,
            graceful_shutdown_wait_loop_s=0.1,
            ray_actor_options={
                "num_cpus": 0,  # engines share a machine's processors, as in the local pool
                "memory": need,
                "label_selector": {NODE: f"in({','.join(nodes)})"},
            },
            **many,
        )
        bound = made.bind(
            wanted.provider,
            wanted.model_type.value if wanted.model_type else "",
            wanted.model,
            app.hash,
            self._modules,
            self._budget.limit,
            self._loopback,
            nodes,
        )
        try:
            return await asyncio.to_thread(serve.run, bound, name=app.name, route_prefix=None)
        except (RuntimeError, *BROKEN) as error:
            log.warning("%s could not be deployed: %s", wanted.model, error)
            raise InvokeServerUnavailableError(
                f"{wanted.model} could not be started on the cluster.", "Check the log."
            ) from error

    async def _make_room(self, app: ModelApplication, need: int, nodes: list[str]) -> None:
        """Wait until one of the nodes has enough memory. Meanwhile, unload unused models.

        Raises: InvokeMemoryError.
        """
        end = time.monotonic() + self._budget.patience_seconds
        known = self._cluster.nodes()
        most = max(int(known[one]["Resources"].get("memory", 0)) for one in nodes if one in known)
        if need > most:
            raise self._refusal(app, need, most)
        while need > (free := self._free_on(nodes)):
            others = [one for one in self._apps.values() if one is not app and one.handle]
            idle = sorted((one for one in others if not one.running), key=lambda one: one.used_at)
            if idle:
                await self._end(idle[0])
            elif time.monotonic() > end:
                raise self._refusal(app, need, free)
            else:
                await asyncio.sleep(0.2)

    def _free_on(self, nodes: list[str]) -> int:
        free = self._cluster.free_memory()
        return max((free.get(one, 0) for one in nodes), default=0)

    def _refusal(self, app: ModelApplication, need: int, room: int) -> InvokeMemoryError:
        used = [one.wanted.model for one in self._apps.values() if one.running and one is not app]
        return self._budget.refusal(app.wanted, need, room, used)

    async def _end(self, app: ModelApplication) -> bool:
        """End a model's replicas, including our calls in them. Return False if it has none."""
        async with app.lock:
            if app.handle is None:
                return False
            await self._ended(app)
            return True

    async def _ended(self, app: ModelApplication) -> None:
        """Delete an application. The caller must hold its lock."""
        app.handle = None
        app.states.clear()
        for answer in list(app.running):
            answer.cancel()
        await asyncio.to_thread(serve.delete, app.name)

    async def _sweep(self) -> None:
        """Keep the known state of the replicas current, and unload models that have been idle for
        too long.
        """
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            alive = self._cluster.nodes()
            for app in [one for one in self._apps.values() if one.handle and not one.lock.locked()]:
                if not alive.keys() & set(app.nodes):
                    log.info("the machines of %s are gone, so it moves", app.wanted.model)
                    await self._move(app)
                    continue
                told = await self._told_by(app, "state")
                if app.handle is None:
                    continue  # it was unloaded in the meantime
                if told:
                    app.nodes = sorted({node for one in told for node in one["nodes"]})
                    await self._spread(app, alive.keys() - app.looked - set(app.nodes))
                    app.states = {one["replica"]: one for one in told}
                limit = self._budget.idle_seconds
                idle = told and limit and min(one["idle"] for one in told) > limit
                if idle and not app.running and time.monotonic() - app.used_at > limit:
                    log.info("%s was not used for a while and is unloaded", app.wanted.model)
                    await self._end(app)

    async def _spread(self, app: ModelApplication, joined: set[str]) -> None:
        """Place a model again if new nodes have it and it can use more replicas.

        Current answers are not interrupted: new replicas take over before the old ones end.
        """
        app.looked |= joined
        if self._replicas == 1 or not joined:
            return
        with_it = self._cluster.nodes_with
        if await asyncio.to_thread(with_it, app.hash, app.wanted.credentials, joined):
            log.info("machines joined that have %s, so it may use them", app.wanted.model)
            await self._move(app)

    async def _move(self, app: ModelApplication) -> None:
        """Place a model on the nodes that have it now.

        Waiting calls get a replica on these nodes, or an error if no node has the model.
        """
        async with app.lock:
            if app.handle is None:
                return  # it was unloaded in the meantime
            try:
                async with self._deploying:
                    app.handle = await self._deploy(app, anew=True)
            except InvokeError as error:
                log.warning("%s cannot be placed on another machine: %s", app.wanted.model, error)
                await self._ended(app)

    async def _told_by(self, app: ModelApplication, method: str) -> list[Any]:
        """Return the answer from each replica of a model, or an empty result if it has no
        replicas."""
        handle = app.handle
        if handle is None:
            return []

        # all in one function, because Ray warns about a call that was created but never awaited
        def ask() -> list[Any]:
            return handle.broadcast(method).results(timeout_s=10)

        try:
            return await asyncio.to_thread(ask)
        except (TimeoutError, *BROKEN):
            return []
