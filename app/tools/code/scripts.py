"""Shell, JavaScript and R: each run is a separate program."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.domain.code import NOT_RUN, SHOWN
from app.domain.errors import NotStarted
from app.tools.code.isolation import Sandbox, environment, readable_for
from app.tools.code.process import (
    CodeFailure,
    CurrentLine,
    Piece,
    PrintedText,
    ProcessOrder,
    SupervisedProcess,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Coroutine

    from app.domain.code import Language, Limits
    from app.tools.code.isolation import Isolation

CHUNK = 1 << 15
STATEMENTS = Path(__file__).with_name("statements.cjs")
TELL_LINES = """unset BASH_ENV
trap 'echo "$LINENO" >&{fd}' DEBUG
"""  # these are reported separately from the output
PROGRAMS: dict[str, str] = {"shell": "bash", "javascript": "node", "r": "Rscript"}
ENDINGS: dict[str, str] = {"shell": "sh", "javascript": "cjs", "r": "R"}
REMEDIES = {
    "bash": "Install bash, or ask for Python.",
    "node": "Install Node.js (apt-get install nodejs), or ask for Python.",
    "Rscript": "Install R (apt-get install r-base-core), or ask for Python.",
}


@dataclass(frozen=True)
class CodePlace:
    """The folders of a conversation's code. files: its own folder. inside: the folder for files
    that we add. tables: the attached tables, which it is allowed to read. It can write only to the
    first folder, because a link that it left in the others would redirect our own writing.
    """

    files: Path
    inside: Path
    tables: Path
    limits: Limits
    isolation: Isolation


def program_for(language: Language) -> str:
    """Return the interpreter of a language.

    Raises: NotStarted if there is none.
    """
    if language == "python":
        return sys.executable
    name = PROGRAMS[language]
    found = shutil.which(name)
    if not found:
        raise NotStarted(f"{NOT_RUN}: there is no {name} on this machine.", REMEDIES[name])
    return found


async def run_script(
    place: CodePlace,
    language: Language,
    code: str,
    begun: Callable[[SupervisedProcess], None],
    later: Callable[[Coroutine[Any, Any, None]], None],
) -> AsyncGenerator[Piece, None]:
    """Run code, and yield its output. Closing this generator ends everything.

    begun: called with the program once it is running. later: called with the work of stopping the
    program, since the caller does not wait for that.

    Raises: ComputerError.
    """
    program = program_for(language)
    with LinePipe() as lines:
        running = await SupervisedProcess.start(
            order_of(place, language, program, code, lines.given)
        )
        begun(running)
        lines.hand_over()
        reading = asyncio.create_task(lines.read_output(running), name="output of code")
        try:
            while (piece := await lines.found.get()) is not None:
                yield piece
            end = await running.ended()
            if (error := end.error(SHOWN[language], place.limits)) is not None:
                raise error
            if end.status:
                yield CodeFailure()
        finally:
            reading.cancel()
            if running.running:
                later(stop(running, place.limits.grace))


class LinePipe:
    """The pipe on which a script reports the line that it is running. found: these lines and the
    output, as they arrive, followed by None at the end.

    given: the end of the pipe that the script writes to.
    """

    def __init__(self) -> None:
        self.found: asyncio.Queue[Piece | None] = asyncio.Queue(64)
        self._telling, self.given = os.pipe()
        self._at: int | None = None

    def __enter__(self) -> LinePipe:
        os.set_blocking(self._telling, False)
        asyncio.get_running_loop().add_reader(self._telling, self._on_line)
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.get_running_loop().remove_reader(self._telling)
        os.close(self._telling)
        self.hand_over()

    def hand_over(self) -> None:
        """Close our copy of the end that the script writes to."""
        if self.given >= 0:
            os.close(self.given)
        self.given = -1

    async def read_output(self, running: SupervisedProcess) -> None:
        """Read the output until no process can write to it."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        while data := await running.output.read(CHUNK):
            if text := decoder.decode(data):
                await self.found.put(PrintedText(text))
        await self.found.put(None)

    def _on_line(self) -> None:
        told = b""
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self._telling, 1 << 16):
                told = (told + data)[-64:]
            # no process can write to it any more
            asyncio.get_running_loop().remove_reader(self._telling)
        words = [word for word in told[: told.rfind(b"\n") + 1].split() if word.isdigit()]
        if words and int(words[-1]) != self._at and not self.found.full():
            self._at = int(words[-1])
            self.found.put_nowait(CurrentLine(self._at))


def order_of(
    place: CodePlace, language: Language, program: str, code: str, lines: int
) -> ProcessOrder:
    """Return the order for running code in a language, after writing the code to a file."""
    box = Sandbox(
        (place.files,),
        (place.inside, place.tables, *readable_for(program)),
        environment(place.files, [program]),
    )
    script = place.inside / f"script.{ENDINGS[language]}"
    script.write_text(code, "utf-8")
    if language == "r":
        return ProcessOrder([program, "--vanilla", str(script)], box, place.limits, place.isolation)
    if language == "javascript":
        heap = max(64, place.limits.memory // 2 // (1 << 20))
        begin = place.inside / STATEMENTS.name
        begin.write_bytes(STATEMENTS.read_bytes())
        command = [program, f"--max-old-space-size={heap}", str(begin), str(script), str(lines)]
        return ProcessOrder(
            command, box, place.limits, place.isolation, address_space=False, fds=(lines,)
        )
    begin = place.inside / "begin.sh"
    begin.write_text(TELL_LINES.format(fd=lines))
    box.variables["BASH_ENV"] = str(begin)
    return ProcessOrder([program, str(script)], box, place.limits, place.isolation, fds=(lines,))


async def stop(running: SupervisedProcess, grace: float) -> None:
    """Ask a program to stop. If it does not, kill it and all its child processes."""
    running.interrupt()
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(running.ended(), grace)
    await running.kill()
