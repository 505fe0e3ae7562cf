"""Thoughts and answer, wherever the pieces are cut."""

from __future__ import annotations

import pytest

from backends.flexai.thoughts import FINAL, ThoughtSplitter, opened_by

ANALYSIS = "<|channel|>analysis<|message|>"


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
@pytest.mark.parametrize(
    ("written", "text", "reasoning"),
    [
        ("Plain answer.", "Plain answer.", ""),
        (
            "\n<think>a < b </thin</think>\n\nSo: <think>x</think>",
            "So: <think>x</think>",
            "a < b </thin",
        ),
        ("<think>never ends", "", "never ends"),
        ("<think>ends</thi", "", "ends</thi"),
        ("<think></think>", "", ""),
        ("<thin", "<thin", ""),
        ("  ", "  ", ""),
        ("", "", ""),
        ("< 5", "< 5", ""),
        ("[THINK]a [/THIN[/THINK]So.", "So.", "a [/THIN"),
        ("[THIS]", "[THIS]", ""),
        (f"{ANALYSIS}Hm.<|end|><|start|>assistant{FINAL}Four.", "Four.", "Hm."),
        (f"{ANALYSIS}Hm.<|end|>Four.", "Four.", "Hm."),
        (f"{ANALYSIS}Hm.<|end|><|start|>ass", "", "Hm."),
        (f"{FINAL}Four.", "Four.", ""),
        ("<|channel|>", "<|channel|>", ""),
    ],
)
def test_nothing_is_lost_and_nothing_is_mixed(
    written: str, text: str, reasoning: str, size: int
) -> None:
    thinking = ThoughtSplitter()
    said = [thinking.feed(written[at : at + size]) for at in range(0, len(written), size)]
    said.append(thinking.finish())
    assert "".join(piece.text for piece in said) == text
    assert "".join(piece.reasoning for piece in said) == reasoning


def test_a_thought_the_prompt_has_opened_is_one() -> None:
    thinking = ThoughtSplitter(begun=True)
    assert thinking.feed("Let me see.</think>\n\nFour.") == ("Four.", "Let me see.")


@pytest.mark.parametrize(
    ("prompt_end", "rest"),
    [
        ("assistant\n<think>\n", "Hm.</think>Four."),
        ("[THINK]", "Hm.[/THINK]Four."),
        (ANALYSIS, "Hm.<|end|>Four."),
    ],
)
def test_each_familys_mark_at_the_end_of_a_prompt_is_seen(prompt_end: str, rest: str) -> None:
    assert ThoughtSplitter(begun=opened_by(prompt_end)).feed(rest) == ("Four.", "Hm.")
    assert opened_by("assistant\n") is False
    assert opened_by(FINAL) is False
