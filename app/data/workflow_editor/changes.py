"""Changes to a workflow: checking and setting one argument of a step, and inserting, removing and
moving steps.
"""

from __future__ import annotations

import datetime as dt
import difflib
import re
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from app.data.workflow_editor.fields import INTERFACE, fields_of, made_by
from app.domain.errors import DeskpilotError
from backends.data.steps import STEPS
from backends.data.workflow.step import STEPS as MOST
from backends.data.workflow.step import Step, Task, Workflow

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.data.workflow_editor.fields import ArgumentField, ArgumentPath, EditContext
    from backends.data.values import Scalar
    from backends.data.workflow.interface import StepInterface


class Wrong(DeskpilotError):
    """Input that is rejected, with an error message for its field."""


def read(field: ArgumentField, given: Any, ground: EditContext) -> Any:
    """Convert input to a field's value, or to None if the input is empty and that is allowed.

    given: a choice, a boolean or typed text. For a field with several values, it is a list or text
    separated by commas. Raises: Wrong.
    """
    if field.kind == "switch":
        return bool(given)
    if field.many:
        parts = given if isinstance(given, list) else str(given).split(",")
        found = [read_one(field, p, ground) for p in cast("list[Any]", parts) if str(p).strip()]
        if not found and field.required:
            raise Wrong("Choose at least one.")
        if field.path[-1] == "value" and len(found) != 2 and field.value and is_range(field):
            raise Wrong("Write two, separated by a comma.")
        return found or None
    if given is None or not str(given).strip():
        if field.required:
            raise Wrong("A value is required.")
        return None
    return read_one(field, given, ground)


def is_range(field: ArgumentField) -> bool:
    """Return whether a field's two values are the ends of a range."""
    return field.kind in ("number", "day") and len(cast("list[Any]", field.value)) == 2


def read_one(field: ArgumentField, given: Any, ground: EditContext) -> Scalar:
    """Return one value of a field.

    Raises: Wrong.
    """
    text = str(given).strip()
    if field.kind == "number":
        return number(field, text)
    if field.kind == "day":
        return day(text)
    if field.kind == "value":
        return value_in(field, given, text, ground)
    if field.kind == "either" and text not in [str(c) for c, _ in field.choices]:
        return number(field, text)
    if field.kind in ("choice", "either"):
        found = next((c for c, _ in field.choices if c == given or str(c) == text), None)
        if found is None:
            if near := nearest(text, [str(c) for c, _ in field.choices]):
                raise Wrong(f"{text} cannot be chosen here. Did you mean {near}?")
            raise Wrong(f"{text} cannot be chosen here.")
        return found
    return text


def number(field: ArgumentField, text: str) -> float:
    """Return a number within a field's limits.

    Raises: Wrong.
    """
    try:
        made = float(text.replace("\N{MINUS SIGN}", "-"))
    except ValueError as error:
        raise Wrong(f"{text} is not a number.") from error
    if made != made or abs(made) == float("inf"):
        raise Wrong(f"{text} is not a number.")
    whole = made.is_integer() and (field.integer or "." not in text)
    if field.integer and not whole:
        raise Wrong(f"{text} is not a whole number.")
    low, high = field.low, field.high
    if low is not None and (made < low or (field.open and made == low)):
        raise Wrong(
            f"It must be more than {low:g}." if field.open else f"It must be at least {low:g}."
        )
    if high is not None and (made > high or (field.open and made == high)):
        raise Wrong(
            f"It must be less than {high:g}." if field.open else f"It must be at most {high:g}."
        )
    return int(made) if whole else made


def day(text: str) -> str:
    """Convert text to a date.

    Raises: Wrong.
    """
    try:
        return dt.date.fromisoformat(text[:10]).isoformat() if len(text) == 10 else wrong_day(text)
    except ValueError:
        return wrong_day(text)


def wrong_day(text: str) -> str:
    """Report that a date does not exist.

    Raises: Wrong.
    """
    raise Wrong(f"{text} is not a date. Write it like 2024-03-31.")


def is_sought(field: ArgumentField) -> bool:
    """Return whether a field's values must be looked up in their table, which can take a long
    time."""
    return field.kind == "value" and not field.choices and all(field.column)


def value_in(field: ArgumentField, given: Any, text: str, ground: EditContext) -> Scalar:
    """Return a value that occurs in a field's column.

    Raises: Wrong.
    """
    for choice, _ in field.choices:
        if choice == given or str(choice).casefold() == text.casefold():
            return choice
    uid, column = field.column
    held = [str(c) for c, _ in field.choices]
    if field.choices or not (uid and column):
        if not field.choices:
            return text
        if near := nearest(text, held):
            raise Wrong(f"{column} does not contain {text}. Did you mean {near}?")
        raise Wrong(f"{column} does not contain {text}.")
    found = ground.holds(uid, column, text)
    if found is None:
        raise Wrong(f"{column} does not contain {text}.")
    return found


def nearest(text: str, held: list[str]) -> str:
    """Return the closest match for a text, or an empty string if there is none."""
    return next(iter(difflib.get_close_matches(text, held, 1, 0.6)), "")


def changed(workflow: Workflow, step_id: str, path: ArgumentPath, value: Any) -> Workflow:
    """Return a workflow in which one argument of a step is changed. None removes the argument, so
    that its default applies.
    """
    steps = [s if s.id != step_id else with_argument(s, path, value) for s in workflow.steps]
    return workflow.model_copy(update={"steps": steps})


def with_argument(step: Step, path: ArgumentPath, value: Any) -> Step:
    """Return a step with an argument changed. If the interface is changed, the arguments that the
    new one supports are kept.
    """
    if path == INTERFACE:
        known = STEPS[str(value)].arguments.model_fields
        kept = {k: v for k, v in step.arguments.items() if k in known}
        return step.model_copy(update={"interface": str(value), "arguments": kept})
    made = placed(step.arguments, path, value)
    if path[-1] == "op":  # a different comparison may need one value, several values or none
        made = placed(
            made, (*path[:-1], "value"), fitting(str(value), at(made, (*path[:-1], "value")))
        )
    return step.model_copy(update={"arguments": made})


def fitting(op: str, value: Any) -> Any:
    """Return a value in the form that a comparison needs."""
    if op in ("empty", "not empty"):
        return None
    held: list[Any] = value if isinstance(value, list) else [] if value is None else [value]
    if op == "between":
        return (held * 2)[:2]
    return held if op == "in" else (held[0] if held else None)


def at(arguments: Any, path: ArgumentPath) -> Any:
    """Return the value at a path, or None if there is no value."""
    for part in path:
        if isinstance(part, int):
            arguments = (
                arguments[part] if isinstance(arguments, list) and part < len(arguments) else None
            )
        else:
            arguments = arguments.get(part) if isinstance(arguments, dict) else None
    return arguments


def placed(arguments: Any, path: ArgumentPath, value: Any) -> Any:
    """Return arguments with a value set at a path. None removes the value there."""
    head, *rest = path
    if isinstance(head, int):
        items = list(arguments)
        if rest:
            items[head] = placed(items[head], tuple(rest), value)
        elif value is None:
            del items[head]
        else:
            items[head : head + 1] = [value]
        return items
    held = dict(arguments or {})
    if rest:
        held[head] = placed(
            held.get(head, [] if isinstance(rest[0], int) else {}), tuple(rest), value
        )
    elif value is None:
        held.pop(head, None)
    else:
        held[head] = value
    return held


def unfit(step: Step) -> dict[ArgumentPath, str]:
    """Return the arguments of a step that its interface does not accept, by path, each with the
    reason."""
    try:
        STEPS[step.interface].arguments.model_validate(step.arguments)
    except ValidationError as error:
        return {tuple(e["loc"]): sentence(e) for e in error.errors()}
    return {}


def sentence(error: Any) -> str:
    """Return a sentence saying what is wrong with an argument."""
    return (
        "A value is required." if error["type"] in ("missing", "too_short") else f"{error['msg']}."
    )


LOOPED = "total_return"  # the default interface for the value computed in each pass of a loop
TABLES = 8  # maximum number of tables that a SELECT can use


def bond(workflow: Workflow, before: Workflow) -> tuple[str, str] | None:
    """Return a step whose input no earlier step produces, and the step that produced it before the
    change, or None if there is no such step.
    """
    made: set[str] = set()
    for step in workflow.steps:
        for giver in step.inputs():
            if giver not in made and any(one.id == giver for one in before.steps):
                return step.id, giver
        made.add(step.id)
    return None


def moved(workflow: Workflow, at: int, to: int) -> Workflow:
    """Return a workflow with a step moved to another position."""
    steps = list(workflow.steps)
    steps.insert(to, steps.pop(at))
    return workflow.model_copy(update={"steps": steps})


def removed(workflow: Workflow, at: int) -> Workflow:
    """Return a workflow without one of its steps. A task that had no other step is removed, too."""
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
    """Return a workflow with a step inserted after another one and with its obvious inputs filled
    in.

    words: the name of its task, if the workflow names its tasks. on: returns what is known about
    the workflow's tables.
    """
    known, before = STEPS[interface], workflow.steps[: at + 1]
    taken = {step.id for step in workflow.steps}
    name = next(made for n in range(1, MOST + 2) if (made := f"added{n}") not in taken)
    step = Step(id=name, interface=interface, arguments=begun(known, before, on(workflow)))
    task = Task(kind=known.kind, instruction=words, steps=[name])
    steps = [*before, step, *workflow.steps[at + 1 :]]
    tasks = with_task(workflow.tasks, workflow.steps[at].id, task) if workflow.tasks else []
    made = workflow.model_copy(update={"steps": steps, "tasks": tasks})
    for field in fields_of(step, on(made)):
        if field.required and field.value in (None, "", []) and (value := plain(field)) is not None:
            made = changed(made, name, field.path, [value] if field.many else value)
    return made


def with_task(tasks: list[Task], behind: str, task: Task) -> list[Task]:
    """Return tasks with one more task, placed after the task of a given step."""
    at = next((n for n, one in enumerate(tasks) if behind in one.steps), len(tasks) - 1)
    return [*tasks[: at + 1], task, *tasks[at + 1 :]]


def begun(known: StepInterface, before: list[Step], ground: EditContext) -> dict[str, Any]:
    """Return the inputs of a new step: the newest results, or the table that the previous step
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
    """Return a distinct name, by uuid, for each table in a SELECT."""
    made: dict[str, str] = {}
    for uid, name in list(names.items())[:TABLES]:
        plain_ = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:30]
        word = plain_ if plain_[:1].isalpha() else f"t_{plain_}".strip("_")
        made[uid] = word if word not in made.values() else f"{word}_{len(made) + 1}"
    return made


def plain(field: ArgumentField) -> Any:
    """Return the only possible value of a field: its single choice or, for a time, the first
    choice."""
    if len(field.choices) == 1 or (field.choices and field.path[-1] == "time"):
        return field.choices[0][0]
    return None


def lacking(interface: str, before: list[Step], tables: int) -> str:
    """Return the input that an interface lacks: `rows`, `two_rows`, `two_charts` or `table`. Return
    an empty string if the interface can follow these steps.
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
