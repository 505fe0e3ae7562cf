"""Text is selected by keys: characters, words, lines and paragraphs, across blocks and messages."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest

from app.ui.chat.piece import TextPosition
from app.ui.chat.view import ConversationView
from tests.gui.conftest import make_turn

Key = Qt.Key
SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
ANSWER = (
    "First line of words.\n\nSecond paragraph.\n\n```python\nx = 1\ny = 2\n```\n\n| a | b"
    " |\n|---|---|\n| 1 | 2 |\n"
)


@pytest.fixture
def view(view: ConversationView) -> ConversationView:
    view.set_turns([make_turn(1, ANSWER), make_turn(2, "The **other** answer.")])
    view.setFocus()
    return view


def piece(view: ConversationView, row: int, kind: str) -> int:
    view.flow.measure(row)
    return next(n for n, p in enumerate(view.flow.entry(row).pieces) if p.kind == kind)


def begin(view: ConversationView, row: int, kind: str, character: int = 0) -> None:
    view.selection.begin(TextPosition(row, piece(view, row, kind), character))


def press(view: ConversationView, key: Key, held: Any = SHIFT, times: int = 1) -> str:
    for _ in range(times):
        QTest.keyClick(view, key, held)
    return view.selected_text()


def test_characters_words_and_the_line_are_selected_and_taken_back(view: ConversationView) -> None:
    begin(view, 0, "text")
    assert press(view, Key.Key_Right, times=3) == "Fir"
    assert press(view, Key.Key_Left) == "Fi"
    assert press(view, Key.Key_Right, SHIFT | CONTROL, times=2) == "First line "
    assert press(view, Key.Key_End) == "First line of words."
    assert press(view, Key.Key_Home) == ""
    begin(view, 0, "text", 5)
    assert press(view, Key.Key_Home) == "First"
    assert press(view, Key.Key_End) == " line of words."


def test_a_selection_goes_on_into_the_next_block_and_back(view: ConversationView) -> None:
    begin(view, 0, "text", len("First line of "))
    assert press(view, Key.Key_Right, times=6) == "words."
    assert press(view, Key.Key_Right, times=4) == "words.\n\nSec"
    assert press(view, Key.Key_Left, times=4) == "words."
    assert press(view, Key.Key_Down, SHIFT | CONTROL) == "words.\n\nSecond paragraph."
    assert press(view, Key.Key_Up, SHIFT | CONTROL) == "words."
    assert press(view, Key.Key_Up, SHIFT | CONTROL) == "First line of "


def test_lines_are_selected_down_through_code_and_tables_into_the_next_message(
    view: ConversationView,
) -> None:
    begin(view, 0, "text", 6)
    texts = [press(view, Key.Key_Down) for _ in range(12)]
    assert texts[0].startswith("line of words.\n\nSe")
    assert any("x = 1" in text and "y = 2" not in text for text in texts)
    assert all(len(a) <= len(b) for a, b in pairwise(texts))
    assert "Question 2?" in texts[-1]
    back = [press(view, Key.Key_Up) for _ in range(12)]
    assert "" in back  # through the same lines and columns


def test_a_column_is_kept_past_a_short_line(view: ConversationView) -> None:
    view.set_turns(
        [make_turn(1, "A line that is long enough.\n\nNo.\n\nA line that is long, too.")]
    )
    begin(view, 0, "text", 10)
    press(view, Key.Key_Down)
    text = press(view, Key.Key_Down)
    assert abs(len(text.rsplit("\n", 1)[-1]) - 10) <= 1


def test_all_up_to_either_end_of_the_conversation_is_selected(view: ConversationView) -> None:
    begin(view, 1, "text", 3)
    text = press(view, Key.Key_Home, SHIFT | CONTROL)
    assert text.startswith("Question 1?")
    assert text.endswith("The")
    assert view.verticalScrollBar().value() == 0
    assert press(view, Key.Key_End, SHIFT | CONTROL).startswith(" other answer.")


def test_without_a_selection_it_begins_where_the_reader_is_and_is_copied(
    view: ConversationView,
) -> None:
    view.verticalScrollBar().setValue(0)
    assert press(view, Key.Key_Right, times=8) == "Question"
    QTest.keyClick(view, Key.Key_C, CONTROL)
    assert QGuiApplication.clipboard().text() == "Question"


def test_the_end_that_moves_stays_in_view_among_many_turns(view: ConversationView) -> None:
    view.set_turns([make_turn(n, "Line. " * 200) for n in range(300)])
    begin(view, 299, "text")
    for _ in range(60):
        QTest.keyClick(view, Key.Key_Up, SHIFT)
    end = view.selection.end
    assert end is not None
    assert end.entry in view.visible()
    assert end < TextPosition(299, 0, 0)
    assert view.flow.live() <= 64


def test_a_press_with_shift_extends_and_a_plain_one_begins_anew(view: ConversationView) -> None:
    begin(view, 0, "text")
    press(view, Key.Key_Right, times=2)
    at = view._rect_of(TextPosition(0, piece(view, 0, "code"), 0))  # pyright: ignore[reportPrivateUsage]
    assert at is not None
    point = QPoint(at.x() + 1, at.y() + 4)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, SHIFT, point)
    assert view.selected_text() == "First line of words.\n\nSecond paragraph."
    QTest.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point
    )
    assert view.selected_text() == ""


def test_the_end_that_moves_is_seen(view: ConversationView) -> None:
    def looks() -> QImage:
        return view.viewport().grab().toImage()

    begin(view, 0, "text")
    press(view, Key.Key_Right)
    press(view, Key.Key_Left)  # nothing is selected, and the caret shows where one is
    with_caret = looks()
    view.selection.clear()
    view.viewport().update()
    assert with_caret != looks()
