"""A site on this machine that publishes a plugin, and answers as a test says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MANIFEST = {
    "schema_version": "v1",
    "name_for_human": "Echo",
    "name_for_model": "Echo",
    "description_for_human": "Says what it heard.",
    "description_for_model": "Says what it heard.",
    "auth": {"type": "none"},
    "api": {"type": "openapi", "url": "openapi.json"},
}
Answer = tuple[int, dict[str, str], bytes]


@dataclass(frozen=True)
class Heard:
    """A request as it came, nothing decoded."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Site:
    """manifest, spec: what it publishes. heard: every request but those for them. answer: what the
    others get.
    """

    url: str = ""
    manifest: dict[str, Any] | str = field(default_factory=lambda: dict(MANIFEST))
    spec: dict[str, Any] | str = ""
    heard: list[Heard] = field(default_factory=list)
    looked: list[Heard] = field(default_factory=list)
    answer: Callable[[Heard], Answer | Iterator[bytes]] = lambda _: (200, {}, b"{}")


def spec_of(**operations: Any) -> dict[str, Any]:
    """Return a specification whose operations are POSTs unless they say otherwise."""
    paths: dict[str, Any] = {}
    for name, told in operations.items():
        method, path = told.pop("method", "post"), told.pop("path", f"/{name}")
        paths.setdefault(path, {})[method] = {
            "operationId": name,
            "summary": name,
            "responses": {},
        } | told
    return {"openapi": "3.0.1", "info": {"title": "Echo", "version": "1"}, "paths": paths}


def text(document: dict[str, Any] | str) -> bytes:
    return (document if isinstance(document, str) else json.dumps(document)).encode()


@contextmanager
def serving(site: Site) -> Iterator[Site]:
    """Serve a site until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            heard = Heard(
                self.command,
                self.path,
                {k.lower(): v for k, v in self.headers.items()},
                self.rfile.read(length),
            )
            published = {"/ai-plugin.json": site.manifest, "/openapi.json": site.spec}.get(
                self.path
            )
            if published not in (None, "") and self.command == "GET":
                site.looked.append(heard)
                mark = f'"{hash(text(published))}"'
                same = heard.headers.get("if-none-match") == mark
                self.send(304 if same else 200, {"etag": mark}, b"" if same else text(published))
                return
            if self.path.endswith("ai-plugin.json"):
                self.send(404, {}, b"")
                return
            site.heard.append(heard)
            made = site.answer(heard)
            if isinstance(made, tuple):
                self.send(*made)
                return
            for piece in made:
                try:
                    self.wfile.write(piece)
                except OSError:
                    return

        def send(self, status: int, headers: dict[str, str], body: bytes) -> None:
            try:
                self.send_response(status)
                for name, value in (
                    {"content-type": "application/json", "content-length": str(len(body))} | headers
                ).items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)
            except OSError:
                return

        do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = answer

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """Say nothing of who hung up."""

    server = Quiet(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    site.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
