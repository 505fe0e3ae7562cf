"""Readings and results as they are shown: no choice twice, averages with two decimals."""

from __future__ import annotations

import datetime as dt

from backends.copilot.present import (
    as_artifact,
    confirmed,
    interpretation,
    legible,
    rounded,
    told_of,
)
from backends.copilot.turn import Interpretation, Understanding
from backends.data.compiler import run_query
from backends.data.profile import profile
from backends.data.query import Show
from backends.data.table import table_from_rows
from backends.query.sql import query_of


def reading(*words: str) -> Interpretation:
    return Interpretation(interface="query", arguments={}, words=list(words))


def test_no_alternative_reads_like_the_reading_that_was_chosen() -> None:
    """“share of Status = Cancelled” was offered beside “share of Status = Cancelled”."""
    same, other = reading("share of Status = Cancelled"), reading("number of rows")
    made = interpretation(
        Understanding(readings=[same, same, other, other], decision="answer", language="en")
    )
    assert made.details is not None
    assert [one["words"] for one in made.details[0]["alternatives"]] == [["number of rows"]]
    asked = Understanding(readings=[same, same, other], decision="ask", language="en")
    details = interpretation(asked).details
    assert details is not None
    assert [one["words"][0] for one in details[0]["alternatives"]] == [
        "share of Status = Cancelled",
        "number of rows",
    ]


def test_averages_and_ratios_have_two_decimals_and_the_numbers_of_the_data_their_own() -> None:
    """38.125 min stood beside 35.5625 min and 32.76 min."""
    rows = [
        {"who": "Ada", "wait": 38, "rate": 1.0853},
        {"who": "Ada", "wait": 38.25, "rate": 1.0853},
        {"who": "Ben", "wait": 0.0031, "rate": 1.0855},
        {"who": "Ben", "wait": 0.0032, "rate": 1.0855},
    ]
    made = table_from_rows(rows, source="s")
    query = query_of(
        "SELECT who, avg(wait), max(rate), sum(wait) / count(*) FROM t GROUP BY 1 ORDER BY 1",
        {"t": profile(made, "Waits")},
        today=dt.date(2026, 6, 15),
    )
    shown = legible(query, run_query(query, {"s": made})).rows
    assert shown[0] == ["Ada", 38.13, 1.0853, 38.13]
    assert shown[1][1] == 0.00315  # it would be nothing
    assert [rounded(5.0625, places) for places in (2, 3)] == [5.06, 5.063]
    assert rounded(55.9375, 3) == 55.94


def test_a_count_of_people_is_called_one() -> None:
    """“行数：120” was the answer to how many members there are."""
    for question, language, rows, people in (
        ("会员一共有多少人？", "zh", "行数", "人数"),
        ("各等级有几个会员？", "zh", "行数 · 按等级", "人数 · 按等级"),
        ("有多少笔支出？", "zh", "行数", "行数"),
        ("会員は何人いますか?", "ja", "行数", "人数"),
        ("How many patients came?", "en", "Number of rows", "Number of patients"),
        ("How many invoices are there?", "en", "number of rows", "number of rows"),
    ):
        assert told_of(rows, question, language) == people
    made = interpretation(
        Understanding(
            readings=[reading("行数"), reading("会费合计")], decision="answer", language="zh"
        ),
        "会员一共有多少人？",
    )
    assert made.message == "人数"


def test_a_question_for_yes_or_no_is_answered_by_one_of_them() -> None:
    rows = [{"site": "Mere", "level": 8.4}, {"site": "Fen", "level": 7.0}]
    made = table_from_rows(rows, source="s")
    tables = {"t": profile(made, "Samples")}
    for sql, question, language, begins in (
        ("SELECT count(*) FROM t WHERE level > 8", "Did any have a level above 8?", "en", "Yes. "),
        ("SELECT count(*) FROM t WHERE level > 9", "Is any level above 9?", "en", "No. "),
        ("SELECT site FROM t WHERE level > 8", "有没有level超过8的？", "zh", "有。"),
        ("SELECT count(*) FROM t WHERE level > 8", "levelが8を超えましたか？", "ja", "はい。"),
        ("SELECT count(*) FROM t WHERE level > 8", "How many were above 8?", "en", ""),
        ("SELECT count(*) FROM t", "Do you know how many there are?", "en", ""),
        ("SELECT max(level) FROM t WHERE site = 'Fen'", "Was it high?", "en", ""),
    ):
        query = query_of(sql, tables, today=dt.date(2026, 6, 15))
        result = run_query(query, {"s": made})
        assert confirmed("It.", query, result, question, language) == f"{begins}It.", question


def test_a_pie_says_what_its_slices_are() -> None:
    """It had the keys of a line, so the window drew one from customer to customer."""
    rows = [{"who": "Ada", "paid": 3}, {"who": "Ben", "paid": 5}]
    made = table_from_rows(rows, source="s")
    query = query_of(
        "SELECT who, sum(paid) AS total FROM t GROUP BY 1 ORDER BY 1",
        {"t": profile(made, "Fees")},
        today=dt.date(2026, 6, 15),
    )
    forms: dict[Show, set[str]] = {
        "pie": {"angleKey", "calloutLabelKey", "chartType"},
        "bar": {"xKey", "yKey", "chartType"},
    }
    for form, keys in forms.items():
        drawn = query.model_copy(update={"show": form})
        about = Interpretation(
            interface="query",
            arguments={"source": "s", "query": drawn.model_dump(mode="json")},
            words=["total paid"],
        )
        event = as_artifact(about, run_query(drawn, {"s": made}))
        assert event is not None
        assert event.chart_params is not None
        assert set(event.chart_params) == keys
