"""`deskpilot ask --voice-in --voice-out`: dictation, question and speech, without display or sound
card.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import wave
from pathlib import Path

import numpy as np
import pytest

from tests.end2end.strangers import broken, serving, tool_user
from tests.models.speech import PIPER, SENTENCES, SHOW, WHISPER, spoken, wav

QUESTION = SENTENCES[0]
COMMAND = [sys.executable, "-m", "app"]


def deskpilot(repository: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=repository,
        timeout=120,
    )


@pytest.fixture
def speech(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The starter models and the tiny speech models, in a folder of their own."""
    starter, folder = Path(os.environ["DESKPILOT_MODELS"]), tmp_path / "models"
    folder.mkdir()
    monkeypatch.setenv("DESKPILOT_MODELS", str(folder))
    for name in ("smollm2-135m", "minilm-l6"):
        if (starter / name).exists():
            (folder / name).symlink_to(starter / name, target_is_directory=True)
    for path, name in (
        (WHISPER["model_path"], "tiny-whisper"),
        (PIPER["model_path"], "tiny-voice"),
    ):
        done = deskpilot(repository, "models", "import", path, "--id", name)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def question(tmp_path: Path) -> Path:
    """What somebody asked aloud."""
    file = tmp_path / "question.wav"
    file.write_bytes(wav(*spoken(QUESTION)).getvalue())
    return file


def seconds_of(file: Path) -> float:
    with wave.open(str(file)) as sound:
        assert (sound.getnchannels(), sound.getsampwidth()) == (1, 2)
        return sound.getnframes() / sound.getframerate()


@pytest.mark.starter
@pytest.mark.usefixtures("speech")
def test_the_cited_number_by_voice(
    repository: Path, tmp_path: Path, question: Path, aapl: Path
) -> None:
    out = tmp_path / "answer.wav"
    arguments = (
        "--voice-in",
        str(question),
        "--voice-out",
        str(out),
        "--widget",
        str(aapl),
        "--json",
    )
    done = deskpilot(repository, "ask", *arguments)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    events = {line["event"]: line for line in lines if "event" in line}
    assert events["heard"]["text"] == "What was the closing price on October 15?"
    warnings = [line for line in lines if line.get("level") == "WARNING"]
    assert not warnings  # the year stands in no cell that was looked up, and was not made up
    assert events["spoken"]["text"] == "Close (date October fifteenth, 2024) is 233.85."
    (citation,) = events["citations"]["citations"]
    assert citation["value"] == 233.85
    assert (citation["cell"]["row"], citation["cell"]["column"]) == (0, "close")
    answer = "".join(line.get("content") or "" for line in lines if "event" not in line)
    assert "**233.85**" in answer[events["spoken"]["start"] : events["spoken"]["end"]]
    assert seconds_of(out) > 2
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.usefixtures("speech")
def test_what_is_spoken_is_the_answer(repository: Path, tmp_path: Path, question: Path) -> None:
    """The ear of the tiny models understands what their voice said of a stranger's words."""
    out, stranger = tmp_path / "answer.wav", tool_user()
    stranger.state.words = f"**{SHOW}**\n\n```python\nprint({{value}})\n```\n"
    widget = ("--widget", "resources/samples/us_macro.csv")
    with serving(stranger) as address:
        arguments = ("--voice-in", str(question), "--voice-out", str(out), "--copilot", address)
        done = deskpilot(repository, "ask", *arguments, *widget)
    assert done.returncode == 0, done.stderr
    assert (
        stranger.state.requests[0]["messages"][0]["content"]
        == "What was the closing price on October 15?"
    )
    assert "Heard: What was the closing price on October 15?\n" in done.stderr
    assert f"**{SHOW}**" in done.stdout
    heard = deskpilot(repository, "transcribe", str(out)).stdout
    assert heard.startswith(SHOW)


@pytest.mark.usefixtures("speech")
def test_what_cannot_be_heard_or_spoken_is_one_sentence(
    repository: Path, tmp_path: Path, question: Path
) -> None:
    silence, kept = tmp_path / "silence.wav", tmp_path / "kept.wav"
    silence.write_bytes(wav(np.zeros(16000), 16000).getvalue())
    kept.write_bytes(b"kept")
    cases = {
        ("--voice-in", str(silence)): (1, "silence.wav contains no speech."),
        ("--voice-in", str(tmp_path / "none.wav")): (1, "cannot be read: No such file"),
        ("--voice-in", str(question), "typed, too"): (2, "not both"),
        (
            "hi",
            "--voice-out",
            str(tmp_path / "none" / "a.wav"),
            "--copilot",
            "http://127.0.0.1:9",
        ): (
            1,
            "cannot be written",
        ),
        ("hi", "--voice-out", str(kept), "--copilot", "http://127.0.0.1:9"): (
            1,
            "cannot be reached",
        ),
    }
    for arguments, (status, told) in cases.items():
        done = deskpilot(repository, "ask", *arguments)
        assert (done.returncode, done.stdout) == (status, ""), arguments
        assert told in done.stderr, arguments
    assert kept.read_bytes() == b"kept"
    assert not list(tmp_path.glob("*.part"))


def test_a_missing_voice_is_named_with_its_size_and_the_answer_is_printed(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKPILOT_MODELS", str(tmp_path / "models"))
    out = tmp_path / "answer.wav"
    with serving(broken("steering")) as address:
        done = deskpilot(repository, "ask", "hi", "--voice-out", str(out), "--copilot", address)
    assert done.returncode == 1
    assert (
        "There is no voice on this machine. Download one with: deskpilot models pull piper-en-joe ("
        in done.stderr
    )
    assert " MB" in done.stderr
    assert done.stdout.startswith("a[2J")
    assert not out.exists()


def test_a_missing_ear_is_named_with_its_size_and_nothing_is_asked(
    repository: Path, question: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKPILOT_MODELS", str(tmp_path / "models"))
    done = deskpilot(
        repository, "ask", "--voice-in", str(question), "--copilot", "http://127.0.0.1:9"
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert (
        "Download one with: deskpilot models pull whisper-base (148 MB, multilingual)"
        in done.stderr
    )


@pytest.mark.skipif(sys.platform == "win32", reason="no process groups there")
@pytest.mark.usefixtures("speech")
def test_control_c_ends_the_answer_and_its_sound(repository: Path, tmp_path: Path) -> None:
    out = tmp_path / "answer.wav"
    with serving(broken("endless")) as address:
        process = subprocess.Popen(
            [*COMMAND, "ask", "hello", "--copilot", address, "--voice-out", str(out)],
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
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (130, b"Stopped.\n")
    assert not list(tmp_path.glob("answer.wav*"))
