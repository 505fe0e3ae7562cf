"""Server-sent events out of bytes, split anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LONGEST = 8_000_000  # bytes of one event


class TooLong(Exception):
    """An event does not end."""


def data_of(chunks: Iterable[bytes]) -> Iterator[str]:
    """Yield the data of each whole event; half an event at the end is none.

    Raises: TooLong.
    """
    data: list[bytes] = []
    size = 0
    for line in lines(chunks):
        size += len(line)
        if size > LONGEST:
            raise TooLong
        if not line:
            if data:
                yield b"\n".join(data).decode("utf-8", "replace")
            data, size = [], 0
        elif line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))


def lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    r"""Yield lines without their ends, \n, \r\n or \r, and no other: U+2028 stands inside JSON.

    Raises: TooLong.
    """
    held, after_return = b"", False
    for chunk in chunks:
        if after_return and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        if chunk:
            after_return = chunk.endswith(b"\r")
        parts = (held + chunk).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        held = parts.pop()
        if len(held) > LONGEST:
            raise TooLong
        yield from parts
