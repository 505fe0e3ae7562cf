"""Validate a workflow. It must finish in time, give the same result twice and change no files."""

from __future__ import annotations

import asyncio
import datetime as dt
import hashlib
import json
import time
from math import isclose
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from app.data.library.entry import LibraryEntry, Origin, TrialResult
from app.data.library.library_file import schema_hash
from app.data.readers.parts import hash_of
from app.domain.errors import DeskpilotError, SourceError
from backends.data.computation import interruptibly
from backends.data.errors import ComputationStopped, KernelError
from backends.data.table import ORDINAL, Table
from backends.data.values import Scalar
from backends.data.workflow.context import RunContext
from backends.data.workflow.library_interface import SELECT
from backends.data.workflow.report import WorkflowResult, told
from backends.data.workflow.run import one, run_workflow
from backends.data.workflow.step import OutputFrame, Workflow

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.data.sources import Sources
    from app.data.tables import OpenTable
    from backends.data.workflow.step import Step, Workflow


BACKWARDS, MIXED = f"{ORDINAL} DESC", f"hash({ORDINAL})"


def by_luck(workflow: Workflow, sources: Sources) -> bool:
    """Return whether a SELECT in a workflow returns different rows when its input rows are in a
    different order.

    The order of its output does not matter, nor do the last digits of computed numbers. Raises:
    KernelError if a SELECT cannot be run; ComputationStopped if it is stopped.
    """
    for step in workflow.steps:
        if step.interface == SELECT and step.each is None:
            known = rows_of(step, lambda uid: sources.source(uid).table)
            for order in (BACKWARDS, MIXED):
                try:
                    other = rows_of(
                        step, lambda uid, order=order: standing(sources.source(uid).table, order)
                    )
                except ComputationStopped:
                    raise
                except KernelError:
                    return True
                if not alike(known, other):
                    return True
    return False


def standing(table: Table, order: str) -> Table:
    """Return a table with its rows in a different order."""
    moved = f"row_number() OVER (ORDER BY {order}, {ORDINAL}) - 1 AS {ORDINAL}"
    relation = f"(SELECT * REPLACE ({moved}) FROM {table.relation})"
    return Table(table.connection, relation, table.columns, table.source, table.hash)


def rows_of(step: Step, source: Callable[[str], Table]) -> list[tuple[Any, ...]]:
    """Return the rows that a SELECT returns.

    Raises: KernelError.
    """
    desk = RunContext(source)
    try:
        made = one(desk, step)
        assert isinstance(made, OutputFrame)
        return made.table.rows(0, made.table.count())
    finally:
        desk.close()


def alike(some: list[tuple[Any, ...]], others: list[tuple[Any, ...]]) -> bool:
    """Return whether two results contain the same rows, in any order."""
    if len(some) != len(others):
        return False
    return all(map(same_row, sorted(some, key=rough), sorted(others, key=rough)))


def rough(row: tuple[Any, ...]) -> list[str]:
    """Return a key for sorting rows that ignores the last digits of numbers."""
    return [f"{cell:.9g}" if isinstance(cell, float) else repr(cell) for cell in row]


def same_row(row: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Return whether two rows are equal. Small differences in the last digits of numbers are
    ignored."""
    return all(map(same_cell, row, other))


def same_cell(cell: object, other: object) -> bool:
    """Return whether two cells have the same value. Values other than numbers must be identical."""
    if isinstance(cell, float) and isinstance(other, float):
        return isclose(cell, other, rel_tol=1e-9, abs_tol=1e-12) or (
            cell != cell and other != other
        )
    return cell == other


SECONDS = 20.0
ORDER = "Its result depends on the order of the rows; its SELECT must set that order."


async def validated(
    entry: LibraryEntry, sources: Sources, seconds: float = SECONDS
) -> LibraryEntry:
    """Return an entry with its status. It is `validated` only if it ran twice in time, gave the
    same result both times and with the rows in a different order, and changed no file.
    """
    if reason := stale(entry, sources):
        return entry.model_copy(update={"status": "stale", "reason": reason})
    files = [sources.source(uid).path for uid in entry.workflow.sources()]
    try:
        before = await asyncio.to_thread(hashes, files)
        start = time.perf_counter()
        async with asyncio.timeout(seconds):
            filled = entry.workflow.filled({})
            first = await interruptibly(once, filled, sources)
            second = await interruptibly(once, filled, sources)
            lucky = not first.failed and await interruptibly(by_luck, filled, sources)
        spent = round(time.perf_counter() - start, 3)
        after = await asyncio.to_thread(hashes, files)
    except TimeoutError:
        return failed(entry, f"It takes more than {seconds:g} s.")
    except (KernelError, DeskpilotError) as error:
        return failed(entry, f"{error.text} {error.remedy}".strip())
    if first.failed:
        return failed(entry, f"{first.failed[0].id}: {first.failed[0].error}")
    if digest(first) != digest(second):
        return failed(entry, "It returns a different result each time.")
    if lucky:
        return failed(entry, ORDER)
    if before != after:
        return failed(entry, "A file changed while it ran.")
    values = {p.name: p.default for p in entry.workflow.parameters}
    trial = TrialResult(values=values, digest=digest(first), seconds=spent)
    return entry.model_copy(update={"status": "validated", "reason": "", "trials": [trial]})


def failed(entry: LibraryEntry, reason: str) -> LibraryEntry:
    """Return an entry with the status `failed` and the reason."""
    return entry.model_copy(update={"status": "failed", "reason": reason})


def stale(entry: LibraryEntry, sources: Sources) -> str:
    """Return why an entry no longer fits its tables, or an empty string if it fits."""
    for uid, known in entry.origin.schemas.items():
        try:
            source = sources.source(uid)
        except DeskpilotError as error:
            return error.text
        if schema_hash(source.table) != known:
            name = source.profile.name
            if told := differences(entry.origin.columns.get(uid, {}), source.table):
                return f"The columns of {name} have changed since it was created: {told}."
            return f"The columns of {name} have changed since it was created."
    return ""


def differences(known: dict[str, str], table: Table) -> str:
    """Return text that says which columns are missing, new or of a different kind, or an empty
    string if this is unknown.
    """
    now = {column.name: column.kind for column in table.columns}
    gone, new = (
        ", ".join(n for n in known if n not in now),
        ", ".join(n for n in now if n not in known),
    )
    others = [
        f"{n} contains {now[n]}, not {kind}"
        for n, kind in known.items()
        if now.get(n, kind) != kind
    ]
    told = [f"{gone} was removed"] if gone else []
    told += [f"{new} was added"] if new and known else []
    moved = (
        ["they are in a different order"]
        if not told + others and list(known) != list(now) and known
        else []
    )
    return "; ".join([*told, *others, *moved])


def once(workflow: Workflow, sources: Sources) -> WorkflowResult:
    """Run a workflow in its own context."""
    finished = run_workflow(workflow, lambda uid: sources.source(uid).table)
    made = told(finished, "")
    finished.desk.close()
    return made


def digest(result: WorkflowResult) -> str:
    """Return a hash of everything that a run returned, except its duration."""
    seen = result.model_dump(mode="json", exclude={"run": True, "steps": {"__all__": {"seconds"}}})
    return hashlib.sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()[:16]


def hashes(files: list[Path]) -> list[str]:
    """Return the hash of each file."""
    return [hash_of(path) for path in files]


async def replayed(
    entry: LibraryEntry, values: dict[str, Scalar], sources: Sources
) -> WorkflowResult:
    """Run an entry again with new values for its parameters, without a model. The results are kept
    so that all rows of the resulting tables can be read.

    Raises: DeskpilotError, also if the entry is out of date or was never validated.
    """
    if reason := stale(entry, sources):
        raise DeskpilotError(
            f"{entry.name} is stale: {reason}",
            "Create it again from a question about the current table.",
        )
    if entry.status != "validated":
        raise DeskpilotError(
            f"{entry.name} was not validated: {entry.reason}", "Fix it, or remove it."
        )
    try:
        return await interruptibly(sources.runs.run, titled(entry, values))
    except KernelError as error:
        raise DeskpilotError(error.text, error.remedy) from error


def titled(entry: LibraryEntry, values: dict[str, Scalar]) -> Workflow:
    """Return an entry's workflow with its parameters filled in. If its last step has no title, give
    it one.

    Raises: WrongArguments.
    """
    filled = entry.workflow.filled(values)
    *before, last = filled.steps
    if last.description:
        return filled
    given = [(p, values.get(p.name, p.default)) for p in entry.workflow.parameters]
    named = [str(value) if p.type == "text" else f"{p.name} = {value}" for p, value in given]
    told = " · ".join([entry.description or entry.name, *named])
    return filled.model_copy(
        update={"steps": [*before, last.model_copy(update={"description": told})]}
    )


def entry_of(
    name: str, workflow: Workflow, sources: Sources, question: str = "", description: str = ""
) -> LibraryEntry:
    """Return a workflow as an entry that still has to be validated.

    Raises: SourceError if the name cannot be used; UnknownWidget.
    """
    opened: list[OpenTable] = [sources.source(uid) for uid in workflow.sources()]
    origin = Origin(
        question=question,
        made_at=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        paths={source.uuid: str(source.path) for source in opened},
        schemas={source.uuid: schema_hash(source.table) for source in opened},
        columns={source.uuid: {c.name: c.kind for c in source.table.columns} for source in opened},
        hashes={source.uuid: source.table.hash for source in opened},
    )
    if workflow.parameters:  # a title with the current values would be wrong for other values
        steps = [
            s.model_copy(update={"arguments": retitled(s.arguments, name)}) for s in workflow.steps
        ]
        workflow = workflow.model_copy(update={"steps": steps, "tasks": []})
    try:
        about = description or question or workflow.name
        return LibraryEntry(name=name, description=about, workflow=workflow, origin=origin)
    except ValidationError as error:
        raise SourceError(
            f"{name!r} cannot be used as a name.",
            "Use lowercase letters, digits and _, starting with a letter.",
        ) from error


def retitled(arguments: dict[str, Any], title: str) -> dict[str, Any]:
    """Return arguments with a new title, if they had a title."""
    return arguments | ({"title": title} if arguments.get("title") else {})
