"""A kit of models, carried to a machine without a network and with an empty home: it answers
there.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from backends.catalog import Catalog
from tests.models.llama import LLAMA
from tests.models.speech import PIPER, SENTENCES, WHISPER

QUESTION = "What was the unemployment rate in the third quarter of 2009?"
NO_NETWORK = dict.fromkeys(
    ("http_proxy", "https_proxy", "all_proxy", "HF_ENDPOINT"), "http://127.0.0.1:9"
)


def deskpilot(repository: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "DESKPILOT_MODELS"}
    environment |= {
        "DESKPILOT_HOME": str(home),
        "HOME": str(home),
        "no_proxy": "127.0.0.1",
    } | NO_NETWORK
    command = [sys.executable, "-m", "app", *arguments]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=repository,
        timeout=120,
        env=environment,
    )


@pytest.fixture
def kit(repository: Path, tmp_path: Path) -> Path:
    """Fill a kit on a machine that has three tiny models, then lose that machine."""
    first = Catalog(tmp_path / "first" / "models")
    first.add(Path(LLAMA["model_path"]), "tiny-llama")
    first.add(Path(WHISPER["model_path"]), "tiny-whisper")
    first.add(Path(PIPER["model_path"]), "tiny-voice")
    done = deskpilot(
        repository, tmp_path / "first", "models", "export-kit", str(tmp_path / "stick")
    )
    assert done.returncode == 0, done.stderr
    (tmp_path / "first").rename(tmp_path / "gone")
    return tmp_path / "stick"


def test_what_a_kit_brings_answers_hears_and_speaks_without_a_network(
    kit: Path, repository: Path, tmp_path: Path
) -> None:
    home, table = tmp_path / "second", str(repository / "resources" / "samples" / "us_macro.csv")
    done = deskpilot(repository, home, "models", "import-kit", str(kit))
    assert done.returncode == 0, done.stderr
    computed = deskpilot(repository, home, "ask", QUESTION, "--widget", table)
    assert computed.returncode == 0, computed.stderr
    assert "**9.6** [1]" in computed.stdout
    talked = deskpilot(repository, home, "ask", "What is the capital of France?")
    assert talked.returncode == 0, talked.stderr
    assert "Paris" in talked.stdout
    sound = str(tmp_path / "said.wav")
    assert deskpilot(repository, home, "say", SENTENCES[0], "-o", sound).returncode == 0
    assert deskpilot(repository, home, "transcribe", sound).stdout.strip() == SENTENCES[0]


def test_a_damaged_kit_is_one_sentence_and_nothing_of_it_is_used(
    kit: Path, repository: Path, tmp_path: Path
) -> None:
    model = kit / "tiny-llama" / "model.gguf"
    model.write_bytes(b"\0" * model.stat().st_size)
    done = deskpilot(repository, tmp_path / "second", "models", "import-kit", str(kit))
    assert done.returncode == 1
    assert "model.gguf is damaged" in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "second" / "models" / "tiny-llama" / "installed.json").exists()
