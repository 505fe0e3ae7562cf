"""The FastAPI application of the service."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from backends.catalog import Catalog
from backends.copilot import NoModel
from backends.flexai.errors import (
    FlexAIError,
    InvokeAuthorizationError,
    InvokeBadRequestError,
    InvokeConnectionError,
    InvokeRateLimitError,
    InvokeServerUnavailableError,
)
from backends.service.models import ServiceModels
from backends.service.routes import copilot, manage, openai
from backends.service.security import Guard
from backends.wire import BadRequest
from backends.workers import Workers

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

log = logging.getLogger(__name__)

STATUS: dict[type[FlexAIError], int] = {
    InvokeBadRequestError: 400,
    InvokeAuthorizationError: 401,
    InvokeRateLimitError: 429,
    InvokeServerUnavailableError: 503,
    InvokeConnectionError: 502,
}


def create_app(token: str, hosts: frozenset[str], version: str, *, warm: bool = True) -> FastAPI:
    """Return the application.

    token: what callers must bring. hosts: names the Host header may carry. warm: load the embedder
    in the background once the service listens.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        async with Workers() as workers:
            app.state.models = ServiceModels(Catalog(), workers)
            app.state.version = version
            warming = (
                asyncio.create_task(warm_up(app.state.models), name="warm the embedder") if warm else None
            )
            try:
                yield
            finally:
                if warming is not None:
                    warming.cancel()
                    with suppress(asyncio.CancelledError):
                        await warming

    app = FastAPI(title="Deskpilot", version=version, lifespan=lifespan, docs_url=None, redoc_url=None)
    app.include_router(copilot.router)
    app.include_router(openai.router)
    app.include_router(manage.router)
    app.add_exception_handler(BadRequest, on_bad_request)
    app.add_exception_handler(NoModel, on_no_model)
    app.add_exception_handler(FlexAIError, on_model_error)
    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_middleware(Guard, token=token, hosts=hosts)
    return app


async def warm_up(models: ServiceModels) -> None:
    """Load the embedder; one that cannot be loaded is told when it is needed."""
    try:
        await models.warm()
    except FlexAIError as error:
        log.info("the embedder could not be loaded: %s", error)


def problem(status: int, text: str, remedy: str, kind: str) -> JSONResponse:
    """Return an error in OpenAI's shape."""
    message = f"{text} {remedy}".strip()
    return JSONResponse({"error": {"message": message, "type": kind, "code": status}}, status_code=status)


async def on_bad_request(_: Request, error: Exception) -> JSONResponse:
    """A query that is not one: 422, in FastAPI's shape, which copilot clients read."""
    assert isinstance(error, BadRequest)
    return JSONResponse({"detail": [{"msg": error.text, "remedy": error.remedy, "loc": ["body"]}]}, 422)


async def on_no_model(_: Request, error: Exception) -> JSONResponse:
    """A model that is not on this machine."""
    assert isinstance(error, NoModel)
    return problem(404, error.text, error.remedy, "model_not_found")


async def on_model_error(_: Request, error: Exception) -> JSONResponse:
    """An error of a model, by its kind."""
    assert isinstance(error, FlexAIError)
    status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 500)
    return problem(status, error.text, error.remedy, type(error).__name__)


async def on_invalid(_: Request, error: Exception) -> JSONResponse:
    """A body that does not fit the route."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return problem(422, f"{place}: {first['msg']}", "", "invalid_request_error")
