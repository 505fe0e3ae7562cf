"""Fetch data from a widget backend, with limits on origin, size and time, and subscribe to
changes.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidURI, WebSocketException

from app.domain.errors import BackendElsewhere, BackendError, BackendRefused, ToolError
from app.openbb.content import Access, Reply
from app.tools.web import checked_client, origin_of, places_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


def check_origin(url: str, access: Access) -> None:
    """Check that the user has added the server that an address belongs to.

    Raises: BackendError.
    """
    if not origin_of(url):
        raise BackendError(
            f"{url[:200]} is not a web address.", "Write it like http://127.0.0.1:7779."
        )
    if origin_of(url) not in {origin_of(access.url), *access.origins}:
        raise BackendElsewhere(
            f"{host_of(access.url)} points to another server, {origin_of(url) or url[:80]}. No "
            "request was sent to it.",
            "Allow it in the widget if you trust that server.",
            origin=origin_of(url) or "",
        )


def host_of(url: str) -> str:
    """Return the host and port of an address, in the form that is displayed."""
    return urlsplit(url).netloc.rpartition("@")[2] or url[:80]


MESSAGE_BYTES, WAITING = 1024 * 1024, 16
# because a server that does not answer the close handshake must not delay us
OPEN_SECONDS, CLOSE_SECONDS = 10.0, 0.3
HTTP = {"ws": "http", "wss": "https"}


class Straight(connect):
    """A connection that follows no redirects, because redirects could send our headers
    elsewhere.
    """

    def process_redirect(self, exc: Exception) -> Exception | str:
        """Treat a redirect as a failure."""
        return exc


async def changes(
    access: Access, endpoint: str, hello: dict[str, Any]
) -> AsyncGenerator[list[dict[str, Any]], None]:
    """Send a greeting, then yield changed rows for as long as the connection lasts.

    Raises: BackendError.
    """
    url = http_address(access.url, endpoint)
    check_origin(url, access)
    ours = origin_of(url) == origin_of(access.url)
    full = str(httpx.URL(url).copy_merge_params(access.query if ours else {}))
    where = full.replace("http", "ws", 1)
    read = httpx.URL(full)
    port = read.port or {"http": 80, "https": 443}[read.scheme]
    try:
        place = (await places_of(read.host, port))[0]
    except ToolError as error:
        raise BackendError(error.text, error.remedy) from error
    try:
        async with Straight(
            where,
            host=place,
            port=port,
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
            f"{host_of(url)} is not reporting changes now.",
            "Deskpilot keeps trying; the latest data received is shown.",
        ) from error


def http_address(base: str, endpoint: str) -> str:
    """Return a WebSocket address as an HTTP address, for comparing origins."""
    scheme, sign, rest = endpoint.partition("://")
    if sign:
        return f"{HTTP.get(scheme.lower(), scheme)}://{rest}"
    return urljoin(base.rstrip("/") + "/", endpoint.lstrip("/"))


def rows_of(message: str | bytes) -> list[dict[str, Any]]:
    """Return the rows in a message; empty if it contains none."""
    try:
        told = json.loads(message, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return []
    return [row for row in (told if isinstance(told, list) else [told]) if isinstance(row, dict)]


REPLY_BYTES, REPLY_SECONDS, CONNECT_SECONDS = 32 * 1024 * 1024, 60.0, 10.0
REDIRECTS = 3


class HttpBackends:
    """Fetches data over HTTP."""

    def __init__(self, limit: int = REPLY_BYTES, seconds: float = REPLY_SECONDS) -> None:
        self._client = checked_client(httpx.Timeout(seconds, connect=CONNECT_SECONDS))
        self._limit, self._seconds = limit, seconds

    async def fetch(
        self,
        access: Access,
        endpoint: str,
        query: dict[str, str],
        body: dict[str, Any] | None = None,
    ) -> Reply:
        """Return an endpoint's response; if there is a body, the request is a POST request.

        Raises: BackendError.
        """
        url = urljoin(
            access.url.rstrip("/") + "/", endpoint if "://" in endpoint else endpoint.lstrip("/")
        )
        try:
            async with asyncio.timeout(self._seconds):
                for _ in range(REDIRECTS + 1):
                    check_origin(url, access)
                    answer = await self._sent(access, url, query, body)
                    if isinstance(answer, Reply):
                        return answer
                    url = urljoin(url, answer)
        except TimeoutError as error:
            raise BackendError(f"{host_of(url)} takes too long.", "Try again later.") from error
        except httpx.TimeoutException as error:
            raise BackendError(f"{host_of(url)} takes too long.", "Try again later.") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise BackendError(
                f"{host_of(url)} cannot be reached.", "Check that it runs, and the network."
            ) from error
        raise BackendError(f"{host_of(url)} redirects too many times.", "Ask its maker.")

    def changes(
        self, access: Access, endpoint: str, hello: dict[str, Any]
    ) -> AsyncGenerator[list[dict[str, Any]], None]:
        """Yield changed rows as they are received over a WebSocket.

        Raises: BackendError.
        """

        return changes(access, endpoint, hello)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def _sent(
        self, access: Access, url: str, query: dict[str, str], body: dict[str, Any] | None
    ) -> Reply | str:
        """Return the reply, or the address of a redirect. A request that changes nothing is
        repeated once if its connection closes without a response, because servers close idle
        connections.
        """
        try:
            return await self._once(access, url, query, body)
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
            if body is not None:
                raise
            return await self._once(access, url, query, body)

    async def _once(
        self, access: Access, url: str, query: dict[str, str], body: dict[str, Any] | None
    ) -> Reply | str:
        """Return the reply, or the address of a redirect."""
        ours = origin_of(url) == origin_of(access.url)  # secrets are not sent to any other server
        request = self._client.build_request(
            "GET" if body is None else "POST",
            httpx.URL(url).copy_merge_params((access.query if ours else {}) | query),
            headers=access.headers if ours else {},
            json=body,
        )
        answer = await self._client.send(request, stream=True)
        try:
            if answer.has_redirect_location:
                return str(answer.headers["location"])
            content = await self._read(answer)
        finally:
            await answer.aclose()
        if answer.status_code != 200:
            raise refusal(url, answer.status_code, content)
        return Reply(
            url, answer.headers.get("content-type", "").partition(";")[0].strip().lower(), content
        )

    async def _read(self, answer: httpx.Response) -> bytes:
        made = bytearray()
        async for piece in answer.aiter_bytes():
            made += piece
            if len(made) > self._limit:
                raise BackendError(
                    f"The answer from {answer.url.host} is larger than {self._limit // 1024**2} MB;"
                    " it was not read.",
                    "Ask for less with the widget's parameters.",
                )
        return bytes(made)


EMPTY = (204, 205)  # status codes of responses that have no content but are not errors
SAYS = ("detail", "message", "error")  # keys under which backends report what went wrong


def refusal(url: str, status: int, body: bytes) -> BackendError:
    """Return the error for a failed response, with the response's text and a remedy."""
    if status in (401, 403):
        return BackendRefused(
            f"{host_of(url)} refused access (error {status}).",
            "Check the headers and keys of this backend.",
            status=status,
        )
    if status in EMPTY:
        return BackendRefused(
            f"{host_of(url)} has no data for these parameters.",
            "Change the parameters.",
            status=status,
        )
    said = detail_of(body)
    return BackendRefused(
        f"{host_of(url)} returned error {status}{': ' + said if said else ''}.",
        "Change the parameters, or try again." if status < 500 else "Try again later.",
        status=status,
    )


def detail_of(body: bytes) -> str:
    """Return an error's message, shortened to a few words."""
    try:
        value = json.loads(body[:100_000])
    except (ValueError, RecursionError):
        return ""
    told = value if isinstance(value, dict) else {}
    detail = next((told[key] for key in SAYS if told.get(key)), None)
    if isinstance(detail, dict):  # {"error": {"code": 7, "message": "…"}}
        detail = next((detail[key] for key in SAYS if detail.get(key)), None)
    if isinstance(detail, list):
        detail = "; ".join(fault_of(one) for one in detail if isinstance(one, dict))
    return " ".join(str(detail or "").split())[:200].rstrip(".")


def fault_of(told: dict[str, Any]) -> str:
    """Return, from an entry in a FastAPI error, the name of a parameter and what is wrong
    with it.
    """
    where, said = told.get("loc"), str(told.get("msg") or "wrong value")
    name = where[-1] if isinstance(where, list) and len(where) > 1 else ""
    return f"{name}: {said}" if name else said
