"""Run a workflow. Each step runs as soon as its inputs are ready; several run at once. Steps can be
loops.
"""

from __future__ import annotations

import contextvars
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backends.data.errors import KernelError, WrongArguments
from backends.data.steps import STEPS
from backends.data.table import ORDINAL, quote
from backends.data.workflow.context import ROWS, RunContext, too_many
from backends.data.workflow.step import Output, OutputFrame, OutputValue, put_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from backends.data.table import Table
    from backends.data.values import Scalar
    from backends.data.workflow.interface import StepInterface
    from backends.data.workflow.step import Step, Workflow

AT_ONCE = 4
LOOPS = 1000  # maximum number of values in a loop


@dataclass(frozen=True)
class Done:
    """A step that has been run. output: None if the step failed; `error` then says why."""

    step: Step
    output: Output | None
    error: KernelError | None
    seconds: float


@dataclass(frozen=True)
class FinishedRun:
    """A workflow that has finished: its steps in order, and the context, which holds the results
    until it is closed.
    """

    done: list[Done]
    desk: RunContext

    @property
    def failed(self) -> list[Done]:
        """Return the steps that failed themselves. Steps that depend on them were not run."""
        return [done for done in self.done if done.error is not None]


def run_workflow(
    workflow: Workflow, source: Callable[[str], Table], desk: RunContext | None = None
) -> FinishedRun:
    """Run a workflow whose parameters have been filled in.

    source: returns a table by its uuid. desk: a context; results in it that have the name of a step
    are kept, and that step is not run again. If a step fails, the steps that use its result are not
    run, but the others are. Raises: WrongArguments if the workflow cannot be run at all.
    """
    workflow.check()
    if workflow.parameters:
        workflow = workflow.filled({})
    for step in workflow.steps:
        interface_of(step.interface)
    desk = desk or RunContext(source)
    # this run reads its own tables; an earlier caller may have had access to more of them
    desk.given = once_each(source)
    desk.loop = lambda name, arguments: interface_of(name).run(desk, arguments)
    done: dict[str, Done] = {
        s.id: Done(s, desk.outputs[s.id], None, 0.0) for s in workflow.steps if s.id in desk.outputs
    }
    waiting = [step for step in workflow.steps if step.id not in done]
    running: dict[Future[Output], tuple[Step, float]] = {}
    with ThreadPoolExecutor(AT_ONCE, "workflow") as pool:
        while waiting or running:
            ready = [s for s in waiting if all(n in desk.outputs for n in s.inputs())]
            waiting = [step for step in waiting if step not in ready]
            for step in ready:
                context = contextvars.copy_context()  # so that a caller that is waiting can stop it
                running[pool.submit(context.run, one, desk, step)] = (step, time.perf_counter())
            if not running:
                break  # the remaining steps need a result that will never come
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                step, start = running.pop(future)
                done[step.id] = finish(future, desk, step, time.perf_counter() - start)
    return FinishedRun([done[s.id] for s in workflow.steps if s.id in done], desk)


def once_each(source: Callable[[str], Table]) -> Callable[[str], Table]:
    """Return a reader that reads each table only once, so that all steps see the same content."""
    known: dict[str, Table] = {}

    def given(uid: str) -> Table:
        table = known.get(uid)
        return (
            known.setdefault(uid, source(uid)) if table is None else table
        )  # if two threads read a table at once, the first result is used

    return given


def finish(future: Future[Output], desk: RunContext, step: Step, seconds: float) -> Done:
    """Save the result of a step, or its error."""
    try:
        output = future.result()
    except KernelError as error:
        return Done(step, None, error, round(seconds, 4))
    desk.outputs[step.id] = output
    return Done(step, output, None, round(seconds, 4))


def interface_of(name: str) -> StepInterface:
    """Return the interface with a given name.

    Raises: WrongArguments.
    """
    if name not in STEPS:
        raise WrongArguments(f"There is no interface {name!r}.", f"Available: {', '.join(STEPS)}.")
    return STEPS[name]


def one(desk: RunContext, step: Step) -> Output:
    """Run one step.

    Raises: KernelError.
    """
    interface = interface_of(step.interface)
    if step.each is None:
        return interface.run(desk, step.arguments)
    over = desk.frame(step.each.data)
    column = over.column(step.each.column).name
    first = (
        f"SELECT {quote(column)}, min({ORDINAL}) FROM {over.relation} WHERE {quote(column)} IS NOT"
        " NULL"
    )
    values = [row[0] for row in over.query(f"{first} GROUP BY 1 ORDER BY 2 LIMIT {LOOPS + 1}")]
    if len(values) > LOOPS:
        raise WrongArguments(
            f"{column} has more than {LOOPS:,} values.", "Select fewer rows first."
        )

    def made(value: Scalar) -> Output:
        assert step.each is not None
        return interface.run(desk, put_at(step.arguments, step.each.argument, value))

    results: list[tuple[Scalar, Output]] = []
    rows = 0
    for value in values:
        results.append((value, output := made(value)))
        rows += output.table.count() if isinstance(output, OutputFrame) else 0
        if rows > ROWS:
            raise too_many()
    return gathered(desk, step.each.label or column, results)


def gathered(desk: RunContext, label: str, made: list[tuple[Scalar, Output]]) -> OutputFrame:
    """Return the results of a loop as one frame. Values are next to their label; frames are
    stacked.

    Raises: WrongArguments if the results are neither all values nor all frames.
    """
    numbers = [(key, output) for key, output in made if isinstance(output, OutputValue)]
    if len(numbers) == len(made) and numbers:
        name = numbers[0][1].name
        cells: dict[str, tuple[str, list[Any]]] = {
            label: ("VARCHAR", [str(key) for key, _ in numbers]),
            name if name != label else f"{name} 2": kind_of(
                [output.value for _, output in numbers]
            ),
        }
        return desk.build(cells)
    frames = [(key, output) for key, output in made if isinstance(output, OutputFrame)]
    if not frames or len(frames) != len(made):
        raise WrongArguments(
            "A loop over nothing, or over charts, produces no rows.", "Loop over rows or values."
        )
    bound = [str(key) for key, _ in frames]
    parts = [
        (
            f"SELECT ? AS {quote(label)}, {n} AS _part, * EXCLUDE ({ORDINAL}), {ORDINAL} AS _at"
            f" FROM {f.table.relation}"
            if label not in {c.name for c in f.table.columns}
            else (
                f"SELECT * EXCLUDE ({ORDINAL}) REPLACE (? AS {quote(label)}), {n} AS _part,"
                f" {ORDINAL} AS _at FROM {f.table.relation}"
            )
        )
        for n, (_, f) in enumerate(frames)
    ]
    union = " UNION ALL BY NAME ".join(parts)
    return desk.make(
        f"SELECT * EXCLUDE (_part, _at) FROM ({union}) ORDER BY _part, _at",
        bound,
        [frames[0][1].table],
    )


def kind_of(values: list[Any]) -> tuple[str, list[Any]]:
    """Return the SQL type that can hold the values, and the values converted to it. Empty values
    stay empty.
    """
    kinds = {type(v) for v in values if v is not None}
    if kinds <= {int, float, bool}:
        return "DOUBLE", [None if v is None else float(v) for v in values]
    return "VARCHAR", [None if v is None else str(v) for v in values]
