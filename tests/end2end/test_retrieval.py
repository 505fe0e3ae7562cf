"""`deskpilot embed` and `deskpilot rerank`, with the tiny models and without any."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from backends.catalog import Catalog
from tests.end2end.shell import deskpilot
from tests.models.retrieval import EMBEDDER, ENCODER, documents, questions

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def served(models: Path, home: Path, repository: Path) -> Iterator[psutil.Process]:
    """Import the tiny models, and keep one service for every command: torch starts slowly."""
    for model in (EMBEDDER, ENCODER):
        Catalog(models).add(Path(model["model_path"]))
    command = [sys.executable, "-m", "backends.service", "--parent-pipe"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=repository
    ) as service:
        assert service.stdin
        assert service.stdout
        assert json.loads(service.stdout.readline())["port"]
        yield psutil.Process(service.pid)
        service.stdin.close()
        service.wait(timeout=20)


@pytest.mark.usefixtures("models")
def test_texts_are_embedded_and_put_in_order(
    served: psutil.Process, repository: Path, tmp_path: Path
) -> None:
    file = tmp_path / "texts.txt"
    file.write_text("\n\n".join(documents()) + "\r\n" + "word " * 500 + "\n", "utf-8")
    query = questions()[8]

    ranked = deskpilot(repository, "rerank", query, "-f", str(file), "--top", "3")
    assert (ranked.returncode, ranked.stdout.count("\n")) == (0, 3), ranked.stderr
    assert ranked.stdout.split("\n")[0].split("  ", 1)[1] == documents()[8]
    assert ranked.stderr.strip().endswith(
        "texts is longer than 64 tokens; only the beginning is used."
    )

    rows = [
        json.loads(line)
        for line in deskpilot(
            repository,
            "rerank",
            query,
            documents()[0],
            documents()[8],
            "--threshold",
            "0.5",
            "--json",
        ).stdout.splitlines()
    ]
    assert [(row["index"], row["text"]) for row in rows] == [(1, documents()[8])]

    made = deskpilot(repository, "embed", "-f", "-", "--json", stdin="\n".join(documents()[:70]))
    vectors = [json.loads(line) for line in made.stdout.splitlines()]
    assert [row["index"] for row in vectors] == list(range(70)), made.stderr
    assert [row["text"] for row in vectors] == documents()[:70]
    assert all(len(row["embedding"]) == 32 for row in vectors)
    if sys.platform == "linux":
        assert sum(has_torch(child) for child in served.children()) == 2
        assert not has_torch(served)


def has_torch(process: psutil.Process) -> bool:
    """Tell whether a process has loaded torch's library."""
    return any("libtorch" in part.path for part in process.memory_maps())  # type: ignore[attr-defined]


@pytest.mark.usefixtures("models")
def test_without_a_model_it_says_exactly_what_to_fetch(repository: Path) -> None:
    embedded = deskpilot(repository, "embed", "a")
    ranked = deskpilot(repository, "rerank", "a", "b")
    assert embedded.returncode == ranked.returncode == 1
    assert "Download one with: deskpilot models pull minilm-l6 (84 MB, en)" in embedded.stderr
    assert "multilingual-e5-small (95 MB, multilingual)" in embedded.stderr
    assert (
        "Download one with: deskpilot models pull ms-marco-minilm-l6 (92 MB, en)" in ranked.stderr
    )
    assert embedded.stdout == ranked.stdout == ""
