"""What each argument of a step is, and what it may be: real columns, values, interfaces and earlier
results only.
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
    from backends.data.workflow.step import Step, Workflow
    from backends.data.workflow.told import WorkflowResult


MANY = 100  # values that are offered to be chosen from


@dataclass(frozen=True)
class Known:
    """A column. values: those it holds, if they are few; they are all if `complete`."""

    name: str
    kind: str
    role: str = ""
    values: tuple[Scalar, ...] = ()
    complete: bool = False


class Ground:
    """What is known while a workflow is edited. result: of its last run; names: of the tables one
    may choose, by uuid.
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

    def columns(self, arguments: dict[str, Any]) -> list[Known]:
        """Return the columns a step's arguments may name; none if what it takes is not known
        yet.
        """
        if (uid := arguments.get("source")) is not None:
            return self._of_source(str(uid))
        left, right = arguments.get("left"), arguments.get("right")
        if left is not None:
            both = {c.name for c in self._of_result(str(right))}
            return [c for c in self._of_result(str(left)) if c.name in both]
        taken = arguments.get("data")
        return self._of_result(str(taken[0] if isinstance(taken, list) and taken else taken))

    def _of_source(self, uid: str) -> list[Known]:
        try:
            profile = self._sources.source(uid).profile
        except DeskpilotError:
            return []
        return [
            Known(
                c.name, c.kind, c.role, tuple(c.values[:MANY]), c.complete and len(c.values) <= MANY
            )
            for c in profile.columns
        ]

    def _of_result(self, handle: str) -> list[Known]:
        preview = self._previews.get(handle)
        return [Known(name, kind) for name, kind in preview.columns.items()] if preview else []

    def earlier(self, step: Step, gives: str) -> list[str]:
        """Return the results made before a step: `frame` for rows, `chart` for charts."""
        before = [other.id for other in self.steps]
        return made_by(
            self.steps[: before.index(step.id)] if step.id in before else self.steps, gives
        )

    def unknown(self, step: Step) -> bool:
        """Tell whether a step takes rows of which nothing is known yet: they were not computed."""
        rows = set(made_by(self.steps, "frame"))
        return any(name in rows and name not in self._previews for name in step.inputs())

    def holds(self, uid: str, column: str, value: Scalar) -> Scalar:
        """Return a value as a column of a table writes it; None if it is not there.

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
    """Return the results of steps: `frame` for rows, `chart` for charts."""
    wanted = ("frame", "table") if gives == "frame" else (gives,)
    found: list[str] = []
    for step in steps:
        made = STEPS[step.interface].gives if step.interface in STEPS else ""
        made = "frame" if step.each is not None else made  # a loop gathers what it gives as rows
        found += [step.id] if made in wanted else []
    return found


DAY = re.compile(r"^\d{4}-\d{2}-\d{2}$")
Kind = Literal["choice", "text", "code", "number", "day", "switch", "value", "either"]
Path = tuple[str | int, ...]

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
VALUES = {
    "entities": "by",
    "entity": "by",
    "name": "group",
}  # argument → the one that names its column
RESULTS = frozenset(["data", "left", "right"])
HELD = frozenset(("argument",))  # of a loop: which argument its values are put into
OPERATORS = ("=", "!=", ">", ">=", "<", "<=", "between", "in", "contains", "empty", "not empty")


@dataclass(frozen=True)
class Field:
    """One argument. path: where it stands among a step's arguments; value: what stands there, None
    for nothing.

    many: a list of such. choices: all it may be, with the words for them, where they are known.
    low, high: of a number, both allowed unless `open`. column: (table, column) a value is of, empty
    texts if that is not known.
    """

    path: Path
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
class Call:
    """An interface and what it is given, by a step itself or by one that stands inside it.

    known: the columns of what it takes.
    """

    step: Step
    interface: StepInterface
    arguments: dict[str, Any]
    ground: Ground
    known: list[Known]


INTERFACE: Path = ("", "interface")  # the path of a step's interface, which is no argument


def fields_of(step: Step, ground: Ground) -> list[Field]:
    """Return what of a step can be changed, its interface first."""
    interface = STEPS[step.interface]
    others = alike(interface)
    made = (
        [Field(INTERFACE, "choice", step.interface, required=True, choices=same(others))]
        if others
        else []
    )
    looped = (step.each.argument,) if step.each is not None else ()
    return made + inner(call_of(step, interface, step.arguments, ground), (), looped)


def call_of(
    step: Step, interface: StepInterface, arguments: dict[str, Any], ground: Ground
) -> Call:
    """Return a call with the columns it can take."""
    return Call(step, interface, arguments, ground, ground.columns(arguments))


def alike(interface: StepInterface) -> list[str]:
    """Return the interfaces that may stand for one: of its class, taking and giving the same; none
    if it is alone.
    """
    taken = RESULTS | {"source", "charts"}

    def shape(one: StepInterface) -> tuple[str, str, frozenset[str]]:
        return one.kind, one.gives, frozenset(one.arguments.model_fields) & taken

    found = [one.name for one in STEPS.values() if shape(one) == shape(interface)]
    return found if len(found) > 1 else []


def same(values: list[Any]) -> tuple[tuple[Any, str], ...]:
    """Return values as choices that are called what they are."""
    return tuple((value, str(value)) for value in values)


def inner(call: Call, path: Path, looped: tuple[str, ...]) -> list[Field]:
    """Return the arguments of a call as fields. path: where they stand; looped: those a loop fills
    in.
    """
    schema = call.interface.arguments.model_json_schema()
    made: list[Field] = []
    for name, about in schema["properties"].items():
        if name not in looped and name not in HELD:
            made += argument(
                call, (*path, name), about, required=name in schema.get("required", [])
            )
    return made


def argument(call: Call, path: Path, about: dict[str, Any], *, required: bool) -> list[Field]:
    """Return the fields of one argument; one that holds several things has a field for each. about:
    its schema.
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
        return [Field((*path, key), typed(one), one, required=True) for key, one in held.items()]
    if name == "panes":
        panes, choices = cast("list[Any]", value or []), columns(known, numbers=True)
        return [
            Field((*path, n), "choice", pane, True, True, choices) for n, pane in enumerate(panes)
        ]
    return [single(call, path, about, required=required)]


def tables(held: list[dict[str, Any]], path: Path, ground: Ground) -> list[Field]:
    """Return two fields for each table a SELECT reads: which it is, and what it is called there."""
    choices = tuple(ground.names.items())
    made: list[Field] = []
    for n, one in enumerate(held):
        made.append(
            Field((*path, n, "source"), "choice", one["source"], required=True, choices=choices)
        )
        made.append(Field((*path, n, "name"), "text", one["name"], required=True))
    return made


def typed(value: Any) -> Kind:
    """Return what is typed where a value stands."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "number"
    return "day" if DAY.match(str(value)) else "text"


def single(call: Call, path: Path, schema: dict[str, Any], *, required: bool) -> Field:
    """Return an argument that holds one thing, or several of a kind, as a field."""
    name, arguments, known = str(path[-1]), call.arguments, call.known
    ways = [way for way in schema.get("anyOf", [schema]) if way.get("type") != "null"]
    about = ways[0] if len(ways) == 1 else schema
    many = about.get("type") == "array"
    value = arguments.get(name, schema.get("default"))
    if name == "interface":
        giving = [n for n, i in STEPS.items() if i.gives == "value" and i.kind == "processing"]
        return Field(path, "choice", value, required=True, choices=same(giving))
    if name == "source":
        return Field(path, "choice", value, required=True, choices=tuple(call.ground.names.items()))
    if name == "charts" or name in RESULTS:
        found = same(call.ground.earlier(call.step, "chart" if name == "charts" else "frame"))
        return Field(path, "choice", value, many, True, found)
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
        return Field(path, kind, value, many, required, found)
    if "enum" in about:
        return Field(path, "choice", value, required=required, choices=same(about["enum"]))
    if about.get("type") == "boolean":
        return Field(path, "switch", bool(value))
    if about.get("type") in ("integer", "number"):
        low, high = about.get("minimum"), about.get("maximum")
        above, below = about.get("exclusiveMinimum"), about.get("exclusiveMaximum")
        return Field(
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
    return Field(path, kind, value, many, required)


def renamed(names: dict[str, Any], path: Path, known: list[Known]) -> list[Field]:
    """Return a field for the new name of each column; nothing in it leaves the column as it is."""
    every = dict.fromkeys([*(c.name for c in known), *names])
    return [Field((*path, name), "text", names.get(name)) for name in every]


def columns(
    known: list[Known], *, numbers: bool = False, days: bool = False
) -> tuple[tuple[str, str], ...]:
    """Return columns as choices: all, those of numbers, or those of days and parts of days."""
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
    path: Path, value: Any, known: list[Known], column: str, uid: str, many: bool, required: bool
) -> Field:
    """Return a field that takes values of a column."""
    found = next((c for c in known if c.name == column), None)
    choices = same(list(found.values)) if found is not None and found.complete else ()
    return Field(path, "value", value, many, required, choices, column=(uid, column))


def conditions(held: list[Any], path: Path, known: list[Known], uid: str) -> list[Field]:
    """Return the three fields of each condition: its column, how it compares, with what."""
    made: list[Field] = []
    for n, condition in enumerate(held):
        column, op = str(condition.get("column")), str(condition.get("op"))
        made.append(
            Field((*path, n, "column"), "choice", column, required=True, choices=columns(known))
        )
        made.append(
            Field((*path, n, "op"), "choice", op, required=True, choices=same(list(OPERATORS)))
        )
        if condition.get("other") is not None:
            others = columns(known)
            made.append(
                Field(
                    (*path, n, "other"), "choice", condition["other"], required=True, choices=others
                )
            )
        elif op not in ("empty", "not empty"):
            value, many = condition.get("value"), op in ("between", "in")
            made.append(compared((*path, n, "value"), value, known, (uid, column, op), many))
    return made


def compared(
    path: Path, value: Any, known: list[Known], about: tuple[str, str, str], many: bool
) -> Field:
    """Return the field of what a column is compared with. about: the table, the column, and how it
    is compared.
    """
    uid, name, op = about
    column = next((c for c in known if c.name == name), None)
    if column is not None and column.kind == "number":
        return Field(path, "number", value, many, required=True, column=(uid, name))
    if column is not None and column.kind == "date":
        return Field(path, "day", value, many, required=True, column=(uid, name))
    if op in ("=", "!=", "in"):
        return of_column(path, value, known, name, uid, many, required=True)
    return Field(path, "text", value, many, required=True, column=(uid, name))
