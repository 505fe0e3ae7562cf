"""A library follows the disk, finds passages, and knows what it does not hold."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest

from app.documents.formats import read_document
from app.documents.index import Index
from app.documents.library import DocumentLibrary
from app.documents.passages import DocumentPage, DocumentText, Passage, split_page, token_count
from app.documents.search import Embedder, FoundPassages, knows_script
from app.domain.errors import DocumentError
from tests.unit.app.documents.files import write_docx


class InProcess:
    """Reads in this process, and counts."""

    def __init__(self) -> None:
        self.paths: list[str] = []

    def read(self, path: Path) -> DocumentText:
        self.paths.append(path.name)
        return read_document(path)

    def close(self) -> None:
        pass


@pytest.fixture
def library(tmp_path: Path) -> Iterator[DocumentLibrary]:
    made = DocumentLibrary(Index(tmp_path / "index.sqlite"), InProcess())  # type: ignore[arg-type]
    yield made
    made.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "papers"
    made.mkdir()
    (made / "lease.md").write_text("# Notice\nThe tenant gives notice three months before the end.")
    (made / "report.txt").write_text(
        "Revenue in Q3 2025 rose to 4.2 million.\n\nSee section 6.2.9."
    )
    (made / "合同.txt").write_text("本合同的通知期限为三个月，逾期视为同意续约。", "utf-8")
    return made


def test_what_is_found_is_the_exact_span_of_its_page(
    library: DocumentLibrary, folder: Path
) -> None:
    library.add(folder)
    library.update()
    hit = library.find("When must the tenant give notice?").hits[0].passage
    assert Path(hit.path).name == "lease.md"
    assert hit.heading == "Notice"
    text = library.index.page_text(hit.hash, hit.page)
    assert text is not None
    assert text[hit.start : hit.end] == hit.text


def test_chinese_is_found_by_words_of_two_characters(
    library: DocumentLibrary, folder: Path
) -> None:
    library.add(folder)
    library.update()
    found = library.find("通知期限是多久？")
    assert Path(found.hits[0].passage.path).name == "合同.txt"
    assert found.answered


@pytest.mark.parametrize(
    "question",
    [
        "What did Obama say about notice?",
        "What was the revenue in Q3 2019?",
        "Who painted the ceiling?",
        "蛋糕的价格是多少？",
    ],
)
def test_what_the_documents_do_not_hold_is_not_answered(
    library: DocumentLibrary, folder: Path, question: str
) -> None:
    library.add(folder)
    library.update()
    found = library.find(question)
    assert not found.answered
    assert found.missing


@pytest.mark.parametrize(
    ("question", "answered"),
    [
        ("What is the salary of Lena Fischer?", False),  # a name alone is no evidence
        ("Who heads the works of Northwind?", True),
        ("When was Northwind founded?", False),
        ("What does rule 4.1.7 say?", False),  # its numbers stand there, the rule does not
        ("What does rule 4.7.1 say?", True),
        ("Wie hoch ist der Beitrag für Schüler?", True),
        ("Wie hoch ist der Beitrag für Rentner der Gemeinde?", False),
        ("2025年的净利润是多少？", True),  # a year that a word follows
        ("在宅勤務は週に何日までですか？", True),
    ],
)
def test_what_is_asked_must_stand_there_and_not_only_what_it_is_asked_about(
    library: DocumentLibrary, folder: Path, question: str, answered: bool
) -> None:
    texts = {
        "northwind": "Lena Fischer heads the works of Northwind. It has 7 halls, 4 cranes, 1 dock.",
        "rules": "Rule 4.7.1: lifts must not be used.",
        "satzung": "Der Beitrag beträgt 60 Euro für Schüler.",
        "年报": "本公司2025年净利润为八千六百万元。",
        "規則": "在宅勤務は週に三日まで認める。",
    }
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, "utf-8")
    library.add(folder)
    library.update()
    assert library.find(question).answered is answered


def test_what_the_file_is_called_draws_no_quote_to_its_title(
    library: DocumentLibrary, folder: Path
) -> None:
    fact = "At its end the company had 451 employees, most of them in Odense."
    (folder / "Quarterly report Q3 2026.txt").write_text(
        f"Quarterly report, Q3 2026, of the company as it was audited in 2026.\n\n{fact}"
    )
    library.add(folder)
    library.update()
    hit = library.find("How many employees were there at the end of Q3 2026?").hits[0]
    assert hit.quote == fact


def test_an_id_of_several_parts_is_found_as_written(library: DocumentLibrary, folder: Path) -> None:
    (folder / "other.txt").write_text("In 6 of 2 cases there were 9 more. " * 5)
    library.add(folder)
    library.update()
    assert Path(library.find("6.2.9").hits[0].passage.path).name == "report.txt"


def test_only_what_changed_is_read_again_and_what_is_gone_is_forgotten(
    tmp_path: Path, folder: Path
) -> None:
    reader = InProcess()
    library = DocumentLibrary(Index(None), reader)  # type: ignore[arg-type]
    library.add(folder)
    assert library.update().read == 3
    (folder / "report.txt").write_text("Nothing of note.")
    (folder / "lease.md").rename(folder / "moved.md")
    (folder / "合同.txt").unlink()
    reader.paths.clear()
    update = library.update()
    assert reader.paths == ["report.txt"]  # what was only moved is known by its content
    assert update.removed == 2
    assert not library.find("通知期限").hits
    assert Path(library.find("tenant notice").hits[0].passage.path).name == "moved.md"
    library.close()


def test_one_bad_file_stops_nothing_and_is_not_read_again_until_it_changes(
    library: DocumentLibrary, folder: Path
) -> None:
    (folder / "bad.pdf").write_bytes(b"%PDF-1.7 and no more")
    library.add(folder)
    update = library.update()
    assert (update.read, update.failed) == (3, 1)
    failed = next(file for file in library.files() if file.state == "failed")
    assert "bad.pdf" in failed.error
    assert failed.remedy
    assert library.update().failed == 0


def test_a_folder_that_vanished_keeps_its_documents(library: DocumentLibrary, folder: Path) -> None:
    library.add(folder)
    library.update()
    folder.rename(folder.with_name("elsewhere"))
    assert library.update().unreachable == (str(folder),)
    assert library.find("tenant notice").hits


def test_removing_a_folder_empties_the_index_and_touches_no_file(
    library: DocumentLibrary, folder: Path
) -> None:
    library.add(folder)
    library.update()
    library.remove(folder)
    assert library.index.counts() == (0, 0)
    assert len(list(folder.iterdir())) == 3
    with pytest.raises(DocumentError):
        library.remove(folder)


def test_a_search_can_stay_in_one_folder(library: DocumentLibrary, folder: Path) -> None:
    inner = folder / "old"
    inner.mkdir()
    (inner / "lease.txt").write_text("The tenant gives notice six months before.")
    library.add(folder)
    library.update()
    hits = library.find("tenant notice", paths=[str(inner)]).hits
    assert [Path(hit.passage.path).parent.name for hit in hits] == ["old"]


def test_vectors_find_what_shares_no_word_and_are_left_out_for_a_script_they_do_not_know(
    library: DocumentLibrary, folder: Path
) -> None:
    library.add(folder)
    library.update()
    waiting = library.index.without_vectors("m", 100)
    made = []
    for one, _, text in waiting:
        vector = np.array([1, 0] if "Revenue" in text else [0, 1], dtype=np.float16)
        made.append((one, vector.tobytes()))
    library.index.put_vectors("m", made)
    assert library.index.without_vectors("m", 100) == []
    asked: list[str] = []

    def embed(text: str) -> np.ndarray:
        asked.append(text)
        return np.array([1, 0], dtype=np.float32)

    embedder = Embedder("m", frozenset({"en"}), embed)
    hits = library.find("turnover", embedder=embedder).hits
    assert Path(hits[0].passage.path).name == "report.txt"
    asked.clear()
    library.find("通知期限是多久", embedder=embedder)
    assert asked == []


def test_of_three_reports_the_one_that_is_meant_comes_first_and_names_the_others(
    library: DocumentLibrary, tmp_path: Path
) -> None:
    folder = tmp_path / "reports"
    folder.mkdir()
    for quarter, sum_ in ((1, "4.1"), (2, "4.7"), (3, "3.9")):
        text = (
            f"The revenue of the company rose to {sum_} million euros, as the board had expected."
        )
        (folder / f"report_Q{quarter}_2025.txt").write_text(text)
    library.add(folder)
    library.update()
    vectors = [(one, np.array([one, 1], dtype=np.float16).tobytes()) for one in (1, 2, 3)]
    library.index.put_vectors("m", vectors)  # nearest in meaning is that of another quarter

    def embed(_: str) -> np.ndarray:
        return np.array([1, 0], dtype=np.float32)

    embedder = Embedder("m", frozenset({"en"}), embed)
    found = library.find("What was the revenue in Q2 2025?", embedder=embedder)
    first = found.hits[0]
    assert Path(first.passage.path).name == "report_Q2_2025.txt"
    assert "4.7" in first.quote
    others = {"report_Q1_2025.txt", "report_Q3_2025.txt"}
    assert {Path(path).name for path in first.differing} == others
    assert len(found.hits) == 3  # other numbers are another answer: both are shown


def test_the_same_words_in_two_files_are_one_hit_with_both_places(
    library: DocumentLibrary, folder: Path
) -> None:
    (folder / "copy.md").write_text(
        "The tenant gives notice  three months\nbefore the end.\n\n" + "Another thing. " * 100
    )
    (folder / "lease.md").write_text(
        "The tenant gives notice three months before the end.\n\n" + "Another thing. " * 100
    )
    library.add(folder)
    library.update()
    (hit, *more) = library.find("tenant notice").hits
    assert [Path(one.path).name for one in hit.same] in (["copy.md"], ["lease.md"])
    assert not any("tenant" in one.passage.text for one in more)


def test_vectors_that_were_replaced_are_not_taken_for_the_old_ones(
    library: DocumentLibrary, folder: Path
) -> None:
    def embed(_: str) -> np.ndarray:
        return np.array([1, 0], dtype=np.float32)

    embedder = Embedder("m", frozenset({"en"}), embed)
    library.add(folder)
    library.update()
    mine, other = np.array([[1, 0], [0, 1]], dtype=np.float16)
    library.index.put_vectors("m", [(1, mine.tobytes()), (2, other.tobytes())])
    before = library.find("turnover", embedder=embedder).hits[0].passage.id
    assert before == 1
    library.index.put_vectors("m", [(1, other.tobytes()), (2, mine.tobytes())])
    assert library.find("turnover", embedder=embedder).hits[0].passage.id == 2
    library.index.put_vectors("m", [(3, (2 * mine).tobytes())])
    assert library.find("turnover", embedder=embedder).hits[0].passage.id == 3
    library.forget_vectors()
    assert library.find("turnover", embedder=embedder).hits[0].passage.id == 3


def test_vectors_stay_within_the_folder_that_is_searched(
    library: DocumentLibrary, folder: Path
) -> None:
    library.add(folder)
    library.update()
    rows = [(one, np.array([1, 0], dtype=np.float16).tobytes()) for one in (1, 2, 3)]
    library.index.put_vectors("m", rows)
    embedder = Embedder("m", frozenset({"*"}), lambda _: np.array([1, 0], dtype=np.float32))
    hits = library.find("turnover", paths=[str(folder / "report.txt")], embedder=embedder).hits
    assert {Path(hit.passage.path).name for hit in hits} == {"report.txt"}


def test_a_question_in_a_language_of_no_document_is_answered_by_meaning(
    library: DocumentLibrary, tmp_path: Path
) -> None:
    folder = tmp_path / "rules"
    folder.mkdir()
    for number in range(20):
        (folder / f"{number:02}.txt").write_text(f"第{number}条 会费每年三百元。")
    (folder / "20.txt").write_text("食堂 Wi-Fi 的密码每月更换。")
    library.add(folder)
    library.update()
    rows = [(one, Path(about).stem) for one, about, _ in library.index.without_vectors("m", 99)]
    near = {name: np.array([1 - int(name) / 40, 0], dtype=np.float16) for _, name in rows}
    library.index.put_vectors("m", [(one, near[name].tobytes()) for one, name in rows])
    embedder = Embedder("m", frozenset({"*"}), lambda _: np.array([1, 0], dtype=np.float32))

    def first(question: str) -> str:
        return Path(library.rank(question, embedder=embedder)[0].passage.path).stem

    question = "How much does a year of membership in our club cost students, without the Wi-Fi?"
    assert first(question) == "00"
    # words that are known count as much as the meaning
    assert first("食堂密码") == "20"
    assert first("Is there a Wi-Fi password?") == "20"


def test_a_search_waits_for_no_writer(
    library: DocumentLibrary, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.add(folder)
    library.update()
    found: list[FoundPassages] = []

    def split(page: DocumentPage) -> list[Passage]:
        search = Thread(target=lambda: found.append(library.find("tenant notice")))
        search.start()
        search.join(10)
        return split_page(page)

    monkeypatch.setattr("app.documents.index.split_page", split)  # as within a large file
    (folder / "large.txt").write_text("Something of many pages.")
    library.update()
    assert found


def test_an_index_of_version_1_keeps_its_vectors(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "old.sqlite"
    made = DocumentLibrary(Index(path), InProcess())  # type: ignore[arg-type]
    made.add(folder)
    made.update()
    made.close()
    with closing(sqlite3.connect(path)) as old, old:
        old.executescript(
            "ALTER TABLE roots DROP COLUMN device; ALTER TABLE pages DROP COLUMN headings;"
            " DROP TABLE scans; DROP TABLE vectors; DROP TABLE embedders;"
            " CREATE TABLE vectors (passage_id INTEGER"
            " NOT NULL REFERENCES passages (id) ON DELETE CASCADE, model TEXT NOT NULL, vector BLOB"
            " NOT NULL, PRIMARY KEY (passage_id, model)) WITHOUT ROWID; PRAGMA user_version = 1;"
        )
        old.execute("INSERT INTO vectors VALUES (1, 'm', x'003c0000')")
    index = Index(path)
    assert index.embedded() == {"m": 1}
    vectors = index.vectors("m")
    assert vectors is not None
    assert vectors.matrix.tolist() == [[1.0, 0.0]]
    index.close()


def test_the_index_keeps_the_headings_of_pages(tmp_path: Path) -> None:
    write_docx(tmp_path / "lease.docx", [("Heading1", "Notice"), ("", "It is three months.")])
    made = DocumentLibrary(Index(None), InProcess())  # type: ignore[arg-type]
    made.add(tmp_path)
    made.update()
    (file,) = made.files()
    (page,) = made.index.pages(file.hash)
    assert page.headings == ((0, "Notice"),)
    made.close()


@pytest.mark.parametrize(
    ("text", "languages", "known"),
    [
        ("When is it due?", {"en"}, True),
        ("Wann ist es fällig?", {"en"}, True),
        ("通知期限は何か月ですか", {"en"}, False),
        ("通知期限は何か月ですか", {"en", "ja"}, True),
        ("Срок уведомления", {"en"}, False),
        ("Срок уведомления", {"ru"}, True),
        ("Срок уведомления", {"*"}, True),
        ("4711", {"en"}, True),
    ],
)
def test_an_embedder_is_asked_about_scripts_it_knows(
    text: str, languages: set[str], known: bool
) -> None:
    assert knows_script(text, frozenset(languages)) is known


def test_passages_hold_every_word_once_and_stay_within_their_limit() -> None:
    text = " ".join(f"Sentence number {n} says something." for n in range(400)) + "字" * 900
    passages = split_page(DocumentPage(1, text))
    assert "".join("".join(p.text.split()) for p in passages) == "".join(text.split())
    assert max(token_count(p.text) for p in passages) <= 200
    assert all(text[p.start : p.end] == p.text for p in passages)


@pytest.mark.parametrize(
    "text", ["word " * 40_000, "x" * 200_000, " " * 200_000, "# H\nA.\n" * 9000]
)
def test_a_text_without_stops_or_of_many_headings_is_cut_in_time_that_grows_with_it(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []

    def count(part: str) -> int:
        counted.append(len(part))
        return token_count(part)

    monkeypatch.setattr("app.documents.passages.token_count", count)
    headings = tuple((at, "H") for at in range(0, len(text), 7))
    passages = split_page(DocumentPage(1, text, headings=headings if text[0] == "#" else ()))
    assert sum(counted) < 300 * len(text)
    assert "".join("".join(p.text.split()) for p in passages) == "".join(text.split())


def test_a_hit_names_the_sentence_that_answers_also_over_broken_lines(
    library: DocumentLibrary, folder: Path
) -> None:
    filling = "The committee met again and spoke of the minutes of the meeting.\n"
    fact = (
        "The turbines cost 3.5 million euros and are delivered to\nBergen in March 2027, later than"
        " planned.\n"
    )
    (folder / "minutes.txt").write_text(filling * 3 + fact + filling * 3)
    library.add(folder)
    library.update()
    hit = library.find("When are the turbines delivered?").hits[0]
    assert hit.quote == fact.strip()
    assert hit.quote in hit.passage.text


def test_an_update_of_one_folder_reads_no_other_and_one_that_is_stopped_says_what_is_left(
    library: DocumentLibrary, folder: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.txt").write_text("Something else.")
    library.add(folder)
    library.add(other)
    assert library.update(paths=[str(other)]).read == 1
    assert library.update(stopped=lambda: True).waiting == 3
    assert library.update().read == 3


def test_the_same_content_read_by_another_process_meanwhile_is_not_read_twice(
    tmp_path: Path, folder: Path
) -> None:
    first = DocumentLibrary(Index(tmp_path / "index.sqlite"), InProcess())  # type: ignore[arg-type]
    second = Index(tmp_path / "index.sqlite")
    first.add(folder)
    first.update()
    passages = second.counts()
    file = second.files()[0]
    second.put_content(file.id, "lease", file.hash, read_document(Path(file.path)))
    assert second.counts() == passages
    second.close()
    first.close()


def test_a_folder_whose_name_begins_like_another_is_another(
    library: DocumentLibrary, folder: Path
) -> None:
    beside = folder.with_name("papers2")
    beside.mkdir()
    (beside / "lease.md").write_text("The tenant of papers2 gives notice.")
    (folder / "below.d").mkdir()
    (folder / "below.d" / "deep.txt").write_text("A tenant in the depth.")
    library.add(folder)
    library.add(beside)
    library.update()
    hits = library.find("tenant", paths=[str(folder)]).hits
    assert {Path(hit.passage.path).name for hit in hits} == {"lease.md", "deep.txt"}
    assert all("papers2" not in hit.passage.text for hit in hits)
    assert library.index.states([str(folder)]) == {"ready": 4, "unread": 0}
    assert library.index.states([str(folder / "lease.md")]) == {"ready": 1, "unread": 0}
    assert library.index.states([]) == {"unread": 0}


def test_closing_ends_an_update_that_compares_a_whole_disk(
    library: DocumentLibrary, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(_: Path, __: list[str]) -> Iterator[tuple[str, int, int]]:
        begun.set()
        while True:
            yield str(folder / "lease.md"), 1, 1

    begun = Event()
    library.add(folder)
    monkeypatch.setattr("app.documents.library.walk", endless)
    update = Thread(target=library.update, name="update")
    update.start()
    assert begun.wait(5)
    library.close()
    update.join(5)
    assert not update.is_alive()
