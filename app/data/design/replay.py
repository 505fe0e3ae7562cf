"""What an interface gives, whole: so that two can be compared."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from backends.data.workflow.output import Chart, Value
from backends.data.workflow.run import run_workflow

if TYPE_CHECKING:
    from app.data.sources import Sources
    from backends.data.workflow.step import Workflow


def given(workflow: Workflow, sources: Sources) -> dict[str, Any]:
    """Return what the last step of a workflow gives: every column and row, a value, or a chart.

    Raises: KernelError of the step that failed.
    """
    finished = run_workflow(workflow, lambda uid: sources.source(uid).table)
    try:
        for done in finished.failed:
            assert done.error is not None
            raise done.error
        output = finished.done[-1].output
        assert output is not None
        if isinstance(output, Value):
            return {"value": output.value, "name": output.name, "unit": output.unit}
        if isinstance(output, Chart):
            return {"figure": output.figure}
        columns = [(c.name, c.kind) for c in output.table.columns]
        return {"columns": columns, "rows": output.table.rows(0, output.table.count())}
    finally:
        finished.desk.close()


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Tell whether two runs gave the same, cell by cell; a number that is none (0/0) is as itself."""
    return json.dumps(one, default=str) == json.dumps(other, default=str)
