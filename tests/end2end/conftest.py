"""What tests of the command share: a folder of models of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of models of this test, empty."""
    folder = tmp_path / "models"
    monkeypatch.setenv("DESKPILOT_MODELS", str(folder))
    return folder
