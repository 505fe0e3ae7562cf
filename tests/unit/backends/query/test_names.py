"""Columns, values and rows as people name them, in English, Chinese and Japanese."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from backends.data.compiler import run_query
from backends.data.profile import profile
from backends.data.table import Table, table_from_rows
from backends.query.candidate import Candidate
from backends.query.decide import Decision, decide
from backends.query.parser import parse

TODAY = dt.date(2026, 6, 15)
TABLES: dict[str, tuple[tuple[str, ...], list[tuple[Any, ...]]]] = {
    "tool repairs": (
        ("Tool", "Maker", "Got £", "Asking £", "Fee £", "Next check", "Result", "Side", "Owner"),
        [
            ("drill", "Bosch", 30, 45, 2, "2026-07-01", "pass", "R", "E.W."),
            ("saw", "Bosch", 50, 60, 3, "2026-08-11", "fail", "L", "K.D."),
            ("drill", "Makita", 40, 75, 4, "2026-07-20", "pass", "R", "P.A."),
            ("lathe", "Makita", 90, 99, 5, None, "pass", "R", "E.W."),
            ("saw", "Stihl", 70, 80, 6, "2026-09-02", "fail", "L", "M.T."),
            ("plane", "Stihl", 20, 35, 1, None, "pass", "L", "K.D."),
        ],
    ),
    "车站充电记录": (
        ("日期", "桩", "度数", "电费(元)", "面积(㎡)", "距离(米)", "桌号", "到席(人)", "姓名"),
        [
            ("2026-04-01", "甲站充电", 10, 8, 12.5, 300, 3, 2, "李明"),
            ("2026-04-15", "乙站充电", 20, 15, 30.5, 100, 3, 0, "王芳"),
            ("2026-05-02", "甲站充电", 30, 21, 18.0, 900, 4, 1, "赵强"),
            ("2026-05-09", "丙站", 40, 33, 25.0, 50, 5, 0, "周婷"),
        ],
    ),
    "水泳の記録": (
        ("選手", "種目", "順位", "重さ(g)", "満足度"),
        [
            ("みお", "自由形", 1, 300, 2),
            ("かい", "自由形", 2, 200, 5),
            ("みお", "平泳ぎ", 3, 250, 4),
            ("そら", "平泳ぎ", 1, 150, 2),
        ],
    ),
}


def asked(name: str, question: str) -> tuple[Table, Decision, Candidate]:
    """Return a table, what is decided about a question, and the likeliest reading of it."""
    names, facts = TABLES[name]
    table = table_from_rows([dict(zip(names, fact, strict=True)) for fact in facts], source="s")
    decided = decide(parse(question, [profile(table, name)], today=TODAY), None)
    return table, decided.decision, decided.candidates[0]


@pytest.mark.parametrize(
    ("name", "question", "rows"),
    [
        ("tool repairs", "What is the total of Got £ for Bosch?", [[80]]),
        ("tool repairs", "What is the average asking price of the Makita tools?", [[87]]),
        ("tool repairs", 'How many tools have the result "pass"?', [[4]]),
        ("tool repairs", "How many repairs were done on the right side?", [[3]]),
        ("tool repairs", "How many tools have no next check date?", [[2]]),
        ("tool repairs", 'How many repairs ended with "fail"?', [[2]]),
        ("tool repairs", "What is the total fee for the Stihl tools?", [[7]]),
        ("车站充电记录", "2026年4月一共充了几次电?", [[2]]),
        ("车站充电记录", "甲站一共充了多少度?", [[40]]),
        ("车站充电记录", "3号桌一共到席多少人?", [[2]]),
        ("车站充电记录", "到席人数是0的有哪些人?", [["王芳"], ["周婷"]]),
        ("车站充电记录", "面积最大的有多少平方米?", [["王芳", 30.5]]),
        ("水泳の記録", "満足度が2だった選手は誰ですか?", [["みお"], ["そら"]]),
        ("水泳の記録", "順位が1位になった選手は誰ですか?", [["みお"], ["そら"]]),
        ("水泳の記録", "みおの重さは合計で何gですか?", [[550]]),
        ("水泳の記録", "平泳ぎの重さは、1回平均何gですか?", [[200]]),
        ("水泳の記録", "平泳ぎの選手をすべて教えてください。", [["みお"], ["そら"]]),
    ],
)
def test_what_is_named_is_found_and_no_word_is_called_unread(
    name: str, question: str, rows: list[list[Any]]
) -> None:
    table, decision, best = asked(name, question)
    found = [
        value
        for row in run_query(best.query, {"s": table}).rows
        for cell in row
        for value in str(cell).split(", ")
    ]
    assert sorted(found) == sorted(str(one) for row in rows for one in row)
    assert decision in ("answer", "confirm")
    assert not best.unread


def test_a_word_for_the_most_that_nothing_took_is_named() -> None:
    names = ("Course", "Finish (mm:ss)")
    facts = [("Lyme", "25:05"), ("Lyme", "22:40"), ("Cholm", "24:30")]
    table = table_from_rows([dict(zip(names, fact, strict=True)) for fact in facts], source="s")
    best = parse("What was the fastest finish at Lyme?", [profile(table, "runs")], today=TODAY)[0]
    assert "fastest" in best.unread
