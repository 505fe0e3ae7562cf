"""kill -9 of a worker, of the service, of the app: nothing finished is lost, nothing runs on."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from app.bootstrap import build
from app.domain.conversation import Turn
from app.domain.events import Ended
from app.services.conversation.turns import offer_for

if TYPE_CHECKING:
    from pathlib import Path

    from app.services.deskpilot import Deskpilot

pytestmark = pytest.mark.starter

ROUNDS = 25
LONG = "Write a long story about the sea, the wind and a small boat."


def family(home: Path) -> list[psutil.Process]:
    """Return the service and workers of a home; other tests of this run have some of their own."""
    found: list[psutil.Process] = []
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            mine = process.environ().get("DESKPILOT_HOME") == str(home)
            if mine and "backends." in " ".join(process.cmdline()):
                found.append(process)
    return found


def victims(home: Path, kind: str) -> list[int]:
    """Return the processes of a kind that run for a home."""
    name = {"worker": "backends.workers.child llama_cpp", "service": "backends.service"}[kind]
    return [p.pid for p in family(home) if name in " ".join(p.cmdline())]


async def asked(
    deskpilot: Deskpilot,
    conversation: str,
    text: str,
    home: Path,
    victim: str | None = None,
    moment: float = 0,
) -> Turn:
    """Ask, kill something after `moment` seconds of answering, and return the turn as it ended."""
    turn = deskpilot.turns.new_turn(conversation, text, None)
    ended: list[Ended] = []
    begun = time.monotonic()
    killed = victim is None
    async for item in deskpilot.turns.run(
        [], turn, deskpilot.copilots.local, offer_for(deskpilot.widgets, [])
    ):
        if not killed and victim and time.monotonic() - begun > moment and victims(home, victim):
            for pid in victims(home, victim):
                os.kill(pid, signal.SIGKILL)
            killed = True
        if isinstance(item, Ended):
            ended.append(item)
    assert len(ended) == 1
    return turn


async def test_a_worker_or_the_service_killed_at_random_moments_loses_nothing(home: Path) -> None:
    seed = random.randrange(1 << 30)
    chance = random.Random(seed)
    told = f"seed {seed}"
    async with build() as deskpilot:
        conversation = (await deskpilot.history.begin("kill")).id
        finished: dict[str, str] = {}
        for number in range(ROUNDS - 10):
            victim = chance.choice(["worker", "service"])
            process = deskpilot.service._service  # type: ignore[attr-defined]
            assert process._deaths < 4
            process._deaths = 0  # the back-off itself is not what is tried here
            turn = await asked(
                deskpilot, conversation, f"{LONG} {number}", home, victim, chance.random() * 0.8
            )
            assert turn.state in ("done", "interrupted", "failed"), told
            finished[turn.id] = turn.answer()
            again = await asked(deskpilot, conversation, "Say hi.", home)
            assert again.state == "done", told
            finished[again.id] = again.answer()
        kept = {turn.id: turn.answer() for turn in await deskpilot.history.open(conversation)}
        assert kept == finished, told
    assert not family(home), told


APP = """
import asyncio, sys
from app.bootstrap import build
from app.services.conversation.turns import offer_for
async def main():
    async with build() as d:
        conversation = (await d.history.begin("kill")).id
        for n in range(1000):
            for question in ("Say hi.", sys.argv[1]):
                turn = d.turns.new_turn(conversation, question, None)
                async for item in d.turns.run([], turn, d.copilots.local, offer_for(d.widgets, [])):
                    pass
                print(turn.id, turn.state, flush=True)
asyncio.run(main())
"""


def test_the_app_killed_at_random_moments_keeps_what_was_finished(
    home: Path, repository: Path
) -> None:
    seed = random.randrange(1 << 30)
    chance = random.Random(seed)
    told = f"seed {seed}"
    finished: set[str] = set()
    for _ in range(10):
        with subprocess.Popen(
            [sys.executable, "-c", APP, LONG], stdout=subprocess.PIPE, cwd=repository
        ) as app:
            assert app.stdout
            finished.add(app.stdout.readline().split()[0].decode())
            timer = threading.Timer(chance.random() * 1.5, app.kill)
            timer.start()
            finished |= {
                line.split()[0].decode() for line in app.stdout if line.endswith(b"done\n")
            }
            timer.join()
        # By this test's own home: another run of the tests on this machine has processes of its
        # own.
        mine = [
            p
            for p in psutil.process_iter(["environ"])
            if (p.info["environ"] or {}).get("DESKPILOT_HOME") == str(home)
        ]
        _, alive = psutil.wait_procs(mine, timeout=8)
        assert not alive, told
    connection = sqlite3.connect(home / "deskpilot.sqlite")
    states = dict(connection.execute("SELECT id, state FROM turns"))
    answers = {
        turn: json.loads(body)
        for turn, body in connection.execute(
            "SELECT turn_id, body FROM items WHERE kind = 'message'"
        )
    }
    connection.close()
    assert all(states[turn] == "done" and answers[turn]["content"] for turn in finished), told

    async def open_again() -> list[Any]:
        async with build() as deskpilot:
            found = await deskpilot.history.conversations()
            turns = [t for c in found for t in await deskpilot.history.open(c.id)]
            left = [t for t in turns if t.state == "interrupted"]
            if left:
                again = await asked(deskpilot, left[0].conversation_id, "Say hi.", home)
                assert again.state == "done", told
            return turns

    turns = asyncio.run(open_again())
    assert all(t.state != "running" for t in turns), told


def indexed(home: Path) -> tuple[int, int, int]:
    """Return how many passages an index has, how many vectors, and how many were ever written."""
    with contextlib.closing(sqlite3.connect(home / "documents.sqlite")) as index:
        assert index.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        passages, vectors, written = index.execute(
            "SELECT (SELECT count(*) FROM passages), (SELECT count(*) FROM vectors),"
            " (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'vectors')"
        ).fetchone()
    return passages, vectors, written


def test_embedding_of_documents_killed_at_random_moments_repeats_nothing(
    home: Path, repository: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(30):
        text = "\n\n".join(f"Paragraph {n} of paper {number}. {LONG * 9}" for n in range(6))
        (folder / f"paper {number}.txt").write_text(text)
    command = [sys.executable, "-m", "app", "documents"]
    subprocess.run([*command, "add", str(folder)], cwd=repository, check=True, timeout=60)
    passages, before, _ = indexed(home)
    moment = random.Random(4)
    for _ in range(6):
        with subprocess.Popen([*command, "embed"], cwd=repository) as running:
            deadline = time.monotonic() + 60
            while indexed(home)[1] == before and time.monotonic() < deadline:
                time.sleep(0.02)
            time.sleep(moment.uniform(0, 0.5))
            running.kill()
        _, after, written = indexed(home)
        assert after == written > before  # what was written stays, and none was written twice
        before = after
        if after == passages:
            break
    subprocess.run([*command, "embed"], cwd=repository, check=True, timeout=120)
    assert indexed(home) == (passages, passages, passages)
