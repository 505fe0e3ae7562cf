"""A hands-free talk: whose answer it waits for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from app.domain.conversation import Turn
from app.domain.events import Ended
from app.domain.sound import LiveStep
from app.services.voice.speech import VoiceChoices
from app.services.voice.talk import Talk

if TYPE_CHECKING:
    from app.services.voice.talk import Begun


class Started:
    """Tasks by name that never run."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def start(self, name: str, work: Any) -> None:
        """Note the name."""
        work.close()
        self.names.append(name)


class Listener:
    """Keeps what is asked."""

    def __init__(self) -> None:
        self.questions: list[tuple[str, Begun]] = []

    def asked(self, text: str, begun: Begun) -> None:
        """Keep a question."""
        self.questions.append((text, begun))

    def state(self, state: str) -> None:
        """Do nothing."""

    def words(self, committed: str, open_: str) -> None:
        """Do nothing."""


def turn(uid: str, question: str) -> Turn:
    return Turn(uid, "c", None, question, "done", 1.0)


def talking(tasks: Started, listener: Listener) -> Any:
    """Return a talk that listens."""
    outside = SimpleNamespace(ear=None, sound=None)
    turns = SimpleNamespace(consents=None, subscribe=lambda _: None)
    reader = SimpleNamespace(subscribe=lambda _: None, turn=None, always=False, heard=0)
    choices = SimpleNamespace(now=VoiceChoices(chimes=False))
    parts = (outside, None, reader, turns, tasks, choices, None)
    talk: Any = Talk(*cast("tuple[Any, ...]", parts))
    talk._reset(listener)
    talk._become("listening")
    return talk


def say(talk: Any, text: str) -> None:
    """Say one utterance."""
    talk._step(LiveStep("final", 1, text=text))


def test_a_typed_question_in_the_same_words_is_not_taken_for_the_spoken_one() -> None:
    tasks, listener = Started(), Listener()
    talk = talking(tasks, listener)
    say(talk, "What was it in 1982?")
    ((text, begun),) = listener.questions
    talk._on_item(turn("typed", text), Ended("done"))
    assert tasks.names == []
    spoken = turn("spoken", text)
    begun(spoken)
    talk._on_item(turn("typed", text), Ended("done"))
    assert tasks.names == []
    talk._on_item(spoken, Ended("done"))
    assert tasks.names == ["talk: listen again"]


def test_a_question_that_was_interrupted_before_its_turn_began_is_not_waited_for() -> None:
    tasks, listener = Started(), Listener()
    talk = talking(tasks, listener)
    say(talk, "What was it in 1982?")
    talk._interrupt()
    spoken = turn("spoken", "What was it in 1982?")
    listener.questions[0][1](spoken)
    talk._on_item(spoken, Ended("done"))
    assert tasks.names == []
