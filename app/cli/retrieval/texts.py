"""Texts of a command line and its file, sent to the model service some at a time behind a progress bar."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from app.bootstrap import build_service
from app.cli.words import from_stdin, typed
from app.domain.errors import TextsError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from pathlib import Path

AT_ONCE = 64  # texts of one request: often enough for the bar, few enough requests


def gather(texts: list[str], file: Path | None) -> list[str]:
    """Return the texts of the command line, then those of a file, one a line; - is stdin.

    Raises: TextsError.
    """
    if file is None:
        return [typed(text) for text in texts]
    try:
        said = from_stdin() if str(file) == "-" else file.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TextsError(f"{file} is not text in UTF-8.", "Save it as UTF-8.") from error
    except OSError as error:
        raise TextsError(f"{file} cannot be read: {error.strerror}.", "Check its name.") from error
    found = [typed(text) for text in texts] + [line for line in said.split("\n") if line.strip()]
    if not found:
        raise TextsError(
            f"{'stdin' if str(file) == '-' else file} holds no text.", "Put one text on each line."
        )
    return [text.removesuffix("\r") for text in found]


async def asked(
    path: str, texts: list[str], body: Callable[[list[str]], dict[str, Any]]
) -> AsyncGenerator[tuple[int, dict[str, Any]]]:
    """Yield where a part of the texts begins and what the service answered for it; its notes go to stderr, once.

    body: makes the request of a part. Raises: DeskpilotError.
    """
    told: set[str] = set()
    with bar(len(texts)) as progress:
        async with build_service() as service:
            for start in range(0, len(texts), AT_ONCE):
                answer = await service.send("POST", path, body(texts[start : start + AT_ONCE]))
                progress.advance(progress.task_ids[0], min(AT_ONCE, len(texts) - start))
                yield start, answer
                if note := str(answer.get("note") or ""):
                    told.add(note)
    for note in sorted(told):
        print(note, file=sys.stderr)


def bar(total: int) -> Progress:
    """Return a progress bar on stderr, in texts; none where nobody looks, or for a few."""
    screen = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    made = Progress(*columns, console=screen, disable=not screen.is_terminal, transient=True)
    made.add_task("texts", total=total)
    return made
