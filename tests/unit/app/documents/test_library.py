"""A library follows the disk, finds passages, and knows what it does not hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from app.documents.index import Index
from app.documents.library import DocumentLibrary
from app.documents.passages import split_page, token_count
from app.documents.search import Embedder
from app.documents.text import DocumentText, Page, read_document
from app.domain.errors import DocumentError


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
    for one, text in waiting:
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


def test_passages_hold_every_word_once_and_stay_within_their_limit() -> None:
    text = " ".join(f"Sentence number {n} says something." for n in range(400)) + "字" * 900
    passages = split_page(Page(1, text))
    assert "".join("".join(p.text.split()) for p in passages) == "".join(text.split())
    assert max(token_count(p.text) for p in passages) <= 200
    assert all(text[p.start : p.end] == p.text for p in passages)


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
