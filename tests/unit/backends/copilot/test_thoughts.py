"""What a model thinks is told as a step of its own, and is no part of the answer."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator

import pytest

from backends.copilot.answer import told
from backends.copilot.models import ThoughtPiece
from backends.protocol.events import MessageChunk, StatusUpdate, shape


async def pieces(*said: str) -> AsyncGenerator[str, None]:
    for piece in said:
        yield piece


async def test_thoughts_are_told_before_the_words_and_how_long_they_took() -> None:
    events = [
        event
        async for event in told(pieces(ThoughtPiece("First "), ThoughtPiece("this. "), "So", "."))
    ]
    begun, thought, *words = events
    assert begun == StatusUpdate("INFO", "Thinking", [{"thinking": True}])
    assert thought == StatusUpdate("INFO", "Thought for 1 s", [{"thought": "First this."}])
    assert words == [MessageChunk("So"), MessageChunk(".")]


async def test_thoughts_without_an_answer_are_kept() -> None:
    events = [event async for event in told(pieces(ThoughtPiece("Hm.")))]
    assert isinstance(events[-1], StatusUpdate)
    assert events[-1].details == [{"thought": "Hm."}]


async def test_an_answer_without_thoughts_tells_of_none() -> None:
    assert [event async for event in told(pieces("So."))] == [MessageChunk("So.")]


async def test_what_is_thought_is_told_as_it_comes_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["backends.copilot.answer"], "PART_SECONDS", 0.0)
    events = [event async for event in told(pieces(ThoughtPiece("a"), ThoughtPiece("b"), "So."))]
    parts = [event for event in events if isinstance(event, StatusUpdate) and event.hidden]
    assert [part.details for part in parts] == [[{"thinking": True, "thought": t}] for t in "ab"]
    assert shape(parts[0])[1]["hidden"] is True
