"""`deskpilot data design`: interfaces over tables, designed by the job, with its progress."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bars

from app.adapters.system.builders import designer
from app.bootstrap import build_service, library
from app.cli.screen import printable
from app.data.readers.parts import tables_of
from app.services.tasks import Tasks

if TYPE_CHECKING:
    from pathlib import Path

    from app.data.design.state import State
    from app.services.library.design_steps import Progress

PHASES = {
    "asking": "Asking itself",
    "defining": "Defining interfaces",
    "merging": "Merging",
    "validating": "Trying out",
    "done": "Done",
}


async def design(
    tables: list[Path], wanted: int, seeds: list[str], chance: int | None, as_json: bool
) -> None:
    """Design interfaces over tables, or go on with the unfinished design.

    Raises: DeskpilotError.
    """
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[last]}"),
    )
    tables = [one for table in tables for one in await asyncio.to_thread(tables_of, table)]
    async with build_service() as manage:
        job = designer(manage, Tasks(), library())
        with Bars(*columns, console=console, disable=not console.is_terminal) as bars:
            task = bars.add_task("", total=None, last="")

            def tell(told: Progress) -> None:
                outcome = f"{told.text}: {told.word} {told.reason}" if told.word else told.text
                last = printable(outcome.strip())[:80]
                bars.update(
                    task,
                    description=PHASES[told.phase],
                    completed=told.done,
                    total=told.total,
                    last=last,
                )
                if not console.is_terminal:
                    console.print(
                        f"{PHASES[told.phase]} {told.done}/{told.total}: {last}",
                        markup=False,
                        highlight=False,
                    )

            try:
                state = await job.run(tables, tell, wanted, seeds, chance)
            except asyncio.CancelledError:
                console.print(
                    "Stopped. `deskpilot data design` goes on where it was.", markup=False
                )
                raise
    print_outcome(state, as_json)


def print_outcome(state: State, as_json: bool) -> None:
    """Print what came of a design."""
    console = Console(soft_wrap=True, highlight=False, markup=False)
    if as_json:
        console.print(state.model_dump_json())
        return
    console.print(
        f"{len(state.requests)} requests, {len(state.definitions)} definitions, {len(state.merged)}"
        f" of them merged, {len(state.validated)} of {len(state.kept)} interfaces validated, by"
        f" {state.model}."
    )
    for one in state.kept:
        console.print(printable(f"{one.name} v{one.version} {one.status} {one.reason}".strip()))
