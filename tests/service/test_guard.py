"""Who may ask the service what: every route, every way, without the token and under other names."""

from __future__ import annotations

import asyncio
import re
import warnings
from functools import cache
from typing import Any

import pytest

from backends.service.app import create_app

TOKEN = "right-token"
HOSTS = frozenset({"127.0.0.1", "localhost"})
WRONG = [
    [],
    [(b"authorization", b"Bearer wrong-token")],
    [(b"authorization", b"Bearer ")],
    [(b"authorization", b"Basic right-token")],
    [(b"authorization", TOKEN.encode())],
    [(b"x-api-key", TOKEN.encode())],
    [(b"cookie", b"token=right-token")],
]
NAMES = [
    *("evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example:80", ""),
    *("127.0.0.1@evil.example", "evil.example#127.0.0.1", "[::1]", "0.0.0.0", "2130706433"),
]


def application() -> Any:
    return create_app(TOKEN, HOSTS, "0", warm=False)


@cache
def routes() -> list[tuple[str, str, str]]:
    """Return each route as its kind, method and path, with parameters filled in."""
    found = [("websocket", "GET", "/v1/audio/stream"), ("http", "GET", "/openapi.json")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one function on two paths has one name in its schema
        paths = application().openapi()["paths"]
    for path, methods in paths.items():
        found += [("http", one.upper(), re.sub(r"{[^}]*}", "x", path)) for one in methods]
    return found


async def answer(
    app: Any, kind: str, method: str, path: str, headers: list[tuple[bytes, bytes]]
) -> int:
    """Return the status of a request; of a socket that is closed before it is open, 403."""
    statuses: list[int] = []

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])
        if message["type"] == "websocket.close":
            statuses.append(403)
        assert message["type"] != "websocket.accept"

    async def receive() -> Any:
        return {"type": "http.request", "body": b"{}", "more_body": False}

    scope = {
        "type": kind,
        "asgi": {"version": "3.0"},
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": f"token={TOKEN}&access_token={TOKEN}".encode(),
        "headers": headers,
        "server": ("127.0.0.1", 80),
        "client": ("127.0.0.1", 1),
        "scheme": "ws" if kind == "websocket" else "http",
        "root_path": "",
        "subprotocols": [],
    }
    async with asyncio.timeout(10):
        await app(scope, receive, send)
    return statuses[0]


def test_there_are_routes_to_look_at() -> None:
    paths = {path for _, _, path in routes()}
    assert len(paths) > 20
    assert {"/healthz", "/v1/query", "/v1/chat/completions", "/v1/models"} <= paths


async def test_no_route_but_health_answers_without_the_token() -> None:
    app = application()
    for kind, method, path in routes():
        for headers in WRONG if path != "/healthz" else []:
            status = await answer(app, kind, method, path, [(b"host", b"localhost"), *headers])
            assert status in {401, 403}, (method, path, headers, status)


@pytest.mark.parametrize("name", NAMES)
async def test_no_route_answers_under_another_name_even_with_the_token(name: str) -> None:
    app = application()
    headers = [(b"host", name.encode()), (b"authorization", f"Bearer {TOKEN}".encode())]
    for kind, method, path in routes():
        assert await answer(app, kind, method, path, headers) == 403, (name, method, path)


async def test_no_page_of_the_web_may_ask() -> None:
    app = application()
    ask = [
        (b"host", b"localhost"),
        (b"origin", b"http://evil.example"),
        (b"access-control-request-method", b"POST"),
        (b"access-control-request-headers", b"authorization"),
    ]
    for kind, _, path in routes():
        if kind == "http":
            assert await answer(app, "http", "OPTIONS", path, ask) == 403, path
