"""`deskpilot widgets` beside an open window: added, listed and removed there, known here."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from typer.testing import CliRunner

from app.bootstrap import build
from app.cli.commands import app
from tests.widget_backend import running

if TYPE_CHECKING:
    from pathlib import Path

    from tests.memory_keyring import MemoryKeyring


def run(*words: str) -> tuple[int, str]:
    made = CliRunner().invoke(app, ["widgets", *words])
    return made.exit_code, made.output


async def test_the_shell_adds_and_removes_while_a_window_is_open(
    home: Path, keyring_in_memory: MemoryKeyring
) -> None:
    with running() as server:
        async with build() as window:
            status, told = await asyncio.to_thread(
                run, "add", server.url, "--header", "X-Key: s3cret"
            )
            assert (status, told.startswith("Added")) == (0, True)
            assert "s3cret" not in (home / "backends.json").read_text()
            assert window.live.backends.all() == []
            await (
                window.live.backends.restore()
            )  # as the window does when one looks for widgets to add
            assert [b.url for b in window.live.backends.all()] == [server.url]
            assert server.url in (await asyncio.to_thread(run, "list"))[1]
            assert (await asyncio.to_thread(run, "remove", server.url))[0] == 0
            await window.live.backends.restore()
            assert window.live.backends.all() == []
            assert "There are no widget backends yet" in (await asyncio.to_thread(run, "list"))[1]


async def test_what_an_earlier_version_kept_is_taken_over_once(home: Path) -> None:
    with running() as server:
        async with build() as first:
            await first.live.backends.add(server.url)
        kept = json.loads((home / "backends.json").read_text())
        (home / "backends.json").unlink()
        async with build() as second:
            store = second.history._store
            await store.save_setting("widget backends", json.dumps(list(kept.values())))
        async with build() as third:
            assert [b.url for b in third.live.backends.all()] == [server.url]
            await third.live.backends.remove(server.url)
        async with build() as fourth:
            assert fourth.live.backends.all() == []


def test_a_list_that_cannot_be_understood_is_one_sentence(home: Path) -> None:
    (home / "backends.json").write_text('{"x": {"id": 1}}')
    status, told = run("list")
    assert (status, "cannot be read" in told) == (1, True)
