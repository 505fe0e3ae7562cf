"""The LMC endpoint: chunks a line each, a token, and code that runs only where somebody allows
it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import psutil
import pytest
import uvicorn

from app.adapters.gateway.web import lmc_app
from app.bootstrap import build
from app.cli.gateway import Gateway, GatewayRequest
from app.domain.code import REFUSED
from app.domain.events import CallResult, CopilotCall
from app.domain.stream import Chunk
from app.services.conversation.exchange import turns_of
from tests.unit.app.services.scripted import Scripted, found

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from app.domain.conversation import Turn
    from app.domain.events import Item
    from app.services.consents import Consents

pytestmark = pytest.mark.slow

TOKEN = "let-me-in"
CLIENT = Path(__file__).with_name("client.js")
CODE = "echo from the computer"
ASKED = [{"role": "user", "type": "message", "content": "Plot it"}]


async def coder(turns: list[Turn]) -> AsyncGenerator[Item, None]:
    """Want code run once; say what came of it."""
    results = [i for i in turns[-1].items if isinstance(i, CallResult)]
    if results:
        yield Chunk("assistant", "message", f"It said: {results[-1].content.splitlines()[-1]}")
        return
    yield Chunk("assistant", "message", "I will run code. ")
    yield CopilotCall("run_code", {"language": "shell", "code": CODE}, '{"type": "confirmation"}')


@asynccontextmanager
async def gateway(
    script: Callable[[list[Turn]], AsyncGenerator[Item, None]],
    say: Callable[[Consents], object] | None = None,
) -> AsyncGenerator[str]:
    """Serve a gateway whose copilot follows a script; a person at it answers as `say` does."""
    async with build(None) as deskpilot:
        deskpilot.turns._copilots = Scripted(script)  # type: ignore[assignment]
        deskpilot.copilots.local = found  # type: ignore[method-assign]
        if say is not None:
            consents, loop = deskpilot.dashboard.consents, asyncio.get_running_loop()
            consents.subscribe(lambda consent: consent and loop.call_soon(say, consents))
        request = GatewayRequest("127.0.0.1", 0, TOKEN, "", say is not None)
        app = lmc_app(Gateway(deskpilot, request).answer, TOKEN, frozenset({"127.0.0.1"}))
        server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", lifespan="off"))
        serving = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
        server.should_exit = True
        await serving


async def post(url: str, body: Any, token: str = TOKEN) -> httpx.Response:
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
        return await client.post(url, json=body, headers={"Authorization": f"Bearer {token}"})


def chunks_of(answer: httpx.Response) -> list[dict[str, Any]]:
    return [json.loads(line) for line in answer.text.split("\n") if line]


async def test_without_a_person_the_stream_ends_with_the_confirmation_and_the_caller_goes_on() -> (
    None
):
    async with gateway(coder) as url:
        chunks = chunks_of(
            await post(url, {"messages": ASKED, "auto_run": True, "safe_mode": "off"})
        )
        assert chunks[-1] == {
            "role": "computer", "type": "confirmation", "format": "execution",
            "content": {"type": "code", "format": "shell", "content": CODE},
        }  # fmt: skip
        assert not [c for c in chunks if c["type"] == "console"]
        code = {"role": "assistant", "type": "code", "format": "shell", "content": CODE}
        ran = {
            "role": "computer",
            "type": "console",
            "format": "output",
            "content": "by the caller",
        }
        chunks = chunks_of(await post(url, {"messages": [*ASKED, code, ran]}))
        assert "".join(c.get("content", "") for c in chunks) == "It said: by the caller"


async def test_allowed_by_the_person_at_the_gateway_it_runs_there() -> None:
    async with gateway(coder, lambda consents: consents.answer(True)) as url:
        chunks = chunks_of(await post(url, {"messages": ASKED}))
    kinds = [(c["role"], c["type"]) for c in chunks if "content" in c]
    assert ("computer", "confirmation") in kinds
    console = [c for c in chunks if c["type"] == "console"]
    assert console[0] == {"role": "computer", "type": "console", "start": True}
    assert console[-1] == {"role": "computer", "type": "console", "end": True}
    printed = [c["content"] for c in console if c.get("format") == "output"]
    assert printed == ["from the computer\n"]
    assert [c["content"] for c in console if c.get("format") == "active_line"][-1] is None
    assert "".join(c.get("content", "") for c in chunks if c["type"] == "message").endswith(
        "It said: from the computer"
    )


async def test_denied_by_the_person_nothing_runs_and_the_copilot_is_told() -> None:
    async with gateway(coder, lambda consents: consents.answer(False)) as url:
        chunks = chunks_of(await post(url, {"messages": ASKED}))
    (told,) = [c for c in chunks if c["type"] == "console" and "content" in c]
    assert (told["recipient"], told["content"]) == ("assistant", REFUSED)
    assert "did not allow" in chunks[-2]["content"]


async def test_without_the_token_or_under_another_name_nobody_is_answered() -> None:
    async with gateway(coder) as url:
        assert (await post(url, {"messages": ASKED}, "wrong")).status_code == 401
        async with httpx.AsyncClient(trust_env=False) as client:
            key = {"X-API-KEY": TOKEN}
            assert (await client.post(url, json={"messages": ASKED})).status_code == 401
            assert (
                await client.post(url, json={"messages": ASKED}, headers=key)
            ).status_code == 200
            assert (
                await client.post(url, headers=key | {"Host": "evil.example"})
            ).status_code == 403
            assert (await client.get(url + "heartbeat")).json() == {"status": "alive"}


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ([], "The body is not a JSON object"),
        ({}, "There are no messages"),
        ({"messages": [{"role": "x"}]}, "This is not an LMC message"),
        ({"messages": [{"role": "assistant", "type": "message", "content": "hi"}]}, "None of the messages is a question"),
        ({"messages": [*ASKED, {"role": "assistant", "type": "message", "content": "hi"}]}, "is the assistant's"),
        ({"messages": [{"role": "user", "type": "message", "content": {}}]}, "is not text"),
    ],
)  # fmt: skip
async def test_what_is_wrong_is_told_as_chunks(body: Any, told: str) -> None:
    async with gateway(coder) as url:
        answer = await post(url, body)
    first, second, third = chunks_of(answer)
    assert (answer.status_code, first["start"], third["end"]) == (200, True, True)
    assert (second["role"], second["type"]) == ("server", "error")
    assert told in second["content"]


async def test_a_copilot_that_fails_is_told_as_chunks() -> None:
    async def silent(turns: list[Turn]) -> AsyncGenerator[Item, None]:
        for item in list[Chunk]():
            yield item

    async with gateway(silent) as url:
        chunks = chunks_of(await post(url, {"messages": ASKED}))
    assert "returned no answer" in chunks[-2]["content"]
    assert chunks[-2]["type"] == "error"


async def test_who_hangs_up_stops_the_copilot_and_the_code() -> None:
    async def endless(turns: list[Turn]) -> AsyncGenerator[Item, None]:
        yield CopilotCall(
            "run_code",
            {"language": "shell", "code": "echo go; sleep 4720"},
            '{"type": "confirmation"}',
        )

    async with gateway(endless, lambda consents: consents.answer(True)) as url, asyncio.timeout(60):
        async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
            headers = {"Authorization": f"Bearer {TOKEN}"}
            async with client.stream(
                "POST", url, json={"messages": ASKED}, headers=headers
            ) as answer:
                lines = answer.aiter_lines()
                while '"go' not in await anext(lines):
                    pass
                while not (running := sleepers()):
                    await asyncio.sleep(0.01)
        while any(p.is_running() and p.status() != psutil.STATUS_ZOMBIE for p in running):
            await asyncio.sleep(0.01)


def sleepers() -> list[psutil.Process]:
    """Return the processes below this one that sleep."""
    found: list[psutil.Process] = []
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            found += [process] if process.name() == "sleep" else []
    return found


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("here", [True, False])
async def test_a_javascript_client_works_against_it(here: bool) -> None:
    say = (lambda consents: consents.answer(True)) if here else None
    async with gateway(coder, say) as url, asyncio.timeout(60):
        client = await asyncio.create_subprocess_exec(
            "node",
            str(CLIENT),
            url,
            TOKEN,
            "Plot it é",
            *([] if here else ["by node"]),
            stdout=asyncio.subprocess.PIPE,
        )
        told = json.loads((await client.communicate())[0])
    kinds = [(m["role"], m["type"], m["content"]) for m in told["messages"]]
    printed = "from the computer\n" if here else "by node"
    assert kinds == [
        ("user", "message", "Plot it é"),
        ("assistant", "message", "I will run code. "),
        ("assistant", "code", CODE),
        ("computer", "console", printed),
        ("assistant", "message", f"It said: {printed.strip()}"),
    ]
    assert told["confirmation"] == {"type": "code", "format": "shell", "content": CODE}
    assert (told["lines"][-1] is None) if here else (told["lines"] == [])


def test_code_and_what_it_printed_is_a_call_with_its_result() -> None:
    def message(role: str, kind: str, content: str, form: str | None = None) -> dict[str, Any]:
        return {"role": role, "type": kind, "content": content} | ({"format": form} if form else {})

    told = [
        message("user", "message", "first"),
        message("assistant", "code", "1 + 1", "python"),
        message("computer", "console", "2", "output"),
        message("computer", "image", "aGk=", "base64.png"),
        message("assistant", "message", "two"),
        message("user", "image", "cat.png", "path"),
        message("user", "message", "second"),
    ]
    first, second = turns_of(told, "temporary-x")
    assert [type(i).__name__ for i in first.items] == [
        "CopilotCall",
        "Message",
        "Message",
        "Message",
        "CallResult",
        "Message",
        "Message",
    ]
    assert (first.question, first.state, second.question, second.state) == (
        "first",
        "done",
        "second",
        "running",
    )
    assert second.parent == first.id


WRITTEN = {"role": "assistant", "type": "code", "format": "shell", "content": CODE}


async def test_code_at_the_end_of_a_list_is_asked_for_and_run() -> None:
    async with gateway(coder) as url:  # nobody is here: the caller is asked
        chunks = chunks_of(await post(url, {"messages": [*ASKED, WRITTEN]}))
    assert [(c["type"], c.get("content")) for c in chunks] == [
        ("confirmation", {"type": "code", "format": "shell", "content": CODE})
    ]
    async with gateway(coder, lambda consents: consents.answer(True)) as url:
        chunks = chunks_of(await post(url, {"messages": [*ASKED, WRITTEN]}))
    assert not [c for c in chunks if (c["role"], c["type"]) == ("assistant", "code")]  # not twice
    assert [c["content"] for c in chunks if c.get("format") == "output"] == ["from the computer\n"]
    words = "".join(c.get("content", "") for c in chunks if c["type"] == "message")
    assert words == "It said: from the computer"
    async with gateway(coder, lambda consents: consents.answer(False)) as url:
        chunks = chunks_of(await post(url, {"messages": [*ASKED, WRITTEN]}))
    (told,) = [c for c in chunks if c["type"] == "console" and "content" in c]
    assert (told["recipient"], told["content"]) == ("assistant", REFUSED)
    assert "did not allow" in chunks[-2]["content"]


def test_of_long_output_that_was_sent_a_copilot_is_told_head_and_tail() -> None:
    long = "\n".join(f"line {n}" for n in range(5000))
    ran = {"role": "computer", "type": "console", "format": "output", "content": long}
    (turn,) = turns_of([*ASKED, WRITTEN, ran], "temporary-x")
    result = turn.items[-1]
    assert isinstance(result, CallResult)
    assert "line 0\n" in result.content
    assert result.content.endswith("line 4999")
    assert "characters left out" in result.content
    assert len(result.content) < 3000


async def test_no_line_that_runs_is_told_inside_a_picture_or_a_page(repository: Path) -> None:
    code = "from IPython.display import HTML, display\ndisplay(HTML('<b>x</b>'))"
    shows = {"role": "assistant", "type": "code", "format": "python", "content": code}
    async with gateway(coder, lambda consents: consents.answer(True)) as url:
        chunks = chunks_of(await post(url, {"messages": [*ASKED, shows]}))
    inside: str | None = None
    pages = 0
    for chunk in chunks:
        if chunk.get("start"):
            inside = chunk["type"]
        elif chunk.get("end"):
            inside = None
        elif chunk.get("format") == "active_line":
            assert inside in ("console", None)
        else:
            pages += chunk.get("format") == "html"
    assert pages == 1
