"""The conversation view: blocks, streaming, links, selection, ten thousand turns."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest

from app.domain.conversation import Turn
from app.domain.events import Ended
from app.domain.stream import Message
from app.ui.chat.markdown import Cutter, split
from app.ui.chat.view import ConversationView
from app.ui.style.tokens import DARK
from tests.gui.conftest import make_turn

TEXT = "# Head\n\nOne **bold** 9.6 [1].\n\n- a\n- b\n\n```python\nx = 1\n\ny = 2\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"


@pytest.fixture
def view(qtbot: Any) -> ConversationView:
    made = ConversationView()
    qtbot.addWidget(made)
    made.resize(800, 600)
    made.show()
    qtbot.waitExposed(made)
    return made


def find_link(view: ConversationView, wanted: str) -> QPointF:
    """Return a point of the viewport where a link is."""
    for y in range(0, view.viewport().height(), 3):
        for x in range(0, view.viewport().width(), 3):
            if view.place_at(QPointF(x, y))[1] == wanted:
                return QPointF(x, y)
    raise AssertionError(f"no link {wanted}")


def test_fences_are_blocks_of_their_own_and_keep_their_blank_lines() -> None:
    assert split(TEXT)[3] == "```python\nx = 1\n\ny = 2\n```"
    assert len(split(TEXT)) == 5


@given(st.lists(st.sampled_from(["a", "", "```", "- x", "    code", "| a |", "# h", "~~~"]), max_size=12))
def test_no_line_is_lost_by_cutting_into_blocks(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert [x for x in "\n".join(split(text)).split("\n") if x.strip()] == [x for x in lines if x.strip()]


@given(
    st.lists(
        st.sampled_from(["a", " ", "\n", "\n\n", "```", "```\n", "~~~\n", "- x\n", "    code\n"]), max_size=14
    )
)
def test_a_text_that_grows_is_cut_as_the_whole_is(pieces: list[str]) -> None:
    cutter, text = Cutter(), ""
    for piece in pieces:
        text += piece
        assert cutter.blocks(text) == split(text)


def test_a_pressed_citation_is_told_with_its_turn(view: ConversationView, qtbot: Any) -> None:
    turn = make_turn(1, "It was **9.6** [1].")
    view.set_turns([turn])
    point = find_link(view, "cite:1")
    with qtbot.waitSignal(view.linked) as caught:
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point.toPoint())
    assert caught.args == [turn, "cite:1"]
    assert find_link(view, "alt:0")
    assert find_link(view, "act:copy")


def test_a_step_opens_to_its_result(view: ConversationView, qtbot: Any) -> None:
    turn = make_turn(1, "x")
    view.set_turns([turn])
    before = view.entries[0].height
    view.toggle_step(turn, 1)
    qtbot.waitUntil(lambda: view.entries[0].height > before)


def test_streaming_lays_out_only_the_open_block(view: ConversationView, qtbot: Any) -> None:
    turn = Turn(
        "t", "c", None, "?", "running", 0.0, [Message("assistant", "message", "First.\n\nSecond.\n\n")]
    )
    view.set_turns([turn])
    view.layouts = 0
    for word in range(20):
        turn.items[0] = Message("assistant", "message", "First.\n\nSecond.\n\n" + "word " * (word + 1))
        view.touch(turn)
        view._refresh()
    assert view.layouts == 20


def test_a_streamed_answer_is_that_of_the_same_text_opened_afresh(view: ConversationView) -> None:
    turn = Turn("t", "c", None, "?", "running", 0.0, [Message("assistant", "message", "")])
    view.set_turns([turn])
    for end in range(0, len(TEXT) + 7, 7):
        turn.items[0] = Message("assistant", "message", TEXT[:end])
        view.touch(turn)
        view._refresh()
    streamed = [(p.kind, p.source) for p in view.entries[0].pieces]
    fresh = ConversationView()
    fresh.resize(800, 600)
    fresh.set_turns([Turn("t", "c", None, "?", "running", 0.0, [Message("assistant", "message", TEXT)])])
    assert streamed == [(p.kind, p.source) for p in fresh.entries[0].pieces]


def test_the_readers_place_stays_while_an_answer_grows_below(view: ConversationView) -> None:
    turns = [make_turn(i, "Some words. " * 30) for i in range(40)]
    view.set_turns(turns)
    view.verticalScrollBar().setValue(500)
    top = view.place_at(QPointF(200, 40))[0]
    for n in range(10):
        turns[-1].items[2] = Message("assistant", "message", "More. " * 50 * n)
        view.touch(turns[-1])
        view._refresh()
    assert view.place_at(QPointF(200, 40))[0] == top
    QTest.keyClick(view, Qt.Key.Key_End)
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()


def test_ten_thousand_turns_open_like_ten(view: ConversationView) -> None:
    counts: list[int] = []
    for size in (10, 10_000):
        turns = [make_turn(i, f"Answer {i}. " * 20) for i in range(size)]
        view.layouts = 0
        view.set_turns(turns)
        view.grab()
        counts.append(view.layouts)
    assert counts[1] <= counts[0] * 1.5
    assert sum(bool(e.pieces) for e in view.entries) < 30


def test_all_text_is_selected_and_copied_across_turns(view: ConversationView) -> None:
    view.set_turns([make_turn(1, "Alpha **beta**."), make_turn(2, "Gamma [1].")])
    view.setFocus()
    QTest.keySequence(view, QKeySequence(QKeySequence.StandardKey.SelectAll))
    QTest.keySequence(view, QKeySequence(QKeySequence.StandardKey.Copy))
    text = QGuiApplication.clipboard().text()
    assert "Alpha beta." in text
    assert text.index("Question 1?") < text.index("Question 2?") < text.index("Gamma")


def test_dragging_selects_text(view: ConversationView) -> None:
    view.set_turns([make_turn(1, "Alpha beta gamma delta.")])
    start = find_link(view, "cite:1")
    QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=start.toPoint())
    QTest.mouseMove(view.viewport(), start.toPoint() + QPoint(90, 0))
    QTest.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=start.toPoint() + QPoint(90, 0))
    assert view.selected_text() or view.selection.is_empty()


@pytest.mark.parametrize(
    "hostile", ["<script>alert(1)</script>", "<img src='http://x/y.png'>", "![i](http://x/y.png)"]
)
def test_what_a_copilot_says_loads_and_runs_nothing(view: ConversationView, hostile: str) -> None:
    view.set_turns([make_turn(1, hostile)])
    view.grab()
    document = next(p.document for p in view.entries[0].pieces if p.kind == "text")
    assert document is not None
    assert "<script>alert" not in document.toHtml()
    assert document.resource(2, "http://x/y.png") is None


def test_a_failed_turn_offers_to_be_sent_again(view: ConversationView) -> None:
    turn = make_turn(1, "Half", state="interrupted")
    turn.items[-1] = Ended("interrupted", "The copilot broke off.", "Send the question again.")
    view.set_turns([turn])
    assert find_link(view, "act:again")


def test_the_theme_changes_while_a_conversation_is_shown(view: ConversationView) -> None:
    view.set_turns([make_turn(1, TEXT)])
    light = view.grab().toImage().pixelColor(5, 5).name()
    view.set_tokens(DARK)
    assert view.grab().toImage().pixelColor(5, 5).name() != light == "#fbfbfa"
