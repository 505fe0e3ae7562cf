"""What `deskpilot embed` and `deskpilot rerank` take, and what they print of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from app.cli import retrieval
from app.cli.commands import app
from app.cli.retrieval import gather

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("content", "said"),
    [("naïve".encode("latin-1"), "UTF-8"), (b"\n \n", "contains no text"), (None, "No such file")],
)
def test_what_cannot_be_read_is_one_sentence(
    tmp_path: Path, content: bytes | None, said: str
) -> None:
    file = tmp_path / "texts.txt"
    if content is not None:
        file.write_bytes(content)
    done = CliRunner().invoke(app, ["embed", "-f", str(file)])
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert said in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [["embed"], ["rerank", "q"], ["rerank", " ", "a"], ["rerank", "q", "a", "--top", "-1"]],
)
def test_nothing_to_do_is_wrong_usage(arguments: list[str]) -> None:
    assert CliRunner().invoke(app, arguments).exit_code == 2


def test_texts_are_those_of_the_line_then_those_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "texts.txt"
    file.write_bytes("\ufeffone\r\n\r\ntwo\u2028still two\n".encode())
    assert gather(["zero"], file) == ["zero", "one", "two\u2028still two"]
    assert gather(["a", ""], None) == ["a", ""]


def test_what_is_printed_cannot_steer_the_screen() -> None:
    assert retrieval.line(0.5, 3, "\x1b[31mred", as_json=False) == "0.5000  [31mred"
    assert json.loads(retrieval.line(0.5, 3, "\x1b", as_json=True)) == {
        "index": 3,
        "score": 0.5,
        "text": "\x1b",
    }
    assert retrieval.vector_line(0, "a", [0.5, -1e-9], as_json=False) == "0.500000 -0.000000"
