"""Custom instructions, of the settings and of a chat; commands behind a /; long texts that are
pasted.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog, QPlainTextEdit, QPushButton, QWidget

from app.domain.settings import INSTRUCTIONS
from app.services.conversation.attachments import is_table
from app.ui.composer.choice import PickerItem
from app.ui.composer.picker import Picker
from app.ui.controls.fields import TextField
from tests.gui.living import in_window, until
from tests.gui.test_chats import ask, choose, scripted
from tests.gui.test_context import chips

if TYPE_CHECKING:
    from app.ui.main.session import WindowSession
    from app.ui.main.window import MainWindow

pytestmark = [
    pytest.mark.usefixtures("served"),
    pytest.mark.qt_log_ignore("This plugin does not support"),  # of popups: the offscreen platform
]
HELD = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def told(asked: Any) -> list[str]:
    """Return the instructions that went along with the last question."""
    return [one.content for one in asked.offers[-1].selected]


async def instruct(window: MainWindow, session: WindowSession, text: str) -> None:
    session.instruct()
    (dialog,) = [one for one in window.findChildren(QInputDialog) if one.isVisible()]
    dialog.setTextValue(text)
    dialog.accept()
    await until(lambda: session._instructions == text)


def test_instructions_of_the_settings_and_of_the_chat_go_along_and_stay_with_it(
    qapp: Any,
) -> None:
    async def first(window: MainWindow, session: WindowSession) -> None:
        asked = scripted(session)
        shown = session.preferences.open("chat")
        page = next(page for page in shown.pages if page.page.id == "chat")
        row = next(row for row in page.rows if row.setting is INSTRUCTIONS)
        assert isinstance(row.control, TextField)
        await until(lambda: row._value is not None)
        QTest.keyClicks(row.control, "Answer in one line.")
        shown.close()
        window.activateWindow()
        kept = session.deskpilot.settings
        while await kept.get(INSTRUCTIONS) != "Answer in one line.":
            await until(lambda: True)
        await ask(window, session, "One")
        assert told(asked) == ["Answer in one line."]
        await instruct(window, session, "Use euros.")
        await ask(window, session, "Two")
        assert told(asked) == ["Answer in one line.", "Use euros."]
        session.new_chat()
        await instruct(window, session, "Be polite.")  # before its first question
        await ask(window, session, "Three")
        assert told(asked) == ["Answer in one line.", "Be polite."]
        session.open_chat(window.sidebar.list.ids()[1])
        await until(lambda: session._instructions == "Use euros.")
        await ask(window, session, "Four")

    async def second(window: MainWindow, session: WindowSession) -> None:
        asked = scripted(session)
        await until(lambda: session._instructions == "Use euros.")
        await ask(window, session, "Five")
        assert told(asked) == ["Answer in one line.", "Use euros."]
        rows = window.sidebar.list
        session.open_chat(rows.ids()[1])
        await until(lambda: session._instructions == "Be polite.")
        rows.menu_wanted.emit(session.conversation_id, rows.mapToGlobal(rows.rect().center()))
        await choose(window, "Instructions …")
        (dialog,) = [one for one in window.findChildren(QInputDialog) if one.isVisible()]
        assert dialog.textValue() == "Be polite."
        dialog.reject()

    in_window(first)
    in_window(second)


def test_a_command_is_typed_behind_a_slash(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        scripted(session)
        await ask(window, session, "One")
        editor = window.composer.editor
        QTest.keyClicks(editor, "/")
        await until(lambda: editor.is_picking)
        assert window.composer.picker.item(0).text() == "/new"
        QTest.keyClicks(editor, "ne")
        QTest.keyClick(editor, Qt.Key.Key_Return)
        await until(lambda: session.conversation_id is None)
        assert editor.toPlainText() == ""
        QTest.keyClicks(editor, "/usr/bin is a folder")  # no command, and sent as it is
        QTest.keyClick(editor, Qt.Key.Key_Return)
        await until(lambda: session.turns and session.turns[0].question == "/usr/bin is a folder")
        await until(lambda: session.running is None)

    in_window(work)


def test_a_command_is_found_by_what_it_does_in_ones_own_language(qtbot: Any) -> None:
    """“/新” emptied the list: its commands are English words."""
    parent = QWidget()
    qtbot.addWidget(parent)
    picker = Picker(parent)
    choices = [
        PickerItem("a", "/instructions", "自定义指令 …"),
        PickerItem("b", "/new", "新对话"),
        PickerItem("c", "/news", "…"),
    ]
    for typed, found in (
        ("新", ["/new"]),
        ("new", ["/new", "/news"]),
        ("指令", ["/instructions"]),
        ("x", []),
    ):
        assert picker.offer(choices, typed, QPoint()) is bool(found)
        assert [picker.item(row).text() for row in range(picker.count())] == found
    assert not picker.offer([PickerItem("w", "prices", "CSV")], "csv", QPoint())  # a widget


def test_a_long_text_that_is_pasted_is_attached_and_a_short_one_typed(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        session.new_chat()
        await until(lambda: chips(window) == [])
        editor = window.composer.editor
        held = QMimeData()
        held.setText("A long story. " * 400)
        editor.insertFromMimeData(held)
        await until(lambda: chips(window) == ["Pasted text 1"])
        assert editor.toPlainText() == ""
        held.setText("day\tcount\n" + "2024-01-01\t2\n" * 400)
        editor.insertFromMimeData(held)
        await until(lambda: len(session.deskpilot.widgets.attached()) == 2)
        (table,) = [w for w in session.deskpilot.widgets.attached() if w.type == "table"]
        assert Path(table.path).name == "Pasted text 2.tsv"
        held.setText("short")
        editor.insertFromMimeData(held)
        assert editor.toPlainText() == "short"
        editor.clear()
        QGuiApplication.clipboard().setText("word " * 900)
        QTest.keyClick(editor, Qt.Key.Key_V, HELD)  # as it is
        assert editor.toPlainText() == "word " * 900
        editor.clear()
        session.new_temporary_chat()
        held.setText("A long story. " * 400)
        editor.insertFromMimeData(held)
        assert editor.toPlainText() == "A long story. " * 400  # which leaves nothing on disk
        editor.clear()

    in_window(work)


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("a\tb\n1\t2\n", True),
        ("a\tb\n1\t2\n3\n", False),
        ("a b\nc d\n", False),
        ("a\tb", False),
        ("", False),
    ],
)
def test_what_a_spreadsheet_copies_is_told_from_text(text: str, table: bool) -> None:
    assert is_table(text) is table


def test_the_field_for_instructions_is_left_with_tab(qapp: Any) -> None:
    async def work(window: MainWindow, session: WindowSession) -> None:
        session.instruct()
        (dialog,) = [one for one in window.findChildren(QInputDialog) if one.isVisible()]
        field = dialog.findChild(QPlainTextEdit)
        assert field is not None
        field.setFocus()
        QTest.keyClick(field, Qt.Key.Key_Tab)
        assert isinstance(dialog.focusWidget(), QPushButton)
        assert field.toPlainText() == ""
        dialog.reject()

    in_window(work)
