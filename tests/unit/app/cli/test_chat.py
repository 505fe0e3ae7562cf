"""The chat in the shell: what it prints, and Ctrl+C in mid-answer."""

from __future__ import annotations

import asyncio
import io
import signal
from pathlib import Path

import pytest
from rich.console import Console

from app.bootstrap import build
from app.cli.chat import Chat, paths_in, show, tell
from app.cli.screen import printable, until_stopped
from app.domain.conversation import Turn
from app.domain.events import CellRef, Citation, Citations, Ended, Status
from app.domain.stream import Message
from tests.end2end.strangers import serving, tool_user

STEER = "a\x1b[2Jb\x07\u009bc [red]\n"


def test_control_characters_are_left_out_words_are_not() -> None:
    assert printable("é\t✓\n\x00\x1b]0;x\x07\u009b\x7f日本") == "é\t✓\n]0;x日本"


def test_a_copilot_steers_neither_screen_nor_markup() -> None:
    out = io.StringIO()
    screen = Console(file=out, width=200)
    items = [
        Status("INFO", STEER),
        Message("assistant", "message", STEER),
        Citations(
            [Citation("w", STEER, CellRef("h", 0, STEER), STEER), Citation("w", "[/x]", None)]
        ),
        Ended("failed", STEER, "[bold"),
    ]
    for item in items:
        if isinstance(item, Status | Ended):
            show(screen, item)
    tell(screen, Turn("t", "c", None, "q", "failed", 0.0, list(items)))
    text = out.getvalue()
    assert not set(text) & {"\x1b", "\x07", "\u009b"}
    assert text.count("[red]") >= 3
    assert "[bold" in text


@pytest.mark.parametrize(
    ("line", "paths"),
    [("a.csv 'b c.csv'", ["a.csv", "b c.csv"]), ("it's.csv", ["it's.csv"]), ("x\\", ["x\\"])],
)
def test_a_line_of_paths_is_read_though_its_quotes_do_not_close(
    line: str, paths: list[str]
) -> None:
    assert paths_in(line) == paths


async def test_control_c_ends_the_work_and_not_the_program() -> None:
    before = signal.getsignal(signal.SIGINT)
    ended: list[str] = []

    async def work() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
            await asyncio.Event().wait()
        finally:
            ended.append("closed")

    async with asyncio.timeout(5):
        assert not await until_stopped(work())
        assert await until_stopped(asyncio.sleep(0))
    assert ended == ["closed"]
    assert signal.getsignal(signal.SIGINT) is before


async def test_work_that_is_cancelled_from_outside_is_not_taken_for_stopped() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            ended.set()

    task = asyncio.create_task(until_stopped(work()))  # type: ignore[arg-type]
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with asyncio.timeout(5):
        await ended.wait()


async def test_commands_are_run_and_unknown_ones_are_told(home: Path) -> None:
    out = io.StringIO()
    async with build(None) as deskpilot:
        chat = Chat(deskpilot, Console(file=out, width=200))
        for line, told in {
            "help": "/copilot NAME switches to another copilot",
            "/help": "/attach FILE adds a table",
            "/nonsense x": "There is no /nonsense.",
            "/attach": "Specify a file",
            "/copilot nobody": "No copilot named nobody has been added.",
            "/copilots": "● local  our own copilot",
            "/copilot local": "Questions now go to our own copilot",
            "/new": "New conversation.",
        }.items():
            out.truncate(out.seek(0))
            assert await chat.line(line)
            assert told in out.getvalue()
        assert [await chat.line(line) for line in ("exit", "/quit", "EXIT", "quit")] == [False] * 4


async def test_another_copilot_answers_once_it_is_chosen(home: Path, macro_csv: Path) -> None:
    out = io.StringIO()
    with serving(tool_user()) as address:
        async with build(None) as deskpilot:
            await deskpilot.copilots.add(address)
            chat = Chat(deskpilot, Console(file=out, width=200))
            await chat.line("/copilot stranger")
            assert "Questions now go to Stranger at 127.0.0.1." in out.getvalue()
            await chat.line(f"/attach {macro_csv}")
            await chat.line("What was the unemployment rate in the third quarter of 2009?")
    assert "It was 9.6." in out.getvalue()
