"""The terminal without a window: a published assistant asked by OpenAI's client, our tables by the
official MCP client.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import httpx2
import openai
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from typer.testing import CliRunner

from app.cli.commands import app
from tests.unit.app.tools.plugins.site import MANIFEST, Heard, Site, serving

TODO = Path(__file__).parents[2] / "resources" / "samples" / "todo" / "openapi.yaml"
TOKEN = "sesame"


def said(*words: str) -> str:
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == 0, done.output
    return done.output


@contextmanager
def gateway(*options: str) -> Iterator[str]:
    """Run the gateway on a free port until the block ends."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "app",
        "gateway",
        "--port",
        str(port),
        *options,
    ]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=os.environ | {"DESKPILOT_TOKEN": TOKEN}
    ) as process:
        assert process.stderr
        lines: list[str] = []
        for line in process.stderr:
            lines.append(line)
            if line.startswith("Token:"):
                break
        try:
            assert process.poll() is None, lines
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.communicate(timeout=30)


def kept(items: list[str], heard: Heard) -> tuple[int, dict[str, str], bytes]:
    """Do what the to-do sample does, and keep what was heard."""
    asked = json.loads(heard.body)
    if asked["操作"] == "插入":
        items.append(asked["事项"])
    return 200, {}, json.dumps({"result": "; ".join(items) or "none"}).encode()


def test_a_published_assistant_does_what_was_allowed_and_no_more_once_that_is_taken_back(
    macro_csv: Path,
) -> None:
    items: list[str] = []
    site = Site(manifest=MANIFEST | {"name_for_model": "ToDoList"}, spec=TODO.read_text("utf-8"))
    site.answer = lambda heard: kept(items, heard)
    with serving(site):
        said("plugins", "add", site.url)
        said("assistants", "create", "helper", "--prompt", "Be brief.", "--plugin", "todolist")
        assert "not published" in said("assistants", "list")
        token = said("assistants", "publish", "helper", "--allow", "todolist/todo").splitlines()[1]
        assert "todolist/todo" in said("assistants", "list")
        with gateway("--mcp", "--widget", str(macro_csv)) as url:
            asyncio.run(over_http(url))
            client = openai.OpenAI(base_url=f"{url}/v1", api_key=token)
            assert [model.id for model in client.models.list()] == ["helper"]

            def ask(question: str, *before: tuple[str, str]) -> str:
                messages = [
                    {"role": role, "content": text} for role, text in (*before, ("user", question))
                ]
                made = client.chat.completions.create(model="helper", messages=messages)  # type: ignore[arg-type]
                return made.choices[0].message.content or ""

            assert "bread" in ask("Put bread on my to-do list", ("system", "Hello."))
            assert items == ["bread"]
            stream = client.chat.completions.create(
                model="helper",
                stream=True,
                messages=[{"role": "user", "content": "What's on my to-do list?"}],
            )
            assert "bread" in "".join(chunk.choices[0].delta.content or "" for chunk in stream)
            tokens_are_counted(client)
            for wrong, model in (("wrong", "helper"), (token, "nobody")):
                stranger = openai.OpenAI(base_url=f"{url}/v1", api_key=wrong)
                with pytest.raises(openai.AuthenticationError):
                    stranger.chat.completions.create(
                        model=model, messages=[{"role": "user", "content": "x"}]
                    )
            strangers_and_garbage_are_refused(url, token)
            said("assistants", "revoke", "helper", "todolist/todo")
            assert "it was not allowed" in ask(
                "Put caviar on my to-do list", ("user", "Hi"), ("assistant", "Hello.")
            )
            assert items == ["bread"]
            said("assistants", "revoke", "helper")
            with pytest.raises(openai.AuthenticationError):
                ask("What's on my to-do list?")


def strangers_and_garbage_are_refused(url: str, token: str) -> None:
    """Send what is no request, is too large, or comes without a token: each is told in a
    sentence.
    """
    address, knows = f"{url}/v1/chat/completions", {"authorization": f"Bearer {token}"}
    with httpx2.Client(timeout=60) as client:
        assert client.post(address, content=b"x" * 100).status_code == 401  # nothing was read of it
        for body, status in (
            (b"{", 422),
            (b'{"model": "helper"}', 422),
            (b" " * (33 * 1024 * 1024), 413),
        ):
            answer = client.post(address, content=body, headers=knows)
            assert answer.status_code == status
            assert answer.json()["error"]["message"]
        nested = b'{"model": "helper", "messages": ' + b"[" * 100_000
        assert client.post(address, content=nested, headers=knows).status_code == 422


def tokens_are_counted(client: openai.OpenAI) -> None:
    """Compare the tokens that are told with what the template of the starter model makes of the
    messages.
    """
    question = {"role": "user", "content": "What's on my to-do list?"}
    made = client.chat.completions.create(model="helper", messages=[question])  # type: ignore[list-item]
    assert made.usage
    assert (
        made.usage.prompt_tokens > 15
    )  # the instructions, the question, the marks of the template
    assert made.usage.completion_tokens > 3
    assert made.usage.total_tokens == made.usage.prompt_tokens + made.usage.completion_tokens
    before = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]
    longer = client.chat.completions.create(
        model="helper",
        messages=[*before, question],  # type: ignore[list-item]
        stream=True,
        stream_options={"include_usage": True},
    )
    *words, last = list(longer)
    assert all(chunk.usage is None for chunk in words)
    assert last.choices == []
    assert last.usage
    assert last.usage.prompt_tokens > made.usage.prompt_tokens
    assert last.usage.completion_tokens == made.usage.completion_tokens  # the same answer


async def asks_tables(client: Client) -> None:
    assert client.server_info is not None
    assert (client.server_info.name, client.server_info.version) == (
        "deskpilot",
        version("deskpilot"),
    )
    listed = await client.list_tools()
    assert {"list_tables", "look_up", "extreme"} <= {tool.name for tool in listed.tools}
    assert all(tool.annotations and tool.annotations.read_only_hint for tool in listed.tools)
    made = await client.call_tool("list_tables", {})
    [table] = json.loads(made.content[0].text)  # type: ignore[union-attr]
    where = [
        {"column": "year", "op": "=", "value": 2009},
        {"column": "quarter", "op": "=", "value": 3},
    ]
    for source in (table["uuid"], "us macro"):
        arguments = {"source": source, "columns": ["unemp"], "where": where}
        found = await client.call_tool("look_up", arguments)
        assert json.loads(found.content[0].text)["value"] == 9.6  # type: ignore[union-attr]
    wrong = await client.call_tool("look_up", {"source": "nowhere", "columns": ["unemp"]})
    assert wrong.is_error


async def over_http(url: str) -> None:
    """Ask the tables as one who knows the token, and as one who does not."""
    headers = {"authorization": f"Bearer {TOKEN}"}
    async with httpx2.AsyncClient(headers=headers) as http, httpx2.AsyncClient() as stranger:
        async with Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client:
            await asks_tables(client)
        assert (await stranger.post(f"{url}/mcp", json={})).status_code == 401
        assert (await stranger.get(f"{url}/healthz")).json() == {"status": "ok"}


async def test_our_tables_are_asked_over_stdio(macro_csv: Path, home: Path) -> None:
    arguments = ["-m", "app", "gateway", "--mcp", "--stdio", "--widget", str(macro_csv)]
    told = StdioServerParameters(
        command=sys.executable,
        args=arguments,
        env={"DESKPILOT_HOME": str(home)},
        cwd=Path(__file__).parents[2],
    )
    with (home / "log").open("w") as log:
        async with Client(stdio_client(told, errlog=log)) as client:
            await asks_tables(client)
