"""What is computed on an emulated processor is told apart from what ended or came out otherwise."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def emulate(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "packaging"))
    import emulate  # pyright: ignore[reportMissingImports]

    return emulate


def test_a_result_or_how_it_ended_is_returned(emulate: Any, tmp_path: Path) -> None:
    assert emulate.compute([sys.executable], "print(1); print(6 * 7)", tmp_path) == "42"
    told = emulate.compute([sys.executable], "import os; os.kill(os.getpid(), 4)", tmp_path)
    assert told.startswith("ended with ")


def test_the_engines_that_are_computed_are_those_of_the_product(emulate: Any) -> None:
    """Every native library of the table that computes is in one of the lines."""
    code = " ".join(emulate.ENGINES.values())
    modules = ("duckdb", "llama_cpp", "onnxruntime", "faster_whisper", "piper", "av", "PySide6")
    for module in modules:
        assert re.search(rf"(import|from) (\w+, )*{module}\b", code), module


def test_a_result_that_differs_there_fails(
    emulate: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """A stand-in for the emulator answers for some lines and dies at others."""
    python = tmp_path / "tree" / "python" / "bin" / "python3"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    there = tmp_path / "qemu-x86_64"
    there.write_text(
        '#!/bin/sh\ncase "$*" in *DIES*) exit 132;; *OTHER*) echo 2; exit;; esac\n'
        f'shift 3\nexec {sys.executable} "$@"\n'
    )
    there.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(sys, "argv", ["emulate.py", str(tmp_path / "tree")])
    monkeypatch.setattr(emulate, "ENGINES", {"good": "print(1)"})
    assert emulate.main() == 0
    for bad in ("print('DIES')", "print('OTHER')"):
        monkeypatch.setattr(emulate, "ENGINES", {"good": "print(1)", "bad": bad})
        assert emulate.main() == 1
    told = capsys.readouterr().out
    assert "FAILED  bad: ended with 132" in told, json.dumps(told)
