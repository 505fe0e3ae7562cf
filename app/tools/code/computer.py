"""Run the code of conversations. Each conversation has its own folder and Python process, in which
one run is active at a time. All of them end together.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import sys
import time
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from app.domain.code import NOT_RUN, SHOWN, Limits, size
from app.domain.conversation import is_temporary
from app.domain.errors import ComputerError, NotStarted
from app.tools.code.isolation import find_isolation
from app.tools.code.kernel import Kernel
from app.tools.code.process import DisplayedOutput, PrintedText
from app.tools.code.scripts import CodePlace, run_script

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Coroutine
    from pathlib import Path

    from app.domain.code import Language
    from app.tools.code.isolation import Isolation
    from app.tools.code.process import Piece, SupervisedProcess

    Write = Callable[[Path], dict[str, Path]]

# how long the files written by code in a temporary conversation are kept after the user has left it
KEPT_SECONDS = 30 * 86400.0
KERNELS = 4  # number of Python processes that are kept; the least recently used one is ended first


@dataclass
class CodeRoom:
    """The code processes and files of one conversation."""

    place: CodePlace
    kernel: Kernel | None = None
    busy: asyncio.Lock = field(default_factory=asyncio.Lock)
    stopping: asyncio.Task[None] | None = None
    script: SupervisedProcess | None = None

    def begin(self, script: SupervisedProcess) -> None:
        """Record a program that runs the code of a script."""
        self.script = script

    def stop_with(self, work: Coroutine[Any, Any, None]) -> None:
        """Stop all running code. A caller that leaves does not wait for this, but the next run
        does.
        """
        self.stopping = asyncio.create_task(work, name="stop of code")

    async def stopped(self) -> None:
        """Wait until the stopped code has ended."""
        if self.stopping is not None:
            await asyncio.shield(self.stopping)
            self.stopping = None

    async def end(self) -> None:
        """End all code that runs here, including code that has not been stopped yet."""
        await self.stopped()
        if self.script is not None and self.script.running:
            await self.script.kill()
        if self.kernel is not None:
            await self.kernel.aclose()


class Computer:
    """Runs code for this terminal. folder: the folder that contains the conversations' folders."""

    def __init__(self, folder: Path, limits: Limits = Limits()) -> None:  # noqa: B008 - frozen
        self.limits = limits
        self._folder = folder
        self._rooms: dict[str, CodeRoom] = {}

    async def isolation(self) -> Isolation:
        """Return the sandbox in use."""
        return await asyncio.to_thread(find_isolation)

    def folder_of(self, conversation: str) -> Path:
        """Return the folder of a conversation."""
        return self._folder / re.sub(r"[^\w-]", "_", conversation)

    def files_of(self, conversation: str) -> Path:
        """Return the working folder for a conversation's code."""
        return self.folder_of(conversation) / "files"

    async def run(
        self, conversation: str, language: Language, code: str, write: Write | None = None
    ) -> AsyncGenerator[Piece, None]:
        """Run code, and yield its output. Closing this generator, or a timeout, stops the code.

        write: a function that writes the attached tables to a folder and returns the files by name.
        Python can use the tables under these names. Raises: ComputerError.
        """
        if sys.platform == "win32":
            raise NotStarted(f"{NOT_RUN}: code runs on Linux and macOS only.", "Ask without code.")
        room = await self._room(conversation)
        async with room.busy:
            await room.stopped()
            deadline = asyncio.get_running_loop().time() + self.limits.seconds
            printed = 0
            async with aclosing(self._pieces(room, language, code, write)) as pieces:
                while True:
                    try:
                        async with asyncio.timeout_at(deadline):
                            piece = await anext(pieces, None)
                    except TimeoutError as error:
                        raise self._too_long(language) from error
                    if piece is None:
                        return
                    yield piece
                    printed += len(piece.text) if isinstance(piece, PrintedText) else 0
                    if printed > self.limits.output:
                        raise self._too_much(language)

    def _too_long(self, language: Language) -> ComputerError:
        text = (
            f"The {SHOWN[language]} code ran longer than {self.limits.seconds:g} s and was stopped."
        )
        return ComputerError(text, "Do less at once.")

    def _too_much(self, language: Language) -> ComputerError:
        text = (
            f"The {SHOWN[language]} code printed more than {size(self.limits.output)} and was "
            "stopped."
        )
        return ComputerError(text, "Print less, or write to a file.")

    async def forget(self, conversation: str) -> None:
        """End a conversation's Python process, and remove its folder."""
        if (room := self._rooms.pop(conversation, None)) is not None:
            await room.end()
        await asyncio.to_thread(shutil.rmtree, self.folder_of(conversation), ignore_errors=True)

    async def leave(self, conversation: str) -> None:
        """End a conversation's Python process. Its files and output are kept for at least a
        month."""
        if (room := self._rooms.pop(conversation, None)) is not None:
            await room.end()
        await asyncio.to_thread(tidy, self._folder, self.folder_of(conversation))

    async def aclose(self) -> None:
        """End everything and delete the files of temporary conversations."""
        for conversation, room in self._rooms.items():
            await room.end()
            if is_temporary(conversation):
                await asyncio.to_thread(
                    shutil.rmtree, self.folder_of(conversation), ignore_errors=True
                )
        self._rooms.clear()

    async def _pieces(
        self, room: CodeRoom, language: Language, code: str, write: Write | None
    ) -> AsyncGenerator[Piece, None]:
        if language == "html":  # no code is run, because the page is for the user
            yield DisplayedOutput("html", code)
            return
        files = await asyncio.to_thread(give, room.place, write) if write is not None else {}
        if language != "python":
            async with aclosing(
                run_script(room.place, language, code, room.begin, room.stop_with)
            ) as pieces:
                async for piece in pieces:
                    yield piece
            return
        kernel = await self._kernel(room)
        await kernel.know(files)
        done = False
        try:
            async with aclosing(kernel.run(code)) as pieces:
                async for piece in pieces:
                    yield piece
            done = True
        finally:
            if not done and kernel.alive:
                room.stop_with(kernel.stop())

    async def _kernel(self, room: CodeRoom) -> Kernel:
        if room.kernel is None or not room.kernel.alive:
            if room.kernel is not None:
                await room.kernel.aclose()
            room.kernel = None
            others = [
                r for r in self._rooms.values() if r.kernel is not None and not r.busy.locked()
            ]
            for other in others[: max(0, len(others) - KERNELS + 1)]:
                kernel, other.kernel = other.kernel, None
                if kernel is not None:
                    await kernel.aclose()
            room.kernel = await Kernel.start(room.place)
        return room.kernel

    async def _room(self, conversation: str) -> CodeRoom:
        if (room := self._rooms.pop(conversation, None)) is None:
            isolation = await self.isolation()
            folder = self.folder_of(conversation)
            place = CodePlace(
                self.files_of(conversation),
                folder / "inside",
                folder / "tables",
                self.limits,
                isolation,
            )
            await asyncio.to_thread(make, place)
            room = CodeRoom(place)
        self._rooms[conversation] = room  # the most recently used room comes last
        return room


def tidy(every: Path, folder: Path) -> None:
    """Keep only the files and output of code in a conversation's folder, and remove folders that
    have not been used for a long time.
    """
    shutil.rmtree(folder / "inside", ignore_errors=True)
    shutil.rmtree(folder / "tables", ignore_errors=True)
    with contextlib.suppress(OSError):
        for entry in (folder / "files").iterdir():
            if entry.name.startswith("."):  # settings of Python and its libraries
                shutil.rmtree(entry, ignore_errors=True)
    for place in (folder / "files", folder / "output", folder):
        with contextlib.suppress(OSError):
            place.rmdir()  # a folder that is not empty stays
    with contextlib.suppress(OSError):
        for left in every.iterdir():
            if is_temporary(left.name) and left.stat().st_mtime < time.time() - KEPT_SECONDS:
                shutil.rmtree(left, ignore_errors=True)


def give(place: CodePlace, write: Write) -> dict[str, str]:
    """Put tables in a place where code can read them, and return their files by name."""
    found = write(place.tables)
    for path in found.values():
        lend(place, path, 0o640)
    return {name: str(path) for name, path in found.items()}


def make(place: CodePlace) -> None:
    """Create the folders of a conversation, which only its code and the terminal can read.

    Raises: ComputerError.
    """
    try:
        for path in (place.files, place.inside, place.tables):
            path.mkdir(parents=True, exist_ok=True)
        place.files.chmod(0o700)
        lend(place, place.tables, 0o750)
        if place.isolation.user:
            os.chown(place.files, place.isolation.user, place.isolation.user)
    except OSError as error:
        raise ComputerError(
            f"The folder for code cannot be created: {error.strerror}.",
            "Free some disk space, or correct its permissions.",
        ) from error


def lend(place: CodePlace, path: Path, mode: int) -> None:
    """Allow the user account that code runs under to read one of our files."""
    path.chmod(mode)
    if place.isolation.user:
        os.chown(path, -1, place.isolation.user)
