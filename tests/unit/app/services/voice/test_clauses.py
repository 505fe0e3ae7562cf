"""A streamed text is cut into clauses and blocks: nothing lost, nothing twice, the same however it
comes.
"""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.services.voice.languages import LONGEST, LONGEST_WORD, ClauseSplitter, abbreviations
from app.services.voice.script import Blocks


def clauses(text: str, cuts: list[int] | None = None) -> list[str]:
    splitter = ClauseSplitter(abbreviations())
    made: list[str] = []
    for delta in deltas(text, cuts or []):
        made += splitter.feed(delta)
    return made + splitter.flush()


def deltas(text: str, cuts: list[int]) -> list[str]:
    ends = sorted({c % (len(text) + 1) for c in cuts} | {0, len(text)})
    return [text[a:b] for a, b in pairwise(ends)] or [text]


def spoken(text: str) -> list[str]:
    return [c.strip() for c in clauses(text) if c.strip()]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("On the fifteenth of October, it closed at 233.85.", "On the fifteenth of October,"),
        ("Yes, it closed at 233.85, a little higher.", "Yes, it closed at 233.85,"),
        ("In short, yes, no, it did.", "In short, yes, no,"),
        ("苹果公司在十月十五日的收盘价，是233.85美元。", "苹果公司在十月十五日的收盘价，"),
        ("是的，苹果公司十月十五日，收盘价是多少？", "是的，苹果公司十月十五日，"),
        ("アップルの十月十五日の終値は、二百三十三ドルです。", "アップルの十月十五日の終値は、"),
        ("On October 15, 2024, it closed higher.", "On October 15, 2024,"),
    ],
)
def test_the_first_clause_ends_at_a_comma_once_it_has_four_words(text: str, first: str) -> None:
    assert spoken(text)[0] == first


def test_later_clauses_end_with_a_sentence_only() -> None:
    text = (
        "It rose. In the first, the second, and the third week, it fell again, then rose. Then it"
        " stayed."
    )
    assert spoken(text) == [
        "It rose.",
        "In the first, the second, and the third week, it fell again, then rose.",
        "Then it stayed.",
    ]


@pytest.mark.parametrize(
    "whole",
    [
        "The close was 233.85 on Monday.",
        "It moved 1,234.5 up.",
        "Dr. Smith and Mr. J. Jones met e.g. Mrs. Lee.",
        "See fig. 3 and no. 5 in vol. 2.",
        "It was Oct. 15 at 5 p.m. Eastern time.",
        "The U.S. Government said so.",
        "Look at https://example.com/a.html?x=1,2;y=3.5 for more.",
        "Look at www.example.com. it is good.",
        "Made by Apple, Inc. in 2024.",
        "And so on, etc. and more.",
        "See [the first part. And the second](https://example.com/a.b) here.",
        "Call `a.b(c). d` now.",
        "1. Open the file",
        "He waited... and went.",
        "What is 3.5 % of 10.0?",
        "价格是3.14元。",
        "見てください。",
        "A soft line\nthat goes on.",
    ],
)
def test_a_clause_never_ends_within(whole: str) -> None:
    said = spoken(f"Well. {whole} Next.")
    assert "".join(said).startswith(f"Well.{whole}".strip()), said
    assert said[1] == whole or said[1] == f"{whole} Next.", said


def test_each_script_ends_its_sentences() -> None:
    assert spoken("好。收盘价是一百元！“真的吗？”是的。") == [
        "好。",
        "收盘价是一百元！",
        "“真的吗？”",
        "是的。",
    ]
    assert spoken("はい。終値は百円です！本当？") == ["はい。", "終値は百円です！", "本当？"]
    assert spoken('He said "Stop!" Then he left. (It rained.) **Really?** Yes.') == [
        'He said "Stop!"',
        "Then he left.",
        "(It rained.)",
        "**Really?**",
        "Yes.",
    ]


def test_headings_items_and_paragraphs_are_clauses() -> None:
    text = "# The result\nIt rose\n- first point\n- second point\n\n1. One\n2. Two\n\nThe end\n"
    assert spoken(text) == [
        "# The result",
        "It rose",
        "- first point",
        "- second point",
        "1. One",
        "2. Two",
        "The end",
    ]


def test_a_text_without_marks_is_cut_between_words_and_an_address_is_not() -> None:
    long = "word " * 400
    assert all(len(c) <= LONGEST for c in clauses(long))
    assert all(c.split() == ["word"] * len(c.split()) for c in clauses(long))
    address = "https://example.com/" + "a" * 700
    assert any(address in c for c in clauses(f"See it. {address} is long."))
    assert all(len(c) <= LONGEST for c in clauses("价" * 1000))
    assert all(len(c) <= LONGEST_WORD for c in clauses("x" * 9000))


PARTS = [
    *[
        "a",
        "b.",
        ",",
        ";",
        ":",
        "!",
        "?",
        "…",
        "\n",
        "1",
        "2.",
        "3.5",
        "Dr.",
        "e.g.",
        "`code`",
        "[a](b.c)",
        "**",
        "。",
        "，",
        "、",
        "！",
        "」",
        "）",
        "价",
        "は",
        "|",
        "-",
        "#",
        ">",
        "```",
        "~~~",
        "<think>",
        "</think>",
    ],
    " ",
    "\n\n",
    "\n- ",
    "\n1. ",
    "\n| a | b |\n",
    "\n```py\n",
    "\r\n",
    "https://a.b/c,d",
    "word " * 70,
    "x" * 300,
]
TEXTS = st.lists(st.sampled_from(PARTS), max_size=40).map("".join) | st.text(max_size=80)
CUTS = st.lists(st.integers(0, 5000), max_size=30)


def test_a_line_that_holds_only_a_separator_decides_nothing_yet() -> None:
    text = "\n\u2028["
    whole, cut = ClauseSplitter(abbreviations()), ClauseSplitter(abbreviations())
    at_once = [*whole.feed(text), *whole.flush()]
    assert [*(c for letter in text for c in cut.feed(letter)), *cut.flush()] == at_once


@given(TEXTS, CUTS)
def test_nothing_is_lost_or_said_twice_and_cuts_change_nothing(text: str, cuts: list[int]) -> None:
    made = clauses(text, cuts)
    assert "".join(made) == text
    assert made == clauses(text)
    assert made == clauses(text, list(range(len(text))))


@given(TEXTS, CUTS)
def test_blocks_are_the_text_whatever_the_cuts(text: str, cuts: list[int]) -> None:
    def merged(parts: list[str]) -> list[tuple[str, str]]:
        blocks = Blocks()
        found = [b for part in parts for b in blocks.feed(part)] + blocks.finish()
        joined: list[tuple[str, str]] = []
        for block in found:
            if joined and block.kind == "prose" == joined[-1][0]:
                joined[-1] = ("prose", joined[-1][1] + block.text)
            else:
                joined.append((block.kind, block.text))
        return joined

    made = merged(deltas(text, cuts))
    assert "".join(t for _, t in made) == text
    assert made == merged([text]) == merged(list(text))


def test_a_clause_comes_as_soon_as_the_next_word_begins() -> None:
    splitter = ClauseSplitter(abbreviations())
    assert splitter.feed("It closed at 233.") == []
    assert splitter.feed("85.") == []
    assert splitter.feed(" ") == []
    assert splitter.feed("T") == ["It closed at 233.85."]


def test_code_and_tables_are_blocks_of_their_own() -> None:
    text = (
        "Here:\n```python\nx = 1.\n\n# y\n```\nAnd:\n| a | b |\n|---|---|\n| 1 | 2 |\nDone. <think>"
        " no\n"
    )
    blocks = Blocks()
    found = blocks.feed(text) + blocks.finish()
    assert [(b.kind, b.text.count("\n")) for b in found if b.kind != "prose"] == [
        ("code", 5),
        ("table", 3),
    ]
    thinking = Blocks().feed("<think>secret\nplan</think>The answer.\n")
    assert [(b.kind, b.text) for b in thinking] == [
        ("thought", "<think>secret\nplan</think>"),
        ("prose", "The answer.\n"),
    ]


def test_what_waits_to_be_said_stays_small_however_long_the_text() -> None:
    """Each delta looks at what waits only, so the work grows with the text and not with its
    square.
    """
    words = ["word", " ", "and", ", ", "so", ". ", "\n"]
    splitter, waiting = ClauseSplitter(abbreviations()), 0
    for word in random.Random(1).choices(words, k=20000):
        waiting += len(word) - sum(map(len, splitter.feed(word)))
        assert waiting <= LONGEST + 80


@pytest.mark.parametrize(
    ("held", "short"),
    [
        (
            "and the sales of March were the highest of the wh",
            "and the sales of March were the highest of the",
        ),
        ("it rose in the north and the west, but in the so", "it rose in the north and the west,"),
        ("the mean of it all was 15 mil", "the mean of it all"),
        ("what we know of it from Dr. Smi", "what we know of it from"),
        ("it is said by many that **the highest value of", "it is said by many that"),
        ("only four words here n", ""),
        ("see [the whole long list of them all", ""),
        ("收盘价在十月十五日是两百三十三点八五美元而且", ""),
    ],
)
def test_a_sentence_is_cut_short_where_a_speaker_could_pause(held: str, short: str) -> None:
    splitter = ClauseSplitter(abbreviations())
    assert splitter.feed(f"So it is! {held}") == ["So it is!"]
    assert [said.strip() for said in splitter.hurry()] == ([short] if short else [])
    assert "".join(splitter.flush()).endswith(held[-2:])
