"""The widget backends that the user added, with their widgets, which are cached for offline use,
and their secrets.
"""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from app.domain.errors import BackendError, SetupError, UnknownWidget
from app.openbb.content import Access, Reply, json_of
from app.openbb.widgets import Backend, by_id

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.domain.dashboard import Widget
    from app.openbb.widgets import Spec
    from app.services.ports import FilePort, SecretsPort

NAME = re.compile(r"^[A-Za-z0-9_.~-]{1,100}$")


class BackendPort(Protocol):
    """Sends requests to backends."""

    async def fetch(
        self,
        access: Access,
        endpoint: str,
        query: dict[str, str],
        body: dict[str, Any] | None = None,
    ) -> Reply:
        """Return the response of an endpoint.

        Raises: BackendError.
        """
        ...

    def changes(
        self, access: Access, endpoint: str, hello: dict[str, Any]
    ) -> AsyncGenerator[list[dict[str, Any]], None]:
        """Yield changed rows, after sending a greeting.

        Raises: BackendError.
        """
        ...


class Backends:
    """The backends, by id. Their headers and keys are stored only in the keyring.

    The backends are stored in their own file, which commands in the shell can change while a window
    is open.
    """

    def __init__(self, port: BackendPort, file: FilePort, secrets: SecretsPort) -> None:
        self._port, self._file, self._secrets = port, file, secrets
        self._backends: dict[str, Backend] = {}

    async def restore(self) -> None:
        """Read the backends that were added here or with a shell command.

        Raises: SetupError.
        """
        kept = await self._file.read()
        try:
            made = [
                Backend(
                    **b
                    | {"headers": tuple(b["headers"]), "keys": tuple(b["keys"])}
                    | {"allowed": tuple(b.get("allowed", ()))}
                )
                for b in kept.values()
            ]
        except (TypeError, KeyError) as error:
            raise SetupError(
                "The list of widget backends cannot be read.",
                "Move backends.json away, and add the backends again.",
            ) from error
        self._backends = {b.id: b for b in made}

    def all(self) -> list[Backend]:
        """Return the backends in the order in which they were added."""
        return list(self._backends.values())

    def get(self, backend_id: str) -> Backend:
        """Return a backend.

        Raises: UnknownWidget.
        """
        if backend_id not in self._backends:
            raise UnknownWidget(
                "This widget's backend was removed.", "Add it again, or remove the widget."
            )
        return self._backends[backend_id]

    def spec(self, backend_id: str, widget_id: str) -> Spec:
        """Return the published description of a widget.

        Raises: UnknownWidget.
        """
        backend = self.get(backend_id)
        spec = backend.spec(widget_id)
        if spec is None:
            raise UnknownWidget(f"{backend.name} no longer publishes this widget.", "Remove it.")
        return spec

    def spec_or_none(self, widget: Widget) -> Spec | None:
        """Return the published description of a widget, or None if there is none."""
        backend = self._backends.get(widget.backend)
        return backend.spec(widget.widget_id) if backend is not None else None

    async def add(
        self, url: str, headers: dict[str, str] | None = None, keys: dict[str, str] | None = None
    ) -> Backend:
        """Add a backend by its address, or update its widgets. Secrets are stored in the keyring.

        Raises: BackendError, SecretsError, SetupError.
        """
        url = address_of(url)
        check_names({**(headers or {}), **(keys or {})})
        await self.restore()
        known = self._backends.get(url)
        fresh = known is None or bool(headers or keys)
        asked = (
            Access(url, headers or {}, keys or {})
            if known is None or fresh
            else await self._access(known)
        )
        read = await self._published(asked)
        backend = replace(known, widgets=read.widgets, apps=read.apps) if known else read
        if fresh:
            backend = replace(backend, headers=tuple(headers or {}), keys=tuple(keys or {}))
            kept = {f"header {n}": v for n, v in (headers or {}).items()}
            kept |= {f"key {n}": v for n, v in (keys or {}).items()}
            if kept or (known is not None and (known.headers or known.keys)):
                await self._secrets.put(secret_name(url), kept)
        await self._file.change(lambda kept: kept | {url: asdict(backend)})
        self._backends[url] = backend
        return backend

    async def remove(self, backend_id: str) -> None:
        """Remove a backend and its secrets. Its widgets stay, with the last fetched data.

        Raises: UnknownWidget, SecretsError, SetupError.
        """
        await self.restore()
        backend = self.get(backend_id)
        if backend.headers or backend.keys:
            await self._secrets.put(secret_name(backend.url), {})
        await self._file.change(lambda kept: {k: v for k, v in kept.items() if k != backend_id})
        del self._backends[backend_id]

    async def allow(self, backend_id: str, origin: str) -> None:
        """Allow a backend to refer to another server. Its files are then fetched from there,
        without our headers.

        Raises: UnknownWidget, SetupError.
        """
        backend = self.get(backend_id)
        if origin not in backend.allowed:
            backend = replace(backend, allowed=(*backend.allowed, origin))
            await self._file.change(lambda kept: kept | {backend_id: asdict(backend)})
            self._backends[backend_id] = backend

    async def fetch(
        self,
        backend_id: str,
        endpoint: str,
        query: dict[str, str],
        body: dict[str, Any] | None = None,
    ) -> Reply:
        """Return the response of a backend's endpoint.

        Raises: UnknownWidget, BackendError, SecretsError.
        """
        return await self._port.fetch(
            await self._access(self.get(backend_id)), endpoint, query, body
        )

    async def changes(
        self, backend_id: str, endpoint: str, hello: dict[str, Any]
    ) -> AsyncGenerator[list[dict[str, Any]], None]:
        """Return a stream of changed rows from a backend. The stream must be closed after use.

        Raises: UnknownWidget and SecretsError; BackendError while the stream is read.
        """
        return self._port.changes(await self._access(self.get(backend_id)), endpoint, hello)

    async def page(self, url: str) -> Reply:
        """Return the content at any address, which is fetched without headers or keys and only from
        that server.

        Raises: BackendError, BackendElsewhere.
        """
        return await self._port.fetch(Access(url, {}, {}), url, {})

    async def _access(self, backend: Backend) -> Access:
        secrets = backend.headers or backend.keys
        kept = await self._secrets.get(secret_name(backend.url)) if secrets else {}
        headers = {n: kept[f"header {n}"] for n in backend.headers if f"header {n}" in kept}
        keys = {n: kept[f"key {n}"] for n in backend.keys if f"key {n}" in kept}
        origins = frozenset(
            f"{s.scheme}://{s.hostname}:{s.port or (443 if s.scheme == 'https' else 80)}"
            for s in (urlsplit(other.url) for other in self.all())
        )
        return Access(backend.url, headers, keys, origins | set(backend.allowed))

    async def _published(self, access: Access) -> Backend:
        widgets = by_id(json_of(await self._port.fetch(access, "widgets.json", {})))
        made = Backend(access.url, access.url, urlsplit(access.url).netloc, widgets)
        if not made.specs():
            raise BackendError(
                f"{access.url} publishes no widgets.", "Check the address; it needs widgets.json."
            )
        try:
            apps = json_of(await self._port.fetch(access, "apps.json", {}))
        except BackendError:  # most backends have none
            apps = []
        return replace(made, apps=apps if isinstance(apps, list) else [apps])


def address_of(url: str) -> str:
    """Return a base address as it is stored: without a file name and without a trailing slash.

    Raises: BackendError if it is not a web address, or contains a secret.
    """
    url = url.strip() if "://" in url else f"http://{url.strip()}"
    url = url.removesuffix("/").removesuffix("/widgets.json")
    try:
        split = urlsplit(url)
        known = split.scheme in ("http", "https") and bool(split.hostname) and split.port != 0
    except ValueError:
        known, split = False, urlsplit("")
    if not known:
        raise BackendError(f"{url} is not a web address.", "Write it like http://127.0.0.1:7779.")
    if split.username or split.query:
        raise BackendError(
            "The address contains a password or key, which would be stored in clear text.",
            "Specify headers and keys separately; they are stored in the keyring.",
        )
    return url


def check_names(secrets: dict[str, str]) -> None:
    """Check the names of headers and keys, and that no value can inject another header or key.

    Raises: BackendError.
    """
    for name, secret in secrets.items():
        if not NAME.match(name) or any(ord(c) < 32 for c in secret):
            raise BackendError(
                f"{name!r} is not a valid header or key name.", "Write it like X-API-KEY=secret."
            )


def secret_name(url: str) -> str:
    """Return the keyring name of a backend's secrets."""
    return f"widgets:{url}"
