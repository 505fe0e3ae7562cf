"""Test designed interfaces, and merge two of them into one with a selector if the answers stay the
same.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, cast

from app.data.design.ideas import akin
from app.data.design.phrases import wording
from app.data.library.validator import ORDER, SECONDS, by_luck, failed, hashes, validated
from app.domain.errors import DeskpilotError
from backends.data.computation import interruptibly
from backends.data.errors import ComputationStopped, KernelError
from backends.data.workflow.run import run_workflow
from backends.data.workflow.step import PARAMETER, Chart, OutputValue, Parameter, Workflow

if TYPE_CHECKING:
    from app.data.design.definition import Definition
    from app.data.design.phrases import Language
    from app.data.library.entry import LibraryEntry, RequestExample
    from app.data.sources import Sources
    from backends.data.values import Scalar


async def tried(entry: LibraryEntry, sources: Sources, seconds: float = SECONDS) -> LibraryEntry:
    """Return an entry with its status. It is `validated` only if the validator finds no problem, at
    least one of its requests is answered, and no request takes too long or is answered differently
    the second time. Requests that the entry cannot answer are removed.

    Raises: DeskpilotError if a table can no longer be read.
    """
    made = await validated(entry, sources, seconds)
    if made.status != "validated":
        return made
    files = [sources.source(uid).path for uid in entry.workflow.sources()]
    before = await asyncio.to_thread(hashes, files)
    answered: dict[str, bool] = {}  # keyed by values, since a request may be worded in several ways
    for cover in entry.covers:
        key = json.dumps(cover.values, sort_keys=True)
        try:
            if key not in answered:
                await answers(made, cover, sources, seconds)
                answered[key] = True
        except (TimeoutError, ComputationStopped):
            return failed(made, f"“{cover.request}” takes more than {seconds:g} s.")
        except ByLuck:
            return failed(made, ORDER)
        except Unsteady:
            return failed(made, f"“{cover.request}” is answered differently each time.")
        except (KernelError, DeskpilotError):
            # a request that cannot be answered does not belong to this interface
            answered[key] = False
    kept = [cover for cover in entry.covers if answered[json.dumps(cover.values, sort_keys=True)]]
    if await asyncio.to_thread(hashes, files) != before:
        return failed(made, "A file changed while it ran.")
    if entry.covers and not kept:
        return failed(made, "It does not answer any of its requests.")
    return made.model_copy(update={"covers": kept})


class Unsteady(Exception):
    """The second answer differs from the first."""


class ByLuck(Exception):
    """The answer depends on the order of the rows."""


async def answers(
    entry: LibraryEntry, cover: RequestExample, sources: Sources, seconds: float
) -> None:
    """Answer a request twice, and once more with the rows in a different order.

    Raises: KernelError, DeskpilotError if it cannot be answered; TimeoutError, Unsteady, ByLuck.
    """
    async with asyncio.timeout(seconds):
        filled = entry.workflow.filled(cover.values)
        first = await interruptibly(given, filled, sources)
        if not same(first, await interruptibly(given, filled, sources)):
            raise Unsteady
        if await interruptibly(by_luck, filled, sources):
            raise ByLuck


def given(workflow: Workflow, sources: Sources) -> dict[str, Any]:
    """Return the output of a workflow's last step: all columns and rows, a value, or a chart.

    Raises: the failed step's KernelError.
    """
    finished = run_workflow(workflow, lambda uid: sources.source(uid).table)
    try:
        for done in finished.failed:
            assert done.error is not None
            raise done.error
        output = finished.done[-1].output
        assert output is not None
        if isinstance(output, OutputValue):
            return {"value": output.value, "name": output.name, "unit": output.unit}
        if isinstance(output, Chart):
            return {"figure": output.figure}
        columns = [(c.name, c.kind) for c in output.table.columns]
        return {"columns": columns, "rows": output.table.rows(0, output.table.count())}
    finally:
        finished.desk.close()


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether two runs gave the same result, cell by cell. NaN counts as equal to NaN."""
    return json.dumps(one, default=str) == json.dumps(other, default=str)


MOST = 40  # maximum number of choices that a selector can have


class Unlike(Exception):
    """The two interfaces differ in more than single values."""


class SelectorBinding:
    """The choices of a selector while two interfaces are merged.

    known: the parameter values for each choice. made: the values for the new choice.
    """

    def __init__(self, known: dict[str, dict[str, Scalar]]) -> None:
        self.known = {choice: dict(values) for choice, values in known.items()}
        self.made: dict[str, Scalar] = {}
        self._names: dict[str, str] = {}

    def laid(self, one: Any, other: Any, place: str) -> Any:
        """Return arguments in which every place that differs is replaced by a name whose value
        depends on the choice.

        Raises: Unlike.
        """
        bound = self._bound(one)
        if bound is not None:
            return self._again(bound, other, place)
        if isinstance(one, dict) and isinstance(other, dict):
            a, b = cast("dict[str, Any]", one), cast("dict[str, Any]", other)
            if list(a) != list(b):
                raise Unlike
            return {key: self.laid(a[key], b[key], key) for key in a}
        if isinstance(one, list) and isinstance(other, list):
            left, right = cast("list[Any]", one), cast("list[Any]", other)
            if len(left) != len(right):
                raise Unlike
            return [self.laid(x, y, place) for x, y in zip(left, right, strict=True)]
        if one == other and type(one) is type(other):
            return one
        if not isinstance(one, str | int | float) or not isinstance(other, str | int | float):
            raise Unlike
        key = json.dumps([one, other])
        if key not in self._names:
            self._names[key] = self._name(place)
            for values in self.known.values():
                values[self._names[key]] = one
            self.made[self._names[key]] = other
        return {PARAMETER: self._names[key]}

    def _bound(self, one: Any) -> str | None:
        """Return the name that an earlier merge put here, or None if there was no such merge."""
        if not isinstance(one, dict) or list(cast("dict[str, Any]", one)) != [PARAMETER]:
            return None
        name = str(cast("dict[str, Any]", one)[PARAMETER])
        return name if any(name in values for values in self.known.values()) else None

    def _again(self, name: str, other: Any, place: str) -> dict[str, Any]:
        """Return the name for a place that already has one, or a new name if the old one would now
        stand for something different.

        Raises: Unlike.
        """
        if not isinstance(other, str | int | float):
            raise Unlike
        if self.made.setdefault(name, other) == other:
            return {PARAMETER: name}
        key = json.dumps([name, other])
        if key not in self._names:
            self._names[key] = self._name(place)
            for values in self.known.values():
                values[self._names[key]] = values[name]
            self.made[self._names[key]] = other
        return {PARAMETER: self._names[key]}

    def _name(self, place: str) -> str:
        taken = {name for values in self.known.values() for name in values} | set(self.made)
        base = f"selected_{place}"[:36] if place.isidentifier() and place.islower() else "selected"
        return next(n for n in (base, *(f"{base}_{i}" for i in range(2, 99))) if n not in taken)


def laid_over(one: Definition, other: Definition, selector: str) -> Definition | None:
    """Merge two interfaces into one with a selector. Return None if they differ in more than single
    values or are not about the same kind of thing.

    one: an interface that may already be merged. other: an interface that is not merged. selector:
    the selector's name, if `one` has none.
    """
    label = other.labels[0]
    if one.kind != other.kind or one.shape != other.shape or label in one.labels or other.selector:
        return None
    if not one.kin or not other.kin or not all(akin(k, other.kin[0]) for k in one.kin):
        return None
    own = next((p for p in one.workflow.parameters if p.binds), None)
    rest = [p for p in one.workflow.parameters if p is not own]
    if [asked(p) for p in rest] != [asked(p) for p in other.workflow.parameters] or len(
        one.labels
    ) >= MOST:
        return None
    name = own.name if own is not None else selector
    binding = SelectorBinding(own.binds if own is not None else {one.labels[0]: {}})
    a, b = one.workflow.steps, other.workflow.steps
    if [(s.id, s.interface, s.each) for s in a] != [(s.id, s.interface, s.each) for s in b]:
        return None
    try:
        steps = [
            s.model_copy(update={"arguments": binding.laid(s.arguments, t.arguments, "")})
            for s, t in zip(a, b, strict=True)
        ]
    except Unlike:
        return None
    chosen = Parameter(
        name=name,
        type="text",
        default=one.labels[0],
        choices=[*one.labels, label],
        binds=binding.known | {label: binding.made},
        description=chosen_among([*one.labels, label], one.language),
    )
    workflow = one.workflow.model_copy(update={"steps": steps, "parameters": [chosen, *rest]})
    return one.model_copy(
        update={
            "workflow": workflow,
            "labels": [*one.labels, label],
            "made_of": [*one.made_of, *other.made_of],
            "kin": [*one.kin, *other.kin],
            "covers": [*mapped(one, name), *mapped(other, name)],
            "requests": [*one.requests, *other.requests],
        }
    )


def chosen_among(labels: list[str], language: Language) -> str:
    """Return the label of a selector's choices."""
    words = wording(language)
    return words.parameters["selector"].format(of=words.and_.join(labels))[:200]


def asked(parameter: Parameter) -> tuple[str, str, list[str]]:
    """Return the properties of a parameter that must be equal for two interfaces to be merged."""
    return parameter.name, parameter.type, sorted(map(str, parameter.choices))


def mapped(old: Definition, selector: str) -> list[RequestExample]:
    """Return the requests of an interface with the parameter values that the merged interface
    needs.
    """
    if old.selector:
        return old.covers
    return [
        c.model_copy(update={"values": {selector: old.labels[0]} | c.values}) for c in old.covers
    ]


def same_frames(merged: Definition, old: Definition, sources: Sources) -> bool:
    """Return whether a merged interface answers each request of an old one, and its default values,
    with the same result.

    Raises: KernelError, DeskpilotError if the old one cannot be run.
    """
    defaults = {p.name: p.default for p in old.workflow.parameters}
    for values in different([defaults, *(defaults | c.values for c in old.covers)]):
        mine = values if old.selector else {merged.selector: old.labels[0]} | values
        before, now = old.workflow.filled(values), merged.workflow.filled(mine)
        if not same(given(before, sources), given(now, sources)):
            return False
    return True


def different(tests: list[dict[str, Scalar]]) -> list[dict[str, Scalar]]:
    """Return the distinct values. There may be duplicates, since a request may be worded in several
    ways.
    """
    return list({json.dumps(values, sort_keys=True): values for values in tests}.values())


def as_one(workflow: Workflow, description: str) -> Workflow:
    """Return a merged workflow whose description names no column."""
    return workflow.model_copy(update={"name": description[:120], "description": description})
