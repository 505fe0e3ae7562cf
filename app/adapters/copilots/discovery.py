"""Find the copilots an address publishes: agents.json, else copilots.json, settled by openapi.json."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx

from app.adapters.copilots.entries import (
    address_of,
    check_host,
    generation,
    is_web_address,
    read_entries,
    rebase,
)
from app.domain.copilot import FILES, Copilot, Dialect, base_of
from app.domain.errors import NotACopilot, Unreachable

__all__ = ["address_of", "check_host", "discover", "picture", "rebase"]

PUBLISHED_BYTES, PUBLISHED_SECONDS = (
    4 * 1024 * 1024,
    10.0,
)  # of agents.json: a peer may send without end
PICTURE_BYTES = 512 * 1024
PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")  # no SVG: it is a program
DIALECTS: dict[str, Dialect] = dict(zip(FILES, ("today", "2024"), strict=True))


@dataclass
class Visit:
    """One look at an address. told: why a file could not be had, in words."""

    client: httpx.AsyncClient
    base: str
    headers: dict[str, str]
    told: list[str] = field(default_factory=list[str])

    async def get(self, file: str) -> dict[str, Any] | None:
        """Return a published object; None if there is none.

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
                    self.told.append("It asks who you are: give it the header it wants.")
                if answer.is_redirect:
                    to = answer.headers.get("location", "nowhere")
                    self.told.append(f"It sends on to {to}, which is not followed.")
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
    """Return the copilots of a base address, or of the address of its file; `address#id` narrows to one.

    Raises: ConsentNeeded for a host that is neither this machine nor allowed; Unreachable; NotACopilot.
    """
    base, wanted = base_of(address), address.strip().partition("#")[2]
    if not is_web_address(base):
        raise NotACopilot(f"{base} is no web address.", "Write it like http://127.0.0.1:8000.")
    check_host(base, allowed_hosts)
    visit = Visit(client, base, headers or {})
    found = await published(visit)
    for copilot in found:
        check_host(copilot.query_url, allowed_hosts)
    if wanted:
        found = [c for c in found if c.id == wanted]
    if not found:
        what = f"no copilot {wanted!r}" if wanted else "no copilot"
        told = (
            visit.told[0]
            if visit.told
            else "Check the address; it needs agents.json or copilots.json."
        )
        raise NotACopilot(f"{base} publishes {what}.", told)
    return found


async def published(visit: Visit) -> list[Copilot]:
    """Return what an address publishes, in the documented order."""
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
    """Return a body; raises NotACopilot for one that grows past what any list of copilots needs."""
    body = bytearray()
    async for piece in answer.aiter_bytes():
        body += piece
        if len(body) > limit:
            raise NotACopilot(
                f"{answer.url} is too large for a list of copilots.", "Check the address."
            )
    return bytes(body)


async def picture(client: httpx.AsyncClient, copilot: Copilot) -> bytes:
    """Return a copilot's picture, from the server that questions go to and from no other; empty if there is none."""
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
        return b""  # a copilot without its picture is one all the same
