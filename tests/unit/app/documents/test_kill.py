"""Reading that is killed at any moment loses nothing, and repeats at most the file it was in."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from app.documents.index import Index
from app.documents.library import DocumentLibrary

ROUNDS, FILES = 5, 300
CODE = """
import sys
from pathlib import Path
from app.documents.index import Index
from app.documents.library import DocumentLibrary
library = DocumentLibrary(Index(Path(sys.argv[1])))
library.add(Path(sys.argv[2]))
print("begun", flush=True)
library.update(tell=lambda progress: print(progress.path, flush=True))
print("done", flush=True)
"""


def ready(index: Path) -> dict[str, int]:
    """Return the files that are read, and the rows that hold their texts."""
    with closing(sqlite3.connect(index)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        found = connection.execute("SELECT path, content_id FROM files WHERE state = 'ready'")
        return dict(found.fetchall())


@pytest.mark.slow
def test_kills_lose_no_file_and_each_repeats_one_at_most(tmp_path: Path) -> None:
    folder, path, chance = tmp_path / "papers", tmp_path / "index.sqlite", random.Random(23)
    folder.mkdir()
    for number in range(FILES):
        words = " ".join(f"word{number}x{n}." for n in range(chance.randrange(5, 400)))
        (folder / f"{number:03}.txt").write_text(words)
    before: dict[str, int] = {}
    started: list[str] = []
    for _ in range(ROUNDS):
        process = subprocess.Popen(
            [sys.executable, "-c", CODE, str(path), str(folder)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        children = psutil.Process(process.pid).children()
        for _ in range(chance.randrange(20)):  # at a file, and at any place within what follows
            started.append(process.stdout.readline().strip())
        try:
            process.wait(chance.random() * 0.02)
        except subprocess.TimeoutExpired:
            process.kill()
        started += process.communicate()[0].split()
        psutil.wait_procs(children, 10)
        after = ready(path)
        assert before.items() <= after.items()  # the same rows: none was read a second time
        before = after
    library = DocumentLibrary(Index(path))
    assert 0 < len(before) < FILES
    assert library.update().read == FILES - len(before)
    assert len(started) - started.count("done") - len(before) <= ROUNDS
    assert library.find("word299x3").hits[0].passage.path.endswith("299.txt")
    library.close()
