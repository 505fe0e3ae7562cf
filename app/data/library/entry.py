"""Library entries: named workflows with their versions and state, and users' notes on tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field

from app.domain.errors import SourceError
from backends.data.workflow.interface import Class
from backends.data.workflow.step import PARAMETER, Parameter, Step, Workflow

if TYPE_CHECKING:
    from backends.data.values import Profile


class Note(BaseModel):
    """A user's note on a table. meanings: the meanings of columns, by name. closes: the time at
    which the table's day ends, in the form HH:MM.
    """

    model_config = ConfigDict(extra="forbid")

    path: str
    about: str = ""
    meanings: dict[str, str] = {}
    closes: str = ""


def noted(profile: Profile, note: Note | None) -> Profile:
    """Return a profile to which the user's note on the table has been added."""
    if note is None:
        return profile
    columns = [
        c.model_copy(update={"meaning": note.meanings.get(c.name, c.meaning)})
        for c in profile.columns
    ]
    told = {
        "description": note.about or profile.description,
        "closes": note.closes,
        "columns": columns,
    }
    return profile.model_copy(update=told)


Status = Literal["validated", "failed", "stale"]
# Letters are lower-case Latin letters, kana and Han characters.
LETTER = r"a-z\u3041-\u3096\u30a1-\u30fc\u3400-\u9fff"
NAME = rf"^[{LETTER}][{LETTER}0-9_]{{0,59}}$"
DATE = r"\d{4}-\d\d-\d\d"


class Origin(BaseModel):
    """The origin of a workflow. paths, schemas, columns, hashes: values for each table, by uuid.
    columns contains each column's kind by name, and hashes contains the hash of each file's
    content. model: the model that took part in a design. design: the design job. requests: the
    requests for which the workflow was made.
    """

    made_by: Literal["person", "design"] = "person"
    question: str = ""
    made_at: str = ""
    paths: dict[str, str] = {}
    schemas: dict[str, str] = {}
    columns: dict[str, dict[str, str]] = {}
    hashes: dict[str, str] = {}
    model: str = ""
    design: str = ""
    requests: list[str] = []


class RequestExample(BaseModel):
    """A request that an entry answers, with its parameter values and its language."""

    request: str
    language: str = ""
    values: dict[str, Any] = {}


class TrialResult(BaseModel):
    """The result of a validation: parameter values, and a digest of the output."""

    values: dict[str, Any] = {}
    digest: str = ""
    seconds: float = 0.0


class LibraryEntry(BaseModel):
    """One version of a workflow in the library. reason: why it is not validated. kind: its class,
    if it was designed. covers: the requests that it answers. meanings: its description in several
    languages.
    """

    model_config = ConfigDict(extra="forbid")

    name: str = Field(pattern=NAME)
    version: int = Field(default=1, ge=1)
    description: str = ""
    workflow: Workflow
    origin: Origin = Origin()
    trials: list[TrialResult] = []
    kind: Class | None = None
    meanings: dict[str, str] = {}
    covers: list[RequestExample] = []
    status: Status = "failed"
    reason: str = ""


def with_parameters(workflow: Workflow, named: dict[str, str]) -> Workflow:
    """Return a workflow in which some arguments have been turned into parameters. `named` maps each
    parameter's name to a path, such as `result1.start` or `result1.entities.0`, or to several paths
    separated by commas. The current value becomes the default.

    Raises: SourceError if a path does not exist or does not lead to a single value.
    """
    known = {parameter.name for parameter in workflow.parameters}
    for name, place in (
        (name, place) for name, places in named.items() for place in places.split(",")
    ):
        step_id, _, path = place.partition(".")
        step = next((s for s in workflow.steps if s.id == step_id), None)
        if step is None or not path:
            ids = ", ".join(s.id for s in workflow.steps)
            raise SourceError(
                f"There is no step {step_id!r}.", f"Specify one of {ids}, and one of its arguments."
            )
        value, arguments = taken(step.arguments, path.split("."), name)
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise SourceError(
                f"{place} is not a single value.", "Specify an argument such as result1.start."
            )
        made = Parameter.model_validate({"name": name, "type": kind_of(value), "default": value})
        steps: list[Step] = [
            s.model_copy(update={"arguments": arguments}) if s.id == step_id else s
            for s in workflow.steps
        ]
        parameters = workflow.parameters if name in known else [*workflow.parameters, made]
        workflow = workflow.model_copy(update={"steps": steps, "parameters": parameters})
        known.add(name)
    return workflow


def places_of(value: Any, path: str = "") -> dict[str, Any]:
    """Return the single values and the parameters contained in arguments, by path."""
    if isinstance(value, dict):
        held = cast("dict[str, Any]", value)
        if list(held) == [PARAMETER]:
            return {path: held}
        inner = [places_of(one, f"{path}.{key}") for key, one in held.items()]
    elif isinstance(value, list):
        inner = [places_of(one, f"{path}.{n}") for n, one in enumerate(cast("list[Any]", value))]
    else:
        return (
            {}
            if isinstance(value, bool) or not isinstance(value, str | int | float)
            else {path: value}
        )
    return {place: one for found in inner for place, one in found.items()}


def kind_of(value: str | float) -> str:
    """Return the type of a parameter that has this value."""
    if not isinstance(value, str):
        return "number"
    return (
        "date"
        if len(value) == 10 and value[4] == value[7] == "-" and value[:4].isdigit()
        else "text"
    )


def taken(arguments: Any, path: list[str], name: str) -> tuple[Any, Any]:
    """Return the value at a path, and the arguments with a parameter in its place.

    Raises: SourceError.
    """
    if not path:
        return arguments, {PARAMETER: name}
    head, *rest = path
    if isinstance(arguments, dict) and head in arguments:
        held = cast("dict[str, Any]", arguments)
        value, made = taken(held[head], rest, name)
        return value, held | {head: made}
    if (
        isinstance(arguments, list)
        and head.isdecimal()
        and int(head) < len(cast("list[Any]", arguments))
    ):
        items = list(cast("list[Any]", arguments))
        value, items[int(head)] = taken(items[int(head)], rest, name)
        return value, items
    raise SourceError(
        f"There is no argument {head!r}.", "`deskpilot data library NAME` shows the arguments."
    )
