"""A model hub on loopback that speaks the real hub's HTTP API, and can stall, break off, refuse and
lie.

As the real one it answers HEAD and GET of `/OWNER/NAME/resolve/REVISION/PATH` with the commit and
an ETag, sends large files by a redirect to another address with signed parameters, honours ranges
there, names errors in X-Error-Code, describes a repository under
`/api/models/OWNER/NAME/revision/REVISION`, with sizes and hashes if `blobs` is asked for, and
answers searches under `/api/models`. The hub's own library is held against it in the tests.
"""

from __future__ import annotations

import hashlib
import http.server
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

RESOLVE = re.compile(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)")
INFO = re.compile(r"/api/models/([^/]+/[^/]+)(?:/revision/([^/]+))?")
LARGE = 10_000  # bytes from which a file is kept elsewhere, as with the real hub
REASONS = {401: "GatedRepo", 403: "GatedRepo", 404: "EntryNotFound", 429: ""}


@dataclass
class Hub:
    """What the hub holds and how it behaves. asked: each request, method and path and range.

    break_at: the next large file ends after so many bytes. stall: large files wait in the middle
    until it is set.
    lies: large files come reversed. refuse: status instead of a file. ranges: whether it honours
    them. token: asked for.
    storage_saw: the Authorization headers that came to where it redirects, which is another host.
    licence: as the card of the repository states it. others: names of repositories beside it, which
    a search finds and nobody may read.
    """

    repo: str
    revision: str
    files: dict[str, bytes]
    address: str = ""
    asked: list[str] = field(default_factory=list)
    break_at: int = 0
    stall: threading.Event | None = None
    halfway: threading.Event = field(default_factory=threading.Event)
    lies: bool = False
    longer: bool = False
    refuse: int = 0
    ranges: bool = True
    token: str = ""
    storage_saw: set[str | None] = field(default_factory=set)
    licence: str = "apache-2.0"
    others: tuple[str, ...] = ()


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers as the hub and as the storage it redirects to."""

    hub: Hub

    def do_HEAD(self) -> None:
        self.serve(body=False)

    def do_GET(self) -> None:
        self.serve(body=True)

    def serve(self, *, body: bool) -> None:
        path = unquote(urlsplit(self.path).path)
        self.hub.asked.append(f"{self.command} {path} {self.headers.get('Range', '')}".strip())
        if path.startswith("/storage/"):
            self.stored(path.removeprefix("/storage/"), body=body)
        elif found := RESOLVE.fullmatch(path):
            self.resolve(found[1], found[2], found[3], body=body)
        elif path == "/api/models":
            self.search()
        elif found := INFO.fullmatch(path):
            self.describe(found[1])
        else:
            self.tell(404, "RepoNotFound")

    def resolve(self, repo: str, revision: str, name: str, *, body: bool) -> None:
        hub = self.hub
        if hub.refuse:
            self.tell(hub.refuse, REASONS.get(hub.refuse, ""))
        elif hub.token and self.headers.get("Authorization") != f"Bearer {hub.token}":
            self.tell(401, "GatedRepo")
        elif repo != hub.repo or revision not in (hub.revision, "main"):
            self.tell(404, "RepoNotFound" if repo != hub.repo else "RevisionNotFound")
        elif name not in hub.files:
            self.tell(404, "EntryNotFound")
        elif len(hub.files[name]) >= LARGE:
            content = hub.files[name]
            self.send_response(302)
            other = hub.address.replace("127.0.0.1", "localhost")
            self.send_header("Location", f"{other}/storage/{name}?X-Amz-Signature=0123&Expires=1")
            self.send_header("X-Linked-Size", str(len(content)))
            self.send_header("X-Linked-ETag", f'"{hashlib.sha256(content).hexdigest()}"')
            self.send_header("X-Repo-Commit", hub.revision)
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            self.send(hub.files[name], body=body)

    def stored(self, name: str, *, body: bool) -> None:
        content = self.hub.files[name]
        self.hub.storage_saw.add(self.headers.get("Authorization"))
        if self.hub.lies:
            content = content[::-1]
        if self.hub.longer:
            content += content
        self.send(content, body=body)

    def send(self, content: bytes, *, body: bool) -> None:
        hub, asked = self.hub, self.headers.get("Range")
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and hub.ranges else 0
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("ETag", f'"{hashlib.sha1(content, usedforsecurity=False).hexdigest()}"')
        self.send_header("X-Repo-Commit", hub.revision)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        if body:
            self.write(content[start:])

    def write(self, content: bytes) -> None:
        hub = self.hub
        if len(content) < LARGE:
            self.wfile.write(content)
        elif hub.break_at:
            self.wfile.write(content[: hub.break_at])
            hub.break_at = 0
            self.close_connection = True
        elif hub.stall is not None:
            self.wfile.write(content[: len(content) // 2])
            self.wfile.flush()
            hub.halfway.set()
            assert hub.stall.wait(30)
        else:
            self.wfile.write(content)

    def search(self) -> None:
        hub, query = self.hub, parse_qs(urlsplit(self.path).query)
        if hub.refuse:
            self.tell(hub.refuse, "")
            return
        assert query["filter"] == ["gguf"]
        words = query["search"][0].lower().split()
        names = [
            name for name in (hub.repo, *hub.others) if all(word in name.lower() for word in words)
        ]
        self.send_json([{"id": name, "modelId": name, "downloads": 1234567} for name in names])

    def describe(self, repo: str) -> None:
        hub = self.hub
        if repo != hub.repo:
            self.tell(401 if repo in hub.others else 404, "RepoNotFound")
            return
        told: dict[str, Any] = {
            "id": repo,
            "modelId": repo,
            "sha": hub.revision,
            "private": False,
            "gated": False,
            "downloads": 1234567,
            "tags": [f"license:{hub.licence}"],
            "cardData": {"license": hub.licence},
        }
        told["siblings"] = [{"rfilename": name} for name in hub.files]
        if "blobs=true" in urlsplit(self.path).query:
            told["siblings"] = [self.blob(name) for name in hub.files]
        self.send_json(told)

    def blob(self, name: str) -> dict[str, Any]:
        content = self.hub.files[name]
        told: dict[str, Any] = {"rfilename": name, "size": len(content), "blobId": "0" * 40}
        if len(content) >= LARGE:
            sha256 = hashlib.sha256(content).hexdigest()
            told["lfs"] = {"sha256": sha256, "size": len(content), "pointerSize": 134}
        return told

    def send_json(self, told: Any) -> None:
        content = json.dumps(told).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def tell(self, status: int, code: str) -> None:
        self.send_response(status)
        if code:
            self.send_header("X-Error-Code", code)
        if status == 429:
            self.send_header("Retry-After", "30")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Be quiet."""


@contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    """Serve a hub on a free port of loopback."""
    handler = type("Bound", (Handler,), {"hub": hub})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a caller that hangs up
    hub.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield hub
    finally:
        if hub.stall is not None:
            hub.stall.set()
        server.shutdown()
        thread.join()
        server.server_close()
