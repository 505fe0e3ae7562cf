"""Live sound: where speech is, which words are kept, how often the model listens."""

from __future__ import annotations

import asyncio
import io
import itertools
import wave
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backends.service import live_sound as sessions
from backends.service import live_sound as utterances
from backends.service.live_sound import (
    RATE,
    Agreement,
    Endpointer,
    SoundSession,
    SpeechMark,
    Start,
    plain,
)
from tests.models.speech import SENTENCES, at_rate, spoken


def noise(seconds: float, level: float = 0.001) -> np.ndarray:
    return np.random.default_rng(7).normal(0, level, int(seconds * RATE)).astype(np.float32)


def voice(text: str = SENTENCES[1]) -> np.ndarray:
    return at_rate(*spoken(text), RATE)


def pcm(*parts: np.ndarray) -> np.ndarray:
    return (np.clip(np.concatenate(parts), -1, 1) * 32767).astype("<i2")


def marks(samples: np.ndarray, portion: int = 320) -> list[SpeechMark]:
    endpointer = Endpointer()
    return [
        m
        for at in range(0, len(samples), portion)
        for m in endpointer.feed(samples[at : at + portion])
    ]


@pytest.mark.parametrize("text", SENTENCES[:6])
@pytest.mark.parametrize("room", [0.0, 0.001, 0.004])
def test_speech_is_found_in_a_quiet_room_and_a_loud_one(text: str, room: float) -> None:
    said = voice(text)
    found = marks(
        pcm(noise(1, room), said + noise(len(said) / RATE + 1, room)[: len(said)], noise(1.5, room))
    )
    assert (found[0].kind, found[-1].kind) == ("start", "end")
    assert found[0].at / RATE == pytest.approx(1.0, abs=0.15)
    assert found[-1].at / RATE == pytest.approx(1 + len(said) / RATE, abs=0.35)
    assert [m.kind for m in found].count("start") == 1


def test_silence_a_fan_and_a_click_are_no_speech() -> None:
    fan = np.concatenate([noise(2, 0.0005), noise(20, 0.0012)])
    click = noise(3)
    click[RATE : RATE + 800] = 0.8
    assert marks(pcm(np.zeros(5 * RATE), fan)) == []
    assert marks(pcm(click)) == []


def hum(seconds: float) -> np.ndarray:
    """Return what the mains sound like in a bad cable."""
    t = np.arange(int(seconds * RATE)) / RATE
    return sum(0.1 / n * np.sin(2 * np.pi * 50 * n * t) for n in (1, 2, 3, 5)).astype(np.float32)


def music(seconds: float) -> np.ndarray:
    """Return a chord that is struck twice a second."""
    t = np.arange(int(seconds * RATE)) / RATE
    chord = sum(0.1 * np.sin(2 * np.pi * tone * t) for tone in (262, 330, 392, 523))
    return (chord * np.exp(-((t * 2) % 1) * 3)).astype(np.float32)


def knocks(seconds: float) -> np.ndarray:
    """Return somebody typing beside the microphone: eight knocks a second."""
    one = noise(0.03, 0.4) * np.exp(-np.linspace(0, 6, int(0.03 * RATE)))
    made = np.zeros(int(seconds * RATE), np.float32)
    for at in range(0, len(made) - len(one), RATE // 8):
        made[at : at + len(one)] = one
    return made


@pytest.mark.parametrize(
    "loud",
    [noise(4, 0.1), hum(4), knocks(4), music(4)],
    ids=["a hair dryer", "a hum", "typing", "music"],
)
def test_what_is_loud_and_no_voice_is_no_speech(loud: np.ndarray) -> None:
    """Loudness alone would take it for speech, and Whisper make words of it."""
    assert marks(pcm(noise(1, 0.0005), loud, noise(1, 0.0005))) == []


def test_portions_change_nothing() -> None:
    samples = pcm(noise(0.5), voice(), noise(1))
    assert marks(samples, 77) == marks(samples, 5000) == marks(samples)


def test_words_are_kept_once_two_hypotheses_agree() -> None:
    agreement = Agreement()
    assert agreement.add("Show me this") == ("", "Show me this")
    assert agreement.add("Show me the sail") == ("Show me", " the sail")
    assert agreement.add("show me the sales table") == ("Show me the", " sales table")
    assert agreement.add("") == ("Show me the", "")
    chinese = Agreement()
    chinese.add("收盘价是")
    assert chinese.add("收盘价是多少") == ("收盘价", "是多少")


@given(
    st.lists(st.lists(st.sampled_from(["a", "b", "B.", "c", "价", "は"]), max_size=6), max_size=8)
)
def test_nothing_committed_is_taken_back(hypotheses: list[list[str]]) -> None:
    agreement, before = Agreement(), ""
    for words in hypotheses:
        committed, _ = agreement.add(" ".join(words))
        assert committed.startswith(before)
        before = committed
    assert plain(" B.") == "b"


@dataclass
class Model:
    """Hears how many tenths of a second it was given; `gate` holds a pass until it opens."""

    gate: asyncio.Event = field(default_factory=asyncio.Event)
    given: list[float] = field(default_factory=list)
    stopped: int = 0

    async def hear(self, file: io.BytesIO) -> dict[str, Any]:
        with wave.open(file) as sound:
            assert sound.getframerate() == RATE
            self.given.append(sound.getnframes() / RATE)
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.stopped += 1
            raise
        tenths = int(self.given[-1] * 10)
        return {"text": " ".join(map(str, range(tenths))), "language": "en"}


@dataclass
class Stream:
    """A session, and what it sent."""

    model: Model
    session: SoundSession
    sent: list[dict[str, Any]]

    async def say(self, samples: np.ndarray) -> None:
        data = samples.tobytes()
        for at in range(0, len(data), 641):  # odd portions
            await self.session.sound(data[at : at + 641])
            for _ in range(8):
                await asyncio.sleep(0)

    def kinds(self) -> list[str]:
        return [told["type"] for told in self.sent]


@pytest.fixture
async def opened() -> AsyncGenerator[Any, None]:
    made: list[SoundSession] = []

    def new(**wanted: Any) -> Stream:
        model, sent = Model(), list[dict[str, Any]]()

        async def send(told: dict[str, Any]) -> None:
            sent.append(told)

        made.append(SoundSession(Start(**wanted), model.hear, send))
        return Stream(model, made[-1], sent)

    yield new
    for session in made:
        await session.aclose()


async def test_the_last_pass_begins_in_the_pause_and_none_follows(opened: Any) -> None:
    stream = opened(partials=False)
    stream.model.gate.set()
    await stream.say(pcm(noise(1), voice(), noise(1.5)))
    await stream.session.finished()
    assert stream.kinds() == ["speech-start", "speech-end", "final"]
    assert len(stream.model.given) == 1
    assert stream.sent[-1]["passes"] == 1
    assert stream.sent[-1]["start"] == pytest.approx(0.7, abs=0.2)  # with what came just before
    assert stream.model.given[0] < len(voice()) / RATE + 0.8  # the pass did not wait for the end


async def test_speech_that_goes_on_after_a_pause_is_one_utterance(opened: Any) -> None:
    stream = opened(partials=False)
    stream.model.gate.set()
    await stream.say(pcm(noise(1), voice("Yes."), noise(0.3), voice("No."), noise(1)))
    await stream.session.finished()
    assert stream.kinds() == ["speech-start", "speech-end", "final"]
    assert len(stream.model.given) == 2  # one in each pause


async def test_partials_come_while_one_speaks_and_keep_their_words(opened: Any) -> None:
    stream = opened()
    stream.model.gate.set()
    await stream.say(pcm(noise(1), voice(SENTENCES[0]), noise(1.5)))
    await stream.session.finished()
    partials = [told for told in stream.sent if told["type"] == "partial"]
    assert len(partials) >= 3
    for old, new in pairwise(partials):
        assert new["committed"].startswith(old["committed"])
    assert partials[-1]["committed"] != ""
    assert stream.sent[-1]["type"] == "final"
    assert len(stream.model.given) <= 1 + len(partials)


async def test_one_pass_at_a_time_and_the_newest_sound_next(opened: Any) -> None:
    stream = opened()
    await stream.say(pcm(noise(1), voice(SENTENCES[0])[: int(2.3 * RATE)]))
    assert len(stream.model.given) == 1  # the first still runs
    stream.model.gate.set()
    await asyncio.sleep(0.01)
    await stream.say(pcm(voice(SENTENCES[0])[int(2.3 * RATE) :]))
    assert stream.model.given[1] > 2


async def test_the_longer_a_pass_takes_the_fewer_there_are(
    opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []
    for seconds in (0.1, 0.6):
        now = itertools.count(0, seconds)
        clock = SimpleNamespace(perf_counter=lambda now=now: next(now))
        monkeypatch.setattr(utterances, "time", clock)
        stream = opened(endpointing=False)
        stream.model.gate.set()
        await stream.say(pcm(voice(SENTENCES[0]), voice(SENTENCES[0])))  # five seconds
        counts.append(len(stream.model.given))
    assert counts == [10, 4]  # one in half a second of sound; one in twice what a pass takes


async def test_a_pass_that_cannot_be_the_last_is_stopped_at_the_end(opened: Any) -> None:
    stream = opened(endpointing=False)
    await stream.say(pcm(voice()))
    assert len(stream.model.given) == 1
    await stream.session.end()
    await stream.say(pcm(voice()))  # what comes after the key was let go
    for _ in range(20):
        await asyncio.sleep(0)
    assert stream.model.stopped == 1
    stream.model.gate.set()
    await stream.session.finished()
    assert stream.model.given[-1] == pytest.approx(len(voice()) / RATE, abs=0.01)
    assert stream.kinds() == ["speech-start", "speech-end", "final", "ended"]


async def test_the_model_is_loaded_before_the_first_word(opened: Any) -> None:
    stream = opened()
    stream.model.gate.set()
    stream.session.load()
    await stream.session.finished()
    assert stream.model.given == [0.2]
    assert stream.sent == []


async def test_cancel_stops_the_model_and_forgets(opened: Any) -> None:
    stream = opened()
    await stream.say(pcm(noise(1), voice()))
    await stream.session.cancel()
    assert stream.model.stopped == 1
    assert stream.kinds() == ["speech-start", "cancelled"]
    stream.model.gate.set()
    await stream.say(pcm(noise(1), voice(), noise(1)))
    await stream.session.finished()
    assert stream.kinds()[-1] == "final"


async def test_two_utterances_are_two_finals(opened: Any) -> None:
    stream = opened(partials=False)
    stream.model.gate.set()
    await stream.say(pcm(noise(1), voice(), noise(1), voice(SENTENCES[2]), noise(1)))
    await stream.session.finished()
    assert [told["utterance"] for told in stream.sent if told["type"] == "final"] == [1, 2]


async def test_speech_without_end_is_cut_and_nothing_of_it_lost(
    opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "LONGEST", RATE)
    stream = opened(partials=False, endpointing=True)
    stream.model.gate.set()
    said = np.concatenate([voice(SENTENCES[0]), voice(SENTENCES[0])])
    await stream.say(pcm(noise(1), said, noise(1)))
    await stream.session.finished()
    finals = [told for told in stream.sent if told["type"] == "final"]
    assert len(finals) > 3
    for old, new in pairwise(finals):
        assert new["start"] <= old["end"] + 0.05


async def test_a_failing_model_is_told(opened: Any) -> None:
    stream = opened()

    async def fail(file: io.BytesIO) -> dict[str, Any]:
        raise RuntimeError("broken")

    stream.session._hear = fail
    await stream.say(pcm(noise(1), voice()))
    with pytest.raises(RuntimeError, match="broken"):
        await stream.session.failed
