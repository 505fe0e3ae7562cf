"""The gateway as one web application."""

from __future__ import annotations

import hmac
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse

from app.adapters.gateway.assistants import routes, token_of
from app.adapters.gateway.mcp import data_server
from app.domain.errors import DeskpilotError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from starlette.responses import Response

    from app.services.deskpilot import Deskpilot


def gateway(deskpilot: Deskpilot, *, token: str, with_data: bool, host: str) -> FastAPI:
    """Return the application. token: opens our data; each assistant has one of its own. with_data:
    serve /mcp, too.
    """
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
