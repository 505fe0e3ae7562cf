"""A workflow as data: steps that use earlier results, with loops and parameters. Also the outputs
of steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field

from backends.data.errors import WrongArguments
from backends.data.values import Scalar

if TYPE_CHECKING:
    from backends.data.table import Table


HANDLES = ("data", "left", "right", "charts")  # arguments that name earlier results
PARAMETER = "parameter"
VERSION = 1
STEPS = 40


class Parameter(BaseModel):
    """A value to provide when a workflow is run. choices: all allowed values, if these are known.

    binds: for each choice, the values that it stands for. They have names of their own, which
    arguments can use like parameters.
    """

    model_config = ConfigDict(extra="forbid")

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")
    type: Literal["text", "number", "date"]
    default: Scalar = None
    choices: list[Scalar] = []
    binds: dict[str, dict[str, Scalar]] = {}
    description: str = ""


class Each(BaseModel):
    """A loop: the step runs once for each value of a column in an earlier result. The value is put
    into `argument`.

    argument: a name, or a path such as `where.0.value`. label: the name of the column in which the
    value is kept.
    """

    model_config = ConfigDict(extra="forbid")

    data: str
    column: str
    argument: str
    label: str = ""


class Step(BaseModel):
    """A use of an interface. id: the name of its result, under which later steps use it."""

    model_config = ConfigDict(extra="forbid")

    id: str = Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")
    interface: str
    arguments: dict[str, Any] = {}
    description: str = ""
    each: Each | None = None

    def inputs(self) -> list[str]:
        """Return the earlier results that this step uses."""
        named: list[str] = [self.each.data] if self.each else []
        for key in HANDLES:
            value = self.arguments.get(key)
            named += [str(v) for v in cast("list[Any]", value)] if isinstance(value, list) else []
            named += [value] if isinstance(value, str) else []
        return list(dict.fromkeys(named))


class Task(BaseModel):
    """A part of a plan, described in words. kind: the class of its interfaces. steps: the ids of
    its steps.
    """

    kind: Literal["acquisition", "processing", "prediction", "visualization", "manipulation"]
    instruction: str
    steps: list[str]


class Workflow(BaseModel):
    """Steps in an order in which they can be run."""

    model_config = ConfigDict(extra="forbid")

    version: Literal[1] = VERSION
    name: str = ""
    description: str = ""
    parameters: list[Parameter] = []
    tasks: list[Task] = []
    steps: list[Step] = Field(min_length=1, max_length=STEPS)

    def check(self) -> None:
        """Check that every result is produced before it is used.

        Raises: WrongArguments.
        """
        made: set[str] = set()
        for step in self.steps:
            if step.id in made:
                raise WrongArguments(
                    f"Two steps produce {step.id!r}.", "Give each step a name of its own."
                )
            missing = [name for name in step.inputs() if name not in made]
            if missing:
                raise WrongArguments(
                    f"Step {step.id} uses {missing[0]!r}, which no earlier step produces.",
                    f"Available: {', '.join(sorted(made)) or 'none'}.",
                )
            made.add(step.id)

    def sources(self) -> list[str]:
        """Return the tables that the steps read."""
        bound: dict[str, list[str]] = {}
        for values in (v for parameter in self.parameters for v in parameter.binds.values()):
            for name, value in values.items():
                bound.setdefault(name, []).append(str(value))
        found = [inside(step.arguments, "source", bound) for step in self.steps]
        return list(dict.fromkeys(uid for uids in found for uid in uids))

    def filled(self, values: dict[str, Scalar]) -> Workflow:
        """Return the workflow with its parameters filled in. Missing parameters get their defaults.

        Raises: WrongArguments if a parameter is unknown, missing or of the wrong type.
        """
        known = {parameter.name: parameter for parameter in self.parameters}
        if unknown := [name for name in values if name not in known]:
            raise WrongArguments(
                f"There is no parameter {unknown[0]!r}.",
                f"Available: {', '.join(known) or 'none'}.",
            )
        given = {name: checked(p, values.get(name, p.default)) for name, p in known.items()}
        for name, parameter in known.items():
            given = parameter.binds.get(str(given[name]), {}) | given
        steps = [s.model_copy(update={"arguments": put(s.arguments, given)}) for s in self.steps]
        return self.model_copy(update={"steps": steps, "parameters": []})


def checked(parameter: Parameter, value: Scalar) -> Scalar:
    """Return the value of a parameter after checking it.

    Raises: WrongArguments.
    """
    if value is None:
        raise WrongArguments(f"Parameter {parameter.name} is missing.", "Give it a value.")
    if parameter.choices and value not in parameter.choices:
        listed = ", ".join(map(str, parameter.choices[:12]))
        raise WrongArguments(
            f"{value!r} is not one of the values of {parameter.name}.", f"Choose: {listed}."
        )
    if parameter.type == "number" and (isinstance(value, str | bool)):
        raise WrongArguments(
            f"{parameter.name} accepts a number; {value!r} is not a number.", "Specify a number."
        )
    if parameter.type != "number" and not isinstance(value, str):
        raise WrongArguments(
            f"{parameter.name} accepts text; {value!r} is not text.", "Specify text."
        )
    return value


def put(arguments: Any, given: dict[str, Scalar]) -> Any:
    """Return arguments in which each `{"parameter": name}` is replaced by the parameter's value.

    Raises: WrongArguments.
    """
    if isinstance(arguments, dict):
        held = cast("dict[str, Any]", arguments)
        if list(held) == [PARAMETER]:
            name = str(held[PARAMETER])
            if name not in given:
                raise WrongArguments(f"There is no parameter {name!r}.", "Declare it.")
            return given[name]
        return {key: put(value, given) for key, value in held.items()}
    if isinstance(arguments, list):
        return [put(value, given) for value in cast("list[Any]", arguments)]
    return arguments


def put_at(arguments: dict[str, Any], path: str, value: Scalar) -> dict[str, Any]:
    """Return arguments in which the value at a path, such as `where.0.value`, is replaced.

    Raises: WrongArguments if the path does not exist.
    """
    head, _, rest = path.partition(".")
    if not rest:
        return arguments | {head: value}
    inner = arguments.get(head)
    if isinstance(inner, list):
        index, _, rest = rest.partition(".")
        items = list(cast("list[Any]", inner))
        if (
            index.isdecimal()
            and int(index) < len(items)
            and (not rest or isinstance(items[int(index)], dict))
        ):
            items[int(index)] = put_at(items[int(index)], rest, value) if rest else value
            return arguments | {head: items}
    elif isinstance(inner, dict):
        return arguments | {head: put_at(cast("dict[str, Any]", inner), rest, value)}
    raise WrongArguments(f"The arguments have no {path!r}.", "Specify an existing argument.")


def inside(arguments: Any, key: str, bound: dict[str, list[str]] | None = None) -> list[str]:
    """Return the texts under a key, at any depth. bound: the values that a parameter in their place
    may have.
    """
    if isinstance(arguments, dict):
        held = cast("dict[str, Any]", arguments)
        here = held.get(key)
        own = [here] if isinstance(here, str) else []
        if isinstance(here, dict) and list(cast("dict[str, Any]", here)) == [PARAMETER]:
            own = (bound or {}).get(str(here[PARAMETER]), [])
        return own + [text for value in held.values() for text in inside(value, key, bound)]
    if isinstance(arguments, list):
        return [
            text for value in cast("list[Any]", arguments) for text in inside(value, key, bound)
        ]
    return []


SHOWN = 200  # maximum number of table rows that are transferred
POINTS = 5000  # maximum number of points in a line


@dataclass(frozen=True)
class OutputFrame:
    """Rows with typed columns, in the working database."""

    table: Table


@dataclass(frozen=True)
class OutputValue:
    """A number, date or word. name: a description of it. unit: `%`, or the unit of the source's
    column.
    """

    name: str
    value: Scalar
    unit: str | None = None


@dataclass(frozen=True)
class Chart:
    """A Plotly figure: `data` and `layout`. frames: the frames from which it is drawn. left_out: a
    description of the parts that are not drawn.
    """

    figure: dict[str, Any]
    frames: tuple[Table, ...]
    left_out: str | None = None


@dataclass(frozen=True)
class OutputSheet:
    """Rows to show as a table. save: whether to save them as well; the terminal asks where."""

    table: Table
    title: str
    save: bool = False


Output = OutputFrame | OutputValue | Chart | OutputSheet


class Preview(BaseModel):
    """The part of a result that a model sees, with only the first and the last row.

    kind: frame, value, chart or table. columns: name → type.
    """

    kind: str
    rows: int = 0
    columns: dict[str, str] = {}
    first: list[Scalar] = []
    last: list[Scalar] = []
    name: str = ""
    value: Scalar = None
    unit: str | None = None
    left_out: str | None = None


def preview(output: Output) -> Preview:
    """Return the part of a result that a model sees."""
    if isinstance(output, OutputValue):
        return Preview(kind="value", name=output.name, value=output.value, unit=output.unit)
    if isinstance(output, Chart):
        text = str(output.figure.get("layout", {}).get("title", {}).get("text", ""))
        rows = sum(table.count() for table in output.frames)
        return Preview(kind="chart", name=text, rows=rows, left_out=output.left_out)
    table, rows = output.table, output.table.count()
    first, last = table.rows(0, 1), table.rows(max(0, rows - 1), 1)
    return Preview(
        kind="table" if isinstance(output, OutputSheet) else "frame",
        name=output.title if isinstance(output, OutputSheet) else "",
        rows=rows,
        columns={column.name: column.kind for column in table.columns},
        first=list(first[0]) if first else [],
        last=list(last[0]) if last else [],
    )
