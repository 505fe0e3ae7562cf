"""Titles: the matter of a question, without the words one asks with."""

from __future__ import annotations

import pytest

from app.domain.conversation import LONGEST, title_of


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("What was the unemployment rate in the third quarter of 2009?", "Unemployment rate in the third quarter of 2009"),
        ("Show real GDP over time since 1990", "Real GDP over time since 1990"),
        ("Can you show me the revenue by month?", "Revenue by month"),
        ("How many rows?", "How many rows"),
        ("2009年第三季度的失业率是多少？", "2009年第三季度的失业率"),
        ("売上を教えてください", "売上"),
        ("/skill:terse What is this?", "What is this"),
        ("", "New chat"),
        ("?", "?"),
    ],
)  # fmt: skip
def test_a_chat_is_named_by_the_matter_of_its_question(question: str, title: str) -> None:
    assert title_of(question) == title


@pytest.mark.parametrize(
    "question", ["x" * 100_000, "?" * 100_000 + "x", "very " * 100, "\n" * 9 + "a\ud800"]
)
def test_a_title_is_short_whatever_was_asked(question: str) -> None:
    assert 0 < len(title_of(question)) <= LONGEST
