"""The only HTTP client for the web, and the certificates that it trusts."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Literal
from urllib.parse import urljoin, urlsplit

import httpcore
import httpx

from app.domain.errors import ToolError


@cache
def authorities() -> ssl.SSLContext:
    """Return the SSL context for connections to other machines, which trusts the certificate
    authorities shipped with httpx.
    """
    return httpx.create_ssl_context(trust_env=False)


@cache
def nobody() -> ssl.SSLContext:
    """Return an SSL context that trusts no certificate authority. It is used for this machine's
    service, whose connections are not encrypted.
    """
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


Kind = Literal["public", "loopback", "private", "never"]
Resolve = Callable[[str, int], Awaitable[list[str]]]
NAT64 = ipaddress.ip_network("64:ff9b::/96")
RESOLVE_SECONDS = 5.0


def kind_of(address: str) -> Kind:
    """Return the kind of an IP address: public, private, loopback and so on. For an IPv4 address
    embedded in an IPv6 address, return the kind of the embedded address.
    """
    try:
        read = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "never"
    if isinstance(read, ipaddress.IPv6Address):
        inner = read.ipv4_mapped or read.sixtofour
        if inner is None and read in NAT64:
            inner = ipaddress.IPv4Address(int(read) & 0xFFFFFFFF)
        if inner is not None:
            return kind_of(str(inner))
        if read.teredo is not None:
            return "never"
    if read.is_link_local or read.is_multicast or read.is_unspecified:
        return "never"  # includes the addresses at which cloud machines can read their secrets
    if read.is_loopback:
        return "loopback"
    return "public" if read.is_global and not read.is_reserved else "private"


async def resolve(host: str, port: int) -> list[str]:
    """Return the IP addresses of a host.

    Raises: ToolError.
    """
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(RESOLVE_SECONDS):
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError, TimeoutError) as error:
        raise ToolError(
            f"{host} cannot be found.", "Check the address, and the network."
        ) from error
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def is_named_here(host: str) -> bool:
    """Return whether a host name by itself may refer to this machine, because it is an IP address,
    has no dot, or is below localhost.
    """
    name = host.rstrip(".").lower()
    return "." not in name or ":" in name or name.endswith(".localhost") or kind_of(name) != "never"


async def places_of(host: str, port: int) -> list[str]:
    """Return the addresses at which Deskpilot is allowed to contact a host. A web name that
    resolves to this machine, or to the address at which cloud machines can read their secrets, is
    refused (DNS rebinding).

    Raises: ToolError.
    """
    found = await resolve(host, port)
    if is_named_here(host):
        return found
    fit = [one for one in found if kind_of(one) in ("public", "private")]
    if not fit:
        raise ToolError(
            f"{host} leads to this machine. No request was sent.",
            "If this is intended, write the address as 127.0.0.1 or localhost.",
        )
    return fit


class CheckedBackend(httpcore.AsyncNetworkBackend):
    """Connects to a checked address, so that the name cannot be redirected in the meantime."""

    def __init__(self) -> None:
        self._way: Any = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address that answers.

        Raises: httpcore.ConnectError and its subclasses.
        """
        try:
            places = await places_of(host, port)
        except ToolError as error:
            raise httpcore.ConnectError(str(error)) from error
        failed: Exception = httpcore.ConnectError(f"{host} does not respond.")
        for place in places:
            try:
                return await self._way.connect_tcp(
                    place, port, timeout, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failed = error
        raise failed


def checked_client(timeout: httpx.Timeout | None = None) -> httpx.AsyncClient:
    """Return a client for servers that a user added by name."""
    transport = httpx.AsyncHTTPTransport(verify=authorities(), trust_env=False)
    # httpx does not accept a network backend, but httpcore, which it uses, does.
    transport._pool._network_backend = CheckedBackend()  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]
    return httpx.AsyncClient(transport=transport, trust_env=False, timeout=timeout or 5.0)


def origin_of(url: str) -> str:
    """Return the scheme, host and port of an address, or an empty string if it is invalid or
    contains a user name.

    A non-ASCII host is returned in its encoded form (xn--…), which reveals look-alike letters.
    """
    try:
        split, read = urlsplit(url), httpx.URL(url)
        port = split.port or {"http": 80, "https": 443}.get(split.scheme)
    except (httpx.InvalidURL, ValueError):
        return ""
    ascii_host = read.raw_host.decode("ascii")
    alike = split.hostname in (read.host, ascii_host) and "@" not in split.netloc
    known = split.scheme in ("http", "https") and split.hostname and alike
    host = f"[{ascii_host}]" if ":" in ascii_host else ascii_host
    return f"{split.scheme}://{host}:{port}" if known else ""


REDIRECTS = 3
CONNECT_SECONDS = 5.0


@dataclass(frozen=True)
class WebRequest:
    """A request. secret: headers that are sent only to the origin of `url`."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    secret: Mapping[str, str] = field(default_factory=dict[str, str])
    content: bytes | None = None


@dataclass(frozen=True)
class WebResponse:
    """A response. whole: whether the body was read to its end."""

    url: str
    status: int
    headers: httpx.Headers
    body: bytes
    whole: bool = True

    @property
    def kind(self) -> str:
        """Its media type, in lower case."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


class NoWebAnswer(ToolError):
    """The server did not answer, or not in time. The same request may succeed later."""


class Web:
    """Sends requests. Names are resolved here, and the connection uses the checked address, so that
    redirecting the name a moment later has no effect.
    """

    def __init__(self, find: Resolve = resolve) -> None:
        none = httpx.Limits(
            max_keepalive_connections=0
        )  # a connection is bound to the host that it was checked for
        # Cookies would be stored by IP address. Servers share IP addresses, so one server would
        # receive another's cookies.
        crumbs = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
        self._client = httpx.AsyncClient(
            verify=authorities(),
            trust_env=False,
            follow_redirects=False,
            limits=none,
            cookies=crumbs,
        )
        self._find = find

    async def kind(self, url: str) -> Kind:
        """Return the kind of network that a web address belongs to. If it resolves to several IP
        addresses, return the riskiest kind.

        Raises: ToolError if the text is not a web address or cannot be resolved.
        """
        kinds = {kind_of(ip) for ip in await self._addresses(url)}
        return next(kind for kind in ("never", "private", "loopback", "public") if kind in kinds)

    async def ask(
        self, asked: WebRequest, origins: Mapping[str, str], *, limit: int, seconds: float
    ) -> WebResponse:
        """Return a server's response, up to `limit` bytes of it. origins: the allowed origins, with
        their kinds.

        Redirects are followed only for requests that read, and only to allowed origins. Raises:
        NoWebAnswer, ToolError.
        """
        host = httpx.URL(asked.url).host if origin_of(asked.url) else asked.url[:80]
        try:
            async with asyncio.timeout(seconds):
                return await self._follow(asked, origins, limit, seconds)
        except (TimeoutError, httpx.TimeoutException) as error:
            raise NoWebAnswer(f"{host} takes too long.", "Try again later.") from error
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise NoWebAnswer(
                f"{host} cannot be reached.", "Check that it runs, and the network."
            ) from error

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def _follow(
        self, asked: WebRequest, origins: Mapping[str, str], limit: int, seconds: float
    ) -> WebResponse:
        url = asked.url
        for _ in range(REDIRECTS + 1):
            secret = asked.secret if origin_of(url) == origin_of(asked.url) else {}
            answer = await self._once(asked, url, secret, origins, limit, seconds)
            to = answer.headers.get("location", "")
            if (
                answer.status not in (301, 302, 303, 307, 308)
                or not to
                or asked.method not in ("GET", "HEAD")
            ):
                return answer
            url = urljoin(url, to)
        raise ToolError(f"{origin_of(asked.url)} redirects too many times.", "Ask its maker.")

    async def _once(
        self,
        asked: WebRequest,
        url: str,
        secret: Mapping[str, str],
        origins: Mapping[str, str],
        limit: int,
        seconds: float,
    ) -> WebResponse:
        place = await self._place(url, origins)
        read = httpx.URL(url)
        request = self._client.build_request(
            asked.method,
            read.copy_with(host=place),
            headers={
                "accept": "*/*",
                **asked.headers,
                **secret,
                "accept-encoding": "identity",  # a few compressed bytes can expand to gigabytes
                "host": read.netloc.decode("ascii"),
            },
            content=asked.content,
            timeout=httpx.Timeout(seconds, connect=CONNECT_SECONDS),
            extensions={"sni_hostname": read.host} if read.scheme == "https" else {},
        )
        answer = await self._client.send(request, stream=True)
        try:
            if answer.headers.get("content-encoding", "identity").lower() not in ("identity", ""):
                raise ToolError(
                    f"{read.host} sent a compressed answer, although it was asked not to.",
                    "Ask its maker.",
                )
            body, whole = await read_up_to(answer, limit)
        finally:
            await answer.aclose()
        return WebResponse(url, answer.status_code, answer.headers, body, whole)

    async def _place(self, url: str, origins: Mapping[str, str]) -> str:
        """Return the address to connect to.

        Raises: ToolError if the origin was not allowed, or now resolves to another kind of network.
        """
        origin = origin_of(url)
        if origin not in origins:
            raise ToolError(
                f"It points to another server, {origin or url[:80]}. No request was sent to it.",
                "If you trust that server, add the plugin again.",
            )
        fit = [ip for ip in await self._addresses(url) if kind_of(ip) == origins[origin] != "never"]
        if not fit:
            raise ToolError(
                f"{httpx.URL(url).host} now leads to a different kind of network from when it "
                "was added. No request was sent.",
                "If this is intended, add it again.",
            )
        return fit[0]

    async def _addresses(self, url: str) -> list[str]:
        if not origin_of(url):
            raise ToolError(
                f"{url[:200]} is not a web address.", "Write it like http://127.0.0.1:7780."
            )
        read = httpx.URL(url)
        port = read.port or (443 if read.scheme == "https" else 80)
        found = await self._find(read.host, port)
        if not found:
            raise ToolError(f"{read.host} cannot be found.", "Check the address, and the network.")
        return found


async def read_up_to(answer: httpx.Response, limit: int) -> tuple[bytes, bool]:
    """Return at most `limit` bytes of a response, and whether this is all of it."""
    made = bytearray()
    async for piece in answer.aiter_raw():
        made += piece
        if len(made) > limit:
            return bytes(made[:limit]), False
    return bytes(made), True
