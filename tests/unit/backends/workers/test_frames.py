"""Frames on a worker's pipe."""

from __future__ import annotations

import asyncio
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backends.workers import frames

MESSAGES: list[dict[str, Any]] = [
    {"id": 1, "text": "größer \ud800 \x00"},
    {},
    {"list": [1.5, None, {"a": True}]},
]


@given(st.dictionaries(st.text(max_size=5), st.binary(max_size=300), max_size=4))
def test_what_is_sent_is_read(parts: dict[str, bytes]) -> None:
    pipe = io.BytesIO(b"".join(frames.encode(message, parts) for message in MESSAGES))
    assert [frames.read(pipe) for _ in MESSAGES] == [
        message | {"parts": parts} for message in MESSAGES
    ]
    assert frames.read(pipe) is None


def test_a_frame_cut_anywhere_gives_no_message() -> None:
    frame = frames.encode({"id": 1}, {"sound": bytes(20)})
    for size in range(len(frame)):
        assert frames.read(io.BytesIO(frame[:size])) is None


async def test_a_frame_cut_anywhere_ends_the_reader() -> None:
    frame = frames.encode({"id": 1}, {"sound": bytes(20)})
    for size in range(len(frame)):
        pipe = asyncio.StreamReader()
        pipe.feed_data(frame[:size])
        pipe.feed_eof()
        with pytest.raises(asyncio.IncompleteReadError):
            await frames.read_async(pipe)


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\0\0\0\2{}",
        b"\0\0\0\2[]",
        b"\xff\xff\xff\xff{}",
        b'\0\0\0\x0c{"parts":[]}',
        b'\0\0\0\x12{"parts":{"a": 9}}x',
        b'\0\0\0\x14{"parts":{"a": "b"}}',
    ],
)
def test_what_is_no_frame_is_told(payload: bytes) -> None:
    with pytest.raises(frames.BrokenFrame):
        frames.decode(payload)


def test_a_frame_that_claims_too_much_is_not_waited_for() -> None:
    with pytest.raises(frames.BrokenFrame, match="bytes"):
        frames.read(io.BytesIO(b"\xff\xff\xff\xff"))
