"""One plugin: its tools, updates to its specification, and its calls."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.domain.errors import ToolError
from app.domain.tool import PublishedTexts, Tool
from app.tools.plugins.call import called, request_of
from app.tools.plugins.discovery import marks_of, places_of, text_of, whole
from app.tools.plugins.documents import BYTES
from app.tools.plugins.manifest import read_manifest
from app.tools.plugins.operations import read_specification
from app.tools.web import WebRequest, origin_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from app.domain.tool import InstalledPlugin, ToolAnswer
    from app.tools.plugins.manifest import Auth, PluginManifest
    from app.tools.plugins.operations import Operation, Specification
    from app.tools.web import Web

    Secret = Callable[[str, Auth], Awaitable[dict[str, str]]]  # returns headers for a plugin's id
    Keep = Callable[[InstalledPlugin], Awaitable[None]]

SECONDS = 2.0  # time limit for fetching what the plugin publishes before a question is sent


class Plugin:
    """One plugin, which is a tool server. stale: whether its current description could not be
    fetched.
    """

    def __init__(self, installed: InstalledPlugin, web: Web, secret: Secret, keep: Keep) -> None:
        self._web, self._secret, self._keep = web, secret, keep
        self.stale = False
        self.manifest, self.specification = read(installed.published, installed.url)
        self.installed = installed

    @property
    def id(self) -> str:
        """Return its id in tool names."""
        return self.installed.id

    @property
    def name(self) -> str:
        """Return its display name."""
        return self.manifest.name

    @property
    def tools(self) -> list[Tool]:
        """Its operations."""
        return [self._tool(operation) for operation in self.specification.operations]

    async def refresh(self) -> None:
        """Check for a new version. Changes to origins, operations or writing calls wait for the
        user's consent.
        """
        old = self.installed.published
        try:
            manifest, spec = await asyncio.gather(
                self._now(self.installed.url, "manifest"), self._now(self.manifest.spec_url, "spec")
            )
            now = PublishedTexts(
                manifest[0] or old.manifest,
                spec[0] or old.spec,
                {"manifest": manifest[1], "spec": spec[1]},
            )
            if (now.manifest, now.spec) == (old.manifest, old.spec):
                self.stale = False
                if self.installed.waiting is not None:
                    await self._take(replace(self.installed, waiting=None, why=()))
                return
            reading = asyncio.to_thread(read, now, self.installed.url)
            new_manifest, new_specification = await reading  # reading a large one takes seconds
        except ToolError:
            self.stale = True
            return
        self.stale = False
        why = self._differences(new_manifest, new_specification)
        if why:
            await self._take(replace(self.installed, waiting=now, why=tuple(why)))
            return
        self.manifest, self.specification = new_manifest, new_specification
        await self._take(replace(self.installed, published=now, waiting=None, why=()))

    def sends(self, name: str, parameters: dict[str, Any]) -> str:
        """Return the request for a call, without credentials.

        Raises: ToolError.
        """
        operation = self._operation(name)
        url, headers, content = request_of(operation, parameters)
        head = [f"{operation.method.upper()} {url}", *(f"{k}: {v}" for k, v in headers.items())]
        body = content.decode("utf-8", "replace") if content is not None else ""
        return "\n".join(head) + (f"\n\n{body}" if body else "")

    def _operation(self, name: str) -> Operation:
        for operation in self.specification.operations:
            if operation.name == name:
                return operation
        raise ToolError(f"{self.name} has no {name}.", "Use one of its tools.")

    async def call(self, name: str, parameters: dict[str, Any]) -> ToolAnswer:
        """Return the result of an operation.

        Raises: ToolError.
        """
        operation = self._operation(name)
        secret = await self._secret(self.id, self.manifest.auth)
        return await called(self._web, operation, parameters, self.installed.origins, secret)

    async def aclose(self) -> None:
        """Do nothing, since nothing is open between calls."""

    def _tool(self, operation: Operation) -> Tool:
        about = operation.about or self.manifest.about_model
        if len(self.specification.operations) == 1 and self.manifest.about_model not in about:
            about = f"{about}. {self.manifest.about_model}"
        if self.manifest.prompt:
            about += "\n" + "\n".join(
                f"{part}: {text}" for part, text in self.manifest.prompt.items()
            )
        return Tool(
            self.id,
            operation.name,
            operation.title,
            about,
            operation.input_schema,
            operation.writes,
            origin_of(operation.url),
            self.manifest.prompt,
        )

    async def _now(self, url: str, what: str) -> tuple[str, dict[str, str]]:
        """Return the content at an address if it has changed, and the headers that identify this
        version.

        Raises: ToolError.
        """
        marks = self.installed.published.marks.get(what, {})
        fetched = await self._web.ask(
            WebRequest(url, headers=marks), self.installed.origins, limit=BYTES, seconds=SECONDS
        )
        if fetched.status == 304:
            return "", marks
        if fetched.status != 200:
            raise ToolError(f"{url} returned error {fetched.status}.", "Try again later.")
        whole(fetched)
        return text_of(fetched), marks_of(fetched)

    async def _take(self, installed: InstalledPlugin) -> None:
        self.installed = installed
        await self._keep(installed)

    def _differences(self, manifest: PluginManifest, specification: Specification) -> list[str]:
        """Return the changes in a new version that need consent."""
        why: list[str] = []
        if manifest.auth != self.manifest.auth:
            why.append("its sign-in method has changed")
        origins = {
            origin_of(url) or url[:80]
            for url in [manifest.spec_url, *places_of(manifest, specification)]
        }
        why += [
            f"it is called at {origin}" for origin in sorted(origins - set(self.installed.origins))
        ]
        old = {o.name: o for o in self.specification.operations}
        for operation in specification.operations:
            known = old.get(operation.name)
            if operation.writes and not same(known, operation):
                why.append(
                    f"{operation.name}, which makes changes, is "
                    f"{'new' if known is None else 'different'}"
                )
        return why


def read(published: PublishedTexts, url: str) -> tuple[PluginManifest, Specification]:
    """Return the published content.

    Raises: PluginRefused.
    """
    manifest = read_manifest(published.manifest.encode(), url)
    return manifest, read_specification(published.spec.encode(), manifest.spec_url, manifest)


def same(old: Operation | None, new: Operation) -> bool:
    """Return whether an operation is called in the same way as before."""
    return old is not None and (
        old.method,
        old.url,
        old.parameters,
        old.body,
        old.input_schema,
    ) == (
        new.method,
        new.url,
        new.parameters,
        new.body,
        new.input_schema,
    )
