"""Input methods in the composer: what they compose is shown, never sent by its Enter, and never
lost.
"""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.domain.dashboard import Widget
from app.ui.composer.composer import Composer
from app.ui.composer.editor import TextEditor


@pytest.fixture
def composer(qtbot: Any) -> Composer:
    made = Composer()
    qtbot.addWidget(made)
    made.resize(600, 120)
    with qtbot.waitExposed(made):
        made.show()
    made.editor.setFocus()
    return made


def compose(editor: TextEditor, text: str, commit: str = "") -> None:
    """Do as an input method does: show what it has so far, or put what was chosen."""
    event = QInputMethodEvent(text, [])
    if commit:
        event.setCommitString(commit)
    QApplication.sendEvent(editor, event)


def partial(editor: TextEditor) -> str:
    return editor.textCursor().block().layout().preeditAreaText()


def test_what_is_composed_is_shown_where_it_will_stand_and_typed_once_chosen(
    composer: Composer,
) -> None:
    editor = composer.editor
    QTest.keyClicks(editor, "GDP ")
    for text in ("s", "sh", "shi", "shi ye lü"):
        compose(editor, text)
        assert partial(editor) == text
        assert editor.toPlainText() == "GDP "
    compose(editor, "", commit="失业率")
    assert partial(editor) == ""
    assert editor.toPlainText() == "GDP 失业率"


def test_enter_that_chooses_sends_nothing_and_the_next_one_all_of_it(composer: Composer) -> None:
    sent: list[str] = []
    composer.submitted.connect(sent.append)
    compose(composer.editor, "shi ye lü")
    QTest.keyClick(composer.editor, Qt.Key.Key_Return)
    assert sent == []
    compose(composer.editor, "", commit="失业率")
    QTest.keyClick(composer.editor, Qt.Key.Key_Return)
    assert sent == ["失业率"]
    assert composer.editor.toPlainText() == ""


def test_the_button_sends_what_is_still_composed_along(composer: Composer) -> None:
    sent: list[str] = []
    composer.submitted.connect(sent.append)
    QTest.keyClicks(composer.editor, "What is ")
    compose(composer.editor, "しつぎょうりつ")
    composer.send.setFocus()
    QTest.keyClick(composer.send, Qt.Key.Key_Space)
    assert sent == ["What is しつぎょうりつ"]
    assert partial(composer.editor) == ""
    assert composer.editor.toPlainText() == ""


def test_what_is_given_up_leaves_what_was_typed_before(composer: Composer) -> None:
    QTest.keyClicks(composer.editor, "a")
    compose(composer.editor, "xyz")
    compose(composer.editor, "")
    assert composer.editor.toPlainText() == "a"
    sent: list[str] = []
    composer.submitted.connect(sent.append)
    QTest.keyClick(composer.editor, Qt.Key.Key_Return)
    assert sent == ["a"]


def test_letters_of_what_is_composed_pick_nothing_and_what_was_chosen_does(
    composer: Composer,
) -> None:
    composer.set_widgets([Widget("1", "失业率", ""), Widget("2", "GDP", "")])
    QTest.keyClicks(composer.editor, "#")
    compose(composer.editor, "shi")
    assert composer.editor.toPlainText() == "#"
    compose(composer.editor, "", commit="失")
    assert [composer.picker.item(row).text() for row in range(composer.picker.count())] == [
        "失业率"
    ]


def test_the_hint_gives_way_to_what_is_composed(composer: Composer) -> None:
    def looks() -> Any:
        return composer.editor.viewport().grab().toImage()

    empty = looks()
    compose(composer.editor, " ")  # nothing that could be seen over the hint
    assert looks() != empty
    compose(composer.editor, "")
    composer.editor.viewport().update()
    assert composer.editor.toPlainText() == ""


def test_the_field_grows_with_what_was_chosen_and_takes_keys_again(composer: Composer) -> None:
    before = composer.editor.height()
    for _ in range(4):
        compose(composer.editor, "xian", commit="线")
        compose(composer.editor, "", commit="路")
        QTest.keyClick(composer.editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert composer.editor.height() > before
    QTest.keyClicks(composer.editor, "x")
    assert composer.editor.toPlainText().count("线路") == 4
