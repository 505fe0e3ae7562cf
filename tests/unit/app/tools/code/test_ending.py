"""Code can always be ended, whatever it does against that, and takes no more than it may."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from app.domain.errors import ComputerError
from app.tools.code import computer as computing
from app.tools.code.computer import Computer
from app.tools.code.isolation import Isolation
from tests.unit.app.tools.code.machine import (
    MIB,
    SMALL,
    below,
    ran,
    sleeping_for,
    text_of,
    until_printed,
)

if TYPE_CHECKING:
    from pathlib import Path

    from app.domain.code import Language

pytestmark = pytest.mark.slow

LONG = 1_000_000 + os.getpid()  # seconds: told from what another run of these tests sleeps
STUBBORN = """
import os, signal, subprocess
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
subprocess.Popen(["setsid", "sleep", "LONG"])
print("go", flush=True)
while True:
    try:
        while True: pass
    except KeyboardInterrupt:
        pass
""".replace("LONG", str(LONG))
ENDLESS: list[tuple[Language, str]] = [
    ("python", "print('go', flush=True)\nwhile True: pass"),
    ("python", STUBBORN),
    ("shell", f"trap '' INT TERM\nsetsid sleep {LONG} &\necho go\nwhile true; do :; done"),
    ("javascript", "process.on('SIGINT', () => {}); console.log('go'); while (true) {}"),
]
NODE = shutil.which("node")


@pytest.mark.parametrize("boxed", [True, False])
@pytest.mark.parametrize(
    ("language", "code"), ENDLESS, ids=["python", "stubborn python", "shell", "javascript"]
)
async def test_endless_code_is_gone_within_three_seconds(
    tmp_path: Path, monkeypatch: Any, boxed: bool, language: Language, code: str
) -> None:
    if language == "javascript" and NODE is None:
        pytest.skip("node is not installed")
    if not boxed:
        monkeypatch.setattr(computing, "find_isolation", lambda: Isolation(why="for this test"))
    computer, before = Computer(tmp_path, SMALL), set(below())
    async with asyncio.timeout(60):
        pieces = computer.run("c", language, code)
        async with aclosing(pieces):
            await until_printed(pieces, "go")
            running = [
                p
                for p in set(below()) - before
                if p.name() in ("python", "python3", "bash", "node", "sleep", "bwrap")
            ]
            assert running
            began = time.monotonic()
        assert computer._rooms["c"].stopping is not None  # who leaves does not wait
        await computer._rooms["c"].stopped()
        if code == ENDLESS[0][1]:  # asked to stop, it stopped, and its variables are kept
            assert text_of(await ran(computer, "python", "print('still here')")) == "still here\n"
            await computer.aclose()
        else:
            _, alive = psutil.wait_procs(running, timeout=max(0, 3 - (time.monotonic() - began)))
            busy = [p for p in alive if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]
            assert not busy
        assert not sleeping_for(LONG)
        await computer.aclose()
    assert not set(below()) - before


async def test_what_a_program_left_behind_ends_with_it(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(computing, "find_isolation", lambda: Isolation(why="for this test"))
    computer = Computer(tmp_path, SMALL)
    told = text_of(await ran(computer, "shell", f"setsid sleep {LONG} >/dev/null & echo done"))
    assert told == "done\n"
    assert not sleeping_for(LONG)
    await computer.aclose()


async def test_too_much_memory_output_and_time_are_a_sentence_each(tmp_path: Path) -> None:
    computer = Computer(tmp_path, SMALL)
    assert "MemoryError" in text_of(await ran(computer, "python", "bytearray(50 * 2**30)"))
    with pytest.raises(ComputerError, match="printed more than 2 MB and was stopped"):
        await ran(
            computer, "python", "import time\nwhile True: print('x' * 10_000); time.sleep(0.001)"
        )
    await computer.aclose()
    hasty = Computer(tmp_path, replace(SMALL, seconds=0.5))
    with pytest.raises(ComputerError, match=r"shell code ran longer than 0\.5 s"):
        await ran(hasty, "shell", f"sleep {LONG}")
    await hasty.aclose()
    assert not sleeping_for(LONG)


@pytest.mark.skipif(NODE is None, reason="node is not installed")
async def test_memory_that_cannot_be_limited_before_is_watched(tmp_path: Path) -> None:
    computer = Computer(tmp_path, replace(SMALL, memory=192 * MIB))
    code = "const a = []; setInterval(() => a.push(Buffer.alloc(8 << 20, 1)), 2)"
    with pytest.raises(ComputerError, match="JavaScript code used too much memory and was stopped"):
        await ran(computer, "javascript", code)
    await computer.aclose()


@pytest.mark.parametrize("boxed", [True, False])
async def test_a_folder_that_fills_and_a_file_that_grows_are_ended(
    tmp_path: Path, monkeypatch: Any, boxed: bool
) -> None:
    if not boxed:
        monkeypatch.setattr(computing, "find_isolation", lambda: Isolation(why="for this test"))
    computer = Computer(tmp_path, SMALL)
    code = "i=0; while true; do i=$((i+1)); head -c 1000000 /dev/zero > f$i; sleep 0.02; done"
    with pytest.raises(ComputerError, match="wrote too much to its folder"):
        await ran(computer, "shell", code)
    written = sum(f.stat().st_size for f in computer.folder_of("c").rglob("*") if f.is_file())
    assert written < 10 * SMALL.disk
    await computer.forget("c")
    pieces = await ran(
        computer, "shell", "head -c 40000000 /dev/zero > big; ls -l big | cut -d' ' -f5"
    )
    assert int(text_of(pieces).split()[-1]) <= SMALL.disk
    await computer.aclose()


@pytest.mark.parametrize("boxed", [True, False])
async def test_processes_without_number_are_contained(
    tmp_path: Path, monkeypatch: Any, boxed: bool
) -> None:
    if not boxed:
        monkeypatch.setattr(computing, "find_isolation", lambda: Isolation(why="for this test"))
    computer = Computer(tmp_path, replace(SMALL, processes=24, seconds=3, grace=0.2))
    most = 0

    async def look() -> None:
        nonlocal most
        while True:
            most = max(most, len(below()))
            await asyncio.sleep(0.02)

    looking = asyncio.create_task(look())
    # a number at most: were no limit to hold, the machine would not suffer
    code = f"for i in $(seq {300 if boxed else 100}); do sleep {LONG} & done; wait"
    with pytest.raises(ComputerError, match=r"too many processes|ran longer than"):
        await ran(computer, "shell", code)
    looking.cancel()
    await computer.aclose()
    assert most < 250 or not boxed  # without a sandbox, root's processes are watched, not limited
    assert not sleeping_for(LONG)


async def test_closing_the_computer_ends_a_script_that_nobody_has_stopped(tmp_path: Path) -> None:
    computer, before = Computer(tmp_path, SMALL), set(below())
    pieces = computer.run("c", "shell", f"echo go; sleep {LONG}")
    async with asyncio.timeout(60):
        await until_printed(pieces, "go")  # whoever reads it leaves without closing it
        assert set(below()) - before
        await computer.aclose()
        assert not [p for p in set(below()) - before if p.is_running()]
        await pieces.aclose()
