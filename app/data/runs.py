"""Workflows that ran: their results are held here, so that a step can be mended without computing
the others again.
"""

from __future__ import annotations

import threading
import uuid
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from app.domain.errors import UnknownWidget
from backends.data.workflow.desk import Desk
from backends.data.workflow.output import Frame, Sheet
from backends.data.workflow.run import run_workflow
from backends.data.workflow.summary import piece_uid
from backends.data.workflow.told import WorkflowResult, told

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from backends.data.table import Table
    from backends.data.workflow.step import Workflow

HELD = 4  # runs whose results are kept


class Runs:
    """Runs workflows over open tables. name_of: what a table is called. Threads may call at
    once.
    """

    def __init__(
        self, table: Callable[[str], Table], name_of: Callable[[str], str] | None = None
    ) -> None:
        self._table, self._name_of = table, name_of
        self._held: OrderedDict[str, tuple[Workflow, Desk]] = OrderedDict()
        self._lock = threading.Lock()

    def run(
        self, workflow: Workflow, run: str = "", offered: Container[str] | None = None
    ) -> WorkflowResult:
        """Run a workflow whose parameters are filled in. run: an earlier one, whose results that
        did not change are kept.

        offered: the tables it may read, whatever a loop puts in the place of one; none: all that
        are open.
        Raises: KernelError for one that cannot be run at all; UnknownWidget, SourceError.
        """

        def table(uid: str) -> Table:
            if offered is not None and uid not in offered:
                raise UnknownWidget(
                    f"Widget {uid} was not offered.", "Use a widget of the request."
                )
            return self._table(uid)

        with self._lock:
            before = self._held.pop(run, None)
        desk = self._desk(workflow, before)
        finished = run_workflow(workflow, table, desk)
        name = run if before is not None else uuid.uuid4().hex
        with self._lock:
            self._held[name] = (workflow, finished.desk)
            while len(self._held) > HELD:
                _, (_, old) = self._held.popitem(last=False)
                old.close()
        made = told(finished, name)
        names = (
            {uid: self._name_of(uid) for uid in made.hashes} if self._name_of is not None else {}
        )
        return made.model_copy(update={"names": names})

    def whole(self, uid: str) -> list[dict[str, Any]] | None:
        """Return all rows of a table an answer showed the first of, while its run is held; None for
        any other.

        uid: of the piece, which names the steps and the data it was made from.
        """
        with self._lock:
            for workflow, desk in self._held.values():
                for step, output in desk.outputs.items():
                    if (
                        isinstance(output, Frame | Sheet)
                        and piece_uid(desk.hashes, workflow, step) == uid
                    ):
                        names = [column.name for column in output.table.columns]
                        rows = output.table.rows(0, output.table.count())
                        return [dict(zip(names, row, strict=True)) for row in rows]
        return None

    def _desk(self, workflow: Workflow, before: tuple[Workflow, Desk] | None) -> Desk:
        """Return where to compute: with the results of the steps that are as they were, and the
        sources, too.
        """
        if before is None:
            return Desk(self._table)
        old, desk = before
        known = {step.id: step for step in old.steps}
        kept: set[str] = set()
        changed = any(self._table(uid).hash != digest for uid, digest in desk.hashes.items())
        for step in workflow.steps:
            same = step == known.get(step.id) and all(name in kept for name in step.inputs())
            if same and not changed:
                kept.add(step.id)
        desk.outputs = {name: output for name, output in desk.outputs.items() if name in kept}
        return desk
