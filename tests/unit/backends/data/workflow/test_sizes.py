"""Steps that would make more rows than a frame holds, from few."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest

from backends.data.errors import WrongArguments
from backends.data.table import connect, table_from_rows
from backends.data.workflow import context
from backends.data.workflow.run import run_workflow
from backends.data.workflow.step import Step, Workflow

pytestmark = pytest.mark.slow

ALL = {"id": "r1", "interface": "read_rows", "arguments": {"source": "t"}}


def why(*steps: dict[str, Any], rows: int = 6000) -> str:
    """Return why the last of some steps failed; nothing if it did not."""
    made = [{"k": n % 2, "day": f"2024-01-{n % 28 + 1:02}", "v": n + 1} for n in range(rows)]
    table = table_from_rows(made, source="t", hash_="t")
    workflow = Workflow(steps=[Step.model_validate(step) for step in (ALL, *steps)])
    finished = run_workflow(workflow, lambda _: table)
    finished.desk.close()
    error = finished.done[-1].error
    assert error is None or isinstance(error, WrongArguments)
    return error.text if error else ""


@pytest.mark.parametrize("how", ["inner", "left", "outer"])
def test_a_merge_of_each_with_each_is_refused_before_it_is_made(how: str) -> None:
    asked = {"left": "r1", "right": "r1", "on": ["k"], "how": how}
    assert "18,000,000 rows" in why({"id": "r2", "interface": "merge", "arguments": asked})
    assert why({"id": "r2", "interface": "merge", "arguments": asked | {"on": ["k", "v"]}}) == ""


def test_stacks_of_stacks_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "ROWS", 5000)
    first = {"id": "r2", "interface": "stack", "arguments": {"data": ["r1"] * 20}}
    second = {"id": "r3", "interface": "stack", "arguments": {"data": ["r2"] * 20}}
    assert why(first, rows=100) == ""
    assert why(first, second, rows=100) == "These are more than 5,000 rows."


def test_loops_over_whole_tables_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backends.data.workflow.run.ROWS", 5000)
    each = {"data": "r1", "column": "v", "argument": "n"}
    read = {"id": "r2", "interface": "read_rows", "arguments": {"source": "t"}, "each": each}
    assert "more than" in why(read, rows=300)


def test_what_does_not_fit_into_memory_goes_where_it_is_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "spilled"))
    (tmp_path / "spilled").mkdir()
    monkeypatch.chdir(tmp_path)
    connections = [connect(memory_limit="40MB", threads=1) for _ in range(2)]
    for connection in connections:
        connection.execute("CREATE TABLE t AS SELECT hash(range) AS a FROM range(8000000)")
    assert len(list((tmp_path / "spilled").iterdir())) == 2
    for connection in connections:
        connection.close()
    assert not list((tmp_path / "spilled").iterdir())
    assert not (tmp_path / ".tmp").exists()
