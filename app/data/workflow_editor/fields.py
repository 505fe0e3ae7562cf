"""The arguments of a step and their possible values: columns, values, interfaces and earlier
results.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from app.domain.errors import DeskpilotError
from backends.data.steps import STEPS
from backends.data.table import quote

if TYPE_CHECKING:
    from app.data.sources import Sources
    from backends.data.values import Scalar
    from backends.data.workflow.interface import StepInterface
    from backends.data.workflow.report import WorkflowResult
    from backends.data.workflow.step import Step, Workflow


MANY = 100  # maximum number of values that are offered as choices


@dataclass(frozen=True)
class KnownColumn:
    """A column. values: its values, if there are only a few. complete: whether these are all of its
    values."""

    name: str
    kind: str
    role: str = ""
    values: tuple[Scalar, ...] = ()
    complete: bool = False


class EditContext:
    """The information that is available during editing. result: the result of the last run. names:
    the names of the tables to choose from, by uuid.
    """

    def __init__(
        self,
        sources: Sources,
        workflow: Workflow,
        result: WorkflowResult | None,
        names: dict[str, str],
    ) -> None:
        self._sources = sources
        self.steps = workflow.steps
        self.names = names
        self._previews = {s.id: s.preview for s in result.steps if s.preview} if result else {}

    def columns(self, arguments: dict[str, Any]) -> list[KnownColumn]:
        """Return the columns that a step can use, or an empty list if its input is not known
        yet."""
        if (uid := arguments.get("source")) is not None:
            return self._of_source(str(uid))
        left, right = arguments.get("left"), arguments.get("right")
        if left is not None:
            both = {c.name for c in self._of_result(str(right))}
            return [c for c in self._of_result(str(left)) if c.name in both]
        taken = arguments.get("data")
        return self._of_result(str(taken[0] if isinstance(taken, list) and taken else taken))

    def _of_source(self, uid: str) -> list[KnownColumn]:
        try:
            profile = self._sources.source(uid).profile
        except DeskpilotError:
            return []
        return [
            KnownColumn(
                c.name, c.kind, c.role, tuple(c.values[:MANY]), c.complete and len(c.values) <= MANY
            )
            for c in profile.columns
        ]

    def _of_result(self, handle: str) -> list[KnownColumn]:
        preview = self._previews.get(handle)
        return (
            [KnownColumn(name, kind) for name, kind in preview.columns.items()] if preview else []
        )

    def earlier(self, step: Step, gives: str) -> list[str]:
        """Return the results produced before a step. gives: `frame` for rows, `chart` for
        charts."""
        before = [other.id for other in self.steps]
        return made_by(
            self.steps[: before.index(step.id)] if step.id in before else self.steps, gives
        )

    def unknown(self, step: Step) -> bool:
        """Return whether a step uses rows about which nothing is known yet because they have not
        been computed.
        """
        rows = set(made_by(self.steps, "frame"))
        return any(name in rows and name not in self._previews for name in step.inputs())

    def holds(self, uid: str, column: str, value: Scalar) -> Scalar:
        """Return a value as it is written in a column of a table, or None if it does not occur
        there.

        Raises: UnknownWidget, UnknownColumn.
        """
        table = self._sources.source(uid).table
        name = quote(table.column(column).name)
        found = table.query(
            f"SELECT {name} FROM {table.relation} WHERE lower(CAST({name} AS VARCHAR)) = lower(?)"
            " LIMIT 1",
            [str(value)],
        )
        return found[0][0] if found else None


def made_by(steps: list[Step], gives: str) -> list[str]:
    """Return the results that steps produce. gives: `frame` for rows, `chart` for charts."""
    wanted = ("frame", "table") if gives == "frame" else (gives,)
    found: list[str] = []
    for step in steps:
        made = STEPS[step.interface].gives if step.interface in STEPS else ""
        made = "frame" if step.each is not None else made  # a loop collects its results as rows
        found += [step.id] if made in wanted else []
    return found


DAY = re.compile(r"^\d{4}-\d{2}-\d{2}$")
Kind = Literal["choice", "text", "code", "number", "day", "switch", "value", "either"]
ArgumentPath = tuple[str | int, ...]

NUMBERS = frozenset(
    ("value", "y", "values", "open", "high", "low", "close", "volume", "first", "second", "panes")
)
COLUMNS = NUMBERS | {
    "columns",
    "order_by",
    "time",
    "by",
    "group",
    "members",
    "column",
    "x",
    "on",
    "rows",
    "labels",
}
NUMBERS_OF = {
    "correlation": "x",
    "combine": "column",
    "mean_median": "column",
    "resample": "columns",
}
DAYS = frozenset(["start", "end", "at", "since"])
# argument → the argument that names its column
VALUES = {"entities": "by", "entity": "by", "name": "group"}
RESULTS = frozenset(["data", "left", "right"])
HELD = frozenset(("argument",))  # in a loop, the argument that receives its values
OPERATORS = ("=", "!=", ">", ">=", "<", "<=", "between", "in", "contains", "empty", "not empty")


@dataclass(frozen=True)
class ArgumentField:
    """An argument of a step. path: its position among the step's arguments. value: its value, or
    None.

    many: whether it is a list. choices: all possible values with their labels, if known. low, high:
    the limits of a number, inclusive unless `open`. column: the (table, column) that a value comes
    from, both empty if unknown.
    """

    path: ArgumentPath
    kind: Kind
    value: Any = None
    many: bool = False
    required: bool = False
    choices: tuple[tuple[Any, str], ...] = ()
    integer: bool = False
    low: float | None = None
    high: float | None = None
    open: bool = False
    column: tuple[str, str] = ("", "")

    @property
    def name(self) -> str:
        """The argument's own name."""
        return next(str(part) for part in reversed(self.path) if isinstance(part, str))


@dataclass(frozen=True)
class StepCall:
    """An interface and its arguments, as used by a step or by a call inside a step.

    known: the known columns of its input.
    """

    step: Step
    interface: StepInterface
    arguments: dict[str, Any]
    ground: EditContext
    known: list[KnownColumn]


# the path of a step's interface, which is not an argument
INTERFACE: ArgumentPath = ("", "interface")


def fields_of(step: Step, ground: EditContext) -> list[ArgumentField]:
    """Return the editable fields of a step, its interface first."""
    interface = STEPS[step.interface]
    others = alike(interface)
    made = (
        [ArgumentField(INTERFACE, "choice", step.interface, required=True, choices=same(others))]
        if others
        else []
    )
    looped = (step.each.argument,) if step.each is not None else ()
    return made + inner(call_of(step, interface, step.arguments, ground), (), looped)


def call_of(
    step: Step, interface: StepInterface, arguments: dict[str, Any], ground: EditContext
) -> StepCall:
    """Return a call together with the columns that it can use."""
    return StepCall(step, interface, arguments, ground, ground.columns(arguments))


def alike(interface: StepInterface) -> list[str]:
    """Return the interfaces that can replace the given one because they have the same class, inputs
    and outputs. Return an empty result if there are no others.
    """
    taken = RESULTS | {"source", "charts"}

    def shape(one: StepInterface) -> tuple[str, str, frozenset[str]]:
        return one.kind, one.gives, frozenset(one.arguments.model_fields) & taken

    found = [one.name for one in STEPS.values() if shape(one) == shape(interface)]
    return found if len(found) > 1 else []


def same(values: list[Any]) -> tuple[tuple[Any, str], ...]:
    """Return values as choices that are labelled with the values themselves."""
    return tuple((value, str(value)) for value in values)


def inner(call: StepCall, path: ArgumentPath, looped: tuple[str, ...]) -> list[ArgumentField]:
    """Return the arguments of a call as fields. path: their position. looped: the arguments that a
    loop fills in.
    """
    schema = call.interface.arguments.model_json_schema()
    made: list[ArgumentField] = []
    for name, about in schema["properties"].items():
        if name not in looped and name not in HELD:
            made += argument(
                call, (*path, name), about, required=name in schema.get("required", [])
            )
    return made


def argument(
    call: StepCall, path: ArgumentPath, about: dict[str, Any], *, required: bool
) -> list[ArgumentField]:
    """Return the fields for one argument. If it contains several things, each has its own field.
    about: the argument's schema.
    """
    name, given, known = str(path[-1]), call.arguments, call.known
    value = given.get(name)
    if name == "where":
        return conditions(value or [], path, known, str(given.get("source", "")))
    if name == "names" and about.get("type") == "object":
        return renamed(cast("dict[str, Any]", value or {}), path, known)
    if name == "arguments" and isinstance(value, dict) and given.get("interface") in STEPS:
        nested = call_of(call.step, STEPS[str(given["interface"])], value, call.ground)
        return inner(nested, path, (str(given.get("argument")),))
    if name == "tables":
        return tables(cast("list[dict[str, Any]]", value or []), path, call.ground)
    if name == "values" and about.get("type") == "object":
        held = cast("dict[str, Any]", value or {})
        return [
            ArgumentField((*path, key), typed(one), one, required=True) for key, one in held.items()
        ]
    if name == "panes":
        panes, choices = cast("list[Any]", value or []), columns(known, numbers=True)
        return [
            ArgumentField((*path, n), "choice", pane, True, True, choices)
            for n, pane in enumerate(panes)
        ]
    return [single(call, path, about, required=required)]


def tables(
    held: list[dict[str, Any]], path: ArgumentPath, ground: EditContext
) -> list[ArgumentField]:
    """Return two fields for each table that a SELECT reads: one that selects the table, and one for
    its name in the statement.
    """
    choices = tuple(ground.names.items())
    made: list[ArgumentField] = []
    for n, one in enumerate(held):
        made.append(
            ArgumentField(
                (*path, n, "source"), "choice", one["source"], required=True, choices=choices
            )
        )
        made.append(ArgumentField((*path, n, "name"), "text", one["name"], required=True))
    return made


def typed(value: Any) -> Kind:
    """Return the kind of field that suits a value."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "number"
    return "day" if DAY.match(str(value)) else "text"


def single(
    call: StepCall, path: ArgumentPath, schema: dict[str, Any], *, required: bool
) -> ArgumentField:
    """Return the field for an argument that contains one thing, or several of one kind."""
    name, arguments, known = str(path[-1]), call.arguments, call.known
    ways = [way for way in schema.get("anyOf", [schema]) if way.get("type") != "null"]
    about = ways[0] if len(ways) == 1 else schema
    many = about.get("type") == "array"
    value = arguments.get(name, schema.get("default"))
    if name == "interface":
        giving = [n for n, i in STEPS.items() if i.gives == "value" and i.kind == "processing"]
        return ArgumentField(path, "choice", value, required=True, choices=same(giving))
    if name == "source":
        return ArgumentField(
            path, "choice", value, required=True, choices=tuple(call.ground.names.items())
        )
    if name == "charts" or name in RESULTS:
        found = same(call.ground.earlier(call.step, "chart" if name == "charts" else "frame"))
        return ArgumentField(path, "choice", value, many, True, found)
    if name in VALUES:
        column = str(arguments.get(VALUES[name]) or "")
        return of_column(
            path, value, known, column, str(arguments.get("source", "")), many, required
        )
    if name in COLUMNS:
        numbers = name in NUMBERS or NUMBERS_OF.get(call.interface.name) == name
        if name in ("value", "column") and arguments.get("aggregate") == "count":
            numbers = False
        found = columns(known, numbers=numbers, days=name == "time")
        kind = "either" if name == "second" else "choice"
        return ArgumentField(path, kind, value, many, required, found)
    if "enum" in about:
        return ArgumentField(path, "choice", value, required=required, choices=same(about["enum"]))
    if about.get("type") == "boolean":
        return ArgumentField(path, "switch", bool(value))
    if about.get("type") in ("integer", "number"):
        low, high = about.get("minimum"), about.get("maximum")
        above, below = about.get("exclusiveMinimum"), about.get("exclusiveMaximum")
        return ArgumentField(
            path,
            "number",
            value,
            many,
            required,
            integer=about["type"] == "integer",
            low=low if above is None else above,
            high=high if below is None else below,
            open=above is not None or below is not None,
        )
    kind: Kind = "day" if name in DAYS else "code" if name == "sql" else "text"
    return ArgumentField(path, kind, value, many, required)


def renamed(
    names: dict[str, Any], path: ArgumentPath, known: list[KnownColumn]
) -> list[ArgumentField]:
    """Return a field for the new name of each column. If the field is empty, the column keeps its
    name."""
    every = dict.fromkeys([*(c.name for c in known), *names])
    return [ArgumentField((*path, name), "text", names.get(name)) for name in every]


def columns(
    known: list[KnownColumn], *, numbers: bool = False, days: bool = False
) -> tuple[tuple[str, str], ...]:
    """Return columns as choices: all of them, only the numeric ones, or only those with dates or
    parts of dates.
    """
    kept = [
        c.name
        for c in known
        if (not numbers or c.kind in ("number", "boolean"))
        and (
            not days
            or c.kind in ("date", "time")
            or c.role in ("year", "quarter", "month", "period")
        )
    ]
    return same(kept)


def of_column(
    path: ArgumentPath,
    value: Any,
    known: list[KnownColumn],
    column: str,
    uid: str,
    many: bool,
    required: bool,
) -> ArgumentField:
    """Return a field whose values come from a column."""
    found = next((c for c in known if c.name == column), None)
    choices = same(list(found.values)) if found is not None and found.complete else ()
    return ArgumentField(path, "value", value, many, required, choices, column=(uid, column))


def conditions(
    held: list[Any], path: ArgumentPath, known: list[KnownColumn], uid: str
) -> list[ArgumentField]:
    """Return the three fields of each condition: its column, its comparison, and the value to
    compare with.
    """
    made: list[ArgumentField] = []
    for n, condition in enumerate(held):
        column, op = str(condition.get("column")), str(condition.get("op"))
        made.append(
            ArgumentField(
                (*path, n, "column"), "choice", column, required=True, choices=columns(known)
            )
        )
        made.append(
            ArgumentField(
                (*path, n, "op"), "choice", op, required=True, choices=same(list(OPERATORS))
            )
        )
        if condition.get("other") is not None:
            others = columns(known)
            made.append(
                ArgumentField(
                    (*path, n, "other"), "choice", condition["other"], required=True, choices=others
                )
            )
        elif op not in ("empty", "not empty"):
            value, many = condition.get("value"), op in ("between", "in")
            made.append(compared((*path, n, "value"), value, known, (uid, column, op), many))
    return made


def compared(
    path: ArgumentPath,
    value: Any,
    known: list[KnownColumn],
    about: tuple[str, str, str],
    many: bool,
) -> ArgumentField:
    """Return the field for the value that a column is compared with. about: the table, the column
    and the comparison.
    """
    uid, name, op = about
    column = next((c for c in known if c.name == name), None)
    if column is not None and column.kind == "number":
        return ArgumentField(path, "number", value, many, required=True, column=(uid, name))
    if column is not None and column.kind == "date":
        return ArgumentField(path, "day", value, many, required=True, column=(uid, name))
    if op in ("=", "!=", "in"):
        return of_column(path, value, known, name, uid, many, required=True)
    return ArgumentField(path, "text", value, many, required=True, column=(uid, name))
