"""The FastAPI application of the service."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI

from backends.catalog import Catalog
from backends.flexai.errors import FlexAIError
from backends.flexai.registry import Registry, load_providers
from backends.service import errors
from backends.service.access import ServiceCallers
from backends.service.memory import Needs
from backends.service.models import ServiceModels
from backends.service.routes import (
    audio,
    chat,
    copilot,
    health,
    openai,
    parameters,
    providers,
    responses,
    stream,
)
from backends.service.routes import catalogue as shelf
from backends.service.routes import chat as tokens
from backends.service.security import RequestGuard
from backends.workers import Budget, Workers
from backends.workers.budget import IDLE_SECONDS

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable
    from pathlib import Path

    from backends.workers import Pool

log = logging.getLogger(__name__)


async def start_workers(modules: dict[str, str] | None, budget: Budget) -> Pool:
    """Return the pool of this machine's child processes."""
    return Workers(modules, budget)


def create_app(
    token: str,
    hosts: frozenset[str],
    version: str,
    *,
    warm: bool = True,
    catalog: Catalog | None = None,
    modules: dict[str, str] | None = None,
    memory: int = 0,
    idle_seconds: float = IDLE_SECONDS,
    parallel: int = 1,
    origins: frozenset[str] = frozenset(),
    lent: dict[str, Any] | None = None,
    tokens_file: Path | None = None,
    queue_seconds: float | None = None,
    metrics: bool = False,
    start_pool: Callable[[dict[str, str] | None, Budget], Awaitable[Pool]] = start_workers,
) -> FastAPI:
    """Return the application.

    token: the token that callers need. hosts: the allowed Host names. warm: whether to load the
    embedder in the background once the service listens. catalog: the models, by default those on
    this machine. modules: provider id → module, for providers that are not installed. memory: the
    number of bytes for all models together, or 0 for what the machine can spare. idle_seconds: the
    time without use after which a model is unloaded, or 0 to never unload it. parallel: the number
    of conversations that a model computes concurrently. origins: the web pages that are allowed to
    send requests from a browser. lent: providers' models, in the format of `PUT /v1/manage/lent`.
    tokens_file: the file with named tokens, if they are supported. queue_seconds: the longest time
    that a request waits for a language model, or None to wait forever. metrics: whether to serve
    metrics at /metrics to the owner. start_pool: a function that creates the pool that runs the
    models, from `modules` and a budget.
    """
    callers = ServiceCallers(token, tokens_file)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        known = catalog or Catalog()
        registry = Registry(modules) if modules else load_providers()
        needs = Needs(known, registry)
        budget = Budget(memory, idle_seconds, need=needs.need, advice=needs.advice)
        async with AsyncExitStack() as stack:
            workers = await start_pool(modules, budget)
            stack.push_async_callback(workers.aclose)
            app.state.registry = registry
            app.state.callers = callers
            app.state.models = ServiceModels(known, workers, parallel, registry, queue_seconds)
            if metrics:
                from backends.service.metrics import Metrics

                app.state.models.metrics = Metrics()
                app.state.models.metrics.watch(app.state.models)
            for name, told in (lent or {}).items():
                loan = providers.Loan.model_validate(told)
                made = [providers.read(name, loan.provider, one) for one in loan.models]
                app.state.models.lending.put(name, made)
            app.state.version = version
            warming = (
                asyncio.create_task(warm_up(app.state.models), name="warm the embedder")
                if warm
                else None
            )
            try:
                yield
            finally:
                if warming is not None:
                    warming.cancel()
                    with suppress(asyncio.CancelledError):
                        await warming

    app = FastAPI(
        title="Deskpilot", version=version, lifespan=lifespan, docs_url=None, redoc_url=None
    )
    for routes in (
        copilot,
        chat,
        responses,
        tokens,
        openai,
        audio,
        health,
        providers,
        shelf,
        parameters,
        stream,
    ):
        app.include_router(routes.router)
    errors.install(app)
    app.add_middleware(RequestGuard, callers=callers, hosts=hosts, origins=origins)
    return app


async def warm_up(models: ServiceModels) -> None:
    """Load the embedder. If that fails, the error is reported when the embedder is needed."""
    try:
        await models.warm()
    except FlexAIError as error:
        log.info("the embedder could not be loaded: %s", error)
