"""`deskpilot ask`: one question, its answer on stdout."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.bootstrap import build
from app.cli.screen import printable
from app.domain.copilot import Copilot
from app.domain.errors import StoreInUse
from app.domain.events import Citations, Ended, Item, Status, as_dict, name_of
from app.domain.stream import Chunk
from app.services.deskpilot import Deskpilot
from app.services.turns import offer_for


@dataclass(frozen=True)
class Request:
    """What was asked on the command line."""

    question: str
    widgets: list[Path]
    copilot: str | None
    model: str | None
    allowed_hosts: frozenset[str]
    today: str | None
    as_json: bool


async def run_ask(request: Request) -> int:
    """Answer and return the exit status: 0 answered, 1 failed.

    Raises: DeskpilotError.
    """
    try:
        async with build() as deskpilot:
            return await answer(deskpilot, request)
    except StoreInUse:
        # The window holds the conversations; a question from the shell is answered and not kept.
        async with build(None) as deskpilot:
            return await answer(deskpilot, request)


async def answer(deskpilot: Deskpilot, request: Request) -> int:
    """Ask and print."""
    widgets = [await deskpilot.widgets.add_file(path) for path in request.widgets]
    options: dict[str, object] = {"deskpilot-today": request.today} if request.today else {}
    offer = offer_for(deskpilot.widgets, [w.uuid for w in widgets], options=options, model=request.model)
    conversation = await deskpilot.history.begin(request.question)
    turn = deskpilot.turns.new_turn(conversation.id, request.question, None)

    async def find() -> Copilot:
        if request.copilot:
            return await deskpilot.copilots.at(request.copilot, request.allowed_hosts)
        return await deskpilot.copilots.local()

    printer = JsonPrinter() if request.as_json else PlainPrinter()
    ended = Ended("failed")
    try:
        async with aclosing(deskpilot.turns.run([], turn, find, offer)) as items:
            async for item in items:
                printer.item(item)
                if isinstance(item, Ended):
                    ended = item
    except asyncio.CancelledError:
        printer.item(Ended("stopped", "Stopped."))
        raise
    if ended.state == "done":
        return 0
    print(printable(f"{ended.text} {ended.remedy}".strip()), file=sys.stderr)  # noqa: T201
    return 1


class JsonPrinter:
    """One JSON object a line: LMC chunks as they are, everything else as `{"event": …}`."""

    def item(self, item: Item) -> None:
        """Print one item."""
        if isinstance(item, Chunk):
            line: dict[str, Any] = item.as_dict()
        else:
            line = {"event": name_of(item), **as_dict(item)}
        print(json.dumps(line, ensure_ascii=False), flush=True)  # noqa: T201


class PlainPrinter:
    """The answer on stdout: its words as they come, then a line for each cell it cites. Warnings on stderr."""

    def __init__(self) -> None:
        self._citations: list[str] = []
        self._warnings: list[str] = []
        self._said = False

    def item(self, item: Item) -> None:
        """Print what belongs to the answer."""
        if isinstance(item, Chunk) and item.content:
            self._said = True
            sys.stdout.write(printable(item.content))
            sys.stdout.flush()
        elif isinstance(item, Citations):
            for number, citation in enumerate(item.citations, len(self._citations) + 1):
                cell, name = citation.cell, citation.name or citation.widget
                where = f"{name}, row {cell.row + 1}, {cell.column}" if cell is not None else name
                self._citations.append(printable(f"[{number}] {where}: {citation.value}"))
        elif isinstance(item, Status) and item.level == "WARNING":
            self._warnings.append(printable(item.message))
        elif isinstance(item, Ended):
            self._end()

    def _end(self) -> None:
        if self._said:
            sys.stdout.write("\n" + "".join(f"{line}\n" for line in self._citations))
            sys.stdout.flush()
        for warning in self._warnings:  # below the answer, not in it
            print(warning, file=sys.stderr)  # noqa: T201
