"""Thoughts and answer, wherever the pieces are cut."""

from __future__ import annotations

import pytest

from backends.flexai.thinking import Thinking


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
@pytest.mark.parametrize(
    ("written", "text", "reasoning"),
    [
        ("Plain answer.", "Plain answer.", ""),
        ("\n<think>a < b </thin</think>\n\nSo: <think>x</think>", "So: <think>x</think>", "a < b </thin"),
        ("<think>never ends", "", "never ends"),
        ("<think>ends</thi", "", "ends</thi"),
        ("<think></think>", "", ""),
        ("<thin", "<thin", ""),
        ("  ", "  ", ""),
        ("", "", ""),
        ("< 5", "< 5", ""),
    ],
)
def test_nothing_is_lost_and_nothing_is_mixed(written: str, text: str, reasoning: str, size: int) -> None:
    thinking = Thinking()
    said = [thinking.feed(written[at : at + size]) for at in range(0, len(written), size)]
    said.append(thinking.finish())
    assert "".join(piece.text for piece in said) == text
    assert "".join(piece.reasoning for piece in said) == reasoning


def test_a_thought_the_prompt_has_opened_is_one() -> None:
    thinking = Thinking(begun=True)
    assert thinking.feed("Let me see.</think>\n\nFour.") == ("Four.", "Let me see.")
