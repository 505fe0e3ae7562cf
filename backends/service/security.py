"""Who may ask: a bearer token on every route but /healthz, and only under names we answer to."""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING

from backends.trace import HEADER, NOW, is_id, noted

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Guard:
    """ASGI middleware. hosts: names the Host header may carry, ports aside (against DNS rebinding).

    origins: web pages that may ask from a browser, such as http://localhost:3000; the token they
    bring all the same.
    """

    def __init__(
        self,
        app: ASGIApp,
        token: str,
        hosts: frozenset[str],
        origins: frozenset[str] = frozenset(),
    ) -> None:
        self._app = app
        self._token = token.encode()
        self._hosts = hosts
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 403 or 401."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name.lower(): value for name, value in scope["headers"]}
        origin = headers.get(b"origin", b"").decode("latin-1")
        if origin in self._origins:
            send = allowing(origin, send)
        if self._host(headers.get(b"host", b"")) not in self._hosts:
            await refuse(scope, send, 403, "This service does not answer under that name.")
        elif is_preflight(scope, headers):  # a browser asks without a token whether it may ask
            status = 204 if origin in self._origins else 403
            await answer_preflight(send, status, headers)
        elif scope["path"] != "/healthz" and not self._knows(headers.get(b"authorization", b"")):
            await refuse(scope, send, 401, "The token is missing or wrong.")
        else:
            await traced(
                self._app, scope, receive, send, headers.get(HEADER.encode(), b"").decode("latin-1")
            )

    def _knows(self, authorization: bytes) -> bool:
        kind, _, given = authorization.partition(b" ")
        return kind.lower() == b"bearer" and secrets.compare_digest(given.strip(), self._token)

    @staticmethod
    def _host(value: bytes) -> str:
        host = value.decode("latin-1").strip().lower()
        if host.startswith("["):
            return host.partition("]")[0] + "]"
        return host.rpartition(":")[0] if ":" in host else host


def is_preflight(scope: Scope, headers: dict[bytes, bytes]) -> bool:
    """Tell whether a browser asks what a page of another origin may do."""
    return scope.get("method") == "OPTIONS" and b"access-control-request-method" in headers


async def answer_preflight(send: Send, status: int, headers: dict[bytes, bytes]) -> None:
    """Answer what a page may do: nothing, or whatever it wants, with the token it will bring."""
    wanted = headers.get(b"access-control-request-headers", b"authorization, content-type")
    told = [
        (b"access-control-allow-methods", b"GET, POST, PUT, DELETE"),
        (b"access-control-allow-headers", wanted),
        (b"access-control-max-age", b"600"),
    ]
    head = [*(told if status == 204 else []), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": b""})


def allowing(origin: str, send: Send) -> Send:
    """Return what sends an answer that a page of an origin may read."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            more = [
                (b"access-control-allow-origin", origin.encode("latin-1")),
                (b"vary", b"Origin"),
            ]
            message = {**message, "headers": [*message.get("headers", []), *more]}
        await send(message)

    return sent


async def traced(app: ASGIApp, scope: Scope, receive: Receive, send: Send, given: str) -> None:
    """Pass a request on under the id it came with, and note how it ended; one without an id leaves
    no note.
    """
    if not is_id(given):
        await app(scope, receive, send)
        return
    NOW.set(given)
    with noted("service", scope["path"]):
        await app(scope, receive, send)


async def refuse(scope: Scope, send: Send, status: int, text: str) -> None:
    """Answer with an error in the shape of the other routes; a live stream is not opened (403)."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": text})
        return
    body = json.dumps(
        {"error": {"message": text, "type": "authorization", "code": status}}
    ).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
