"""A name of the web that leads to this machine is not asked: by no copilot, backend or socket."""

from __future__ import annotations

import threading
from contextlib import aclosing
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from app.adapters.copilots.http import HttpCopilots
from app.adapters.widget_backends import HttpBackends, changes
from app.domain.errors import BackendError, Unreachable
from app.openbb.content import Access
from app.tools import web
from app.tools.web import is_named_here, places_of

if TYPE_CHECKING:
    from collections.abc import Iterator

HEARD: list[str] = []


class Local(BaseHTTPRequestHandler):
    """A service of this machine that trusts whoever reaches it."""

    def do_GET(self) -> None:
        HEARD.append(str(self.headers["host"]))
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"[]")

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def port() -> Iterator[int]:
    HEARD.clear()
    server = HTTPServer(("127.0.0.1", 0), Local)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(autouse=True)
def rebound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every name of the web lead to this machine, as its owner may have it."""

    async def resolve(host: str, _: int) -> list[str]:
        return [host if host[:1].isdigit() else "127.0.0.1"]

    monkeypatch.setattr(web, "resolve", resolve)


@pytest.mark.parametrize("host", ["evil.example", "evil.example.", "127.0.0.1.evil.example"])
async def test_a_name_that_leads_here_is_not_asked(port: int, host: str) -> None:
    address = f"http://{host}:{port}"
    backends, copilots = HttpBackends(), HttpCopilots()
    with pytest.raises(BackendError, match="cannot be reached"):
        await backends.fetch(Access(address, {}, {}), "secrets", {})
    with pytest.raises(Unreachable):
        await copilots.reach(address, frozenset({host}), {})
    with pytest.raises(BackendError, match="leads to this machine"):
        async with aclosing(changes(Access(address, {}, {}), "ws", {})) as rows:
            await anext(rows)
    await backends.aclose()
    await copilots.aclose()
    assert HEARD == []


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "backend.localhost", "workstation"])
async def test_a_name_that_says_so_is_asked_under_that_name(port: int, host: str) -> None:
    backends = HttpBackends()
    reply = await backends.fetch(Access(f"http://{host}:{port}", {}, {}), "rows", {})
    await backends.aclose()
    assert reply.body == b"[]"
    assert [f"{host}:{port}"] == HEARD


async def test_nobody_is_asked_where_clouds_tell_machines_their_secrets() -> None:
    backends = HttpBackends()
    with pytest.raises(BackendError):
        await backends.fetch(Access("http://169.254.169.254", {}, {}), "latest/meta-data", {})
    await backends.aclose()


async def test_of_several_addresses_those_that_lead_here_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def resolve(*_: Any) -> list[str]:
        return ["127.0.0.1", "192.168.1.7", "::1", "169.254.169.254", "93.184.216.34"]

    monkeypatch.setattr(web, "resolve", resolve)
    assert await places_of("intranet.example", 80) == ["192.168.1.7", "93.184.216.34"]


@pytest.mark.parametrize(
    ("host", "here"),
    [("10.0.0.1", True), ("::1", True), ("pc", True), ("a.b", False), ("localhost.evil.c", False)],
)
def test_what_may_be_this_machine_is_known_by_its_name(host: str, here: bool) -> None:
    assert is_named_here(host) is here


def test_the_client_keeps_to_the_network_it_was_given() -> None:
    made = web.checked_client(httpx.Timeout(1.0))
    pool = made._transport._pool  # type: ignore[attr-defined]
    assert isinstance(pool._network_backend, web.CheckedBackend)
