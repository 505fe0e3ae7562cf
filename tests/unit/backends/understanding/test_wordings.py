"""Ways people put things: with values left out or let be, in other units, for gain or loss, in two
languages.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from backends.data.interfaces import INTERFACES
from backends.data.profile import profile
from backends.data.rows import table_from_rows
from backends.understanding import NeedValues, Understanding, understand

pytestmark = pytest.mark.slow

TODAY = dt.date(2026, 6, 15)
QUARTERS = [
    {"Quarter": f"{year}-Q{q}", "Revenue ($m)": 10.0 + year - 2020 + q, "Net income ($m)": (-1) ** (year + q) * (1.5 + q), "Headcount": 100 + q}
    for year in (2021, 2022, 2023, 2024) for q in (1, 2, 3, 4)
]  # fmt: skip
RUNS = [
    {
        "Bib": 100 + i, "Runner": f"{('Ana', 'Ben', 'Cleo', 'Dan')[i % 4]} {('Ruiz', 'Okoro', 'Marsh', 'Frost', 'Stone')[i % 5]}",
        "Country": ("Spain", "Norway", "Kenya")[i % 3], "Age": 20 + i, "finish_time_min": 150.5 + 7 * (i * 5 % 20),
        "Status": ("OK", "OK", "OK", "DNF")[i % 4], "Visits last month": i % 6, "Weather": ("rain", "sun")[i % 2],
    }
    for i in range(40)
]  # fmt: skip
TICKETS = [
    {
        "Ticket": f"T-{500 + i}", "opened": f"2026-{i % 5 + 1:02}-{i % 27 + 1:02}", "Status": ("open", "pending", "closed")[i % 3],
        "Agent": ("Mia", "Noah", "Zoe")[i * 7 % 3], "Paid (EUR)": 12.5 + i % 9, "Pets OK": "yes" if i % 4 else "no", "score": "abs" if i % 10 == 3 else str(i % 7),
    }
    for i in range(60)
]  # fmt: skip
FARM = [
    {"date": f"2026-05-{i // 2 + 1:02}", "shed": ("一号舍", "二号舍")[i % 2], "hens": 200 - i, "eggs": 150 + i * 3 % 40, "deaths": i % 3, "feed_kg": 20.0 + i % 5}
    for i in range(40)
]  # fmt: skip
TABLES: dict[str, list[dict[str, Any]]] = {
    "company": QUARTERS,
    "marathon": RUNS,
    "tickets": TICKETS,
    "hens": FARM,
}


def total(rows: list[dict[str, Any]], column: str, **where: Any) -> float:
    return sum(r[column] for r in rows if all(r[k] == v for k, v in where.items()))


CASES = [
    ("company", "In how many quarters did the company make a loss?", sum(r["Net income ($m)"] < 0 for r in QUARTERS)),
    ("company", "Which year had the most revenue in total?", "2024"),
    ("company", "How many people did we employ in Q2 2023?", 102),
    ("marathon", "How many finished in under three hours?", sum(r["finish_time_min"] < 180 for r in RUNS)),
    ("marathon", "How many did not finish?", sum(r["Status"] == "DNF" for r in RUNS)),
    ("marathon", "Which country's runners were fastest on average?", min(("Spain", "Norway", "Kenya"), key=lambda c: sum(r["finish_time_min"] for r in RUNS if r["Country"] == c) / sum(r["Country"] == c for r in RUNS))),
    ("marathon", "total visits last month by people from Kenya", total(RUNS, "Visits last month", Country="Kenya")),
    ("marathon", "average age on rainy days", total(RUNS, "Age", Weather="rain") / 20),
    ("marathon", "How many runners older than 45?", sum(r["Age"] > 45 for r in RUNS)),
    ("tickets", "How many tickets are open right now (pending not counted)?", 20),
    ("tickets", "How many tickets did Mia handle, open or not?", sum(r["Agent"] == "Mia" for r in TICKETS)),
    ("tickets", "whats the average spent per ticket", sum(r["Paid (EUR)"] for r in TICKETS) / 60),
    ("tickets", "How many tickets don't allow pets?", 15),
    ("tickets", "what is the highest score?", 6),
    ("tickets", "How many were opened from March 2026?", sum(r["opened"].startswith("2026-03") for r in TICKETS)),
    ("hens", "一号舍一共死了几只鸡?", total(FARM, "deaths", shed="一号舍")),
    ("hens", "二号舍平均每天产蛋多少枚", total(FARM, "eggs", shed="二号舍") / 20),
    ("hens", "饲料一共用了多少公斤?", total(FARM, "feed_kg")),
]  # fmt: skip


@pytest.mark.parametrize(("table", "question", "truth"), CASES, ids=[c[1] for c in CASES])
async def test_a_wording_means_what_people_mean_by_it(
    table: str, question: str, truth: Any
) -> None:
    rows = table_from_rows(TABLES[table], source="s")
    about = profile(rows, table)
    read = await understand(question, [about], embed=None, today=TODAY)
    if isinstance(read, NeedValues):
        read = await understand(question, [about], embed=None, today=TODAY, found={})
    assert isinstance(read, Understanding)
    first = read.readings[0]
    result = INTERFACES[first.interface].run(rows, first.arguments)
    got = result.label if isinstance(truth, str) else result.value
    assert (pytest.approx(got) if isinstance(got, float) else got) == truth, first.words


@pytest.mark.parametrize(
    "question", ["What is Mia's phone number?", "How much does Mia weigh?", "Who wrote T-501?", "How much water did Noah use?"]
)  # fmt: skip
async def test_what_the_table_does_not_hold_is_not_answered(question: str) -> None:
    about = profile(table_from_rows(TICKETS, source="s"), "tickets")
    read = await understand(question, [about], embed=None, today=TODAY)
    if isinstance(read, NeedValues):
        read = await understand(question, [about], embed=None, today=TODAY, found={})
    assert isinstance(read, Understanding)
    assert read.decision in ("ask", "talk"), read
