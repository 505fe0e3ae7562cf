"""A paragraph that grows without end: only its last lines are laid out anew, and nobody sees
that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.domain.conversation import Turn
from app.domain.stream import Message
from app.ui.chat.piece import LONG_PARAGRAPH, MovedPieces, TextPosition, is_settled
from app.ui.chat.view import ConversationView

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from app.ui.chat.piece import Piece

PLAIN = "Words that go on and on, without an end in sight, and say 9.6 of nothing. "
TEXTS = {
    "plain": PLAIN * 60,
    "marked": (
        "Growth **slowed** [1], and the *rate* rose in `Q3`; see https://example.com/a for more. "
        * 50
    ),
    "emphasis over many lines": f"{PLAIN * 6}**{PLAIN * 30}bold to the end** and then {PLAIN * 20}",
    "code over many lines": f"{PLAIN * 12}`{PLAIN * 12}` and then {PLAIN * 20}",
    "a link over many lines": (
        f"{PLAIN * 12}[{PLAIN * 12}](https://example.com) and then {PLAIN * 20}"
    ),
    "stray marks": "2 * 3 _ 4 and snake_case_words for $5 or $6, a < b, it's [x] " * 70,
    "lines": f"{PLAIN}\n" * 60,
    "chinese": "失业率在第三季度上升,通货膨胀在那一年最高,之后经济增长放缓。" * 120,
    "other planes": "Growth 📈 slowed and 📉 then 𝒳 rose again 👩‍👩‍👧 slowly. " * 70,
    "formulas": r"It is $x^2$ and \(y_1\) of words that follow one another here. " * 60,
}


def grow(view: ConversationView, text: str, step: int = 83) -> Iterator[Turn]:
    """Let an answer grow; yield its turn after each of its states was shown."""
    turn = Turn("t", "c", None, "?", "running", 0.0, [Message("assistant", "message", "")])
    view.set_turns([turn])
    for end in range(step, len(text) + step, step):
        turn.items[0] = Message("assistant", "message", text[:end])
        view.touch(turn)
        view._refresh()
        yield turn


def words(view: ConversationView) -> list[Piece]:
    return [piece for piece in view.flow.entry(0).pieces if piece.kind == "text"]


def said(view: ConversationView) -> str:
    """Return what the pieces of the answer say together."""
    return "".join(
        (p.joint or "") + (p.document.toPlainText() if p.document else "") for p in words(view)
    )


def whole(view: ConversationView, turn: Turn) -> ConversationView:
    """Return a view of the same turn opened afresh."""
    fresh = ConversationView()
    fresh.resize(view.size())
    fresh.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    fresh.show()
    fresh.set_turns([turn])
    QApplication.processEvents()  # its scrollbar comes, and takes its room
    return fresh


def drawn(view: ConversationView, qtbot: QtBot) -> None:
    """Wait until its formulas, which a thread draws, stand where they were written."""
    qtbot.waitUntil(
        lambda: (
            not any(piece.document is not None and piece.document.waits for piece in words(view))
        )
    )
    view._refresh()


def height(view: ConversationView) -> int:
    return sum(piece.height for piece in words(view))


@pytest.mark.parametrize("name", TEXTS)
def test_a_long_paragraph_says_and_takes_what_it_does_in_one_piece(
    view: ConversationView, qtbot: QtBot, name: str
) -> None:
    most = 0
    for number, turn in enumerate(grow(view, TEXTS[name])):
        most = max(most, len(words(view)))
        if number % 16 == 0:
            fresh = whole(view, turn)
            drawn(view, qtbot)
            drawn(fresh, qtbot)
            assert said(view) == said(fresh)
            assert abs(height(view) - height(fresh)) <= 2 * len(
                words(view)
            )  # each ends on a whole pixel
    assert most >= 3


def test_no_more_than_the_last_lines_are_laid_out_anew(view: ConversationView) -> None:
    for _ in grow(view, TEXTS["plain"], 13):
        last = words(view)[-1]
        assert len(last.source) <= LONG_PARAGRAPH + 200
    assert len(words(view)) >= len(TEXTS["plain"]) // (LONG_PARAGRAPH + 200)


@pytest.mark.parametrize(
    "end", ["\n\nAnother paragraph.", "\n\n```\ncode\n```\n", "\n===\n\nMore", ""]
)
def test_a_paragraph_that_has_ended_is_one_piece(view: ConversationView, end: str) -> None:
    *_, turn = grow(view, TEXTS["marked"] + end)
    turn.state = "done"
    view.refresh(turn)
    view._refresh()
    fresh = whole(view, turn)
    assert [(p.kind, p.source, p.joint) for p in words(view)] == [
        (p.kind, p.source, None) for p in words(fresh)
    ]
    assert [p.document.toHtml() for p in words(view) if p.document] == [
        p.document.toHtml() for p in words(fresh) if p.document
    ]


def test_a_narrower_window_wraps_a_growing_paragraph_as_one(view: ConversationView) -> None:
    growing = grow(view, TEXTS["marked"])
    turn = next(growing)
    while len(words(view)) < 3:
        turn = next(growing)
    view.resize(430, 600)
    QApplication.processEvents()
    assert said(view) == said(whole(view, turn))
    assert height(view) == height(whole(view, turn))
    turn = [turn for turn, _ in zip(growing, range(9), strict=False)][-1]
    assert said(view) == said(whole(view, turn))


def test_what_is_selected_stays_so_while_its_paragraph_is_cut_and_joined(
    view: ConversationView,
) -> None:
    growing = grow(view, TEXTS["plain"] + "\n\nAnother.")
    for _ in range(10):
        next(growing)
    view.selection.begin(TextPosition(0, 1, 40))
    view.selection.extend(TextPosition(0, 1, 600))
    before = view.selected_text()
    assert before == said(view)[40:600]
    for _ in growing:
        assert " ".join(view.selected_text().split()) == " ".join(before.split())
    assert [piece.source.rstrip() for piece in words(view)] == [TEXTS["plain"].rstrip(), "Another."]


def test_all_of_a_growing_paragraph_is_copied_as_one(view: ConversationView) -> None:
    growing = grow(view, TEXTS["plain"])
    next(growing)
    while len(words(view)) < 3:
        next(growing)
    view.setFocus()
    QTest.keySequence(view, QKeySequence(QKeySequence.StandardKey.SelectAll))
    QTest.keySequence(view, QKeySequence(QKeySequence.StandardKey.Copy))
    mime = QGuiApplication.clipboard().mimeData()
    assert said(view) in mime.text()
    assert mime.html().count("<p>") == 2  # the question's, and that of the answer
    QTest.keyClick(view, Qt.Key.Key_End)


@pytest.mark.parametrize(
    ("source", "settled"),
    [
        ("Words and **bold** ones [1].", True),
        ("A [link](https://example.com) and `code`", True),
        ("2 * 3 and snake_case, $5", True),
        ("Words **that are bold", False),
        ("Words *that lean", False),
        ("Words `of code", False),
        ("A [link", False),
        ("A formula $x", False),
        (r"A formula \(x", False),
        (r"A formula \(x\) closed", True),
        ("~~Struck", False),
        ("# A head", False),
        ("- a list", False),
    ],
)
def test_words_that_may_still_mean_something_else_are_not_cut_off(
    source: str, settled: bool
) -> None:
    assert is_settled(source) is settled


def test_a_character_is_found_again_in_pieces_that_were_cut() -> None:
    moved = MovedPieces(2, [0, 100], [0, 100, 250])
    assert [moved.place(*at) for at in ((1, 7), (2, 99), (3, 0), (3, 149), (3, 150), (4, 5))] == [
        (1, 7), (2, 99), (3, 0), (3, 149), (4, 0), (5, 5),
    ]  # fmt: skip
