"""The gateway as one web application, and where it listens."""

from __future__ import annotations

import hmac
import json
import os
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

import psutil
from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse

from app.adapters.gateway.assistants import routes, token_of
from app.adapters.gateway.mcp import data_server
from app.domain.errors import DeskpilotError
from backends.paths import gateway_file

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Generator

    from starlette.responses import Response

    from app.services.deskpilot import Deskpilot


@contextmanager
def told_to_others(address: str) -> Generator[None]:
    """Let others on this machine find the gateway while the block runs."""
    path, made = gateway_file(), {"url": address, "pid": os.getpid()}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(made), "utf-8")
    try:
        yield
    finally:
        if read() == made:  # another one may have begun since
            path.unlink(missing_ok=True)


def gateway_address() -> str:
    """Return where a gateway listens; nothing if none does, though one that was killed left its file."""
    found = read()
    pid, url = found.get("pid"), found.get("url")
    alive = isinstance(pid, int) and psutil.pid_exists(pid)
    return url if alive and isinstance(url, str) else ""


def read() -> dict[str, Any]:
    """Return what the file says; nothing where it says nothing."""
    try:
        found = json.loads(gateway_file().read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def gateway(deskpilot: Deskpilot, *, token: str, with_data: bool, host: str) -> FastAPI:
    """Return the application. token: opens our data; each assistant has one of its own. with_data: serve /mcp, too."""
    data = data_server(deskpilot.widgets, deskpilot.documents)
    server = data.streamable_http_app(host=host) if with_data else None

    @asynccontextmanager
    async def living(_: FastAPI) -> AsyncGenerator[None]:
        if server is None:
            yield
            return
        async with server.router.lifespan_context(server):
            yield

    app = FastAPI(title="Deskpilot gateway", lifespan=living, openapi_url=None)

    @app.middleware("http")
    async def guard(request: Request, go_on: Callable[[Request], Awaitable[Response]]) -> Response:
        """Let nobody at our data who does not know the token."""
        if request.url.path.startswith("/mcp") and not hmac.compare_digest(
            token_of(request).encode(), token.encode()
        ):
            return JSONResponse({"error": "Send the gateway's token: Authorization: Bearer …"}, 401)
        return await go_on(request)

    @app.exception_handler(HTTPException)
    async def told(_: Request, error: HTTPException) -> JSONResponse:
        return JSONResponse(error.detail, error.status_code)

    @app.exception_handler(DeskpilotError)
    async def failed(_: Request, error: DeskpilotError) -> JSONResponse:
        return JSONResponse(
            {"error": {"message": str(error), "type": "server_error", "code": None}}, 503
        )

    @app.get("/healthz")
    async def healthz() -> dict[str, Any]:
        """Say that we are here."""
        return {"status": "ok"}

    app.include_router(routes(deskpilot))
    if server is not None:
        app.router.routes.extend(server.routes)
    return app
