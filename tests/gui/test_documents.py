"""Documents in the window: attached, asked, the cited words marked; the page of the libraries."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QMessageBox

from app.documents.passages import DocumentPage
from app.domain.model import EMBEDDER, DownloadStep, Model
from app.services import documents
from app.services.conversation.attachments import attachment_of
from app.services.documents import SearchCoverage
from app.ui.controls.actions import action_of
from app.ui.dashboard.bodies.document import DocumentBody, place_of
from app.ui.dashboard.bodies.pdf_pages import PdfBody
from app.ui.dashboard.bodies.text import WordsBody
from app.ui.documents.page import DocumentsPage, coverage_in_words
from app.ui.documents.panel import DocumentsPanel
from app.ui.main.session import WindowSession
from app.ui.main.window import MainWindow
from app.ui.settings.window import DOCUMENTS
from app.ui.theme.i18n import speak
from tests.gui.living import in_window, until
from tests.unit.app.documents.files import write_docx, write_pdf, write_scan

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

FACT = "The turbines cost 3.5 million euros and are delivered to Bergen in March 2027."

pytestmark = [
    pytest.mark.usefixtures("served"),
    pytest.mark.qt_log_ignore("This plugin does not support"),  # of menus: the offscreen platform
]


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    write_pdf(folder / "turbines.pdf", ["Minutes of the meeting.", FACT])
    notice = ("", "The tenant gives notice three months before the end of the lease.")
    write_docx(folder / "lease.docx", [("Heading1", "Notice"), notice])
    (folder / "roof.md").write_text("# Roof\n\nThe roof is **repaired** in 2031.")
    (folder / "broken.docx").write_bytes(b"PK")
    return folder


async def answered(session: WindowSession, question: str) -> str:
    count = len(session.turns)
    session.submit(question)
    await until(lambda: len(session.turns) > count and session.turns[-1].state == "done")
    return session.turns[-1].answer()


async def detach_all(session: WindowSession) -> None:
    await session.deskpilot.widgets.attach_only(set())


def body(window: MainWindow, kind: type[Any]) -> Any:
    found = window.dashboard.findChildren(kind)
    return found[0] if found else None


def test_a_folder_is_asked_and_the_cited_words_are_marked(qapp: Any, papers: Path) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        await detach_all(session)
        session.context.attach_files([str(papers)])
        await until(lambda: session.deskpilot.widgets.attached())
        assert FACT[:20] in await answered(session, "When are the turbines delivered?")
        session.follow(session.turns[-1], action_of("cite:1"))
        await until(lambda: body(window, PdfBody) is not None and body(window, PdfBody).pages.marks)
        (mark,) = body(window, PdfBody).pages.marks
        assert (mark.page, mark.quote) == (1, True)
        assert "three months" in await answered(session, "When must the tenant give notice?")
        session.follow(session.turns[-1], action_of("cite:1"))
        await until(lambda: body(window, DocumentBody) is not None)
        shown = body(window, DocumentBody)
        await until(lambda: shown.extraSelections())
        (selection,) = shown.extraSelections()
        cursor = selection.cursor
        assert cursor.selectedText().startswith("The tenant gives notice")
        assert "2031" in await answered(session, "When is the roof repaired?")
        session.follow(session.turns[-1], action_of("cite:1"))
        await until(lambda: body(window, WordsBody) is not None)
        await until(lambda: body(window, WordsBody).extraSelections())
        (folder,) = session.deskpilot.widgets.attached()
        assert attachment_of(folder).path == str(
            papers
        )  # what was opened goes along no more than before

    in_window(work)


def test_the_closest_page_of_a_refusal_can_be_opened(qapp: Any, papers: Path) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        await detach_all(session)
        session.context.attach_files([str(papers)])
        await until(lambda: session.deskpilot.widgets.attached())
        answer = await answered(session, "What colour are the turbines of Bergen?")
        assert answer.startswith("No passage clearly answers this.")
        session.follow(session.turns[-1], action_of("cite:1"))
        await until(lambda: body(window, PdfBody) is not None and body(window, PdfBody).pages.marks)

    in_window(work)


def test_a_word_file_is_shown_with_its_headings_and_room_between_paragraphs(qapp: Any) -> None:
    text = "Notice\nThree months.\nIn writing.\nCosts\nNone."
    page = DocumentPage(1, text, headings=((0, "Notice"), (33, "Costs")))
    shown = DocumentBody([page], "lease.docx")
    document = shown.document()
    blocks = [document.findBlockByNumber(number) for number in range(5)]
    assert [block.text() for block in blocks] == text.split("\n")
    formats = [block.begin().fragment().charFormat() for block in blocks]
    heavy = [one.fontWeight() > QFont.Weight.Normal for one in formats]
    assert heavy == [True, False, False, True, False]
    assert blocks[3].blockFormat().topMargin() > blocks[2].blockFormat().topMargin() > 0
    assert shown.mark(1, "In writing.")


def test_the_page_adds_a_folder_reads_it_and_searches_it(qapp: Any, papers: Path) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        settings = session.preferences.open(DOCUMENTS)
        page = settings.documents
        await until(lambda: page.libraries.count())
        page.panel.tell("")
        session.preferences.documents._add([str(papers)])  # as the dialog does
        await until(
            lambda: page.panel.list.count() == 4 and "1 can't be read" in page.panel.told.text()
        )
        texts = [page.panel.list.item(row).text() for row in range(4)]
        assert any("broken.docx" in text and "damaged" in text for text in texts)
        QTest.keyClicks(page.panel.field, "turbines delivered")
        page.panel.field.returnPressed.emit()
        await until(lambda: page.panel.list.count() and "page 2" in page.panel.list.item(0).text())
        page.panel.ask.click()
        await until(lambda: window.composer.editor.toPlainText() == "turbines delivered")
        await until(lambda: any(w.name == "turbines" for w in session.deskpilot.widgets.attached()))
        page.attach.click()
        await until(lambda: any(w.type == "library" for w in session.deskpilot.widgets.attached()))
        await until(lambda: body(window, DocumentsPanel) is not None)
        tile = body(window, DocumentsPanel)
        await until(lambda: "3 documents" in tile.told.text())
        (papers / "new.txt").write_text("Something new.")
        page.update_.click()
        await until(lambda: "4 documents" in tile.told.text())
        settings.close()

    in_window(work)


def test_a_passage_is_shown_on_its_page_and_its_likes_are_a_press_away(
    qapp: Any, papers: Path
) -> None:
    write_pdf(papers / "copy.pdf", ["Another first page.", FACT])

    async def work(window: MainWindow, session: WindowSession) -> None:
        settings = session.preferences.open(DOCUMENTS)
        settings.resize(1100, 760)
        page, panel = settings.documents, settings.documents.panel
        await until(lambda: page.libraries.count())
        session.preferences.documents._add([str(papers)])
        await until(lambda: panel.list.count() == 5)
        assert not panel.preview.isVisible()
        QTest.keyClicks(panel.field, "turbines delivered")
        panel.field.returnPressed.emit()
        await until(lambda: panel.preview.isVisible() and not panel.preview.image.isNull())
        (box,) = panel.preview.boxes
        shown = panel.preview.image
        inside = [
            shown.pixelColor(x, y).lightness()
            for x in range(int(box.left()), int(box.right()))
            for y in range(int(box.top()), int(box.bottom()))
        ]
        assert min(inside) < 128  # the words are there where the mark is
        first = Path(panel.chosen()).name
        other = ({"copy.pdf", "turbines.pdf"} - {first}).pop()
        assert f"The same text: {other}" in panel.list.item(0).text()
        opened: list[tuple[str, int, str]] = []
        panel.opened.disconnect()
        panel.opened.connect(lambda *told: opened.append(told))
        panel.others.click()
        menu = panel.findChild(QMenu)
        assert [action.text() for action in menu.actions()] == [other]
        menu.actions()[0].trigger()
        assert opened == [(str(papers / other), 2, "")]
        menu.close()
        QTest.mouseClick(panel.preview, Qt.MouseButton.LeftButton)
        assert opened[1][:2] == (str(papers / first), 2)
        settings.resize(700, 700)
        await until(lambda: not panel.preview.isVisible())
        settings.close()

    in_window(work)


def test_the_page_says_how_it_searches_and_rebuilds_after_a_question(
    qapp: Any, papers: Path
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        settings = session.preferences.open(DOCUMENTS)
        page = settings.documents
        await until(lambda: page.libraries.count())
        assert not page.rebuild.isEnabled()  # there is nothing yet
        session.preferences.documents._add([str(papers)])
        await until(lambda: page.panel.list.count() == 4 and page.rebuild.isEnabled())
        await until(lambda: "index: " in page.coverage.text())
        documents = session.deskpilot.documents
        before = {file.id: file.changed for file in await documents.files_of("Documents")}
        page.rebuild.click()
        (question,) = page.findChildren(QMessageBox)
        assert "Documents" in question.text()
        await until(lambda: question.isVisible())
        read: list[int] = []
        documents.subscribe(lambda: read.append(1))
        next(b for b in question.buttons() if b.text() == "Rebuild").click()
        await until(lambda: read and "3 documents" in page.panel.told.text())
        assert {f.id: f.changed for f in await documents.files_of("Documents")} == before
        page.embedders.click()
        assert settings.models.isVisible()
        assert settings.models.kind.value == EMBEDDER
        settings.close()

    in_window(work)


def test_scanned_pages_are_offered_the_pack_that_reads_them_by_its_size(
    qapp: Any, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_scan(papers / "scan.pdf", ["The roof is repaired."])

    async def work(window: MainWindow, session: WindowSession) -> None:
        settings = session.preferences.open(DOCUMENTS)
        page = settings.documents
        await until(lambda: page.libraries.count())
        assert not page.scans.isVisible()
        session.preferences.documents._add([str(papers)])
        await until(lambda: page.ocr.isVisible())
        assert "27.3 MB" in page.ocr.text()
        assert page.scans.text() == "1 scanned page unread, not searchable"
        fetched: list[str] = []

        async def pull(model: Model) -> AsyncGenerator[DownloadStep, None]:
            fetched.append(model.id)
            yield DownloadStep("find.onnx", 5_000_000, 27_000_000)

        monkeypatch.setattr(session.deskpilot.models, "pull", pull)
        told: list[str] = []
        monkeypatch.setattr(page.panel, "tell", told.append)
        page.ocr.click()
        await until(lambda: fetched == ["pp-ocrv6-small"] and told)
        assert "27" in told[0]
        page.show_scans(1, "pp-ocrv6-small", 0)
        assert not page.ocr.isVisible()
        assert "pp-ocrv6-small is reading" in page.scans.text()
        settings.close()

    in_window(work)


@pytest.mark.parametrize(
    ("coverage", "told"),
    [
        (
            SearchCoverage(0, 0, None),
            "Searched by keyword. With an embedder, search also works by meaning.",
        ),
        (SearchCoverage(5, 5, "m", size=2_500_000), "with m · index: 2.5 MB"),
        (
            SearchCoverage(5, 5, "m", unsupported=2),
            "2 passages by keyword only, until you download an embedder for their language",
        ),
        (
            SearchCoverage(90_000, 1200, "m", "r", size=5_000_000, left=4000.0),
            "m has read 1,200 of 90,000 passages · about 67 min left · ordered by r",
        ),
    ],
)
def test_how_documents_are_searched_is_a_sentence(coverage: SearchCoverage, told: str) -> None:
    assert told in coverage_in_words(coverage)


def test_a_file_that_is_saved_is_found_without_a_press(
    qapp: Any, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "CALM", 0.0)

    async def work(window: MainWindow, session: WindowSession) -> None:
        session.context.attach_folders([str(papers)])
        await until(lambda: body(window, DocumentsPanel) is not None)
        tile = body(window, DocumentsPanel)
        await until(lambda: "3 documents" in tile.told.text())
        await asyncio.sleep(1)  # the watch begins behind the first reading, and tells nobody
        (papers / "new.txt").write_text("Something new.")
        await until(lambda: "4 documents" in tile.told.text())
        (papers / "new.txt").unlink()
        await until(lambda: "3 documents" in tile.told.text())

    in_window(work)


def test_the_button_offers_files_a_folder_and_libraries(qapp: Any, papers: Path) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        await session.deskpilot.documents.add(papers, "Flat")
        window.composer.attach.click()
        await until(lambda: session.context.ways is not None)
        assert session.context.ways is not None
        texts = [action.text() for action in session.context.ways.actions()]
        assert texts == ["Tables or documents …", "Folder of documents …", "Libraries", "Flat"]
        session.context.ways.actions()[-1].trigger()
        await until(lambda: any(w.text == "Flat" for w in session.deskpilot.widgets.attached()))

    in_window(work)


def test_words_are_found_whatever_signs_separate_them() -> None:
    assert place_of("so gives **notice** in\n2031.", "gives notice in 2031") == (3, 27)
    assert place_of("nothing", "gives notice") is None
    assert place_of("a b a b", "a b", 3) == (4, 7)


def test_the_library_that_nobody_named_is_called_in_ones_own_language(qapp: Any) -> None:
    speak("zh")
    try:
        page = DocumentsPage()
        page.show_libraries(["Documents", "合同"], "合同")
    finally:
        speak("en")
    box = page.libraries
    assert [box.itemText(at) for at in range(box.count())] == ["文档", "合同"]
    assert page.library() == "合同"
    box.setCurrentIndex(0)
    assert page.library() == "Documents"


def test_a_citation_opens_the_document_that_is_there_through_a_link(
    qapp: Any, papers: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(papers)  # as a folder of documents on another disk often is

    async def work(window: MainWindow, session: WindowSession) -> None:
        await detach_all(session)
        await session.board.add([str(tmp_path / "link" / "turbines.pdf")])
        assert FACT[:20] in await answered(session, "When are the turbines delivered?")
        before = set(window.dashboard.cards)
        session.follow(session.turns[-1], action_of("cite:1"))
        await until(lambda: body(window, PdfBody) is not None and body(window, PdfBody).pages.marks)
        assert set(window.dashboard.cards) == before

    in_window(work)
