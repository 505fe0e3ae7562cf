"""Where wheels are looked for: as pip is told, by its own files and the environment."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from backends.catalog.errors import NotReachable
from backends.catalog.index import find_wheel, pip_settings


@pytest.fixture(autouse=True)
def only_this_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("INDEX_URL", "EXTRA_INDEX_URL", "FIND_LINKS", "NO_INDEX"):
        monkeypatch.delenv(f"PIP_{name}", raising=False)
    path = tmp_path / "pip.conf"
    path.write_text("[global]\nindex-url = https://file.invalid/simple\nfind-links = /one /two\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(path))
    return path


def test_the_environment_wins_over_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://mirror.invalid/simple")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://more.invalid/simple")
    settings = pip_settings()
    assert settings["index"] == ["https://mirror.invalid/simple", "https://more.invalid/simple"]
    assert settings["find-links"] == ["/one", "/two"]


def test_no_index_means_no_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert pip_settings() == {"index": [], "find-links": ["/one", "/two"]}


def test_a_python_without_pip_is_told_with_a_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = tmp_path / "python"
    bare.write_text("#!/bin/sh\nexit 1\n")
    bare.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(bare))
    with pytest.raises(NotReachable, match="pip") as caught:
        find_wheel(None, "tiny", "tiny.whl")  # type: ignore[arg-type]
    assert "ensurepip" in caught.value.remedy
