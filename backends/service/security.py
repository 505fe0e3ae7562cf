"""Authentication: a bearer token on every route except /healthz, and a check of the Host header."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from backends.service.access import CALLER, AccessError, Busy
from backends.trace import HEADER, NOW, is_id, noted

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from backends.service.access import ServiceCaller, ServiceCallers

LOOK_SECONDS = 0.5  # seconds between checks whether the token of a running request has been revoked
FOR_THE_OWNER = ("/v1/manage", "/metrics")  # routes that named tokens are not allowed to use
REVOKED = "The token was revoked or has expired."


class RequestGuard:
    """ASGI middleware that authenticates requests. hosts: the allowed names in the Host header,
    ignoring ports (against DNS rebinding).

    origins: the web pages that are allowed to send requests from a browser, such as
    http://localhost:3000. They also need a token.
    """

    def __init__(
        self,
        app: ASGIApp,
        callers: ServiceCallers,
        hosts: frozenset[str],
        origins: frozenset[str] = frozenset(),
    ) -> None:
        self._app = app
        self._callers = callers
        self._hosts = hosts
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or respond with 403 or 401."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name.lower(): value for name, value in scope["headers"]}
        origin = headers.get(b"origin", b"").decode("latin-1")
        if origin in self._origins:
            send = allowing(origin, send)
        if self._host(headers.get(b"host", b"")) not in self._hosts:
            await refuse(scope, send, 403, "This service does not accept requests under that name.")
        # a browser's request for permission to send another request carries no token
        elif is_preflight(scope, headers):
            status = 204 if origin in self._origins else 403
            await answer_preflight(send, status, headers)
        elif scope["path"] == "/healthz":
            await self._app(scope, receive, send)
        else:
            await self._ask_who(scope, receive, send, headers)

    async def _ask_who(
        self, scope: Scope, receive: Receive, send: Send, headers: dict[bytes, bytes]
    ) -> None:
        try:
            caller = self._caller(headers.get(b"authorization", b""))
        except AccessError as error:
            await refuse(scope, send, 500, f"{error.text} {error.remedy}")
            return
        if caller is None:
            await refuse(scope, send, 401, "The token is missing or wrong.")
            return
        if caller.told is not None and scope["path"].startswith(FOR_THE_OWNER):
            await refuse(scope, send, 403, "This request requires the service's own token.")
            return
        counted = scope["type"] == "websocket" or scope["method"] == "POST"
        try:
            if counted:
                caller.begin()
        except Busy as busy:
            await refuse(scope, send, 429, str(busy), busy.retry_after)
            return
        CALLER.set(caller)
        trace = trace_of(headers)
        try:
            if caller.told is None:
                await traced(self._app, scope, receive, send, trace)
            else:
                await self._watched(caller, scope, receive, send, trace)
        finally:
            if counted:
                caller.end()

    def _caller(self, authorization: bytes) -> ServiceCaller | None:
        kind, _, given = authorization.partition(b" ")
        return self._callers.find(given.strip()) if kind.lower() == b"bearer" else None

    async def _watched(
        self, caller: ServiceCaller, scope: Scope, receive: Receive, send: Send, trace: str
    ) -> None:
        """Serve a caller with a named token, and stop the answer if the token is revoked."""
        answer = GuardedAnswer(send)
        serving = asyncio.create_task(
            traced(self._app, scope, receive, answer, trace), name="answer a named token"
        )
        try:
            while not serving.done():
                await asyncio.wait((serving,), timeout=LOOK_SECONDS)
                if not serving.done() and not self._may_go_on(caller):
                    serving.cancel()
                    await asyncio.wait((serving,))
                    await answer.end(scope, REVOKED)
                    return
            await serving
        finally:
            if not serving.done():
                serving.cancel()
                await asyncio.wait((serving,))

    def _may_go_on(self, caller: ServiceCaller) -> bool:
        try:
            return self._callers.knows(caller)
        except AccessError:
            return False

    @staticmethod
    def _host(value: bytes) -> str:
        host = value.decode("latin-1").strip().lower()
        if host.startswith("["):
            return host.partition("]")[0] + "]"
        return host.rpartition(":")[0] if ":" in host else host


class GuardedAnswer:
    """Passes an answer on, and records how much of it was sent."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = False
        self._events = False

    async def __call__(self, message: Message) -> None:
        """Send a part of the answer."""
        if message["type"] in ("http.response.start", "websocket.accept"):
            self._begun = True
            kind = dict(message.get("headers", [])).get(b"content-type", b"")
            self._events = kind.startswith(b"text/event-stream")
        await self._send(message)

    async def end(self, scope: Scope, text: str) -> None:
        """End the answer early, with the reason if it can still be sent. Otherwise, the connection
        is closed.
        """
        if not self._begun or scope["type"] == "websocket":
            await refuse(scope, self._send, 401, text)
        elif self._events:
            last = b"data: " + error_body(401, text) + b"\n\n"
            await self._send({"type": "http.response.body", "body": last})


def is_preflight(scope: Scope, headers: dict[bytes, bytes]) -> bool:
    """Return whether a request is a CORS preflight for a page of another origin."""
    return scope.get("method") == "OPTIONS" and b"access-control-request-method" in headers


async def answer_preflight(send: Send, status: int, headers: dict[bytes, bytes]) -> None:
    """Answer a CORS preflight: a listed origin is allowed to send requests with its token, and any
    other is not.
    """
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
    """Return a wrapper that adds the CORS headers for an allowed origin."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            more = [
                (b"access-control-allow-origin", origin.encode("latin-1")),
                (b"vary", b"Origin"),
            ]
            message = {**message, "headers": [*message.get("headers", []), *more]}
        await send(message)

    return sent


def trace_of(headers: dict[bytes, bytes]) -> str:
    """Return the id that a request carries: ours, or the trace id in a W3C `traceparent` header."""
    own = headers.get(HEADER.encode(), b"")
    parts = headers.get(b"traceparent", b"").split(b"-")
    return (own or (parts[1] if len(parts) == 4 else b"")).decode("latin-1")


async def traced(app: ASGIApp, scope: Scope, receive: Receive, send: Send, given: str) -> None:
    """Pass on a request under its id, and record how it ended. Requests without an id are not
    recorded.
    """
    if not is_id(given):
        await app(scope, receive, send)
        return
    NOW.set(given)
    with noted("service", scope["path"]):
        await app(scope, receive, send)


def error_body(status: int, text: str) -> bytes:
    """Return an error in the format of the other routes."""
    kind = "rate_limit_exceeded" if status == 429 else "authorization"
    return json.dumps({"error": {"message": text, "type": kind, "code": status}}).encode()


async def refuse(
    scope: Scope, send: Send, status: int, text: str, retry_after: float | None = None
) -> None:
    """Answer with an error in the format of the other routes. A live stream is refused with 403."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": text})
        return
    body = error_body(status, text)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if retry_after is not None:
        headers.append((b"retry-after", str(round(retry_after)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
