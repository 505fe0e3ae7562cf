"""Texts in parts that are compared, and what was found by words and by meaning in one list."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation import FoundTurn
from app.domain.semantic_search import MOST, PART, TurnText, fused, parts_of


def told(question: str, answer: str) -> TurnText:
    return TurnText(1, f"{question}\n{answer}", len(question))


def cut(text: TurnText) -> list[str]:
    return [text.text[part.start : part.end] for part in parts_of(text)]


def test_the_question_is_a_part_of_its_own_and_short_paragraphs_go_together() -> None:
    first, rest = cut(told("Why is bread sour?", "Yeast.\n\nAnd time."))
    assert first == "Why is bread sour?"
    assert rest.strip() == "Yeast.\n\nAnd time."


def test_a_long_answer_is_cut_between_paragraphs_and_at_its_longest() -> None:
    answer = "a" * 300 + "\n\n" + "b" * 300 + "\n\n" + "c" * (PART + 50)
    parts = [part.strip() for part in cut(told("Q?", answer))]
    assert parts == ["Q?", "a" * 300, "b" * 300, "c" * PART, "c" * 50]


def test_of_an_endless_answer_the_first_parts_are_read() -> None:
    assert len(cut(told("Q?", "word " * 100_000))) == MOST


@given(st.text(max_size=300), st.text(alphabet="ab \n", max_size=3000))
def test_parts_lie_within_the_text_in_their_order_and_say_something(
    question: str, answer: str
) -> None:
    text = told(question, answer)
    parts = parts_of(text)
    assert all(0 <= part.start < part.end <= len(text.text) for part in parts)
    assert all(part.end - part.start <= PART for part in parts)
    assert [part.start for part in parts] == sorted(part.start for part in parts)
    assert all(part.strip() for part in cut(text))


def found(turn: str, by: str = "words") -> FoundTurn:
    return FoundTurn("c", "Title", turn, turn, by=by)  # type: ignore[arg-type]


def test_what_both_have_found_comes_first_and_is_told_once() -> None:
    words = [found("a"), found("b"), found("c")]
    meant = [found("x", "meaning"), found("c", "meaning")]
    together = fused(words, meant)
    assert [(one.turn_id, one.by) for one in together] == [
        ("c", "both"),
        ("a", "words"),
        ("x", "meaning"),
        ("b", "words"),
    ]
    assert fused(words, []) == words
    assert fused([], meant) == meant
    assert len(fused(words, meant, limit=2)) == 2
