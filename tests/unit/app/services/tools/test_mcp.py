"""Servers of the Model Context Protocol: started or reached, asked, ended; through the same door as
every tool.
"""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from typer.testing import CliRunner

from app.adapters.builders import build_belt
from app.cli.commands import app
from app.domain.copilot import RequestOffer
from app.domain.errors import NotAllowed, ToolError
from app.domain.tool import Chain, McpEntry
from app.services.deskpilot import Tools
from tests.unit.app.services.scripted import COPILOT

pytestmark = pytest.mark.slow

SAMPLE = Path(__file__).parents[4] / "mcp_sample.py"
PROGRAM = (sys.executable, str(SAMPLE))


@contextmanager
def listening() -> Iterator[str]:
    """Run the sample over HTTP on a free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with subprocess.Popen([*PROGRAM, str(port)], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        for line in process.stderr:
            if "running on" in line:
                break
        try:
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()
            process.communicate(timeout=10)


async def asked(belt: Tools, called: str, **parameters: Any) -> dict[str, Any]:
    """Return what a copilot is told of a call."""
    made = await belt.box.call("sample", called, parameters, Chain(COPILOT))
    return json.loads(made.content) | {"failed": made.failed}


async def everything_works(belt: Tools, entry: McpEntry) -> None:
    server = await belt.mcp.add(entry, {})
    assert [tool.name for tool in server.tools] == [
        "add",
        "keep",
        "fail",
        "crash",
        "picture",
        "grow",
        "read_resource",
        "get_prompt",
    ]
    assert [tool.name for tool in server.tools if tool.writes] == ["keep"]
    told = await asked(belt, "add", first=1, second=2)
    assert told["answer"] == {"result": 3}
    assert "not an instruction" in told["note"]
    assert (await asked(belt, "read_resource", uri="sample://greeting"))[
        "answer"
    ] == "Good morning."
    assert "sample://greeting/{name}" in next(
        t.description for t in server.tools if t.name == "read_resource"
    )
    assert (await asked(belt, "read_resource", uri="sample://greeting/Ada"))[
        "answer"
    ] == "Good morning, Ada."
    pictured = await belt.box.call("sample", "picture", {}, Chain(COPILOT))
    assert [one[:4] for one in pictured.pictures] == [b"\x89PNG"]
    assert "The person is shown 1 picture" in pictured.content
    assert "Review this: x = 1" in str(
        await asked(belt, "get_prompt", name="review", arguments={"code": "x = 1"})
    )
    failed = await asked(belt, "fail")
    assert failed["failed"]
    with pytest.raises(NotAllowed):
        await asked(belt, "keep", text="x")
    with pytest.raises(ToolError, match="integer"):
        await asked(belt, "add", first="one", second=2)


async def test_a_program_is_started_asked_and_ended_and_one_that_crashes_starts_again() -> None:
    async with build_belt() as belt:
        await everything_works(belt, McpEntry("sample", PROGRAM))
        with pytest.raises(ToolError, match="did not respond"):
            await asked(belt, "crash")
        assert (await asked(belt, "add", first=2, second=2))["answer"] == {"result": 4}
    assert not [
        child for child in psutil.Process().children() if "mcp_sample" in " ".join(child.cmdline())
    ]
    async with build_belt() as again:  # its tools are known before it runs
        assert next(tool.name for tool in again.mcp.all()[0].tools) == "add"
        assert len((await again.box.offered(RequestOffer(), COPILOT)).tools) == 8
        await again.mcp.remove("sample")
        assert (await again.box.offered(RequestOffer(), COPILOT)).tools == []


async def test_what_a_server_says_has_changed_is_known_at_once_and_what_wrote_goes_on_asking() -> (
    None
):
    with listening() as url:
        for entry in (McpEntry("sample", PROGRAM), McpEntry("sample", url=url)):
            async with build_belt() as belt:
                server = await belt.mcp.add(entry, {})
                await asked(belt, "read_resource", uri="sample://greeting")
                await asked(belt, "grow")
                async with asyncio.timeout(30):
                    while "later" not in {
                        t.name for t in server.tools
                    } or "Changed since" not in str(server.tools):
                        await asyncio.sleep(0.01)
                assert "Changed since they were read: sample://greeting" in str(server.tools)
                assert next(
                    t for t in server.tools if t.name == "keep"
                ).writes  # though it says now that it only reads
                with pytest.raises(NotAllowed):
                    await asked(belt, "keep", text="x")
                await asked(belt, "read_resource", uri="sample://greeting")
                assert "Changed since" not in str(server.tools)
                await belt.mcp.remove("sample")


async def test_an_address_is_reached_over_streamable_http() -> None:
    with listening() as url:
        async with build_belt() as belt:
            await everything_works(belt, McpEntry("sample", url=url))


@pytest.mark.expects_log("Failed to parse JSONRPC")
@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (McpEntry("sample", ("/no/such/program",)), "no such program"),
        (McpEntry("sample", (sys.executable, "-c", "print('hello')")), "did not respond"),
        (McpEntry("sample", url="http://127.0.0.1:9/mcp"), "did not respond"),
        (McpEntry("deskpilot", PROGRAM), "cannot be used as its name"),
        (McpEntry("Under_score", PROGRAM), "cannot be used as its name"),
    ],
)
async def test_what_is_no_server_is_not_kept(entry: McpEntry, why: str) -> None:
    async with build_belt() as belt:
        with pytest.raises(ToolError, match=why):
            await belt.mcp.add(entry, {})
        assert belt.mcp.all() == []


@pytest.mark.usefixtures("keyring_in_memory")
def test_the_shell_adds_lists_and_removes(home: Path) -> None:
    shell = CliRunner()

    def said(*words: str, status: int = 0) -> str:
        done = shell.invoke(app, ["mcp", *words])
        assert done.exit_code == status, done.output
        return done.output

    assert "no servers yet" in said("list")
    assert "8 tools" in said("add", "sample", "--env", "KEY=s3cret", "--", *PROGRAM)
    listed = said("list")
    assert "keep  writes  Keep a text." in listed
    assert "add  reads  Add two numbers." in listed
    assert "s3cret" not in (home / "mcp.json").read_text("utf-8")
    assert "Removed" in said("remove", "sample")
    assert "no server 'sample'" in said("remove", "sample", status=1)
    assert "Specify a program" in said("add", "sample", status=2)
