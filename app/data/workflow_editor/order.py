"""Insert, remove and move steps, keeping each after the steps it takes results from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from app.data.workflow_editor.changes import changed
from app.data.workflow_editor.fields import fields_of, made_by
from backends.data.steps import STEPS
from backends.data.workflow.step import STEPS as MOST
from backends.data.workflow.step import Step, Task, Workflow

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.data.workflow_editor.fields import ArgumentField, EditContext
    from backends.data.workflow.interface import StepInterface

LOOPED = "total_return"  # what is computed for each value unless something else is chosen
TABLES = 8  # a SELECT may name


def bond(workflow: Workflow, before: Workflow) -> tuple[str, str] | None:
    """Return a step that takes what no step before it makes, and the step that made it before; None
    if all is well.
    """
    made: set[str] = set()
    for step in workflow.steps:
        for giver in step.inputs():
            if giver not in made and any(one.id == giver for one in before.steps):
                return step.id, giver
        made.add(step.id)
    return None


def moved(workflow: Workflow, at: int, to: int) -> Workflow:
    """Return a workflow with a step at another place."""
    steps = list(workflow.steps)
    steps.insert(to, steps.pop(at))
    return workflow.model_copy(update={"steps": steps})


def removed(workflow: Workflow, at: int) -> Workflow:
    """Return a workflow without a step; a task it was all of goes, too."""
    gone = workflow.steps[at].id
    steps = [step for step in workflow.steps if step.id != gone]
    tasks = [
        task.model_copy(update={"steps": [s for s in task.steps if s != gone]})
        for task in workflow.tasks
    ]
    return workflow.model_copy(
        update={"steps": steps, "tasks": [task for task in tasks if task.steps]}
    )


def added(
    workflow: Workflow, at: int, interface: str, words: str, on: Callable[[Workflow], EditContext]
) -> Workflow:
    """Return a workflow with a step inserted after another, its obvious inputs filled in.

    words: the name of its task, where the workflow names its tasks. on: the tables of the workflow.
    """
    known, before = STEPS[interface], workflow.steps[: at + 1]
    taken = {step.id for step in workflow.steps}
    name = next(made for n in range(1, MOST + 2) if (made := f"added{n}") not in taken)
    step = Step(id=name, interface=interface, arguments=begun(known, before, on(workflow)))
    task = Task(kind=known.kind, instruction=words, steps=[name])
    steps = [*before, step, *workflow.steps[at + 1 :]]
    tasks = placed(workflow.tasks, workflow.steps[at].id, task) if workflow.tasks else []
    made = workflow.model_copy(update={"steps": steps, "tasks": tasks})
    for field in fields_of(step, on(made)):
        if field.required and field.value in (None, "", []) and (value := plain(field)) is not None:
            made = changed(made, name, field.path, [value] if field.many else value)
    return made


def placed(tasks: list[Task], behind: str, task: Task) -> list[Task]:
    """Return tasks with one more, behind that of a step."""
    at = next((n for n, one in enumerate(tasks) if behind in one.steps), len(tasks) - 1)
    return [*tasks[: at + 1], task, *tasks[at + 1 :]]


def begun(known: StepInterface, before: list[Step], ground: EditContext) -> dict[str, Any]:
    """Return the inputs of a new step: the newest results, or the table that the step before it
    read.
    """
    fields = known.arguments.model_fields
    frames, charts = made_by(before, "frame"), made_by(before, "chart")
    sources = [str(s.arguments["source"]) for s in before if "source" in s.arguments]
    source = sources[-1] if sources else next(iter(ground.names), "")
    several = known.name == "stack"
    every = {
        "data": (frames[-2:] if several else frames[-1]) if frames else None,
        "left": frames[-2] if len(frames) > 1 else None,
        "right": frames[-1] if frames else None,
        "charts": charts or None,
        "source": source or None,
        "tables": [{"name": n, "source": uid} for uid, n in called(ground.names).items()],
        "sql": f"SELECT * FROM {next(iter(called(ground.names).values()), '')}",
    }
    made = {name: value for name, value in every.items() if name in fields and value}
    if known.name == "loop_rank":
        made |= {"interface": LOOPED, "arguments": {"source": source}}
    return made


def called(names: dict[str, str]) -> dict[str, str]:
    """Return a distinct SELECT name for each table, by uuid."""
    made: dict[str, str] = {}
    for uid, name in list(names.items())[:TABLES]:
        plain_ = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:30]
        word = plain_ if plain_[:1].isalpha() else f"t_{plain_}".strip("_")
        made[uid] = word if word not in made.values() else f"{word}_{len(made) + 1}"
    return made


def plain(field: ArgumentField) -> Any:
    """Return the only possible value of a field: its one choice, or the first day for a time."""
    if len(field.choices) == 1 or (field.choices and field.path[-1] == "time"):
        return field.choices[0][0]
    return None


def lacking(interface: str, before: list[Step], tables: int) -> str:
    """Return the missing input of an interface: `rows`, `two_rows`, `two_charts`, `table`; empty if
    it can follow these steps.
    """
    fields = STEPS[interface].arguments.model_fields
    frames, charts = made_by(before, "frame"), made_by(before, "chart")
    if "left" in fields or interface == "stack":
        return "" if len(frames) > 1 else "two_rows"
    if "charts" in fields:
        return "" if len(charts) > 1 else "two_charts"
    if "data" in fields and not frames:
        return "rows"
    return "table" if {"source", "tables"} & set(fields) and not tables else ""
