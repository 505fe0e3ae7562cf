"""Frames on the pipes between the service and a worker.

A frame is 4 bytes of length (big endian), 1 byte of kind, then the payload: JSON, or an array of
float32 behind a JSON header. Embeddings would be several times their size as JSON.
"""

from __future__ import annotations

import json
import struct
from typing import IO, TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import asyncio

HEADER = struct.Struct(">IB")
JSON, ARRAY = 0, 1
LIMIT_BYTES = 512 * 1024 * 1024


class BrokenFrame(Exception):
    """The pipe carried something that is no frame."""


def encode(message: dict[str, Any]) -> bytes:
    """Return a frame of JSON."""
    payload = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return HEADER.pack(len(payload), JSON) + payload


def encode_array(message: dict[str, Any], rows: list[list[float]]) -> bytes:
    """Return a frame of JSON with a float32 matrix; `message["shape"]` is added."""
    matrix = np.asarray(rows, dtype="<f4")
    head = json.dumps(message | {"shape": list(matrix.shape)}).encode()
    payload = struct.pack(">I", len(head)) + head + matrix.tobytes()
    return HEADER.pack(len(payload), ARRAY) + payload


def decode(kind: int, payload: bytes) -> dict[str, Any]:
    """Return the message of a frame; a matrix stands under `array`, float32, of the shape sent.

    Raises: BrokenFrame.
    """
    try:
        if kind == JSON:
            return json.loads(payload.decode("utf-8", "surrogatepass"))
        if kind == ARRAY:
            (size,) = struct.unpack_from(">I", payload)
            message = json.loads(payload[4 : 4 + size])
            message["array"] = np.frombuffer(payload, dtype="<f4", offset=4 + size).reshape(message["shape"])
            return message
    except (ValueError, KeyError, struct.error) as error:
        raise BrokenFrame(str(error)) from error
    raise BrokenFrame(f"a frame of kind {kind}")


def read(pipe: IO[bytes]) -> dict[str, Any] | None:
    """Return the next message, or None at the end of the pipe.

    Raises: BrokenFrame.
    """
    header = pipe.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    size, kind = HEADER.unpack(header)
    if size > LIMIT_BYTES:
        raise BrokenFrame(f"a frame of {size} bytes")
    payload = pipe.read(size)
    return decode(kind, payload) if len(payload) == size else None


async def read_async(pipe: asyncio.StreamReader) -> dict[str, Any]:
    """Return the next message.

    Raises: BrokenFrame, asyncio.IncompleteReadError at the end of the pipe.
    """
    size, kind = HEADER.unpack(await pipe.readexactly(HEADER.size))
    if size > LIMIT_BYTES:
        raise BrokenFrame(f"a frame of {size} bytes")
    return decode(kind, await pipe.readexactly(size))
