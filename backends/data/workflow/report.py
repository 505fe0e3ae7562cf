"""The report of a workflow run: a preview of each step, and the output to show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel

from backends.data.moments import PartialPeriod
from backends.data.steps import STEPS
from backends.data.values import Result, Scalar
from backends.data.workflow.step import (
    SHOWN,
    Chart,
    OutputSheet,
    OutputValue,
    Preview,
    Workflow,
    preview,
)

if TYPE_CHECKING:
    from backends.data.workflow.run import Done, FinishedRun

TOOL = "run_workflow"
ROWS = 12  # maximum number of table rows in the text of an answer
RESULTS = 50  # maximum number of rows of a result that are used to check numbers


class RunWorkflow(BaseModel):
    """Run steps. Each step names an interface, its arguments, and earlier results as `data`,
    `left`, `right` or `charts`.

    run: the id of an earlier run for this question, whose unchanged results are reused.
    """

    workflow: Workflow
    run: str = ""


class StepTold(BaseModel):
    """The report of one step: its result, or the reason why there is none."""

    id: str
    interface: str
    kind: str
    description: str = ""
    preview: Preview | None = None
    seconds: float = 0.0
    error: str = ""
    remedy: str = ""


class Shown(BaseModel):
    """A chart, table or value to show. figure: in Plotly's format. rows: the first 200.
    rows_in_all: the total number of rows. save: whether it is a table to be saved; the user chooses
    the place.
    """

    step: str
    kind: Literal["chart", "table", "value"]
    title: str = ""
    figure: dict[str, Any] = {}
    columns: list[str] = []
    rows: list[list[Scalar]] = []
    rows_in_all: int = 0
    value: Scalar = None
    unit: str | None = None
    save: bool = False
    left_out: str | None = None


class WorkflowResult(BaseModel):
    """The result of a workflow. run: the id under which its results are kept. hashes, names: the
    hashes and names of the tables that were read, by uuid. parts: incomplete periods in the output
    or its sources.
    """

    run: str
    steps: list[StepTold]
    shown: list[Shown] = []
    hashes: dict[str, str] = {}
    names: dict[str, str] = {}
    parts: list[PartialPeriod] = []

    @property
    def failed(self) -> list[StepTold]:
        """Return the steps that failed."""
        return [step for step in self.steps if step.error]

    def as_results(self) -> list[Result]:
        """Return the findings as results, against which the numbers in an answer are checked."""
        source, digest = next(iter(self.hashes.items()), ("", ""))
        found: list[Result] = []
        for one in self.shown:
            rows = one.rows or [
                row for trace in one.figure.get("data", []) for row in cells_of(trace)
            ]
            made = Result(
                interface=TOOL,
                source=source,
                source_hash=digest,
                value=one.value,
                columns=one.columns,
            )
            left = one.rows_in_all - min(len(one.rows), ROWS)  # the text states this after the rows
            more = {"left_out": f"{left} more rows"} if one.kind == "table" and left > 0 else {}
            found.append(
                made.model_copy(
                    update={"rows": rows, "label": one.title, "matched": one.rows_in_all, **more}
                )
            )
        for step in self.steps:
            if step.preview is not None:
                ends = [step.preview.first, step.preview.last]
                made = Result(
                    interface=TOOL,
                    source=source,
                    source_hash=digest,
                    rows=ends,
                    value=step.preview.value,
                )
                found.append(made.model_copy(update={"matched": step.preview.rows}))
        said: list[list[Scalar]] = [[part.label, part.held, part.of] for part in self.parts]
        ends = (
            Result(interface=TOOL, source=source, source_hash=digest, rows=said) if said else None
        )
        return [*found, ends] if ends is not None else found


def cells_of(trace: dict[str, Any]) -> list[list[Scalar]]:
    """Return the data of a trace: its name, then its points or slices."""
    keys = ("x", "y", "labels", "values", "open", "high", "low", "close")
    return [[trace.get("name", "")], *([cell] for key in keys for cell in trace.get(key) or [])]


def told(finished: FinishedRun, run: str) -> WorkflowResult:
    """Return the report of a workflow run."""
    steps = [step_told(done) for done in finished.done]
    shown = [one for done in finished.done if (one := shown_of(done)) is not None]
    if not shown and not finished.failed and finished.done:
        shown = (
            [sheet_of(finished.done[-1])]
            if not isinstance(finished.done[-1].output, OutputValue)
            else []
        )
    parts = [
        part for part in finished.desk.parts if any(rests_on(one, part, finished) for one in shown)
    ]
    return WorkflowResult(
        run=run, steps=steps, shown=shown, hashes=dict(finished.desk.hashes), parts=parts
    )


def rests_on(one: Shown, part: PartialPeriod, finished: FinishedRun) -> bool:
    """Return whether a chart or table contains an incomplete period, or a value was computed from
    one.
    """
    names = {part.day, part.label}
    if one.kind != "value":
        rows = one.rows or [row for trace in one.figure.get("data", []) for row in cells_of(trace)]
        return any(str(cell)[:10] in names for row in rows for cell in row)
    return went_into(one.step, names, {done.step.id: done for done in finished.done})


def went_into(step: str, names: set[str], done: dict[str, Done]) -> bool:
    """Return whether the rows that a step uses start or end with an incomplete period. If they have
    no days, the rows from which they were computed are checked.
    """
    for made in (done[name] for name in done[step].step.inputs() if name in done):
        if made.output is None or isinstance(made.output, OutputValue):
            continue
        seen = preview(made.output)
        timed = any(kind in ("date", "time") for kind in seen.columns.values())
        ends = {str(cell)[:10] for cell in (*seen.first, *seen.last)}
        if not names.isdisjoint(ends) or (not timed and went_into(made.step.id, names, done)):
            return True
    return False


def step_told(done: Done) -> StepTold:
    """Return the report of a step."""
    return StepTold(
        id=done.step.id,
        interface=done.step.interface,
        kind=STEPS[done.step.interface].kind,
        description=done.step.description,
        preview=preview(done.output) if done.output is not None else None,
        seconds=done.seconds,
        error=done.error.text if done.error else "",
        remedy=done.error.remedy if done.error else "",
    )


def shown_of(done: Done) -> Shown | None:
    """Return the output of a step to show, or None for rows that only other steps use."""
    output = done.output
    if isinstance(output, OutputValue):
        return Shown(
            step=done.step.id, kind="value", title=output.name, value=output.value, unit=output.unit
        )
    if isinstance(output, Chart):
        title = str(output.figure.get("layout", {}).get("title", {}).get("text", ""))
        return Shown(
            step=done.step.id,
            kind="chart",
            title=title or done.step.description,
            figure=output.figure,
            left_out=output.left_out,
        )
    return sheet_of(done) if isinstance(output, OutputSheet) else None


def sheet_of(done: Done) -> Shown:
    """Return rows as a table to show."""
    assert done.output is not None
    assert not isinstance(done.output, OutputValue | Chart)
    table = done.output.table
    title, save = (
        (done.output.title, done.output.save)
        if isinstance(done.output, OutputSheet)
        else ("", False)
    )
    count = table.count()
    return Shown(
        step=done.step.id,
        kind="table",
        title=title or done.step.description,
        columns=[column.name for column in table.columns],
        rows=[list(row) for row in table.rows(0, SHOWN)],
        rows_in_all=count,
        save=save,
        left_out=f"{count - SHOWN:,} more rows" if count > SHOWN else None,
    )
