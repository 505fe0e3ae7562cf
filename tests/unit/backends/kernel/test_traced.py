"""Numbers that do not come from the data do not stay in an answer."""

from __future__ import annotations

import pytest

from backends.kernel import Result
from backends.kernel.interfaces.traced import REMOVED, traced

FOUND = Result(
    interface="sum",
    source="t",
    source_hash="h",
    value=1234.5,
    columns=["day", "units"],
    rows=[["2024-03-31", 12]],
)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_number_of_no_result_gives_way_to_a_mark(language: str) -> None:
    said = traced(
        "In all **1,234.5**, that is 77.7 more [1]. On 2024-03-31 it was 12.", [FOUND], "", language
    )
    assert said == f"In all **1,234.5**, that is {REMOVED[language]} more [1]. On 2024-03-31 it was 12."


def test_numbers_of_results_and_of_the_question_stay() -> None:
    text = "The top 5 of 2024: 12 and 1,234.5 [1]"
    assert traced(text, [FOUND], "What are the top 5?", "en") == text
