"""Find the copilots that an address publishes, and read their descriptions."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urljoin, urlsplit, urlunsplit

import httpx

from app.domain.copilot import FILES, Copilot, Dialect, base_of, is_loopback
from app.domain.errors import ConsentNeeded, NotACopilot, Unreachable

__all__ = ["address_of", "check_host", "discover", "picture", "rebase"]


def read_entries(
    base: str, published: dict[str, Any], dialect: Dialect, headers: dict[str, str]
) -> list[Copilot]:
    """Return the copilots in a published object, leaving out entries that have no usable
    address.
    """
    made = [
        read_entry(base, key, entry, dialect, headers)
        for key, entry in published.items()
        if isinstance(entry, dict)
    ]
    return [copilot for copilot in made if copilot is not None]


def read_entry(
    base: str, key: str, entry: dict[str, Any], dialect: Dialect, headers: dict[str, str]
) -> Copilot | None:
    """Return the copilot in a published entry; None if it has no usable address for questions."""
    endpoints = entry.get("endpoints")
    query = endpoints.get("query") if isinstance(endpoints, dict) else None
    published = address_of(base, query) if isinstance(query, str) else None
    if published is None:
        return None
    url, note = rebase(base, published)
    if headers and not same_origin(base, url):
        headers = {}
        kept = f"The headers are not sent to {url}, because you entered them for another address."
        note = f"{note} {kept}".strip()
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
        # ratings of answers are not sent to any other server
        feedback_url=told if same_origin(url, told) else "",
        image=address_of(base, image) or "" if isinstance(image, str) and image else "",
    )


def address_of(base: str, query: str) -> str | None:
    """Return a copilot's published address, which may be relative; None if it is not a web
    address.
    """
    if "://" not in query:
        query = urljoin(base.rstrip("/") + "/", query.lstrip("/"))
    return query if is_web_address(query) else None


def is_web_address(url: str) -> bool:
    """Return whether a URL can be requested, which requires http or https, a host, and a valid
    port.
    """
    try:
        parsed, split = httpx.URL(url), urlsplit(url)
        known = split.port is None or split.port > 0  # this raises an error if the port is invalid
    except (httpx.InvalidURL, ValueError):
        return False
    # If two parsers saw different hosts, one host could be checked and the other requested.
    return (
        known
        and parsed.scheme in ("http", "https")
        and parsed.host != ""
        and parsed.host == split.hostname
    )


def rebase(base: str, url: str) -> tuple[str, str]:
    """Return an address on the machine where the copilot was found, if the published address is a
    different loopback address.

    The 2024 samples publish port 7777 on localhost, regardless of the port and machine they run on.
    """
    asked, published = urlsplit(base), urlsplit(url)
    if not is_loopback(published.hostname) or (
        is_loopback(asked.hostname) and asked.port == published.port
    ):
        return url, ""
    moved = urlunsplit((asked.scheme, asked.netloc, published.path, published.query, ""))
    return moved, f"It publishes {url}; {moved} is used instead, as it was found there."


def same_origin(one: str, other: str) -> bool:
    """Return whether two addresses belong to the same server; all names for this machine are
    treated as equal.
    """
    first, second = urlsplit(one), urlsplit(other)
    hosts = first.hostname == second.hostname or (
        is_loopback(first.hostname) and is_loopback(second.hostname)
    )
    return hosts and (first.scheme, port_of(one)) == (second.scheme, port_of(other))


def port_of(url: str) -> int | None:
    """Return the port of an address."""
    return httpx.URL(url).port or {"http": 80, "https": 443}.get(urlsplit(url).scheme)


def check_host(url: str, allowed: frozenset[str]) -> None:
    """Check that questions may be sent to an address.

    Raises: ConsentNeeded.
    """
    host = urlsplit(url).hostname or ""
    if not is_loopback(host) and host not in allowed:
        raise ConsentNeeded(
            f"{host} is another machine: the question and attached data would go there.",
            f"If you want this, add --allow-host {host}.",
            host=host,
        )


def generation(openapi: dict[str, Any]) -> Dialect | None:
    """Return the protocol version of a copilot's own schema, detected from the format of its
    widgets; None if it is unknown.
    """
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


# limit for agents.json, since a server might never stop sending
PUBLISHED_BYTES, PUBLISHED_SECONDS = 4 * 1024 * 1024, 10.0
PICTURE_BYTES = 512 * 1024
# no SVG, because it can contain scripts
PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
DIALECTS: dict[str, Dialect] = dict(zip(FILES, ("today", "2024"), strict=True))


@dataclass
class Visit:
    """One inspection of an address. told: the reason why a file could not be read."""

    client: httpx.AsyncClient
    base: str
    headers: dict[str, str]
    told: list[str] = field(default_factory=list[str])

    async def get(self, file: str) -> dict[str, Any] | None:
        """Return a published object, or None if there is none.

        Raises: Unreachable, NotACopilot.
        """
        url = urljoin(self.base.rstrip("/") + "/", file)
        try:
            async with (
                asyncio.timeout(PUBLISHED_SECONDS),
                self.client.stream(
                    "GET", url, headers=self.headers, follow_redirects=False
                ) as answer,
            ):
                if answer.status_code in (401, 403):
                    self.told.append("It requires authentication: enter the header it expects.")
                if answer.is_redirect:
                    to = answer.headers.get("location", "nowhere")
                    self.told.append(f"It redirects to {to}, which is not followed.")
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


async def discover(
    client: httpx.AsyncClient,
    address: str,
    *,
    allowed_hosts: frozenset[str] = frozenset(),
    headers: dict[str, str] | None = None,
) -> list[Copilot]:
    """Return the copilots at a base address, or at the address of a published file; `address#id`
    selects one.

    Raises: ConsentNeeded for a host that is neither this machine nor an allowed one; Unreachable;
    NotACopilot.
    """
    base, wanted = base_of(address), address.strip().partition("#")[2]
    if not is_web_address(base):
        raise NotACopilot(f"{base} is not a web address.", "Write it like http://127.0.0.1:8000.")
    check_host(base, allowed_hosts)
    visit = Visit(client, base, headers or {})
    found = await published(visit)
    for copilot in found:
        check_host(copilot.query_url, allowed_hosts)
    if wanted:
        found = [c for c in found if c.id == wanted]
    if not found:
        what = f"a copilot named {wanted!r}" if wanted else "a copilot"
        told = (
            visit.told[0]
            if visit.told
            else "Check the address; it needs agents.json or copilots.json."
        )
        raise NotACopilot(f"{base} does not offer {what}.", told)
    return found


async def published(visit: Visit) -> list[Copilot]:
    """Return the copilots in the files published at an address, in the documented order."""
    for file, dialect in DIALECTS.items():
        listed = await visit.get(file)
        found = read_entries(visit.base, listed, dialect, visit.headers) if listed else []
        if found and dialect == "2024":
            schema = await visit.get("openapi.json")
            settled = generation(schema) if schema else None
            found = [replace(c, dialect=settled or c.dialect) for c in found]
        if found:
            return found
    return []


async def read_published(answer: httpx.Response, limit: int = PUBLISHED_BYTES) -> bytes:
    """Return the body of a published file.

    Raises: NotACopilot if it is larger than any list of copilots needs to be.
    """
    body = bytearray()
    async for piece in answer.aiter_bytes():
        body += piece
        if len(body) > limit:
            raise NotACopilot(
                f"{answer.url} is too large for a list of copilots.", "Check the address."
            )
    return bytes(body)


async def picture(client: httpx.AsyncClient, copilot: Copilot) -> bytes:
    """Return a copilot's picture, or empty bytes if it has none. Pictures are fetched only from the
    server to which questions are sent.
    """
    if not copilot.image or urlsplit(copilot.image).netloc != urlsplit(copilot.query_url).netloc:
        return b""
    try:
        async with (
            asyncio.timeout(PUBLISHED_SECONDS),
            client.stream(
                "GET", copilot.image, headers=copilot.headers, follow_redirects=False
            ) as answer,
        ):
            kind = answer.headers.get("content-type", "").partition(";")[0]
            usable = answer.status_code == 200 and kind in PICTURES
            return await read_published(answer, PICTURE_BYTES) if usable else b""
    except (httpx.HTTPError, TimeoutError, NotACopilot):
        return b""  # a copilot also works without its picture
