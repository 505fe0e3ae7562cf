"""Dates in questions: so long from a day on, until today, and the last months where prices count."""

from __future__ import annotations

import datetime as dt

import pytest

from backends.query.dates import Clock, DateReader
from backends.query.lexicon import languages_of, lexicon

TODAY = dt.date(2023, 5, 13)


def read(text: str, *, rolling: bool = False) -> list[tuple[str, str]]:
    """Return the first and last days of the dates of a text."""
    words = lexicon(languages_of(text, ""))
    clock = Clock(TODAY, high=TODAY, rolling=rolling)
    spans = DateReader(words, text, words.tokens(text), clock).spans()
    return [(str(one.period.start), str(one.period.end)) for one in spans]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2018年1月23日到今天", "2018-01-23", "2023-05-13"),
        ("2023年至今", "2023-01-01", "2023-05-13"),
        ("6 months after March 2021", "2021-03-01", "2021-08-31"),
        ("从2019年1月之后6个月", "2019-01-01", "2019-06-30"),
        ("2019年1月5日之后2周", "2019-01-05", "2019-01-18"),
        ("after March 2021", "2021-04-01", "None"),
    ],
)
def test_a_time_from_a_day_on_is_read(text: str, start: str, end: str) -> None:
    assert read(text) == [(start, end)]


@pytest.mark.parametrize(
    ("text", "whole", "rolling"),
    [
        ("the last three months", ("2023-02-01", "2023-04-30"), ("2023-02-13", "2023-05-13")),
        ("近十年", ("2013-01-01", "2022-12-31"), ("2013-05-13", "2023-05-13")),
        ("the last 20 days", ("2023-04-23", "2023-05-12"), ("2023-04-23", "2023-05-12")),
        ("last year", ("2022-01-01", "2022-12-31"), ("2022-01-01", "2022-12-31")),
    ],
)
def test_the_last_months_of_a_rolling_clock_end_today(
    text: str, whole: tuple[str, str], rolling: tuple[str, str]
) -> None:
    assert read(text) == [whole]
    assert read(text, rolling=True) == [rolling]
