"""Questions in Japanese: read with what they share with Chinese, answered and asked back in
Japanese.
"""

from __future__ import annotations

import datetime as dt

import pytest

from backends.copilot.phrase import phrase
from backends.data.interfaces import INTERFACES
from backends.data.profile import profile
from backends.data.rows import table_from_rows
from backends.data.table import Table, connect, table_from_sql
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
    found = await understand(
        question, [profile(table, name)], embed=None, today=dt.date(2026, 6, 15)
    )
    assert isinstance(found, Understanding)
    return found


async def answer(table: Table, question: str) -> str:
    found = await read(table, question)
    assert found.decision in ("answer", "confirm"), found
    assert found.language == "ja"
    reading = found.readings[0]
    return phrase(
        reading, INTERFACES[reading.interface].run(table, reading.arguments), found.language
    )


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
    assert (
        await answer(macro, "2009年第3四半期の失業率は？")
        == "unemp（2009年第3四半期）は **9.6** [1] です。"
    )
    assert "**1979**" in await answer(macro, "平均インフレ率が一番高い年は？")
    assert "**10.7**" in await answer(macro, "失業率が一番高いのはいつ？")


async def test_groups_are_told_by_each(sold: Table) -> None:
    assert "| 東京 | 1,500 |" in await answer(sold, "店舗ごとの売上の合計")


@pytest.mark.parametrize(
    ("question", "back", "ignored"),
    [
        ("売上とズレの合計は？", "販売 に「ズレ」が見つかりません。次のどれですか？", ["ズレ"]),
        ("りんごのズレは？", "販売 に「ズレ」が見つかりません。次のどれですか？", ["ズレ"]),
        (
            "この表には何がありますか",
            (
                "販売 は 4 行、4 列です：\n\n- **商品**：りんご、みかん、バナナ\n- **売上**：300 –"
                " 1200\n- **数量**：2 – 9\n- **店舗**：東京、大阪、福岡"
            ),
            [],
        ),
    ],
)
async def test_what_is_asked_back_is_asked_in_japanese(
    sold: Table, question: str, back: str, ignored: list[str]
) -> None:
    found = await read(sold, question)
    assert (found.decision, found.language, found.back, found.ignored) == (
        "ask",
        "ja",
        back,
        ignored,
    )


async def test_a_time_before_or_after_the_table_is_asked_back(macro: Table) -> None:
    found = await read(macro, "2050年の失業率は？", "経済")
    said = "経済 に2050年のデータはありません（範囲は1959年1月1日から2009年12月31日）。どの期間ですか？"
    assert (found.decision, found.back) == ("ask", said)


async def test_nothing_is_computed_for_what_the_table_does_not_hold(
    sold: Table, macro: Table
) -> None:
    for table, question in ((sold, "社員の平均年齢は？"), (macro, "アップルの従業員数は？")):
        found = await read(table, question)
        assert (found.decision, found.language, found.readings) == ("talk", "ja", [])


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("年ごとの平均失業率", ["平均", "unemp", "年ごと"]),
        ("1990年以降の失業率の推移", ["unemp", "年・四半期ごと", "1990年以降"]),
        ("每年的平均失业率", ["平均值", "unemp", "按年"]),
        ("2009 年第三季度的失业率是多少？", ["unemp", "2009年第3季度"]),
        ("1982年有多少行", ["行数", "1982年"]),
        ("显示 1990 年以来实际 GDP 的走势", ["realgdp", "按年和季度", "1990年以来"]),
    ],
)
async def test_what_was_understood_is_told_in_the_language_of_the_question(
    macro: Table, question: str, words: list[str]
) -> None:
    found = await read(macro, question)
    assert (found.readings[0].words, found.ignored) == (words, [])


def test_a_language_is_told_by_its_letters() -> None:
    assert [spoken(text) for text in ("失业率是多少", "失業率は", "what", "リスト")] == [
        "zh",
        "ja",
        "en",
        "ja",
    ]
