"""Conversations in the window, by keyboard: found, branched, queued, pinned, put into folders and
the trash.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pypdfium2
import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QInputDialog,
    QMenu,
    QMessageBox,
    QToolButton,
)

from app.domain.stream import Chunk
from app.ui.chat.charts import charts
from app.ui.controls.actions import action_of
from app.ui.main.chat_list import ABOUT, UID, ChatList, more_rect
from tests.gui.living import in_window, until
from tests.gui.test_chart_in_chat import chart_turn, png
from tests.unit.app.services.scripted import COPILOT, Scripted

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from pathlib import Path

    from PySide6.QtWidgets import QWidget

    from app.domain.conversation import Conversation, Turn
    from app.domain.events import Item
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

pytestmark = [
    pytest.mark.usefixtures("served"),
    pytest.mark.qt_log_ignore("This plugin does not support"),  # of menus: the offscreen platform
]
CONTROL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def scripted(
    session: WindowSession, answer: Callable[[str], str] = lambda q: f"You said {q}"
) -> Scripted:
    """Let a script answer in the window's place of a model."""

    async def script(turns: list[Turn]) -> AsyncGenerator[Item, None]:
        yield Chunk("assistant", "message", answer(turns[-1].question))
        if "wait" in turns[-1].question:
            async for never in forever():
                yield never

    async def find() -> Any:
        return COPILOT

    made = Scripted(script)
    session.deskpilot.turns._copilots = made  # type: ignore[assignment]
    session.copilots.find = lambda: find  # type: ignore[method-assign]
    return made


async def forever() -> AsyncGenerator[Item, None]:
    import asyncio

    await asyncio.get_running_loop().create_future()
    yield Chunk("assistant", "message", "")


async def ask(window: MainWindow, session: WindowSession, text: str) -> None:
    """Type a question and wait for its answer."""
    QTest.keyClicks(window.composer.editor, text)
    QTest.keyClick(window.composer.editor, Qt.Key.Key_Return)
    await until(lambda: session.turns and session.turns[-1].question == text and done(session))


def done(session: WindowSession) -> bool:
    return session.running is None and session.turns[-1].state == "done"


def questions(session: WindowSession) -> list[str]:
    return [turn.question for turn in session.turns]


def menu_of(window: MainWindow, widget: QWidget) -> QMenu | None:
    return next((m for m in window.sidebar.findChildren(QMenu) if m.isVisible()), None)


async def choose(window: MainWindow, *letters: str) -> None:
    """Press entries of the menu that is open, by their words."""
    await until(lambda: menu_of(window, window.sidebar))
    menu = menu_of(window, window.sidebar)
    assert menu is not None
    for text in letters:
        action = next(a for a in menu.actions() if a.text().partition("\t")[0] == text)
        inner = action.menu()
        if isinstance(inner, QMenu):
            menu = inner
        else:
            action.trigger()
    for opened in window.sidebar.findChildren(QMenu):
        opened.close()


def press(window: MainWindow, key: Qt.Key, *modifiers: Qt.KeyboardModifier) -> None:
    joined = Qt.KeyboardModifier.NoModifier
    for modifier in modifiers:
        joined |= modifier
    QTest.keyClick(QApplication.focusWidget() or window, key, joined)


def test_words_are_found_in_all_chats_and_the_answer_is_opened(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        for n in range(12):
            await ask(window, session, f"zebra {n}" if n == 3 else f"question {n}")
        press(window, Qt.Key.Key_N, CONTROL)
        await ask(window, session, "something else")
        press(window, Qt.Key.Key_F, CONTROL | Qt.KeyboardModifier.ShiftModifier)
        assert window.sidebar.search.hasFocus()
        QTest.keyClicks(window.sidebar.search, "said ZEBRA")
        rows = window.sidebar.list
        await until(lambda: rows.count() == 2 and rows.item(0).text() == "Found")
        QTest.keyClick(window.sidebar.search, Qt.Key.Key_Return)
        QTest.keyClick(rows, Qt.Key.Key_Return)
        await until(lambda: len(session.turns) == 12)
        await until(lambda: 3 in window.view.visible())
        window.sidebar.search.clear()
        QTest.keyClicks(window.sidebar.search, "zebra")  # in a question and in its answer
        await until(lambda: rows.count() == 2 and len(rows.ids()) == 1)
        QTest.keyClick(window.sidebar.search, Qt.Key.Key_Return)
        QTest.keyClick(rows, Qt.Key.Key_Up)
        assert window.sidebar.search.hasFocus()
        QTest.keyClick(window.sidebar.search, Qt.Key.Key_Escape)
        await until(lambda: len(rows.ids()) == 2)
        QTest.keyClicks(window.sidebar.search, "nowhere")
        await until(lambda: rows.count() == 1 and rows.item(0).text() == "Nothing found")

    in_window(work)


def test_a_question_is_edited_regenerated_and_its_branches_walked_through(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        editor = window.composer.editor
        await ask(window, session, "first")
        await ask(window, session, "second")
        QTest.keyClicks(editor, "half a thought")
        press(window, Qt.Key.Key_E, CONTROL)
        assert editor.toPlainText() == "second"
        press(window, Qt.Key.Key_Escape)
        assert editor.toPlainText() == "half a thought"
        press(window, Qt.Key.Key_E, CONTROL)
        QTest.keyClicks(editor, "second, better")
        press(window, Qt.Key.Key_Return)
        await until(lambda: questions(session) == ["first", "second, better"] and done(session))
        assert editor.toPlainText() == "half a thought"
        editor.clear()
        press(window, Qt.Key.Key_R, CONTROL)
        await until(lambda: len(session.chat.turns) == 4 and done(session))
        assert session.chat.branches() == {session.turns[1].id: (3, 3)}
        await until(lambda: "‹ 3/3 ›" in last_words(window))
        press(window, Qt.Key.Key_Left, ALT)
        press(window, Qt.Key.Key_Left, ALT)
        assert questions(session) == ["first", "second"]
        QTest.keyClick(editor, Qt.Key.Key_Up)  # in an empty field: the last question
        assert editor.toPlainText() == "second"
        press(window, Qt.Key.Key_Escape)
        await ask(window, session, "third")
        assert questions(session) == ["first", "second", "third"]
        press(window, Qt.Key.Key_Right, ALT)
        assert questions(session) == ["first", "second, better"]
        await until(lambda: not session.deskpilot.tasks.running("window branch"))

    async def again(window: MainWindow, session: WindowSession) -> None:
        await until(lambda: questions(session) == ["first", "second, better"])
        press(window, Qt.Key.Key_Left, ALT)
        assert questions(session) == ["first", "second", "third"]

    in_window(work)
    in_window(again)


def test_the_answers_links_edit_go_on_and_turn_to_other_branches(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        await ask(window, session, "first")
        session.follow(session.turns[0], action_of("act:again"))
        await until(lambda: len(session.chat.turns) == 2 and done(session))
        session.follow(session.turns[0], action_of("act:before"))
        assert session.chat.place(session.turns[0]) == (1, 2)
        QTest.keyClicks(window.composer.editor, "please wait")
        press(window, Qt.Key.Key_Return)
        await until(lambda: session.running is not None and session.running.answer())
        press(window, Qt.Key.Key_Escape)
        await until(lambda: session.running is None)
        await until(lambda: "Continue" in last_words(window))
        hrefs = [link.href for link in last_links(window)]
        assert hrefs == ["act:on", "act:again", "act:edit"]
        press(window, Qt.Key.Key_Return, ALT)
        await until(lambda: len(session.turns) == 3 and done(session))
        assert session.turns[2].question == "Go on."

    in_window(work)


def last_words(window: MainWindow) -> str:
    document = window.view.flow.entry(len(window.view.flow.turns) - 1).pieces[-1].document
    return document.toPlainText() if document is not None else ""


def last_links(window: MainWindow) -> list[Any]:
    piece = window.view.flow.entry(len(window.view.flow.turns) - 1).pieces[-1]
    piece.lay_out(600, window.tokens)
    assert piece.document is not None
    return piece.document.links()


def test_questions_wait_in_a_row_and_can_be_dropped_edited_or_asked_at_once(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        editor = window.composer.editor
        QTest.keyClicks(editor, "please wait")
        press(window, Qt.Key.Key_Return)
        await until(lambda: session.running is not None and session.running.answer())
        for text in ("one", "two", "three"):
            QTest.keyClicks(editor, text)
            press(window, Qt.Key.Key_Return)

        async def press_button(label: str) -> None:
            def found() -> list[QToolButton]:
                every = window.composer.waiting.findChildren(QToolButton)
                return [b for b in every if b.isVisible() and b.accessibleName() == label]

            await until(found)
            QTest.keyClick(found()[0], Qt.Key.Key_Space)

        await press_button("Discard: one")
        await press_button("Edit: three")
        assert editor.toPlainText() == "three"
        editor.clear()
        await press_button("Ask now: two")
        await until(lambda: questions(session) == ["please wait", "two"] and done(session))
        assert session.turns[0].state == "stopped"
        assert not window.composer.waiting.isVisible()

    in_window(work)


def test_chats_are_renamed_pinned_foldered_removed_and_brought_back(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        rows, history = window.sidebar.list, session.deskpilot.history
        await ask(window, session, "keep me")
        first = session.conversation_id
        press(window, Qt.Key.Key_N, CONTROL)
        await ask(window, session, "throw me away")
        second = session.conversation_id
        assert first is not None
        assert second is not None
        await until(lambda: rows.ids() == [second, first])
        rows.enter()
        rows.setCurrentRow(2)
        QTest.keyClick(rows, Qt.Key.Key_F2)
        field = QApplication.focusWidget()
        assert field is not None
        QTest.keyClicks(field, "Named")
        QTest.keyClick(field, Qt.Key.Key_Return)
        await until(lambda: rows.item(2).text() == "Named")
        window.sidebar.list.menu_wanted.emit(first, window.pos())
        await choose(window, "Pin")
        await until(lambda: rows.item(0).text() == "Pinned" and rows.ids() == [first, second])
        window.sidebar.list.menu_wanted.emit(second, window.pos())
        await choose(window, "Move to folder", "New folder …")
        await until(lambda: window.findChildren(QInputDialog))
        (dialog,) = window.findChildren(QInputDialog)
        dialog.setTextValue("Q3 review")
        dialog.accept()
        await until(lambda: "Q3 review" in [rows.item(r).text() for r in range(rows.count())])
        heading = next(r for r in range(rows.count()) if rows.item(r).text() == "Q3 review")
        rows.enter()
        rows.setCurrentRow(heading)
        QTest.keyClick(rows, Qt.Key.Key_Return)  # fold it
        assert rows.ids() == [first]
        QTest.keyClick(rows, Qt.Key.Key_Return)
        assert rows.ids() == [first, second]
        rows.setCurrentRow(heading + 1)
        QTest.keyClick(rows, Qt.Key.Key_Delete)
        await until(lambda: rows.ids() == [first] and window.sidebar.told.isVisible())
        assert session.turns == []
        QTest.keyClick(window.sidebar.told.undo, Qt.Key.Key_Space)
        await until(lambda: rows.ids() == [first, second] and len(session.turns) == 1)
        assert (await history.get(second)).folder == "Q3 review"
        QTest.keyClick(window.sidebar.others, Qt.Key.Key_Space)
        await choose(window, "Trash")
        await until(lambda: rows.ids() == [])
        QTest.keyClick(window.sidebar.others, Qt.Key.Key_Space)
        await choose(window, "Back to chats")
        await until(lambda: rows.ids() == [first, second])

    in_window(work)


def test_the_trash_says_when_it_is_empty_and_gives_nothing_back_unasked(qapp: Any) -> None:
    """A click, just to look at a chat, took it out without a word; the way back was in a menu."""

    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        rows, sidebar = window.sidebar.list, window.sidebar
        session.chats.show_trash()
        await until(lambda: rows.count() == 1 and rows.item(0).text() == "The trash is empty")
        assert sidebar.back.isVisible()
        QTest.keyClick(sidebar.back, Qt.Key.Key_Space)
        await until(lambda: not sidebar.back.isVisible())
        await ask(window, session, "throw me away")
        uid = session.conversation_id
        assert uid
        session.chats.trash(uid)
        await until(lambda: session.conversation_id is None and rows.ids() == [])
        session.chats.show_trash()
        await until(lambda: rows.ids() == [uid])
        for answer in ("Cancel", "Restore"):
            rows.opened.emit(uid, "")
            await until(lambda: window.findChildren(QMessageBox))
            (box,) = window.findChildren(QMessageBox)
            button = next(b for b in box.buttons() if b.text().replace("&", "") == answer)
            button.click()
            await until(lambda: not window.findChildren(QMessageBox))
            if answer == "Cancel":
                assert [c.id for c in await session.deskpilot.history.trashed()] == [uid]
        await until(lambda: session.conversation_id == uid and not sidebar.back.isVisible())

    in_window(work)


def test_a_chat_is_exported_and_taken_in_again_by_the_menus(qapp: Any, tmp_path: Path) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        rows = window.sidebar.list
        await ask(window, session, "keep me")
        assert session.conversation_id is not None
        for form, text in {"pdf": "PDF …", "html": "HTML …", "json": "JSON …"}.items():
            rows.menu_wanted.emit(session.conversation_id, window.pos())
            await choose(window, "Export", text)
            path = tmp_path / f"x.{form}"
            await accept(window, path)
            await until(lambda path=path: path.exists() and path.stat().st_size)
            told = window.sidebar.told
            await until(lambda told=told, path=path: told.label.text() == f"Saved {path.name}")
            assert told.isVisible()
            assert not told.undo.isVisible()
        assert (tmp_path / "x.pdf").read_bytes().startswith(b"%PDF")
        QTest.keyClick(window.sidebar.others, Qt.Key.Key_Space)
        await choose(window, "Import chats …")
        await accept(window, tmp_path / "x.json")
        await until(lambda: len(rows.ids()) == 2)
        await until(lambda: questions(session) == ["keep me"])

    in_window(work)


async def accept(window: MainWindow, path: Path) -> None:
    """Choose a file in the dialog that is open."""
    await until(lambda: [d for d in window.findChildren(QFileDialog) if d.isVisible()])
    dialog = next(d for d in window.findChildren(QFileDialog) if d.isVisible())
    dialog.selectFile(str(path))
    dialog.accept()
    await until(lambda: not [d for d in window.findChildren(QFileDialog) if d.isVisible()])


def test_a_temporary_chat_is_answered_and_leaves_nothing(qapp: Any, tmp_path: Path) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        press(window, Qt.Key.Key_N, CONTROL, SHIFT)
        assert window.temporary.isVisible()
        await ask(window, session, "a secret")
        await ask(window, session, "another secret")
        press(window, Qt.Key.Key_R, CONTROL)
        await until(lambda: len(session.chat.turns) == 3 and done(session))
        press(window, Qt.Key.Key_Left, ALT)
        assert len(session.turns) == 2
        assert await session.deskpilot.history.conversations() == []
        assert await session.deskpilot.history.search("secret") == []
        press(window, Qt.Key.Key_N, CONTROL)
        assert not window.temporary.isVisible()
        assert session.turns == []
        await ask(window, session, "kept")
        assert [c.title for c in await session.deskpilot.history.conversations()] == ["Kept"]

    in_window(work)


@pytest.mark.parametrize("width", [160, 420])
def test_what_can_be_asked_stays_on_one_line_however_narrow(
    qapp: Any, qtbot: Any, width: int
) -> None:
    from app.ui.composer.editor import TextEditor

    editor = TextEditor()
    qtbot.addWidget(editor)
    editor.resize(width, 60)
    editor.show()
    picture = editor.grab().toImage()
    ground = picture.pixelColor(picture.width() - 6, picture.height() - 6)
    top = editor.cursorRect().bottom() + 8
    for y in range(top, picture.height() - 4):
        for x in range(6, picture.width() - 6, 2):
            assert picture.pixelColor(x, y) == ground


def test_words_are_found_in_the_open_chat_from_the_newest_back(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session, lambda question: f"**You** said {question} in Ärger")
        for n in range(10):
            await ask(window, session, f"zebra {n}" if n in (1, 6) else f"horse {n}")
        press(window, Qt.Key.Key_F, CONTROL)
        bar, view = window.finder, window.view
        assert bar.field.hasFocus()
        QTest.keyClicks(bar.field, "ZEBRA")
        await until(lambda: bar.count.text() == "4 of 4")
        await until(lambda: view.selected_text() == "zebra")
        assert 6 in view.visible()
        for place in ("1 of 4", "2 of 4"):
            QTest.keyClick(bar.field, Qt.Key.Key_Return)
            await until(lambda place=place: bar.count.text() == place)
            await until(lambda: view.selected_text() == "zebra")
            assert 1 in view.visible()
        QTest.keyClick(bar.field, Qt.Key.Key_Return, SHIFT)
        assert bar.count.text() == "1 of 4"
        bar.field.setText("ärger")  # QTest types ASCII only
        await until(lambda: bar.count.text() == "10 of 10")
        await until(lambda: view.selected_text() == "Ärger")
        QTest.keyClicks(bar.field, "x")
        await until(lambda: bar.count.text() == "Not found")
        QTest.keyClick(bar.field, Qt.Key.Key_Escape)
        assert not bar.isVisible()
        assert view.hasFocus()
        press(window, Qt.Key.Key_F, CONTROL | Qt.KeyboardModifier.ShiftModifier)
        QTest.keyClicks(window.sidebar.search, "zebra 1")
        await until(lambda: window.sidebar.list.item(0).text() == "Found")
        QTest.keyClick(window.sidebar.search, Qt.Key.Key_Return)
        QTest.keyClick(window.sidebar.list, Qt.Key.Key_Return)
        await until(lambda: bar.isVisible() and bar.count.text() == "1 of 2")  # where it was found
        assert 1 in view.visible()
        press(window, Qt.Key.Key_N, CONTROL)
        assert not bar.isVisible()  # another chat has other words

    in_window(work)


def test_a_chat_says_what_it_is_about_and_shows_how_its_menu_is_opened(
    qapp: Any, tmp_path: Path
) -> None:
    (tmp_path / "sales.csv").write_text("day,count\n2024-01-01,2\n", "utf-8")

    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        session.new_chat()
        await until(lambda: not session.deskpilot.widgets.attached())
        session.attach_files([str(tmp_path / "sales.csv")])
        await until(lambda: session.deskpilot.widgets.attached())
        await ask(window, session, "first")
        rows = window.sidebar.list
        await until(
            lambda: rows.count() == 2 and rows.item(1).data(ABOUT).startswith("sales · 1 q")
        )
        await ask(window, session, "second")
        await until(lambda: rows.item(1).data(ABOUT) == "sales · 2 questions")
        rect = rows.visualItemRect(rows.item(1))
        assert rect.height() > 40
        before = session.conversation_id
        QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=more_rect(rect).center())
        await choose(window, "Delete")
        await until(lambda: rows.ids() == [])
        assert before

    in_window(work)


def test_what_is_typed_while_the_list_of_chats_has_the_focus_is_a_question(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        await ask(window, session, "zebra")
        rows = window.sidebar.list
        rows.enter()
        QTest.keyClicks(QApplication.focusWidget() or window, "how")
        assert window.composer.editor.hasFocus()
        assert window.composer.editor.toPlainText().startswith("h")

    in_window(work)


def test_an_exported_page_shows_the_charts_of_the_chat(
    qapp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = png(QSize(640, 230))

    async def work(window: MainWindow, session: WindowSession) -> None:
        monkeypatch.setattr(charts(), "draw", lambda *job: job[-1](picture))
        scripted(session)
        await ask(window, session, "plot it")
        store, uid = session.deskpilot.history._store, session.conversation_id
        assert uid is not None
        turn = chart_turn(1)
        await store.add_turn(replace(turn, conversation_id=uid, parent=session.turns[-1].id))
        for form in ("html", "pdf"):
            await session.chats._export(uid, form, tmp_path / f"x.{form}")
        page = (tmp_path / "x.html").read_text("utf-8")
        assert page.count("data:image/png;base64,") == 1
        document = pypdfium2.PdfDocument(tmp_path / "x.pdf")
        sheet = document[0].render(scale=1).to_pil()
        colours = {colour for _, colour in sheet.getcolors(100_000)}
        assert any(red > 250 > 5 > green + blue for red, green, blue in colours)  # the picture
        margin = sheet.crop((sheet.width - 55, 0, sheet.width, sheet.height))
        assert margin.getcolors() == [(55 * sheet.height, (255, 255, 255))]
        assert (251, 251, 250) not in colours  # no ground beside the paper's own
        document.close()

    in_window(work)


def test_what_is_typed_belongs_to_its_chat_now_and_after_a_restart(qapp: Any) -> None:
    """It went along to whichever chat was opened, and was lost with the window."""
    ids: list[str] = []

    async def first(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        editor = window.composer.editor
        (sample,) = [w for w in session.deskpilot.widgets.all() if w.type == "table"]
        for question in ("one", "two"):
            session.new_chat()
            await until(lambda: not session.deskpilot.widgets.attached())
            await session.deskpilot.widgets.attach(sample.uuid, attached=True)
            await ask(window, session, question)
            assert session.conversation_id
            ids.append(session.conversation_id)
        QTest.keyClicks(editor, "half of two")
        session.open_chat(ids[0])
        await until(lambda: session.conversation_id == ids[0])
        assert editor.toPlainText() == ""
        QTest.keyClicks(editor, "half of one")
        press(window, Qt.Key.Key_N, CONTROL)
        assert editor.toPlainText() == ""
        QTest.keyClicks(editor, "new")
        session.new_temporary_chat()
        assert editor.toPlainText() == ""
        QTest.keyClicks(editor, "secret")
        press(window, Qt.Key.Key_N, CONTROL)
        assert editor.toPlainText() == "new"
        session.open_chat(ids[1])
        await until(lambda: editor.toPlainText() == "half of two")
        QTest.keyClicks(editor, ", more")
        await until(lambda: questions(session) == ["two"])
        press(window, Qt.Key.Key_E, CONTROL)
        assert editor.toPlainText() == "two"  # which is no draft

    async def second(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        editor = window.composer.editor
        await until(lambda: editor.toPlainText())
        assert (session.conversation_id, editor.toPlainText()) == (ids[1], "half of two, more")
        session.open_chat(ids[0])
        await until(lambda: editor.toPlainText() == "half of one")
        press(window, Qt.Key.Key_N, CONTROL)
        QTest.keyClicks(editor, " question")
        press(window, Qt.Key.Key_Return)
        await until(lambda: questions(session) == ["new question"] and done(session))
        drafts = await session.deskpilot.history.drafts()
        assert {draft.text for draft in drafts} == {"half of one", "half of two, more"}

    in_window(first)
    in_window(second)


def test_what_is_typed_is_on_disk_before_the_window_closes(qapp: Any) -> None:
    """A machine that loses its power closes no window."""

    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        history = session.deskpilot.history
        QTest.keyClicks(window.composer.editor, "half a question")
        async with asyncio.timeout(20):
            while not (kept := await history.drafts()):
                await asyncio.sleep(0.02)
        assert [(d.conversation_id, d.text) for d in kept] == [("", "half a question")]
        press(window, Qt.Key.Key_Return)
        await until(lambda: questions(session) == ["half a question"] and done(session))
        assert await history.drafts() == []
        QTest.keyClicks(window.composer.editor, "and")
        await until(lambda: not session.deskpilot.tasks.running("window keep draft"))
        assert session.conversation_id
        session.chats.trash(session.conversation_id)
        await until(lambda: session.conversation_id is None)
        async with asyncio.timeout(20):
            while [d.text for d in await history.drafts()] != ["and"]:
                await asyncio.sleep(0.02)
        await history.empty_trash(days=-1)
        assert await history.drafts() == []

    in_window(work)


def note_of(rows: ChatList, uid: str) -> str:
    """Return what stands below the title of a chat."""
    items = (rows.item(row) for row in range(rows.count()))
    return next(str(item.data(ABOUT)) for item in items if item.data(UID) == uid)


def test_questions_on_their_way_and_in_the_queue_outlive_the_window_and_the_way_to_another_chat(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that waited for a table was nowhere after New chat, and the queue was gone after the
    window had closed.
    """

    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        history, read = session.deskpilot.history, asyncio.Event()
        session.submit("first")
        await until(lambda: questions(session) == ["first"] and done(session))
        monkeypatch.setattr(session.deskpilot.widgets, "attached_opened", read.wait)
        session.submit("second")  # a table is still being read
        session.submit("third")
        QTest.keyClicks(window.composer.editor, "fourth")
        uid = session.conversation_id
        assert uid is not None
        async with asyncio.timeout(60):
            while [d.text for d in await history.drafts()] != ["third\nfourth"]:
                await asyncio.sleep(0.02)
        stored = (await history.thread(uid)).turns
        assert [turn.question for turn in stored] == ["first", "second"]
        session.new_chat()
        assert window.composer.draft == ""
        rows = window.sidebar.list
        await until(lambda: note_of(rows, uid) == "Draft: third fourth")
        read.set()
        await until(lambda: session.running is None)
        assert note_of(rows, uid) == "Draft: third fourth"
        session.open_chat(uid)
        await until(lambda: questions(session) == ["first", "second"])
        await until(lambda: window.composer.draft == "third\nfourth")
        await until(lambda: note_of(rows, uid) == "us macro · 2 questions")
        async with asyncio.timeout(60):
            while (await history.thread(uid)).turns[-1].state != "stopped":
                await asyncio.sleep(0.02)

    in_window(work)


def test_another_chat_clears_the_middle_at_once_and_takes_what_is_typed(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The chat before stayed in the middle until the other one had been read."""

    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        history, read = session.deskpilot.history, asyncio.Event()
        await ask(window, session, "first chat")
        first = session.conversation_id
        session.new_chat()
        await ask(window, session, "second chat")
        second = session.conversation_id
        assert first
        assert second
        QTest.keyClicks(window.composer.editor, "half")
        thread = history.thread

        async def slowly(uid: str) -> Any:
            await read.wait()
            return await thread(uid)

        monkeypatch.setattr(history, "thread", slowly)
        window.sidebar.list.opened.emit(first, "")
        welcome = window.welcome
        assert window.pages.currentWidget() is welcome
        await until(lambda: (welcome.head.text(), welcome.told.text()) == TITLED)
        assert window.composer.draft == ""
        QTest.keyClicks(window.composer.editor, "more")
        press(window, Qt.Key.Key_Return)
        assert session.running is None
        read.set()
        await until(lambda: questions(session) == ["first chat", "more"] and done(session))
        read.clear()
        window.sidebar.list.opened.emit(second, "")
        press(window, Qt.Key.Key_N, CONTROL)  # which stays, though the other chat is still read
        read.set()
        await until(lambda: not session.deskpilot.tasks.running("window open"))
        assert (session.conversation_id, questions(session)) == (None, [])
        session.open_chat(second)
        await until(lambda: questions(session) == ["second chat"])
        assert window.composer.draft == "half"
        session.open_chat("gone")
        await until(lambda: window.findChildren(QMessageBox))
        assert session.conversation_id is None
        await ask(window, session, "third chat")

    in_window(work)


TITLED = ("First chat", "Loading …")


def test_a_question_that_was_sent_is_a_draft_until_it_is_on_disk(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        history, write = session.deskpilot.history, asyncio.Event()
        begin = history.begin

        async def slowly(question: str, *, temporary: bool = False) -> Conversation:
            await write.wait()
            return await begin(question, temporary=temporary)

        monkeypatch.setattr(history, "begin", slowly)
        session.submit("the only one")
        async with asyncio.timeout(60):
            while [d.text for d in await history.drafts()] != ["the only one"]:
                await asyncio.sleep(0.02)
        write.set()
        await until(lambda: questions(session) == ["the only one"] and done(session))
        async with asyncio.timeout(60):
            while await history.drafts():
                await asyncio.sleep(0.02)
        assert window.composer.draft == ""

    in_window(work)
