"""Run workflows again after a change, save and validate them, and run them with other values.

The result of a workflow as an answer in a conversation: steps, text, charts and tables.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from app.data.design.mergers import tried
from app.data.library.entry import LibraryEntry, places_of, with_parameters
from app.data.library.validator import entry_of, replayed, stale, titled, validated
from app.data.workflow_editor.changes import at, placed
from app.domain.conversation import TEMPORARY, Turn, is_temporary
from app.domain.errors import DeskpilotError, SourceError
from app.domain.events import Artifact, CallResult, CopilotCall, Ended, Status
from app.domain.stream import Message
from app.domain.tool import TERMINAL
from app.services.conversation.verdict import partly, unfounded
from app.services.dashboard.table_notes import KnownTables
from app.services.dashboard.widgets import may_be_read
from backends.data.computation import interruptibly
from backends.data.errors import KernelError
from backends.data.steps import STEPS
from backends.data.workflow.report import TOOL, WorkflowResult
from backends.data.workflow.step import PARAMETER, Workflow
from backends.data.workflow.summary import pieces, summary

if TYPE_CHECKING:
    from app.data.library.library_file import Library
    from app.data.workflow_editor.fields import ArgumentPath
    from app.services.dashboard.tiles import Boards
    from app.services.dashboard.widgets import Widgets
    from app.services.library.designer import Designer
    from app.services.ports import StorePort
    from backends.data.values import Scalar


FUNCTION = "execute_agent_tool"


@dataclass(frozen=True)
class Ran:
    """A workflow that ran in a turn. at: the position of its result among the turn's items.
    language: the language of its summary.
    """

    at: int
    workflow: Workflow
    result: WorkflowResult
    language: str


@dataclass(frozen=True)
class AnswerPlace:
    """The place of an answer, which follows `parent` in a conversation. note: where the answer
    comes from.
    """

    conversation_id: str
    parent: str | None
    question: str
    note: str


def ran_in(turn: Turn) -> Ran | None:
    """Return the last workflow in a turn that ran and produced a result, or None if there is
    none.
    """
    for place in range(len(turn.items) - 1, 0, -1):
        if (made := ran_at(turn, place)) is not None:
            return made
    return None


def ran_at(turn: Turn, at: int) -> Ran | None:
    """Return the workflow whose result is the item at a position in a turn, or None if the item is
    anything else.
    """
    item, call = turn.items[at], turn.items[at - 1]
    if not isinstance(item, CallResult) or not isinstance(call, CopilotCall) or item.failed:
        return None
    parameters = call.arguments.get("parameters")
    if call.arguments.get("tool_name") != TOOL or not isinstance(parameters, dict):
        return None
    known = cast("dict[str, Any]", parameters)
    with contextlib.suppress(ValidationError):
        result = WorkflowResult.model_validate_json(item.content)
        workflow = Workflow.model_validate(known.get("workflow"))
        if any(step.interface not in STEPS for step in workflow.steps):
            return None  # a library workflow that was called by name has no steps to open
        return Ran(at, workflow.filled({}), result, language_of(call, turn.question))
    return None


def language_of(call: CopilotCall, question: str) -> str:
    """Return the language of an answer, as reported by the copilot, or else the language of the
    question."""
    with contextlib.suppress(ValueError):
        state = json.loads(call.wire).get("extra_state")
        intent = state.get("intent") if isinstance(state, dict) else None
        if isinstance(intent, dict) and intent.get("language"):
            return str(intent["language"])
    kana = any("\u3041" <= c <= "\u30fa" for c in question)
    return "ja" if kana else "zh" if any("\u4e00" <= c <= "\u9fff" for c in question) else "en"


def turn_of(
    place: AnswerPlace, workflow: Workflow, result: WorkflowResult, seconds: float, language: str
) -> Turn:
    """Return the result of a workflow as a complete turn. In a temporary conversation, the turn is
    temporary, too.
    """
    parameters = {"workflow": workflow.model_dump(mode="json"), "run": ""}
    arguments: dict[str, Any] = {"server_id": TERMINAL, "tool_name": TOOL, "parameters": parameters}
    state = {"by": "person", "intent": {"language": language}}
    wire = json.dumps(
        {"function": FUNCTION, "input_arguments": arguments, "extra_state": state},
        ensure_ascii=False,
    )
    now, uid = time.time(), uuid.uuid4().hex
    words = Message(
        "assistant",
        "message",
        summary(workflow, result, language),
        None,
        None,
        uuid.uuid4().hex,
        now,
    )
    made = [
        Artifact(
            one.kind,
            one.title,
            one.rows,
            {"chartType": "plotly", **one.figure} if one.figure else None,
            one.left_out,
            one.uid,
        )
        for one in pieces(workflow, result, language)
    ]
    ran = CallResult(FUNCTION, result.model_dump_json(), False, seconds)
    items = [
        Status("INFO", place.note),
        CopilotCall(FUNCTION, arguments, wire),
        ran,
        words,
        *made,
        Ended("done"),
    ]
    prefix = TEMPORARY if is_temporary(place.conversation_id) else ""
    return Turn(
        prefix + uid,
        place.conversation_id,
        place.parent,
        place.question,
        "done",
        now,
        cast("Any", items),
    )


class Workflows:
    """The operations on workflows that a window offers. They use the open tables. The tables of
    library workflows are opened when needed.
    """

    def __init__(
        self,
        library: Library,
        widgets: Widgets,
        store: StorePort,
        boards: Boards | None,
        designer: Designer,
    ) -> None:
        self._library, self._widgets, self._store, self._boards = library, widgets, store, boards
        self.designer = designer

    @property
    def known(self) -> KnownTables:
        """Return the notes on tables, which are stored in the library."""
        return KnownTables(self._library, self._widgets)

    async def all(self) -> list[LibraryEntry]:
        """Return the newest version of each workflow in the library, by name. A workflow is stale
        if its tables have changed.

        Raises: SourceError, SetupError.
        """
        return [await self._as_it_is(entry) for entry in self._library.entries()]

    async def entry(self, name: str) -> LibraryEntry:
        """Return a workflow from the library.

        Raises: SourceError.
        """
        return await self._as_it_is(self._library.entry(name))

    async def _as_it_is(self, entry: LibraryEntry) -> LibraryEntry:
        try:
            await self._open(entry)
            reason = await asyncio.to_thread(stale, entry, self._widgets.sources)
        except DeskpilotError as error:
            reason = str(error)
        return entry.model_copy(update={"status": "stale", "reason": reason}) if reason else entry

    async def _open(self, entry: LibraryEntry) -> None:
        for path in entry.origin.paths.values():
            await asyncio.to_thread(self._widgets.sources.add_file, Path(path))

    def tables(self, workflow: Workflow) -> dict[str, str]:
        """Return the names of the tables that a workflow can read, by uuid: the open tables and its
        own.
        """
        names = {
            w.uuid: w.name
            for w in self._widgets.all()
            if may_be_read(w) and self._widgets.is_open(w.uuid)
        }
        own = [uid for uid in workflow.sources() if uid in self._widgets.sources]
        return {uid: self._widgets.sources.source(uid).profile.name for uid in own} | names

    async def run(self, workflow: Workflow, run: str = "") -> tuple[WorkflowResult, float]:
        """Run a workflow, and return its result and how many seconds it took. run: an earlier run
        whose unchanged results are reused.

        Raises: DeskpilotError if it cannot be run at all.
        """
        start = time.perf_counter()
        try:
            result = await interruptibly(self._widgets.sources.runs.run, workflow, run)
        except KernelError as error:
            raise DeskpilotError(error.text, error.remedy) from error
        return result, time.perf_counter() - start

    async def replay(
        self, entry: LibraryEntry, values: dict[str, Scalar]
    ) -> tuple[Workflow, WorkflowResult, float]:
        """Run a workflow from the library. Return it with its parameters filled in, its result and
        how many seconds it took.

        Raises: DeskpilotError if the workflow is not validated, the values do not fit, or a step
        fails.
        """
        await self._open(entry)
        start = time.perf_counter()
        result = await replayed(entry, values, self._widgets.sources)
        if result.failed:
            raise DeskpilotError(
                f"{result.failed[0].id}: {result.failed[0].error}", result.failed[0].remedy
            )
        names = {uid: self._widgets.sources.source(uid).profile.name for uid in result.hashes}
        filled = titled(entry, values)
        return filled, result.model_copy(update={"names": names}), time.perf_counter() - start

    async def answer(
        self,
        place: AnswerPlace,
        workflow: Workflow,
        result: WorkflowResult,
        seconds: float,
        language: str,
    ) -> Turn:
        """Save the result of a workflow as an answer in a conversation, and return it.

        Raises: StoreError.
        """
        turn = turn_of(place, workflow, result, seconds, language)
        doubts = [
            doubt
            for doubt in (unfounded(turn, self._widgets), partly(turn, self._widgets, self._boards))
            if doubt
        ]
        turn.items[-1:] = [*doubts, Ended("done")]
        await self._store.add_turn(turn)
        return turn

    async def keep(
        self,
        name: str,
        workflow: Workflow,
        named: dict[str, str],
        told: tuple[str, str],
        before: Workflow | None = None,
    ) -> LibraryEntry:
        """Validate a workflow and save it as a new version under its name. named: the paths of its
        parameters by name. told: the question and the description. before: its previous version,
        whose selectors it keeps.

        Raises: SourceError if the name or a path cannot be used; UnknownWidget.
        """
        made = chosen_again(before, workflow) if before is not None else workflow
        made = with_parameters(made, {n.strip(): p for n, p in named.items()})
        made = described(before, made) if before is not None else made
        entry = entry_of(name.strip(), made, self._widgets.sources, *told)
        return await self._library.put(await validated(entry, self._widgets.sources))

    async def test(self, name: str) -> LibraryEntry:
        """Validate a workflow in the library again, and save the result as a new version.

        Raises: SourceError, SetupError.
        """
        entry = self._library.entry(name)
        await self._open(entry)
        return await self._library.put(await tried(entry, self._widgets.sources))

    async def remove(self, name: str) -> list[Any]:
        """Remove a workflow, and return its versions.

        Raises: SourceError, SetupError.
        """
        return await self._library.remove(name)

    async def put_back(self, name: str, versions: list[Any]) -> None:
        """Restore a workflow that was removed.

        Raises: SetupError.
        """
        await self._library.put_back(name, versions)


# Arguments that the user may want to set each time a workflow is run.
GIVEN = frozenset(
    [
        "entities",
        "entity",
        "name",
        "start",
        "end",
        "at",
        "since",
        "n",
        "steps",
        "level",
        "window",
        "lag",
        "fast",
        "slow",
        "signal",
        "second",
        "value",
        "values",
    ]
)
UNGIVEN = frozenset(("columns", "source", "data"))


def offered(workflow: Workflow) -> dict[str, Any]:
    """Return the values that can become parameters, by path: dates, numbers and texts, but not the
    names of tables, results or columns.
    """
    found: dict[str, Any] = {}
    for step in workflow.steps:
        takes = step.arguments.get("data") is not None
        for place, value in places_of(step.arguments, step.id).items():
            names = [part for part in place.split(".")[1:] if not part.isdigit()]
            column = takes and names in (["value"], ["values"])
            if (
                not isinstance(value, dict)
                and not UNGIVEN & set(names)
                and GIVEN & set(names)
                and not column
            ):
                found[place] = value
    return found


def parameters_at(workflow: Workflow) -> dict[str, str]:
    """Return the paths of a workflow's parameters by name, in the form that `keep` expects."""
    known = {parameter.name for parameter in workflow.parameters}
    found: dict[str, list[str]] = {}
    for step_id, path, name in standing(workflow):
        if name in known:
            found.setdefault(name, []).append(".".join(map(str, (step_id, *path))))
    return {name: ",".join(places) for name, places in found.items()}


def standing(workflow: Workflow) -> list[tuple[str, ArgumentPath, str]]:
    """Return each use of a parameter: its step, its path and the parameter's name."""
    return [
        (step.id, path_of(place), str(value[PARAMETER]))
        for step in workflow.steps
        for place, value in places_of(step.arguments, step.id).items()
        if isinstance(value, dict)
    ]


def path_of(place: str) -> ArgumentPath:
    """Convert a place such as `result1.entities.0` to a path among the step's arguments."""
    return tuple(int(part) if part.isdigit() else part for part in place.split(".")[1:])


def chosen_again(before: Workflow, changed: Workflow) -> Workflow:
    """Return a changed workflow with the selectors that it had before the change. Selectors are
    parameters whose choices set several values.

    Raises: SourceError if a value that a selector sets was changed.
    """
    filled, known = before.filled({}), {parameter.name for parameter in before.parameters}
    selectors = [parameter for parameter in before.parameters if parameter.binds]
    steps = {step.id: step for step in changed.steps}
    was = {step.id: step for step in filled.steps}
    for step_id, path, name in standing(before):
        if name in known or step_id not in steps:
            continue
        step = steps[step_id]
        if at(step.arguments, path) != at(was[step_id].arguments, path):
            giver = next(
                (p.name for p in selectors if any(name in held for held in p.binds.values())), name
            )
            raise SourceError(
                f"{path[-1]} is determined by the choice of {giver}.",
                "Leave it as it was, or save this under another name.",
            )
        held = placed(step.arguments, path, {PARAMETER: name})
        steps[step_id] = step.model_copy(update={"arguments": held})
    return changed.model_copy(
        update={"steps": [steps[s.id] for s in changed.steps], "parameters": selectors}
    )


def described(before: Workflow, made: Workflow) -> Workflow:
    """Return a workflow whose parameters have the descriptions and options that parameters with the
    same names had before.
    """
    old = {parameter.name: parameter for parameter in before.parameters}
    told = [
        p.model_copy(
            update={"description": old[p.name].description, "choices": old[p.name].choices}
        )
        if p.name in old and (not old[p.name].choices or p.default in old[p.name].choices)
        else p
        for p in made.parameters
    ]
    return made.model_copy(update={"parameters": told})
