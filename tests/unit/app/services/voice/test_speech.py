"""An answer is spoken while it streams, two pieces ahead at most, and one stop ends everything."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from app.domain.conversation import Turn
from app.domain.errors import SoundError
from app.domain.events import Recalled, Status
from app.domain.sound import TranscriptStep
from app.domain.stream import Chunk, Message
from app.services.tasks import Tasks
from app.services.voice.dictation import dictated
from app.services.voice.script import SpokenPart
from app.services.voice.speech import AnswerReader, Manner, Speech, VoiceChoices

ANSWER = "It rose a little. Then it fell again. Then it stayed. It rose once more. That is all. "


@dataclass
class Voice:
    """A voice that makes four bytes of each character; `endless` holds its model computing."""

    asked: list[dict[str, Any]] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    began: asyncio.Event = field(default_factory=asyncio.Event)
    endless: bool = False
    fails: str = ""
    transcript: str = ""

    async def speak(self, body: dict[str, Any]) -> AsyncGenerator[bytes, None]:
        self.asked.append(body)
        self.began.set()
        try:
            if self.fails:
                raise SoundError(self.fails)
            yield b"\x01\x02\x03"  # a sample and a half
            yield b"\x04" + b"\x05\x06" * len(body["input"])
            if self.endless:
                await asyncio.Event().wait()
        finally:
            self.closed.append(body["input"])

    async def transcribe(
        self, path: Path, fields: dict[str, str]
    ) -> AsyncGenerator[TranscriptStep, None]:
        yield TranscriptStep(self.transcript)
        yield TranscriptStep("", whole={"language": "en"})


@dataclass
class Loudspeaker:
    """Hears as much as `room` lets it."""

    room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1000))
    sound: bytes = b""
    played: int = 0
    log: list[str] = field(default_factory=list)

    async def play(self, sound: bytes) -> None:
        assert len(sound) % 2 == 0
        await self.room.acquire()
        self.sound += sound
        self.played += len(sound)

    async def drained(self) -> None:
        self.log.append("drained")

    def silence(self) -> None:
        self.log.append("silence")


@pytest.fixture
async def tasks() -> AsyncGenerator[Tasks, None]:
    made = Tasks()
    yield made
    await made.aclose()


def said(text: str) -> Chunk:
    return Chunk("assistant", "message", text)


async def settled() -> None:
    """Let every task run as far as it can."""
    for _ in range(50):
        await asyncio.sleep(0)


async def test_sound_begins_before_the_answer_ends(tasks: Tasks) -> None:
    voice, loudspeaker, pieces = Voice(), Loudspeaker(), list[SpokenPart]()
    manner = Manner("piper", "joe", 1.2)
    saying, task = Speech(voice, tasks).begin(loudspeaker, manner=manner, tell=pieces.append)
    saying.item(said("It rose by **2.5 %** [1]. Th"))
    await settled()
    assert [b["input"] for b in voice.asked] == ["It rose by 2.5 percent."]
    assert voice.asked[0] | {"input": ""} == {
        "input": "",
        "response_format": "pcm",
        "speed": 1.2,
        "language": "en",
        "model": "piper",
        "voice": "joe",
    }
    assert loudspeaker.played > 0
    saying.item(said("at is all"))
    saying.item(Status("WARNING", "not spoken"))
    saying.item(Chunk("computer", "console", "not spoken"))
    saying.item(Chunk("assistant", "code", "not spoken"))
    saying.finish()
    await task
    assert [p.said for p in pieces] == ["It rose by 2.5 percent.", "That is all"]
    assert saying.heard == len("It rose by **2.5 %** [1]. That is all")
    assert loudspeaker.log == ["drained"]
    assert saying.failed is None


async def test_messages_of_one_answer_do_not_run_into_each_other(tasks: Tasks) -> None:
    voice = Voice()
    saying, task = Speech(voice, tasks).begin(Loudspeaker())
    for item in (said("One"), Chunk("assistant", "message", end=True), said("Two")):
        saying.item(item)
    saying.finish()
    await task
    assert [b["input"] for b in voice.asked] == ["One", "Two"]


NOTE = Status("INFO", "Not answered from your data")


@pytest.mark.parametrize(
    ("words", "note"),
    [
        ("It is warm. ", "Not answered from your data."),
        ("今天很热。", "这不是根据您的数据回答的。"),
        ("今日は暑いです。", "お使いのデータに基づく答えではありません。"),
    ],
)
async def test_what_an_answer_is_not_from_is_said_before_it_in_its_language(
    tasks: Tasks, words: str, note: str
) -> None:
    voice, pieces = Voice(), list[SpokenPart]()
    saying, task = Speech(voice, tasks).begin(Loudspeaker(), tell=pieces.append)
    for item in (NOTE, Status("INFO", "Looked up prices"), said(words), said(words)):
        saying.item(item)
    saying.finish()
    await task
    assert [b["input"] for b in voice.asked] == [note, words.strip(), words.strip()]
    assert (pieces[0].start, pieces[0].end) == (
        0,
        0,
    )  # it stands nowhere in the answer: nothing is marked
    assert saying.heard == 2 * len(words) - (len(words) - len(words.rstrip()))


async def test_at_most_two_pieces_are_made_ahead(tasks: Tasks) -> None:
    voice, loudspeaker = Voice(), Loudspeaker(asyncio.Semaphore(0))
    saying, task = Speech(voice, tasks).begin(loudspeaker)
    saying.item(said(ANSWER))
    saying.finish()
    await settled()
    assert len(voice.asked) == 3  # the one that is being heard, and two
    for heard in (1, 2):
        loudspeaker.room.release()
        loudspeaker.room.release()
        await settled()
        assert len(voice.asked) == 3 + heard
    for _ in range(20):
        loudspeaker.room.release()
    await task
    assert len(voice.asked) == 5


@pytest.mark.parametrize("heard_live", [True, False])
async def test_a_sentence_whose_end_is_late_is_begun_before_the_sound_runs_out(
    tasks: Tasks, heard_live: bool
) -> None:
    voice, loudspeaker = Voice(), Loudspeaker()
    saying, task = Speech(voice, tasks).begin(loudspeaker, heard_live=heard_live)
    saying.item(said("I read your table, and the sales of March were the highest of"))
    if heard_live:
        async with asyncio.timeout(10):
            while len(voice.asked) < 2:
                await asyncio.sleep(0.01)
    saying.item(said(" the whole year."))
    saying.finish()
    await task
    made = [body["input"] for body in voice.asked]
    if heard_live:
        assert made == [
            "I read your table,",
            "and the sales of March were the highest",
            "of the whole year.",
        ]
    else:  # nobody waits for what goes into a file
        assert made == [
            "I read your table,",
            "and the sales of March were the highest of the whole year.",
        ]
    assert saying.heard == len(
        "I read your table, and the sales of March were the highest of the whole year."
    )


async def test_one_stop_ends_sound_queue_and_model(tasks: Tasks) -> None:
    voice, loudspeaker = Voice(endless=True), Loudspeaker()
    speech = Speech(voice, tasks)
    saying, task = speech.begin(loudspeaker, stop_model=lambda: loudspeaker.log.append("model"))
    saying.item(said(ANSWER))
    await settled()
    assert voice.closed == []
    assert speech.stop()
    assert loudspeaker.log == ["silence", "model"]
    await asyncio.wait({task})
    assert task.cancelled()
    assert voice.closed == ["It rose a little."]
    assert len(voice.asked) == 1
    assert saying.heard == 0
    assert not speech.stop()
    assert loudspeaker.log.count("model") == 1


async def test_what_was_heard_is_known_when_it_is_stopped(tasks: Tasks) -> None:
    voice, loudspeaker = Voice(), Loudspeaker(asyncio.Semaphore(5))
    speech = Speech(voice, tasks)
    saying, task = speech.begin(loudspeaker)
    saying.item(said(ANSWER))
    await settled()
    speech.stop()
    await asyncio.wait({task})
    assert ANSWER[: saying.heard] == "It rose a little. Then it fell again."


async def test_a_voice_that_fails_is_told_and_the_words_go_on(tasks: Tasks) -> None:
    voice, loudspeaker = Voice(fails="There is no voice on this machine."), Loudspeaker()
    saying, task = Speech(voice, tasks).begin(loudspeaker)
    saying.item(said(ANSWER))
    await task
    saying.item(said(ANSWER))
    saying.finish()
    assert saying.failed is not None
    assert saying.failed.text == "There is no voice on this machine."
    assert loudspeaker.log == ["silence"]


async def test_a_new_answer_silences_the_old_one_and_leaves_its_model_alone(tasks: Tasks) -> None:
    voice, first, second = Voice(), Loudspeaker(asyncio.Semaphore(0)), Loudspeaker()
    speech = Speech(voice, tasks)
    stopped: list[str] = []
    old, task = speech.begin(first, stop_model=lambda: stopped.append("old"))
    old.item(said(ANSWER))
    await settled()
    saying, new = speech.begin(second)
    assert first.log == ["silence"]
    saying.item(said("Yes."))
    saying.finish()
    await new
    await asyncio.wait({task})
    assert task.cancelled()
    assert stopped == []
    assert second.played > 0


async def test_a_recording_is_a_question_with_its_day_in_digits() -> None:
    voice = Voice(transcript=" What was the close on October\n fifteenth?")
    assert await dictated(voice, Path("q.wav")) == "What was the close on October 15?"
    with pytest.raises(SoundError, match=r"Nothing is said in silence\.wav"):
        await dictated(Voice(transcript=" "), Path("silence.wav"))


async def test_of_what_was_stopped_nothing_more_is_told(tasks: Tasks) -> None:
    loudspeaker, told = Loudspeaker(asyncio.Semaphore(0)), list[str]()
    turns, card = Mock(), Mock(loudspeaker=lambda _: loudspeaker)
    reader = AnswerReader(Speech(Voice(), tasks), card, turns, Mock(now=VoiceChoices()))
    reader.subscribe(
        Mock(
            reading=lambda _: told.append("reading"),
            spoken=lambda _, piece: told.append(piece.said),
            read=lambda _: told.append("read"),
        )
    )
    turn = Turn("t", "c", None, "What?", "done", 0.0, [Message("assistant", "message", ANSWER)])
    reader.begin(turn)
    await settled()
    assert told == ["reading", "It rose a little."]
    loudspeaker.room.release()
    await settled()
    # the first piece has been played, in the moment in which it is stopped
    loudspeaker.room.release()
    reader.stop()
    await settled()
    assert told == ["reading", "It rose a little.", "read"]


async def test_of_words_that_were_a_thought_nothing_more_is_said(tasks: Tasks) -> None:
    voice, loudspeaker, pieces = Voice(), Loudspeaker(asyncio.Semaphore(0)), list[SpokenPart]()
    saying, task = Speech(voice, tasks).begin(loudspeaker, tell=pieces.append)
    saying.item(
        said(
            "One thought. Two thoughts. Three thoughts. Four thoughts. Five thoughts. Six"
            " thoughts. "
        )
    )
    await settled()
    saying.item(Chunk("assistant", "message", end=True))
    saying.item(Recalled(1))
    saying.item(said("It rose."))
    for _ in range(20):
        loudspeaker.room.release()
    saying.finish()
    await task
    spoken = [b["input"] for b in voice.asked]
    assert spoken[-1] == "It rose."
    assert not {"Five thoughts.", "Six thoughts."} & set(spoken)
    assert (pieces[-1].start, pieces[-1].end) == (0, len("It rose."))
