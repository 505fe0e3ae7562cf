"""Change one argument of a step: check what was typed, return the new step."""

from __future__ import annotations

import datetime as dt
import difflib
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from app.data.workflow_editor.fields import INTERFACE
from app.domain.errors import DeskpilotError
from backends.data.steps import STEPS

if TYPE_CHECKING:
    from app.data.workflow_editor.fields import ArgumentField, ArgumentPath, EditContext
    from backends.data.values import Scalar
    from backends.data.workflow.step import Step, Workflow


class Wrong(DeskpilotError):
    """Input that is refused, with a sentence for its field."""


def read(field: ArgumentField, given: Any, ground: EditContext) -> Any:
    """Convert input to a field's value; None for nothing, where that is allowed.

    given: a choice, a boolean, or typed text; for a field of many, a list or text separated by
    commas. Raises: Wrong.
    """
    if field.kind == "switch":
        return bool(given)
    if field.many:
        parts = given if isinstance(given, list) else str(given).split(",")
        found = [read_one(field, p, ground) for p in cast("list[Any]", parts) if str(p).strip()]
        if not found and field.required:
            raise Wrong("Choose at least one.")
        if field.path[-1] == "value" and len(found) != 2 and field.value and is_range(field):
            raise Wrong("Write two, with a comma between.")
        return found or None
    if given is None or not str(given).strip():
        if field.required:
            raise Wrong("Something must stand here.")
        return None
    return read_one(field, given, ground)


def is_range(field: ArgumentField) -> bool:
    """Return whether a field of two holds the ends of a range."""
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
        raise Wrong(f"{text} is no number.") from error
    if made != made or abs(made) == float("inf"):
        raise Wrong(f"{text} is no number.")
    whole = made.is_integer() and (field.integer or "." not in text)
    if field.integer and not whole:
        raise Wrong(f"{text} is no whole number.")
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
    """Return a day.

    Raises: Wrong.
    """
    try:
        return dt.date.fromisoformat(text[:10]).isoformat() if len(text) == 10 else wrong_day(text)
    except ValueError:
        return wrong_day(text)


def wrong_day(text: str) -> str:
    """Report that there is no such day.

    Raises: Wrong.
    """
    raise Wrong(f"{text} is no day. Write it like 2024-03-31.")


def is_sought(field: ArgumentField) -> bool:
    """Return whether a field's values must be looked up in their table, which may take long."""
    return field.kind == "value" and not field.choices and all(field.column)


def value_in(field: ArgumentField, given: Any, text: str, ground: EditContext) -> Scalar:
    """Return a value that is in a field's column.

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
    """Return the closest match of a text, or nothing."""
    return next(iter(difflib.get_close_matches(text, held, 1, 0.6)), "")


def changed(workflow: Workflow, step_id: str, path: ArgumentPath, value: Any) -> Workflow:
    """Return a workflow with another argument in one step; None takes it away, where a default then
    stands.
    """
    steps = [s if s.id != step_id else with_argument(s, path, value) for s in workflow.steps]
    return workflow.model_copy(update={"steps": steps})


def with_argument(step: Step, path: ArgumentPath, value: Any) -> Step:
    """Return a step with another argument, or with another interface and those of its arguments
    that this knows.
    """
    if path == INTERFACE:
        known = STEPS[str(value)].arguments.model_fields
        kept = {k: v for k, v in step.arguments.items() if k in known}
        return step.model_copy(update={"interface": str(value), "arguments": kept})
    made = placed(step.arguments, path, value)
    if path[-1] == "op":  # another comparison takes one value, several, or none
        made = placed(
            made, (*path[:-1], "value"), fitting(str(value), at(made, (*path[:-1], "value")))
        )
    return step.model_copy(update={"arguments": made})


def fitting(op: str, value: Any) -> Any:
    """Return a value as a comparison takes it."""
    if op in ("empty", "not empty"):
        return None
    held: list[Any] = value if isinstance(value, list) else [] if value is None else [value]
    if op == "between":
        return (held * 2)[:2]
    return held if op == "in" else (held[0] if held else None)


def at(arguments: Any, path: ArgumentPath) -> Any:
    """Return the value at a path; None for nothing."""
    for part in path:
        if isinstance(part, int):
            arguments = (
                arguments[part] if isinstance(arguments, list) and part < len(arguments) else None
            )
        else:
            arguments = arguments.get(part) if isinstance(arguments, dict) else None
    return arguments


def placed(arguments: Any, path: ArgumentPath, value: Any) -> Any:
    """Return arguments with a value at a path; None takes away what is there."""
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
    """Return the arguments of a step that its interface does not take, with a reason, by path."""
    try:
        STEPS[step.interface].arguments.model_validate(step.arguments)
    except ValidationError as error:
        return {tuple(e["loc"]): sentence(e) for e in error.errors()}
    return {}


def sentence(error: Any) -> str:
    """Return in words what is wrong with an argument."""
    return (
        "Something must stand here."
        if error["type"] in ("missing", "too_short")
        else f"{error['msg']}."
    )
