"""Trace each question through the processes by an id, without recording what it says.

Each process appends lines to `trace.jsonl` in the data folder; a full file is replaced by a new
one. A line contains names of parts, methods and errors, numbers, and the id. It never contains a
word of a question, an answer or a table, or an address.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from contextvars import ContextVar
from typing import TYPE_CHECKING

from backends.paths import data_folder

if TYPE_CHECKING:
    from pathlib import Path

HEADER = "x-trace-id"
MOST = 256 * 1024  # maximum size of a file in bytes; the previous file is also kept
NOW: ContextVar[str] = ContextVar("trace", default="")


def trace_file() -> Path:
    """Return the trace file."""
    return data_folder() / "trace.jsonl"


def old_file() -> Path:
    """Return the previous trace file."""
    return data_folder() / "trace-old.jsonl"


def is_id(text: str) -> bool:
    """Return whether a text may be used as an id. Ids come from the network and are written to a
    file.
    """
    return 0 < len(text) <= 64 and text.isascii() and text.replace("-", "").isalnum()


def note(part: str, did: str, **facts: float | str) -> None:
    """Write a trace line for the current question. Nothing is written if there is no current
    question or no data folder.
    """
    if not NOW.get():
        return
    line = {
        "at": round(time.time(), 3),
        "trace": NOW.get(),
        "part": part,
        "pid": os.getpid(),
        "did": did,
    } | facts
    path = trace_file()
    if not path.parent.is_dir():
        return
    with contextlib.suppress(OSError):  # a full disk must not prevent an answer
        if path.exists() and path.stat().st_size > MOST:
            path.replace(old_file())
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as file:
            file.write(json.dumps(line).encode() + b"\n")


class noted:
    """Records how long a block took and how it ended: `ok`, or the name of an error."""

    def __init__(self, part: str, did: str, **facts: float | str) -> None:
        self._told, self._facts = (part, did), facts
        self._begun = time.monotonic()

    def __enter__(self) -> None:
        """Start the clock."""
        self._begun = time.monotonic()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Write the record."""
        ended = kind.__name__ if kind is not None else "ok"
        note(
            *self._told,
            seconds=round(time.monotonic() - self._begun, 3),
            ended=ended,
            **self._facts,
        )


def read_notes(most: int = 400) -> list[dict[str, object]]:
    """Return the last records, the oldest first. Incomplete lines are left out."""
    lines: list[str] = []
    for path in (old_file(), trace_file()):
        with contextlib.suppress(OSError):
            lines += path.read_text("utf-8", "replace").splitlines()
    found: list[dict[str, object]] = []
    for line in lines[-most:]:
        with contextlib.suppress(ValueError):
            told = json.loads(line)
            if isinstance(told, dict):
                found.append(told)
    return found
