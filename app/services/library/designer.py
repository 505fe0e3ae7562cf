"""The design job: begun, followed, stopped, gone on with. It needs no window."""

from __future__ import annotations

import asyncio
import random
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from app.data.design.state import State, Table, begun
from app.data.sources import Sources
from app.domain.errors import DeskpilotError, SetupError
from app.services.library.design_steps import Author, Progress, Work, changed, steps

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from app.data.library.shelf import Library
    from app.services.models.ports import FilePort, ManagePort
    from app.services.tasks import Tasks

    Listener = Callable[["Progress | DeskpilotError | None"], None]

REQUESTS = 60
NAME = "design"  # of its task
MOST = 16  # tables of one design


class Designer:
    """Designs interfaces over tables and keeps them in the library.

    file: keeps how far it came. alone: entered while it works; raises SetupError where another one
    does.
    """

    def __init__(
        self,
        file: FilePort,
        library: Library,
        manage: ManagePort,
        tasks: Tasks,
        alone: Callable[[], AbstractContextManager[object]],
    ) -> None:
        self._file, self._library, self._manage, self._tasks, self._alone = (
            file,
            library,
            manage,
            tasks,
            alone,
        )
        self._listeners: list[Listener] = []
        self.last: Progress | DeskpilotError | None = None

    async def state(self) -> State | None:
        """Return the design that ran last, or runs; None if there was none.

        Raises: SetupError for a file that cannot be read.
        """
        raw = await self._file.read()
        try:
            return State.model_validate(raw) if raw else None
        except ValidationError as error:
            raise SetupError("The last design cannot be read.", "Begin a new one.") from error

    async def unfinished(self) -> State | None:
        """Return the design that can be gone on with; None if there is none.

        Raises: SetupError.
        """
        state = await self.state()
        return state if state is not None and state.phase != "done" else None

    async def run(
        self,
        tables: list[Path],
        tell: Callable[[Progress], None],
        wanted: int = REQUESTS,
        seeds: list[str] | None = None,
        chance: int | None = None,
    ) -> State:
        """Design to the end, and return what came of it. tables: none goes on with the unfinished
        one.

        Cancelled, the model stops; what was done is kept. chance: what its choices begin from.
        Raises: DeskpilotError: no unfinished design, a table that cannot be read or changed since
        it began, a model that does not answer, another design that runs.
        """
        with self._alone():
            state = await (
                self._begin(tables, wanted, seeds or [], chance) if tables else self._go_on()
            )
            sources = await opened([Path(t.path) for t in state.tables.values()], self._library)
            if path := changed(state, sources):
                raise SetupError(f"{path} changed since the design began.", "Begin a new one.")
            work = Work(sources, self._library, Author(self._manage))
            async with aclosing(steps(state, work)) as made:
                async for state, progress in made:
                    await self._keep(state)
                    tell(progress)
            return state

    def start(
        self, tables: list[Path], wanted: int = REQUESTS, seeds: list[str] | None = None
    ) -> None:
        """Begin in the background, or go on if no table is named; listeners are told of each step
        and of its end.
        """
        self._tasks.start(NAME, self._followed(tables, wanted, seeds or []))

    def cancel(self) -> bool:
        """Stop; return whether it ran. What was done is kept."""
        return self._tasks.cancel(NAME)

    @property
    def running(self) -> bool:
        """Whether it runs in this process."""
        return self._tasks.running(NAME)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Tell somebody of each step, of an error, and of the end with None; return what ends
        that.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def _followed(self, tables: list[Path], wanted: int, seeds: list[str]) -> None:
        try:
            await self.run(tables, self._tell, wanted, seeds)
        except DeskpilotError as error:
            self._tell(error)
        finally:
            self._tell(None)

    def _tell(self, told: Progress | DeskpilotError | None) -> None:
        self.last = told or self.last
        for listener in list(self._listeners):
            listener(told)

    async def _begin(
        self, tables: list[Path], wanted: int, seeds: list[str], chance: int | None
    ) -> State:
        if len(tables) > MOST:
            raise SetupError(f"These are {len(tables)} tables.", f"Name up to {MOST} at once.")
        sources = await opened(tables, self._library)
        made = [await asyncio.to_thread(sources.add_file, path) for path in tables]
        begin = random.SystemRandom().randrange(1_000_000) if chance is None else chance
        state = begun(
            {s.uuid: Table(path=str(s.path), hash=s.table.hash) for s in made}, wanted, seeds, begin
        )
        await self._keep(state)
        return state

    async def _go_on(self) -> State:
        state = await self.unfinished()
        if state is None:
            raise SetupError(
                "There is no unfinished design.", "Name the tables a new one is about."
            )
        return state

    async def _keep(self, state: State) -> None:
        made = state.model_dump(mode="json")
        await self._file.change(lambda _: made)


async def opened(paths: list[Path], library: Library) -> Sources:
    """Return tables, open, with what a person said of them.

    Raises: SourceError.
    """
    sources = Sources(library.note)
    for path in paths:
        await asyncio.to_thread(sources.add_file, path)
    return sources
