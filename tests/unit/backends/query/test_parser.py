"""Plain questions become the queries they mean: read with words of the language, computed over
rows.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pytest

from backends.data.compiler import run_query
from backends.data.profile import profile
from backends.data.query import Call
from backends.data.table import table_from_rows
from backends.query.decide import decide
from backends.query.parser import parse

SOURCE = "9f8e7d6c-5b4a-4c2e-9d0f-9e8d7c6b5a4b"
TODAY = dt.date(2025, 6, 16)
FACTS = [
    ("2025-05-01", "Ada", "brakes", 2, 30.0, 1.5, "2025-05-02"),
    ("2025-05-01", "Ben", "gears", 1, 45.5, 2.0, "2025-05-09"),
    ("2025-05-17", "Ada", "gears", 3, 12.0, 0.5, "2025-05-17"),
    ("2025-06-02", "Cleo", "wheel", 1, 80.0, 3.0, None),
    ("2025-06-07", "Ben", "brakes", 4, 25.0, 1.0, "2025-06-08"),
    ("2025-06-08", "Ada", "brakes", 2, 20.0, 0.0, None),
]
NAMES = ("received", "mechanic", "fault", "parts", "price", "hours", "collected")
ROWS: list[dict[str, Any]] = [dict(zip(NAMES, fact, strict=True)) for fact in FACTS]
TABLE = table_from_rows(ROWS, source=SOURCE, hash_="h")
PROFILE = profile(TABLE, "Repairs")


def computed(question: str, previous: str | None = None) -> list[list[Any]]:
    """Return the rows of the likeliest reading."""
    before = parse(previous, [PROFILE], today=TODAY)[0].query if previous else None
    best = parse(question, [PROFILE], today=TODAY, previous=before)[0]
    return run_query(best.query, {SOURCE: TABLE}).rows


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many repairs did Ada do?", 3),
        ("What is the total price of brakes?", 75.0),
        ("average price in May", 29.1667),
        ("average price weighted by parts", 27.8077),
        ("weighted average price by parts", 27.8077),
        ("price 按 parts 加权平均是多少", 27.8077),
        ("partsで重み付けしたpriceの平均", 27.8077),
        ("how many arent collected yet", 2),
        ("how many were collected the same day", 1),
        ("How many took longer than 5 days?", 1),
        ("how many more repairs did Ada do than Ben", 1),
        ("share of gears in percent", 33.3333),
        ("How many have a price above the average?", 2),
        ("how many with zero hours", 1),
        ("5月一共修了多少钱", 87.5),
        ("total price from May 2025 to June 2025", 212.5),
        ("total price from 2025-05-17 to 2025-06-07", 117.0),
        ("total price from 17 May to 7 June 2025", 117.0),
        ("2025年5月到6月的price合计", 212.5),
        ("2025年5月17日到6月7日price合计", 117.0),
        ("2025年5月から6月までのpriceの合計", 212.5),
    ],
)
def test_a_question_is_computed_as_it_is_meant(question: str, answer: float) -> None:
    ((*_, value),) = computed(question)
    assert value == pytest.approx(answer, abs=0.01)


TOWNS = [
    {"Town": "Hexby", "Area": 41.0, "2022": 900, "2023": 1200, "2024": 1100},
    {"Town": "Lowdon", "Area": 12.5, "2022": 400, "2023": 300, "2024": 350},
    {"Town": "Marsh", "Area": 30.0, "2022": 70, "2023": 80, "2024": 95},
]
WIDE = table_from_rows(TOWNS, source=SOURCE, hash_="w")


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("In which year did Hexby have the most people?", [["2023", 1200.0]]),
        ("Which year was lowest in total?", [["2022", 1370.0]]),
        ("plot Lowdon over time", [["2022", 400.0], ["2023", 300.0], ["2024", 350.0]]),
    ],
)
def test_columns_that_are_years_are_read_as_one_series(
    question: str, rows: list[list[Any]]
) -> None:
    best = parse(question, [profile(WIDE, "Towns")], today=TODAY)[0]
    assert run_query(best.query, {SOURCE: WIDE}).rows == rows


@pytest.mark.parametrize(
    ("question", "show", "grouped"),
    [
        ("Plot the price over time", "line", 1),
        ("Show hours as a line chart", "line", 1),
        ("bar chart of total price by fault", "bar", 1),
        ("chart the average price by mechanic", "bar", 1),
        ("scatter plot of price and hours", "scatter", 0),
        ("修理价格price的走势图", "line", 1),
    ],
)
def test_what_asks_for_a_chart_gets_its_axis(question: str, show: str, grouped: int) -> None:
    best = parse(question, [PROFILE], today=TODAY)[0].query
    assert (best.show, len(best.group)) == (show, grouped)
    assert len(run_query(best, {SOURCE: TABLE}).rows) > 1


def test_which_two_are_the_first_two() -> None:
    rows = computed("Which 2 faults had the highest average price?")
    assert [row[0] for row in rows] == ["wheel", "gears"]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("who has fixed the most?", "Ada"),
        ("Which fault has the highest average price?", "wheel"),
        ("who did the last repair in May", "Ada"),
    ],
)
def test_who_and_which_are_answered_by_a_name(question: str, name: str) -> None:
    rows = computed(question)
    assert len(rows) == 1
    assert name in rows[0]


@pytest.mark.parametrize(
    ("first", "then", "answer"),
    [
        ("How many repairs did Ada do?", "and Ben?", 2),
        ("How many repairs did Ada do?", "how many of those in June?", 1),
        ("What is the highest price?", "and the lowest?", 12.0),
    ],
)
def test_a_short_further_question_changes_the_one_before(
    first: str, then: str, answer: float
) -> None:
    ((*_, value),) = computed(then, first)
    assert value == pytest.approx(answer)


@pytest.mark.parametrize("question", ["Tell me a joke", "Who wrote the manifesto?", "hello"])
def test_what_has_nothing_to_do_with_the_table_is_no_question_about_it(question: str) -> None:
    assert parse(question, [PROFILE], today=TODAY) == []


def test_words_that_nothing_explains_are_kept_and_never_answered_without_a_flag() -> None:
    found = parse("How many repairs of unicycles did Ada do?", [PROFILE], today=TODAY)
    assert found[0].unread == ("unicycles",)
    assert decide(found, None).decision != "answer"


@pytest.mark.parametrize(
    ("first", "then", "answer"),
    [
        ("How many repairs in May?", "and the month after?", 3),
        ("total price in June", "and the month before that?", 87.5),
        ("How many repairs on 7 June?", "and the day after?", 1),
        ("5月的price总计", "后一个月呢", 125.0),
    ],
)
def test_a_period_is_moved_by_its_own_length(first: str, then: str, answer: float) -> None:
    assert computed(then, first)[0][-1] == pytest.approx(answer)


def test_a_short_further_question_keeps_to_the_rows_of_the_one_before() -> None:
    assert computed("and how many brakes?", "How many repairs did Ada do?") == [[2]]


def answered(question: str, rows: list[dict[str, Any]], name: str) -> list[list[Any]]:
    """Return the rows of the likeliest reading of a question about other rows."""
    table = table_from_rows(rows, source=SOURCE, hash_="h")
    best = parse(question, [profile(table, name)], today=TODAY)[0]
    return run_query(best.query, {SOURCE: table}).rows


BILLS = [
    {"Month": f"{2024 + i // 12}-{i % 12 + 1:02d}-01", "Elec kWh": 100 + 7 * i, "Bill (£)": 50 + i}
    for i in range(18)
]
GAMES = [
    {"Date": f"2025-0{i}-10", "Home": home, "Away": away, "HG": a, "AG": b, "Crowd": 100 * i}
    for i, (home, away, a, b) in enumerate(
        [
            ("Elms", "Oaks", 2, 1),
            ("Oaks", "Elms", 0, 3),
            ("Elms", "Ash", 0, 1),
            ("Ash", "Oaks", 2, 2),
            ("Oaks", "Ash", 4, 1),
            ("Ash", "Elms", 1, 0),
        ],
        start=1,
    )
]
MARKS = [
    {"Pupil": "Ann", "Maths %": 60, "English %": 70, "Science %": 40},
    {"Pupil": "Bob", "Maths %": 50, "English %": 90, "Science %": 45},
    {"Pupil": "Cem", "Maths %": 90, "English %": 55, "Science %": 65},
]
STAFF = [
    {"Name": name, "Dept": dept, "Course": course, "Minutes (min)": minutes}
    for name, dept, course, minutes in [
        ("Ann", "Sales", "safety", 30),
        ("Bob", "Sales", "first aid", 45),
        ("Cem", "Stores", "first aid", 20),
        ("Dee", "Office", "safety", 60),
        ("Eve", "Stores", "lifting", 25),
    ]
]


@pytest.mark.parametrize(
    ("rows", "name", "question", "answer"),
    [
        (BILLS, "Bills", "how much was the bill in may 25", 66),
        (GAMES, "Games", "how many times have Elms won?", 2),
        (GAMES, "Games", "How many games has Oaks lost?", 2),
        (MARKS, "Marks", "who has the second highest maths mark?", "Ann"),
        (MARKS, "Marks", "which subject is the worst?", "Science %"),
        (STAFF, "Courses", "how many minutes did Sales spend in total, I mean all of them", 75),
        (TOWNS, "Towns", "Which town has grown the most since 2022?", "Hexby"),
        (TOWNS, "Towns", "which town has grown most in percent?", "Marsh"),
    ],
)
def test_an_everyday_question_is_computed_as_it_is_meant(
    rows: list[dict[str, Any]], name: str, question: str, answer: object
) -> None:
    found = answered(question, rows, name)
    assert len(found) == 1
    assert answer in found[0]


def test_nothing_is_compared_with_itself() -> None:
    found = parse("how much more did brakes cost than brakes", [PROFILE], today=TODAY)
    assert found
    for one in found:
        for item in one.query.items:
            compared = item.expression
            assert not (isinstance(compared, Call) and compared.args[0] == compared.args[-1])


def test_am_is_a_value_where_a_column_says_am_and_pm() -> None:
    rows = [
        {"day": "2026-01-02", "when": half, "top": top}
        for half, top in (("am", 120), ("pm", 130), ("am", 140), ("pm", 150), ("am", 121))
    ]
    table = table_from_rows(rows, source=SOURCE, hash_="halves")
    about = profile(table, "Blood pressure")
    for question, wanted in (
        ("How many readings were taken in the am?", 3),
        ("What is the average top of the pm readings?", 140),
    ):
        best = parse(question, [about], today=TODAY)[0]
        assert run_query(best.query, {SOURCE: table}).rows == [[wanted]]


def test_a_column_of_zeros_beside_another_number_stops_nothing() -> None:
    rows = [{"name": n, "fines": 0, "price": p} for n, p in (("a", 3.5), ("b", 7.0))]
    table = table_from_rows(rows, source=SOURCE)
    best = parse("What is the total price?", [profile(table, "shop")], today=TODAY)[0]
    assert run_query(best.query, {SOURCE: table}).rows == [[10.5]]


def test_of_many_sheets_the_one_with_the_days_asked_for_is_heard_by_the_network() -> None:
    sheets = []
    for month, name in enumerate(("Jan", "Feb", "Mar", "Apr"), 1):
        rows = [{"Date": f"2025-{month:02d}-{day:02d}", "price": day} for day in range(1, 20)]
        sheets.append(profile(table_from_rows(rows, source=name), f"{name} 2025"))

    def embed(texts: list[str]) -> np.ndarray:
        return np.zeros((len(texts), 384), np.float32)

    best = parse("total price in April 2025", sheets, today=TODAY, embed=embed)[0]
    assert best.query.source == "Apr"
