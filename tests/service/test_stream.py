"""`/v1/audio/stream` of the real service, with raw samples and the tiny Whisper."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faster_whisper import WhisperModel
from websockets.exceptions import ConnectionClosedError, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tests.models.speech import SENTENCES, WHISPER, at_rate, spoken
from tests.service.conftest import Service
from tests.service.test_audio import running, speaking

__all__ = ["speaking"]  # a fixture

RATE = 16000
QUIET = np.zeros(RATE, np.float32)


@contextmanager
def stream(service: Service, *, token: str | None = None) -> Iterator[ClientConnection]:
    headers = {"Authorization": f"Bearer {service.token if token is None else token}"}
    address = service.url.replace("http://", "ws://") + "/v1/audio/stream"
    with connect(address, additional_headers=headers, proxy=None) as socket:
        yield socket


def tell(socket: ClientConnection, kind: str, **told: Any) -> None:
    socket.send(json.dumps({"type": kind, **told}))


def hear(socket: ClientConnection, until: str) -> list[dict[str, Any]]:
    """Return what comes, up to the first of a kind."""
    came: list[dict[str, Any]] = []
    while not came or came[-1]["type"] != until:
        came.append(json.loads(socket.recv(timeout=60)))
        assert came[-1]["type"] != "error" or until == "error", came[-1]
    return came


def say(socket: ClientConnection, *parts: np.ndarray) -> None:
    data = (np.clip(np.concatenate(parts), -1, 1) * 32767).astype("<i2").tobytes()
    for at in range(0, len(data), 640):
        socket.send(data[at : at + 640])


def voice(text: str) -> np.ndarray:
    return at_rate(*spoken(text), RATE)


def test_what_is_said_comes_back_while_it_is_said(speaking: Service) -> None:
    with stream(speaking) as socket:
        tell(socket, "start", model="tiny-whisper", language="en")
        assert hear(socket, "ready")[0]["model"] == "tiny-whisper"
        for text in SENTENCES[:3]:
            say(socket, QUIET, voice(text), QUIET)
            came = hear(socket, "final")
            assert [t["type"] for t in came if t["type"] != "partial"] == [
                "speech-start",
                "speech-end",
                "final",
            ]
            assert (came[-1]["text"], came[-1]["language"]) == (text, "en")


def test_push_to_talk_ends_when_the_key_is_let_go(speaking: Service) -> None:
    with stream(speaking) as socket:
        tell(socket, "start", endpointing=False, hotwords="sales")
        hear(socket, "ready")
        for text in SENTENCES[1:3]:
            say(socket, voice(text))
            tell(socket, "end")
            assert hear(socket, "final")[-1]["text"] == text
            tell(socket, "start", endpointing=False)
            hear(socket, "ready")


def rooms() -> dict[str, np.ndarray]:
    """What a room sounds like in which nobody speaks, three seconds each."""
    noise, at = np.random.default_rng(1).normal(0, 1, 3 * RATE), np.arange(3 * RATE) / RATE
    clicks = np.zeros(3 * RATE)
    clicks[:: RATE // 4] = 0.8
    fan = np.convolve(noise, np.ones(40) / 40, "same") * 0.3
    hum = 0.1 * np.sin(2 * np.pi * 100 * at)
    made = {"nothing": noise * 0, "hiss": noise * 0.05, "fan": fan, "hum": hum, "keyboard": clicks}
    return {name: samples.astype(np.float32) for name, samples in made.items()}


def test_silence_and_noise_give_no_words_and_the_same_words_really_spoken_are_kept(
    speaking: Service,
) -> None:
    with stream(speaking) as socket:
        for samples in rooms().values():
            tell(socket, "start", endpointing=False, partials=False)
            hear(socket, "ready")
            say(socket, samples)
            tell(socket, "end")
            assert hear(socket, "final")[-1]["text"] == ""
        for words in ("Thank you.", "Yes.", "Hello, how are you?"):  # what Whisper makes of silence
            tell(socket, "start", endpointing=False, partials=False)
            hear(socket, "ready")
            say(socket, QUIET, voice(words) + 0.002 * rooms()["hiss"][: len(voice(words))], QUIET)
            tell(socket, "end")
            assert hear(socket, "final")[-1]["text"] == words


def test_cancel_forgets_and_the_stream_goes_on(speaking: Service) -> None:
    with stream(speaking) as socket:
        tell(socket, "start", endpointing=False)
        hear(socket, "ready")
        say(socket, voice(SENTENCES[0]))
        tell(socket, "cancel")
        hear(socket, "cancelled")
        say(socket, voice(SENTENCES[1]))
        tell(socket, "end")
        assert hear(socket, "final")[-1]["text"] == SENTENCES[1]


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        (["no json"], "start"),
        (['{"type": "start", "silence_ms": 1}'], "start"),
        (['{"type": "end"}'], "start"),
        ([b"\x00\x00"], "before sending it"),
        (['{"type": "start", "model": "nope"}'], "'nope'"),
    ],
)
def test_what_means_nothing_is_told_and_the_stream_is_closed(
    speaking: Service, messages: list[str | bytes], told: str
) -> None:
    with stream(speaking) as socket:
        for message in messages:
            socket.send(message)
        assert told in hear(socket, "error")[-1]["message"]
        with pytest.raises(ConnectionClosedError):
            socket.recv(timeout=10)


@pytest.fixture
def empty(tmp_path: Path, repository: Path) -> Iterator[Service]:
    """A service without any model."""
    yield from running(tmp_path, repository)


def test_a_missing_model_says_which_and_how_large_before_any_sound(empty: Service) -> None:
    with stream(empty) as socket:
        tell(socket, "start")
        (came,) = hear(socket, "error")
    assert "deskpilot models pull whisper-base (" in came["remedy"]
    assert " MB" in came["remedy"]


def siren() -> np.ndarray:
    t = np.arange(3 * RATE) / RATE
    wailing = np.sin(2 * np.pi * 200 * t + 5 * np.sin(2 * np.pi * 4 * t)) * (
        np.sin(2 * np.pi * 2 * t) > 0
    )
    return (0.2 * wailing).astype(np.float32)


@pytest.mark.parametrize("held", [True, False])
def test_what_whisper_makes_of_noise_is_not_written_and_the_same_words_really_spoken_are(
    speaking: Service, held: bool
) -> None:
    whisper = WhisperModel(WHISPER["model_path"], device="cpu", compute_type="int8")
    made, _ = whisper.transcribe(siren(), language="en", temperature=0.0)
    assert next(iter(made)).text == " Thank you."  # left to itself
    with stream(speaking) as socket:
        for sound, text in ((siren(), ""), (voice("Thank you."), "Thank you.")):
            tell(socket, "start", endpointing=not held, partials=False, language="en")
            say(socket, QUIET, sound, QUIET)
            tell(socket, "end")
            finals = [told["text"] for told in hear(socket, "ended") if told["type"] == "final"]
            assert "".join(finals) == text


def test_nobody_listens_without_the_token(speaking: Service) -> None:
    with pytest.raises(InvalidStatus, match="403"), stream(speaking, token="wrong"):
        pass


def test_hanging_up_in_the_middle_leaves_the_service_well(speaking: Service) -> None:
    with stream(speaking) as socket:
        tell(socket, "start", endpointing=False)
        hear(socket, "ready")
        say(socket, voice(SENTENCES[0]))
    with speaking.client() as client:
        assert client.get("/healthz").status_code == 200
    with stream(speaking) as socket:
        tell(socket, "start", endpointing=False)
        say(socket, voice(SENTENCES[1]))
        tell(socket, "end")
        assert hear(socket, "final")[-1]["text"] == SENTENCES[1]
