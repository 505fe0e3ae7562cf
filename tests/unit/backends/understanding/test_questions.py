"""What is heard without a value, a column's name or right spelling; each truth computed in plain
Python.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from backends.data.interfaces import INTERFACES
from backends.data.profile import profile
from backends.data.rows import table_from_rows
from backends.data.table import Table
from backends.data.values import Result
from backends.understanding import NeedValues, Understanding, understand

pytestmark = pytest.mark.slow

TODAY = dt.date(2026, 6, 15)
NAMES = ("Ana Ruiz", "Ben Okoro", "Cleo Marsh", "Dan Frost", "Eva Stone")
LOANS = [
    {
        "LoanID": f"L-{100 + i:04}",
        "Member": NAMES[i % 5],
        "Genre": ("Crime", "Travel", "Science")[i % 3],
        "loaned_on": f"2026-{i % 5 + 1:02}-{i % 27 + 1:02}",
        "returned_on": None if i % 4 == 0 else f"2026-06-{i % 9 + 1:02}",
        "days_out": i % 19 + 1,
        "fine_gbp": 0.0 if i % 3 else i / 10,
        "Renewed": "Y" if i % 5 < 2 else "N",
        "Country": ("DE", "FR", "GB")[i % 3],
        "copies": i % 4 + 1,
    }
    for i in range(48)
]
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
BILLS = [
    {
        "BillMonth": f"{MONTHS[i % 12]} {2024 + i // 12}",
        "Electricity kWh": 300 + 7 * i % 90,
        "cost_eur": 90.5 + i,
    }
    for i in range(29)
]
ZH = [
    {
        "订单号": f"DD{i:05}",
        "门店": ("城东店", "滨江店")[i % 2],
        "商品": ("红茶", "咖啡", "牛奶")[i % 3],
        "重量(公斤)": i % 7 + 1,
        "金额(元)": i * 3 % 50 + 5,
        "是否会员": "是" if i % 4 else "否",
        "日期": f"2026-{i % 5 + 1:02}-{i % 28 + 1:02}",
    }
    for i in range(60)
]


async def run(rows: list[dict[str, Any]], name: str, question: str) -> tuple[Understanding, Result]:
    table = table_from_rows(rows, source="s")
    read = await understood(table, name, question)
    assert read.decision in ("answer", "confirm"), read
    return read, INTERFACES[read.readings[0].interface].run(table, read.readings[0].arguments)


async def understood(table: Table, name: str, question: str) -> Understanding:
    about = profile(table, name)
    read = await understand(question, [about], embed=None, today=TODAY)
    if isinstance(read, NeedValues):
        found: dict[str, list[str]] = {}
        for row in (
            INTERFACES["find_values"].run(table, {"source": "s", "phrases": read.phrases}).rows
        ):
            found.setdefault(str(row[1]), []).append(str(row[2]))
        read = await understand(question, [about], embed=None, today=TODAY, found=found)
    assert isinstance(read, Understanding)
    return read


def count(rows: list[dict[str, Any]], keep: Any) -> int:
    return sum(1 for row in rows if keep(row))


@pytest.mark.parametrize(
    ("question", "value"),
    [
        (
            "How many loans have not been returned yet?",
            count(LOANS, lambda r: r["returned_on"] is None),
        ),
        ("how many loans were renewed", count(LOANS, lambda r: r["Renewed"] == "Y")),
        ("How many loans weren't renewed?", count(LOANS, lambda r: r["Renewed"] == "N")),
        ("How many loans came without a fine?", count(LOANS, lambda r: r["fine_gbp"] == 0)),
        ("How many loans had exactly 3 copies?", count(LOANS, lambda r: r["copies"] == 3)),
        ("How many rows?", len(LOANS)),
        ("how many loans are there", len(LOANS)),
        ("How many German loans are there?", count(LOANS, lambda r: r["Country"] == "DE")),
        ("number of loans except crime", count(LOANS, lambda r: r["Genre"] != "Crime")),
        (
            "How many loans were out for longer than 12 days?",
            count(LOANS, lambda r: r["days_out"] > 12),
        ),
    ],
)
async def test_conditions_are_heard_without_a_value(question: str, value: int) -> None:
    _, result = await run(LOANS, "library loans", question)
    assert result.value == value


@pytest.mark.parametrize(
    "question", ["avrage days out of travel loans", "What is the mean days out for Travl loans?"]
)
async def test_a_slip_of_the_pen_is_mended(question: str) -> None:
    _, result = await run(LOANS, "library loans", question)
    days = [r["days_out"] for r in LOANS if r["Genre"] == "Travel"]
    assert result.value == pytest.approx(sum(days) / len(days))


async def test_money_is_found_by_its_unit() -> None:
    _, result = await run(LOANS, "library loans", "How many pounds did Ben Okoro pay?")
    assert result.value == pytest.approx(
        sum(r["fine_gbp"] for r in LOANS if r["Member"] == "Ben Okoro")
    )


async def test_one_number_for_each_value_of_a_column() -> None:
    read, result = await run(LOANS, "library loans", "Number of loans for each genre, please")
    assert read.readings[0].interface == "group"
    assert {row[0]: row[1] for row in result.rows} == {"Crime": 16, "Travel": 16, "Science": 16}


async def test_a_code_too_rare_to_be_listed_is_found_and_never_guessed() -> None:
    many = [row | {"LoanID": f"L-{i:05}"} for i, row in enumerate(LOANS * 3)]
    read, result = await run(many, "library loans", "Which genre is L-00031?")
    assert result.value == many[31]["Genre"]
    read = await understood(
        table_from_rows(many, source="s"), "library loans", "Which genre is L-99999?"
    )
    assert read.decision in ("ask", "talk")


@pytest.mark.parametrize(
    "question",
    [
        "Which medicine did Ana Ruiz take out?",
        "How many bathrooms does Ana Ruiz have?",
        "Who is the captain of L-0104?",
    ],
)
async def test_a_noun_of_nothing_in_the_table_is_asked_back(question: str) -> None:
    read = await understood(table_from_rows(LOANS, source="s"), "library loans", question)
    assert read.decision in ("ask", "talk")


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What was the electricity cost in March 2025?", BILLS[14]["cost_eur"]),
        ("cost over the last three months, all together", sum(b["cost_eur"] for b in BILLS[26:29])),
        ("How many kWh did we use in 2024?", sum(b["Electricity kWh"] for b in BILLS[:12])),
        ("What is the latest cost?", BILLS[28]["cost_eur"]),
    ],
)
async def test_written_months_follow_the_calendar(question: str, value: float) -> None:
    _, result = await run(BILLS, "energy bills", question)
    assert result.value == pytest.approx(value)


async def test_a_change_between_months_is_later_against_earlier() -> None:
    _, result = await run(
        BILLS, "energy bills", "By what percent did the cost change from April 2025 to April 2026?"
    )
    first, second = BILLS[15]["cost_eur"], BILLS[27]["cost_eur"]
    assert result.value == pytest.approx((second - first) / first * 100)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("城东店一共卖了多少公斤", sum(r["重量(公斤)"] for r in ZH if r["门店"] == "城东店")),
        ("会员订单有几单", count(ZH, lambda r: r["是否会员"] == "是")),
        ("非会员的订单有多少笔？", count(ZH, lambda r: r["是否会员"] == "否")),
        ("红茶平均每单多少元", sum(r["金额(元)"] for r in ZH if r["商品"] == "红茶") / 20),
        ("金额超过30元的有几笔", count(ZH, lambda r: r["金额(元)"] > 30)),
        ("一共涉及多少种商品", 3),
    ],
)
async def test_chinese_as_people_type_it(question: str, value: float) -> None:
    _, result = await run(ZH, "订单", question)
    assert result.value == pytest.approx(value)


@pytest.mark.parametrize(
    "question", ["物业费一共交了多少", "这些订单的房东是谁？", "红茶怎么泡？怎么做才好喝"]
)
async def test_chinese_about_something_else_gets_no_number(question: str) -> None:
    read = await understood(table_from_rows(ZH, source="s"), "订单", question)
    assert read.decision in ("ask", "talk")


@pytest.mark.parametrize(
    "question",
    [
        "What is in this table?",
        "describe the data",
        "Which columns are there?",
        "这张表里有哪些列？",
    ],
)
async def test_what_a_table_holds_is_told_from_its_profile(question: str) -> None:
    read = await understood(table_from_rows(LOANS, source="s"), "library loans", question)
    assert read.back is not None
    assert "48" in read.back
    assert all(name in read.back for name in LOANS[0])


@pytest.mark.parametrize("question", ["What was the rate?", "what's the amount"])
async def test_a_bare_noun_is_asked_back_with_the_columns(question: str) -> None:
    read = await understood(table_from_rows(LOANS, source="s"), "library loans", question)
    assert read.decision == "ask"
    assert "days_out" in str(read.back)


async def test_a_difference_of_medians_is_one_and_says_so() -> None:
    question = "What is the difference between the median days out of crime and travel?"
    read, result = await run(LOANS, "library loans", question)
    median = [
        sorted(r["days_out"] for r in LOANS if r["Genre"] == g)[7:9] for g in ("Crime", "Travel")
    ]
    assert result.value == abs(sum(median[0]) / 2 - sum(median[1]) / 2)
    assert "median" in read.readings[0].words
