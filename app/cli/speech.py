"""`deskpilot say` and `deskpilot transcribe`: a text as sound, and sound as a text."""

from __future__ import annotations

import json
import os
import struct
import sys
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

from app.bootstrap import build_sound
from app.cli.screen import from_stdin, typed
from app.domain.errors import SoundError

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
    """Return a transcript as it is printed, a line's end last."""
    if form == "json":
        told = {name: whole[name] for name in ("text", "language", "duration", "segments")}
        return json.dumps(told, ensure_ascii=False, indent=2) + "\n"
    return str(whole["text"]).rstrip("\n") + "\n"


def try_out(output: Path) -> None:
    """Look whether a file can be written there, before long work.

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
    """Put the length into the header, which a stream cannot know when it begins."""
    end = file.seek(0, os.SEEK_END)
    for at, size in ((RIFF_SIZE, end - 8), (DATA_SIZE, end - HEADER)):
        file.seek(at)
        file.write(struct.pack("<I", size))
