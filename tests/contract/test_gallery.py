"""What the gallery offers, each really added and asked, through the same door as every tool."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import subprocess
import sys
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import quote as url_quote

import psutil
import pytest

from app.adapters.builders import build_belt
from app.domain.errors import NotAllowed, ToolError
from app.domain.tool import Chain, McpEntry
from app.services.consents import Consent, Consents
from app.services.tools import gallery
from app.services.tools.gallery import OFFERED
from backends import children, offline
from tests.postgres_server import SECRET, running
from tests.unit.app.services.scripted import COPILOT

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator
    from pathlib import Path

    from app.services.deskpilot import Tools

BY_ID = {offered.id: offered for offered in OFFERED}
pytestmark = pytest.mark.usefixtures("home", "keyring_in_memory")


@asynccontextmanager
async def added(name: str, given: str = "", *, allowed: bool = True) -> AsyncGenerator[Tools]:
    """Give tools with something of the gallery, and a person who says yes to all, or no."""
    consents = Consents()

    def on_consent(consent: Consent | None) -> None:
        if consent is not None:
            asyncio.get_running_loop().call_soon(consents.answer, allowed)

    async with build_belt(consents) as belt:
        await belt.gallery.add(BY_ID[name], given)
        assert belt.gallery.is_added(BY_ID[name])
        consents.subscribe(on_consent)
        yield belt


async def asked(belt: Tools, tool: str, /, **parameters: Any) -> str:
    """Return what a copilot is told of an answer."""
    server = belt.box.servers()[0].id
    answered = await belt.box.call(server, tool, parameters, Chain(COPILOT))
    return json.dumps(json.loads(answered.content)["answer"], ensure_ascii=False)


async def test_files_of_a_folder_are_read_and_written_and_none_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    (folder / "letters").mkdir(parents=True)
    (folder / "letters" / "rent.txt").write_text("Dear Ann,\nthe rent is 1,200.\n", "utf-8")
    (tmp_path / "secret.txt").write_text("hidden", "utf-8")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    async with added("files", str(folder)) as belt:
        writes = [tool.name for tool in belt.box.servers()[0].tools if tool.writes]
        assert writes == ["write_file"]
        assert "letters/" in await asked(belt, "list_folder")
        assert "letters/rent.txt" in await asked(belt, "find_files", name="RENT")
        assert "letters/rent.txt:2" in await asked(belt, "search_text", text="the rent")
        assert "1,200" in await asked(belt, "read_file", path="letters/rent.txt")
        for path in ("../secret.txt", str(tmp_path / "secret.txt"), "link.txt"):
            assert "outside the folder" in await asked(belt, "read_file", path=path)
        assert "hidden" not in await asked(belt, "search_text", text="hidden")
        await asked(belt, "write_file", path="new/note.txt", text="done")
        assert (folder / "new" / "note.txt").read_text("utf-8") == "done"
        assert "outside" in await asked(belt, "write_file", path="../over.txt", text="x")
        assert not (tmp_path / "over.txt").exists()
    async with added("files", str(folder), allowed=False) as belt:
        with pytest.raises(NotAllowed):
            await asked(belt, "write_file", path="unasked.txt", text="x")
    assert not (folder / "unasked.txt").exists()


async def test_the_time_is_told() -> None:
    async with added("time") as belt:
        assert "Asia/Tokyo" in await asked(belt, "get_current_time", timezone="Asia/Tokyo")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Make a repository with one commit."""
    if shutil.which("git") is None:
        pytest.skip("git is not here")
    person = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    commit = ["git", "-C", str(tmp_path), *person, "commit", "-q", "--allow-empty", "-m", "begun"]
    subprocess.run(commit, check=True)
    return tmp_path


async def test_a_repository_is_read(repository: Path) -> None:
    async with added("git", str(repository)) as belt:
        assert "begun" in await asked(belt, "git_log", repo_path=str(repository))


class Page(BaseHTTPRequestHandler):
    """A page of the web."""

    def do_GET(self) -> None:
        """Answer with the page; there is no robots.txt."""
        self.send_response(404 if self.path == "/robots.txt" else 200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<html><body><h1>Rules</h1><p>The pool opens at nine.</p></body></html>")

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


@pytest.fixture
def page() -> Iterator[str]:
    """Serve a page of the web; return its address."""
    with HTTPServer(("127.0.0.1", 0), Page) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


async def test_pages_are_read_after_a_yes_none_of_this_network_and_none_offline(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with added("web-pages") as belt:
        assert "not a public address" in await asked(belt, "fetch", url=page)
    async with added("web-pages", allowed=False) as belt:
        with pytest.raises(NotAllowed):
            await asked(belt, "fetch", url=page)
        entry = belt.mcp.all()[0].entry
        await belt.mcp.remove("web-pages")
    async with added("time") as belt:
        await belt.mcp.remove("time")
        command = (*entry.command, "--allow-private-ips")
        server = await belt.mcp.add(McpEntry("web-pages", command), {})
        read = await server.call("fetch", {"url": page})
        assert "opens at nine" in read.content
        monkeypatch.setattr(offline, "is_on", lambda: True)
        await belt.mcp.restart()
        refused = await server.call("fetch", {"url": "http://192.0.2.1/"})
        assert refused.failed
        others = psutil.Process().children(recursive=True)
        (process,) = [p for p in others if "mcp_server_fetch" in p.cmdline()]
        assert process.environ()[offline.VARIABLE] == "1"
        with pytest.raises(ToolError, match="offline"):
            await belt.gallery.add(BY_ID["web-pages"])


async def test_a_database_is_read_and_never_written() -> None:
    with running() as server:
        server.do("CREATE TABLE public.goods (name text, price numeric)")
        server.do("INSERT INTO public.goods VALUES ('salt', 1.5), ('tea', 4)")
        address = server.url().replace("@", f":{quote(SECRET)}@")
        async with added("postgresql", address) as belt:
            assert SECRET not in json.dumps(belt.mcp.all()[0].entry.as_dict())
            assert "public.goods" in await asked(belt, "list_tables")
            told = await asked(belt, "describe_table", schema="public", name="goods")
            assert "numeric" in told
            total = "SELECT sum(price) AS total FROM public.goods"
            assert "5.5" in await asked(belt, "run_select", sql=total)
            for sql in (
                "DELETE FROM public.goods",
                "SELECT 1) x; DELETE FROM public.goods; --",
                "WITH gone AS (DELETE FROM public.goods RETURNING 1) SELECT * FROM gone",
                "SELECT nextval('pg_catalog.nothing')",
            ):
                await asked(belt, "run_select", sql=sql)
            assert "5.5" in await asked(belt, "run_select", sql=total)


def test_a_module_runs_under_the_guard_where_deskpilot_is_offline(tmp_path: Path) -> None:
    program = "import socket; socket.create_connection(('192.0.2.1', 9), 1)"
    (tmp_path / "reaching.py").write_text(program, "utf-8")
    variables = os.environ | {"PYTHONPATH": str(tmp_path), offline.VARIABLE: "1"}
    command = [sys.executable, "-P", "-m", "app.tools.mcp.guard", "reaching"]
    told = subprocess.run(
        command,
        env=children.environment(variables),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Deskpilot is offline: no connection to 192.0.2.1" in told.stderr


def quote(text: str) -> str:
    """Return a text as part of an address."""
    return url_quote(text, safe="")


async def test_the_sample_plugin_runs_while_deskpilot_does_and_again_after_a_restart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setattr(gallery, "TODO_PORT", port)
    async with added("to-do") as belt:
        (plugin,) = belt.plugins.all()
        assert plugin.tools
        assert listens(port)
    assert not listens(port)
    async with build_belt() as belt:
        await belt.gallery.restore()
        assert listens(port)
    assert not listens(port)


def listens(port: int) -> bool:
    """Tell whether somebody listens at a port."""
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) == 0


HELD = """
import asyncio, sys
from app.services.tools import gallery

async def main():
    gallery.TODO_PORT = int(sys.argv[1])
    todo = gallery.TodoSample()
    await todo.start()
    print(todo._process.pid, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


def test_the_sample_plugin_ends_with_a_window_that_is_killed() -> None:
    """It stayed, with the port, also after a later start and quit."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
    command = [sys.executable, "-P", "-c", HELD, str(port)]
    environment = os.environ | {"PYTHONPATH": str(children.ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as window:
        assert window.stdout
        sample = psutil.Process(int(window.stdout.readline()))
        window.kill()
        assert psutil.wait_procs([sample], timeout=30)[1] == []
