"""Find a plugin at an address: its manifest, its specification and every origin it would call."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import httpx

from app.domain.errors import PluginRefused, ToolError
from app.domain.tool import PublishedTexts, shown
from app.tools.plugins.documents import BYTES
from app.tools.plugins.manifest import PLACES, PluginManifest, read_manifest
from app.tools.plugins.operations import Specification, read_specification
from app.tools.web import WebRequest, origin_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.tools.web import Web, WebResponse

SECONDS, LOGO_BYTES = 10.0, 512 * 1024


@dataclass(frozen=True)
class FoundPlugin:
    """A plugin that can be added. url: the address of its manifest. origins: the servers that it
    calls, its own first.
    """

    url: str
    manifest: PluginManifest
    specification: Specification
    published: PublishedTexts
    origins: dict[str, str] = field(hash=False)

    @property
    def others(self) -> list[str]:
        """Return the origins other than the one that the user named."""
        return [origin for origin in self.origins if origin != origin_of(self.url)]

    @property
    def warnings(self) -> list[str]:
        """Return the notes about parts that were repaired or simplified, or that require
        attention.
        """
        clear = [
            o for o, kind in self.origins.items() if kind == "public" and o.startswith("http:")
        ]
        told = [f"requests to {origin} are not encrypted" for origin in clear]
        told += [
            f"{o} contains letters that can be mistaken for others"
            for o in self.origins
            if "//xn--" in o or ".xn--" in o
        ]
        return [*self.manifest.warnings, *self.specification.warnings, *told]


async def find(web: Web, address: str) -> FoundPlugin:
    """Return the plugin at an address, which is the address of its site or of its manifest.

    Raises: PluginRefused, ToolError.
    """
    address = address.strip() if "://" in address else f"http://{address.strip()}"
    origins: dict[str, str] = {origin_of(address): await web.kind(address)}
    url, fetched = await manifest_at(web, address, origins)
    manifest = await asyncio.to_thread(read_manifest, fetched.body, url)
    await allow(web, manifest.spec_url, origins, url)
    told = await web.ask(WebRequest(manifest.spec_url), origins, limit=BYTES, seconds=SECONDS)
    if told.status != 200:
        raise PluginRefused(
            f"Requesting its specification at {manifest.spec_url} returned error {told.status}.",
            "Ask its maker.",
        )
    reading = asyncio.to_thread(read_specification, whole(told), manifest.spec_url, manifest)
    # a large specification takes seconds to read; the window must stay responsive
    specification = await reading
    for place in places_of(manifest, specification):
        await allow(web, place, origins, url)
    marks = {"manifest": marks_of(fetched), "spec": marks_of(told)}
    published = PublishedTexts(text_of(fetched), text_of(told), marks)
    return FoundPlugin(url, manifest, specification, published, origins)


async def manifest_at(
    web: Web, address: str, origins: Mapping[str, str]
) -> tuple[str, WebResponse]:
    """Return the manifest at an address, and the manifest's own address.

    Raises: ToolError.
    """
    base = address if address.endswith("/") else f"{address}/"
    places = [address] if address.endswith(".json") else [urljoin(base, place) for place in PLACES]
    for url in places:
        fetched = await web.ask(WebRequest(url), origins, limit=BYTES, seconds=SECONDS)
        if fetched.status == 200:
            whole(fetched)
            return url, fetched
    raise ToolError(
        f"{address} publishes no plugin.", f"Check the address; it needs {' or '.join(PLACES)}."
    )


def places_of(manifest: PluginManifest, specification: Specification) -> list[str]:
    """Return every address that a plugin would make Deskpilot request, including its
    specification's address.
    """
    auth = [manifest.auth.token_url] if manifest.auth.way == "oauth" else []
    return [*(operation.url for operation in specification.operations), *auth]


async def allow(web: Web, url: str, origins: dict[str, str], asked: str) -> None:
    """Add the origin of an address, which must be on the internet or on exactly the host that the
    user named.

    Raises: PluginRefused.
    """
    origin = origin_of(url)
    if origin in origins:
        return
    if not origin:
        raise PluginRefused(
            f"It points to {url[:200]}, which is not a web address.", "Ask its maker."
        )
    kind = await web.kind(url)
    same_host = httpx.URL(url).host == httpx.URL(asked).host and kind == origins[origin_of(asked)]
    if kind != "public" and not same_host:
        raise PluginRefused(
            f"It points to {origin}, which is not on the internet, and not the host you named.",
            "Do not use it, or ask its maker what this is for.",
        )
    origins[origin] = kind


async def logo_of(web: Web, found: FoundPlugin) -> bytes:
    """Return a plugin's logo if it is a small image, or empty bytes otherwise."""
    url, origins = found.manifest.logo, dict(found.origins)
    if not url:
        return b""
    try:
        await allow(web, url, origins, found.url)
        fetched = await web.ask(WebRequest(url), origins, limit=LOGO_BYTES, seconds=SECONDS)
    except ToolError:  # a plugin also works without a logo
        return b""
    works = fetched.status == 200 and fetched.whole
    return next(iter(shown([fetched.body])), b"") if works else b""


def marks_of(fetched: WebResponse) -> dict[str, str]:
    """Return the request headers that make a server send content only if it has changed."""
    pairs = (("if-none-match", "etag"), ("if-modified-since", "last-modified"))
    return {ask: fetched.headers[told] for ask, told in pairs if fetched.headers.get(told)}


def whole(fetched: WebResponse) -> bytes:
    """Return a body that was read completely.

    Raises: PluginRefused.
    """
    if not fetched.whole:
        raise PluginRefused(
            f"{fetched.url} is larger than {BYTES // 1024**2} MB.",
            "Ask the plugin's maker for a shorter one.",
        )
    return fetched.body


def text_of(fetched: WebResponse) -> str:
    """Return a document, which has already been checked to be text, as text."""
    return fetched.body.decode("utf-8-sig", "replace")
