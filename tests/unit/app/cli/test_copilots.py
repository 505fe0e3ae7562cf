"""`deskpilot copilots` over a real copilot: added by URL, listed, shown, set, asked by name,
removed.
"""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING, Any

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse
from typer.testing import CliRunner

from app.cli.commands import app
from tests.end2end.strangers import serving, sse

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from click.testing import Result

    from tests.memory_keyring import MemoryKeyring

pytestmark = pytest.mark.slow


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def peer() -> FastAPI:
    """A copilot of today with options of its own that repeats what it was sent."""
    made = FastAPI()
    made.state.asked = []
    features = {
        "mcp-tools": True,
        "deep": {"label": "Think long", "type": "toggle", "default": False},
        "tone": {"label": "Tone", "type": "select", "default": "dry", "options": [{"label": "Dry", "value": "dry"}]},
    }  # fmt: skip

    @made.get("/agents.json")
    def agents(request: Request) -> Any:
        card = {
            "description": "Says it again.",
            "image": "/p.png",
            "endpoints": {"query": "/v1/query"},
        }
        return {"echo_one": card | {"name": "Echo", "features": features}}

    @made.post("/v1/query")
    async def query(request: Request) -> StreamingResponse:
        made.state.asked.append((await request.json(), dict(request.headers)))

        async def stream() -> AsyncIterator[bytes]:
            yield sse("copilotMessageChunk", {"delta": "Heard."})

        return StreamingResponse(stream(), media_type="text/event-stream")

    return made


@pytest.fixture
def echo() -> Iterator[tuple[FastAPI, str]]:
    made = peer()
    with serving(made) as address:
        yield made, address


def test_added_by_url_asked_by_name_and_removed(
    echo: tuple[FastAPI, str], home: Path, keyring_in_memory: MemoryKeyring
) -> None:
    made, address = echo
    assert (
        "Added echo_one: Echo"
        in run("copilots", "add", address, "--header", "X-Key: s3cret").output
    )
    kept = home / "copilots.json"
    assert "s3cret" not in kept.read_text()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert json.loads(keyring_in_memory.kept["deskpilot", "copilot:echo_one"]) == {
        "X-Key": "s3cret"
    }
    assert "echo_one" in run("copilots", "list").output
    assert run("copilots", "set", "echo_one", "deep=on").exit_code == 0
    shown = run("copilots", "show", "echo_one").output
    assert "Says it again." in shown
    assert "deep=on" in shown
    assert "X-Key (in the keyring)" in shown
    assert "s3cret" not in shown
    answered = run("ask", "See https://example.org/a, and say it.", "--copilot", "echo_one")
    assert answered.output.startswith("Heard.")
    body, headers = made.state.asked[-1]
    assert headers["x-key"] == "s3cret"
    assert body["workspace_options"] == {"deep": True, "tone": "dry"}
    assert "urls" not in body  # nobody was told to fetch it
    assert "Not fetched: https://example.org/a. To attach it, add --widget" in answered.stderr
    assert run("copilots", "remove", "echo_one").exit_code == 0
    assert keyring_in_memory.kept == {}
    gone = run("ask", "Hello?", "--copilot", "echo_one")
    assert (gone.exit_code, "No copilot named echo_one has been added." in gone.stderr) == (1, True)


def test_added_again_it_is_read_anew_and_keeps_what_was_chosen(echo: tuple[FastAPI, str]) -> None:
    _, address = echo
    run("copilots", "add", address)
    run("copilots", "set", "echo_one", "deep=on")
    run("copilots", "add", f"{address}/agents.json", "--dialect", "2024")
    listed = run("copilots", "list").output
    assert (listed.count("echo_one"), "2024" in listed) == (1, True)
    assert "deep=on" in run("copilots", "show", "echo_one").output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("add", "http://127.0.0.1:9"), "cannot be reached"),
        (("add", "http://10.9.8.7:80"), "10.9.8.7 is another machine"),
        (("add", "http://10.9.8.7:80", "--dialect", "lmc"), "10.9.8.7 is another machine"),
        (("add", "http://127.0.0.1:9", "--dialect", "lmc"), "cannot be reached"),
        (("add", "ftp://x"), "is not a web address"),
        (("remove", "nobody"), "No copilot named nobody has been added."),
        (("show", "nobody"), "No copilot named nobody has been added."),
        (("add", "http://127.0.0.1:9", "--header", "no colon"), "header like"),
        (("add", "http://127.0.0.1:9", "--header", "X-A: b\nX-C: d"), "ASCII letters"),
        (("add", "http://127.0.0.1:9", "--dialect", "2025"), "2025 is not one of"),
    ],
)
def test_what_cannot_be_done_is_said(words: tuple[str, ...], told: str) -> None:
    result = run("copilots", *words)
    assert result.exit_code != 0
    assert told in " ".join(result.stderr.replace("│", " ").split())


def test_a_list_that_is_no_list_is_told_and_left_alone(home: Path) -> None:
    (home / "copilots.json").write_text('[{"name": 1}]')
    result = run("copilots", "list")
    assert (result.exit_code, "cannot be read" in result.stderr) == (1, True)
    assert (home / "copilots.json").read_text() == '[{"name": 1}]'


def test_the_version_is_told() -> None:
    assert run("--version").output.startswith("deskpilot 0.")
