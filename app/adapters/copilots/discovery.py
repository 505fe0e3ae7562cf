"""Find the copilots an address publishes."""

from __future__ import annotations

import ipaddress
from typing import Any
from urllib.parse import urljoin, urlsplit, urlunsplit

import httpx

from app.domain.copilot import Copilot, Dialect
from app.domain.errors import ConsentNeeded, NotACopilot, Unreachable


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
        answer = await client.get(url, headers=headers, timeout=10)
    except httpx.HTTPError as error:
        raise Unreachable(
            f"{url} cannot be reached.", "Check the address, and that the copilot runs."
        ) from error
    if answer.status_code != 200:
        return None
    try:
        value = answer.json()
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def read_entry(
    base: str, key: str, entry: dict[str, Any], dialect: Dialect, headers: dict[str, str]
) -> Copilot | None:
    """Return the copilot of one published entry; None if it says no address for questions."""
    endpoints = entry.get("endpoints")
    query = endpoints.get("query") if isinstance(endpoints, dict) else None
    if not isinstance(query, str):
        return None
    url, note = rebase(
        base, urljoin(base.rstrip("/") + "/", query.lstrip("/") if "://" not in query else query)
    )
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
