"""The provider of the document for authors, installed as a stranger's package and used from the
shell.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

DOCUMENT = Path(__file__).parents[2] / "backends" / "providers" / "README.md"
FILE = re.compile(r"`([\w/.]+)`:\n\n```\w+\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder into which pip installed the package that the document shows."""
    folder, target = tmp_path_factory.mktemp("parrot"), tmp_path_factory.mktemp("installed")
    for name, text in FILE.findall(DOCUMENT.read_text("utf-8")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", "--quiet", *offline]
    done = subprocess.run(
        [*command, "--target", str(target), str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return target


def test_the_sample_has_sixty_lines_and_is_found_by_its_entry_point(installed: Path) -> None:
    assert len((installed / "parrot" / "__init__.py").read_text("utf-8").splitlines()) <= 60
    shown = "from backends.flexai.registry import load_providers as p; print(*p().names())"
    done = subprocess.run(
        [sys.executable, "-c", shown],
        env=os.environ | {"PYTHONPATH": str(installed)},
        cwd=DOCUMENT.parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "parrot" in done.stdout.split()


def test_the_sample_is_added_and_answers(installed: Path, repository: Path, home: Path) -> None:
    def run(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "app", *arguments],
            env=os.environ | {"PYTHONPATH": str(installed), "SEED": "millet", "STONES": "stones"},
            cwd=repository,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            **more,
        )

    wrong = run("providers", "add", "parrot", "--env", "seed=STONES", "--model", "ara")
    assert wrong.returncode == 1
    assert "The parrot is hungry. Give it millet." in wrong.stderr
    added = run(
        "providers", "add", "parrot", "--env", "seed=SEED", "--model", "ara", "--model", "kea"
    )
    assert added.returncode == 0, added.stderr
    asked = run("ask", "good morning to you", "--model", "parrot/ara")
    assert (asked.returncode, asked.stdout) == (0, "good morning to you \n")
    embedded = run("embed", "two words", "--model", "parrot/kea")
    assert embedded.returncode == 0, embedded.stderr
    assert "9" in embedded.stdout


def test_a_package_that_cannot_be_loaded_is_told_when_it_is_named(
    installed: Path, repository: Path, home: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(installed, broken)
    (broken / "parrot" / "__init__.py").write_text("import no_such_cage\n", "utf-8")
    named = subprocess.run(
        [sys.executable, "-m", "app", "providers", "add", "parrot", "--env", "seed=SEED"],
        env=os.environ | {"PYTHONPATH": str(broken), "SEED": "millet"},
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert named.returncode == 1
    assert "'parrot' cannot be loaded: No module named 'no_such_cage'" in named.stderr
