"""The conversation view: blocks, streaming, links, selection, ten thousand turns."""

from __future__ import annotations

import re
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
from app.ui.chat.flow import Heights
from app.ui.chat.view import ConversationView
from app.ui.controls.actions import Cite
from app.ui.markdown.builder import parser
from app.ui.markdown.split import BlockSplitter, split
from app.ui.theme.tokens import DARK
from tests.gui.conftest import make_turn

TEXT = (
    "# Head\n\nOne **bold** 9.6 [1].\n\n- a\n- b\n\n```python\nx = 1\n\ny = 2\n```\n\n| a | b"
    " |\n|---|---|\n| 1 | 2 |\n"
)


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


@given(
    st.lists(
        st.sampled_from(["a", "", "```", "- x", "    code", "| a |", "# h", "~~~"]), max_size=12
    )
)
def test_no_line_is_lost_by_cutting_into_blocks(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert [x for x in "\n".join(split(text)).split("\n") if x.strip()] == [
        x for x in lines if x.strip()
    ]


parser().render("x")  # made once and for all: no deadline of a test below is spent on its import
LINES = [
    "a",
    "",
    "```",
    "- x",
    "  - y",
    "1. one",
    "    code",
    "| a | b |",
    "|---|---|",
    "# h",
    "~~~",
    "* * *",
    "> q",
]


@given(st.lists(st.sampled_from(LINES), max_size=14), st.integers(1, 5))
def test_a_streamed_text_ends_in_the_blocks_of_the_whole(lines: list[str], step: int) -> None:
    text = "\n".join(lines)
    streamed = BlockSplitter()
    for end in range(0, len(text), step):
        streamed.update(text[:end])
    assert streamed.update(text) == split(text)


@given(st.lists(st.sampled_from(LINES), max_size=14))
def test_blocks_that_are_closed_never_change(lines: list[str]) -> None:
    text = "\n".join(lines) + "\n"
    streamed, closed = BlockSplitter(), list[str]()
    for end in range(len(text) + 1):
        streamed.update(text[:end])
        assert streamed._closed[: len(closed)] == closed
        closed = list(streamed._closed)


@given(st.lists(st.sampled_from(LINES), max_size=10))
def test_blocks_say_what_the_whole_says(lines: list[str]) -> None:
    """Cutting changes nothing a reader sees, but for rare oddities of unclosed indented fences."""
    text = "\n".join(lines)
    if "```" in text or "~~~" in text:
        return
    whole = parser().render(text)
    parts = "".join(parser().render(block) for block in split(text))
    assert plain(parts) == plain(whole)


def plain(html: str) -> str:
    """Leave out what our style decides: paragraphs in lists, and where a list goes on."""
    return re.sub(r"</?(p|ul|ol)( start=\"\d+\")?>|\s", "", html)


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 90)), max_size=30))
def test_heights_add_up(changes: list[tuple[int, int]]) -> None:
    heights, mirror = Heights(), [50] * 300
    heights.reset(300, 50)
    for row, height in changes:
        if row < len(mirror):
            heights.set(row, height)
            mirror[row] = height
        else:
            heights.append(height)
            mirror.append(height)
    assert heights.total == sum(mirror)
    assert [heights.top(i) for i in range(0, len(mirror) + 1, 7)] == [
        sum(mirror[:i]) for i in range(0, len(mirror) + 1, 7)
    ]
    for y in range(0, heights.total, 991):
        row = heights.at(y)
        assert heights.top(row) <= y < heights.top(row) + mirror[row]


def test_a_pressed_citation_is_told_with_its_turn(view: ConversationView, qtbot: Any) -> None:
    turn = make_turn(1, "It was **9.6** [1].")
    view.set_turns([turn])
    point = find_link(view, "cite:1")
    with qtbot.waitSignal(view.pressed) as caught:
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point.toPoint())
    assert caught.args == [turn, Cite(1)]
    assert find_link(view, "alt:0")
    assert find_link(view, "act:copy")


def test_a_step_opens_to_its_result(view: ConversationView, qtbot: Any) -> None:
    turn = make_turn(1, "x")
    view.set_turns([turn])
    before = view.flow.heights[0]
    QTest.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, pos=find_link(view, "step:1").toPoint()
    )
    qtbot.waitUntil(lambda: view.flow.heights[0] > before)


def test_streaming_lays_out_only_the_open_block(view: ConversationView, qtbot: Any) -> None:
    turn = Turn(
        "t",
        "c",
        None,
        "?",
        "running",
        0.0,
        [Message("assistant", "message", "First.\n\nSecond.\n\n")],
    )
    view.set_turns([turn])
    view.flow.layouts = 0
    for word in range(20):
        turn.items[0] = Message(
            "assistant", "message", "First.\n\nSecond.\n\n" + "word " * (word + 1)
        )
        view.touch(turn)
        view._refresh()
    assert view.flow.layouts == 20


def test_words_that_came_just_now_are_found_before_they_are_painted(view: ConversationView) -> None:
    turn = Turn("t", "c", None, "?", "running", 0.0, [Message("assistant", "message", "Warm.")])
    view.set_turns([turn])
    view.grab()
    turn.items[0] = Message("assistant", "message", "Warm.\n\nÄrger at last.")
    view.touch(turn)
    view.mark_found("ärger")
    view.show_found(0, 0)
    assert view.selected_text() == "Ärger"


PROSE = (
    "Growth slowed, and the rate rose. " * 3
    + "It was **9.6** [1] in `Q3`; see https://example.com/a for more. "
)


def shown(view: ConversationView) -> list[str]:
    return [p.document.toHtml() for p in view.flow.entry(0).pieces if p.document is not None]


@pytest.mark.parametrize(
    "text", [PROSE, PROSE + "\n\n" + PROSE, "- item one of some length\n- " + PROSE]
)
def test_words_added_one_by_one_look_like_words_set_at_once(
    view: ConversationView, text: str
) -> None:
    turn = Turn("t", "c", None, "?", "running", 0.0, [Message("assistant", "message", "")])
    view.set_turns([turn])
    for end in range(0, len(text) + 3, 3):
        turn.items[0] = Message("assistant", "message", text[:end])
        view.touch(turn)
        view._refresh()
    fresh = ConversationView()
    fresh.resize(view.size())
    fresh.set_turns([turn])
    assert [re.sub(r"\s+", " ", h) for h in shown(view)] == [
        re.sub(r"\s+", " ", h) for h in shown(fresh)
    ]


def test_a_streamed_answer_is_that_of_the_same_text_opened_afresh(view: ConversationView) -> None:
    turn = Turn("t", "c", None, "?", "running", 0.0, [Message("assistant", "message", "")])
    view.set_turns([turn])
    for end in range(0, len(TEXT) + 7, 7):
        turn.items[0] = Message("assistant", "message", TEXT[:end])
        view.touch(turn)
        view._refresh()
    streamed = [(p.kind, p.source) for p in view.flow.entry(0).pieces]
    fresh = ConversationView()
    fresh.resize(800, 600)
    fresh.set_turns(
        [Turn("t", "c", None, "?", "running", 0.0, [Message("assistant", "message", TEXT)])]
    )
    assert streamed == [(p.kind, p.source) for p in fresh.flow.entry(0).pieces]


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
        view.flow.layouts = 0
        view.set_turns(turns)
        view.grab()
        counts.append(view.flow.layouts)
    assert counts[1] <= counts[0] * 1.5
    assert view.flow.live() < 30


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
    QTest.mouseRelease(
        view.viewport(), Qt.MouseButton.LeftButton, pos=start.toPoint() + QPoint(90, 0)
    )
    assert view.selected_text() or view.selection.is_empty()


@pytest.mark.parametrize(
    "hostile", ["<script>alert(1)</script>", "<img src='http://x/y.png'>", "![i](http://x/y.png)"]
)
def test_what_a_copilot_says_loads_and_runs_nothing(view: ConversationView, hostile: str) -> None:
    view.set_turns([make_turn(1, hostile)])
    view.grab()
    document = next(p.document for p in view.flow.entry(0).pieces if p.kind == "text")
    assert document is not None
    assert "<script>alert" not in document.toHtml()
    assert document.resource(2, "http://x/y.png") is None
    assert not [link for link in document.links() if not link.href.startswith("http")]


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


def test_a_copilots_link_can_press_none_of_our_buttons(view: ConversationView) -> None:
    view.set_turns(
        [make_turn(1, "[a](act:again) [b](cite:x) [c](javascript:alert) [d](file:///etc/passwd)")]
    )
    text = next(p for p in view.flow.entry(0).pieces if p.kind == "text")
    assert text.document is not None
    assert text.document.links() == []


def test_the_whole_line_of_a_citation_is_its_link(view: ConversationView) -> None:
    view.set_turns([make_turn(1, "It was **9.6** [1].")])
    piece = next(p for p in view.flow.entry(0).pieces if p.kind == "citation")
    assert piece.document is not None
    (link,) = piece.document.links()
    assert (link.href, link.start, link.length) == (
        "cite:1",
        0,
        piece.document.characterCount() - 1,
    )


def test_tab_walks_the_links_and_return_presses_one(view: ConversationView, qtbot: Any) -> None:
    turn = make_turn(1, "It was **9.6** [1].")
    view.set_turns([turn])
    view.setFocus()
    hrefs = []
    for _ in range(3):
        QTest.keyClick(view, Qt.Key.Key_Tab)
        hrefs.append(view._focused[2] if view._focused else None)
    assert hrefs == ["alt:0", "step:1", "cite:1"]
    with qtbot.waitSignal(view.pressed) as caught:
        QTest.keyClick(view, Qt.Key.Key_Return)
    assert caught.args == [turn, Cite(1)]


def test_the_copy_button_of_code_copies_the_code(view: ConversationView) -> None:
    view.set_turns([make_turn(1, "```python\nx = 1\n```")])
    point = find_link(view, "code:3")
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point.toPoint())
    assert QGuiApplication.clipboard().text() == "x = 1"


def test_the_same_words_stay_at_the_top_when_the_window_narrows(view: ConversationView) -> None:
    view.set_turns([make_turn(i, f"Answer {i}. " + "Some words. " * 90) for i in range(20)])
    view.verticalScrollBar().setValue(2000)
    before = view.place_at(QPointF(view.viewport().width() / 2, 1))[0]
    view.resize(520, 600)
    after = view.place_at(QPointF(view.viewport().width() / 2, 12))[0]
    assert before is not None
    assert after is not None
    assert (after.entry, after.piece) == (before.entry, before.piece)
    assert abs(after.character - before.character) < 200


def test_a_double_click_selects_a_word_and_marks_are_copied_readable(
    view: ConversationView,
) -> None:
    view.set_turns([make_turn(1, "Alpha [1] beta")])
    view.setFocus()
    QTest.keySequence(view, QKeySequence(QKeySequence.StandardKey.SelectAll))
    assert "Alpha [1] beta" in view.selected_text()
    text = next(b for b in view._seen() if b.piece.kind == "text")
    QTest.mouseDClick(
        view.viewport(), Qt.MouseButton.LeftButton, pos=(text.origin + QPointF(8, 12)).toPoint()
    )
    assert view.selected_text() == "Alpha"


def test_documents_of_turns_long_past_are_let_go(view: ConversationView) -> None:
    view.set_turns([make_turn(i, "Some words.") for i in range(400)])
    for value in range(0, view.verticalScrollBar().maximum(), 500):
        view.verticalScrollBar().setValue(value)
        view.grab()
    assert view.flow.live() <= 64


def stored(view: ConversationView, count: int) -> tuple[list[Turn], list[list[Turn]]]:
    """Show turns of which the newest ten are read; return them, and those that the view wants."""
    whole = [make_turn(n, f"Answer {n}.") for n in range(count)]
    old = [
        Turn(t.id, t.conversation_id, t.parent, t.question, t.state, t.created_at, is_read=False)
        for t in whole[:-10]
    ]
    wanted: list[list[Turn]] = []
    view.reading_wanted.connect(wanted.append)
    view.set_turns([*old, *whole[-10:]])
    return whole, wanted


def read(view: ConversationView, whole: list[Turn], wanted: list[Turn]) -> None:
    """Read turns, as the window does."""
    items = {turn.id: turn.items for turn in whole}
    for turn in wanted:
        turn.items, turn.is_read = items[turn.id], True
    view.show_read()


def test_old_answers_are_asked_for_when_they_come_into_view(view: ConversationView) -> None:
    whole, wanted = stored(view, 100)
    assert wanted == []
    view.to_turn(40)
    assert {turn.id for turn in whole[24:57]} <= {turn.id for turn in wanted[0]}
    assert [piece.kind for piece in view.flow.entry(40).pieces] == ["question"]
    view.to_turn(41)
    assert len({turn.id for some in wanted for turn in some}) == sum(map(len, wanted))
    for some in list(wanted):
        read(view, whole, some)
    assert "Answer 41." in [piece.source for piece in view.flow.entry(41).pieces]
    assert view.visible().start in (40, 41)


def test_all_of_a_long_conversation_is_copied_though_most_is_not_read_yet(
    view: ConversationView,
) -> None:
    whole, wanted = stored(view, 100)
    QGuiApplication.clipboard().setText("before")
    QTest.keySequence(view, QKeySequence(QKeySequence.StandardKey.SelectAll))
    QTest.keySequence(view, QKeySequence(QKeySequence.StandardKey.Copy))
    assert QGuiApplication.clipboard().text() == "before"
    read(view, whole, [turn for some in wanted for turn in some])
    copied = QGuiApplication.clipboard().text()
    assert all(f"Answer {n}." in copied for n in (0, 50, 99))
