"""Which sentence answers, and whether one does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.documents.evidence import answer_kinds, parts_of, running_lines
from app.documents.index import Index
from app.documents.library import DocumentLibrary
from app.documents.passages import DocumentPage, DocumentText, spans_of
from app.documents.search import knows_question
from app.documents.terms import stem

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
        ("Combien de membres ?", "number"),
        ("Combien coûte le billet ?", "money"),
        ("How much does it cost?", "money"),
        ("At what temperature is it kept?", "temperature"),
        ("冷蔵庫は何度ですか。", "temperature"),
        ("How often is it cleaned?", "frequency"),
        ("谁负责？", "person"),
        ("会長は誰ですか。", "identity"),
        ("Who is the treasurer?", "identity"),
        ("食堂经理是谁？", "identity"),
        ("Who is responsible for safety?", "person"),
        ("在宅勤務ができないのは誰ですか。", "person"),
        ("Which firm built the shed?", "organisation"),
        ("どの業者に頼みましたか。", "organisation"),
        ("What interest rate applies?", "percent"),
        ("小屋の番号は何番ですか。", "code"),
        ("パスワードは何文字ですか。", "number"),
        ("At what age does it end?", "number"),
        ("What is the average score of steel bridges?", "number"),
        ("节能程序一次用几度电？", "number"),
        ("What does it say?", None),
        ("What is the telephone number of the office?", "phone"),
        ("馆长的电话是多少？", "phone"),
        ("電話番号は何番ですか。", "phone"),
        ("队医叫什么名字？", "name"),
        ("Where are the keys kept?", "place"),
        ("钥匙放在哪里？", "place"),
    ],
)
def test_a_question_tells_what_kind_of_answer_it_wants(question: str, kind: str | None) -> None:
    found = next((one.name for one in answer_kinds() if one.asks.search(question)), None)
    assert found == kind


NEAR_MISSES = {
    "guideline.txt": (
        "Treatment\nThe target is below 130/80 mmHg. Start with ramipril 2.5 mg once daily."
        " Ramipril must not be given during pregnancy.\n\nFollow-up\nStable patients are seen every"
        " six months. The person responsible for this guideline is Dr. Tomas Reyes. It was approved"
        " on 12 March 2025."
    ),
    "policy.txt": (
        "1 Vaccine refrigerator\nVaccines are kept between 2 and 8 degrees Celsius. The temperature"
        " of the refrigerator is read and signed at 08:00 every working day."
    ),
    "章程.txt": (
        "第一条 会员应在每年三月三十一日之前缴纳当年会费。第二条 会员最多可以提前七天预订场地。"
        "第三条 逾期六十天未缴会费者，暂停其预订场地的资格。第四条 秘书负责场地预订。"
    ),
    "薬.txt": "錠剤は一日二回飲みます。妊娠中の方は服用できません。錠剤は三十度以下の場所に置きます。",
    "農園.txt": "いちご狩りは大人二千円です。ぶどう狩りは八月から九月まで行います。",
    "共同.txt": (
        "小屋の暗証番号は毎年4月に変える。公衆便所の掃除を当番制から業者委託に改めたいとの提案があった。"
    ),
    "spending.txt": (
        "The secretary may spend 4,000 pounds. The treasurer and the secretary sign jointly."
    ),
    "greenhouse.txt": "Tomatoes grow best between 21 and 26 degrees Celsius.",
    "図書室.txt": "本は一人五冊まで、二週間借りられます。",
    "急救.txt": "受伤时由队医处理，不得自行用药。离心机最高转速为一万二千转。",
    "opening.txt": (
        "The hall opens at six. The hall is locked at eleven on weekdays. The hall is locked at"
        " twelve on Saturdays."
    ),
}


@pytest.fixture(scope="module")
def near_misses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DocumentLibrary]:
    folder: Path = tmp_path_factory.mktemp("near")
    for name, text in NEAR_MISSES.items():
        (folder / name).write_text(text)
    made = DocumentLibrary(Index(None))
    made.add(folder)
    made.update()
    yield made
    made.close()


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("When must ramipril not be given?", "Ramipril must not be given during pregnancy."),
        (
            "At what temperature are vaccines kept?",
            "Vaccines are kept between 2 and 8 degrees Celsius.",
        ),
        (
            "Who is responsible for the guideline?",
            "The person responsible for this guideline is Dr. Tomas Reyes.",
        ),
        (
            "Who is in charge of the guideline?",
            "The person responsible for this guideline is Dr. Tomas Reyes.",
        ),
        ("会费什么时候交？", "第一条 会员应在每年三月三十一日之前缴纳当年会费。"),
        ("谁负责场地预订？", "第四条 秘书负责场地预订。"),
        ("誰が服用できませんか。", "妊娠中の方は服用できません。"),
        ("錠剤は何度以下に置きますか。", "錠剤は三十度以下の場所に置きます。"),
        ("いちご狩りはいくらですか。", "いちご狩りは大人二千円です。"),
    ],
)
def test_of_two_near_sentences_the_one_that_gives_what_is_asked_is_quoted(
    near_misses: DocumentLibrary, question: str, quote: str
) -> None:
    found = near_misses.find(question)
    assert found.answered
    assert max(found.hits, key=lambda hit: hit.said).quote == quote


@pytest.mark.parametrize(
    "question",
    [
        "When must the target not be reached?",  # a positive sentence does not answer a no
        "How many vaccines are kept?",  # a temperature counts no vaccines
        "有多少会员？",
        "When must ibuprofen not be given?",
        "もも狩りはいくらですか。",  # a word in hiragana is a word
        "At what temperature do cucumbers grow best?",  # all is said but the subject
        "雑誌は何週間借りられますか。",
        "队医叫什么名字？",  # who acts is not what they are called
        "离心机是谁买的？",  # 高转 and 万二 are no names of people
        "小屋の暗証番号は何番ですか。",  # a month is no code
        "What is the telephone number of the secretary?",  # a price is none
        "Who is the treasurer?",  # nobody is named
        "公衆便所の掃除はどの業者に委託されましたか。",
    ],
)
def test_a_near_sentence_that_gives_something_else_is_no_answer(
    near_misses: DocumentLibrary, question: str
) -> None:
    assert not near_misses.find(question).answered


def test_of_two_sentences_that_may_both_answer_both_are_told(near_misses: DocumentLibrary) -> None:
    best = max(near_misses.find("When is the hall locked?").hits, key=lambda hit: hit.said)
    assert "eleven" in best.quote + best.rival
    assert "twelve" in best.quote + best.rival


def test_a_word_the_document_says_otherwise_is_not_called_missing(
    near_misses: DocumentLibrary,
) -> None:
    assert "交" not in near_misses.find("会费什么时候交？").missing


def test_a_word_of_a_passage_found_late_is_not_called_missing(tmp_path: Path) -> None:
    for number in range(8):
        (tmp_path / f"{number}.txt").write_text(
            f"The hall rents chairs in 2024, list {number}. 礼堂2024年出租桌椅。"
        )
    (tmp_path / "late.txt").write_text(
        "Walter brings bread. 面包由厨房烤。清单 A-113/b。" + "It rains in May. " * 40
    )
    library = DocumentLibrary(Index(None))
    library.add(tmp_path)
    library.update()
    missing = library.find("Who rented the hall and chairs to Walter Quill in 2024?").missing
    ids = library.find("Which hall rented chairs of A-113/b and A-113/c in 2024?").missing
    wide = library.find("2024年礼堂出租桌椅，厨房，猫").missing
    library.close()
    assert missing == ("Quill",)
    assert "A-113/b" not in ids
    assert "A-113/c" in ids
    assert "厨房" not in wide


def test_a_year_that_a_chinese_character_follows_is_found_as_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("柳园食堂2023年全年结余四万元。")
    (tmp_path / "b.txt").write_text("The lease of 2023 was signed in Maltby.")
    library = DocumentLibrary(Index(None))
    library.add(tmp_path)
    library.update()
    first, *_ = library.find("2023年柳园食堂结余多少钱？").hits
    library.close()
    assert first.quote == "柳园食堂2023年全年结余四万元。"


def library_of(pages: list[str]) -> DocumentLibrary:
    """Return a library with one document."""
    index = Index(None)
    index.add_root("Library", "/papers")
    index.note_file("Library", "/papers", "/papers/scan.pdf", 1, 1)
    (file,) = index.files()
    made = tuple(DocumentPage(number, text) for number, text in enumerate(pages, 1))
    index.put_content(file.id, "hash", file.path, DocumentText("pdf", made))
    return DocumentLibrary(index)


HEADER = "Ferry workers' union · training course of 2024"


def test_headers_and_footers_are_no_answer() -> None:
    pages = [
        f"{HEADER}\n{at}\n{title}\n• {text}\nPage {at} of 3"
        for at, (title, text) in enumerate(
            [
                ("Rope work", "Ropes hang to dry."),
                ("Final test", "Twenty tasks, of which sixteen must be right."),
                ("Boats", "A boat is rowed by six."),
            ],
            1,
        )
    ]
    library = library_of(pages)
    hits = library.find("What is the final test of the ferry workers' training course?").hits
    library.close()
    assert hits
    assert not [hit.quote for hit in hits if "union" in hit.quote or "Page" in hit.quote]


def test_the_title_of_a_slide_is_no_answer_but_tells_what_its_bullets_are_about() -> None:
    pages = [
        f"{HEADER}\n{at}\n{title}\n• {text}\n• Ask the office."
        for at, (title, text) in enumerate(
            [
                ("Rope work", "Ropes hang to dry"),
                ("Final test on shore", "Of 20 tasks, 16 are needed"),
            ],
            1,
        )
    ]
    library = library_of(pages)
    found = library.find("What is needed in the final test?")
    library.close()
    best = max(found.hits, key=lambda hit: hit.said)
    assert best.quote.startswith("• Of 20 tasks, 16 are needed")


def test_a_line_that_says_no_more_than_the_question_is_no_answer(tmp_path: Path) -> None:
    (tmp_path / "slide.txt").write_text(
        "Stanner Mill Bridge\n• Repair: only in summer, because of salmon\nCray Footbridge\n• New"
    )
    library = DocumentLibrary(Index(None))
    library.add(tmp_path)
    library.update()
    hits = library.find("Why is Stanner Mill Bridge closed?").hits
    library.close()
    assert "Stanner Mill Bridge" not in [hit.quote for hit in hits]


def test_a_line_is_a_header_at_the_edge_of_a_page_and_may_differ_in_the_page_number_alone() -> None:
    body = "One.\nTwo.\nThree.\nThe same.\nFour.\nFive.\nSix."
    other = "Seven.\nEight.\nNine.\nThe same.\nTen.\nEleven."
    pages = {3: f"Rules 3\n{body}\nCosts 5 euros.", 4: f"Rules 4\n{other}\nCosts 9 euros."}
    assert running_lines(pages, 3) == {"Rules 3"}


def test_what_the_title_of_a_document_says_is_not_missed_on_its_later_pages() -> None:
    title = "Alder Point Rowing Club\nConstitution and boathouse rules"
    library = library_of(
        [
            f"{title}\n1. The club is run by a committee of five.",
            "Notice of an extraordinary meeting is ten days.",
            "Oars are kept dry. Boats are washed.",
        ]
    )
    question = "How long is the notice of an extraordinary meeting of the Alder Point Rowing Club?"
    found = library.find(question)
    library.close()
    assert found.answered
    best = max(found.hits, key=lambda hit: hit.said)
    assert best.quote == "Notice of an extraordinary meeting is ten days."


def test_a_short_line_takes_the_next_along_but_a_heading_is_no_part_of_a_quote() -> None:
    text = "Costs\nSmall: free.\nA large one costs 20 euros, which is paid in advance."
    parts = [text[start:end] for start, end in parts_of(text, "file\n\nCosts")]
    assert parts[0].startswith("Small: free.")
    assert parts[0].endswith("in advance.")
    text = "Diagnosis\nIt is diagnosed at two visits. A doctor confirms it."
    parts = [text[start:end].strip() for start, end in parts_of(text, "file")]
    assert parts == ["It is diagnosed at two visits.", "A doctor confirms it."]
    text = "借阅规则\n成人最多可借八册。儿童最多可借十二册。"
    parts = [text[start:end] for start, end in parts_of(text, "file")]
    assert parts == ["成人最多可借八册。", "儿童最多可借十二册。"]


def test_a_sentence_that_points_back_may_be_quoted_with_the_one_it_points_to() -> None:
    text = "The guideline is new. It was approved on 12 March 2025."
    parts = [text[start:end] for start, end in parts_of(text, "file")]
    assert text in parts


@pytest.mark.parametrize(
    ("text", "question", "quote"),
    [
        (
            "锦屏漫画社，是以漫画创作为主的动漫企业。主要进行原创漫画的企划和发售。总部在天津。",
            "锦屏漫画社主要进行哪些工作？",
            "锦屏漫画社，是以漫画创作为主的动漫企业。主要进行原创漫画的企划和发售。",
        ),
        (
            "打楽器には音高を持つものと持たないものとがある。後者はリズムを奏でる。歴史は古い。",
            "打楽器は何を奏でるか。",
            "打楽器には音高を持つものと持たないものとがある。後者はリズムを奏でる。",
        ),
        (
            "The Elvdal chapel stands on an island. Queen Ragna ordered to build it. Tours are free.",
            "Who ordered to build the Elvdal chapel?",
            "The Elvdal chapel stands on an island. Queen Ragna ordered to build it.",
        ),
    ],
)
def test_a_sentence_that_leaves_its_subject_out_is_quoted_with_the_one_that_names_it(
    tmp_path: Path, text: str, question: str, quote: str
) -> None:
    (tmp_path / "note.txt").write_text(text)
    library = DocumentLibrary(Index(None))
    library.add(tmp_path)
    library.update()
    hits = library.find(question).hits
    library.close()
    assert max(hits, key=lambda hit: hit.said).quote == quote


@pytest.mark.parametrize(
    "words",
    [
        "cover covered covers covering",
        "close closed closes closing",
        "pass passed passes",
        "stop stopped stopping",
        "fill filled fills",
        "use used uses using",
        "cancel cancelled cancels",
        "require required requirement requirements",
        "need needs needed",
        "fee fees",
        "morning mornings",
        "descale descaled",
        "manage managed management",
    ],
)
def test_the_forms_of_a_word_are_compared_as_one(words: str) -> None:
    assert len({stem(word) for word in words.split()}) == 1


def test_short_words_are_not_cut_to_a_letter() -> None:
    assert (
        len(
            {
                stem(word)
                for word in ["ring", "king", "need", "feed", "fees", "thing", "tree", "free"]
            }
        )
        == 8
    )


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Insurance does not cover theft at night.", "What is not covered by the insurance?"),
        ("没有接送卡的人不得接走孩子。", "谁不得接走孩子？"),
        ("车辆修理由老高负责。", "谁负责修车？"),
        ("パソコンは一回三十分まで使えます。", "パソコンは何分使えますか。"),
        (
            "雨の日もいちご狩りはできますが、ぶどう狩りは中止します。",
            "ぶどう狩りはいつ中止になりますか。",
        ),
    ],
)
def test_an_answer_is_known_by_its_form(tmp_path: Path, text: str, question: str) -> None:
    (tmp_path / "note.txt").write_text(text)
    library = DocumentLibrary(Index(None))
    library.add(tmp_path)
    library.update()
    found = library.find(question)
    library.close()
    assert found.answered


def test_how_far_is_not_what_it_costs(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("Batteries are charged for four hours.")
    library = DocumentLibrary(Index(None))
    library.add(tmp_path)
    library.update()
    (hit,) = library.find("How far does the battery go?").hits
    library.close()
    assert hit.said < 0.2


def test_two_sentences_of_which_one_says_it_all_are_not_joined(library: DocumentLibrary) -> None:
    hits = library.find("Who leads the sawmill?").hits
    assert max(hits, key=lambda hit: hit.said).quote == "Marta Eklund leads the sawmill."


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
