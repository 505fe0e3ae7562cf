"""Questions in Japanese: read with what they share with Chinese, answered and asked back in Japanese."""

from __future__ import annotations

import datetime as dt
import re

import pytest

from backends.copilot.phrase import phrase
from backends.kernel import INTERFACES, Table, connect, profile, table_from_rows, table_from_sql
from backends.understanding import Understanding, spoken, understand

SOLD = [
    {"商品": "りんご", "売上": 1200, "数量": 3, "店舗": "東京"},
    {"商品": "みかん", "売上": 800, "数量": 5, "店舗": "大阪"},
    {"商品": "バナナ", "売上": 300, "数量": 9, "店舗": "東京"},
    {"商品": "りんご", "売上": 700, "数量": 2, "店舗": "福岡"},
]


@pytest.fixture(scope="module")
def sold() -> Table:
    return table_from_rows(SOLD, source="s", hash_="h")


@pytest.fixture(scope="module")
def macro() -> Table:
    from tests.conftest import REPOSITORY

    path = str(REPOSITORY / "resources" / "samples" / "us_macro.csv")
    return table_from_sql(
        connect(), "SELECT * FROM read_csv(?, all_varchar = true)", [path], source="m", hash_="h"
    )


async def read(table: Table, question: str, name: str = "販売") -> Understanding:
    found = await understand(question, [profile(table, name)], embed=None, today=dt.date(2026, 6, 15))
    assert isinstance(found, Understanding)
    return found


async def answer(table: Table, question: str) -> str:
    found = await read(table, question)
    assert found.decision in ("answer", "confirm"), found
    assert found.language == "ja"
    reading = found.readings[0]
    return phrase(reading, INTERFACES[reading.interface].run(table, reading.arguments), found.language)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("売上の合計は？", "売上の合計は **3,000** [1] です（4 行）。"),
        ("りんごの売上の合計はいくらですか", "売上（りんご）の合計は **1,900** [1] です（2 行）。"),
        ("売上が最も高い商品は？", "売上の最大は **1,200** [1] です（商品 りんご）。"),
        ("何行ありますか", "**4** 行です [1]。"),
        ("売上が500より大きい行は何件ですか", "**3** 行です（売上 > 500） [1]。"),
        ("数量の平均を教えてください", "数量の平均は **4.75** [1] です（4 行）。"),
    ],
)
async def test_a_question_is_answered_in_japanese(sold: Table, question: str, said: str) -> None:
    assert await answer(sold, question) == said


async def test_columns_in_english_are_found_by_words_both_languages_share(macro: Table) -> None:
    assert await answer(macro, "2009年第3四半期の失業率は？") == "unemp（Q3 2009）は **9.6** [1] です。"
    assert "**1979**" in await answer(macro, "平均インフレ率が一番高い年は？")
    assert "**10.7**" in await answer(macro, "失業率が一番高いのはいつ？")


async def test_groups_are_told_by_each(sold: Table) -> None:
    assert "| 東京 | 1500 |" in await answer(sold, "店舗ごとの売上の合計")


@pytest.mark.parametrize(
    "question", ["売上とズレの合計は？", "2050年の失業率は？", "この表には何がありますか"]
)
async def test_what_is_asked_back_is_asked_in_japanese(macro: Table, sold: Table, question: str) -> None:
    found = await read(macro if "失業" in question else sold, question)
    if found.decision == "ask":
        assert found.language == "ja"
        assert found.back
        assert re.search("[ぁ-ん]", found.back)
        assert not re.search("您|吗|哪", found.back)
    else:
        assert found.ignored


async def test_nothing_is_computed_for_what_the_table_does_not_hold(sold: Table, macro: Table) -> None:
    assert (await read(sold, "社員の平均年齢は？")).decision in ("ask", "talk")
    assert (await read(macro, "アップルの従業員数は？")).decision in ("ask", "talk")


def test_a_language_is_told_by_its_letters() -> None:
    assert [spoken(text) for text in ("失业率是多少", "失業率は", "what", "リスト")] == [
        "zh",
        "ja",
        "en",
        "ja",
    ]
