"""A chat in the shell, for machines without a display: the same services, typed."""

from __future__ import annotations

import shlex
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.patch_stdout import patch_stdout
from rich.console import Console
from rich.markdown import Markdown

from app.bootstrap import build
from app.cli.screen import printable, until_stopped
from app.domain.errors import DeskpilotError
from app.domain.events import CallResult, Citations, Ended, Item, Status
from app.services.turns import offer_for

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.services.deskpilot import Deskpilot

HELP = "Type a question. /attach FILE adds a table, /tables lists them, /new begins anew, /quit ends. Ctrl+C stops an answer."


async def chat() -> int:
    """Run until the person quits; return the exit status.

    Raises: DeskpilotError if the store or the service cannot be had.
    """
    screen = Console()
    async with build() as deskpilot:
        await deskpilot.widgets.restore()
        screen.print(HELP, style="dim")
        session: PromptSession[str] = PromptSession()
        turns: list[Turn] = []
        while True:
            try:
                with patch_stdout():
                    text = (await session.prompt_async("› ")).strip()
            except (EOFError, KeyboardInterrupt):
                return 0
            if text == "/quit":
                return 0
            if text == "/new":
                turns = []
            elif text.startswith("/"):
                await command(deskpilot, screen, text)
            elif text:
                try:
                    if not await until_stopped(ask(deskpilot, screen, text, turns)):
                        screen.print("Stopped.", style="dim")
                except DeskpilotError as error:
                    screen.print(str(error), style="red", markup=False)


async def command(deskpilot: Deskpilot, screen: Console, text: str) -> None:
    """Run a command of the chat."""
    name, _, rest = text.partition(" ")
    if name == "/attach" and rest:
        for path in paths_in(rest):
            try:
                widget = await deskpilot.widgets.add_file(Path(path))
                screen.print(f"Attached {widget.name}.", style="dim", markup=False)
            except DeskpilotError as error:
                screen.print(str(error), style="red", markup=False)
    elif name == "/tables":
        for widget in (w for w in deskpilot.widgets.all() if w.type == "table"):
            screen.print(
                f"{'●' if widget.attached else '○'} {widget.name}  {widget.path}", style="dim", markup=False
            )
    else:
        screen.print(HELP, style="dim")


def paths_in(text: str) -> list[str]:
    """Return the paths of a line, quoted as in the shell; the line itself if its quotes do not close."""
    try:
        return shlex.split(text)
    except ValueError:
        return [text]


async def ask(deskpilot: Deskpilot, screen: Console, text: str, turns: list[Turn]) -> None:
    """Ask and print the answer and its citations."""
    conversation_id = turns[0].conversation_id if turns else (await deskpilot.history.begin(text)).id
    attached = [w.uuid for w in deskpilot.widgets.attached()]
    offer = offer_for(deskpilot.widgets, attached, options=await deskpilot.corrections.options())
    turn = deskpilot.turns.new_turn(conversation_id, text, turns[-1].id if turns else None)
    try:
        async with aclosing(deskpilot.turns.run(turns, turn, deskpilot.copilots.local, offer)) as items:
            async for item in items:
                show(screen, item)
    finally:  # stopped, it has words all the same, and the next question follows it
        turns.append(turn)
        tell(screen, turn)


def tell(screen: Console, turn: Turn) -> None:
    """Print what was answered, and where it stands."""
    if turn.answer():
        screen.print(Markdown(printable(turn.answer())))
    for item in turn.items:
        if isinstance(item, Citations):
            for number, citation in enumerate(item.citations, 1):
                cell = citation.cell
                where = f"row {cell.row + 1}, {cell.column}" if cell else citation.name
                line = printable(f"  [{number}] {where}: {citation.value}")
                screen.print(line, style="dim", markup=False)


def show(screen: Console, item: Item) -> None:
    """Print a step as one quiet line."""
    if isinstance(item, Status):
        screen.print(printable(f"  {item.message}"), style="dim", markup=False)
    elif isinstance(item, CallResult):
        screen.print(f"  computed in {item.seconds * 1000:.0f} ms", style="dim")
    elif isinstance(item, Ended) and item.state != "done":
        screen.print(printable(f"{item.text} {item.remedy}"), style="red", markup=False)
