"""`deskpilot talk` with a virtual microphone and a recorded loudspeaker."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO

import numpy as np
import pytest

from backends.catalog import Catalog
from tests.models.speech import PIPER, SENTENCES
from tests.network_watch import NetworkWatch, network
from tests.unit.app.documents.files import write_pdf
from tests.virtual_sound import LOUDSPEAKER, MICROPHONE, RATE, VirtualSound

__all__ = ["network"]

COMMAND = [sys.executable, "-m", "app", "talk"]


def lines_until(stream: IO[str], wanted: str) -> list[str]:
    lines: list[str] = []
    for line in stream:
        lines.append(line)
        if wanted in line:
            return lines
    raise AssertionError(f"{wanted!r} never came: {lines}")


@pytest.mark.starter
@pytest.mark.usefixtures("tiny_models")
def test_a_question_aloud_is_answered_aloud_in_a_terminal_and_nothing_touches_the_network(
    repository: Path, tmp_path: Path, virtual: VirtualSound, network: NetworkWatch
) -> None:
    seed = json.loads(
        (repository / "tests" / "data" / "seed_conversation_2024.json").read_text("utf-8")
    )
    table = tmp_path / "Historical_Stock_Price_AAPL.json"
    table.write_text(seed["requests"][1]["messages"][2]["data"]["content"], "utf-8")
    process = subprocess.Popen(
        [*COMMAND, "--widget", str(table), "--no-names"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=repository,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        told = lines_until(process.stderr, "Listening. Ctrl+C ends the conversation.")
        assert f"Listening to {MICROPHONE}.\n" in told
        since = virtual.now()
        virtual.say(0.2, SENTENCES[0], 1.5)
        printed = lines_until(process.stdout, "[1]")
        assert printed[0] == "› What was the closing price on October 15?\n"
        printed += (
            lines_until(process.stdout, "row 1, close: 233.85")
            if "row 1" not in printed[-1]
            else []
        )
        lines_until(process.stderr, "Listening. Ctrl+C ends the conversation.")
        loud = np.abs(virtual.heard(since)) > 0.02
        assert loud.sum() / RATE > 1
    finally:
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (0, "")
    assert network.watches(
        "-m app talk", "backends.service", "faster_whisper speech2text", "piper tts"
    )
    assert network.tried() == []


@pytest.mark.usefixtures("tiny_models")
def test_a_folder_is_asked_aloud_in_a_terminal_and_the_page_is_named(
    repository: Path, tmp_path: Path, virtual: VirtualSound
) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    reason = "The profit fell in June because the mill in Bergen stood still."
    write_pdf(folder / "board.pdf", ["Minutes of the meeting.", reason])
    process = subprocess.Popen(
        [*COMMAND, "--documents", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=repository,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        lines_until(process.stderr, "Listening. Ctrl+C ends the conversation.")
        since = virtual.now()
        virtual.say(0.2, SENTENCES[34], 1.5)
        printed = "".join(lines_until(process.stdout, f"[1] {folder / 'board.pdf'}, page 2"))
        assert f"› {SENTENCES[34]}\n" in printed
        assert f"> {reason} [1]" in printed
        lines_until(process.stderr, "Listening. Ctrl+C ends the conversation.")
        assert (np.abs(virtual.heard(since)) > 0.02).sum() / RATE > 1
    finally:
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (0, "")


@pytest.mark.parametrize("missing", ["voice", "ear"])
def test_a_missing_model_is_named_with_its_size_before_the_microphone_opens(
    repository: Path,
    tmp_path: Path,
    virtual: VirtualSound,
    monkeypatch: pytest.MonkeyPatch,
    missing: str,
) -> None:
    monkeypatch.setenv("DESKPILOT_MODELS", str(tmp_path / "models"))
    if missing == "ear":
        Catalog(tmp_path / "models").add(Path(PIPER["model_path"]), "tiny-voice", link=True)
    done = subprocess.run(
        COMMAND, capture_output=True, text=True, check=False, cwd=repository, timeout=60
    )
    named = {"voice": "piper-en-joe (58 MB, en)", "ear": "whisper-base (148 MB, multilingual)"}[
        missing
    ]
    assert done.returncode == 1
    assert f"deskpilot models pull {named}" in done.stderr
    assert "Listening" not in done.stderr


def test_devices_are_listed_and_a_missing_one_is_told(
    repository: Path, tiny_models: Path, virtual: VirtualSound
) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=repository,
            timeout=60,
        )

    listed = run("--devices")
    assert (
        listed.stdout
        == f"Microphones:\n  {MICROPHONE}\nLoudspeakers:\n  Null Output\n  {LOUDSPEAKER}\n"
    )
    done = run("--microphone", "Headset")
    assert done.returncode == 1
    assert done.stderr.endswith(
        "The microphone 'Headset' is not connected. Connect it again, or choose another one.\n"
    )
