"""What strange copilots think among their words becomes a step; their words are what is kept,
spoken and sent back.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.copilots.requests import messages_of
from app.domain.conversation import Caps, Turn
from app.domain.copilot import Copilot, RequestOffer
from app.domain.errors import BrokenOff, CapReached
from app.domain.events import (
    CopilotCall,
    Ended,
    Item,
    Recalled,
    Status,
    Thinking,
    Thought,
    thought_begun,
    thought_ended,
    thought_in,
)
from app.domain.stream import Chunk, Message
from app.services.conversation import recorder
from app.services.conversation.filters import MARKS, AnswerFilter, ThoughtReader, parted
from app.services.voice.script import Script
from tests.unit.app.services.scripted import COPILOT, Terminal, call, found, said

ANSWER = (
    "<think>\nThe user wants 9.6.\n```\n</think>\n\nIt was"
    " **9.6**.\n\n```html\n<think>quoted</think>\n```\n"
)
SAID = "It was **9.6**.\n\n```html\n<think>quoted</think>\n```\n"


def read(pieces: list[str]) -> tuple[str, list[str]]:
    """Return what was said, and each thought."""
    reading, words, thoughts, thought = ThoughtReader(), "", list[str](), ""
    for piece in [*(p for text in pieces for p in reading.feed(text)), *reading.finish()]:
        words += piece.text if piece.kind == "said" else ""
        thought += piece.text if piece.kind == "thought" else ""
        if piece.kind == "recalled":
            thought, words = words, ""
        if piece.kind in ("closed", "recalled"):
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
        ("It is\n9.6.\n</think>\n\nIt was 9.6.", "It was 9.6.", ["It is\n9.6."]),
        ("So 9.6.</think>It was.", "It was.", ["So 9.6."]),
        ("```\nopen\n</think>\nIt was.", "It was.", ["```\nopen"]),
        ("[x] so\n[/THINK]It was.", "It was.", ["[x] so"]),
        ("</think>\n\nYes.", "Yes.", [""]),
        ("a</think>\nb\n</think>\nc", "b\n</think>\nc", ["a"]),
        ("The tag </think> ends a thought.", "The tag </think> ends a thought.", []),
        ("It ends with `</think>`\n.", "It ends with `</think>`\n.", []),
        ('It ends with "</think>".', 'It ends with "</think>".', []),
        ("One <think>\ntwo\n</think>\nthree", "One <think>\ntwo\n</think>\nthree", []),
        ("a </thin b </", "a </thin b </", []),
    ],
)
def test_only_what_is_thought_is_taken_for_a_thought(
    text: str, words: str, thoughts: list[str]
) -> None:
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

    async def ask(
        self, copilot: Copilot, turns: list[Turn], offer: RequestOffer
    ) -> AsyncGenerator[Item, None]:
        for item in self.items:
            if isinstance(item, Exception):
                raise item
            yield item


async def told(
    *items: Item | Exception,
    copilot: Copilot = COPILOT,
    caps: Caps = Caps(),  # noqa: B008
) -> list[Item]:
    return [
        item async for item in AnswerFilter(Port(*items), caps).ask(copilot, [], RequestOffer())
    ]


async def test_a_thought_is_a_step_that_holds_it_and_no_message(terminal: Terminal) -> None:
    async def script(turns: list[Turn]) -> AsyncGenerator[Item, None]:
        for letter in ANSWER:
            yield said(letter)

    turns = terminal.turns(script)
    turns._copilots = AnswerFilter(terminal.copilot)  # pyright: ignore[reportPrivateUsage]
    turn = await terminal.new(turns)
    items = [item async for item in turns.run([], turn, found, RequestOffer())]
    assert turn.answer() == SAID
    begun, thought = [item for item in items if isinstance(item, Status)]
    assert begun.thought == Thought(grows=True)
    assert thought.message.startswith("Thought for ")
    assert thought.thought == Thought("The user wants 9.6.\n```")
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
    assert kinds == [
        "Thinking",
        "Thinking",
        "Searching",
        "Thinking",
        "Thought for 1 s",
        "CopilotCall",
        "Chunk",
    ]
    assert [item.text for item in items if isinstance(item, Thinking)] == ["a", "b"]
    thought = items[4]
    assert isinstance(thought, Status)
    assert thought.thought == Thought("ab")
    assert isinstance(items[5], CopilotCall)


async def test_what_was_thought_before_it_broke_off_is_kept() -> None:
    port, items = (
        AnswerFilter(Port(said("<think>half a"), BrokenOff("It broke off.", "Again."))),
        list[Item](),
    )
    with pytest.raises(BrokenOff):
        async for item in port.ask(COPILOT, [], RequestOffer()):
            items.append(item)
    kept = [item.thought for item in items if isinstance(item, Status)]
    assert kept[-1] == Thought("half a")


async def test_a_thought_without_end_is_closed() -> None:
    with pytest.raises(CapReached):
        await told(said("<think>"), *[said("more " * 10)] * 30, caps=Caps(characters=1000))


async def test_our_own_copilots_words_are_left_alone() -> None:
    items = await told(said("<think>a</think>b"), copilot=replace(COPILOT, is_ours=True))
    assert items == [said("<think>a</think>b")]


async def test_words_of_which_only_the_end_was_marked_as_a_thought_become_a_step(
    terminal: Terminal,
) -> None:
    async def script(turns: list[Turn]) -> AsyncGenerator[Item, None]:
        for letter in "Zebra\nis 9.6.\n</think>\n\nIt was **9.6**.":
            yield said(letter)

    for copilot in (COPILOT, replace(COPILOT, is_ours=True)):
        turns = terminal.turns(script)
        turns._copilots = AnswerFilter(terminal.copilot)  # pyright: ignore[reportPrivateUsage]
        turn = await terminal.new(turns)

        async def this(which: Copilot = copilot) -> Copilot:
            return which

        items = [item async for item in turns.run([], turn, this, RequestOffer())]
        assert turn.answer() == "It was **9.6**."
        assert sum(isinstance(item, Recalled) for item in items) == 1
        (thought,) = [item for item in turn.items if isinstance(item, Status)]
        assert thought.thought == Thought("Zebra\nis 9.6.")
        assert "Zebra" not in str(messages_of(turn, with_calls=True))
        assert (await terminal.kept(turn)).items == turn.items


async def test_only_the_words_since_the_last_call_become_a_thought(terminal: Terminal) -> None:
    async def script(turns: list[Turn]) -> AsyncGenerator[Item, None]:
        if not any(isinstance(item, CopilotCall) for item in turns[-1].items):
            yield said("First I look.")
            yield call("nothing")
        else:
            yield said("Zebra.\n</think>\nIt was 9.6.")

    turns = terminal.turns(script)
    turns._copilots = AnswerFilter(terminal.copilot)  # pyright: ignore[reportPrivateUsage]
    turn = await terminal.new(turns)
    assert [item async for item in turns.run([], turn, found, RequestOffer())]
    assert turn.answer() == "First I look.It was 9.6."


@pytest.mark.parametrize("ours", [False, True])
async def test_a_thought_that_is_stopped_is_kept_as_far_as_it_came(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, ours: bool
) -> None:
    monkeypatch.setattr(recorder, "FLUSH_SECONDS", 0.0)
    came, told_of = asyncio.Event(), list[Item]()
    begun: list[Item] = [thought_begun()]
    parts = [Status("INFO", "Thinking", hidden=True, thought=Thought(t, grows=True)) for t in "abc"]

    async def script(_: list[Turn]) -> AsyncGenerator[Item, None]:
        for item in [*begun, *parts] if ours else [said("<think>a"), said("b"), said("c")]:
            yield item
        await asyncio.Event().wait()

    turns = terminal.turns(script)
    turns._copilots = AnswerFilter(terminal.copilot)  # pyright: ignore[reportPrivateUsage]
    turn = await terminal.new(turns)

    async def this() -> Copilot:
        return replace(COPILOT, is_ours=ours)

    def listen(_: Turn, item: Item) -> None:
        told_of.append(item)
        came.set() if isinstance(item, Thinking) and item.text == "c" else None

    turns.subscribe(listen)
    turns.ask([], turn, this, RequestOffer())
    async with asyncio.timeout(10):
        await came.wait()
        turns.stop(turn.id)
        while not isinstance(told_of[-1], Ended):
            await asyncio.sleep(0)
    kept = await terminal.kept(turn)
    assert [thought_in(item) for item in kept.items if isinstance(item, Status)] == ["abc"]
    assert kept.answer() == ""


async def test_a_thought_that_has_ended_is_kept_once(terminal: Terminal) -> None:
    thought = thought_ended("abc", 1)

    async def script(_: list[Turn]) -> AsyncGenerator[Item, None]:
        yield thought_begun()
        yield Status("INFO", "Thinking", hidden=True, thought=Thought("ab", grows=True))
        yield thought
        yield said("So.")

    turns = terminal.turns(script)
    turns._copilots = AnswerFilter(terminal.copilot)  # pyright: ignore[reportPrivateUsage]
    turn = await terminal.new(turns)

    async def ours() -> Copilot:
        return replace(COPILOT, is_ours=True)

    assert [item async for item in turns.run([], turn, ours, RequestOffer())]
    assert [thought_in(item) for item in turn.items if isinstance(item, Status)] == ["", "abc"]
    assert (await terminal.kept(turn)).items == turn.items


def test_of_a_message_in_a_file_thoughts_are_steps() -> None:
    message = Message("assistant", "message", "Zebra.\n</think>\n\nIt was.", id="m")
    assert parted(message) == [
        Status("INFO", "Thought", thought=Thought("Zebra.")),
        replace(message, content="It was."),
    ]
    assert parted(replace(message, content=ANSWER))[1:] == [replace(message, content=SAID)]
    for other in (
        replace(message, role="user"),
        replace(message, type="code"),
        replace(message, content="a"),
    ):
        assert parted(other) == [other]
