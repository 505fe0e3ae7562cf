"""What kind of place an address is: the internet, this machine, the local network, or none one may ask."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable
from typing import Literal
from urllib.parse import urlsplit

import httpx

from app.domain.errors import ToolError

Kind = Literal["public", "loopback", "private", "never"]
Resolve = Callable[[str, int], Awaitable[list[str]]]
NAT64 = ipaddress.ip_network("64:ff9b::/96")
RESOLVE_SECONDS = 5.0


def kind_of(address: str) -> Kind:
    """Return what kind of place an IP address is; addresses that hold another are judged by that one."""
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
        return "never"  # among them the addresses at which clouds tell machines their secrets
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


def origin_of(url: str) -> str:
    """Return scheme, host and port of an address; nothing for what is none, or names a person before the host.

    A host that is not of ASCII is told as it is asked for (xn--…): letters that look like others are not.
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
