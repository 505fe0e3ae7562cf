"""Hear what changes in a widget over a WebSocket: only from where the person said, never more than a megabyte at once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidURI, WebSocketException

from app.adapters.widgets.origins import check_origin, host_of
from app.domain.errors import BackendError
from app.tools.web.addresses import origin_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.domain.widget_content import Access

MESSAGE_BYTES, WAITING = 1024 * 1024, 16
OPEN_SECONDS, CLOSE_SECONDS = 10.0, 0.3  # who does not answer a farewell holds nobody up
HTTP = {"ws": "http", "wss": "https"}


class Straight(connect):
    """A connection that follows no redirect: it might lead elsewhere, with our headers."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        """Take a redirect as the failure it is."""
        return exc


async def changes(
    access: Access, endpoint: str, hello: dict[str, Any]
) -> AsyncGenerator[list[dict[str, Any]], None]:
    """Say hello, then yield the rows that are told, as long as the other side talks.

    Raises: BackendError.
    """
    url = http_address(access.url, endpoint)
    check_origin(url, access)
    ours = origin_of(url) == origin_of(access.url)
    full = str(httpx.URL(url).copy_merge_params(access.query if ours else {}))
    where = full.replace("http", "ws", 1)
    try:
        async with Straight(
            where,
            additional_headers=access.headers if ours else {},
            proxy=None,
            max_size=MESSAGE_BYTES,
            max_queue=WAITING,
            open_timeout=OPEN_SECONDS,
            close_timeout=CLOSE_SECONDS,
        ) as socket:
            await socket.send(json.dumps(hello))
            async for message in socket:
                rows = rows_of(message)
                if rows:
                    yield rows
    except (WebSocketException, OSError, TimeoutError, InvalidURI) as error:
        raise BackendError(
            f"{host_of(url)} tells no changes now.",
            "It is tried again; what is shown is the last that came.",
        ) from error


def http_address(base: str, endpoint: str) -> str:
    """Return where a socket is as an HTTP address, by which origins are compared."""
    scheme, sign, rest = endpoint.partition("://")
    if sign:
        return f"{HTTP.get(scheme.lower(), scheme)}://{rest}"
    return urljoin(base.rstrip("/") + "/", endpoint.lstrip("/"))


def rows_of(message: str | bytes) -> list[dict[str, Any]]:
    """Return the rows of a message; none of what is no JSON, or no row."""
    try:
        told = json.loads(message, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return []
    return [row for row in (told if isinstance(told, list) else [told]) if isinstance(row, dict)]
