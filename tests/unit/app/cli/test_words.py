"""What cannot be used is told before any model is asked: one sentence, no trace of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from app.cli.commands import app

if TYPE_CHECKING:
    from pathlib import Path

NOT_TEXT = b"\xff\xfe\x00caf\xe9"
TYPED = "\udcff\udcfe"  # what Python makes of such bytes on a command line


def told(*words: str, stdin: bytes | None = None) -> str:
    """Run a command that must fail; return its last words."""
    done = CliRunner().invoke(app, list(words), input=stdin)
    assert done.exit_code in (1, 2)
    assert isinstance(done.exception, SystemExit | None)
    assert "Traceback" not in done.output
    return " ".join(done.output.split())


@pytest.mark.parametrize(
    "words", [["say", "-", "-o", "a.wav"], ["embed", "-f", "-"], ["rerank", "q", "-f", "-"]]
)
def test_a_stdin_that_is_no_text_is_told(words: list[str]) -> None:
    assert "stdin is not UTF-8 text. Save it as UTF-8." in told(*words, stdin=NOT_TEXT)


@pytest.mark.parametrize(
    "words", [["say", TYPED, "-o", "a.wav"], ["embed", TYPED], ["rerank", TYPED, "a"]]
)
def test_typed_bytes_that_are_no_text_are_told(words: list[str]) -> None:
    assert "The input is not UTF-8 text." in told(*words)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["embed", ""], "A text is empty"),
        (["rerank", "q", "a", " "], "A text is empty"),
        (["rerank", " ", "a"], "The query is empty"),
        (["rerank", "q", "a", "--threshold", "nan"], "nan is not a score"),
    ],
)
def test_what_holds_nothing_is_told(words: list[str], why: str) -> None:
    assert why in told(*words)


def test_a_place_that_cannot_be_written_is_told_before_anybody_listens(tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_bytes(b"no sound")
    wanted = tmp_path / "nowhere" / "a.srt"
    said = told("transcribe", str(tmp_path / "a.wav"), "-f", "srt", "-o", str(wanted))
    assert "cannot be written" in said
    assert "Specify another file." in said
