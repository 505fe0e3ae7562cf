"""A model is asked only once it has passed the test, and what it writes is parsed, never run."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from backends.data.compiler import walk
from backends.data.profile import profile
from backends.data.query import Column, Query
from backends.data.table import connect, table_from_sql
from backends.query.candidate import Candidate
from backends.query.decide import decide, told_apart
from backends.query.normal import agree
from backends.query.propose import (
    Abilities,
    Ability,
    NotInTables,
    candidate_of,
    measure_ability,
    messages,
    select_in,
)
from backends.query.sql import NoQuery

TODAY = dt.date(2026, 6, 15)
RIGHT = {
    "still owe": 'SELECT sum("Amount (€)") FROM t WHERE "Status" = \'owed\'',
    "Which town": (
        'SELECT "Town", sum("Amount (€)") AS s FROM t WHERE "Status" = \'paid\' GROUP BY 1 ORDER BY'
        " s DESC LIMIT 1"
    ),
    "in April": (
        "SELECT count(*) FROM t WHERE \"Sent\" BETWEEN DATE '2025-04-01' AND DATE '2025-04-30'"
    ),
    "bigger": 'SELECT max("Amount (€)") - min("Amount (€)") FROM t',
    "not for Oslo": "SELECT count(*) FROM t WHERE \"Town\" <> 'Oslo'",
    "coughed up": "SELECT no FROM t WHERE status = 'owed' AND town = 'Bergen'",
    "平均": "SELECT avg(amount) FROM t",
    "哪个城市": "SELECT town, count(*) FROM t GROUP BY town ORDER BY 2 DESC LIMIT 1",
    "dearest": "SELECT sent FROM t ORDER BY amount DESC LIMIT 1",
    "over a hundred": "SELECT count(*) FROM t WHERE amount > 100",
    "signed": "NONE",
    "weather": "NONE",
}
Chat = Callable[[list[dict[str, str]]], AsyncGenerator[str, None]]


def model(wrong: int = 0) -> tuple[Chat, list[str]]:
    """Return a model that answers all but the first `wrong` questions, and what it was asked."""
    asked: list[str] = []

    async def chat(prompt: list[dict[str, str]]) -> AsyncGenerator[str, None]:
        question = prompt[-1]["content"].rpartition("Question: ")[2]
        asked.append(question)
        yield (
            "I think it is 42."
            if len(asked) <= wrong
            else next(sql for words, sql in RIGHT.items() if words in question)
        )

    return chat, asked


async def test_a_model_that_answers_the_known_questions_is_reliable() -> None:
    chat, asked = model()
    found = await measure_ability(chat)
    assert (found.right, len(asked)) == (12, 12)
    assert found.reliability > 0.9


async def test_slips_count_and_the_test_stops_as_soon_as_it_is_failed() -> None:
    chat, _ = model(wrong=1)
    slipped = await measure_ability(chat)
    assert slipped.able
    assert 0.85 < slipped.reliability < 0.9
    assert not Ability(right=9).able
    assert 0.5 < Ability(right=9).reliability < 0.6
    chat, asked = model(wrong=12)
    assert (await measure_ability(chat)).reliability == 0
    assert len(asked) == 2


async def test_a_model_is_tested_once_and_the_outcome_outlives_the_service(tmp_path: Path) -> None:
    chat, asked = model()
    abilities = Abilities(tmp_path / "abilities.json")
    for _ in range(3):
        abilities.begin("a", chat)
    while abilities.get("a") is None:
        await asyncio.sleep(0.01)
    await abilities.aclose()
    assert len(asked) == 12
    known = Abilities(tmp_path / "abilities.json").get("a")
    assert known is not None
    assert known.reliability > 0.9
    (tmp_path / "abilities.json").write_text('{"a": {"right": 5}}')
    assert Abilities(tmp_path / "abilities.json").get("a") is None  # of an earlier test
    (tmp_path / "abilities.json").write_text("not JSON")
    assert Abilities(tmp_path / "abilities.json").get("a") is None


@pytest.mark.parametrize(
    "answer",
    ["```sql\nSELECT 1 AS a\n```", "Sure! SELECT 1 AS a;", "SELECT 1 AS a; DROP TABLE t"],
)
def test_the_select_is_found_in_what_a_model_says(answer: str) -> None:
    assert select_in(answer) == "SELECT 1 AS a"


def test_a_model_may_say_that_the_tables_do_not_hold_it() -> None:
    with pytest.raises(NotInTables):
        select_in("NONE")
    with pytest.raises(NoQuery):
        select_in("The answer is 42.")


def test_the_prompt_of_a_wide_table_stays_below_600_tokens() -> None:
    columns = ", ".join(
        f"'value {i % 7}' AS \"Some column {i}\"" if i % 2 else f'i * {i}.5 AS "Amount {i} (EUR)"'
        for i in range(20)
    )
    table = table_from_sql(
        connect(), f"SELECT {columns} FROM range(50) r (i)", [], source="s", hash_="h"
    )
    prompt = messages("How much?", [profile(table, "Sales")], today=TODAY)
    other = messages("How many?", [profile(table, "Other sales")], today=TODAY)
    assert prompt[:-1] == other[:-1]  # the solved questions, which an engine keeps
    assert len(prompt[-1]["content"]) / 3.5 < 600


def test_models_write_plain_names_for_the_columns_and_they_are_found_again() -> None:
    rows = 'SELECT 12.5 AS "Rain (mm)", \'x\' AS "from", DATE \'2025-01-01\' AS "Paid on"'
    table = table_from_sql(connect(), rows, [], source="s", hash_="h")
    known = profile(table, "Days")
    told = messages("?", [known], today=TODAY)[-1]["content"]
    assert "rain_mm DOUBLE" in told
    assert "c_from TEXT" in told
    for written in (
        'SELECT "Rain (mm)" FROM t WHERE "from" = \'x\' AND "Paid on" IS NULL',
        "SELECT rain_mm FROM t WHERE c_from = 'x' AND paid_on IS NULL",
        "SELECT Rain_MM FROM Days WHERE c_from = 'x' AND PaidOn IS NULL",
    ):
        made = candidate_of(written, [known], today=TODAY, ability=Ability(right=12)).query
        assert {c.name for c in columns_in(made)} == {"Rain (mm)", "from", "Paid on"}
    with pytest.raises(NoQuery, match="no column rain"):
        candidate_of("SELECT rain FROM t", [known], today=TODAY, ability=Ability(right=12))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("SELECT c, max(a) FROM t", "SELECT c, a FROM t ORDER BY a DESC LIMIT 1"),
        ("SELECT c, min(a) FROM t ORDER BY 2", "SELECT c, a FROM t ORDER BY a LIMIT 1"),
        ("SELECT c, sum(a) FROM t", "SELECT c, sum(a) FROM t GROUP BY c"),
    ],
)
def test_a_column_beside_an_aggregate_without_a_group_is_read_as_meant(
    written: str, meant: str
) -> None:
    assert agree(candidate(written, "model", 0.5).query, candidate(meant, "model", 0.5).query)


def columns_in(query: Query) -> list[Column]:
    where = [query.where] if query.where is not None else []
    expressions = [*(item.expression for item in query.items), *where]
    return [one for part in expressions for one in walk(part) if isinstance(one, Column)]


def candidate(sql: str, author: str, probability: float) -> Candidate:
    table = table_from_sql(connect(), "SELECT 1 AS a, 2 AS b, 'x' AS c", [], source="s", hash_="h")
    made = candidate_of(sql, [profile(table, "t")], today=TODAY, ability=Ability(right=12))
    return Candidate(made.query, probability, author=author)  # type: ignore[arg-type]


def test_where_parser_and_model_agree_the_answer_needs_no_flag() -> None:
    parsed = candidate("SELECT sum(a) FROM t WHERE b > 1", "parser", 0.3)
    proposed = candidate("SELECT sum(a) FROM t WHERE 1 < b", "model", 0.8)
    decided = decide([parsed], proposed)
    assert decided.decision == "answer"
    assert len(decided.candidates) == 1


def test_where_they_disagree_the_likelier_comes_first_with_the_other_beside_it() -> None:
    parsed = candidate("SELECT sum(a) FROM t", "parser", 0.4)
    proposed = candidate("SELECT sum(b) FROM t", "model", 0.95)
    decided = decide([parsed], proposed)
    assert decided.decision == "answer"
    assert [one.author for one in decided.candidates] == ["model", "parser"]
    near = decide([candidate("SELECT sum(a) FROM t", "parser", 0.9)], proposed)
    assert near.decision == "confirm"
    doubtful = candidate("SELECT sum(b) FROM t", "model", 0.45)
    assert decide([candidate("SELECT sum(a) FROM t", "parser", 0.4)], doubtful).decision == "ask"


def test_a_model_that_differed_often_goes_on_to_answer_and_one_that_failed_half_the_test_does_not() -> (
    None
):
    """A capable model was asked back for most questions after its first two differences."""
    able, parsed = Ability(right=12), candidate("SELECT sum(a) FROM t", "parser", 0.1)
    for _ in range(3):
        able = able.after(agreed=False)
    table = table_from_sql(connect(), "SELECT 1 AS a, 2 AS b, 'x' AS c", [], source="s", hash_="h")
    known = [profile(table, "t")]
    for ability, decision in ((able, "confirm"), (Ability(right=9), "ask")):
        made = candidate_of("SELECT sum(b) FROM t", known, today=TODAY, ability=ability)
        assert 0.5 < made.probability < 0.6
        assert decide([parsed], made).decision == decision


@pytest.mark.parametrize(
    ("parsed", "decision", "authors"),
    [
        (["SELECT sum(a) FROM t", 0.9], "answer", ["parser"]),
        (["SELECT sum(a) FROM t", 0.4], "confirm", ["parser", "model"]),
        (["SELECT sum(a) FROM t", 0.1], "ask", ["model", "parser"]),
        (["SELECT sum(b) FROM t", 0.1], "confirm", ["parser"]),
    ],
)
def test_a_model_that_is_often_wrong_answers_nothing_by_itself(
    parsed: tuple[str, float], decision: str, authors: list[str]
) -> None:
    weak = replace(candidate("SELECT sum(b) FROM t", "model", 0.5), alone=False)
    decided = decide([candidate(parsed[0], "parser", parsed[1])], weak)
    assert decided.decision == decision
    assert [one.author for one in decided.candidates] == authors


def test_queries_agree_in_whatever_form_they_are_written() -> None:
    same = [
        (
            "SELECT a FROM t ORDER BY b DESC LIMIT 1",
            "SELECT a, b FROM t WHERE b IS NOT NULL ORDER BY b DESC LIMIT 1",
        ),
        (
            "SELECT c, sum(a) FROM t GROUP BY c",
            "SELECT c, sum(a) AS total FROM t GROUP BY 1 ORDER BY 2",
        ),
        ("SELECT sum(a) FROM t WHERE NOT c = 'x'", "SELECT sum(a) FROM t WHERE c <> 'x'"),
        (
            "SELECT sum(a) FROM t WHERE c = 'x' OR c = 'y'",
            "SELECT sum(a) FROM t WHERE c IN ('y', 'x')",
        ),
        (
            "SELECT 100.0 * (sum(a) / sum(b) - 1) FROM t",
            "SELECT 100 * (sum(a) - sum(b)) / sum(b) FROM t",
        ),
        ("SELECT c, sum(a) FROM t WHERE c = 'x' GROUP BY c", "SELECT sum(a) FROM t WHERE c = 'x'"),
    ]
    for one, other in same:
        assert agree(candidate(one, "parser", 0.5).query, candidate(other, "model", 0.5).query)
    others = [
        ("SELECT sum(a) FROM t", "SELECT sum(b) FROM t"),
        ("SELECT a FROM t ORDER BY b DESC LIMIT 1", "SELECT a FROM t ORDER BY b LIMIT 1"),
        ("SELECT count(*) FROM t", "SELECT count(*) FROM t WHERE b IS NOT NULL"),
        ("SELECT c, sum(a) FROM t GROUP BY c", "SELECT sum(a) FROM t"),
    ]
    for one, other in others:
        assert not agree(candidate(one, "parser", 0.5).query, candidate(other, "model", 0.5).query)


def test_a_model_that_differs_from_what_is_sure_is_trusted_less() -> None:
    ability = Ability(right=12)
    first = ability.reliability
    for _ in range(8):
        ability = ability.after(agreed=False)
    assert ability.reliability < 0.4 < 0.9 < first
    for _ in range(60):
        ability = ability.after(agreed=True)
    assert ability.reliability > 0.9
    assert Ability(right=2, agreed=50).reliability == 0


def test_only_a_sure_reading_tells_how_a_model_does() -> None:
    model = candidate("SELECT sum(a) FROM t", "model", 0.9)
    sure = candidate("SELECT sum(a) FROM t", "parser", 0.9)
    assert told_apart([sure], model) is True
    assert told_apart([candidate("SELECT sum(b) FROM t", "parser", 0.9)], model) is False
    assert told_apart([candidate("SELECT sum(b) FROM t", "parser", 0.5)], model) is None
    assert told_apart([], model) is None


@pytest.mark.parametrize(
    ("answer", "select"),
    [
        (
            "Sure, with pleasure: SELECT a FROM t WHERE a = 'b; c'; done",
            "SELECT a FROM t WHERE a = 'b; c'",
        ),
        ('SELECT sum("Driver\'s fee") FROM t; done', 'SELECT sum("Driver\'s fee") FROM t'),
        ('WITH "x" AS (SELECT 1 a) SELECT a FROM x', 'WITH "x" AS (SELECT 1 a) SELECT a FROM x'),
        ("WITH x (m) AS (SELECT 1) SELECT m FROM x", "WITH x (m) AS (SELECT 1) SELECT m FROM x"),
        ("WITH RECURSIVE x AS (SELECT 1 a) SELECT a FROM x",) * 2,
    ],
)
def test_a_statement_is_taken_whole_and_nothing_else(answer: str, select: str) -> None:
    assert select_in(answer) == select
