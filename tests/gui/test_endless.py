"""Hostile answers: what has no end, no sense or no manners is shown as far as one can see, and
holds nothing up.
"""

from __future__ import annotations

import base64
import re
import struct
import zlib
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest

from app.domain.stream import Message
from app.ui.chat import piece
from app.ui.chat.flow import MANY
from app.ui.chat.piece import LONG, PART, divided, is_long
from app.ui.chat.view import ConversationView
from app.ui.markdown import code
from app.ui.markdown.tables import COLUMNS, PLAIN, SHOWN, WHOLE, TableOrder, shortened
from tests.gui.test_answers import answer, flush, pieces, press, shown

BLOCK = (
    "A paragraph with **bold** words and a [link](http://x).\n\n- one\n- two\n\n```python\nx ="
    " 1\n```\n\n"
)


@pytest.fixture
def view(qtbot: Any) -> ConversationView:
    made = ConversationView()
    made.resize(800, 600)
    qtbot.addWidget(made)
    made.show()
    return made


def laid(view: ConversationView) -> int:
    return sum(piece.document is not None for piece in view.flow.entry(0).pieces)


def see(view: ConversationView) -> str:
    """Return the words on screen; every piece there is laid out."""
    boxes = view._seen()
    assert all(box.piece.document is not None for box in boxes)
    return "\n".join(shown(box.piece) for box in boxes)


@pytest.mark.parametrize(
    "text",
    [
        BLOCK * 20_000,
        "x" * 1_000_000,
        "word " * 200_000,
        "> " * 10_000 + "deep",
        "\n".join(">" * n + " x" for n in range(1, 600)),
        "\n".join("  " * n + "- x" for n in range(500)),
        "# h\n" * 20_000,
        "- an item\n" * 20_000,
        "```python\n" * 2_000,
        "[a](b" * 20_000,
        "*a **b " * 20_000,
        "\u202eשלום מرحبا " * 5_000,
        "e" + "\u0301" * 5_000,
        "👩‍👩‍👧‍👦🏳️‍🌈" * 1_000,
        "\n" * 500_000 + "x",
        "a\0b\r\n" * 1_000,
        "\ud800 half a letter",
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_of_what_has_no_end_little_is_laid_out(view: ConversationView, text: str) -> None:
    view.set_turns([answer(text)])
    view.grab()
    assert laid(view) <= 80
    assert see(view)
    top = -1
    for key in (Qt.Key.Key_Home, Qt.Key.Key_PageDown, Qt.Key.Key_PageDown, Qt.Key.Key_End):
        QTest.keyClick(view, key)
        assert see(view)
        assert view.verticalScrollBar().value() >= top or key == Qt.Key.Key_Home
        top = view.verticalScrollBar().value()
    assert top == view.verticalScrollBar().maximum()
    assert all(len(one.source) <= LONG for one in pieces(view, "text"))


def test_more_of_a_text_comes_when_it_is_asked_for(view: ConversationView) -> None:
    text = "".join(f"Paragraph {n}.\n\n" for n in range(15_000))
    view.set_turns([answer(text)])
    whole = [sum(len(one.source) for one in pieces(view, "text"))]
    assert "more characters" in shown(pieces(view, "step")[0])
    while pieces(view, "step"):
        press(view, pieces(view, "step")[0].document.links()[0].href)
        whole.append(sum(len(one.source) for one in pieces(view, "text")))
        QTest.keyClick(view, Qt.Key.Key_End)
    assert len(whole) == 1 + len(text) // PART
    assert pieces(view, "text")[-1].source.strip() == "Paragraph 14999."


def test_a_reader_in_a_long_answer_stays_while_guessed_heights_become_true(
    view: ConversationView,
) -> None:
    view.set_turns([answer(BLOCK * 300)])
    assert len(view.flow.entry(0).pieces) > MANY
    bar = view.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    for _ in range(40):
        before = view._seen()[1]
        bar.setValue(bar.value() - 100)
        after = next(box for box in view._seen() if box.place == before.place)
        assert after.rect.top() - before.rect.top() == 100


def test_a_growing_answer_of_many_blocks_lays_out_only_what_is_seen(view: ConversationView) -> None:
    turn = answer("", state="running")
    view.set_turns([turn])
    text = BLOCK * 120
    for end in range(0, len(text) + 97, 97):
        turn.items[0] = Message("assistant", "message", text[:end])
        view.touch(turn)
        flush(view)
        assert all(box.piece.document is not None for box in view._seen())
    fresh = ConversationView()
    fresh.resize(view.size())
    fresh.set_turns([turn])
    assert [one.source for one in view.flow.entry(0).pieces] == [
        one.source for one in fresh.flow.entry(0).pieces
    ]
    fresh.deleteLater()


def test_an_answer_that_grows_out_of_sight_is_whole_when_one_comes_back(
    view: ConversationView,
) -> None:
    others = [answer(BLOCK) for _ in range(30)]
    for number, other in enumerate(others):
        other.id = f"o{number}"
    turn = answer("", state="running")
    view.set_turns([*others, turn])
    text, bar = "# Head\n\n" + BLOCK * 6, view.verticalScrollBar()
    for step, end in enumerate(range(0, len(text), 25)):
        turn.items[0] = Message("assistant", "message", text[:end])
        view.touch(turn)
        flush(view)
        if step == 3:
            bar.setValue(0)
        if step % 20 == 19:
            bar.setValue(bar.maximum() * (step % 40 == 19))
    QTest.keyClick(view, Qt.Key.Key_End)
    assert "one" in see(view)
    entry = view.flow.entry(30)
    assert len(entry.tops) == len(entry.pieces) + 1
    assert bar.value() == bar.maximum()


def test_all_of_a_long_answer_is_selected_found_and_copied(view: ConversationView) -> None:
    text = "".join(f"Paragraph {n} of **many**.\n\n" for n in range(400))
    view.set_turns([answer(text)])
    view.mark_found("Paragraph 7 ")
    view.show_found(0, 0)
    assert view.selected_text() == "Paragraph 7 "
    view.setFocus()
    QTest.keySequence(view, QKeySequence(QKeySequence.StandardKey.SelectAll))
    QTest.keySequence(view, QKeySequence(QKeySequence.StandardKey.Copy))
    copied = QGuiApplication.clipboard().text()
    assert re.findall(r"Paragraph (\d+) of many", copied) == [str(n) for n in range(400)]


@pytest.mark.parametrize(
    "text", ["word " * 5_000, "x" * 13_000, "a line of words\n" * 500, "# h\n" * 300]
)
def test_a_paragraph_in_stretches_is_the_paragraph(text: str) -> None:
    cuts = divided(text)
    assert len(cuts) > 1
    assert is_long(text)
    assert "".join((cut.joint or "") + cut.text for cut in cuts) == text
    assert cuts[0].joint is None
    assert None not in [cut.joint for cut in cuts[1:]]


def test_a_long_paragraph_is_copied_as_one(view: ConversationView) -> None:
    text = " ".join(f"word{n}" for n in range(4_000))
    view.set_turns([answer(text)])
    view.setFocus()
    QTest.keySequence(view, QKeySequence(QKeySequence.StandardKey.SelectAll))
    assert text in view.selected_text()


WIDE = "\n".join(
    "|".join(["", *cells, ""])
    for cells in [
        [f"c{n}" for n in range(200)],
        ["---"] * 200,
        *[[f"v{n}" for n in range(200)]] * 70,
    ]
)


def test_a_table_of_two_hundred_columns_shows_the_first_and_copies_all(
    view: ConversationView,
) -> None:
    view.set_turns([answer(WIDE)])
    (table,) = pieces(view, "table")
    cells = shown(table).split()
    assert (cells[COLUMNS - 1], cells[COLUMNS]) == (f"c{COLUMNS - 1}", "v0")
    assert cells.count("v0") == SHOWN
    QTest.keyClick(view, Qt.Key.Key_Home)
    press(view, "copy:1")
    rows = QGuiApplication.clipboard().text().split("\n")
    assert (len(rows), rows[1].split("\t")[-1]) == (71, "v199")


def test_of_very_many_rows_the_first_in_order_are_shown() -> None:
    source = "|n|m|\n|---|---|\n" + "".join(f"|{n}|a \\| b|\n" for n in range(5_000))
    lines = shortened(source, PLAIN._replace(order=TableOrder(0, descending=True)), SHOWN).split(
        "\n"
    )
    assert (len(lines), lines[2]) == (SHOWN + 2, "|4999|a \\| b|")
    assert len(shortened(source, PLAIN._replace(whole=True), SHOWN).split("\n")) == WHOLE + 2
    small = "|n|\n|---|\n|1|"
    assert shortened(small, PLAIN, SHOWN) is small


def test_code_without_end_is_shown_in_part_and_copied_whole(view: ConversationView) -> None:
    body = "value = compute(first, second)\n" * 3_000
    view.set_turns([answer(Message("assistant", "code", body, "python"))])
    assert len(shown(pieces(view, "code")[0])) == code.MOST + 2
    QTest.keyClick(view, Qt.Key.Key_Home)
    press(view, "code:1")
    assert QGuiApplication.clipboard().text() == body.rstrip()


def test_a_question_without_end_is_shown_in_part_and_copied_whole(view: ConversationView) -> None:
    turn = answer("So.")
    turn.question = "word " * 1_000_000
    view.set_turns([turn])
    assert len(pieces(view, "question")[0].document.toPlainText()) == piece.LONG_PIECE + 2


@pytest.mark.parametrize(
    "href",
    ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,<script>1</script>", "file:///etc/passwd",
     "vbscript:x", "act:again", "ask:x", "\x01javascript:alert(1)", "//example.com", "smb://host/share"],
)  # fmt: skip
def test_a_link_that_is_no_page_leads_nowhere(view: ConversationView, href: str) -> None:
    view.set_turns([answer(f"See [here]({href}) and <{href}> and ![p]({href}).")])
    assert not [link.href for one in pieces(view, "text") for link in one.document.links()]


def png(width: int, height: int) -> str:
    """A picture of one colour, tiny as a file."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    rows = zlib.compress(b"\0" * ((width // 8 + 1) * height), 9)
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0))
    return base64.b64encode(
        b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    ).decode()


def test_a_picture_too_large_to_be_unpacked_is_told_and_not_unpacked(
    view: ConversationView,
) -> None:
    huge = png(20_000, 20_000)
    view.set_turns([answer(Message("assistant", "image", huge, "base64.png"))])
    assert shown(pieces(view, "image")[0]) == "(a picture that cannot be shown)"
    view.set_turns([answer(f"See ![it](data:image/png;base64,{huge}).")])
    assert "[it]" in shown(pieces(view, "text")[0])


def test_a_drawing_with_a_script_is_not_shown(view: ConversationView) -> None:
    svg = (
        b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><script>alert(1)</script></svg>"
    )
    held = base64.b64encode(svg).decode()
    view.set_turns([answer(f"See ![it](data:image/svg+xml;base64,{held}).")])
    assert "[it]" in shown(pieces(view, "text")[0])
    view.set_turns([answer(Message("assistant", "image", held, "base64.svg"))])
    assert shown(pieces(view, "image")[0]) == "(a picture that cannot be shown)"
