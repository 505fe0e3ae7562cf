"""What is written becomes what is said."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from app.services.voice.languages import LANGUAGES, language_of, spoken, table_of, written
from app.services.voice.script import Script, SpokenPart, for_ear

CASES: dict[str, list[list[str]]] = yaml.safe_load(
    Path(__file__).with_name("spoken.yaml").read_text("utf-8")
)
TABLE = "| date | **close** |\n|---|--:|\n| 2024-10-15 | 233.85 |\n"


def pieces(text: str, size: int = 3, language: str = "en") -> list[SpokenPart]:
    script = Script(language)
    made = [p for at in range(0, len(text), size) for p in script.feed(text[at : at + size])]
    return made + script.finish()


@pytest.mark.parametrize(
    ("language", "text", "said"),
    [(language, *case) for language, cases in CASES.items() for case in cases],
)
def test_what_is_written_is_said(language: str, text: str, said: str) -> None:
    assert for_ear("prose", text, language) == said


@pytest.mark.parametrize(
    ("heard", "text"),
    [
        (
            "What was the closing price on October fifteenth?",
            "What was the closing price on October 15?",
        ),
        ("on the twenty-first of May", "on May 21"),
        ("between June first and June twenty second, 2009", "between June 1 and June 22, 2009"),
        ("the first quarter in October", "the first quarter in October"),
        ("the fifth store in May sold most", "the fifth store in May sold most"),
    ],
)
def test_a_dictated_day_is_written_in_digits(heard: str, text: str) -> None:
    assert written("en").apply(heard) == text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_announces_code_and_tables(language: str) -> None:
    code = for_ear("code", "```py\nsecret = 1\n```\n", language)
    assert "Python" in code
    assert "secret" not in code
    assert for_ear("code", "```\nsecret\n```", language)
    table = for_ear("table", TABLE, language)
    assert "date" in table
    assert "close" in table
    assert "1" in table
    assert "233.85" not in table
    assert for_ear("thought", "<think>x</think>", language) == ""


def test_a_table_is_counted_and_its_first_columns_named() -> None:
    assert (
        for_ear("table", TABLE, "en")
        == "A table of 1 row and 2 columns is on the screen: date, close."
    )
    wide = "|a|b|c|d|e|f|\n|-|-|-|-|-|-|\n|1|2|3|4|5|6|\n|1|2|3|4|5|6|\n"
    assert for_ear("table", wide, "en").endswith(
        "2 rows and 6 columns is on the screen: a, b, c, d, 2 more."
    )
    assert for_ear("table", "|x| is the size of x.", "en") == "x is the size of x."


def test_every_language_has_the_same_announcements() -> None:
    assert len({frozenset(table_of(language)["announce"]) for language in LANGUAGES}) == 1


def test_the_language_is_found_piece_by_piece() -> None:
    assert [
        p.language for p in pieces("It rose. 收盘价上涨。終値は上がりました。東京株式。AAPL up.")
    ] == [
        "en",
        "zh",
        "ja",
        "ja",
        "en",
    ]
    assert language_of("9.6", "zh") == "zh"
    assert language_of("Shares of Ping An (平安) rose by five percent.", "en") == "en"
    assert language_of("AAPL 和 MSFT 的收盘价", "en") == "zh"


def test_an_answer_is_said_in_pieces_that_know_their_place() -> None:
    answer = (
        "The close on 2024-10-15 was **233.85** [1].\n\n```python\nprint(1)\n```\n"
        + TABLE
        + "\nThat is **all**. [2]\n"
    )
    made = pieces(answer)
    assert [p.said for p in made] == [
        "The close on October fifteenth, 2024 was 233.85.",
        "Code in Python is on the screen.",
        "A table of 1 row and 2 columns is on the screen: date, close.",
        "That is all.",
    ]
    assert answer[made[0].start : made[0].end] == "The close on 2024-10-15 was **233.85** [1]."
    assert answer[made[3].start : made[3].end] == "That is **all**."
    for size in (1, 7, 1000):
        assert pieces(answer, size) == made


@given(st.text(max_size=120), st.sampled_from(LANGUAGES))
def test_any_text_can_be_said(text: str, language: str) -> None:
    for_ear("prose", text, language)
    for_ear("table", text, language)
    for_ear("code", text, language)


@given(st.from_regex(r"[0-9$€%.,:/ QT°kKM+-]{0,40}", fullmatch=True), st.sampled_from(LANGUAGES))
def test_no_digit_of_a_plain_number_is_lost(text: str, language: str) -> None:
    said = spoken(language).apply(f"It was 233.85 then {text} and 17 here")
    assert "233.85" in said
    assert "17" in said
