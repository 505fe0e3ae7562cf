"""The gateway as a single web application."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from app.adapters.gateway.assistants import routes, token_of
from app.adapters.gateway.mcp import data_server
from app.domain.errors import DeskpilotError
from app.services.dialogue import failure

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from starlette.responses import Response

    from app.services.deskpilot import Deskpilot


def gateway(deskpilot: Deskpilot, *, token: str, with_data: bool, host: str) -> FastAPI:
    """Return the application. token: gives access to our data; each assistant has a token of its
    own. with_data: whether to serve /mcp as well.
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
        """Refuse a request that does not contain the token.

        The path is taken from the routes, because the URL is built from a header that the caller
        controls.
        """
        if request.scope["path"].startswith("/mcp") and not hmac.compare_digest(
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
        """Report that the gateway is running."""
        return {"status": "ok"}

    app.include_router(routes(deskpilot))
    if server is not None:
        app.router.routes.extend(server.routes)
    return app


MOST_BYTES = 64 * 1024 * 1024
Answer = Callable[[object], AsyncGenerator[dict[str, Any], None]]


def lmc_app(answer: Answer, token: str, hosts: frozenset[str]) -> FastAPI:
    """Return the endpoint. answer: a function that yields the chunks of an answer to messages.
    hosts: the host names that the endpoint responds to.
    """
    app = FastAPI(openapi_url=None)

    @app.get("/heartbeat")
    async def heartbeat(request: Request) -> Response:
        return refusal(request, None, hosts) or JSONResponse({"status": "alive"})

    @app.post("/")
    async def chat(request: Request) -> Response:
        if (refused := refusal(request, token, hosts)) is not None:
            return refused
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > MOST_BYTES:
                return JSONResponse({"error": f"More than {MOST_BYTES} bytes."}, 413)
        return StreamingResponse(lines(answer, body), media_type="application/x-ndjson")

    return app


def refusal(request: Request, token: str | None, hosts: frozenset[str]) -> Response | None:
    """Return the response that refuses a request; None if the request may be answered. token: None
    if no token is required.
    """
    host = request.headers.get("host", "").lower()
    name = host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]
    if name not in hosts:
        return JSONResponse({"error": "This gateway does not answer under that name."}, 403)
    given = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
    given = given or request.headers.get("x-api-key", "")
    if token is not None and not secrets.compare_digest(given.encode(), token.encode()):
        return JSONResponse({"error": "The token is missing or wrong."}, 401)
    return None


async def lines(answer: Answer, body: bytes) -> AsyncGenerator[bytes, None]:
    """Yield the chunks of an answer, one per line."""
    try:
        value: Any = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        for told in failure('The body is not a JSON object. Send {"messages": […]}.'):
            yield line(told)
        return
    async with aclosing(answer(value.get("messages"))) as chunks:
        async for chunk in chunks:
            yield line(chunk)


def line(chunk: dict[str, Any]) -> bytes:
    """Return a chunk as a line."""
    return json.dumps(chunk, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
