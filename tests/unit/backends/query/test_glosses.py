"""English words for texts in scripts without spaces."""

from __future__ import annotations

import pytest

from backends.query.glosses import Wide, glosses, in_english

LANGUAGES: tuple[Wide, ...] = ("zh", "ja")


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("哪家租金最高", "zh", "which place rent highest"),
        ("租金", "zh", "rent"),
        ("單價", "zh", "unit price"),  # traditional signs are read as simplified ones
        ("売上がいちばん多い店", "ja", "sales most shop"),
        ("売上 2026-05", "ja", "sales 2026-05"),
        ("Total fees", "zh", "Total fees"),
        ("", "ja", ""),
    ],
)
def test_a_text_is_read_word_by_word_the_longest_first(
    text: str, language: Wide, words: str
) -> None:
    assert in_english(text, language) == words


def test_signs_that_no_word_has_are_left_out() -> None:
    assert in_english("租金のぬ", "zh") == "rent"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_has_thousands_of_words_in_plain_letters(language: Wide) -> None:
    words, longest = glosses(language)
    assert len(words) > 5000
    assert longest <= 12
    assert all(
        english.isascii() and english == english.strip().lower() for english in words.values()
    )
    assert all(len(english.split()) <= 4 for english in words.values())
