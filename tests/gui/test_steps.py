"""Steps of an answer in a few words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.domain.conversation import Turn
from app.domain.events import Ended, Reading, Status
from app.domain.stream import Message
from app.ui.chat.lines import restriction
from app.ui.chat.turn import TurnEntry
from app.ui.theme.tokens import LIGHT


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ({"column": "close", "op": ">", "value": 5}, "close > 5"),
        ({"column": "year", "op": "between", "value": [2000, 2009]}, "year between 2000 – 2009"),
        ({"column": "returned_on", "op": "empty", "value": None}, "returned_on empty"),
        ({"column": "paid", "op": "<", "value": None, "other": "owed"}, "paid < owed"),
        ({"column": "price", "op": "=", "value": 0}, "price = 0"),
    ],
)
def test_a_condition_is_shown_as_it_holds(condition: dict[str, Any], words: str) -> None:
    assert restriction(condition) == words


def test_that_words_are_to_come_is_said_until_they_come() -> None:
    """A model that has to be loaded first was silent for seconds below "Not answered from the
    attached data".
    """
    turn = Turn("t", "c", None, "q", "running", 0.0, [])
    entry = TurnEntry(turn, set(), LIGHT)
    entry.rebuild()
    assert "Reading the question" in entry.pieces[-1].source
    turn.items.append(Status("INFO", "Not answered from your data"))
    entry.rebuild()
    assert "Writing the answer" in entry.pieces[-1].source
    turn.items.append(Message("assistant", "message", "Napoleon"))
    entry.rebuild()
    assert [piece.source for piece in entry.pieces if "Writing" in piece.source] == []
    assert entry.pieces[-1].source == "Napoleon"


def test_what_went_wrong_is_said_once_and_where_models_are_is_one_press_away() -> None:
    text = (
        "There is no language model on this machine. Download one with: deskpilot models pull"
        " smollm2-135m"
    )
    items = [Status("ERROR", text), Ended("failed", text, "Send the question again.")]
    entry = TurnEntry(Turn("t", "c", None, "q", "failed", 0.0, [*items]), set(), LIGHT)
    entry.rebuild()
    said = "".join(piece.source for piece in entry.pieces)
    assert said.count("There is no language model") == said.count("Send the question again.") == 1
    assert "act:settings.starters" in said
    alone = TurnEntry(
        Turn("t", "c", None, "q", "failed", 0.0, [Ended("failed", "It broke.", "")]), set(), LIGHT
    )
    alone.rebuild()
    assert "It broke." in alone.pieces[-1].source
    assert "act:settings" not in alone.pieces[-1].source


def sources(entry: TurnEntry) -> list[str]:
    entry.rebuild()
    return [piece.source for piece in entry.pieces]


def test_a_place_in_the_queue_is_shown_until_the_next_place_or_words_come() -> None:
    turn = Turn("t", "c", None, "q", "running", 0.0, [])
    entry = TurnEntry(turn, set(), LIGHT)
    for place in (2, 1):
        said = f"Waiting for the model: place {place} in the queue"
        turn.items.append(Status("INFO", said, passing=True))
        shown = [source for source in sources(entry) if "Waiting" in source or "Writing" in source]
        assert [source.count(said) for source in shown] == [1]
    turn.items.append(Message("assistant", "message", "Napoleon"))
    assert sources(entry)[-1] == "Napoleon"
    assert not any("Waiting" in source for source in sources(entry))
    opened = TurnEntry(replace(turn, state="done"), set(), LIGHT)
    assert not any("Waiting" in source for source in sources(opened))


def test_an_answer_that_asks_says_so_once_with_its_choices_below() -> None:
    words = 'I can\'t find "Apple" in prices. Did you mean:'
    others = (Reading(("close", "AAPL")), Reading(("volume", "AAPL")))
    reading = Reading(("close",), ("Apple",), asks=True, alternatives=others)
    turn = Turn("t", "c", None, "q", "running", 0.0, [])
    entry = TurnEntry(turn, set(), LIGHT)
    turn.items.append(Status("INFO", "close · AAPL", reading=reading))
    assert "Did\u00a0you\u00a0mean:" in sources(entry)[-1]  # a copilot may say nothing more
    text = f"{words}\n- close · AAPL\n- volume · AAPL"
    turn.items.append(Message("assistant", "message", text))
    assert sources(entry)[1:] == [words]
    turn.items.append(Ended("done"))
    turn.state = "done"
    for shown in (entry, TurnEntry(turn, set(), LIGHT)):
        _, said, choices, _ = sources(shown)
        assert said == words
        assert [choices.count(f"alt:{n}") for n in (0, 1, 2)] == [1, 1, 0]
        assert "mean" not in choices
