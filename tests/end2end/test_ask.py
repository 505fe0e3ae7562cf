"""`deskpilot ask`, the installed command, against real models and strangers' copilots."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from app.cli import main
from tests.end2end.strangers import broken, reader, reader_of_2024, serving, tool_user
from tests.unit.app.documents.files import write_pdf

QUESTION = "What was the unemployment rate in the third quarter of 2009?"
COMMAND = [sys.executable, "-m", "app"]


def ask(
    repository: Path, *arguments: str, before: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    command = [*before, *COMMAND, "ask", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=repository, timeout=120
    )


@pytest.mark.starter
def test_the_main_job_gives_the_number_and_its_cell(repository: Path) -> None:
    done = ask(repository, QUESTION, "--widget", "resources/samples/us_macro.csv")
    assert done.returncode == 0, done.stderr
    first, citation = done.stdout.splitlines()
    assert "**9.6** [1]" in first
    assert "row 203, unemp: 9.6" in citation
    assert done.stderr == ""


@pytest.mark.starter
@pytest.mark.skipif(
    subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False).returncode != 0,
    reason="this machine does not let us take the network away",
)
def test_the_main_job_works_with_the_network_off(repository: Path) -> None:
    """In a network namespace of its own there is loopback and nothing else."""
    up = 'ip link set lo up 2>/dev/null || python3 -c "{}"; exec "$@"'.format(
        "import"
        " fcntl,socket,struct;s=socket.socket();fcntl.ioctl(s,0x8914,struct.pack('16sh',b'lo',0x49))"
    )
    arguments = (QUESTION, "--widget", "resources/samples/us_macro.csv")
    done = ask(repository, *arguments, before=("unshare", "-n", "sh", "-c", up, "sh"))
    assert done.returncode == 0, done.stderr
    assert "9.6" in done.stdout


@pytest.mark.starter
def test_json_is_lmc_chunks_and_events_one_a_line(repository: Path) -> None:
    done = ask(repository, QUESTION, "--widget", "resources/samples/us_macro.csv", "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    chunks = [line for line in lines if "event" not in line]
    assert chunks[0] == {"role": "assistant", "type": "message", "start": True}
    assert chunks[-1] == {"role": "assistant", "type": "message", "end": True}
    assert all(set(c) == {"role", "type", "content"} for c in chunks[1:-1])
    names = [line["event"] for line in lines if "event" in line]
    assert names == ["status", "call", "result", "citations", "ended"]
    cell = next(line for line in lines if line.get("event") == "citations")["citations"][0]["cell"]
    assert (cell["row"], cell["column"]) == (202, "unemp")


@pytest.mark.starter
@pytest.mark.parametrize(
    "question", ["Which quarter's unemployment was highest in 1982?", "1982年哪个季度的unemp最高"]
)
def test_an_answer_names_the_day_it_was_asked_on_if_told(repository: Path, question: str) -> None:
    done = ask(
        repository, question, "--widget", "resources/samples/us_macro.csv", "--today", "2009-12-31"
    )
    assert done.returncode == 0, done.stderr
    assert "10.7" in done.stdout


def test_a_strangers_copilot_uses_our_look_up(repository: Path) -> None:
    stranger = tool_user()
    with serving(stranger) as address:
        done = ask(
            repository, "?", "--widget", "resources/samples/us_macro.csv", "--copilot", address
        )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "It was 9.6.\n"
    from openbb_ai.models import QueryRequest

    for request in stranger.state.requests:  # golden: what we send is what today's SDK reads
        QueryRequest.model_validate(request)


FACT = "The turbines cost 3.5 million euros and are delivered to Bergen in March 2027."


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    write_pdf(folder / "turbines.pdf", ["Minutes of the meeting.", FACT])
    (folder / "lease.txt").write_text("The tenant gives notice three months before the end.")
    return folder


def test_a_strangers_copilot_finds_a_passage_by_our_tool_and_its_citation_gets_its_place(
    repository: Path, papers: Path
) -> None:
    stranger = reader()
    question = "When are the turbines delivered?"
    with serving(stranger) as address:
        done = ask(repository, question, "-d", str(papers), "--copilot", address, "--json")
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    (cited,) = [line["citations"] for line in lines if "citations" in line]
    place, (boxes,) = cited[0]["passage"], cited[0]["quotes"]
    assert (place["path"], place["page"], place["quote"]) == (
        str(papers / "turbines.pdf"),
        2,
        FACT,
    )
    assert all(0 < box["x0"] < box["x1"] < 433 and box["page"] == 2 for box in boxes)
    assert all(0 < box["top"] < box["bottom"] < 577 for box in boxes)
    assert cited[1]["details"] == []  # an invented one names no source
    from openbb_ai.models import QueryRequest

    for request in stranger.state.requests:
        QueryRequest.model_validate(request)


def test_a_copilot_of_2024_gets_the_passages_of_a_folder_in_its_context(
    repository: Path, papers: Path
) -> None:
    with serving(reader_of_2024()) as address:
        done = ask(
            repository, "When must notice be given?", "-d", str(papers), "--copilot", address
        )
    assert (done.returncode, done.stdout) == (
        0,
        "The tenant gives notice three months before the end.\n",
    ), done.stderr


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("error 500", "error 500"),
        ("json", "not with a stream"),
        ("cut", "middle of an event"),
        ("silent", "returned no answer"),
        ("garbage", "returned no answer"),
        ("same call", "again and again"),
        ("many calls", "more than 8 calls"),
        ("100 MB", "was closed"),
    ],
)
def test_a_copilot_that_breaks_the_protocol_is_one_clear_sentence(
    repository: Path, kind: str, told: str
) -> None:
    with serving(broken(kind)) as address:
        done = ask(
            repository, "hello", "--widget", "resources/samples/us_macro.csv", "--copilot", address
        )
    assert done.returncode == 1
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    if kind == "cut":
        assert done.stdout == "Half an ans\n"


def test_a_widget_that_was_not_offered_is_not_served(repository: Path) -> None:
    with serving(broken("spy")) as address:
        done = ask(
            repository, "hello", "--widget", "resources/samples/us_macro.csv", "--copilot", address
        )
    assert "was not offered" in done.stdout


def test_a_number_that_stands_in_no_result_is_warned_of_beside_the_answer(repository: Path) -> None:
    stranger = tool_user()
    stranger.state.words = "It was {value}, up from 7.75."
    with serving(stranger) as address:
        done = ask(
            repository, "?", "--widget", "resources/samples/us_macro.csv", "--copilot", address
        )
    assert (done.returncode, done.stdout) == (0, "It was 9.6, up from 7.75.\n")
    assert done.stderr == "Not found in any result: 7.75\n"


def test_a_copilot_cannot_steer_the_screen(repository: Path) -> None:
    with serving(broken("steering")) as address:
        done = ask(repository, "hello", "--copilot", address)
    assert (done.returncode, done.stdout) == (0, "a[2Jb\tc1m\n\n")


def test_a_question_that_is_no_text_is_asked_as_far_as_it_is(repository: Path) -> None:
    with serving(broken("steering")) as address:
        command = [*map(str.encode, [*COMMAND, "ask", "--copilot", address]), b"caf\xe9?"]
        done = subprocess.run(command, capture_output=True, check=False, cwd=repository, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="no process groups there")
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_control_c_stops_the_answer_and_keeps_it(
    repository: Path, home: Path, form: list[str]
) -> None:
    with serving(broken("endless")) as address:
        command = [*COMMAND, "ask", "hello", "--copilot", address, *form]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=repository,
            start_new_session=True,
        )
        assert process.stdout is not None
        said = b""
        while b"Half an ans" not in said:
            said += os.read(process.stdout.fileno(), 1000)
        os.killpg(process.pid, signal.SIGINT)
        rest, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (130, b"Stopped.\n")
    if form:
        last = json.loads((said + rest).splitlines()[-1])
        assert (last["event"], last["state"]) == ("ended", "stopped")
    else:
        assert said + rest == b"Half an ans\n"
    with closing(sqlite3.connect(home / "deskpilot.sqlite")) as store:
        ((uid, state),) = store.execute("SELECT id, state FROM turns").fetchall()
        bodies = [b for (b,) in store.execute("SELECT body FROM items WHERE turn_id = ?", (uid,))]
    assert state == "stopped"
    assert any("Half an ans" in body for body in bodies)


def test_control_c_while_the_command_loads_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> int:
        raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "app.cli.commands", SimpleNamespace(main=interrupted))
    assert main() == 130


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["hi", "--copilot", "http://127.0.0.1:9"], 1, "cannot be reached"),
        (["hi", "--copilot", "http://copilot.example"], 1, "--allow-host copilot.example"),
        (["hi", "--widget", "/nowhere.csv"], 1, "cannot be found"),
        (["hi", "--today", "soon"], 2, "not a date"),
        ([" "], 2, "empty"),
        ([], 2, "question"),
    ],
)
def test_what_cannot_be_done_is_said_on_stderr(
    repository: Path, arguments: list[str], status: int, told: str
) -> None:
    done = ask(repository, *arguments)
    assert (done.returncode, done.stdout) == (status, "")
    assert told in done.stderr


@pytest.mark.starter
def test_nothing_runs_on_after_the_command(repository: Path, home: Path) -> None:
    assert ask(repository, "Say hi").returncode == 0
    # By this test's own home: another run of the tests on this machine has processes of its own.
    ours = [
        p
        for p in psutil.process_iter(["environ"])
        if (p.info["environ"] or {}).get("DESKPILOT_HOME") == str(home)
    ]
    assert not [p.name() for p in ours]


def test_the_command_is_installed() -> None:
    found = shutil.which(
        "deskpilot", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    assert found
    shown = subprocess.run([found, "--help"], capture_output=True, text=True, check=True)
    for name in ("ask", "models", "serve", "doctor"):
        assert name in shown.stdout


def seed_app(generation: str, repository: Path) -> Any:
    return json.loads(
        (repository / "tests" / "data" / f"seed_conversation_{generation}.json").read_text()
    )


@pytest.mark.starter
@pytest.mark.parametrize("generation", ["2024", "today"])
async def test_the_seeds_conversation_passes_sent_by_the_app(
    repository: Path, tmp_path: Path, generation: str
) -> None:
    """The app asks our copilot in each generation's dialect, without offering tools, as a
    stranger's terminal would.
    """
    from dataclasses import replace

    from app.bootstrap import build
    from app.domain.copilot import Copilot
    from app.domain.events import CopilotCall
    from app.services.conversation.turns import offer_for

    seed = seed_app(generation, repository)
    rows = json.loads(
        seed["requests"][1]["messages"][2]["data"]["content"]
        if generation == "2024"
        else seed["requests"][1]["messages"][2]["data"][0]["items"][0]["content"]
    )
    table = tmp_path / "Historical_Stock_Price_AAPL.json"
    table.write_text(json.dumps(rows))
    async with build() as deskpilot:
        widget = await deskpilot.widgets.add_file(table)
        offer = replace(offer_for(deskpilot.widgets, [widget.uuid]), tools=[])
        question = seed["requests"][0]["messages"][0]["content"]

        async def find() -> Copilot:
            return replace(await deskpilot.copilots.local(), dialect=generation)

        turn = deskpilot.turns.new_turn(
            (await deskpilot.history.begin(question)).id, question, None
        )
        items = [item async for item in deskpilot.turns.run([], turn, find, offer)]
    assert turn.state == "done"
    assert [i.function for i in items if isinstance(i, CopilotCall)] == ["get_widget_data"]
    assert seed["answer_contains"] in turn.answer()
