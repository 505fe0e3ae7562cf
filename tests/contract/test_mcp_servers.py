"""Servers of the Model Context Protocol that others wrote: ours is a client to each, over stdio,
and over HTTP.

Those of Python come with the tests; those of npm are installed by `packaging/dev.py test` where
there is npm, and are skipped by name elsewhere. Nothing is fetched here.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.adapters.builders import build_belt
from app.domain.errors import NotAllowed
from app.domain.tool import Chain, McpEntry
from app.services.consents import Consent, Consents
from app.services.deskpilot import Tools
from app.services.functions.context import FunctionReply
from tests.unit.app.services.scripted import COPILOT

NPM = Path(sys.prefix) / "npm"
EVERYTHING, FILESYSTEM = (
    "@modelcontextprotocol/server-everything",
    "@modelcontextprotocol/server-filesystem",
)
NPX = ("npx", "--offline", "--no", "--prefix", str(NPM), "--")


def of_npm(name: str) -> pytest.MarkDecorator:
    missing = shutil.which("npx") is None or not (NPM / "node_modules" / name).is_dir()
    return pytest.mark.skipif(missing, reason=f"{name} is not installed: there is no npm here")


@asynccontextmanager
async def belt_with(entry: McpEntry, *, allowed: bool = True) -> AsyncIterator[Tools]:
    """Give tools with a server, and a person who says yes to all, or no."""
    consents = Consents()

    def on_consent(consent: Consent | None) -> None:
        if consent is not None:
            asyncio.get_running_loop().call_soon(consents.answer, allowed)

    async with build_belt(consents) as belt:
        await belt.mcp.add(entry, {})
        consents.subscribe(on_consent)
        yield belt


async def called(belt: Tools, tool: str, /, **parameters: Any) -> FunctionReply:
    return await belt.box.call(belt.mcp.all()[0].id, tool, parameters, Chain(COPILOT))


async def asked(belt: Tools, tool: str, /, **parameters: Any) -> str:
    """Return what a copilot is told of an answer."""
    return json.dumps(
        json.loads((await called(belt, tool, **parameters)).content)["answer"], ensure_ascii=False
    )


async def test_the_server_of_the_time_tells_it() -> None:
    async with belt_with(McpEntry("time", (sys.executable, "-m", "mcp_server_time"))) as belt:
        assert {tool.name for tool in belt.mcp.all()[0].tools} == {
            "get_current_time",
            "convert_time",
        }
        assert "Asia/Tokyo" in await asked(belt, "get_current_time", timezone="Asia/Tokyo")
        converted = {
            "source_timezone": "Asia/Tokyo",
            "time": "09:00",
            "target_timezone": "Europe/Paris",
        }
        assert "Europe/Paris" in await asked(belt, "convert_time", **converted)
        wrong = await called(belt, "get_current_time", timezone="Nowhere/Atall")
        assert wrong.failed


GREETING = """
print("Starting the server ...", flush=True)
from mcp.server.mcpserver import MCPServer
server = MCPServer("greets")
@server.tool()
def greet(name: str) -> str:
    return "hello " + name
server.run("stdio")
"""
ADD = """
import asyncio, sys
from app.adapters.builders import build_belt
from app.domain.tool import McpEntry
async def add():
    async with build_belt() as belt:
        server = await belt.mcp.add(McpEntry("greets", (sys.executable, sys.argv[1])), {})
        print([tool.name for tool in server.tools])
asyncio.run(add())
"""


def test_a_server_that_prints_a_greeting_is_used_and_shows_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "greets.py").write_text(GREETING, "utf-8")
    command = [sys.executable, "-c", ADD, str(tmp_path / "greets.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "['greet']", "")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository of git with one commit, and a file that is in none."""
    if shutil.which("git") is None:
        pytest.skip("mcp-server-git needs git, which is not here")
    made = tmp_path / "repository"
    person = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    subprocess.run(["git", "init", "-q", str(made)], check=True)
    subprocess.run(
        ["git", "-C", str(made), *person, "commit", "-q", "--allow-empty", "-m", "begun"],
        check=True,
    )
    (made / "new.txt").write_text("new", "utf-8")
    return made


async def test_the_server_of_git_reads_a_repository_and_writes_after_a_yes(
    repository: Path,
) -> None:
    command = (sys.executable, "-m", "mcp_server_git", "--repository", str(repository))
    async with belt_with(McpEntry("git", command)) as belt:
        assert len(belt.mcp.all()[0].tools) >= 12
        assert "begun" in await asked(belt, "git_log", repo_path=str(repository))
        await called(belt, "git_add", repo_path=str(repository), files=["new.txt"])
        assert "new.txt" in await asked(belt, "git_status", repo_path=str(repository))
        outside = await called(belt, "git_status", repo_path=str(repository.parent))
        assert outside.failed
    async with belt_with(McpEntry("git", command), allowed=False) as belt:
        with pytest.raises(NotAllowed):
            await called(belt, "git_commit", repo_path=str(repository), message="unasked")


@of_npm(FILESYSTEM)
async def test_the_server_of_files_stays_in_its_folder_and_asks_before_it_writes(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.txt").write_text("alpha", "utf-8")
    entry = McpEntry("files", (*NPX, "mcp-server-filesystem", str(folder)))
    async with belt_with(entry) as belt:
        assert "a.txt" in await asked(belt, "list_directory", path=str(folder))
        assert "alpha" in await asked(belt, "read_text_file", path=str(folder / "a.txt"))
        assert (await called(belt, "read_text_file", path="/etc/passwd")).failed
        await called(belt, "write_file", path=str(folder / "b.txt"), content="beta")
        assert (folder / "b.txt").read_text("utf-8") == "beta"
    async with belt_with(entry, allowed=False) as belt:
        with pytest.raises(NotAllowed):
            await called(belt, "write_file", path=str(folder / "c.txt"), content="gamma")
        assert not (folder / "c.txt").exists()


@of_npm(EVERYTHING)
async def test_the_server_of_everything_works_over_stdio() -> None:
    async with belt_with(McpEntry("everything", (*NPX, "mcp-server-everything", "stdio"))) as belt:
        await everything(belt)


@of_npm(EVERYTHING)
async def test_the_server_of_everything_works_over_http() -> None:
    with listening() as url:
        async with belt_with(McpEntry("everything", url=url)) as belt:
            await everything(belt)


async def everything(belt: Tools) -> None:
    """Ask what the server has for testing: texts, structures, pictures, resources, templates of
    them, prompts.
    """
    assert len(belt.mcp.all()[0].tools) >= 14
    assert "hello" in await asked(belt, "echo", message="hello")
    assert "5" in await asked(belt, "get-sum", a=2, b=3)
    assert "temperature" in await asked(belt, "get-structured-content", location="Chicago")
    picture = await called(belt, "get-tiny-image")
    assert picture.pictures[0].startswith(b"\x89PNG")
    assert "Resource" in await asked(belt, "read_resource", uri="demo://resource/dynamic/text/1")
    assert "Paris" in await asked(
        belt, "get_prompt", name="args-prompt", arguments={"city": "Paris"}
    )


@contextmanager
def listening() -> Iterator[str]:
    """Run the server of everything over HTTP on a free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [*NPX, "mcp-server-everything", "streamableHttp"]
    with subprocess.Popen(
        command,
        env=os.environ | {"PORT": str(port)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stderr
        for line in process.stderr:
            if "listening" in line.lower():
                break
        try:
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            os.killpg(process.pid, 15)
            process.communicate(timeout=10)
