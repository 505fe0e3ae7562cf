"""What goes along with questions: kept with its chat, shown in one chip when there is much, gone
with its dashboard.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QCoreApplication, QFileInfo, QMimeData, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QFileIconProvider,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QWidget,
)

from app.data.readers import tables_of
from app.data.sources import Sources
from app.services.dashboard import table_notes
from app.ui.composer.attachments import ReadingChip, SeveralAttached
from app.ui.controls import message_boxes
from app.ui.dashboard.card import ReadingNotice
from app.ui.theme.i18n import speak
from tests.gui.living import in_window, until
from tests.gui.test_chats import ask, done, scripted
from tests.workbooks import Sheet, write_xlsx

if TYPE_CHECKING:
    from app.data.tables import OpenTable
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

pytestmark = [
    pytest.mark.usefixtures("served"),
    pytest.mark.qt_log_ignore("This plugin does not support"),  # of popups: the offscreen platform
]
TABLE = "day,count\n2024-01-01,2\n2024-01-02,3\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    made = tmp_path / "sales.csv", tmp_path / "staff.csv"
    for path in made:
        path.write_text(TABLE, "utf-8")
    return made


def chips(window: MainWindow) -> list[str]:
    row = window.composer.chips
    shown = [row.itemAt(n).widget() for n in range(row.count())]  # type: ignore[union-attr]
    return [chip.text().split(" ·")[0] for chip in shown if isinstance(chip, QPushButton)]


def words(widget: QWidget) -> list[str]:
    """Return what the labels of a widget say that are shown, from above."""
    shown = [label for label in widget.findChildren(QLabel) if label.isVisible()]
    return [label.text() for label in sorted(shown, key=place_of)]


def place_of(label: QLabel) -> tuple[int, int]:
    at = label.mapToGlobal(label.rect().topLeft())
    return at.y() // 10, at.x()


def given(turn_offer: Any) -> list[str]:
    return [widget.name for widget in turn_offer.widgets]


def test_a_chat_has_its_own_context_now_and_after_a_restart(
    qapp: Any, files: tuple[Path, Path]
) -> None:
    ids: list[str] = []

    async def first(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        for number, path in enumerate(files):
            session.new_chat()
            await until(lambda: chips(window) == [])
            session.attach_files([str(path)])
            await until(lambda name=path.stem: chips(window) == [name])
            await ask(window, session, f"Question {number}")
            assert session.conversation_id
            ids.append(session.conversation_id)
        session.open_chat(ids[0])
        await until(lambda: session.conversation_id == ids[0])
        await until(lambda: chips(window) == ["sales"])
        made = scripted(session)
        await ask(window, session, "And now")
        assert given(made.offers[-1]) == ["sales"]

    async def second(window: MainWindow, session: WindowSession) -> None:
        assert session.conversation_id == ids[0]
        assert chips(window) == ["sales"]
        session.open_chat(ids[1])
        await until(lambda: chips(window) == ["staff"])

    in_window(first)
    in_window(second)


def test_an_attachment_whose_file_is_gone_is_told_and_found_again(
    qapp: Any, files: tuple[Path, Path], tmp_path: Path
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        session.new_chat()
        await until(lambda: chips(window) == [])
        session.attach_files([str(path) for path in files])
        await until(lambda: chips(window) == ["sales", "staff"])
        await ask(window, session, "Both")
        mine = session.conversation_id
        assert mine
        session.new_chat()
        await until(lambda: chips(window) == [])
        widgets = session.deskpilot.widgets
        for widget in [w for w in widgets.all() if w.name in ("sales", "staff")]:
            await widgets.remove(widget.uuid)
        moved = files[0].rename(tmp_path / "moved.csv")
        files[1].unlink()
        session.open_chat(mine)
        absent = window.composer.absent
        await until(lambda: len(absent.buttons) == 2)
        assert absent.isVisible()
        _, find = absent.buttons[0]
        assert find is not None
        assert find.accessibleName() == "Find sales"
        QTest.keyClick(find, Qt.Key.Key_Space)
        (dialog,) = window.findChildren(QFileDialog)
        dialog.filesSelected.emit([str(moved)])
        dialog.close()
        await until(lambda: len(absent.buttons) == 1)
        remove, _ = absent.buttons[0]
        QTest.keyClick(remove, Qt.Key.Key_Space)
        await until(lambda: not absent.isVisible())
        assert chips(window) == ["moved"]

    in_window(work)


def test_many_tables_are_one_chip_with_a_list_to_tick(qapp: Any, tmp_path: Path) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        session.new_chat()
        await until(lambda: chips(window) == [])
        paths = [tmp_path / f"sheet{n:02}.csv" for n in range(12)]
        for path in paths:
            path.write_text(TABLE, "utf-8")
        session.attach_files([str(path) for path in paths])
        attached = session.deskpilot.widgets.attached
        await until(lambda: len(attached()) == 12)
        await until(lambda: chips(window)[0].startswith("12 tables"))
        assert window.composer.height() < 160
        chip = window.composer.chips.itemAt(0).widget()  # type: ignore[union-attr]
        QTest.keyClick(chip, Qt.Key.Key_Space)
        (several,) = window.findChildren(SeveralAttached)
        QTest.keyClick(several.list, Qt.Key.Key_Space)
        await until(lambda: len(attached()) == 11)
        QTest.keyClick(several.none, Qt.Key.Key_Space)
        await until(lambda: not attached())
        QTest.keyClick(several.every, Qt.Key.Key_Space)
        await until(lambda: len(attached()) == 12)
        several.close()

    in_window(work)


def test_a_dashboard_closed_while_it_loads_leaves_no_chips(
    qapp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = write_xlsx(
        tmp_path / "shop.xlsx",
        *(Sheet(f"Week {n}", [["item", "sold"], ["tea", n]]) for n in range(4)),
    )
    gate, read = threading.Event(), Sources.add_file

    def slow(self: Sources, path: Path) -> OpenTable:
        if "Week 1" in str(path):
            gate.wait(20)
        return read(self, path)

    async def work(window: MainWindow, session: WindowSession) -> None:
        monkeypatch.setattr(Sources, "add_file", slow)
        session.deskpilot.widgets.readings._read = session.deskpilot.widgets.sources.add_file
        session.new_chat()
        await until(lambda: chips(window) == [])
        dashboard = session.deskpilot.dashboard
        session.board.tabs.add()
        session.attach_files([str(book)])
        await until(lambda: session.deskpilot.widgets.opening)
        window.dashboard.tabs.closed.emit(dashboard.current)
        await until(lambda: len(dashboard.tabs) == 1)
        gate.set()
        await until(lambda: not session.deskpilot.tasks.running(f"window attach {[str(book)]}"))
        assert session.deskpilot.widgets.attached() == []
        assert chips(window) == []
        assert not [w for w in session.deskpilot.widgets.all() if w.name.startswith("Week")]

    in_window(work)


def test_a_file_is_announced_at_once_and_a_question_waits_for_all_its_tables(
    qapp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = write_xlsx(
        tmp_path / "hours.xlsx",
        *(Sheet(month, [["name", "hours"], ["Lee", 7]]) for month in ("April", "May")),
    )
    looked, gate, read = threading.Event(), threading.Event(), Sources.add_file

    def found(path: Path) -> list[Path]:
        looked.wait(20)
        return tables_of(path)

    def slow(self: Sources, path: Path) -> OpenTable:
        if "May" in str(path):
            gate.wait(20)
        return read(self, path)

    monkeypatch.setattr(table_notes, "tables_of", found)

    async def work(window: MainWindow, session: WindowSession) -> None:
        monkeypatch.setattr(Sources, "add_file", slow)
        session.deskpilot.widgets.readings._read = session.deskpilot.widgets.sources.add_file
        asked = scripted(session)
        composer = window.composer
        session.attach_files([str(book)])
        await until(lambda: "hours.xlsx, reading …  ×" in chips(window))
        QTest.keyClicks(composer.editor, "total hours")
        QTest.keyClick(composer.editor, Qt.Key.Key_Return)
        assert session.running is None
        assert words(composer.waiting) == [
            "Will be asked once hours.xlsx is read",
            "Next",
            "total hours",
        ]
        looked.set()
        await until(lambda: "April" in chips(window))
        assert "hours.xlsx, reading …  ×" in chips(window)
        assert session.running is None
        gate.set()
        await until(lambda: session.turns and done(session))
        assert given(asked.offers[-1]) == ["April", "May"]
        assert chips(window) == ["April", "May"]
        assert not composer.waiting.isVisible()

    try:
        in_window(work)
    finally:
        looked.set()
        gate.set()


def test_a_question_is_not_asked_without_a_file_that_cannot_be_read(
    qapp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "hours.xlsx"
    broken.write_bytes(b"no workbook")
    gate = threading.Event()

    def held(path: Path) -> list[Path]:
        gate.wait(20)
        return tables_of(path)

    async def work(window: MainWindow, session: WindowSession) -> None:
        monkeypatch.setattr(table_notes, "tables_of", held)
        scripted(session)
        session.attach_files([str(broken)])
        await until(lambda: "hours.xlsx, reading …  ×" in chips(window))
        session.submit("total hours")
        gate.set()
        await until(lambda: window.composer.editor.toPlainText() == "total hours")
        await until(lambda: window.findChildren(QMessageBox))
        assert not session.turns
        await until(lambda: not window.findChildren(ReadingChip))

    try:
        in_window(work)
    finally:
        gate.set()


def test_a_file_that_is_stopped_while_it_is_read_is_not_waited_for(
    qapp: Any, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()

    def held(path: Path) -> list[Path]:
        gate.wait(20)
        return tables_of(path)

    async def work(window: MainWindow, session: WindowSession) -> None:
        monkeypatch.setattr(table_notes, "tables_of", held)
        scripted(session)
        session.attach_files([str(files[0])])
        await until(lambda: "sales.csv, reading …  ×" in chips(window))
        session.submit("Something")
        (chip,) = window.findChildren(ReadingChip)
        QTest.mouseClick(chip, Qt.MouseButton.LeftButton)
        await until(lambda: session.turns and done(session))
        gate.set()
        await until(lambda: not session.deskpilot.tasks.running(f"window attach {[str(files[0])]}"))
        assert chips(window) == ["us macro"]

    try:
        in_window(work)
    finally:
        gate.set()


def test_a_file_belongs_to_the_chat_in_which_it_was_attached_however_long_it_is_read(
    qapp: Any, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()

    def held(path: Path) -> list[Path]:
        gate.wait(20)
        return tables_of(path)

    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        await ask(window, session, "One")
        first = session.conversation_id
        assert first
        monkeypatch.setattr(table_notes, "tables_of", held)
        session.attach_files([str(files[0])])
        await until(lambda: "sales.csv, reading …  ×" in chips(window))
        session.new_chat()
        await until(lambda: chips(window) == [])
        await ask(window, session, "Two")  # which waits for no file of the other chat
        gate.set()
        await until(lambda: any(w.name == "sales" for w in session.deskpilot.widgets.all()))
        await until(lambda: not session.deskpilot.widgets.arriving)
        assert chips(window) == []
        session.open_chat(first)
        await until(lambda: "sales" in chips(window))

    try:
        in_window(work)
    finally:
        gate.set()


def test_the_chats_are_listed_before_a_table_is_read(
    qapp: Any, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, read = threading.Event(), Sources.add_file

    def slow(self: Sources, path: Path) -> OpenTable:
        gate.wait(20)
        return read(self, path)

    async def first(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        session.attach_files([str(files[0])])
        await until(lambda: "sales" in chips(window))
        await ask(window, session, "Something")
        monkeypatch.setattr(Sources, "add_file", slow)

    async def second(window: MainWindow, session: WindowSession) -> None:
        await until(lambda: session.conversation_id)
        assert window.sidebar.list.count()
        assert window.view.flow.turns
        assert session.deskpilot.widgets.opening
        bodies = window.dashboard.findChildren(ReadingNotice)
        await until(lambda: all(body.bar.isVisibleTo(window) for body in bodies[:1]))
        gate.set()
        await session.deskpilot.widgets.opened()

    in_window(first)
    in_window(second, opened=False)


def test_own_files_dropped_on_an_empty_chat_take_the_place_of_the_sample(
    qapp: Any, files: tuple[Path, Path]
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        assert chips(window) == ["us macro"]
        drop(window, files[0])
        await until(lambda: chips(window) == ["sales"])

    in_window(work)


def test_the_sample_table_is_detached_once_own_files_are_attached(
    qapp: Any, files: tuple[Path, Path]
) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        widgets, told = session.deskpilot.widgets, window.welcome.told
        assert [w.name for w in widgets.attached()] == ["us macro"]
        assert "sample table" in told.text()
        await session.board.add([str(files[0])])
        assert [w.name for w in widgets.attached()] == ["sales"]
        assert not any(button.isVisible() for button in window.welcome.examples)
        assert told.text().endswith("Ask about what is attached below.")
        (sample,) = [w for w in widgets.all() if w.name == "us macro"]
        await widgets.attach(sample.uuid, attached=True)  # who wants both may have both
        assert len(widgets.attached()) == 2
        await widgets.attach_only(set())
        assert "on the dashboard" in told.text()

    in_window(work)


def drop(window: MainWindow, path: Path) -> None:
    """Drop a file on the middle of the chat and on the text field, as a file manager does, which
    proposes to move it: it would be deleted.
    """
    for place in (window.chat, window.composer.editor):
        drop_on(window, path, place)


def drop_on(window: MainWindow, path: Path, place: QWidget) -> None:
    at = place.mapTo(window, place.rect().center())
    target: QWidget | None = window.childAt(at)
    while target is not None and not target.acceptDrops():
        target = target.parentWidget()
    assert target is not None
    data, both = QMimeData(), Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
    data.setUrls([QUrl.fromLocalFile(str(path))])
    left, plain = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(at, both, data, left, plain)
    enter.setDropAction(Qt.DropAction.MoveAction)
    QApplication.sendEvent(target, enter)
    assert enter.isAccepted()
    dropped = QDropEvent(at.toPointF(), both, data, left, plain)
    dropped.setDropAction(Qt.DropAction.MoveAction)
    QApplication.sendEvent(target, dropped)
    assert (dropped.isAccepted(), dropped.dropAction()) == (True, Qt.DropAction.CopyAction)


def test_the_sample_table_is_detached_once_a_folder_of_documents_is_attached(
    qapp: Any, tmp_path: Path
) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "note.md").write_text("The door code is 4711.", "utf-8")

    async def work(window: MainWindow, session: WindowSession) -> None:
        session.context.attach_folders([str(tmp_path / "papers")])
        widgets = session.deskpilot.widgets
        await until(lambda: [w.name for w in widgets.attached()] == ["papers"])

    in_window(work)


def test_files_are_looked_for_at_home_and_then_where_the_last_ones_were(
    qtbot: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was the folder that Deskpilot was started in, each time."""
    home, other = tmp_path / "home", tmp_path / "other"
    for folder in (home, other):
        folder.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(message_boxes.LastFolder, "now", "")
    parent = QWidget()
    qtbot.addWidget(parent)
    message_boxes.choose_files(parent, lambda _: None)
    (first,) = parent.findChildren(QFileDialog)
    assert Path(first.directory().absolutePath()) == home
    first.filesSelected.emit([str(other / "prices.csv")])  # its path was typed
    message_boxes.choose_place(parent, "chat.html", lambda _: None)
    saved = next(d for d in parent.findChildren(QFileDialog) if d is not first)
    assert Path(saved.directory().absolutePath()) == other
    assert Path(saved.selectedFiles()[0]) == other / "chat.html"


def test_a_file_dialog_speaks_the_language_of_the_window(qtbot: Any, tmp_path: Path) -> None:
    """“Folder” was English among Chinese words, and the size of a file a volume, 体积."""
    (tmp_path / "inside").mkdir()
    app = QApplication.instance()
    speak("zh", app)
    try:
        assert QFileIconProvider().type(QFileInfo(str(tmp_path))) == "文件夹"
        assert QCoreApplication.translate("QFileSystemModel", "Size") == "大小"
        assert QCoreApplication.translate("QFileDialog", "&Open") == "打开(&O)"  # Qt's own
        speak("ja", app)
        assert QFileIconProvider().type(QFileInfo(str(tmp_path))) == "フォルダー"
    finally:
        speak("en", app)
    assert QFileIconProvider().type(QFileInfo(str(tmp_path))) == "Folder"


def test_what_no_file_can_be_called_is_not_typed_into_a_file_dialog(qtbot: Any) -> None:
    """Qt warned of a broken file name."""
    parent = QWidget()
    qtbot.addWidget(parent)
    message_boxes.choose_files(parent, lambda _: None)
    (dialog,) = parent.findChildren(QFileDialog)
    field = dialog.findChild(QLineEdit, "fileNameEdit")
    assert field is not None
    typed = QInputMethodEvent()
    typed.setCommitString("abc\u0000")
    QApplication.sendEvent(field, typed)
    assert "\u0000" not in field.text()
    QTest.keyClicks(field, "prices 2.csv")
    assert field.text().endswith("prices 2.csv")
    dialog.close()
