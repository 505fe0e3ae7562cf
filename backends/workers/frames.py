"""Frames on the pipes between the service and a worker.

A frame is 4 bytes of length (big endian), then so many bytes: 4 bytes of length of the head, the head
as JSON, and the bytes of its parts one after another. The head's `parts` names each with its length.
Sound, files and vectors travel as parts; as JSON they would be several times their size.
"""

from __future__ import annotations

import json
import struct
from itertools import accumulate
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping

LENGTH = struct.Struct(">I")
LIMIT_BYTES = 512 * 1024 * 1024


class BrokenFrame(Exception):
    """The pipe carried something that is no frame."""


def encode(message: Mapping[str, Any], parts: Mapping[str, bytes] | None = None) -> bytes:
    """Return a frame of a JSON object and named bytes.

    Raises: TypeError, ValueError for what JSON cannot carry or a frame over `LIMIT_BYTES`.
    """
    parts = parts or {}
    sizes = {name: len(part) for name, part in parts.items()}
    head = json.dumps({**message, "parts": sizes}, ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )
    size = LENGTH.size + len(head) + sum(sizes.values())
    if size > LIMIT_BYTES:
        raise ValueError(f"{size} bytes are more than the {LIMIT_BYTES} a frame may have")
    return b"".join((LENGTH.pack(size), LENGTH.pack(len(head)), head, *parts.values()))


def decode(payload: bytes) -> dict[str, Any]:
    """Return the message of a frame; `parts` holds the bytes of each part by name.

    Raises: BrokenFrame.
    """
    try:
        (size,) = LENGTH.unpack_from(payload)
        start = LENGTH.size + size
        message = json.loads(payload[LENGTH.size : start].decode("utf-8", "surrogatepass"))
        sizes: dict[str, int] = message["parts"]
        ends = list(accumulate(sizes.values(), initial=start))
    except (ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
        raise BrokenFrame(str(error)) from error
    if ends[-1] != len(payload):
        raise BrokenFrame(f"{len(payload)} bytes where {ends[-1]} were announced")
    message["parts"] = {
        name: payload[a:b] for name, a, b in zip(sizes, ends[:-1], ends[1:], strict=True)
    }
    return message


def read(pipe: IO[bytes]) -> dict[str, Any] | None:
    """Return the next message, or None at the end of the pipe, in mid-frame too.

    Raises: BrokenFrame.
    """
    header = pipe.read(LENGTH.size)
    if len(header) < LENGTH.size:
        return None
    payload = pipe.read(_checked_size(header))
    return decode(payload) if len(payload) == LENGTH.unpack(header)[0] else None


async def read_async(pipe: asyncio.StreamReader) -> dict[str, Any]:
    """Return the next message.

    Raises: BrokenFrame, asyncio.IncompleteReadError at the end of the pipe.
    """
    return decode(await pipe.readexactly(_checked_size(await pipe.readexactly(LENGTH.size))))


def _checked_size(header: bytes) -> int:
    (size,) = LENGTH.unpack(header)
    if size > LIMIT_BYTES:
        raise BrokenFrame(f"a frame of {size} bytes")
    return size
