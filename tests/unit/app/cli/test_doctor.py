"""What the doctor takes for a model that works."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from app.cli.doctor import is_whole

if TYPE_CHECKING:
    from pathlib import Path


def test_a_model_cut_short_does_not_work(tmp_path: Path) -> None:
    assert not is_whole(tmp_path)
    (tmp_path / "installed.json").write_text(json.dumps({"files": [{"name": "m.gguf", "bytes": 10}]}))
    assert not is_whole(tmp_path)
    (tmp_path / "m.gguf").write_bytes(b"x" * 9)
    assert not is_whole(tmp_path)
    (tmp_path / "m.gguf").write_bytes(b"x" * 10)
    assert is_whole(tmp_path)
    (tmp_path / "installed.json").write_text("[]")
    assert not is_whole(tmp_path)
