"""`deskpilot say`: write a text as speech into a WAV file."""

from __future__ import annotations

import os
import struct
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn

from app.bootstrap import build_sound
from app.cli.screen import from_stdin, typed
from app.domain.errors import SoundError

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
            f"{request.output} cannot be written: {error.strerror}.", "Name another file."
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
