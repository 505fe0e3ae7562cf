"""Dictation, standby, words put together: with a microphone and an ear that do as they are told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from app.domain.conversation import Turn
from app.domain.errors import DeskpilotError, SoundError
from app.domain.events import Ended
from app.domain.settings import SPEED
from app.domain.sound import EAR_RATE, LiveStep
from app.domain.stream import Message
from app.services.conversation.recorder import cut
from app.services.settings import Settings
from app.services.tasks import Tasks
from app.services.voice.dictation import (
    LONGEST,
    PRE_ROLL,
    Dictation,
    DictationOptions,
    DictationTranscript,
    Standby,
    hotwords,
    loudness,
)
from app.services.voice.speech import ChoicesStore, VoiceChoices
from app.services.voice.talk import NOTES, chime
from backends.data.profile import profile
from backends.data.table import table_from_rows
from tests.unit.app.services.models.scripted import MemoryFile

FRAME = b"\x01\x02" * 320


class Script:
    """A sound card, an ear, a store and who is told."""

    def __init__(self) -> None:
        self.frames: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.steps_: asyncio.Queue[LiveStep] = asyncio.Queue()
        self.sent: list[Any] = []
        self.told: list[tuple[str, Any]] = []
        self.kept: dict[str, str] = {}
        self.opened_ = self.waiting = 0
        self.name = "Mic"
        self.missing: SoundError | None = None

    @asynccontextmanager
    async def microphone(self, device: str | None) -> AsyncGenerator[Script]:
        self.opened_ += 1
        yield self
        self.opened_ -= 1

    async def frames_(self) -> AsyncGenerator[bytes, None]:
        while (frame := await self.frames.get()) is not None:
            yield frame
        raise SoundError("Mic is gone.", "Plug it in again.")

    @asynccontextmanager
    async def listen(self, wanted: dict[str, Any]) -> AsyncGenerator[Script]:
        if self.missing is not None:
            raise self.missing
        self.sent.append(wanted)
        yield self

    async def begin(self, wanted: dict[str, Any]) -> None:
        self.sent.append(wanted)

    async def send(self, sound: bytes) -> None:
        self.sent.append(len(sound))

    async def end(self) -> None:
        self.sent.append("end")

    async def steps(self) -> AsyncGenerator[LiveStep, None]:
        while True:
            yield await self.steps_.get()

    async def setting(self, name: str) -> str | None:
        return self.kept.get(name)

    async def save_setting(self, name: str, value: str) -> None:
        self.kept[name] = value

    def __getattr__(self, name: str) -> Any:
        if name in ("opened", "level", "muted", "words", "failed", "said", "cancelled"):
            return lambda *args: self.told.append((name, args[0] if len(args) == 1 else args))
        raise AttributeError(name)

    def kinds(self) -> list[str]:
        return [name for name, _ in self.told if name != "level"]


class Microphone:
    def __init__(self, script: Script) -> None:
        self.script, self.name, self.waiting = script, "Mic", 0

    def frames(self) -> AsyncGenerator[bytes, None]:
        return self.script.frames_()


class Card:
    def __init__(self, script: Script) -> None:
        self.script = script

    @asynccontextmanager
    async def microphone(self, device: str | None) -> AsyncGenerator[Microphone]:
        self.script.opened_ += 1
        try:
            yield Microphone(self.script)
        finally:
            self.script.opened_ -= 1


@pytest.fixture
async def tasks() -> AsyncGenerator[Tasks]:
    made = Tasks()
    yield made
    await made.aclose()


def parts(tasks: Tasks) -> tuple[Script, Standby, Dictation]:
    script: Any = Script()
    card: Any = Card(script)
    standby = Standby(card, tasks, ChoicesStore(Settings(MemoryFile())))
    return script, standby, Dictation(script, standby, tasks)


async def until(condition: Any) -> None:
    async with asyncio.timeout(5):
        while not condition():
            await asyncio.sleep(0)


async def test_a_missing_model_is_told_and_no_microphone_is_opened(tasks: Tasks) -> None:
    script, _, dictation = parts(tasks)
    script.missing = SoundError("There is no model.", "Get one.")
    await dictation.begin(DictationOptions(), script)
    assert script.kinds() == ["failed", "said"]
    assert script.opened_ == 0
    assert not script.sent


async def test_held_for_half_a_second_it_is_one_utterance(tasks: Tasks) -> None:
    script, _, dictation = parts(tasks)
    task = dictation.begin(DictationOptions(hotwords="sales"), script)
    for _ in range(30):
        script.frames.put_nowait(FRAME)
    await until(lambda: script.sent[1:] == [640 * 25, *[640] * 5])
    assert script.sent[0] == {"endpointing": False, "silence_ms": 800, "hotwords": "sales"}
    dictation.finish()
    for _ in range(8):  # what is still in the air
        script.frames.put_nowait(FRAME)
    await until(lambda: script.sent[-1:] == ["end"])
    assert script.sent.count(640) == 5 + 8
    assert script.opened_ == 0  # closed before the last words are written down
    for step in (
        LiveStep("partial", 1, "It is", " late"),
        LiveStep("final", 1, text="It is late."),
    ):
        script.steps_.put_nowait(step)
    script.steps_.put_nowait(LiveStep("ended"))
    await task
    assert script.kinds() == ["opened", "words", "words", "said"]
    assert script.told[-1] == ("said", "It is late.")


async def test_a_click_listens_sentence_by_sentence(tasks: Tasks) -> None:
    script, _, dictation = parts(tasks)
    dictation.begin(DictationOptions(language="en"), script)
    dictation.keep()
    script.frames.put_nowait(FRAME)
    await until(lambda: script.sent[-1:] == [640])
    assert script.sent[1] == {"endpointing": True, "silence_ms": 800, "language": "en"}
    assert dictation.cancel()
    await until(lambda: script.kinds() == ["opened", "cancelled"])
    await until(lambda: script.opened_ == 0)


async def test_an_unplugged_microphone_keeps_the_words_and_says_why_it_ended(tasks: Tasks) -> None:
    script, _, dictation = parts(tasks)
    task = dictation.begin(DictationOptions(), script)
    script.frames.put_nowait(FRAME)
    script.frames.put_nowait(None)
    await until(lambda: script.sent[-1:] == ["end"])
    script.steps_.put_nowait(LiveStep("final", 1, text="Kept."))
    script.steps_.put_nowait(LiveStep("ended"))
    await task
    assert script.kinds() == ["opened", "words", "failed", "said"]
    (error,) = [told for name, told in script.told if name == "failed"]
    assert isinstance(error, DeskpilotError)
    assert error.text == "Mic is gone."
    assert script.told[-1] == ("said", "Kept.")


async def test_nothing_but_zeros_is_told_once_and_a_quiet_room_is_not(tasks: Tasks) -> None:
    for frame, muted in ((bytes(640), 1), (b"\x01\x00" * 320, 0)):
        script, _, dictation = parts(tasks)
        dictation.begin(DictationOptions(), script)
        for _ in range(250):
            script.frames.put_nowait(frame)
        await until(lambda s=script: s.frames.empty())
        await until(lambda s=script: [n for n, _ in s.told].count("level") == 250)
        assert script.kinds().count("muted") == muted
        dictation.cancel()


async def test_what_was_said_just_before_the_key_comes_first(tasks: Tasks) -> None:
    script, standby, dictation = parts(tasks)
    standby.keep(True)
    for _ in range(100):
        script.frames.put_nowait(FRAME)
    await until(lambda: standby.open and script.frames.empty())
    task = dictation.begin(DictationOptions(), script)
    dictation.finish()
    await until(lambda: "opened" in script.kinds())
    assert script.opened_ == 1  # the one that stood by
    standby.keep(False)  # the window is left: who dictates keeps it
    for _ in range(8):
        script.frames.put_nowait(FRAME)
    await until(lambda: script.sent[-1:] == ["end"])
    assert PRE_ROLL <= sum(n for n in script.sent if isinstance(n, int)) <= PRE_ROLL + 8 * 640
    assert 0.3 <= PRE_ROLL / 2 / EAR_RATE <= 0.5
    script.steps_.put_nowait(LiveStep("ended"))
    await task
    await until(lambda: script.opened_ == 0)


def test_a_transcript_grows_and_is_written_as_one_types() -> None:
    transcript = DictationTranscript()
    transcript.take(LiveStep("partial", 1, "What was", " the close"))
    assert (transcript.committed, transcript.open) == ("What was", " the close")
    transcript.take(LiveStep("final", 1, text="It rose on October fifteenth.", language="en"))
    transcript.take(LiveStep("partial", 2, "", "And"))
    assert (transcript.committed, transcript.open) == ("It rose on October 15.", " And")
    transcript.take(LiveStep("final", 2, text="", language="en"))
    assert transcript.text == "It rose on October 15."
    chinese = DictationTranscript()
    chinese.take(LiveStep("final", 1, text="你好。", language="zh"))
    chinese.take(LiveStep("partial", 2, "今天", "的收盘价"))
    assert chinese.text == "你好。今天的收盘价"


def test_names_of_tables_are_words_to_expect_each_once_and_not_too_many() -> None:
    rows = [{"adjClose": 1.0, "unit_price": 2.0, "date": "2024-10-15", "AAPL": 3}]
    made = profile(table_from_rows(rows, source="w"), "Historical Stock Price", symbols=["AAPL"])
    assert hotwords([made]) == "Historical Stock Price, AAPL, adj Close, unit price, date"
    wide = profile(
        table_from_rows([{f"column number {n}": n for n in range(80)}], source="w"), "Wide"
    )
    assert len(hotwords([wide]) or "") <= LONGEST
    assert hotwords([]) is None


async def test_choices_are_settings_and_hold_at_once_whoever_changed_them() -> None:
    file = MemoryFile()
    settings = Settings(file)
    store = ChoicesStore(settings)
    assert await store.load() == VoiceChoices()
    await store.change(aloud=True, microphone="Headset")
    assert file.kept == {"voice.aloud": True, "voice.microphone": "Headset"}
    await settings.put(SPEED, 1.25)
    assert store.now == VoiceChoices(aloud=True, microphone="Headset", speed=1.25)
    await store.change(microphone=None)
    assert await ChoicesStore(Settings(file)).load() == VoiceChoices(aloud=True, speed=1.25)


async def test_an_answer_is_cut_to_what_was_heard_over_all_its_messages() -> None:
    written: list[Any] = []

    class Store:
        async def put_items(self, *args: Any) -> None:
            written.append(args)

    items: list[Any] = [
        Message("assistant", "message", "One. "),
        Message("assistant", "message", "Two. Three."),
    ]
    turn = Turn("t", "c", None, "?", "stopped", 0.0, [*items, Ended("stopped")])
    store: Any = Store()
    await cut(turn, 9, store)
    assert turn.answer() == "One. Two."
    assert written == [("t", 0, turn.items, "stopped")]


def test_loudness_and_chimes() -> None:
    assert loudness(bytes(640)) == loudness(b"") == 0.0
    quiet, loud = loudness(b"\x00\x01" * 320), loudness(b"\xff\x7f" * 320)
    assert 0 < quiet < loud <= 1.0
    assert all(0.05 < len(chime(name)) / 48000 < 0.3 for name in NOTES)
