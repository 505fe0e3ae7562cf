"""Plain questions that people who had not seen the product asked of a list of their own, each of
which was read wrongly or asked back.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
from typing import Any

import pytest

from backends.data.compile import run_query
from backends.data.profile import profile
from backends.data.rows import table_from_rows
from backends.query.decide import decide
from backends.query.parser import parse

TODAY = dt.date(2026, 6, 15)
LISTS = {
    "Members": """
Member,Joined,Section,Fee (€),Paid on
Anna Berg,2021-03-04,Tennis,120,2026-02-01
Tom Hale,2019-05-11,Rowing,150,
Ines Roca,2024-09-01,Tennis,120,2026-03-14
Paul Ott,2020-01-15,Chess,60,
Mia Lund,2023-06-30,Rowing,90,2026-01-20
""",
    "Fees": """
Name,Section,Fee,Paid
Anna Berg,Tennis,120,yes
Tom Hale,Rowing,150,no
Ines Roca,Tennis,120,yes
Paul Ott,Chess,60,no
""",
    "Invoices": """
No,Customer,Issued,Due,Net,VAT,Gross,Status
1001,Alder Ltd,2026-04-02,2026-05-02,1200,240,1440,paid
1002,Birch & Co,2026-04-10,2026-05-10,800,160,960,open
1003,Cedar AG,2026-04-21,2026-05-21,2400,480,2880,open
1005,Birch & Co,2026-05-20,2026-06-19,950,190,1140,open
1006,Dune SA,2026-06-01,2026-07-01,300,60,360,open
""",
    "Visits": """
Patient ID,Name,Date of birth,Visit date,Doctor,Duration (min),Bill (£),Insurance,Follow-up needed
P-101,Amy Ford,1984-02-11,2026-05-04,Dr Shah,15,45,AXA,no
P-102,Bob Lane,1951-07-23,2026-05-04,Dr Shah,30,80,Bupa,yes
P-103,Cara Moss,2015-06-30,2026-05-06,Dr Neri,10,25,none,no
P-101,Amy Ford,1984-02-11,2026-05-12,Dr Shah,20,55,AXA,no
P-103,Cara Moss,2015-06-30,2026-06-01,Dr Neri,15,45,none,yes
""",
    "Stock": """
Product,Category,Price,Stock,Reorder level,Sold last month
Oak table,Furniture,349.00,4,5,3
Desk lamp,Lighting,39.90,22,10,18
Armchair,Furniture,279.50,2,4,1
Vase,Decor,34.90,28,10,12
Bookcase,Furniture,199.00,0,3,5
""",
    "Staff": """
Name,Department,Start date,Salary (€),Full-time
Ana Diaz,Sales,2017-03-01,62000,yes
Dev Nair,IT,2023-05-02,48000,no
Eli Katz,HR,2015-11-20,41000,no
Hana Ito,Sales,2024-01-08,36500,yes
""",
    "売上": """
日付,店,商品,数量,単価,金額,年齢
2026-04-03,A店,りんご,12,6,72,30
2026-04-05,B店,牛乳,20,4,80,40
2026-05-11,A店,パン,8,9,72,50
""",
    "预约": """
预约号,日期,科室,医生,患者年龄,状态,费用
A001,2026-06-01,内科,王医生,34,已完成,80
A002,2026-06-01,外科,李医生,81,已取消,0
A003,2026-06-02,内科,王医生,28,已完成,120
A004,2026-06-02,儿科,赵医生,6,已完成,60
A006,2026-06-03,内科,孙医生,45,已取消,0
""",
}


def first(name: str, question: str) -> tuple[str, list[list[Any]]]:
    """Return what is decided about a question, and the rows of the likeliest reading."""
    rows = list(csv.DictReader(io.StringIO(LISTS[name].strip())))
    source = "9f8e7d6c-5b4a-4c2e-9d0f-9e8d7c6b5a4b"
    table = table_from_rows([dict(row) for row in rows], source=source, hash_=name)
    decided = decide(parse(question, [profile(table, name)], today=TODAY), None)
    return decided.decision, run_query(decided.candidates[0].query, {source: table}).rows


@pytest.mark.parametrize(
    ("name", "question", "answer"),
    [
        ("Members", "How many members have not paid?", [[2]]),
        ("Members", "Who joined last?", [["Ines Roca", "2024-09-01"]]),
        ("Fees", "How many members have not paid?", [[2]]),
        ("Fees", "How much money is outstanding?", [[210]]),
        ("Fees", "who still has to pay", [["Paul Ott"], ["Tom Hale"]]),
        ("Invoices", "Which customer owes us most?", [["Cedar AG", 2880]]),
        ("Invoices", "What is the largest invoice?", [["Cedar AG", 2880]]),
        ("Visits", "How many patients do we have?", [[3]]),
        ("Visits", "How much did Dr Neri bill in June?", [[45]]),
        ("Visits", "how many visits need a follow-up?", [[2]]),
        ("Visits", "how many minutes did Dr Shah work in total", [[65]]),
        (
            "Stock",
            "Which products are below their reorder level?",
            [["Armchair"], ["Bookcase"], ["Oak table"]],
        ),
        ("Stock", "How many vases are left?", [[28]]),
        ("Stock", "what is our stock worth?", [[3810]]),
        ("Staff", "Who has been here the longest?", [["Eli Katz", "2015-11-20"]]),
        ("Staff", "How many part-timers do we have?", [[2]]),
        ("Staff", "percentage of staff in Sales", [[50]]),
        ("Staff", "how many in staff are part-timers", [[2]]),
        ("売上", "平均年齢は", [[40]]),
        ("预约", "每个科室有多少个预约？", [["内科", 3], ["儿科", 1], ["外科", 1]]),
        ("预约", "取消的预约有多少？", [[2]]),
        ("预约", "哪个医生看的病人最多", [["王医生", 2]]),
        ("预约", "有多少预约已完成", [[3]]),
    ],
)
def test_a_plain_question_is_answered_at_once(
    name: str, question: str, answer: list[list[Any]]
) -> None:
    decision, rows = first(name, question)
    assert decision in ("answer", "confirm")
    assert sorted(map(str, rows)) == sorted(map(str, answer))
