"""Workflows: run again as a person changed them, kept in the library, tried out, run with other
values.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.data.design.trial import tried
from app.data.library.entry import Entry, with_parameters
from app.data.library.shelf import entry_of
from app.data.library.validator import replayed, stale, titled, validated
from app.domain.errors import DeskpilotError
from app.domain.events import Ended
from app.services.conversation.verdict import partly, unfounded
from app.services.dashboard.offered_tables import may_be_read
from app.services.dashboard.table_notes import Known
from app.services.library.answers import Place, turn_of
from app.services.library.parameters import chosen_again, described
from backends.data.errors import KernelError
from backends.data.stopping import interruptibly

if TYPE_CHECKING:
    from app.data.library.shelf import Library
    from app.domain.conversation import Turn
    from app.services.dashboard.tiles import Boards
    from app.services.dashboard.widgets import Widgets
    from app.services.library.designer import Designer
    from app.services.ports import StorePort
    from backends.data.values import Scalar
    from backends.data.workflow.step import Workflow
    from backends.data.workflow.told import WorkflowResult


class Workflows:
    """What a window does with workflows. Tables are those that are open; those of the library are
    opened for it.
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
    def known(self) -> Known:
        """What is known of tables, and said of them; it lies in the library, too."""
        return Known(self._library, self._widgets)

    async def all(self) -> list[Entry]:
        """Return the newest version of each workflow of the library, by name; stale as its tables
        are now.

        Raises: SourceError, SetupError.
        """
        return [await self._as_it_is(entry) for entry in self._library.entries()]

    async def entry(self, name: str) -> Entry:
        """Return a workflow of the library.

        Raises: SourceError.
        """
        return await self._as_it_is(self._library.entry(name))

    async def _as_it_is(self, entry: Entry) -> Entry:
        try:
            await self._open(entry)
            reason = await asyncio.to_thread(stale, entry, self._widgets.sources)
        except DeskpilotError as error:
            reason = str(error)
        return entry.model_copy(update={"status": "stale", "reason": reason}) if reason else entry

    async def _open(self, entry: Entry) -> None:
        for path in entry.origin.paths.values():
            await asyncio.to_thread(self._widgets.sources.add_file, Path(path))

    def tables(self, workflow: Workflow) -> dict[str, str]:
        """Return the names of the tables a workflow may read, by uuid: those that are open, and its
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
        """Run a workflow and return what came of it, and the seconds it took. run: of it before,
        whose results that did not change are kept.

        Raises: DeskpilotError for one that cannot be run at all.
        """
        start = time.perf_counter()
        try:
            result = await interruptibly(self._widgets.sources.runs.run, workflow, run)
        except KernelError as error:
            raise DeskpilotError(error.text, error.remedy) from error
        return result, time.perf_counter() - start

    async def replay(
        self, entry: Entry, values: dict[str, Scalar]
    ) -> tuple[Workflow, WorkflowResult, float]:
        """Run a workflow of the library; return it filled in, what came of it, and the seconds it
        took.

        Raises: DeskpilotError for one that is not validated, for values that do not fit, and for a
        step that fails.
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
        place: Place,
        workflow: Workflow,
        result: WorkflowResult,
        seconds: float,
        language: str,
    ) -> Turn:
        """Keep what a workflow gave as an answer in a conversation, and return it.

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
    ) -> Entry:
        """Try a workflow out and keep it as a new version of its name. named: where its parameters
        stand; told: what was asked, and what it is for. before: as it was in the library, whose
        selectors it keeps.

        Raises: SourceError for a name or a place that cannot be used, UnknownWidget.
        """
        made = chosen_again(before, workflow) if before is not None else workflow
        made = with_parameters(made, {n.strip(): p for n, p in named.items()})
        made = described(before, made) if before is not None else made
        entry = entry_of(name.strip(), made, self._widgets.sources, *told)
        return await self._library.put(await validated(entry, self._widgets.sources))

    async def test(self, name: str) -> Entry:
        """Try a workflow of the library out again; what comes of it is kept as a new version.

        Raises: SourceError, SetupError.
        """
        entry = self._library.entry(name)
        await self._open(entry)
        return await self._library.put(await tried(entry, self._widgets.sources))

    async def remove(self, name: str) -> list[Any]:
        """Forget a workflow; return its versions.

        Raises: SourceError, SetupError.
        """
        return await self._library.remove(name)

    async def put_back(self, name: str, versions: list[Any]) -> None:
        """Keep a workflow again that was forgotten.

        Raises: SetupError.
        """
        await self._library.put_back(name, versions)
