"""Pieces of an answer come at most every 20 ms, and none is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from backends.flexai.thoughts import AnswerPiece
from backends.providers.llama_cpp import answer

if TYPE_CHECKING:
    from collections.abc import Iterator


class Clock:
    """Time that passes when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(answer.time, "monotonic", lambda: self.now)

    def pieces(self, *told: tuple[float, str]) -> Iterator[AnswerPiece]:
        """Yield texts, each so many milliseconds after the one before."""
        for wait, text in told:
            self.now += wait / 1000
            yield AnswerPiece(text)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_a_slow_model_is_not_held_up(clock: Clock) -> None:
    told = [(0, "one"), (50, " two"), (21, " three")]
    assert [said.text for said in answer.joined(clock.pieces(*told))] == ["one", " two", " three"]


def test_the_first_piece_comes_at_once_and_fast_ones_together(clock: Clock) -> None:
    pieces = answer.joined(clock.pieces((0, "a"), (5, "b"), (5, "c"), (5, "d"), (6, "e"), (5, "f")))
    assert next(pieces).text == "a"
    assert clock.now == 100.0
    assert [said.text for said in pieces] == ["bcde", "f"]


def test_thoughts_and_words_stay_apart(clock: Clock) -> None:
    said = iter(
        [
            AnswerPiece("", "hm"),
            AnswerPiece("", " so"),
            AnswerPiece("Yes", ""),
            AnswerPiece(".", ""),
        ]
    )
    assert list(answer.joined(said)) == [AnswerPiece("", "hm"), AnswerPiece("Yes.", " so")]


def test_what_was_held_comes_before_the_error(clock: Clock) -> None:
    def broken() -> Iterator[AnswerPiece]:
        yield from clock.pieces((0, "a"), (5, "b"))
        raise RuntimeError("It broke.")

    pieces = answer.joined(broken())
    assert [next(pieces).text, next(pieces).text] == ["a", "b"]
    with pytest.raises(RuntimeError):
        next(pieces)


def test_what_was_held_goes_with_a_reader_who_leaves(clock: Clock) -> None:
    pieces = answer.joined(clock.pieces((0, "a"), (5, "b"), (30, "c")))
    assert next(pieces).text == "a"
    pieces.close()
    assert list(pieces) == []
