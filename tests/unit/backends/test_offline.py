"""The guard: nothing but this machine is reached, whichever library tries, and it can be tried
out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from backends.offline import is_here


def run(code: str, **variables: str) -> Any:
    """Run code in a process of its own, as the hook stays for good; return what it prints as
    JSON.
    """
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DESKPILOT_OFFLINE")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=environment | variables,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("127.0.0.1", True), ("127.8.9.1", True), ("::1", True), ("[::1]", True), ("::ffff:127.0.0.1", True),
        ("localhost", True), ("app.localhost", True), (b"localhost", True), ("localhost.", True),
        ("192.168.0.7", False), ("10.0.0.1", False), ("0.0.0.0", False), ("::", False), ("fe80::1%eth0", False),
        ("example.com", False), ("localhost.example.com", False), ("127.0.0.1.nip.io", False),
        ("2130706433", False), ("::ffff:192.0.2.1", False),
    ],
)  # fmt: skip
def test_only_this_machine_is_here(host: Any, here: bool) -> None:
    assert is_here(host) is here


def test_every_way_out_is_refused_from_the_first_lines_on() -> None:
    told = run(
        "import json; from dataclasses import asdict; from backends import offline;"
        " offline.begin();print(json.dumps([asdict(t) for t in offline.trials()]))",
        DESKPILOT_OFFLINE="1",
    )
    assert [trial["way"] for trial in told] == ["name", "tcp", "tcp6", "udp"]
    assert all(trial["refused"] for trial in told)
    assert told[0]["told"] == "Deskpilot is offline: no connection to example.com is made."


LIBRARIES = """
import asyncio, json, socket, urllib.request
import httpx
from backends import offline
offline.close()
found = {}
def met(error):
    while error is not None and not isinstance(error, offline.NetworkRefused):
        error = error.reason if isinstance(getattr(error, "reason", None), Exception) else error.__cause__ or error.__context__
    return error is not None
async def asynchronous(): await httpx.AsyncClient(trust_env=False).get("https://example.com")
async def by_number(): await asyncio.open_connection("192.0.2.1", 443)
ways = {
    "httpx": lambda: httpx.get("https://192.0.2.1", trust_env=False),
    "async httpx": lambda: asyncio.run(asynchronous()),
    "asyncio": lambda: asyncio.run(by_number()),
    "urllib": lambda: urllib.request.urlopen("http://example.com"),
    "every interface": lambda: socket.create_server(("0.0.0.0", 0)),
    "no interface": lambda: socket.create_server(("", 0)),
}
for name, way in ways.items():
    try:
        way()
    except Exception as error:
        found[name] = met(error)
with socket.create_server(("127.0.0.1", 0)) as server:
    with socket.create_connection(server.getsockname()) as one:
        found["here"] = one.getpeername() == server.getsockname()
    with socket.create_connection(("localhost", server.getsockname()[1])):
        found["here by name"] = True
found["refused"] = offline.GUARD.refused
print(json.dumps(found))
"""


def test_every_library_meets_the_guard_and_this_machine_is_reached() -> None:
    found = run(LIBRARIES)
    assert found.pop("refused") == 6
    assert found == dict.fromkeys(
        [
            "httpx",
            "async httpx",
            "asyncio",
            "urllib",
            "every interface",
            "no interface",
            "here",
            "here by name",
        ],
        True,
    )


def test_what_it_starts_is_told_and_it_opens_again_only_what_it_closed() -> None:
    code = """
import json, os
from backends import offline
told = [offline.is_on()]
offline.close()
told += [offline.is_on(), os.environ["DESKPILOT_OFFLINE"], os.environ["HF_HUB_OFFLINE"]]
offline.open_()
told += [offline.is_on(), os.environ.get("DESKPILOT_OFFLINE"), os.environ.get("HF_HUB_OFFLINE")]
print(json.dumps(told))
"""
    assert run(code, HF_HUB_OFFLINE="1") == [False, True, "1", "1", False, None, "1"]
    assert run(code, DESKPILOT_OFFLINE="1", HF_HUB_OFFLINE="0")[4:] == [True, "1", "1"]


def test_connections_made_before_are_cut_off() -> None:
    """A connection to another machine cannot be made here, so one to this machine is called one to
    another.
    """
    assert run("""
import json, socket
from backends import offline
server = socket.create_server(("127.0.0.1", 0))
one = socket.create_connection(server.getsockname())
offline.is_here = lambda host, *, empty=True: False
offline.cut_off()
one.settimeout(5)
print(json.dumps([one.recv(1) == b"", server.fileno() >= 0]))
""") == [True, True]
