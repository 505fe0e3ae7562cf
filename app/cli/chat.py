"""A chat in the shell, for machines without a display."""

from __future__ import annotations

import shlex
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.patch_stdout import patch_stdout
from rich.console import Console
from rich.markdown import Markdown

from app.bootstrap import build
from app.cli.approval import ShellConsents
from app.cli.screen import printable, until_stopped
from app.domain.errors import DeskpilotError
from app.domain.events import CallResult, Citations, Ended, Item, Status, Suggestions
from app.services.conversation.turns import offer_for
from app.services.dashboard.table_notes import add_tables
from backends.installation import installation

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.domain.copilot import Copilot, Vote
    from app.services.deskpilot import Deskpilot

HELP = """Type a question. Ctrl+C stops an answer.
/attach FILE adds a table, /fetch URL adds a page, /tables lists them,
/copilot NAME switches to another copilot, /copilot local to ours, /copilots lists them,
/good and /poor [WORDS] rate the last answer if its copilot accepts ratings,
/new starts a new conversation, /help shows this text, /quit ends the chat."""
LOCAL = "local"


@dataclass
class Chat:
    """One chat. copilot: its name, empty for our own. turns: of this conversation."""

    deskpilot: Deskpilot
    screen: Console
    copilot: str = ""
    turns: list[Turn] = field(default_factory=list["Turn"])

    async def line(self, text: str) -> bool:
        """Handle a line of input; return whether the chat goes on."""
        if text.lower() in ("/quit", "/exit", "quit", "exit"):
            return False
        try:
            if text.startswith("/") or text.lower() in ("help", "?"):
                await self._command(text)
            elif text and not await until_stopped(self._ask(text)):
                self._tell("Stopped.")
        except DeskpilotError as error:
            self.screen.print(installation().typed(str(error)), style="red", markup=False)
        return True

    async def _command(self, text: str) -> None:
        name, _, rest = text.partition(" ")
        if name == "/attach" and rest:
            await self._attach(rest)
        elif name == "/fetch" and rest:
            self._tell(
                f"Fetched {(await self.deskpilot.pages.add(rest.strip())).name} and attached it."
            )
        elif name == "/tables":
            for widget in (w for w in self.deskpilot.widgets.all() if w.type == "table"):
                self._tell(f"{'●' if widget.attached else '○'} {widget.name}  {widget.path}")
        elif name == "/copilot" and rest:
            await self._choose(rest.strip())
        elif name in ("/copilot", "/copilots"):
            await self._list()
        elif name == "/new":
            self.turns = []
            self._tell("New conversation.")
        elif name in ("/good", "/poor"):
            await self._rate("thumbs_up" if name == "/good" else "thumbs_down", rest.strip())
        elif name in ("/help", "/?", "help", "?"):
            self._tell(HELP)
        elif name == "/attach":
            self._tell("Specify a file: /attach FILE")
        else:
            self._tell(f"There is no {name}.\n{HELP}")

    async def _rate(self, vote: Vote, comment: str) -> None:
        if not self.turns:
            self._tell("There is no answer yet.")
            return
        turn = self.turns[-1]
        rated = await self.deskpilot.copilots.rate(turn, vote, [], comment)
        await self.deskpilot.history.keep_vote(turn, rated)
        self._tell("The rating was sent to the copilot.")

    async def _attach(self, paths: str) -> None:
        for path in paths_in(paths):
            try:
                for widget in await add_tables(self.deskpilot.widgets, Path(path)):
                    self._tell(f"Attached {widget.name}.")
            except DeskpilotError as error:
                self.screen.print(installation().typed(str(error)), style="red", markup=False)

    async def _choose(self, name: str) -> None:
        if name != LOCAL:
            added = await self.deskpilot.copilots.get(name)
            self._tell(f"Questions now go to {added.copilot.name} at {added.copilot.host}.")
        else:
            self._tell("Questions now go to our own copilot, on this machine.")
        self.copilot = "" if name == LOCAL else name

    async def _list(self) -> None:
        self._tell(f"{'○' if self.copilot else '●'} {LOCAL}  our own copilot, on this machine")
        for added in await self.deskpilot.copilots.all():
            mark = "●" if added.name == self.copilot else "○"
            self._tell(f"{mark} {added.name}  {added.copilot.name}, {added.copilot.query_url}")

    async def _ask(self, text: str) -> None:
        """Ask and print the answer and its citations."""
        deskpilot, turns, name = self.deskpilot, self.turns, self.copilot
        conversation_id = (
            turns[0].conversation_id if turns else (await deskpilot.history.begin(text)).id
        )
        for url in deskpilot.pages.missing(text):
            self._tell(f"Not fetched: {url}. To attach it: /fetch {url}")
        attached = [w.uuid for w in deskpilot.widgets.attached()]
        await deskpilot.widgets.reread(attached)
        options = {} if name else await deskpilot.corrections.options()
        offer = offer_for(deskpilot.widgets, attached, options=options, boards=deskpilot.boards)
        turn = deskpilot.turns.new_turn(conversation_id, text, turns[-1].id if turns else None)

        async def find() -> Copilot:
            return await (deskpilot.copilots.named(name) if name else deskpilot.copilots.local())

        try:
            async with aclosing(deskpilot.turns.run(turns, turn, find, offer)) as items:
                async for item in items:
                    show(self.screen, item)
        finally:  # stopped, it has words all the same, and the next question follows it
            turns.append(turn)
            tell(self.screen, turn)

    def _tell(self, text: str) -> None:
        self.screen.print(printable(text), style="dim", markup=False, highlight=False)


async def chat() -> int:
    """Run until the user quits; return the exit status.

    Raises: DeskpilotError if the store or the service cannot be had.
    """
    screen = Console()
    async with build() as deskpilot:
        ShellConsents(deskpilot.dashboard.consents, screen).begin()
        await deskpilot.widgets.restore()
        screen.print(HELP, style="dim", highlight=False)
        session: PromptSession[str] = PromptSession()
        conversation = Chat(deskpilot, screen)
        while True:
            try:
                with patch_stdout():
                    text = (await session.prompt_async("› ")).strip()
            except (EOFError, KeyboardInterrupt):
                return 0
            if not await conversation.line(text):
                return 0


def paths_in(text: str) -> list[str]:
    """Return the paths of a line, quoted as in the shell; the line itself if its quotes do not
    close.
    """
    try:
        return shlex.split(text)
    except ValueError:
        return [text]


def tell(screen: Console, turn: Turn) -> None:
    """Print the answer and its citations."""
    if words := turn.words():
        screen.print(Markdown(printable(words)))
    for item in turn.items:
        if isinstance(item, Citations):
            for number, citation in enumerate(item.citations, 1):
                cell = citation.cell
                where = cell.words() if cell else citation.name
                value = "" if citation.value is None else f": {citation.value}"
                line = printable(f"  [{number}] {where}{value}")
                screen.print(line, style="dim", markup=False)
        elif isinstance(item, Suggestions):
            for text in item.suggestions:
                screen.print(printable(f"  → {text}"), style="dim", markup=False)


def show(screen: Console, item: Item) -> None:
    """Print a step as one quiet line."""
    if isinstance(item, Status):
        screen.print(printable(f"  {item.message}"), style="dim", markup=False)
    elif isinstance(item, CallResult):
        screen.print(f"  computed in {item.seconds * 1000:.0f} ms", style="dim")
    elif isinstance(item, Ended) and item.state != "done":
        screen.print(printable(f"{item.text} {item.remedy}"), style="red", markup=False)
