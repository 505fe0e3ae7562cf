"""The LMC endpoint: a list of messages is posted, chunks come back, one JSON a line.

    POST /   {"messages": […]}  →  200 application/x-ndjson
    GET  /heartbeat             →  {"status": "alive"}, without the token

Everything else in the body is left unread: nobody switches the consent off from outside. The token
is asked for as `Authorization: Bearer` or `X-API-KEY`. Who hangs up stops the copilot and the code.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from app.services.conversation.dialogue import failure

MOST_BYTES = 64 * 1024 * 1024
Answer = Callable[[object], AsyncGenerator[dict[str, Any], None]]


def lmc_app(answer: Answer, token: str, hosts: frozenset[str]) -> FastAPI:
    """Return the endpoint. answer: yields the chunks of an answer to messages. hosts: names it
    answers under.
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
    """Return why a request is not answered; None if it is. token: none where it is not asked
    for.
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
    """Yield the chunks of an answer, a line each."""
    try:
        value: Any = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        for told in failure('The body is no JSON object. Send {"messages": […]}.'):
            yield line(told)
        return
    async with aclosing(answer(value.get("messages"))) as chunks:
        async for chunk in chunks:
            yield line(chunk)


def line(chunk: dict[str, Any]) -> bytes:
    """Return a chunk as a line."""
    return json.dumps(chunk, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
