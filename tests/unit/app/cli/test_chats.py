"""`deskpilot chats` on a store of its own."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from pypdf import PdfReader
from typer.testing import CliRunner

from app.adapters.store.store import Store
from app.bootstrap import build_history
from app.cli.commands import app
from app.domain.conversation import Turn
from app.domain.events import Ended
from app.domain.stream import Message
from backends.paths import store_file

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

QUESTION = "What was the unemployment rate?"


def chats(*words: str, status: int = 0) -> str:
    done = CliRunner().invoke(app, ["chats", *words])
    assert done.exit_code == status, done.output
    return done.output


@pytest.fixture
def conversation() -> str:
    async def fill() -> str:
        store = await Store.open(store_file())
        made = await store.new_conversation(QUESTION)
        said = [Message("assistant", "message", "It was **9.6** [1]."), Ended("done")]
        await store.add_turn(Turn("t", made.id, None, QUESTION, "done", 1.0, [*said]))
        await store.add_turn(Turn("t2", made.id, None, QUESTION, "done", 2.0, [*said]))
        await store.aclose()
        return made.id

    return asyncio.run(fill())


def test_conversations_are_found_shown_ordered_and_brought_back(conversation: str) -> None:
    short = conversation[:8]
    assert chats("search", "EMPLOY", "9.6").splitlines()[0] == f"{short}  {QUESTION}"
    assert json.loads(chats("search", "--json", "unemployment").splitlines()[0])["turn_id"] == ""
    chats("pin", short)
    chats("move", short, "Q3 review")
    chats("rename", QUESTION, "Jobs")
    assert "★ [Q3 review] Jobs" in chats("list")
    assert chats("show", "Jobs") == f"› {QUESTION}  (2 of 2)\n\nIt was **9.6** [1].\n\n"
    assert "chats undelete" in chats("delete", "Jobs")
    assert chats("list") == "There are no conversations yet.\n"
    assert "Jobs" in chats("list", "--trash")
    chats("undelete", "Jobs")
    assert json.loads(chats("list", "--json"))["folder"] == "Q3 review"


def test_a_backup_is_brought_back_and_what_was_there_kept(
    conversation: str, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.sqlite"
    assert "1 conversation saved" in chats("backup", str(copy))
    chats("delete", QUESTION)
    assert "1 conversation permanently removed" in chats("empty-trash")
    assert "1 conversation restored" in chats("restore", str(copy))
    assert QUESTION in chats("list")
    assert len(list(store_file().parent.glob("deskpilot-before-restore-*.sqlite"))) == 1
    assert "the conversations themselves" in chats("backup", str(store_file()), status=1)


def test_one_may_look_while_a_window_is_open_and_not_change(conversation: str) -> None:
    async def look() -> None:
        async with build_history():
            done = [await asyncio.to_thread(chats, *w) for w in (("list",), ("show", QUESTION))]
            assert all(QUESTION in text for text in done)
            refused = await asyncio.to_thread(lambda: chats("pin", QUESTION, status=1))
            assert "Another Deskpilot" in refused

    asyncio.run(look())


def test_a_name_that_fits_none_is_told(conversation: str) -> None:
    assert "There is no conversation" in chats("show", "nothing", status=1)


def test_a_chat_is_exported_in_every_form_and_taken_in_again(
    conversation: str, tmp_path: Path
) -> None:
    assert chats("export", QUESTION).startswith(f"# {QUESTION}")
    for form in ("md", "html", "json", "lmc"):
        path = tmp_path / f"x.{form}"
        chats("export", QUESTION, "-f", form, "-o", str(path))
        assert "9.6" in path.read_text("utf-8")
    assert "1 conversation written" in chats("export", "--all", "-o", str(tmp_path / "all.json"))
    assert "1 conversation imported" in chats("import", str(tmp_path / "all.json"))
    assert len(chats("list").splitlines()) == 2
    assert "doc is not one of md" in chats("export", QUESTION, "-f", "doc", status=2)
    assert "--output" in chats("export", "--all", status=2)
    assert "no readable conversations" in chats("import", str(tmp_path / "x.md"), status=1)


def test_a_chat_is_printed_as_pdf_without_a_display(
    conversation: str, tmp_path: Path, repository: Path
) -> None:
    path, environment = tmp_path / "x.pdf", {k: v for k, v in os.environ.items() if k != "DISPLAY"}
    command = [sys.executable, "-m", "app", "chats", "export", QUESTION, "-o", str(path)]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=repository, env=environment, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    words = PdfReader(path).pages[0].extract_text().split()
    assert "unemployment rate? It was 9.6" in " ".join(words)
