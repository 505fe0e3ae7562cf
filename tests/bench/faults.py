"""What is left when everything goes wrong: `python -m tests.bench.faults kills --count 1000`.

`kills` starts the terminal again and again over one folder, lets it ask a copilot that streams, and
kills -9 it, its model service or the workers at random moments. It writes down what it was told is
done; after each kill a checker replays that log against a model of what must be there: every
question that was sent, every answer that ended, all but the last second of one that streamed, and
nothing else. How far it is lies in the folder, so that a run goes on where the last one ended.

`python -m tests.bench.faults all` tries the others, once each: a full disk, a clock that jumps, a
home that cannot be written, two terminals on one folder, a damaged store, and a network that drops,
slows and sends twice.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil

from backends.paths import models_folder

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = Path.home() / ".cache" / "deskpilot-faults"
FLUSH = 1.0  # seconds of a stream that may be lost
SLACK = 0.3  # seconds more, beside what the loop of the terminal was late by
BEAT = 0.2  # seconds between two lines by which that is seen
WORDS = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india")
STREAM = "text/event-stream"


def answer_to(question: str) -> list[str]:
    """Return the pieces of the answer to a question: the same, whenever it is asked."""
    chance = random.Random(question)
    return [f"{chance.choice(WORDS)} {n} " for n in range(chance.randrange(5, 120))]


class Copilot(BaseHTTPRequestHandler):
    """Streams answers; remembers each question that came."""

    protocol_version = "HTTP/1.1"
    heard: list[str] = []  # noqa: RUF012 - shared by all connections
    pause = 0.02

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        question = str(body["messages"][-1]["content"])
        self.heard.append(question)
        self.send_response(200)
        self.send_header("content-type", STREAM)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        with contextlib.suppress(OSError):
            for piece in answer_to(question):
                data = json.dumps({"delta": piece})
                self.chunk(f"event: copilotMessageChunk\r\ndata: {data}\r\n\r\n".encode())
                time.sleep(self.pause)
            self.chunk(b"")

    def chunk(self, data: bytes) -> None:
        """Send a chunk of the answer."""
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def handle(self) -> None:
        """Answer; a terminal that was killed asks no more."""
        with contextlib.suppress(ConnectionError):
            super().handle()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextlib.contextmanager
def copilot(pause: float = 0.02) -> Any:
    """Run the copilot; yield its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Copilot)
    server.daemon_threads = True
    Copilot.pause = pause
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1/query"
    finally:
        server.shutdown()
        server.server_close()


# --- the terminal that is killed -----------------------------------------------------------------


async def terminal(url: str, seed: int, local: bool, turns: int) -> None:
    """Ask, rename and begin conversations until killed; write each down before and once done."""
    from app.adapters.store.store import Store
    from app.bootstrap import build
    from app.domain.copilot import Copilot as Known
    from app.domain.events import Ended
    from app.domain.stream import Chunk, Message
    from app.services.conversation.turns import offer_for

    chance = random.Random(seed)
    if jump := float(os.environ.get("FAULTS_CLOCK", "0")):
        real = time.time
        time.time = lambda: real() + jump * chance.choice((-1, 0, 1))  # type: ignore[assignment]

    def log(what: str, **fields: Any) -> None:
        print(json.dumps({"what": what, "at": time.monotonic()} | fields), flush=True)

    put = Store.put_items

    async def put_items(store: Store, turn: str, first: int, items: list[Any], *rest: Any) -> None:
        told = [len(i.content) for i in items if isinstance(i, Message)]
        log("writing", turn=turn)
        await put(store, turn, first, items, *rest)
        log("wrote", turn=turn, characters=max(told, default=0))

    async def beat() -> None:
        while True:
            log("beat")
            await asyncio.sleep(BEAT)

    Store.put_items = put_items  # type: ignore[method-assign]
    beating = asyncio.create_task(beat(), name="beat")
    async with build() as desk:
        peer = Known("peer", "Peer", url, "today")

        async def find() -> Known:
            return peer

        conversation = (await desk.history.begin(f"kill {seed}")).id
        log("begun", conversation=conversation)
        for number in range(turns):
            if chance.random() < 0.15:
                conversation = (await desk.history.begin(f"kill {seed} {number}")).id
                log("begun", conversation=conversation)
            if chance.random() < 0.2:
                title = f"title {seed} {number}"
                log("renaming", conversation=conversation, title=title)
                await desk.history.rename(conversation, title)
                log("renamed", conversation=conversation, title=title)
            ours = local and chance.random() < 0.5
            question = "Write a long story about the sea." if ours else f"Question {seed} {number}?"
            turn = desk.turns.new_turn(conversation, question, None)
            log("asking", turn=turn.id, conversation=conversation, question=question, ours=ours)
            chosen, characters, told = desk.copilots.local if ours else find, 0, 0.0
            async for item in desk.turns.run([], turn, chosen, offer_for(desk.widgets, [])):
                if isinstance(item, Chunk) and isinstance(item.content, str):
                    characters += len(item.content)
                    if time.monotonic() - told > 0.1:
                        told = time.monotonic()
                        log("streamed", turn=turn.id, characters=characters)
                if isinstance(item, Ended):
                    log("last", turn=turn.id, state=item.state, text=item.text)
            log("ended", turn=turn.id, state=turn.state, answer=turn.answer())
    beating.cancel()


@dataclass
class Model:
    """What must be in the store. sent: questions the copilot has heard."""

    conversations: dict[str, str | None] = field(default_factory=dict)
    asked: dict[str, dict[str, Any]] = field(default_factory=dict)
    ended: dict[str, dict[str, Any]] = field(default_factory=dict)
    streamed: dict[str, list[tuple[float, int]]] = field(default_factory=dict)
    wrote: dict[str, int] = field(default_factory=dict)
    writing: dict[str, float] = field(default_factory=dict)
    beats: list[float] = field(default_factory=list)
    last: float = 0.0
    cut: dict[str, tuple[float, float]] = field(default_factory=dict)

    def cut_at(self, turn: str, killed_at: float) -> tuple[float, float]:
        """Return when a turn that did not end was cut off, and what may be lost of it, in seconds.

        It stays what it was at the first kill: later ones find the turn as that one left it.
        """
        if turn not in self.cut:
            # While a write is under way the disk is what takes long, not we.
            until = self.writing.get(turn, killed_at)
            self.cut[turn] = (until, FLUSH + SLACK + max(0.0, self.late_by(until)))
        return self.cut[turn]

    titles: dict[str, set[str]] = field(default_factory=dict)

    def replay(self, line: dict[str, Any]) -> None:
        """Take a line of the log."""
        what, self.last = line["what"], line["at"]
        if what == "begun":
            self.conversations[line["conversation"]] = None
        elif what == "renaming":
            self.titles.setdefault(line["conversation"], set()).add(line["title"])
        elif what == "renamed":
            self.conversations[line["conversation"]] = line["title"]
            self.titles[line["conversation"]] = {line["title"]}
        elif what == "asking":
            self.asked[line["turn"]] = line
        elif what == "streamed":
            self.streamed.setdefault(line["turn"], []).append((line["at"], line["characters"]))
        elif what == "beat":
            self.beats.append(line["at"])
        elif what == "writing":
            self.writing[line["turn"]] = line["at"]
        elif what == "wrote":
            self.writing.pop(line["turn"], None)
            self.wrote[line["turn"]] = max(self.wrote.get(line["turn"], 0), line["characters"])
        elif what == "ended":
            self.ended[line["turn"]] = line

    def late_by(self, killed_at: float) -> float:
        """Return how late the loop of the terminal was at most before it was killed, in seconds."""
        last = [at for at in self.beats if 0 <= killed_at - at < 5] + [killed_at]
        return max([b - a - BEAT for a, b in pairwise(last)], default=0.0)


def faults_of(model: Model, store: Path, killed_at: float, heard: set[str]) -> list[str]:
    """Return in what a store differs from what must be there, once it was opened after a kill."""
    found: list[str] = []
    killed_at = min(killed_at, model.last + BEAT)  # who kills may itself be kept waiting
    with contextlib.closing(sqlite3.connect(store)) as connection:
        for pragma in ("integrity_check", "foreign_key_check"):
            state = connection.execute(f"PRAGMA {pragma}").fetchall()
            if state not in ([], [("ok",)]):
                found.append(f"{pragma}: {state[:2]}")
        try:
            connection.execute("INSERT INTO text_index (text_index) VALUES ('integrity-check')")
        except sqlite3.Error as error:
            found.append(f"index of words: {error}")
        connection.rollback()
        titles = dict(connection.execute("SELECT id, title FROM conversations"))
        turns = {
            row[0]: row[1:] for row in connection.execute("SELECT id, question, state FROM turns")
        }
        answers: dict[str, str] = {}
        sql = "SELECT turn_id, body FROM items WHERE kind = 'message' ORDER BY turn_id, position"
        for turn, body in connection.execute(sql):
            made = json.loads(body)
            if (made["role"], made["type"]) == ("assistant", "message"):
                answers[turn] = answers.get(turn, "") + made["content"]
    for uid, title in model.conversations.items():
        if uid not in titles:
            found.append(f"conversation {uid} is gone")
        elif title is not None and titles[uid] not in model.titles[uid]:
            found.append(f"conversation {uid} is called {titles[uid]!r}, not {title!r}")
    for uid, asked in model.asked.items():
        question, state = turns.get(uid, (None, None))
        ended = model.ended.get(uid)
        if question is None:
            if ended is not None or asked["question"] in heard:
                found.append(f"turn {uid} was sent or ended, and is gone")
            continue
        if question != asked["question"] or state == "running":
            found.append(f"turn {uid}: {question!r}, {state}")
        answer = answers.get(uid, "")
        if ended is not None and (state, answer) != (ended["state"], ended["answer"]):
            found.append(f"turn {uid} ended {ended['state']}, is {state}, {len(answer)} letters")
        if ended is None and not asked["ours"]:
            if not "".join(answer_to(question)).startswith(answer):
                found.append(f"turn {uid} holds what was never said")
            if len(answer) < model.wrote.get(uid, 0):
                found.append(f"turn {uid} lost {model.wrote[uid] - len(answer)} letters written")
            until, most = model.cut_at(uid, killed_at)
            old = [n for at, n in model.streamed.get(uid, []) if until - at > most]
            if old and len(answer) < max(old):
                found.append(f"turn {uid} lost {max(old) - len(answer)} letters older than it may")
    known = set(model.asked)
    found += [f"turn {uid} was never asked" for uid in turns if uid not in known]
    return found


def family(home: Path) -> list[psutil.Process]:
    """Return the processes that run for a home."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get("DESKPILOT_HOME") == str(home):
                found.append(process)
    return found


def lives(process: psutil.Process) -> bool:
    """Tell whether a process runs; one that ended and that nobody has buried does not."""
    with contextlib.suppress(psutil.Error):
        return process.status() != psutil.STATUS_ZOMBIE
    return False


def command_of(process: psutil.Process) -> list[str]:
    """Return how a process was started."""
    with contextlib.suppress(psutil.Error):
        return process.cmdline()
    return []


def named(home: Path, kind: str) -> list[psutil.Process]:
    """Return the service of a home, or its workers."""
    name = {"worker": "backends.workers.child", "service": "backends.service"}[kind]
    found: list[psutil.Process] = []
    for process in family(home):
        with contextlib.suppress(psutil.Error):
            if name in " ".join(process.cmdline()):
                found.append(process)
    return found


def start(home: Path, url: str, seed: int, local: bool, **variables: str) -> subprocess.Popen[str]:
    """Start the terminal of a home."""
    command = [sys.executable, "-m", "tests.bench.faults", "--terminal", url]
    env = os.environ | {"DESKPILOT_HOME": str(home), "DESKPILOT_MODELS": str(models_folder())}
    return subprocess.Popen(
        [*command, "--seed", str(seed), *(["--local"] if local else [])],
        cwd=REPOSITORY,
        env=env | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def read_log(app: subprocess.Popen[str], model: Model, lines: list[dict[str, Any]]) -> None:
    """Read what a terminal writes down until it ends."""
    assert app.stdout
    for raw in app.stdout:
        with contextlib.suppress(ValueError):  # a line that the kill cut
            line = json.loads(raw)
            lines.append(line)
            model.replay(line)


def one_round(home: Path, url: str, seed: int, local: bool, model: Model) -> dict[str, Any]:
    """Start a terminal, kill something at a random moment, and say what came of it."""
    chance = random.Random(seed)
    lines: list[dict[str, Any]] = []
    app = start(home, url, seed, local)
    reading = threading.Thread(target=read_log, args=(app, model, lines), daemon=True)
    reading.start()
    deadline = time.monotonic() + 60
    early = chance.random() < 0.1
    while not early and not lines and app.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    kills: list[str] = []
    faults: list[str] = []
    if local:
        for _ in range(chance.randrange(0, 4)):
            kind = chance.choice(["service", "worker", "worker"])
            time.sleep(chance.uniform(0.2, 3))
            for process in named(home, kind):
                with contextlib.suppress(psutil.Error):
                    process.kill()
                    kills.append(kind)
                    break
    time.sleep(chance.uniform(0, 1.5 if early else 3))
    if app.poll() is not None:
        faults.append(f"the app ended by itself with {app.returncode}")
    app.send_signal(signal.SIGKILL)
    killed_at = time.monotonic()
    kills.append("app")
    app.wait()
    reading.join(10)
    assert app.stderr
    said = app.stderr.read()
    if "Traceback" in said:
        faults.append(f"it said: {said[-600:]}")
    psutil.wait_procs(family(home), timeout=60)
    left = [process for process in family(home) if lives(process)]
    faults += [f"still runs: {' '.join(command_of(process))[:200]}" for process in left]
    for process in left:
        with contextlib.suppress(psutil.Error):
            process.kill()
    return {"kills": kills, "faults": faults, "killed_at": killed_at}


def open_again(home: Path) -> str:
    """Open a store as the next start does; return what went wrong."""
    code = (
        "import asyncio\nfrom app.adapters.store.store import Store\n"
        "from backends.paths import store_file\n"
        "async def main():\n    s = await Store.open(store_file())\n"
        "    assert s.note is None, s.note\n    await s.aclose()\nasyncio.run(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=REPOSITORY,
        env=os.environ | {"DESKPILOT_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if done.returncode == 0 else done.stderr[-600:]


def kills(folder: Path, count: int, minutes: float, local: bool) -> int:
    """Kill until a count is reached, over several runs; print and keep what was found."""
    folder.mkdir(parents=True, exist_ok=True)
    state_file = folder / "kills.json"
    state: dict[str, Any] = (
        json.loads(state_file.read_text("utf-8"))
        if state_file.exists()
        else {"rounds": 0, "kills": {}, "faults": []}
    )
    begun, faults_now = time.monotonic(), 0
    with copilot() as url:
        home, model = Path(tempfile.mkdtemp(dir=folder, prefix="home-")), Model()
        while sum(state["kills"].values()) < count and time.monotonic() - begun < minutes * 60:
            seed = state["rounds"]
            if (
                seed % 40 == 39
            ):  # a fresh folder now and then: the checker reads all of it each time
                shutil.rmtree(home, ignore_errors=True)
                home, model = Path(tempfile.mkdtemp(dir=folder, prefix="home-")), Model()
                Copilot.heard.clear()
            made = one_round(home, url, seed, local and seed % 3 == 0, model)
            store = home / "deskpilot.sqlite"
            if store.exists():
                if fault := open_again(home):
                    made["faults"].append(f"it cannot be opened: {fault}")
                else:
                    made["faults"] += faults_of(model, store, made["killed_at"], set(Copilot.heard))
            elif model.conversations:
                made["faults"].append("the store is gone")
            for kind in made["kills"]:
                state["kills"][kind] = state["kills"].get(kind, 0) + 1
            state["rounds"] += 1
            if made["faults"]:
                faults_now += 1
                state["faults"].append({"seed": seed, "faults": made["faults"][:5]})
                print(f"round {seed}: {made['faults'][:5]}", flush=True)
                shutil.copytree(home, folder / f"round-{seed}", dirs_exist_ok=True)
                home, model = Path(tempfile.mkdtemp(dir=folder, prefix="home-")), Model()
            state_file.write_text(json.dumps(state), "utf-8")
            if state["rounds"] % 10 == 0:
                print(f"{state['rounds']} rounds, kills {state['kills']}", flush=True)
        shutil.rmtree(home, ignore_errors=True)
    print(f"{sum(state['kills'].values())} kills {state['kills']}, {len(state['faults'])} faults")
    return 1 if faults_now else 0


# --- other faults --------------------------------------------------------------------------------


class Missing(Exception):
    """What a trial needs is not on this machine."""


def run_for(home: Path, url: str, seconds: float, **variables: str) -> tuple[Model, list[Any], str]:
    """Let a terminal ask for a while, kill it, and return what it wrote down and said."""
    model, lines = Model(), list[dict[str, Any]]()
    app = start(home, url, 7, False, **variables)
    reading = threading.Thread(target=read_log, args=(app, model, lines), daemon=True)
    reading.start()
    with contextlib.suppress(subprocess.TimeoutExpired):
        app.wait(seconds)
    app.kill()
    app.wait()
    reading.join(10)
    assert app.stderr
    return model, lines, app.stderr.read()


def mounted(size: str) -> Path:
    """Return a small file system of its own.

    Raises: Missing without the right to mount.
    """
    place = Path(tempfile.mkdtemp(prefix="faults-disk-"))
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(place)],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        place.rmdir()
        raise Missing("no right to mount a small disk (run it as root)")
    return place


def full_disk(work: Path) -> list[str]:
    """A disk that fills while an answer streams."""
    del work
    place = mounted("8m")
    try:
        home = place / "home"
        home.mkdir()
        with copilot(0.001) as url:
            before, _, said = run_for(home, url, 6)
            if not before.ended:
                return [f"nothing was asked: {said[-300:]}"]
            filler = place / "filler"
            with contextlib.suppress(OSError), filler.open("wb") as file:
                while True:
                    file.write(bytes(4096))
                    file.flush()
            _, lines, said = run_for(home, url, 10)
            ends = [line for line in lines if line["what"] == "last"]
            told = [end["text"] for end in ends if end["state"] == "failed"]
            wrong = [] if told or "free space" in said or "room" in said else [f"not told: {said}"]
            if "Traceback" in said and "StoreError" not in said:
                wrong.append(f"no error of ours: {said[-400:]}")
            filler.unlink()
            if fault := open_again(home):
                wrong.append(f"cannot be opened with room again: {fault}")
            with contextlib.closing(sqlite3.connect(home / "deskpilot.sqlite")) as connection:
                states = dict(connection.execute("SELECT id, state FROM turns"))
            wrong += [
                f"turn {u} is {states.get(u)}"
                for u, end in before.ended.items()
                if states.get(u) != end["state"]
            ]
            return wrong
    finally:
        subprocess.run(["umount", str(place)], check=False)
        place.rmdir()


def clock(work: Path) -> list[str]:
    """A clock that jumps by ten days, forth and back, at each look."""
    with copilot(0.002) as url:
        model, _, said = run_for(work, url, 12, FAULTS_CLOCK=str(10 * 86_400))
        fault = open_again(work)
        wrong = [fault] if fault else []
        wrong += [said[-400:]] if "Traceback" in said else []
        wrong += [] if len(model.ended) > 2 else [f"only {len(model.ended)} turns ended"]
        store = work / "deskpilot.sqlite"
        return wrong + faults_of(model, store, time.monotonic(), set(Copilot.heard))


def read_only(work: Path) -> list[str]:
    """A home that cannot be written."""
    place = mounted("1m")
    try:
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        done = subprocess.run(
            [sys.executable, "-m", "app", "ask", "Say hi.", "--copilot", "http://127.0.0.1:9"],
            cwd=REPOSITORY,
            env=os.environ | {"DESKPILOT_HOME": str(place / "home")},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        said = done.stderr
        good = done.returncode == 1 and "Traceback" not in said and str(place) in said
        return [] if good else [f"{done.returncode}: {said[-300:]}"]
    finally:
        subprocess.run(["umount", str(place)], check=False)
        place.rmdir()
        del work


def two(work: Path) -> list[str]:
    """Two terminals on one folder: one works, the other says why it does not."""
    with copilot(0.01) as url:
        apps = [start(work, url, n, False) for n in (1, 2)]
        deadline = time.monotonic() + 60
        while all(app.poll() is None for app in apps) and time.monotonic() < deadline:
            time.sleep(0.05)
        ended = [app for app in apps if app.poll() is not None]
        alive = [app for app in apps if app.poll() is None]
        said = [app.stderr.read() for app in ended if app.stderr]
        for app in alive:
            app.kill()
        for app in apps:
            app.wait()
        good = len(alive) == 1 and "Another Deskpilot has these conversations open" in said[0]
        fault = open_again(work)
        return ([] if good else [f"{len(alive)} alive: {said}"]) + ([fault] if fault else [])


def damage(work: Path) -> list[str]:
    """A store written over at random places, thirty times: found, and its copy brought back."""
    wrong: list[str] = []
    with copilot(0.0) as url:
        model, _, _ = run_for(work, url, 8)
    store, chance = work / "deskpilot.sqlite", random.Random(5)
    copied = (
        "import asyncio\nfrom app.adapters.store.store import Store\n"
        "from backends.paths import store_file\n"
        "async def main():\n    s = await Store.open(store_file())\n"
        "    await s._copying\n    await s.aclose()\nasyncio.run(main())"
    )
    env = os.environ | {"DESKPILOT_HOME": str(work)}
    subprocess.run([sys.executable, "-c", copied], cwd=REPOSITORY, env=env, check=True)
    whole = store.read_bytes()
    kept = {"found": 0, "sound": 0}
    for number in range(30):
        store.write_bytes(whole)
        for end in ("-wal", "-shm"):
            store.with_name(store.name + end).unlink(missing_ok=True)
        store.with_name(store.name + "-wal").touch()  # as after a kill
        with store.open("r+b") as file:
            at = chance.randrange(0, len(whole) - 64)
            file.seek(at // 4096 * 4096)  # the head of a page, where trees are held together
            file.write(chance.randbytes(64))
        code = (
            "import asyncio\nfrom app.adapters.store.store import Store\n"
            "from backends.paths import store_file\n"
            "async def main():\n    s = await Store.open(store_file())\n"
            "    print(s.note is not None, sum([len(await s.turns(c.id)) for c in await"
            " s.conversations()]))\n    await s.aclose()\nasyncio.run(main())"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=REPOSITORY,
            env=os.environ | {"DESKPILOT_HOME": str(work)},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            wrong.append(f"damage {number} at {at}: {done.stderr[-300:]}")
            continue
        restored, turns = done.stdout.split()
        kept["found" if restored == "True" else "sound"] += 1
        if int(turns) < len(model.ended):
            wrong.append(f"damage {number} at {at}: {turns} of {len(model.ended)} turns")
    print(f"    {kept['found']} restored from the copy, {kept['sound']} of no consequence")
    return wrong


class Proxy(threading.Thread):
    """Passes bytes on as a bad network does: how is drop, slow, twice or half."""

    def __init__(self, to: int, how: str) -> None:
        super().__init__(daemon=True)
        self._to, self._how, self._chance = to, how, random.Random(how)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]

    def run(self) -> None:
        """Take connections until the socket closes."""
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._socket.accept()
                threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def close(self) -> None:
        """Take no more."""
        self._socket.close()

    def _pass_on(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._to)) as far:
            threading.Thread(target=self._question, args=(client, far), daemon=True).start()
            while data := far.recv(4096):
                if self._how == "drop" and self._chance.random() < 0.05:
                    break
                if self._how == "half" and self._chance.random() < 0.05:
                    data = data[: len(data) // 2]
                    client.sendall(data)
                    break
                for piece in [data[i : i + 7] for i in range(0, len(data), 7)]:
                    client.sendall(piece)
                    if self._how == "slow":
                        time.sleep(0.003)
                if self._how == "twice" and self._chance.random() < 0.1:
                    client.sendall(data)
        with contextlib.suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)  # somebody else still reads from it
        client.close()

    @staticmethod
    def _question(client: socket.socket, far: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := client.recv(4096):
                far.sendall(data)


def network(work: Path) -> list[str]:
    """Connections that break, crawl, stop half way or bring bytes twice: each turn ends, in words."""
    wrong: list[str] = []
    for how in ("drop", "slow", "half", "twice"):
        home = work / how
        home.mkdir()
        with copilot(0.002) as url:
            proxy = Proxy(int(url.split(":")[2].split("/")[0]), how)
            proxy.start()
            changed = url.replace(url.split(":")[2].split("/")[0], str(proxy.port))
            model, lines, said = run_for(home, changed, 12)
            proxy.close()
        ends = [line for line in lines if line["what"] == "last"]
        states = {
            state: sum(e["state"] == state for e in ends)
            for state in ("done", "interrupted", "failed")
        }
        print(f"    {how}: {states}")
        if not ends or len(model.asked) - len(model.ended) > 1:
            wrong.append(f"{how}: {len(model.asked)} asked, {len(model.ended)} ended {said[-300:]}")
        wrong += [f"{how}: no words" for e in ends if e["state"] == "failed" and not e["text"]]
        if "Traceback" in said:
            wrong.append(f"{how}: {said[-400:]}")
        if fault := open_again(home):
            wrong.append(f"{how}: {fault}")
    return wrong


TRIALS = {
    "full disk": full_disk,
    "clock": clock,
    "read-only home": read_only,
    "two terminals": two,
    "damaged store": damage,
    "network": network,
}


def trials(names: list[str]) -> int:
    """Try the other faults; print a line for each."""
    bad = 0
    for name in names:
        with tempfile.TemporaryDirectory(prefix="faults-") as folder:
            try:
                wrong = TRIALS[name](Path(folder))
            except Missing as error:
                print(f"{name:16} skipped: {error}", flush=True)
                continue
        bad += bool(wrong)
        print(f"{name:16} {wrong or 'held'}", flush=True)
    return bad


def main() -> int:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", default="all", choices=["kills", "all", *TRIALS])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=600)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--local", action="store_true", help="with our own models, too")
    parser.add_argument("--terminal", default="", help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=0, help=argparse.SUPPRESS)
    told = parser.parse_args()
    if told.terminal:
        asyncio.run(terminal(told.terminal, told.seed, told.local, 10_000))
        return 0
    if told.what == "kills":
        return kills(told.folder, told.count, told.minutes, told.local)
    return trials(list(TRIALS) if told.what == "all" else [told.what])


if __name__ == "__main__":
    sys.exit(main())
