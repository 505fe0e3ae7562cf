"""Which sentence answers, and whether one does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.documents.evidence import answer_kinds, parts_of
from app.documents.index import Index
from app.documents.library import DocumentLibrary
from app.documents.passages import spans_of
from app.documents.search import knows_question

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILES = {
    "manual.md": (
        "# Steam boiler 300\n\n5.1.1 Place the boiler at least 10 cm from the wall.\n\n"
        "5.1.2 Descale the boiler every eight weeks.\n\nError F31 means that the tank is empty."
    ),
    "board.txt": (
        "The board of Lindqvist Timber met in Umea. Marta Eklund leads the sawmill."
        " The sawmill employs 84 people. The meeting of 2024 was postponed."
    ),
    "规定.txt": "会员每年缴纳会费六百元。游泳池周三闭馆。储物柜的押金为五十元。教练由陈志强担任。",
    "規則.txt": "入会金は三千円とする。プールは毎週水曜日に休業する。ロッカーの鍵を紛失した場合は届け出る。",
    "Satzung.txt": "Der Beitrag beträgt 48 Euro. Der Austritt ist bis zum 30. September zu erklären.",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DocumentLibrary]:
    folder: Path = tmp_path_factory.mktemp("papers")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    made = DocumentLibrary(Index(None))
    made.add(folder)
    made.update()
    yield made
    made.close()


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("How often must the boiler be descaled?", "5.1.2 Descale the boiler every eight weeks."),
        ("What does error F31 mean?", "Error F31 means that the tank is empty."),
        ("How many people does the sawmill employ?", "The sawmill employs 84 people."),
        ("Who leads the sawmill?", "Marta Eklund leads the sawmill."),
        ("储物柜的押金要付多少？", "储物柜的押金为五十元。"),
        ("游泳池星期几闭馆？", "游泳池周三闭馆。"),
        ("入会金はいくらですか？", "入会金は三千円とする。"),
        ("プールは何曜日に休業しますか？", "プールは毎週水曜日に休業する。"),
        ("Wie hoch ist der Beitrag?", "Der Beitrag beträgt 48 Euro."),
    ],
)
def test_the_sentence_that_answers_is_quoted(
    library: DocumentLibrary, question: str, quote: str
) -> None:
    found = library.find(question)
    assert found.answered
    assert quote in max(found.hits, key=lambda hit: hit.said).quote


@pytest.mark.parametrize(
    "question",
    [
        "What does error F32 mean?",
        "When was Lindqvist Timber founded?",
        "What is the salary of Marta Eklund?",
        "What was decided at the meeting of 2019?",
        "How much does the boiler weigh?",
        "教练的电话号码是多少？",
        "停车场的费用是多少？",
        "ロッカーの大きさはどれくらいですか？",
        "Wie viele Mitglieder hat der Verein?",
    ],
)
def test_a_subject_that_is_named_is_no_answer_to_what_is_asked_of_it(
    library: DocumentLibrary, question: str
) -> None:
    assert not library.find(question).answered


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When does it open?", "time"),
        ("How long does it take?", "duration"),
        ("How many are there?", "number"),
        ("Who signed it?", "person"),
        ("什么时候开馆？", "time"),
        ("保修期多久？", "duration"),
        ("共有几名员工？", "number"),
        ("いつ届きますか？", "time"),
        ("何人いますか？", "number"),
        ("Wann endet der Vertrag?", "time"),
        ("Combien coûte le billet ?", "number"),
        ("What does it say?", None),
    ],
)
def test_a_question_tells_what_kind_of_answer_it_wants(question: str, kind: str | None) -> None:
    found = next((one.name for one in answer_kinds() if one.asks.search(question)), None)
    assert found == kind


def test_a_short_sentence_takes_the_next_along_but_a_heading_does_not() -> None:
    text = "Costs\nSmall things: free.\nA large one costs 20 euros, which is paid in advance."
    parts = [text[start:end] for start, end in parts_of(text, "file\n\nCosts")]
    assert parts[0] == "Costs\n"
    assert parts[1].endswith("in advance.")


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It ends on the 30. September at noon. Then it rains.", 2),
        ("Mr. Holm met Dr. Asare. They spoke.", 2),
        ("Siehe Nr. 5 und z. B. Abs. 2. Danach mehr.", 2),
        ("There were 30. Nobody left.", 2),
    ],
)
def test_a_full_stop_behind_an_abbreviation_or_a_day_ends_no_sentence(
    text: str, sentences: int
) -> None:
    assert len(spans_of(text)) == sentences


@pytest.mark.parametrize(
    ("question", "languages", "known"),
    [
        ("When does the contract end?", "en", True),
        ("Notice period", "en", True),
        ("¿Cuándo termina el contrato?", "en", False),
        ("Wann endet der Vertrag?", "en", False),
        ("Wann endet der Vertrag?", "en de", True),
        ("合同什么时候结束？", "en", False),
        ("合同什么时候结束？", "en zh", True),
        ("Wann endet der Vertrag?", "*", True),
    ],
)
def test_vectors_count_only_for_languages_the_embedder_knows(
    question: str, languages: str, known: bool
) -> None:
    assert knows_question(question, frozenset(languages.split())) is known
