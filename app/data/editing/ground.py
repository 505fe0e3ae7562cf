"""What the steps of a workflow stand on: the columns of tables and of earlier results, and the values in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.domain.errors import DeskpilotError
from backends.data.steps import STEPS
from backends.data.table import quote

if TYPE_CHECKING:
    from app.data.sources import Sources
    from backends.data.values import Scalar
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
    """What is known while a workflow is edited. result: of its last run; names: of the tables one may choose, by uuid."""

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
        """Return the columns a step's arguments may name; none if what it takes is not known yet."""
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
            f"SELECT {name} FROM {table.relation} WHERE lower(CAST({name} AS VARCHAR)) = lower(?) LIMIT 1",
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
