"""A server that answers as a test tells it to: bytes, silence, or the end of the connection."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from backends.flexai.entities import ModelType, UserPromptMessage
from backends.flexai.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Iterator

REGISTRY = Registry({"openai_compatible": "backends.providers.openai_compatible"})
SAID = [UserPromptMessage(content="Hi")]
PIECE: dict[str, Any] = {
    "choices": [{"index": 0, "delta": {"content": "Hello"}, "finish_reason": None}]
}
END: dict[str, Any] = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


def model(kind: ModelType) -> Any:
    return REGISTRY.model("openai_compatible", kind)


STALL = object()  # say nothing more, and keep the connection


@dataclass
class Scripted:
    """answers: what each request gets, in turn; the last for all others. requests: what came."""

    listener: socket.socket
    answers: list[list[Any]] = field(default_factory=list)
    requests: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)
    gone: threading.Event = field(default_factory=threading.Event)  # a caller hung up

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}/v1"

    def credentials(self, **more: str) -> dict[str, Any]:
        return {"base_url": self.url, "timeout": "20", **more}

    def says(
        self, *parts: Any, status: str = "200 OK", kind: str = "application/json", **headers: str
    ) -> None:
        """Answer a request with parts of a body; a dict is JSON, STALL is silence."""
        lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", "Connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.answers.append(["\r\n".join([*lines, "", ""]), *parts])

    def streams(self, *events: Any) -> None:
        """Answer a request with events; a dict is the data of one."""
        told = [f"data: {json.dumps(e)}\n\n" if isinstance(e, dict) else e for e in events]
        self.says(*told, kind="text/event-stream")

    def body(self, number: int = -1) -> dict[str, Any]:
        """Return the JSON a request brought."""
        return json.loads(self.requests[number][2])

    def serve(self) -> None:
        while not self.ended.is_set():
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            with peer:
                self.answer(peer)

    def answer(self, peer: socket.socket) -> None:
        peer.settimeout(20)
        request = read_request(peer)
        if request is None:
            return
        self.requests.append(request)
        parts = self.answers[min(len(self.requests), len(self.answers)) - 1]
        try:
            for part in parts:
                if part is STALL:
                    peer.recv(1)  # until the caller hangs up
                    self.gone.set()
                    return
                peer.sendall(as_bytes(part))
        except OSError:
            self.gone.set()


def ask(peer: Scripted, **more: str) -> str:
    """Return the text of an answer."""
    chunks = model(ModelType.LLM).invoke("m", peer.credentials(**more), SAID)
    return "".join(chunk.delta.message.text() for chunk in chunks)


def as_bytes(part: Any) -> bytes:
    if isinstance(part, dict):
        return json.dumps(part).encode()
    return part if isinstance(part, bytes) else str(part).encode()


def read_request(peer: socket.socket) -> tuple[str, dict[str, str], bytes] | None:
    data = b""
    while b"\r\n\r\n" not in data:
        more = peer.recv(65536)
        if not more:
            return None
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    while len(body) < int(headers.get("content-length", 0)):
        body += peer.recv(65536)
    return first, headers, body


@contextmanager
def scripted(listener: socket.socket) -> Iterator[Scripted]:
    """Serve at a listener, in a thread that has ended afterwards."""
    made = Scripted(listener)
    thread = threading.Thread(target=made.serve, daemon=True)
    thread.start()
    yield made
    made.ended.set()
    listener.shutdown(socket.SHUT_RDWR)
    thread.join(timeout=5)
    assert not thread.is_alive()


@pytest.fixture
def peer() -> Iterator[Scripted]:
    with socket.create_server(("127.0.0.1", 0)) as listener, scripted(listener) as made:
        yield made
