"""A program under a supervisor: it is started, read, interrupted and ended with all its child
processes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from app.domain.code import GIB
from app.domain.errors import ComputerError
from backends import children

if TYPE_CHECKING:
    from app.domain.code import Limits
    from app.tools.code.isolation import Isolation, Sandbox

SUPERVISOR = Path(__file__).with_name("supervisor.py")
LINE = 1 << 16
RESERVED = 2 * GIB  # bytes of address space, much of which libraries reserve but never use
END_SECONDS = 8.0


@dataclass(frozen=True)
class ProcessOrder:
    """A program to run. address_space: whether its address space can be limited, since some
    programs reserve far more than they use. fds: the files that are open in it besides its output.
    """

    command: list[str]
    box: Sandbox
    limits: Limits
    isolation: Isolation
    address_space: bool = True
    fds: tuple[int, ...] = ()

    def spec(self) -> dict[str, Any]:
        """Return the order in the form that the supervisor reads."""
        limits = self.limits
        return {
            "command": self.isolation.wrapped(self.command, self.box, limits),
            "cwd": str(self.box.writable[0]),
            "env": self.box.variables,
            "fds": list(self.fds),
            "folder": str(self.box.writable[0]),
            "user": self.isolation.user,
            "memory": limits.memory,
            "address_space": limits.memory + RESERVED if self.address_space else 0,
            "processes": limits.processes,
            "disk": limits.disk,
        }


@dataclass(frozen=True)
class End:
    """How a program ended. status: its exit status, which is negative for a signal. why: the
    exceeded limit, `stopped`, or empty if it ended by itself.
    """

    status: int | None
    why: str

    def error(self, name: str, limits: Limits) -> ComputerError | None:
        """Return the error for the user, or None if there is nothing to report."""
        told = {
            "memory": (
                f"The {name} code used too much memory and was stopped.",
                "Work in smaller steps.",
            ),
            "processes": (
                f"The {name} code started too many processes and was stopped.",
                "Start fewer.",
            ),
            "disk": (
                f"The {name} code wrote too much to its folder and was stopped.",
                "Write less.",
            ),
        }
        if self.why in told:
            text, remedy = told[self.why]
            return ComputerError(text, f"{remedy} It may use {limits.words()}.")
        if self.why.startswith("cannot"):
            return ComputerError(
                f"{name} could not be started ({self.why[8:]}).",
                "Run deskpilot doctor to see what is missing.",
            )
        return None


class SupervisedProcess:
    """A running program. output: its output, as bytes."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        self._process = process
        self.output = process.stdout
        self._end = asyncio.create_task(self._told(), name="end of code")

    @classmethod
    async def start(cls, order: ProcessOrder) -> SupervisedProcess:
        """Start a program."""
        process = await children.start(
            "-I",
            str(SUPERVISOR),
            json.dumps(order.spec()),
            variables=own_variables(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            pass_fds=order.fds,
            start_new_session=True,
            limit=LINE,
        )
        return cls(process)

    @property
    def running(self) -> bool:
        """Return whether it is still running."""
        return not self._end.done()

    async def ended(self) -> End:
        """Return how it ended, once it has."""
        return await asyncio.shield(self._end)

    def interrupt(self) -> None:
        """Ask the code to stop, as Ctrl+C does."""
        self._order("interrupt")

    def sweep(self) -> None:
        """Kill the processes that the code started. The program itself continues."""
        self._order("sweep")

    async def kill(self) -> None:
        """Kill the program and everything that it started immediately. Return when nothing is
        left."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self.ended(), END_SECONDS)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self.ended()

    def _order(self, word: str) -> None:
        assert self._process.stdin is not None
        if not self._process.stdin.is_closing():
            self._process.stdin.write(f"{word}\n".encode())

    async def _told(self) -> End:
        """Read the supervisor's messages until it ends."""
        assert self._process.stderr is not None
        end = End(None, "lost")
        async for line in self._process.stderr:
            with contextlib.suppress(ValueError):
                told = json.loads(line)
                if "ended" in told:
                    end = End(told["ended"], str(told["why"]))
        await self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        return end


def own_variables() -> dict[str, str]:
    """Return the environment of the supervisor: only the variables that are needed to start it,
    without any secrets.
    """
    return {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "SYSTEMROOT", "HOME")}


Form = Literal["base64.png", "base64.jpeg", "html", "plotly"]


@dataclass(frozen=True)
class PrintedText:
    """Text that the code printed."""

    text: str


@dataclass(frozen=True)
class CurrentLine:
    """The line that is running, counted from 1, or None once nothing is running."""

    number: int | None


@dataclass(frozen=True)
class DisplayedOutput:
    """Something to display. format: base64.png, base64.jpeg, html, or plotly, whose content is a
    figure.
    """

    format: Form
    content: Any


@dataclass(frozen=True)
class CodeFailure:
    """The code itself failed. This contains a sentence about the failure, unless the output already
    says everything.
    """

    text: str = ""
    remedy: str = ""


Piece = PrintedText | CurrentLine | DisplayedOutput | CodeFailure
