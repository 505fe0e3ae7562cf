"""`deskpilot say`, `transcribe` and `talk`: turn text into audio and audio into text, and talk in
the shell.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

from app.bootstrap import build, build_sound
from app.cli.ask import PlainPrinter
from app.cli.documents import documents_meant
from app.cli.screen import from_stdin, printable, typed, until_stopped
from app.domain.errors import SoundError, StoreInUse
from app.services.conversation.turns import offer_for
from app.services.dashboard.table_notes import add_tables
from app.services.voice.dictation import DictationOptions, hotwords

if TYPE_CHECKING:
    from app.domain.conversation import Turn
    from app.domain.errors import DeskpilotError
    from app.domain.events import Item
    from app.services.deskpilot import Deskpilot
    from app.services.voice.talk import Begun, State


FORMATS = {"text": "text", "json": "verbose_json", "srt": "srt", "vtt": "vtt"}


@dataclass(frozen=True)
class TranscribeRequest:
    """The arguments of the command. form: a key of `FORMATS`."""

    file: Path
    form: str
    output: Path | None
    language: str | None
    model: str | None


async def run_transcribe(request: TranscribeRequest) -> int:
    """Write the transcript; return the exit status.

    What was heard before a failure is printed all the same, as plain text.
    Raises: DeskpilotError.
    """
    fields = {"response_format": FORMATS[request.form]}
    fields |= {k: v for k, v in (("language", request.language), ("model", request.model)) if v}
    if request.output is not None:
        try_out(request.output)
    heard: list[str] = []
    whole: dict[str, Any] = {}
    try:
        with bar(request.file.name) as progress:
            async with (
                build_sound() as sound,
                aclosing(sound.transcribe(request.file, fields)) as steps,
            ):
                async for step in steps:
                    heard.append(step.text)
                    progress.update(progress.task_ids[0], completed=step.heard, total=step.duration)
                    whole = step.whole or whole
    except SoundError:
        if text := "".join(heard).strip():
            print(text)
        raise
    if not "".join(heard).strip():
        print(f"No speech was heard in {request.file.name}.", file=sys.stderr)
    write(rendered(whole, request.form), request.output)
    return 0


def bar(name: str) -> Progress:
    """Return a progress bar on stderr, in seconds of sound; none without a terminal."""
    screen = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:.0f} s"))
    made = Progress(
        *columns,
        TimeRemainingColumn(),
        console=screen,
        disable=not screen.is_terminal,
        transient=True,
    )
    made.add_task(name, total=None)
    return made


def rendered(whole: dict[str, Any], form: str) -> str:
    """Return the transcript as text to print, ending with a newline."""
    if form == "json":
        told = {name: whole[name] for name in ("text", "language", "duration", "segments")}
        return json.dumps(told, ensure_ascii=False, indent=2) + "\n"
    return str(whole["text"]).rstrip("\n") + "\n"


def try_out(output: Path) -> None:
    """Check that the file can be written, before starting long work.

    Raises: SoundError.
    """
    part = output.with_name(output.name + ".part")
    try:
        part.touch()
        part.unlink()
    except OSError as error:
        raise SoundError(
            f"{output} cannot be written: {error.strerror}.", "Specify another file."
        ) from error


def write(text: str, output: Path | None) -> None:
    """Print a text, or write it to a file; if that fails, it is printed, so that it is not lost.

    Raises: SoundError if the file cannot be written.
    """
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        output.write_text(text, "utf-8")
    except OSError as error:
        sys.stdout.write(text)
        raise SoundError(
            f"{output} cannot be written: {error.strerror}.", "Specify another file."
        ) from error


RIFF_SIZE, RATE, DATA_SIZE, HEADER = 4, 24, 40, 44  # where a WAV header says what, and its length


@dataclass(frozen=True)
class SayRequest:
    """The arguments of the command. text: - is stdin. speed: 1 is normal."""

    text: str
    output: Path
    model: str | None
    voice: str | None
    speed: float


async def run_say(request: SayRequest) -> int:
    """Write the sound; return the exit status. An existing file is replaced only by a whole one.

    Raises: DeskpilotError.
    """
    said = from_stdin() if request.text == "-" else typed(request.text)
    body: dict[str, Any] = {"input": said, "response_format": "wav", "speed": request.speed}
    body |= {k: v for k, v in (("model", request.model), ("voice", request.voice)) if v}
    part = request.output.with_name(request.output.name + ".part")
    try:
        with part.open("w+b") as file, spinner() as progress:
            async with build_sound() as sound, aclosing(sound.speak(body)) as pieces:
                async for piece in pieces:
                    file.write(piece)
                    progress.update(progress.task_ids[0], completed=seconds_in(file))
            finish(file)
        os.replace(part, request.output)
    except OSError as error:
        raise SoundError(
            f"{request.output} cannot be written: {error.strerror}.", "Specify another file."
        ) from error
    finally:
        part.unlink(missing_ok=True)
    return 0


def spinner() -> Progress:
    """Return a counter of the seconds spoken, on stderr; none without a terminal."""
    screen = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description} {task.completed:.1f} s"))
    made = Progress(*columns, console=screen, disable=not screen.is_terminal, transient=True)
    made.add_task("spoken", total=None)
    return made


def seconds_in(file: IO[bytes]) -> float:
    """Return the seconds of sound in a WAV that is being written."""
    end = file.tell()
    if end <= HEADER:
        return 0.0
    file.seek(RATE)
    (rate,) = struct.unpack("<I", file.read(4))
    file.seek(end)
    return (end - HEADER) / 2 / rate


def finish(file: IO[bytes]) -> None:
    """Write the length into the header, which is unknown while streaming."""
    end = file.seek(0, os.SEEK_END)
    for at, size in ((RIFF_SIZE, end - 8), (DATA_SIZE, end - HEADER)):
        file.seek(at)
        file.write(struct.pack("<I", size))


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
