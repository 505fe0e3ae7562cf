"""Run copilots and widget backends of strangers from their own code, and say what became of each.

    python -m tests.bench.strangers FOLDER [--only TEXT] [--table FILE]

FOLDER holds what was fetched, and `strangers.toml` with one table for each stranger:

    [[stranger]]
    name = "owner/repository"
    kind = "copilot"                 # or "widgets", "model", "lmc", "mcp"
    folder = "owner+repository"      # where its program starts, inside FOLDER
    command = ["{python}", "-m", "uvicorn", "main:app", "--port", "{port}"]
    env = { OPENAI_BASE_URL = "{model}" }
    headers = { "X-API-KEY" = "k" }  # what it wants to be sent
    path = ""                        # behind the address, where it has one
    venv = "venv"                    # of FOLDER, with what it needs
    models = ["name"]                # of a "model"; else the first it lists
    fields = { tools = "false" }     # of the form of a model of a provider

A "model" is an agent behind a route as OpenAI's: it is added as a provider, and our copilot talks
with it. "lmc" is a server of Open Interpreter's kind, "mcp" a server of tools.

`{python}` is the Python of its venv. The only thing that is not
theirs is the language model: a fake on this machine, to which the names of the usual hosts lead.
A copilot is asked three questions of one chat: a greeting, one with a table attached, and a
follow-up. A widget is put on a dashboard and looked at.

Each is `works`, `says why` (a sentence and what to do), or `BROKEN`: nothing shown, an exception,
or words of the model that did not arrive. Results: FOLDER/results.json, pictures, logs.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import threading
import time
import tomllib
from contextlib import aclosing, contextmanager
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import keyring

from tests.memory_keyring import MemoryKeyring

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from PySide6.QtWidgets import QWidget

    from app.domain.copilot import Copilot
    from app.domain.dashboard import Widget
    from app.domain.events import Item
    from app.services.deskpilot import Deskpilot
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

MARK = "heron"
UUID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")
QUESTIONS = ("Hello, what can you do?", "What does this table show?", "And which is the highest?")
TO_A_MODEL = (  # which our copilot does not answer by itself
    "Tell me a joke about herons.",
    "Write a short poem about this table.",
    "Make the poem shorter, please.",
)
START_SECONDS, ANSWER_SECONDS, WIDGET_SECONDS = 240, 90, 45
TABLE = "city,year,people\nBonn,2021,331885\nBergen,2021,286930\nKobe,2021,1522188\n"

REDIRECT = '''"""Lead the hosts of language models to the fake one; written by tests.bench.strangers."""
import importlib
import os

HOSTS = (
    "api.openai.com", "openrouter.ai", "api.sambanova.ai", "api.mistral.ai", "api.anthropic.com",
    "api.groq.com", "api.together.xyz", "api.deepseek.com", "api.perplexity.ai", "generativelanguage.googleapis.com", "integrate.api.nvidia.com", "ai.api.nvidia.com",
)
PLACES = ("localhost:1234", "127.0.0.1:1234")  # LM Studio's


def lead(client):
    fake = client.URL(os.environ["FAKE_MODEL"])

    def led(request):
        if request.url.host in HOSTS or f"{request.url.host}:{request.url.port}" in PLACES:
            request.url = request.url.copy_with(scheme="http", host=fake.host, port=fake.port)
            request.headers["host"] = f"{fake.host}:{fake.port}"
        return request

    def wrap(kind, name):
        handle = getattr(kind, name)
        setattr(kind, name, lambda self, request: handle(self, led(request)))

    wrap(client.HTTPTransport, "handle_request")
    wrap(client.AsyncHTTPTransport, "handle_async_request")

for name in ("httpx", "httpx2"):
    try:
        lead(importlib.import_module(name))
    except ImportError:
        pass
try:
    from urllib.parse import urlsplit

    from requests.adapters import HTTPAdapter
except ImportError:
    pass
else:
    send = HTTPAdapter.send

    def sent(self, request, *rest, **named):
        if urlsplit(request.url).hostname in HOSTS:
            split = urlsplit(request.url)
            request.url = os.environ["FAKE_MODEL"] + split.path
        return send(self, request, *rest, **named)

    HTTPAdapter.send = sent
'''


@dataclass(frozen=True)
class Stranger:
    """A program of a stranger, and how it is started."""

    name: str
    kind: str
    folder: str
    command: list[str]
    env: dict[str, str] = field(default_factory=dict[str, str])
    headers: dict[str, str] = field(default_factory=dict[str, str])
    path: str = ""
    venv: str = "venv"
    models: list[str] = field(default_factory=list[str])
    key: str = "sk-fake"
    fields: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Outcome:
    """What became of one question or widget. state: `works`, `says why` or `BROKEN`."""

    name: str
    part: str
    state: str
    told: str


# -- the fake model -----------------------------------------------------------------------------


@dataclass
class FakeModel:
    """marks: the word of each answer in prose that it gave."""

    url: str = ""
    marks: list[str] = field(default_factory=list[str])


def instance_of(schema: dict[str, Any], words: str, name: str = "", depth: int = 0) -> Any:
    """Return a value of a JSON Schema; one that names a widget has the id of one in the words."""
    if depth > 6:
        return None
    if "$ref" in schema:
        return {}
    if schema.get("enum"):
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    for several in ("anyOf", "oneOf", "allOf"):
        if schema.get(several):
            return instance_of(schema[several][0], words, name, depth + 1)
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        listed = schema.get("properties") or {}
        needed = schema.get("required") or list(listed)
        return {n: instance_of(listed[n], words, n, depth + 1) for n in needed if n in listed}
    if kind == "array":
        return [instance_of(schema.get("items") or {}, words, name, depth + 1)]
    if kind in ("integer", "number"):
        return 1
    if kind == "boolean":
        return False
    found = UUID.search(words)
    return found[0] if found and re.search("uuid|widget|id$", name) else "AAPL"


def reply_to(model: FakeModel, body: dict[str, Any]) -> dict[str, Any]:
    """Return the message of the model: a call of the first tool, once; else what is asked for in
    its form, or a sentence with a word that marks it.
    """
    messages = body.get("messages") or []
    words = json.dumps(messages)
    since = [m.get("role") for m in messages]
    called = "tool" in since or "function" in since
    tools = [t["function"] for t in body.get("tools") or [] if t.get("type") == "function"]
    tools = tools or list(body.get("functions") or [])
    forced = isinstance(body.get("tool_choice"), dict) or body.get("tool_choice") == "required"
    if tools and body.get("tool_choice") != "none" and (forced or not called):
        arguments = json.dumps(instance_of(tools[0].get("parameters") or {}, words))
        call = {"name": tools[0]["name"], "arguments": arguments}
        made = {"id": f"call_{len(words)}", "type": "function", "function": call, "index": 0}
        return {"role": "assistant", "content": None, "tool_calls": [made]}
    form = body.get("response_format") or {}
    if form.get("type") == "json_schema":
        made = instance_of(form["json_schema"].get("schema") or {}, words)
        return {"role": "assistant", "content": json.dumps(made)}
    if form.get("type") == "json_object":
        return {"role": "assistant", "content": "{}"}
    mark = f"{MARK}{len(model.marks) + 1}"
    model.marks.append(mark)
    return {"role": "assistant", "content": f"**Kobe** is the highest, says the model: {mark}."}


@contextmanager
def fake_model() -> Iterator[FakeModel]:
    """Serve the model until the block ends."""
    made = FakeModel()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            listed = [{"id": "fake", "object": "model", "created": 0, "owned_by": "us"}]
            self.answer(json.dumps({"object": "list", "data": listed}))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or "{}")
            if "embeddings" in self.path:
                given = body.get("input")
                rows = given if isinstance(given, list) else [given]
                data = [
                    {"object": "embedding", "index": n, "embedding": [0.1] * 8}
                    for n in range(len(rows))
                ]
                usage = {"prompt_tokens": 1, "total_tokens": 1}
                told = {"object": "list", "model": "fake", "data": data, "usage": usage}
                self.answer(json.dumps(told))
                return
            message = reply_to(made, body)
            reason = "tool_calls" if message.get("tool_calls") else "stop"
            head = {"id": "chat-1", "created": int(time.time()), "model": body.get("model", "fake")}
            usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
            if not body.get("stream"):
                choice = {"index": 0, "message": message, "finish_reason": reason}
                whole = {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
                self.answer(json.dumps(whole))
                return
            text = message["content"] or ""
            deltas = [{"role": "assistant", "content": ""}]
            deltas += [{"content": text[at : at + 9]} for at in range(0, len(text), 9)]
            if message.get("tool_calls"):
                deltas.append({"tool_calls": message["tool_calls"]})
            choices = [[{"index": 0, "delta": d, "finish_reason": None}] for d in deltas]
            choices.append([{"index": 0, "delta": {}, "finish_reason": reason}])
            lines = [
                json.dumps({**head, "object": "chat.completion.chunk", "choices": c})
                for c in choices
            ]
            self.answer("".join(f"data: {x}\n\n" for x in [*lines, "[DONE]"]), "text/event-stream")

        def answer(self, text: str, kind: str = "application/json") -> None:
            content = text.encode()
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_address[1]}"
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    try:
        yield made
    finally:
        server.shutdown()
        serving.join()
        server.server_close()


# -- the strangers ------------------------------------------------------------------------------


def free_port() -> int:
    """Return a port nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@contextmanager
def started(stranger: Stranger, folder: Path, model: FakeModel) -> Iterator[str]:
    """Start a stranger's program and give its address; it ends with the block."""
    port, log = free_port(), folder / "logs" / f"{stranger.name.replace('/', '+')}.txt"
    log.parent.mkdir(exist_ok=True)
    (folder / "redirect").mkdir(exist_ok=True)
    (folder / "redirect" / "sitecustomize.py").write_text(REDIRECT)
    places = {
        "{python}": str(folder / stranger.venv / "bin" / "python"),
        "{port}": str(port),
        "{model}": f"{model.url}/v1",
        "{host}": model.url,
        "{address}": f"http://127.0.0.1:{port}",
    }

    def filled(text: str) -> str:
        for name, value in places.items():
            text = text.replace(name, value)
        return text

    plain = {k: v for k, v in os.environ.items() if "proxy" not in k.lower() and k != "PYTHONPATH"}
    keys = {
        f"{name}_API_KEY": "sk-fake"
        for name in ("OPENAI", "OPENROUTER", "SAMBANOVA", "MISTRAL", "ANTHROPIC", "GROQ")
    }
    env = {**plain, **keys, "FAKE_MODEL": model.url, "OPENAI_BASE_URL": f"{model.url}/v1"}
    env |= {n: filled(v) for n, v in stranger.env.items()}
    env["PYTHONPATH"] = os.pathsep.join(
        [str(folder / "redirect"), *filter(None, [env.get("PYTHONPATH")])]
    )
    command = [filled(part) for part in stranger.command]
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, cwd=folder / stranger.folder, env=env, stdout=out, stderr=out
        )
        try:
            deadline = time.monotonic() + START_SECONDS
            while True:
                with (
                    contextlib.suppress(OSError),
                    socket.create_connection(("127.0.0.1", port), timeout=1),
                ):
                    break
                if process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit(f"{stranger.name} did not start: {log}")
                time.sleep(0.2)
            yield f"http://127.0.0.1:{port}{stranger.path}"
        finally:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
            process.wait()


# -- copilots -----------------------------------------------------------------------------------


def judged(items: list[Item], marks: list[str]) -> tuple[str, str]:
    """Return what became of a question, and what was shown."""
    from app.domain.events import Artifact, Ended, Status
    from app.domain.stream import Chunk

    text = "".join(
        i.content or "" for i in items if isinstance(i, Chunk) and i.type in ("message", "code")
    )
    made = [i for i in items if isinstance(i, Artifact)]
    made += [a for i in items if isinstance(i, Status) for a in i.artifacts]
    ended = [i for i in items if isinstance(i, Ended)]
    shown = text.strip() + "".join(f" [{a.type}: {a.name}]" for a in made)
    if len(ended) != 1:
        return "BROKEN", f"{len(ended)} ends; {shown}"
    if ended[0].state != "done":
        said = f"{ended[0].text} {ended[0].remedy}".strip()
        return ("says why" if ended[0].text and ended[0].remedy else "BROKEN"), f"{said} | {shown}"
    if marks and not any(mark in text for mark in marks):
        return "BROKEN", f"words of the model were lost: {shown}"
    if not shown.strip():
        return "BROKEN", "done, and nothing is shown"
    return "works", shown


async def asked_all(
    strangers: list[Stranger], folder: Path, model: FakeModel, table: Path
) -> list[Outcome]:
    """Ask each, from one terminal, the questions of one chat; print what became of each."""
    from app.adapters.model_service import process
    from app.bootstrap import build

    process.START_SECONDS = START_SECONDS  # a machine that does other things beside this is slow
    made: list[Outcome] = []
    async with build() as deskpilot:
        for stranger in strangers:
            running = started(stranger, folder, model)
            try:
                url = await asyncio.to_thread(running.__enter__)
            except SystemExit as error:
                told = [Outcome(stranger.name, "start", "not run", str(error))]
            else:
                try:
                    told = await asked(deskpilot, stranger, url, model, table)
                finally:
                    await asyncio.to_thread(running.__exit__, None, None, None)
            tell(told)
            made += told
    return made


async def asked(
    deskpilot: Deskpilot, stranger: Stranger, url: str, model: FakeModel, table: Path
) -> list[Outcome]:
    """Ask a copilot, or a model of a stranger's server, the questions of one chat."""
    from app.domain.errors import DeskpilotError

    made: list[Outcome] = []
    try:
        chat = await chat_of(deskpilot, stranger, url)
    except DeskpilotError as error:
        return [Outcome(stranger.name, "add", "says why", f"{error.text} {error.remedy}")]
    for part, copilot, name in chat:
        made += await talk(deskpilot, stranger.name, part, copilot, name, model, table)
    return made


async def chat_of(
    deskpilot: Deskpilot, stranger: Stranger, url: str
) -> list[tuple[str, Copilot, str | None]]:
    """Return whom to ask: each copilot at the address, or ours with the stranger's model."""
    if stranger.kind == "copilot":
        added = await deskpilot.copilots.add(url, headers=stranger.headers)
        return [(a.copilot.name, await deskpilot.copilots.named(a.name), None) for a in added]
    if stranger.kind == "lmc":
        added = await deskpilot.copilots.add(url, headers=stranger.headers, dialect="lmc")
        return [("lmc", await deskpilot.copilots.named(a.name), None) for a in added]
    if stranger.kind == "model":
        return [
            (name, await deskpilot.copilots.local(), f"stranger/{name}")
            for name in await lent(deskpilot, stranger, url)
        ]
    raise SystemExit(f"{stranger.name}: kind {stranger.kind}")


async def lent(deskpilot: Deskpilot, stranger: Stranger, url: str) -> list[str]:
    """Add a stranger's server as a provider, as `deskpilot providers add` does; return its models.

    Raises: DeskpilotError.
    """
    from app.domain.provider import FilledForm
    from app.services.models.providers import WantedModel

    for one in await deskpilot.providers.added():
        await deskpilot.providers.remove(one.name)
    secrets = {"api_key": stranger.key} if stranger.key else {}
    filled = FilledForm({"base_url": url, "timeout": "60"}, secrets)
    tried = await deskpilot.providers.try_out("openai_compatible", filled)
    names = stranger.models or [m.model for m in tried.models if m.type in ("", "llm")][:1]
    wanted = [WantedModel(name, "llm", FilledForm(stranger.fields)) for name in names]
    await deskpilot.providers.add("stranger", "openai_compatible", filled, wanted, tried=tried)
    return names


def allow_all(deskpilot: Deskpilot) -> Callable[[Any], None]:
    """Return a person who says yes to whatever is asked."""

    def on_consent(consent: Any) -> None:
        if consent is not None:
            consents = deskpilot.dashboard.consents
            asyncio.get_running_loop().call_soon(consents.answer, True)

    return on_consent


async def tools_of(stranger: Stranger, folder: Path, model: FakeModel) -> list[Outcome]:
    """Start a server of tools as `deskpilot mcp add` does, and call its first four.

    Its command speaks over its streams; the person says yes to each call.
    """
    from app.adapters.builders import build_belt
    from app.domain.copilot import Copilot
    from app.domain.errors import DeskpilotError
    from app.domain.tool import Chain, McpEntry
    from app.services.consents import Consents

    python = str(folder / stranger.venv / "bin" / "python")
    line = shlex.join(part.replace("{python}", python) for part in stranger.command)
    place = shlex.quote(str(folder / stranger.folder))
    told = {"OPENAI_API_KEY": "sk-fake", "OPENAI_BASE_URL": f"{model.url}/v1"}
    told |= {n: v.replace("{model}", f"{model.url}/v1") for n, v in stranger.env.items()}
    entry = McpEntry("stranger", ("bash", "-c", f"cd {place} && exec {line}"), "", tuple(told))
    copilot = Copilot("mine", "Mine", "http://localhost/", "today", features={"mcp-tools": True})
    chain = Chain(copilot)
    consents, made = Consents(), list[Outcome]()

    def on_consent(consent: Any) -> None:
        if consent is not None:
            asyncio.get_running_loop().call_soon(consents.answer, True)

    async with build_belt(consents) as belt:
        consents.subscribe(on_consent)
        try:
            server = await belt.mcp.add(entry, told)
        except DeskpilotError as error:
            return [Outcome(stranger.name, "add", "says why", f"{error.text} {error.remedy}")]
        made.append(Outcome(stranger.name, "add", "works", f"{len(server.tools)} tools"))
        for tool in server.tools[:4]:
            given = instance_of(tool.input_schema, "")
            try:
                async with asyncio.timeout(ANSWER_SECONDS):
                    reply = await belt.box.call(server.id, tool.name, given, chain)
                state = "works" if not reply.failed else "says why"
                outcome = Outcome(stranger.name, tool.name, state, reply.content)
            except DeskpilotError as error:
                outcome = Outcome(stranger.name, tool.name, "says why", str(error))
            except Exception as error:  # noqa: BLE001  # this is what is looked for
                outcome = Outcome(
                    stranger.name, tool.name, "BROKEN", f"{type(error).__name__}: {error}"
                )
            made.append(outcome)
        await belt.mcp.remove("stranger")
    return made


async def talk(
    deskpilot: Deskpilot,
    name: str,
    part: str,
    copilot: Copilot,
    model_name: str | None,
    model: FakeModel,
    table: Path,
) -> list[Outcome]:
    """Ask the questions of one chat; return what became of each."""
    from app.services.conversation.turns import offer_for
    from app.services.dashboard.table_notes import add_tables

    made: list[Outcome] = []
    widgets = [w.uuid for w in await add_tables(deskpilot.widgets, table)]
    deskpilot.dashboard.consents.subscribe(allow_all(deskpilot))
    questions = QUESTIONS if model_name is None else TO_A_MODEL
    conversation = await deskpilot.history.begin(questions[0])
    turns: list[Any] = []

    async def find() -> Copilot:
        return copilot

    for number, question in enumerate(questions):
        before = len(model.marks)
        offer = offer_for(deskpilot.widgets, widgets if number else [], model=model_name)
        turn = deskpilot.turns.new_turn(conversation.id, question, turns[-1].id if turns else None)
        items: list[Item] = []
        try:
            async with (
                asyncio.timeout(ANSWER_SECONDS),
                aclosing(deskpilot.turns.run(turns, turn, find, offer)) as answer,
            ):
                async for item in answer:
                    items.append(item)
            own = model_name is not None  # ours may answer without a word of the model
            state, told = judged(items, [] if own else model.marks[before:])
            if own:
                words = sum(mark in told for mark in model.marks[before:])
                told = f"({words} of {len(model.marks) - before} of the model's words) {told}"
        except TimeoutError:
            state, told = "BROKEN", f"no end in {ANSWER_SECONDS} s"
        except Exception as error:  # noqa: BLE001  # this is what is looked for
            state, told = "BROKEN", f"{type(error).__name__}: {error}"
        turns.append(turn)
        made.append(Outcome(name, f"{part} {number + 1}", state, told))
    return made


# -- widgets ------------------------------------------------------------------------------------


async def drawn(body: QWidget) -> str:
    """Return what a chart or page says of itself once it is drawn; nothing for others."""
    page = getattr(body, "page", None)
    if page is None or not callable(page) or type(body).__name__ != "PlotBody":
        return ""
    async with asyncio.timeout(30):
        while page().title() not in ("drawn", "failed"):
            await asyncio.sleep(0.05)
    return page().title()


def seen_body(card: Any, widget: Widget, kind: str) -> tuple[str, str]:
    """Return what a widget shows, and whether that is what its backend says it is."""
    from PySide6.QtWidgets import QLabel

    from app.ui.dashboard.bodies.raw import RawBody
    from app.ui.dashboard.card import Problem, TableBody

    body = card.body
    if isinstance(body, Problem):
        text = body.findChild(QLabel)
        words = text.text() if isinstance(text, QLabel) else ""
        return ("says why" if len(words) > 20 else "BROKEN"), words
    if isinstance(body, TableBody):
        model = body.table()
        size = f"{model.rowCount()} × {model.columnCount()}"
        return ("works" if model.columnCount() else "BROKEN"), f"table {size} ({kind})"
    if isinstance(body, RawBody) and kind == "iframe":  # offered to the browser, at its address
        return "says why", body.text.toPlainText()
    if isinstance(body, RawBody) and kind not in ("raw", "ssrm_table"):
        return "BROKEN", f"JSON in place of {kind}"
    if isinstance(body, QLabel):
        return "BROKEN", f"still: {body.text()}"
    return "works", f"{type(body).__name__} ({kind})"


async def placed(
    window: MainWindow, session: WindowSession, stranger: Stranger, url: str, folder: Path
) -> list[Outcome]:
    """Put each widget of a backend on a dashboard and look at it."""
    from PySide6.QtWidgets import QLabel

    from app.domain.dashboard import TilePlace
    from app.domain.errors import DeskpilotError
    from app.ui.dashboard.card import ReadingNotice
    from app.ui.dashboard.params import ParamBar
    from tests.gui.living import until

    live, pane = session.deskpilot.live, window.dashboard
    try:
        backend = await live.backends.add(url, stranger.headers)
    except DeskpilotError as error:
        return [Outcome(stranger.name, "add", "says why", f"{error.text} {error.remedy}")]
    session.board.tabs.add()
    made: list[Outcome] = []
    for widget_id in backend.widgets:
        spec = backend.spec(widget_id)
        if spec is None:
            made.append(Outcome(stranger.name, widget_id, "BROKEN", "has no description"))
            continue
        try:
            widget = live.make(backend.id, spec.id)
            session.deskpilot.dashboard.reserve(widget.uuid, TilePlace(widget.uuid, 0, -1, 12, 8))
            await live.begin(widget)
            if spec.run_button:
                await until(lambda uid=widget.uuid: uid in pane.cards, WIDGET_SECONDS)
                live.fetch(widget.uuid)
            await until(
                lambda uid=widget.uuid: (
                    uid in pane.cards
                    and live.state(uid).run is None
                    and type(pane.cards[uid].body) not in (ReadingNotice, QLabel)
                ),
                WIDGET_SECONDS,
            )
            card = pane.cards[widget.uuid]
            state, told = seen_body(card, widget, spec.kind)
            if title := await drawn(card.body):
                state, told = ("works" if title == "drawn" else "BROKEN"), f"{told}: {title}"
            if isinstance(card.params, ParamBar):
                told += f"; fields: {', '.join(card.params.fields)}"
        except (TimeoutError, DeskpilotError) as error:
            state, told = "BROKEN", f"{type(error).__name__} {error}"
        made.append(Outcome(stranger.name, spec.id, state, told))
    window.grab().save(str(folder / f"{stranger.name.replace('/', '+')}.png"))
    return made


def looked_at(strangers: list[Stranger], folder: Path, model: FakeModel) -> list[Outcome]:
    """Show the widgets of all backends in one window."""
    from PySide6.QtWidgets import QApplication

    from tests.gui.living import in_window

    app = QApplication.instance() or QApplication(sys.argv)
    made: list[Outcome] = []

    async def work(window: MainWindow, session: WindowSession) -> None:
        window.resize(1500, 1000)
        for stranger in strangers:
            try:
                with started(stranger, folder, model) as url:
                    told = await placed(window, session, stranger, url, folder)
            except SystemExit as error:
                told = [Outcome(stranger.name, "start", "not run", str(error))]
            tell(told)
            made.extend(told)

    in_window(work)
    del app
    return made


def tell(outcomes: list[Outcome]) -> None:
    """Print a line for each."""
    for one in outcomes:
        words = " ".join(one.told.split())[:150]
        print(f"{one.state:9} {one.name} · {one.part}: {words}", flush=True)


def read_strangers(folder: Path) -> list[Stranger]:
    """Return the strangers of a folder."""
    told = tomllib.loads((folder / "strangers.toml").read_text("utf-8"))
    return [Stranger(**one) for one in told["stranger"]]


def main() -> int:
    """Run all and print what became of them; 1 if anything is broken."""
    parser = argparse.ArgumentParser(description="Run programs of strangers")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="those whose name or kind holds this")
    parser.add_argument("--table", type=Path, help="the table that is attached")
    asked = parser.parse_args()
    folder = asked.folder.resolve()
    keyring.set_keyring(MemoryKeyring())
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    home = folder / "home"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    os.environ["DESKPILOT_HOME"] = str(home)
    table = asked.table.resolve() if asked.table else folder / "cities.csv"
    if not asked.table:
        table.write_text(TABLE, "utf-8")
    chosen = [s for s in read_strangers(folder) if asked.only in f"{s.kind} {s.name}"]
    made: list[Outcome] = []
    with fake_model() as model:
        for stranger in [s for s in chosen if s.kind == "mcp"]:
            told = asyncio.run(tools_of(stranger, folder, model))
            tell(told)
            made += told
        if copilots := [s for s in chosen if s.kind not in ("widgets", "mcp")]:
            made += asyncio.run(asked_all(copilots, folder, model, table))
        if backends := [s for s in chosen if s.kind == "widgets"]:
            made += looked_at(backends, folder, model)
    (folder / "results.json").write_text(json.dumps([asdict(one) for one in made], indent=1))
    counts = {s: sum(one.state == s for one in made) for s in ("works", "says why", "BROKEN")}
    print(counts)
    return 1 if counts["BROKEN"] else 0


if __name__ == "__main__":
    sys.exit(main())
