"""What strange copilots think among their words becomes a step; their words are what is kept, spoken and sent back."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.copilots.requests import messages_of
from app.domain.caps import Caps
from app.domain.conversation import Turn
from app.domain.copilot import Copilot, Offer
from app.domain.errors import BrokenOff, Capped
from app.domain.events import Call, Item, Status
from app.domain.stream import Chunk
from app.services.thoughts.apart import Apart
from app.services.thoughts.reading import MARKS, Reading
from app.services.voice.script import Script
from tests.unit.app.services.scripted import COPILOT, Terminal, call, found, said

ANSWER = (
    "<think>\nThe user wants 9.6.\n```\n</think>\n\nIt was **9.6**.\n\n```html\n<think>quoted</think>\n```\n"
)
SAID = "It was **9.6**.\n\n```html\n<think>quoted</think>\n```\n"


def read(pieces: list[str]) -> tuple[str, list[str]]:
    """Return what was said, and each thought."""
    reading, words, thoughts, thought = Reading(), "", list[str](), ""
    for piece in [*(p for text in pieces for p in reading.feed(text)), *reading.finish()]:
        words += piece.text if piece.kind == "said" else ""
        thought += piece.text if piece.kind == "thought" else ""
        if piece.kind == "closed":
            thoughts.append(thought.strip())
            thought = ""
    assert not thought
    return words, thoughts


@given(st.lists(st.integers(0, len(ANSWER)), max_size=12))
def test_a_thought_is_found_wherever_it_is_cut(cuts: list[int]) -> None:
    places = sorted({0, *cuts, len(ANSWER)})
    pieces = [ANSWER[a:b] for a, b in pairwise(places)]
    assert read(pieces) == (SAID, ["The user wants 9.6.\n```"])


@pytest.mark.parametrize(
    ("text", "words", "thoughts"),
    [
        ("<think>for ever", "", ["for ever"]),
        ("<think></think>\n\nYes.", "Yes.", [""]),
        ("One.\n<think>two</think>\nThree.", "One.\nThree.", ["two"]),
        ("[THINK]a[/THINK]b", "b", ["a"]),
        ("<think>a</think><think>b</think>c", "c", ["a", "b"]),
        ("The tag <think> opens a thought.", "The tag <think> opens a thought.", []),
        ("~~~\n<think>\n~~~\n<", "~~~\n<think>\n~~~\n<", []),
        ("  indented\n\n", "  indented\n\n", []),
        ("a < b\n<thin ice>", "a < b\n<thin ice>", []),
        ("<think>1 < 2 </thin </think>x", "x", ["1 < 2 </thin"]),
    ],
)
def test_only_what_is_thought_is_taken_for_a_thought(text: str, words: str, thoughts: list[str]) -> None:
    assert read([text]) == (words, thoughts)
    assert read(list(text)) == (words, thoughts)


@given(st.lists(st.sampled_from([*MARKS, "a", "\n", " ", "```", "<", "th"]), max_size=20))
def test_words_without_marks_at_their_lines_are_left_as_they_are(pieces: list[str]) -> None:
    text = "x " + "".join(pieces).replace("\n", " ")
    assert read(["x ", *[piece.replace("\n", " ") for piece in pieces]]) == (text, [])


class Port:
    """A copilot whose items the test gives."""

    def __init__(self, *items: Item | Exception) -> None:
        self.items = items

    async def ask(self, copilot: Copilot, turns: list[Turn], offer: Offer) -> AsyncGenerator[Item, None]:
        for item in self.items:
            if isinstance(item, Exception):
                raise item
            yield item


async def told(*items: Item | Exception, copilot: Copilot = COPILOT, caps: Caps = Caps()) -> list[Item]:  # noqa: B008
    return [item async for item in Apart(Port(*items), caps).ask(copilot, [], Offer())]


async def test_a_thought_is_a_step_that_holds_it_and_no_message(terminal: Terminal) -> None:
    async def script(turns: list[Turn]) -> AsyncGenerator[Item, None]:
        for letter in ANSWER:
            yield said(letter)

    turns = terminal.turns(script)
    turns._copilots = Apart(terminal.copilot)  # pyright: ignore[reportPrivateUsage]
    turn = await terminal.new(turns)
    items = [item async for item in turns.run([], turn, found, Offer())]
    assert turn.answer() == SAID
    begun, thought = [item for item in items if isinstance(item, Status)]
    assert begun.details == [{"thinking": True}]
    assert thought.message.startswith("Thought for ")
    assert thought.details == [{"thought": "The user wants 9.6.\n```"}]
    assert "wants" not in str(messages_of(turn, with_calls=True))
    assert (await terminal.kept(turn)).items == turn.items


async def test_a_thought_is_not_spoken() -> None:
    script, pieces = Script(), list[Any]()
    for item in await told(said("<think>Zebra."), said(" Zebra.</think>It was nine.")):
        if isinstance(item, Chunk):
            pieces += script.feed(item.content)
    assert [piece.said for piece in [*pieces, *script.finish()]] == ["It was nine."]


async def test_a_step_within_a_thought_does_not_end_it_but_a_call_does() -> None:
    step = Status("INFO", "Searching")
    items = await told(said("<think>a"), step, said("b"), call("f"), said("Done."))
    kinds = [item.message if isinstance(item, Status) else type(item).__name__ for item in items]
    assert kinds == ["Thinking", "Searching", "Thought for 1 s", "Call", "Chunk"]
    thought = items[2]
    assert isinstance(thought, Status)
    assert thought.details == [{"thought": "ab"}]
    assert isinstance(items[3], Call)


async def test_what_was_thought_before_it_broke_off_is_kept() -> None:
    port, items = Apart(Port(said("<think>half a"), BrokenOff("It broke off.", "Again."))), list[Item]()
    with pytest.raises(BrokenOff):
        async for item in port.ask(COPILOT, [], Offer()):
            items.append(item)
    assert [item.details for item in items if isinstance(item, Status)][-1] == [{"thought": "half a"}]


async def test_a_thought_without_end_is_closed() -> None:
    with pytest.raises(Capped):
        await told(said("<think>"), *[said("more " * 10)] * 30, caps=Caps(characters=1000))


async def test_our_own_copilots_words_are_left_alone() -> None:
    items = await told(said("<think>a</think>b"), copilot=replace(COPILOT, is_ours=True))
    assert items == [said("<think>a</think>b")]
