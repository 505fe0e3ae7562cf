"""The command runs nothing that lies in the folder it is called in."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.hostile_folder import spoil, victims

if TYPE_CHECKING:
    from pathlib import Path


def deskpilot(repository: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder, found as an installed one is."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "app", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(repository)},
        timeout=120,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize(
    "arguments", [("ask", "Hello?"), ("models", "list"), ("serve", "--port", "99999")]
)
def test_no_command_runs_a_module_of_the_folder(
    repository: Path, tmp_path: Path, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKPILOT_MODELS", str(tmp_path / "none"))
    spoil(folder := tmp_path / "Downloads")
    done = deskpilot(repository, folder, *arguments)
    assert victims(folder) == [], done.stderr


@pytest.mark.starter
def test_a_question_is_answered_in_a_hostile_folder(
    repository: Path, tmp_path: Path, macro_csv: Path
) -> None:
    spoil(folder := tmp_path / "Downloads")
    question = "What was the unemployment rate in the third quarter of 2009?"
    done = deskpilot(repository, folder, "ask", question, "--widget", str(macro_csv))
    assert victims(folder) == []
    assert "**9.6** [1]" in done.stdout, done.stderr


def test_the_module_of_a_folder_is_not_taken_for_a_library(
    repository: Path, tmp_path: Path
) -> None:
    """`python -m app` itself has the folder before everything; what comes after its first lines has
    not.
    """
    folder = tmp_path / "Downloads"
    spoil(folder)
    for package in ("app", "backends"):  # Python would run the folder's `app` for ours
        (folder / package / "__init__.py").unlink()
        (folder / package).rmdir()
    done = subprocess.run(
        [sys.executable, "-m", "app", "ask", "Hello?"],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(repository)},
        timeout=120,
        stdin=subprocess.DEVNULL,
    )
    assert victims(folder) == [], done.stderr
