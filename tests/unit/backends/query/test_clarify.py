"""What a table holds, and how far it reaches, is told from its profile."""

from __future__ import annotations

import datetime as dt

import pytest

from backends.query.clarify import (
    asks_about_table,
    missing_words,
    not_found,
    out_of_reach,
    table_words,
)
from backends.query.parser import parse
from tests.unit.backends.query.test_wordings import opened

TODAY = dt.date(2026, 6, 15)


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("library loans", "What is in this table?"),
        ("library loans", "describe the data"),
        ("library loans", "Which columns are there?"),
        ("library loans", "这张表里有哪些列？"),
        ("販売", "この表には何がありますか"),
    ],
)
def test_what_a_table_holds_may_be_asked(name: str, question: str) -> None:
    assert asks_about_table(question, opened(name)[1])


@pytest.mark.parametrize(
    "question",
    ["What is the fine?", "How many rows?", "Which member has the most loans?", "as a table", "draw the data", "这是什么"],
)  # fmt: skip
def test_another_question_is_none_of_it(question: str) -> None:
    assert not asks_about_table(question, opened("library loans")[1])


def test_what_a_table_holds_is_told_column_by_column() -> None:
    words = table_words(opened("library loans")[1], "en")
    assert words.startswith("library loans has 48 rows and 9 columns:\n\n- **LoanID**: L-0100")
    assert "**days_out**: 1 – 19" in words
    assert table_words(opened("販売")[1], "ja") == (
        "販売 は 4 行、4 列です：\n\n- **商品**：りんご、みかん、バナナ\n- **売上**：300 – 1200\n"
        "- **数量**：2 – 9\n- **店舗**：東京、大阪、福岡"
    )


@pytest.mark.parametrize(
    ("language", "question", "told"),
    [
        ("en", "What was unemployment in 2015?", "us macro only covers 1959 to 2009. Which period do you mean?"),
        ("en", "What was unemployment in 2050?", "us macro only covers 1959 to 2009. Which period do you mean?"),
        ("ja", "2050年の失業率は？", "us macro のデータは 1959 から 2009 までです。どの期間ですか？"),
        ("en", "unemployment in 2009", None),
    ],
)  # fmt: skip
def test_days_outside_a_table_are_told(language: str, question: str, told: str | None) -> None:
    _, about = opened("us macro")
    query = parse(question, [about], today=TODAY)[0].query
    assert out_of_reach(query, about, language) == told


def test_what_was_not_found_is_named_with_the_columns_there_are() -> None:
    _, about = opened("販売")
    assert not_found(about, ("ズレ",), "ja") == (
        "販売 に「ズレ」が見つかりません。列は 商品、売上、数量、店舗 です。"
    )
    assert not_found(about, (), "en").startswith("Which column of 販売 do you mean?")


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("What is the dividend of AAPL?", ("dividend",)),
        ("Tell me a joke", None),
        ("Who painted the Mona Lisa?", None),
    ],
)
def test_a_question_that_names_the_table_by_its_symbol_is_about_it(
    question: str, missing: tuple[str, ...] | None
) -> None:
    about = opened("AAPL prices")[1].model_copy(update={"name": "Prices", "symbols": ["AAPL"]})
    assert missing_words(question, about, TODAY) == missing
