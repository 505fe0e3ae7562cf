"""The network that writes queries: what it writes is read back as the same query, it never writes
what is no query, and it knows plain questions about tables it has not seen.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pytest

from backends.data.compiler import run_query
from backends.data.profile import profile
from backends.data.query import Call, Column, Item, Query, Value
from backends.data.table import table_from_rows
from backends.query import parser
from backends.query.annotate import Annotation
from backends.query.normal import normal
from backends.query.parser import fits_types, parse, rank
from backends.query.sequence import NotWritable, Pointer, Things, read, write
from backends.query.sql import query_of
from backends.query.writer import input_of, needs_after, vectors_of, writer

SOURCE = "5d1f9a52-7c0e-4f5b-9a57-0d1f6a2b3c4d"
TODAY = dt.date(2026, 6, 16)
NAMES = ("Moored", "Boat", "Owner", "Length (m)", "Fee", "Left", "Paid")
FACTS = [
    ("2026-05-01", "Heron", "Ada", 9.5, 30.0, "2026-05-04", "yes"),
    ("2026-05-09", "Tern", "Ben", 12.0, 45.5, "2026-05-10", "no"),
    ("2026-05-17", "Heron", "Ada", 9.5, 12.0, "2026-05-18", "yes"),
    ("2026-06-02", "Gull", "Cleo", 7.0, 80.0, None, "no"),
    ("2026-06-07", "Tern", "Ben", 12.0, 25.0, "2026-06-09", "yes"),
    ("2026-06-08", "Coot", "Dan", 6.2, 20.0, None, "yes"),
]
TABLE = table_from_rows(
    [dict(zip(NAMES, fact, strict=True)) for fact in FACTS], source=SOURCE, hash_="moorings"
)
PROFILE = profile(TABLE, "Moorings")


def annotated(question: str) -> tuple[Annotation, Things]:
    annotation = parser.annotated(question, PROFILE, TODAY)
    return annotation, Things(PROFILE, annotation.spans, TODAY)


@pytest.mark.parametrize(
    ("question", "select"),
    [
        ("how many", "SELECT count(*) FROM t"),
        ("fees of Ben", "SELECT sum(Fee) FROM t WHERE Owner = 'Ben'"),
        (
            "fees in May 2026",
            "SELECT sum(Fee) FROM t WHERE Moored >= '2026-05-01' AND Moored < '2026-06-01'",
        ),
        ("who paid most", "SELECT Owner, sum(Fee) FROM t GROUP BY Owner ORDER BY 2 DESC LIMIT 1"),
        ("over 40", 'SELECT Boat FROM t WHERE Fee > 40 AND "Left" IS NULL'),
        (
            "share not paid",
            "SELECT 100.0 * count(*) FILTER (WHERE Paid = 'no') / count(*) FROM t",
        ),
        ("above average", "SELECT count(*) FROM t WHERE Fee > (SELECT avg(Fee) FROM t)"),
        ("nights", "SELECT avg(datediff('day', Moored, \"Left\")) FROM t"),
        (
            "owners with two",
            "SELECT count(*) FROM (SELECT Owner AS o FROM t GROUP BY Owner HAVING count(*) = 2)",
        ),
    ],
)
def test_a_query_is_read_back_as_it_was_written(question: str, select: str) -> None:
    _, things = annotated(question)
    query = normal(query_of(select, {"t": PROFILE}, today=TODAY))
    back = normal(read(write(query, things), things))
    rows = [run_query(one, {SOURCE: TABLE}).rows for one in (query, back)]
    assert rows[0] == rows[1]


def test_what_the_question_does_not_hold_cannot_be_written() -> None:
    _, things = annotated("how many")
    query = query_of("SELECT count(*) FROM t WHERE Fee > 33.5", {"t": PROFILE}, today=TODAY)
    with pytest.raises(NotWritable):
        write(query, things)


@pytest.mark.parametrize(
    "symbols",
    [
        ["item", "end"],
        ["item", "aggregate sum 1", "end"],
        ["where", Pointer("column", 0)],
        ["item", Pointer("number", 0), "end"],
        ["item", "nonsense 1", Pointer("column", 0), "end"],
        ["group", "limit 1", "end"],
    ],
)
def test_symbols_that_are_no_query_are_refused(symbols: list[str | Pointer]) -> None:
    _, things = annotated("how many")
    with pytest.raises(NotWritable):
        read(symbols, things)


def test_a_sequence_needs_arguments_before_it_ends() -> None:
    needs: tuple[str, ...] | None = ("clause",)
    for symbol in ("item", "aggregate sum 1 where", Pointer("column", 4), "and", "is"):
        assert needs is not None
        needs = needs_after(needs, symbol)
    assert needs == ("clause", "condition", "value")
    assert needs_after(needs, "end") is None
    assert needs_after(needs, Pointer("column", 1)) is None
    assert needs_after(needs, Pointer("value", 1)) == ("clause", "condition")


@pytest.mark.parametrize(
    "question",
    [
        "What is the total fee of Ben?",
        "How many boats are longer than 9 m?",
        "which owner has the highest total fee",
        "what share have not paid",
        "カモメはどこ",
        "",
    ],
)
def test_all_that_it_writes_are_queries(question: str) -> None:
    annotation, things = annotated(question)
    inside = input_of(annotation, things)
    heard = writer().listen(inside, vectors_of(inside, None))
    assert heard is not None
    made = heard.written()
    assert made
    for log, symbols in made:
        assert log <= 0
        if "none" not in symbols:
            run_query(read(symbols, things), {SOURCE: TABLE})


def test_what_it_writes_is_as_likely_as_it_says() -> None:
    annotation, things = annotated("What is the total fee of Ben?")
    inside = input_of(annotation, things)
    heard = writer().listen(inside, vectors_of(inside, None))
    assert heard is not None
    made = heard.written()
    again = heard.likely([symbols for _, symbols in made])
    assert np.allclose([log for log, _ in made], np.array(again, float), atol=1e-3)


def test_it_prefers_what_is_asked() -> None:
    annotation, things = annotated("What is the total fee of Ben?")
    inside = input_of(annotation, things)
    heard = writer().listen(inside, vectors_of(inside, None))
    assert heard is not None
    selects = (
        "SELECT sum(Fee) FROM t WHERE Owner = 'Ben'",
        "SELECT avg(Fee) FROM t WHERE Owner = 'Ben'",
        "SELECT sum(Fee) FROM t",
        "SELECT count(*) FROM t WHERE Owner = 'Ben'",
    )
    known = [normal(query_of(one, {"t": PROFILE}, today=TODAY)) for one in selects]
    likely = heard.likely([write(query, things) for query in known])
    assert max(likely, key=lambda one: one or -99) == likely[0]


def test_words_beside_a_span_and_values_of_a_column_show_how_they_are_meant() -> None:
    annotation, things = annotated("what did the Heron bring in, all told")
    inside = input_of(annotation, things)
    around = {part.text: part.around for part in (*inside.spans, *inside.columns)}
    assert around["Heron"] == "what did the Heron bring in,"
    assert around["Boat"] == "Boat (Heron, Tern, Gull), Moorings"
    assert around["Fee"] == "Fee (), Moorings"


def test_texts_without_spaces_are_embedded_by_their_english_words() -> None:
    annotation, things = annotated("租金最高的船")
    asked: list[str] = []

    def embed(texts: list[str]) -> np.ndarray:
        asked.extend(texts)
        return np.ones((len(texts), 384), np.float32)

    vectors_of(input_of(annotation, things), embed)
    assert "rent highest boat" in asked
    assert not any("租" in text for text in asked)


def test_a_question_that_is_too_long_is_left_to_the_parser() -> None:
    question = "How many moorings " + "of Ben or Ada in May " * 30
    annotation, things = annotated(question)
    inside = input_of(annotation, things)
    assert writer().listen(inside, vectors_of(inside, None)) is None
    assert rank(annotation)


def test_words_that_the_rules_do_not_know_are_read_from_what_it_learnt() -> None:
    question = "the takings"
    alone = rank(annotated(question)[0])[0].frame.query
    both = parse(question, [PROFILE], today=TODAY)[0].query
    rows = [run_query(query, {SOURCE: TABLE}).rows for query in (alone, both)]
    assert rows == [[[7]], [[212.5]]]


def test_days_are_never_compared_with_numbers() -> None:
    selects = {
        "SELECT sum(Fee) FROM t WHERE Moored >= '2026-05-01'": True,
        "SELECT sum(Fee) FROM t WHERE Fee >= DATE '2026-05-01'": False,
        "SELECT sum(Owner) FROM t": False,
        "SELECT Owner FROM t GROUP BY Owner HAVING avg(Boat) > 3": False,
    }
    for select, fit in selects.items():
        assert fits_types(query_of(select, {"t": PROFILE}, today=TODAY), PROFILE) is fit, select


def embed(texts: list[str]) -> np.ndarray:
    return np.zeros((len(texts), 384), np.float32)


def test_what_the_network_cannot_write_it_does_not_judge() -> None:
    rows = [{"year": 2009, "quarter": q, "unemp": 8.0 + q / 2} for q in (1, 2, 3, 4)]
    macro = profile(table_from_rows(rows, source=SOURCE), "Macro")
    quarter = parser.annotated("What was the unemp in the third quarter of 2009?", macro, TODAY)
    owner, _ = annotated("fees of Ben")
    near = {one: parser.RankedTable(None, one, rank(one)) for one in (quarter, owner)}
    assert not parser.is_judged(near[quarter], embed)  # the 3 stands nowhere in the question
    assert parser.is_judged(near[owner], embed)
    assert not parser.is_judged(near[owner], None)


@pytest.mark.parametrize(
    ("name", "values"), [("=", ("third quarter",)), ("<", ("many",)), ("in", ("few", "many"))]
)
def test_a_number_is_not_compared_with_words(name: Any, values: tuple[str, ...]) -> None:
    words = Call(name=name, args=(Column(name="Fee"), *(Value(value=one) for one in values)))
    query = Query(source=SOURCE, where=words, items=(Item(expression=Column(name="Fee")),))
    assert not fits_types(query, PROFILE)


def test_a_limit_that_is_no_number_is_not_read() -> None:
    _, things = annotated("fees of Ben")
    symbols = ["item", "aggregate count 0", "limit", Pointer("column", 0), "end"]
    with pytest.raises(NotWritable):
        read(symbols, things)
