"""`deskpilot talk`: ask aloud and hear the answer in the shell."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.bootstrap import build
from app.cli.ask import PlainPrinter
from app.cli.documents import documents_meant
from app.cli.screen import printable, until_stopped
from app.domain.errors import StoreInUse
from app.services.conversation.turns import offer_for
from app.services.dashboard.table_notes import add_tables
from app.services.voice.dictation import DictationOptions, hotwords

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.domain.errors import DeskpilotError
    from app.domain.events import Item
    from app.services.deskpilot import Deskpilot
    from app.services.voice.talk import Begun, State

CLEAR = "\r\033[K"
TOLD: dict[State, str] = {
    "listening": "Listening. Ctrl+C ends the conversation.",
    "thinking": "",
    "speaking": "",
}


@dataclass(frozen=True)
class TalkRequest:
    """The arguments of the command; None keeps the window's choice."""

    widgets: list[Path]
    microphone: str | None = None
    loudspeaker: str | None = None
    language: str | None = None
    interrupt: bool | None = None
    names: bool | None = None
    documents: tuple[str, ...] = ()


async def run_devices() -> int:
    """Print the microphones and loudspeakers; return the exit status.

    Raises: SoundError.
    """
    async with build(None) as deskpilot:
        card = deskpilot.voice.card
        for title, found in (
            ("Microphones", await card.microphones()),
            ("Loudspeakers", await card.loudspeakers()),
        ):
            print(f"{title}:" if found else f"{title}: none")
            for device in found:
                print(f"  {printable(device.name)}")
    return 0


async def run_talk(request: TalkRequest) -> int:
    """Talk until Ctrl+C; return the exit status: 0 ended, 1 failed.

    Raises: DeskpilotError.
    """
    try:
        async with build() as deskpilot:
            return await TalkPrinter(deskpilot, request).run()
    except StoreInUse:  # the window holds the conversations; what is talked of here is not kept
        async with build(None) as deskpilot:
            return await TalkPrinter(deskpilot, request).run()


class TalkPrinter:
    """Prints transcripts and answers, and asks for consent."""

    def __init__(self, deskpilot: Deskpilot, request: TalkRequest) -> None:
        self._deskpilot, self._request = deskpilot, request
        self._turns: list[Turn] = []
        self._widgets: list[str] = []
        self._with_table = False
        self._printer = PlainPrinter()
        self._failed: DeskpilotError | None = None
        self._live = sys.stderr.isatty()
        deskpilot.turns.subscribe(self._on_item)

    async def run(self) -> int:
        """Talk; return the exit status."""
        deskpilot, voice = self._deskpilot, self._deskpilot.voice
        chosen = {
            k: v
            for k, v in self._request.__dict__.items()
            if k not in ("widgets", "documents") and v is not None
        }
        voice.choices.now = replace(await voice.choices.load(), **chosen)
        await deskpilot.widgets.restore()
        given = self._request.widgets
        added = [one for path in given for one in await add_tables(deskpilot.widgets, path)]
        added += [await documents_meant(deskpilot, named) for named in self._request.documents]
        self._widgets = [widget.uuid for widget in added or deskpilot.widgets.attached()]
        choices = voice.choices.now
        opened = map(deskpilot.widgets.sources.opened, self._widgets)
        profiles = [table.profile for table in opened if table is not None]
        self._with_table = bool(profiles)
        expected = hotwords(profiles) if choices.names else None
        print("Loading speech models …", file=sys.stderr)
        await until_stopped(
            self._talked(DictationOptions(choices.microphone, choices.language, expected))
        )
        if self._failed is not None:
            raise self._failed
        return 0

    async def _talked(self, wanted: DictationOptions) -> None:
        try:
            await self._deskpilot.voice.talk.begin(wanted, self)
        finally:
            self._deskpilot.voice.talk.stop()

    def opened(self, microphone: str) -> None:
        """Return which microphone listens."""
        self._tell(f"Listening to {microphone}.")

    def level(self, level: float) -> None:
        """Do nothing: a terminal shows words."""

    def muted(self) -> None:
        """Report that nothing comes."""
        self._tell(
            "There is no sound from the microphone. It may be muted, or the system may not allow "
            "Deskpilot to use it."
        )

    def state(self, state: State) -> None:
        """Print that it listens, and earlier errors."""
        if self._failed is not None:
            self._tell(str(self._failed))
            self._failed = None
        if TOLD[state]:
            self._tell(TOLD[state])

    def words(self, committed: str, open_: str) -> None:
        """Show the words being spoken, on one line."""
        if self._live:
            sys.stderr.write(f"{CLEAR}{printable(committed + open_)}")
            sys.stderr.flush()

    def asked(self, text: str, begun: Begun) -> None:
        """Ask, and print the question."""
        if self._live:
            sys.stderr.write(CLEAR)
        print(f"› {printable(text)}", flush=True)
        self._printer = PlainPrinter(with_table=self._with_table)
        self._deskpilot.tasks.start("ask aloud", self._ask(text, begun))

    def cut(self, turn: Turn) -> None:
        """Report that an answer was interrupted."""
        self._tell("Interrupted; the part that was spoken is saved.")

    def failed(self, error: DeskpilotError) -> None:
        """Remember the error: it is printed if the talk ends."""
        self._failed = error

    def ended(self) -> None:
        """Do nothing: the program ends."""

    async def _ask(self, text: str, begun: Begun) -> None:
        deskpilot, turns = self._deskpilot, self._turns
        conversation = (
            turns[0].conversation_id if turns else (await deskpilot.history.begin(text)).id
        )
        options = await deskpilot.corrections.options()
        offer = offer_for(deskpilot.widgets, self._widgets, options=options)
        turn = deskpilot.turns.new_turn(conversation, text, turns[-1].id if turns else None)
        before = list(turns)
        turns.append(turn)
        begun(turn)
        deskpilot.turns.ask(before, turn, deskpilot.copilots.local, offer)

    def _on_item(self, turn: Turn, item: Item) -> None:
        self._printer.item(item)

    def _tell(self, text: str) -> None:
        print(f"{CLEAR if self._live else ''}{printable(text)}", file=sys.stderr, flush=True)
