"""Read what a copilot publishes of itself: where questions go, what it can, which generation it speaks."""

from __future__ import annotations

from typing import Any
from urllib.parse import urljoin, urlsplit, urlunsplit

import httpx

from app.domain.copilot import Copilot, Dialect, is_loopback
from app.domain.errors import ConsentNeeded


def read_entries(
    base: str, published: dict[str, Any], dialect: Dialect, headers: dict[str, str]
) -> list[Copilot]:
    """Return the copilots of a published object; entries that name no usable address are left out."""
    made = [
        read_entry(base, key, entry, dialect, headers)
        for key, entry in published.items()
        if isinstance(entry, dict)
    ]
    return [copilot for copilot in made if copilot is not None]


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
    if headers and not same_origin(base, url):
        headers = {}
        note = f"{note} The headers are not sent to {url}, which is not where you gave them for.".strip()
    features = entry.get("features")
    feedback = endpoints.get("feedback") if isinstance(endpoints, dict) else None
    told = address_of(base, feedback) if isinstance(feedback, str) else None
    told = rebase(base, told)[0] if told else ""
    known = dict(features) if isinstance(features, dict) else {}
    known |= {k: v for k, v in entry.items() if k.startswith("has")}
    image = entry.get("image")
    return Copilot(
        id=key,
        name=str(entry.get("name") or key),
        query_url=url,
        dialect="today" if dialect == "today" or features else "2024",
        description=str(entry.get("description") or ""),
        features=known,
        headers=headers,
        note=note,
        feedback_url=told if same_origin(url, told) else "",  # answers are told nobody else
        image=address_of(base, image) or "" if isinstance(image, str) and image else "",
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
        known
        and parsed.scheme in ("http", "https")
        and parsed.host != ""
        and parsed.host == split.hostname
    )


def rebase(base: str, url: str) -> tuple[str, str]:
    """Return an address where the copilot was found, if the published one names another place of this machine.

    The samples of 2024 publish port 7777 of localhost whatever port and machine they run on.
    """
    asked, published = urlsplit(base), urlsplit(url)
    if not is_loopback(published.hostname) or (
        is_loopback(asked.hostname) and asked.port == published.port
    ):
        return url, ""
    moved = urlunsplit((asked.scheme, asked.netloc, published.path, published.query, ""))
    return moved, f"It publishes {url}; {moved} is used, where it was found."


def same_origin(one: str, other: str) -> bool:
    """Tell whether two addresses are of one server; the names of this machine count as one."""
    first, second = urlsplit(one), urlsplit(other)
    hosts = first.hostname == second.hostname or (
        is_loopback(first.hostname) and is_loopback(second.hostname)
    )
    return hosts and (first.scheme, port_of(one)) == (second.scheme, port_of(other))


def port_of(url: str) -> int | None:
    """Return the port an address leads to."""
    return httpx.URL(url).port or {"http": 80, "https": 443}.get(urlsplit(url).scheme)


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


def generation(openapi: dict[str, Any]) -> Dialect | None:
    """Return the generation a copilot's own schema speaks of, by the shape of its widgets; None if it does not say."""
    components = openapi.get("components")
    schemas = components.get("schemas") if isinstance(components, dict) else None
    for name in ("QueryRequest", "AgentQueryRequest"):
        schema = schemas.get(name) if isinstance(schemas, dict) else None
        properties = schema.get("properties") if isinstance(schema, dict) else None
        widgets = properties.get("widgets") if isinstance(properties, dict) else None
        if isinstance(widgets, dict):
            text = str(widgets.get("type")), str(widgets.get("anyOf")), str(widgets.get("allOf"))
            return "2024" if any("array" in part for part in text) else "today"
    return None
