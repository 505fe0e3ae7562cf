"""Find the copilots an address publishes."""

from __future__ import annotations

import asyncio
import ipaddress
import json
from typing import Any
from urllib.parse import urljoin, urlsplit, urlunsplit

import httpx

from app.domain.copilot import Copilot, Dialect
from app.domain.errors import ConsentNeeded, NotACopilot, Unreachable

PUBLISHED_BYTES, PUBLISHED_SECONDS = 4 * 1024 * 1024, 10.0  # of agents.json: a peer may send without end


async def discover(
    client: httpx.AsyncClient,
    address: str,
    *,
    allowed_hosts: frozenset[str] = frozenset(),
    headers: dict[str, str] | None = None,
) -> list[Copilot]:
    """Return the copilots of a base address; `address#id` narrows to one.

    Raises: ConsentNeeded for a host that is neither this machine nor allowed; Unreachable; NotACopilot.
    """
    base, _, wanted = address.partition("#")
    base = base if "://" in base else f"http://{base}"
    if not is_web_address(base):
        raise NotACopilot(f"{base} is no web address.", "Write it like http://127.0.0.1:8000.")
    check_host(base, allowed_hosts)
    found: list[Copilot] = []
    for file, dialect in (("agents.json", "today"), ("copilots.json", "2024")):
        published = await get_json(client, urljoin(base.rstrip("/") + "/", file), headers or {})
        if published is None:
            continue
        found = [
            made
            for key, entry in published.items()
            if isinstance(entry, dict)
            and (
                made := read_entry(
                    base,
                    key,
                    entry,
                    "today" if dialect == "today" or entry.get("features") else "2024",
                    headers or {},
                )
            )
        ]
        if found:
            break
    for copilot in found:
        check_host(copilot.query_url, allowed_hosts)
    if wanted:
        found = [c for c in found if c.id == wanted]
    if not found:
        what = f"no copilot {wanted!r}" if wanted else "no copilot"
        raise NotACopilot(
            f"{base} publishes {what}.", "Check the address; it needs agents.json or copilots.json."
        )
    return found


async def get_json(client: httpx.AsyncClient, url: str, headers: dict[str, str]) -> dict[str, Any] | None:
    """Return a published object; None if there is none.

    Raises: Unreachable.
    """
    try:
        async with asyncio.timeout(PUBLISHED_SECONDS), client.stream("GET", url, headers=headers) as answer:
            body = await read_published(answer) if answer.status_code == 200 else b""
    except (httpx.HTTPError, TimeoutError) as error:
        raise Unreachable(
            f"{url} cannot be reached.", "Check the address, and that the copilot runs."
        ) from error
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


async def read_published(answer: httpx.Response) -> bytes:
    """Return a body; raises NotACopilot for one that grows past what any list of copilots needs."""
    body = bytearray()
    async for piece in answer.aiter_bytes():
        body += piece
        if len(body) > PUBLISHED_BYTES:
            raise NotACopilot(f"{answer.url} is too large for a list of copilots.", "Check the address.")
    return bytes(body)


def read_entry(
    base: str, key: str, entry: dict[str, Any], dialect: Dialect, headers: dict[str, str]
) -> Copilot | None:
    """Return the copilot of one published entry; None if it says no usable address for questions."""
    endpoints = entry.get("endpoints")
    query = endpoints.get("query") if isinstance(endpoints, dict) else None
    published = address_of(base, query) if isinstance(query, str) else None
    if published is None:
        return None
    url, note = rebase(base, published)
    features = entry.get("features")
    known = dict(features) if isinstance(features, dict) else {}
    known |= {k: v for k, v in entry.items() if k.startswith("has")}
    return Copilot(
        id=key,
        name=str(entry.get("name") or key),
        query_url=url,
        dialect=dialect,
        description=str(entry.get("description") or ""),
        features=known,
        headers=headers,
        note=note,
    )


def address_of(base: str, query: str) -> str | None:
    """Return the address of a published one, which may be relative; None if it is no web address."""
    if "://" not in query:
        query = urljoin(base.rstrip("/") + "/", query.lstrip("/"))
    return query if is_web_address(query) else None


def is_web_address(url: str) -> bool:
    """Tell whether a URL can be asked: http or https, a host, a port there is."""
    try:
        parsed, split = httpx.URL(url), urlsplit(url)
        known = split.port is None or split.port > 0  # raises for a port there is not
    except (httpx.InvalidURL, ValueError):
        return False
    # Two readers that saw two hosts would let one be checked and the other be asked.
    return (
        known and parsed.scheme in ("http", "https") and parsed.host != "" and parsed.host == split.hostname
    )


def rebase(base: str, url: str) -> tuple[str, str]:
    """Return an address on the port that was asked, if the published one names another port of the same host.

    The samples of 2024 publish port 7777 whatever port they run on.
    """
    asked, published = urlsplit(base), urlsplit(url)
    if asked.port == published.port or not (is_loopback(asked.hostname) and is_loopback(published.hostname)):
        return url, ""
    moved = urlunsplit((asked.scheme, asked.netloc, published.path, published.query, ""))
    return moved, f"It publishes {url}; {moved} is used, where it was found."


def check_host(url: str, allowed: frozenset[str]) -> None:
    """Check that questions may go to an address.

    Raises: ConsentNeeded.
    """
    host = urlsplit(url).hostname or ""
    if not is_loopback(host) and host not in allowed:
        raise ConsentNeeded(
            f"{host} is another machine: the question and attached data would go there.",
            f"If you want that, say --allow-host {host}.",
            host=host,
        )


def is_loopback(host: str | None) -> bool:
    """Tell whether a host is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False
