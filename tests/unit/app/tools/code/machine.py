"""A computer for tests, small in everything, and the processes below this one."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING

import psutil

from app.domain.code import Limits
from app.tools.code.process import CurrentLine, PrintedText

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from app.domain.code import Language
    from app.tools.code.computer import Computer
    from app.tools.code.process import Piece

MIB = 1 << 20
SMALL = Limits(
    seconds=60, memory=1024 * MIB, processes=64, output=2 * MIB, disk=16 * MIB, grace=0.5
)


async def ran(computer: Computer, language: Language, code: str) -> list[Piece]:
    """Run code to its end."""
    async with asyncio.timeout(60), aclosing(computer.run("c", language, code)) as pieces:
        return [piece async for piece in pieces]


def text_of(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, PrintedText))


def lines_of(pieces: list[Piece]) -> list[int | None]:
    return [piece.number for piece in pieces if isinstance(piece, CurrentLine)]


async def until_printed(pieces: AsyncGenerator[Piece, None], word: str) -> None:
    """Read on until a word was printed."""
    seen = ""
    async for piece in pieces:
        seen += piece.text if isinstance(piece, PrintedText) else ""
        if word in seen:
            return


def below() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


def sleeping_for(seconds: int) -> list[psutil.Process]:
    """Return the processes anywhere on this machine that were started as `sleep SECONDS`."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter(["cmdline"]):
        if (process.info["cmdline"] or [])[-2:] == ["sleep", str(seconds)]:
            found.append(process)
    return found
