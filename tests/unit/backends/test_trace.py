"""The way of a question through the processes, written down without its content."""

from __future__ import annotations

from pathlib import Path

import pytest

from backends import trace


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "kept"
    home.mkdir()
    monkeypatch.setenv("DESKPILOT_HOME", str(home))
    monkeypatch.setattr(trace, "NOW", trace.ContextVar("trace", default=""))
    return home


def test_what_was_done_is_noted_under_the_id_and_how_it_ended() -> None:
    trace.NOW.set("a-1")
    with trace.noted("worker", "invoke", engine="llama_cpp"):
        pass
    with pytest.raises(ValueError, match="secret"), trace.noted("service", "/v1/query"):
        raise ValueError("a secret word")
    first, second = trace.read_notes()
    assert (first["trace"], first["part"], first["did"], first["ended"]) == (
        "a-1",
        "worker",
        "invoke",
        "ok",
    )
    assert second["ended"] == "ValueError"
    assert "secret" not in trace.trace_file().read_text()
    assert trace.trace_file().stat().st_mode & 0o077 == 0


def test_without_an_id_or_a_folder_nothing_is_written(
    fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace.note("app", "ask")
    trace.NOW.set("a-1")
    monkeypatch.setenv("DESKPILOT_HOME", str(fresh / "none"))
    trace.note("app", "ask")
    assert not list(fresh.iterdir())
    assert trace.read_notes() == []


def test_a_full_file_starts_anew_and_broken_lines_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trace, "MOST", 300)
    trace.NOW.set("a-1")
    for number in range(12):
        trace.note("app", "ask", number=number)
    with trace.trace_file().open("a") as file:
        file.write('{"at": 1\n[1]\n')
    assert trace.trace_file().stat().st_size < 600
    assert [told["number"] for told in trace.read_notes()][-1] == 11


@pytest.mark.parametrize(
    ("text", "good"), [("a-1", True), ("", False), ("a b", False), ("é", False), ("x" * 65, False)]
)
def test_only_an_id_is_taken_over_the_wire(text: str, good: bool) -> None:
    assert trace.is_id(text) is good
