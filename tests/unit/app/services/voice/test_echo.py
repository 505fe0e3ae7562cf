"""The loudspeaker's own sound is no speech, a person's voice beside it is: with the real
canceller.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from app.adapters.system.echo import EchoCanceller
from app.domain.sound import EAR_RATE, RATE
from app.services.voice.talk import Reference
from backends.service.live_sound import Endpointer
from tests.models.speech import SENTENCES, at_rate, spoken

pytestmark = pytest.mark.slow

FRAME = 320
SPEAKS = 4.0  # seconds: when the person begins


class Speaker:
    """A loudspeaker of a system that takes portions of its own size."""

    def __init__(self) -> None:
        self.played = 0

    async def play(self, sound: bytes) -> None:
        """Take it: the test says when it is played."""

    async def drained(self) -> None:
        """Nothing waits."""

    def silence(self) -> None:
        """It is silent."""


class Card:
    def __init__(self) -> None:
        self.speaker = Speaker()

    def loudspeaker(self, device: str | None) -> Speaker:
        return self.speaker


def answer() -> np.ndarray:
    """Return seven seconds of speech at the loudspeaker's rate."""
    pause = np.zeros(RATE // 8, np.float32)
    parts = [part for text in SENTENCES[:6] for part in (at_rate(*spoken(text), RATE) * 0.6, pause)]
    return np.concatenate([np.zeros(RATE // 2, np.float32), *parts])


def in_a_room(sound: np.ndarray, late_ms: int, loud: float) -> np.ndarray:
    """Return what a microphone hears of a loudspeaker: late, from several walls, and the room's
    noise.
    """
    walls = np.zeros(1600)
    walls[[0, 200, 500, 1200]] = 1, 0.4, -0.3, 0.15
    echo = (
        np.convolve(at_rate(sound, RATE, EAR_RATE), walls)[: len(sound) * EAR_RATE // RATE] * loud
    )
    heard = np.concatenate([np.zeros(late_ms * EAR_RATE // 1000), echo])[: len(echo)]
    return heard + np.random.default_rng(1).standard_normal(len(heard)) * 0.0007


@pytest.mark.parametrize("late_ms", [20, 60, 120, 250])
@pytest.mark.parametrize("loud", [0.3, 1.0])
async def test_only_the_person_is_heard(late_ms: int, loud: float) -> None:
    sound = answer()
    echo = in_a_room(sound, late_ms, loud)
    person = np.zeros(len(echo))
    voice = at_rate(*spoken(SENTENCES[6]), EAR_RATE) * 0.5
    person[int(SPEAKS * EAR_RATE) :][: len(voice)] = voice
    assert (
        Endpointer(700).feed(as_samples(echo))[0].kind == "start"
    )  # not cleaned, it is taken for speech
    assert await starts(sound, echo) == []
    (begins,) = await starts(sound, echo + person)
    assert SPEAKS - 0.1 < begins < SPEAKS + 1


@pytest.mark.parametrize("noise", [0.0, 0.002])
async def test_with_a_headset_what_a_person_says_is_not_touched(noise: float) -> None:
    sound = answer()
    heard = np.random.default_rng(1).standard_normal(len(sound) * EAR_RATE // RATE) * noise
    voice, at = at_rate(*spoken(SENTENCES[6]), EAR_RATE) * 0.5, int(SPEAKS * EAR_RATE)
    heard[at:][: len(voice)] += voice
    clean = await cleaned(sound, heard)
    assert np.array_equal(clean[at:][: len(voice)], as_samples(heard)[at:][: len(voice)])


async def test_with_a_headset_who_speaks_as_the_voice_goes_on_after_a_pause_is_not_touched() -> (
    None
):
    """The words of an answer may be late: the voice waits for them, and is still the same
    headset's.
    """
    one, pause = at_rate(*spoken(SENTENCES[0]), RATE) * 0.6, np.zeros(2 * RATE, np.float32)
    sound = np.concatenate([np.zeros(RATE // 2, np.float32), one, pause, one])
    heard = np.random.default_rng(1).standard_normal(len(sound) * EAR_RATE // RATE) * 0.001
    voice, at = (
        at_rate(*spoken(SENTENCES[6]), EAR_RATE) * 0.5,
        (len(sound) - len(one)) * EAR_RATE // RATE,
    )
    heard[at:][: len(voice)] += voice
    clean = await cleaned(sound, heard)
    assert np.array_equal(clean[at:][: len(voice)], as_samples(heard)[at:][: len(voice)])


async def starts(sound: np.ndarray, heard: np.ndarray) -> list[float]:
    """Return when speech begins in what is left."""
    marks = Endpointer(700).feed(await cleaned(sound, heard))
    return [mark.at / EAR_RATE for mark in marks if mark.kind == "start"]


async def cleaned(sound: np.ndarray, heard: np.ndarray) -> np.ndarray:
    """Return what is left, the loudspeaker taking its sound in portions of 25 ms."""
    card: Any = Card()
    reference = Reference(card, EchoCanceller())
    await reference.begin()
    speaker = reference.loudspeaker(None)
    await speaker.play(as_samples(sound).tobytes())
    made = list[bytes]()
    for at in range(0, len(heard) - FRAME + 1, FRAME):
        now = at / EAR_RATE
        card.speaker.played = (
            min(len(sound), int(now / 0.025 + 2) * RATE // 40) * 2
        )  # two portions ahead
        made.append(reference.clean(as_samples(heard[at : at + FRAME]).tobytes()))
        assert len(made[-1]) == FRAME * 2
    return np.frombuffer(b"".join(made), "<i2")


def as_samples(sound: np.ndarray) -> np.ndarray:
    return (np.clip(sound, -1, 1) * 32767).astype("<i2")


async def test_where_nothing_is_played_what_is_heard_stays_what_it_is() -> None:
    card: Any = Card()
    reference = Reference(card, EchoCanceller())
    await reference.begin()
    voice = at_rate(*spoken(SENTENCES[6]), EAR_RATE) * 0.5
    whole = [
        reference.clean(as_samples(voice[at : at + 300]).tobytes())
        for at in range(0, len(voice), 300)
    ]
    assert b"".join(whole) == as_samples(voice).tobytes()
