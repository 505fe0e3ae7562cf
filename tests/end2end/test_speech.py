"""`deskpilot say` and `deskpilot transcribe`, with the tiny models and without any."""

from __future__ import annotations

import json
import wave
from pathlib import Path

import numpy as np
import pytest

from backends.catalog import Catalog
from backends.paths import models_folder
from tests.end2end.shell import deskpilot
from tests.models.speech import PIPER, SENTENCES, SHOW, WHISPER, spoken, wav


@pytest.fixture
def speech(models: Path, repository: Path) -> Path:
    """Import the tiny models as a person would."""
    for path, name in (
        (WHISPER["model_path"], "tiny-whisper"),
        (PIPER["model_path"], "tiny-voice"),
    ):
        done = deskpilot(repository, "models", "import", path, "--id", name)
        assert done.returncode == 0, done.stderr
        assert f"{name} can be used." in done.stderr
    listed = deskpilot(repository, "models", "list").stdout
    assert "tiny-whisper" in listed
    return models


@pytest.mark.usefixtures("speech")
def test_what_is_said_into_a_file_is_written_down_from_it(repository: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.wav"
    said = deskpilot(repository, "say", SENTENCES[0], "-o", str(out))
    assert (said.returncode, said.stdout, said.stderr) == (0, "", "")
    with wave.open(str(out)) as reader:
        assert reader.getnframes() == (out.stat().st_size - 44) // 2
    heard = deskpilot(repository, "transcribe", str(out))
    assert (heard.returncode, heard.stdout, heard.stderr) == (0, SENTENCES[0] + "\n", "")
    assert [p.name for p in tmp_path.glob("out*")] == ["out.wav"]


@pytest.mark.usefixtures("speech")
def test_subtitles_and_json_go_to_a_file_and_text_comes_from_stdin(
    repository: Path, tmp_path: Path
) -> None:
    out, subtitles = tmp_path / "out.wav", tmp_path / "out.srt"
    assert (
        deskpilot(repository, "say", "-", "-o", str(out), "--speed", "0.9", stdin=SHOW).returncode
        == 0
    )
    assert (
        deskpilot(repository, "transcribe", str(out), "-f", "srt", "-o", str(subtitles)).stdout
        == ""
    )
    assert subtitles.read_text().startswith("1\n00:00:00,")
    told = json.loads(deskpilot(repository, "transcribe", str(out), "--format", "json").stdout)
    assert (told["text"], told["language"]) == (SHOW, "en")
    assert told["segments"][0]["end"] > 1


@pytest.mark.usefixtures("speech")
def test_bad_input_is_one_sentence_and_exit_status_1(repository: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.wav"
    out.write_bytes(b"kept")
    empty, text, silence = tmp_path / "empty.wav", tmp_path / "a.txt", tmp_path / "silence.wav"
    empty.touch()
    text.write_text("no sound at all " * 20)
    silence.write_bytes(wav(np.zeros(16000), 16000).getvalue())
    cases = {
        ("say", "😀", "-o", str(out)): "no words",
        ("say", SHOW, "-o", str(out), "--voice", "carl"): "'carl'",
        ("say", SHOW, "-o", str(tmp_path / "none" / "out.wav")): "cannot be written",
        ("transcribe", str(empty)): "0 bytes",
        ("transcribe", str(text)): "cannot be read as audio",
        ("transcribe", str(tmp_path / "none.wav")): "cannot be read: No such file",
        ("transcribe", str(empty), "--model", "nope"): "'nope'",
    }
    for arguments, said in cases.items():
        done = deskpilot(repository, *arguments)
        assert done.returncode == 1, arguments
        assert said in done.stderr, arguments
        assert done.stderr.count("\n") == 1, arguments
        assert done.stdout == ""
    assert out.read_bytes() == b"kept"
    assert not list(tmp_path.glob("*.part"))
    quiet = deskpilot(repository, "transcribe", str(silence))
    assert (quiet.returncode, quiet.stdout.strip()) == (0, "")
    assert quiet.stderr == "No speech was heard in silence.wav.\n"
    assert deskpilot(repository, "transcribe", str(silence), "-f", "pdf").returncode == 2


@pytest.mark.usefixtures("models")
def test_without_a_model_it_says_exactly_what_to_fetch(repository: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.wav"
    file.write_bytes(wav(*spoken()).getvalue())
    heard = deskpilot(repository, "transcribe", str(file))
    said = deskpilot(repository, "say", SHOW, "-o", str(tmp_path / "out.wav"))
    assert heard.returncode == said.returncode == 1
    assert (
        "Download one with: deskpilot models pull whisper-base (148 MB, multilingual)"
        in heard.stderr
    )
    assert "Download one with: deskpilot models pull piper-en-joe (58 MB, en)" in said.stderr
    assert not (tmp_path / "out.wav").exists()


REAL = ("whisper-tiny-en", "piper-en-joe")


@pytest.mark.skipif(
    any(Catalog(models_folder()).installed(name) is None for name in REAL),
    reason=f"full-size speech models are not here: deskpilot models pull {' '.join(REAL)}",
)
def test_full_size_models_understand_each_other(repository: Path, tmp_path: Path) -> None:
    text, out = "What was the unemployment rate in the third quarter of 2009?", tmp_path / "out.wav"
    said = deskpilot(repository, "say", text, "-o", str(out), "--model", REAL[1])
    assert said.returncode == 0, said.stderr
    heard = deskpilot(repository, "transcribe", str(out), "--model", REAL[0])
    assert heard.stdout.strip() == text
