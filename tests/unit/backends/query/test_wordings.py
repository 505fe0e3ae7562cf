"""Ways people put things, in three languages; each truth is computed in plain Python."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from backends.data.compiler import run_query
from backends.data.interfaces import INTERFACES
from backends.data.profile import profile
from backends.data.table import Table, connect, table_from_rows, table_from_sql
from backends.data.values import Profile
from backends.query.decide import decide
from backends.query.describe import describe
from backends.query.parser import parse
from tests.conftest import REPOSITORY
from tests.unit.backends.query import tables as t

pytestmark = pytest.mark.slow

TODAY = dt.date(2026, 6, 15)
ROWS: dict[str, list[t.Row]] = {
    "library loans": t.LOANS,
    "energy bills": t.BILLS,
    "订单": t.ORDERS_ZH,
    "sales": t.SALES,
    "城市": t.CITIES_ZH,
    "marathon": t.RUNS,
    "tickets": t.TICKETS,
    "hens": t.HENS,
    "AAPL prices": t.PRICES,
    "苹果股价": t.PRICES_ZH,
    "figures": t.MACRO,
    "regions": t.REGIONS,
    "販売": t.SOLD_JA,
}
MACRO = REPOSITORY / "resources" / "samples" / "us_macro.csv"


def opened(name: str) -> tuple[Table, Profile]:
    """Return a table and its profile."""
    if name == "us macro":
        sql = "SELECT * FROM read_csv(?, all_varchar = true)"
        table = table_from_sql(connect(), sql, [str(MACRO)], source="s", hash_="m")
    else:
        table = table_from_rows(ROWS[name], source="s", hash_=name)
    return table, profile(table, name)


def read(name: str, *questions: str) -> tuple[str, list[list[Any]], str]:
    """Ask questions one after another; return what is decided about the last, the rows of its
    likeliest reading, and that reading in words.
    """
    table, about = opened(name)
    previous = None
    for question in questions[:-1]:
        previous = parse(question, [about], today=TODAY, previous=previous)[0].query
    candidates = parse(questions[-1], [about], today=TODAY, previous=previous)
    decided = decide(candidates, None).decision
    if not candidates:
        return decided, [], ""
    query = candidates[0].query
    rows = run_query(query, {"s": table}).rows if decided in ("answer", "confirm") else []
    return decided, rows, " · ".join(describe(query, "en"))


def count(rows: list[t.Row], keep: Any) -> int:
    return sum(1 for row in rows if keep(row))


def total(rows: list[t.Row], column: str, **where: Any) -> float:
    return sum(r[column] for r in rows if all(r[k] == v for k, v in where.items()))


TRAVEL = [r["days_out"] for r in t.LOANS if r["Genre"] == "Travel"]
TEA = [r["Units"] for r in t.SALES if (r["Product"], r["Region"]) == ("Tea", "South")]
MEDIAN = [
    sorted(r["days_out"] for r in t.LOANS if r["Genre"] == g)[7:9] for g in ("Crime", "Travel")
]
CASES = [
    ("library loans", "How many loans have not been returned yet?", count(t.LOANS, lambda r: r["returned_on"] is None)),
    ("library loans", "how many loans were renewed", count(t.LOANS, lambda r: r["Renewed"] == "Y")),
    ("library loans", "How many loans weren't renewed?", count(t.LOANS, lambda r: r["Renewed"] == "N")),
    ("library loans", "How many loans came without a fine?", count(t.LOANS, lambda r: r["fine_gbp"] == 0)),
    ("library loans", "How many loans had exactly 3 copies?", count(t.LOANS, lambda r: r["copies"] == 3)),
    ("library loans", "How many rows?", 48),
    ("library loans", "how many loans are there", 48),
    ("library loans", "number of loans except crime", count(t.LOANS, lambda r: r["Genre"] != "Crime")),
    ("library loans", "avrage days out of travel loans", sum(TRAVEL) / len(TRAVEL)),
    ("library loans", "What is the mean days out for Travl loans?", sum(TRAVEL) / len(TRAVEL)),
    ("library loans", "What is the difference between the median days out of crime and travel?", (sum(MEDIAN[0]) - sum(MEDIAN[1])) / 2),
    ("订单", "非会员的订单有多少笔？", 15),
    ("订单", "红茶平均每单多少元", total(t.ORDERS_ZH, "金额(元)", 商品="红茶") / 20),
    ("订单", "金额超过30元的有几笔", count(t.ORDERS_ZH, lambda r: r["金额(元)"] > 30)),
    ("us macro", "What was the unemployment rate in the third quarter of 2009?", 9.6),
    ("us macro", "unemployment in Q3 2009", 9.6),
    ("us macro", "What was the highest unemployment rate?", 10.7),
    ("us macro", "2009年第3四半期の失業率は？", 9.6),
    ("us macro", "失業率が一番高いのはいつ？", 10.7),
    ("us macro", "平均インフレ率が一番高い年は？", 1979),
    ("us macro", "哪一年的平均通胀最高？", 1979),
    ("sales", "How many orders were there in March 2025?", 3),
    ("sales", "What was the total revenue in the North?", total(t.SALES, "Revenue (USD)", Region="North")),
    ("sales", "total units of coffee", total(t.SALES, "Units", Product="Coffee")),
    ("sales", "average units of tea in the south", sum(TEA) / len(TEA)),
    ("sales", "How many rows have more than 30 units?", count(t.SALES, lambda r: r["Units"] > 30)),
    ("sales", "What is the median revenue?", sum(sorted(r["Revenue (USD)"] for r in t.SALES)[17:19]) / 2),
    ("sales", "how many orders weren't tea?", count(t.SALES, lambda r: r["Product"] != "Tea")),
    ("sales", "how many orders were neither tea nor coffee?", count(t.SALES, lambda r: r["Product"] == "Milk")),
    ("sales", "how many orders had revenue over 200 and units under 30?", count(t.SALES, lambda r: 20 < r["Units"] < 30)),
    ("sales", "total revenue in the summer", sum(r["Revenue (USD)"] for r in t.SALES if r["Order Date"][5:7] in ("06", "07", "08"))),
    ("sales", "total revenue except in March", sum(r["Revenue (USD)"] for r in t.SALES if r["Order Date"][5:7] != "03")),
    ("sales", "average revenue on weekends", sum(w := [r["Revenue (USD)"] for r in t.SALES if dt.date.fromisoformat(r["Order Date"]).weekday() > 4]) / len(w)),
    ("城市", "上海2024年3月的销售额是多少？", 31),
    ("城市", "北京的总销售额是多少", 780),
    ("城市", "广州销售额最高是多少", 122),
    ("城市", "有多少行数量超过10", count(t.CITIES_ZH, lambda r: r["数量"] > 10)),
    ("城市", "哪个城市总销售额最高", "广州"),
    ("城市", "除了北京以外的总销售额", sum(r["销售额"] for r in t.CITIES_ZH if r["城市"] != "北京")),
    ("marathon", "How many did not finish?", count(t.RUNS, lambda r: r["Status"] == "DNF")),
    ("marathon", "average age on rainy days", total(t.RUNS, "Age", Weather="rain") / 20),
    ("marathon", "How many runners older than 45?", count(t.RUNS, lambda r: r["Age"] > 45)),
    ("tickets", "How many tickets are open right now (pending not counted)?", 20),
    ("tickets", "How many tickets don't allow pets?", 15),
    ("tickets", "How many were opened from March 2026?", count(t.TICKETS, lambda r: r["opened"].startswith("2026-03"))),
    ("hens", "二号舍平均每天产蛋多少枚", total(t.HENS, "eggs", shed="二号舍") / 20),
    ("販売", "売上の合計は？", 3000),
    ("販売", "りんごの売上の合計はいくらですか", 1900),
    ("販売", "何行ありますか", 4),
    ("販売", "売上が500より大きい行は何件ですか", 3),
    ("販売", "数量の平均を教えてください", 4.75),
]  # fmt: skip


def says(rows: list[list[Any]], truth: Any) -> bool:
    """Tell whether a result of one row is a value, or is of it."""
    (row,) = rows
    return any(pytest.approx(cell) == truth for cell in (row[0], row[-1]))


@pytest.mark.parametrize(
    ("name", "question", "truth"),
    CASES,
    ids=[case[1] for case in CASES],
)
def test_a_wording_means_what_people_mean_by_it(name: str, question: str, truth: Any) -> None:
    decided, rows, words = read(name, question)
    assert decided in ("answer", "confirm"), words
    assert says(rows, truth), (rows, words)


@pytest.mark.parametrize(
    ("question", "day", "one", "two"),
    [
        ("How much higher was high than low on 15 October?", 1, "high", "low"),
        ("How much higher was the high than the low on 2024-10-14?", 0, "high", "low"),
        ("How much higher than the low was the high on 16 October 2024?", 2, "high", "low"),
        ("How much lower was close than open on 17 October?", 3, "open", "close"),
        ("What was high minus low on 17 October 2024?", 3, "high", "low"),
        ("What is the difference between high and low on 15 October 2024?", 1, "high", "low"),
        ("What was the gap between open and close on 17 October?", 3, "open", "close"),
        ("10月15日最高价比最低价高多少？", 1, "high", "low"),
        ("10月17日收盘价比开盘价低多少？", 3, "open", "close"),
        ("2024年10月16日最高价和最低价相差多少？", 2, "high", "low"),
        ("10月14日最高价与最低价之差是多少？", 0, "high", "low"),
    ],
)
def test_a_difference_of_two_columns_is_computed(
    question: str, day: int, one: str, two: str
) -> None:
    decided, rows, words = read(
        "苹果股价" if "最" in question or "盘" in question else "AAPL prices", question
    )
    assert decided in ("answer", "confirm"), words
    assert says(rows, pytest.approx(abs(t.PRICES[day][one] - t.PRICES[day][two])))


def test_on_average_a_difference_is_one_of_all_rows() -> None:
    _, rows, _ = read("AAPL prices", "On average, how much higher was the high than the low?")
    assert says(rows, sum(p["high"] - p["low"] for p in t.PRICES) / 4)


def test_groups_are_told_by_each() -> None:
    _, rows, _ = read("library loans", "Number of loans for each genre, please")
    assert {row[0]: row[1] for row in rows} == {"Crime": 16, "Travel": 16, "Science": 16}
    _, rows, _ = read("販売", "店舗ごとの売上の合計")
    assert {row[0]: row[1] for row in rows} == {"東京": 1500, "大阪": 800, "福岡": 700}


@pytest.mark.parametrize("question", ["highest Age per Country", "每个Country的最大Age"])
def test_the_highest_of_each_is_no_group_that_is_highest(question: str) -> None:
    _, rows, _ = read("marathon", question)
    assert {row[0]: row[1] for row in rows} == {"Spain": 59, "Norway": 57, "Kenya": 58}


def mean(year: int) -> float:
    return sum(r["infl"] for r in t.MACRO if r["year"] == year) / 4


@pytest.mark.parametrize(
    "asked", ["and in 1990?", "in 1990?", "1990?", "what about 1990", "那1990年呢？"]
)
@pytest.mark.parametrize(
    "before", ["In which year was the mean infl highest?", "mean infl in 1985"]
)
def test_another_year_is_read_as_the_question_before(before: str, asked: str) -> None:
    decided, rows, words = read("figures", before, asked)
    assert decided in ("answer", "confirm")
    assert says(rows, mean(1990))
    assert "1985" not in words


@pytest.mark.parametrize("asked", ["only Nord", "Nord?", "and for Nord?", "只看Nord"])
def test_one_value_after_a_sum_of_each_gives_its_sum(asked: str) -> None:
    _, rows, _ = read("regions", "total sales by region", asked)
    assert rows == [["Nord", 780]]


def test_a_follow_up_carries_the_question_before_on() -> None:
    first = "What was the unemployment rate in the third quarter of 2009?"
    _, rows, _ = read("us macro", first, "And in the second quarter of 2009?")
    assert says(rows, 9.2)


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("library loans", "Which medicine did Ana Ruiz take out?"),
        ("library loans", "Who is the captain of L-0104?"),
        ("订单", "物业费一共交了多少"),
        ("订单", "这些订单的房东是谁？"),
        ("订单", "红茶怎么泡？怎么做才好喝"),
        ("us macro", "How many employees does Apple have?"),
        ("us macro", "What is the capital of France?"),
        ("us macro", "Hello, who are you?"),
        ("us macro", "Write a poem about rain"),
        ("us macro", "Who won the match between Ajax and Porto?"),
        ("us macro", "アップルの従業員数は？"),
        ("sales", "What was the revenue in Atlantis?"),
        ("tickets", "What is Mia's phone number?"),
        ("tickets", "How much does Mia weigh?"),
        ("tickets", "Who wrote T-501?"),
        ("tickets", "How much water did Noah use?"),
        ("販売", "りんごのズレは？"),
        ("販売", "社員の平均年齢は？"),
    ],
)
def test_what_a_table_does_not_hold_is_not_answered(name: str, question: str) -> None:
    assert read(name, question)[0] in ("ask", "none")


@pytest.mark.parametrize(
    ("name", "question", "word"),
    [
        ("sales", "total revenue if the price doubled", "doubled"),
        ("library loans", "How many bathrooms does Ana Ruiz have?", "bathrooms"),
        ("販売", "売上とズレの合計は？", "ズレ"),
    ],
)
def test_a_restriction_that_nothing_took_is_named(name: str, question: str, word: str) -> None:
    _, about = opened(name)
    candidates = parse(question, [about], today=TODAY)
    assert decide(candidates, None).decision in ("ask", "confirm")
    assert word in " ".join(candidates[0].unread).split()


@pytest.mark.parametrize(
    "text",
    ["", "?", "   ", "。", "'; DROP TABLE x; --", "\ud800", "9" * 400, "a " * 2000, "2024-02-31", "between and"],
)  # fmt: skip
def test_no_text_makes_it_fail(text: str) -> None:
    _, about = opened("us macro")
    parse(text, [about], today=TODAY)


@pytest.mark.parametrize("last", ["Total", "TOTAL", "Grand total", "Summe", "合计"])
def test_a_row_of_totals_is_neither_highest_nor_added_up(last: str) -> None:
    rows = [
        *({"customer": c, "sales": s} for c, s in (("Alba", 10), ("Bern", 25), ("Cato", 30), ("Dora", 20))),
        {"customer": last, "sales": 85},
    ]  # fmt: skip
    table = table_from_rows(rows, source="s", hash_=last)
    about = profile(table, "figures")
    for question, truth in (
        ("Which customer has the highest sales?", ["Cato", 30]),
        ("total sales", [85]),
    ):
        query = parse(question, [about], today=TODAY)[0].query
        assert run_query(query, {"s": table}).rows == [truth]


def test_a_code_too_rare_to_be_listed_is_found() -> None:
    many = [row | {"LoanID": f"L-{i:05}"} for i, row in enumerate(t.LOANS * 8)]
    table = table_from_rows(many, source="s", hash_="many")
    found = INTERFACES["find_values"].run(table, {"source": "s", "phrases": ["L-00031"]})
    assert [str(row[1]) for row in found.rows] == ["LoanID"]


def test_a_restriction_that_only_the_network_takes_is_flagged() -> None:
    _, about = opened("sales")
    decided = decide(parse("how many orders have no units?", [about], today=TODAY), None)
    assert decided.decision in ("ask", "confirm")
    assert "Units is empty" in describe(decided.candidates[0].query, "en")
