"""Whatever a test and the processes it starts try to reach: on this machine it is let, past it is
noted and refused.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.watched import sitecustomize


@dataclass(frozen=True)
class NetworkWatch:
    """file: where each process says that it is watched, and what it tried."""

    file: Path

    def lines(self) -> list[str]:
        return self.file.read_text("utf-8").splitlines() if self.file.exists() else []

    def tried(self) -> list[str]:
        """Return what was tried past this machine."""
        return [line for line in self.lines() if not line.startswith("watching")]

    def watches(self, *parts: str) -> bool:
        """Tell whether for each part there is a process whose command has it."""
        return all(any(part in line for line in self.lines()) for part in parts)


@pytest.fixture
def network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NetworkWatch:
    """Watch this process and all it starts."""
    file = tmp_path / "network.log"
    folders = [str(Path(sitecustomize.__file__).parent), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, folders)))
    monkeypatch.setenv(sitecustomize.VARIABLE, str(file))
    return NetworkWatch(file)
