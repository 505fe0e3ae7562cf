"""A server that falls silent, drips, or is left: the call ends in time, and hangs up."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

from backends.flexai.entities import ModelType
from backends.flexai.errors import InvokeCancelledError, InvokeConnectionError
from backends.flexai.models.ai_model import cancellable
from backends.providers.openai_compatible import connection
from tests.unit.backends.providers.openai_compatible.conftest import (
    END,
    PIECE,
    SAID,
    STALL,
    Scripted,
    ask,
    model,
)

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow


STALLS: dict[str, Callable[[Scripted], None]] = {
    "before the headers": lambda peer: peer.answers.append([STALL]),
    "before the first event": lambda peer: peer.streams(STALL),
    "in mid-stream": lambda peer: peer.streams(PIECE, STALL),
    "inside an event": lambda peer: peer.streams(PIECE, "data: {", STALL),
}


@pytest.mark.parametrize("where", STALLS)
def test_a_server_that_falls_silent_is_left(where: str, peer: Scripted) -> None:
    STALLS[where](peer)
    start = time.monotonic()
    with pytest.raises(InvokeConnectionError) as caught:
        ask(peer, timeout="0.3")
    assert time.monotonic() - start < 5
    assert "increase the timeout" in caught.value.remedy
    assert peer.gone.wait(5)


class Drip:
    """The same again, a little later."""

    def __init__(self, peer: Scripted, what: str) -> None:
        self.peer, self.what = peer, what

    def __str__(self) -> str:
        self.peer.ended.wait(0.05)
        return self.what


def test_a_server_that_drips_comments_is_late_too(peer: Scripted) -> None:
    peer.streams(PIECE, *[Drip(peer, ": ping\n\n")] * 400)
    start = time.monotonic()
    with pytest.raises(InvokeConnectionError, match="nothing useful"):
        ask(peer, timeout="0.3")
    assert time.monotonic() - start < 5


def test_a_whole_answer_that_drips_is_late_too(peer: Scripted) -> None:
    peer.says('{"data": ', *[Drip(peer, " ")] * 400)
    start = time.monotonic()
    with pytest.raises(InvokeConnectionError, match="nothing useful"):
        model(ModelType.TEXT_EMBEDDING).invoke("m", peer.credentials(timeout="0.3"), ["a"])
    assert time.monotonic() - start < 5


def test_an_answer_that_is_whole_does_not_wait_for_a_silent_server(
    peer: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "AFTER_SECONDS", 0.3)
    peer.streams(PIECE, END, STALL)
    start = time.monotonic()
    assert ask(peer) == "Hello"
    assert time.monotonic() - start < 5


@pytest.mark.parametrize("where", STALLS)
def test_a_stopped_call_ends_at_once_wherever_the_server_is(where: str, peer: Scripted) -> None:
    STALLS[where](peer)
    flag = threading.Event()
    threading.Timer(0.2, flag.set).start()
    start = time.monotonic()
    with cancellable(flag), pytest.raises(InvokeCancelledError):
        ask(peer)
    assert time.monotonic() - start < 2
    assert peer.gone.wait(5)


def test_closing_the_answer_hangs_up(peer: Scripted) -> None:
    peer.streams(PIECE, STALL)
    chunks = model(ModelType.LLM).invoke("m", peer.credentials(), SAID)
    assert next(chunks).delta.message.text() == "Hello"
    chunks.close()
    assert peer.gone.wait(5)
