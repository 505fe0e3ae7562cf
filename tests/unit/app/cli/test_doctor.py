"""What the doctor takes for a model that works."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from app.cli.doctor import ask_engines, computes_on, is_whole

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow


def test_a_model_cut_short_does_not_work(tmp_path: Path) -> None:
    assert not is_whole(tmp_path)
    (tmp_path / "installed.json").write_text(
        json.dumps({"files": [{"name": "m.gguf", "bytes": 10}]})
    )
    assert not is_whole(tmp_path)
    (tmp_path / "m.gguf").write_bytes(b"x" * 9)
    assert not is_whole(tmp_path)
    (tmp_path / "m.gguf").write_bytes(b"x" * 10)
    assert is_whole(tmp_path)
    (tmp_path / "installed.json").write_text("[]")
    assert not is_whole(tmp_path)


def test_each_type_of_model_is_told_with_the_device_it_really_uses() -> None:
    def engine(
        label: str, types: list[str], devices: list[str], error: str | None = None, **loaded: str
    ) -> dict[str, object]:
        told: dict[str, object] = {
            "provider": "p",
            "label": label,
            "types": types,
            "devices": devices,
        }
        return told | {"error": error, "loaded": loaded}

    rows = computes_on(
        [
            engine("llama.cpp", ["llm", "moderation"], ["cuda", "cpu"]),
            engine("Piper", ["tts"], ["cpu"], joe="cpu"),
            engine("Whisper", ["speech2text"], [], "Its library does not load."),
        ]
    )
    assert rows[0] == ("language models, guard models", True, "cuda, llama.cpp; cpu on request")
    assert rows[1:] == [
        ("text to speech", True, "cpu, Piper; joe computes on cpu now"),
        ("speech to text", False, "Whisper: Its library does not load."),
    ]
    assert computes_on([engine("Piper", ["tts"], ["cpu"])])[-1][0] == "a GPU"


def test_the_engines_themselves_are_asked_and_none_is_loaded_here() -> None:
    told = {engine["provider"]: engine for engine in ask_engines()}
    assert all(engine["loaded"] == {} for engine in told.values())  # no service runs
    assert {"llama_cpp", "onnxruntime", "faster_whisper", "piper"} <= set(told)
    for name in ("llama_cpp", "onnxruntime", "faster_whisper", "piper"):
        assert told[name]["error"] is None
        assert told[name]["devices"][-1] == "cpu"
