"""The header of a WAV file, its length known or not."""

from __future__ import annotations

import struct

UNKNOWN = 0xFFFFFFFF  # what a stream says whose length nobody knows yet
SAMPLE_BYTES = 2


def header(rate: int, data_bytes: int | None = None) -> bytes:
    """Return the 44 bytes before 16-bit mono samples. rate: Hz. data_bytes: None for a stream."""
    size = UNKNOWN if data_bytes is None else data_bytes
    riff = UNKNOWN if data_bytes is None else 36 + data_bytes
    form = struct.pack("<HHIIHH", 1, 1, rate, rate * SAMPLE_BYTES, SAMPLE_BYTES, 8 * SAMPLE_BYTES)
    return (
        b"RIFF"
        + struct.pack("<I", riff)
        + b"WAVEfmt \x10\0\0\0"
        + form
        + b"data"
        + struct.pack("<I", size)
    )
