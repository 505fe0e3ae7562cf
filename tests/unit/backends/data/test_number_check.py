"""Numbers that do not come from the data do not stay in an answer."""

from __future__ import annotations

import pytest

from backends.data.number_check import REMOVED, traced, untraced
from backends.data.presentation import show
from backends.data.values import Result
from backends.data.workflow.report import Shown
from backends.data.workflow.summary import told

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
    assert (
        said
        == f"In all **1,234.5**, that is {REMOVED[language]} more [1]. On 2024-03-31 it was 12."
    )


def test_numbers_of_results_and_of_the_question_stay() -> None:
    text = "The top 5 of 2024: 12 and 1,234.5 [1]"
    assert traced(text, [FOUND], "What are the top 5?", "en") == text


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("平均值约77元", "77"),
        ("失業率は77です", "77"),
        ("평균은 약77원", "77"),
        ("第77名", "77"),
        ("USD77", "77"),
        ("It is _77_.", "77"),
        ("It is .77", ".77"),
        ("It is 7.7e-5", "7.7e-5"),
        ("It is 1e999", "1e999"),
    ],
)
def test_a_number_is_seen_however_it_is_joined_to_words(text: str, number: str) -> None:
    assert untraced(text, [FOUND], "") == [number]


@pytest.mark.parametrize(
    "text", ["2024年3月31日为12。", "sales_77 of Q3", "CO2, v7.7, A4", "约1,234.5元"]
)
def test_names_and_numbers_of_results_are_no_numbers_made_up(text: str) -> None:
    assert untraced(text, [FOUND], "") == []


@pytest.mark.parametrize(
    "value", [1e21, -1e300, 1.23456789e18, 4.56789e-7, 1e-12, 123456789012345.6, 0.1 + 0.2, -2.5]
)
def test_a_number_as_it_is_shown_is_found_again(value: float) -> None:
    said = show(value)
    assert len(said) < 25
    assert untraced(f"It is {said}.", [FOUND.model_copy(update={"value": value})], "") == []


def test_there_is_no_nothing_below_zero() -> None:
    assert (show(-0.0), show(-0.0, "%")) == ("0", "0 %")


def test_years_of_a_table_are_written_as_years() -> None:
    made = Shown(
        step="r1", kind="table", columns=["year", "sold"], rows=[[2009, 2009], [2010, 12345]]
    )
    assert told(made, "en").splitlines()[2:] == ["| 2009 | 2,009 |", "| 2010 | 12,345 |"]


def test_a_name_of_several_lines_stays_on_one() -> None:
    trace = {"type": "bar", "name": "v\n# head", "x": ["a\n\n# b", "c" * 500], "y": [2, 1]}
    said = told(Shown(step="r1", kind="chart", figure={"data": [trace]}), "en")
    assert said == f"- v # head: a # b is highest, **2**; {'c' * 80}… is lowest, **1**"
