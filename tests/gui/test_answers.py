"""What an answer can hold: formulas, tables one can order and take away, pictures, thoughts; driven
by keyboard.
"""

from __future__ import annotations

import base64
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QBuffer, QPointF
from PySide6.QtGui import QGuiApplication, QImage, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.data.export import cells_to_csv
from app.domain.conversation import Turn
from app.domain.events import (
    Artifact,
    Ended,
    Event,
    extend_thought,
    recall_words,
    thought_begun,
    thought_ended,
)
from app.domain.stream import Message
from app.ui.chat.paint import gap_of
from app.ui.chat.turn import whole_rows
from app.ui.chat.view import ConversationView
from app.ui.controls.actions import SaveTable
from app.ui.markdown import formulas as later
from app.ui.markdown.code import pages_in
from app.ui.markdown.document import picture_within
from app.ui.markdown.formulas import drawn, formulas
from app.ui.markdown.inline import text_of
from app.ui.markdown.tables import SHOWN, TableOrder, ranks, turned
from tests.gui.living import press_link

TABLE = (
    "| Name | Money | Share |\n|---|---:|---|\n| b | $1,200 | 4% |\n| a | $980 | -2% |\n| c | $12k"
    " | |\n"
)


def answer(*items: Message | Event | str, state: Any = "done") -> Turn:
    made = [
        Message("assistant", "message", item) if isinstance(item, str) else item for item in items
    ]
    return Turn(
        "t", "c", None, "Why?", state, 0.0, [*made, *([Ended("done")] if state == "done" else [])]
    )


def flush(view: ConversationView) -> None:
    view._refresh()


def pieces(view: ConversationView, kind: str) -> list[Any]:
    return [piece for piece in view.flow.entry(0).pieces if piece.kind == kind]


def shown(piece: Any) -> str:
    from PySide6.QtGui import QTextCursor

    assert piece.document is not None
    cursor = QTextCursor(piece.document)
    cursor.select(QTextCursor.SelectionType.Document)
    return text_of(cursor)


def until(holds: Callable[[], bool]) -> None:
    """Let the window live until something holds."""
    ends = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < ends
        QTest.qWait(5)


def until_drawn(view: ConversationView) -> None:
    """Wait until no formula is drawn any more: the first ones load the library, in a thread."""
    waits = lambda: [p for p in pieces(view, "text") if p.document is not None and p.document.waits]  # noqa: E731
    until(lambda: not formulas().waits and not waits())


def press(view: ConversationView, href: str) -> None:
    """Go to something that can be pressed with Tab, and press it with Return."""
    press_link(view, href)
    flush(view)


@pytest.mark.parametrize(
    "source",
    [
        "$a_1^2$",
        r"\(e^{i\pi}\)",
        "$$\\frac{a}{b}$$",
        "\\[\nx = 1\n\\]",
        "\\begin{align}\na &= b\n\\end{align}",
    ],
)
def test_a_formula_is_drawn_and_copied_as_it_was_written(
    view: ConversationView, source: str
) -> None:
    view.set_turns([answer(f"So\n\n{source}" if "\n" in source else f"So {source} holds.")])
    until_drawn(view)
    piece = pieces(view, "text")[-1]
    assert "\ufffc" in piece.document.toPlainText()
    assert source.replace("\n", "") in shown(piece).replace("\n", "")


@pytest.mark.parametrize(
    "text",
    ["$5 and $6", "it costs $1,200-$1,400", r"\[1\] and \(", "a $ b $ c", "100$ or US$3", "$$"],
)
def test_sums_of_money_are_no_formulas(view: ConversationView, text: str) -> None:
    view.set_turns([answer(text)])
    assert "\ufffc" not in pieces(view, "text")[0].document.toPlainText()


@pytest.mark.parametrize(
    "latex", [r"\frac{a}", "{" * 500, r"\left( x", "", r"\text{如果}", "x" * 3000, r"\begin{x}"]
)
def test_what_cannot_be_drawn_is_shown_as_it_was_written(
    view: ConversationView, latex: str
) -> None:
    assert drawn(latex, "#000000", 14, False, 2.0) is None
    view.set_turns([answer(f"So $y{latex}$ holds.")])
    until_drawn(view)
    assert f"$y{latex}$".replace("\n", " ") in shown(pieces(view, "text")[0])


def test_a_first_formula_keeps_nobody_waiting_and_its_reader_stays(
    view: ConversationView, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = formulas()
    monkeypatch.setattr(held, "_loaded", False)
    monkeypatch.setattr(held, "_made", OrderedDict())
    free, draw, threads = threading.Event(), later.drawn, list[threading.Thread]()

    def slow(*wanted: Any) -> Any:
        threads.append(threading.current_thread())
        free.wait(20)
        return draw(*wanted)

    monkeypatch.setattr(later, "drawn", slow)
    long = "So $x_1^2$ holds, and $$y = \\frac{a}{b}$$ too."
    view.set_turns([answer("Words. " * 300), answer(long), answer("Words. " * 300)])
    QTest.qWaitForWindowExposed(view)
    QApplication.processEvents()  # it has its size by now
    view.to_turn(2)
    top = view.place_at(QPointF(view.width() / 2, 60))[0]
    words = lambda: shown(view.flow.entry(1).pieces[1])  # noqa: E731
    assert "$x_1^2$" in view.flow.entry(1).pieces[1].document.toPlainText()
    free.set()
    until(lambda: "\ufffc" in view.flow.entry(1).pieces[1].document.toPlainText())
    view.flow.measure(1)
    assert "$x_1^2$" in words()
    assert view.place_at(QPointF(view.width() / 2, 60))[0] == top
    assert threading.main_thread() not in threads[:2]


def test_a_formula_stands_on_the_line_of_the_words(view: ConversationView) -> None:
    below = drawn("y_j", "#000000", 14, False, 2.0)
    level = drawn("x", "#000000", 14, False, 2.0)
    assert below is not None
    assert level is not None
    assert below.below > level.below
    view.set_turns(
        [answer("Words of one line without a formula."), answer("Words with $x$ of one line.")]
    )
    view.flow.measure(1)
    until_drawn(view)
    heights = [
        piece.height
        for row in (0, 1)
        for piece in view.flow.entry(row).pieces
        if piece.kind == "text"
    ]
    assert abs(heights[0] - heights[1]) <= 4


def test_a_tables_rows_are_ordered_from_its_head_by_keyboard(view: ConversationView) -> None:
    view.set_turns([answer(TABLE)])
    names = lambda: [c for c in shown(pieces(view, "table")[0]).split("\n") if c in "abc" and c]  # noqa: E731
    assert names() == ["b", "a", "c"]
    press(view, "sort:1")
    assert names() == ["a", "b", "c"]
    press(view, "sort:1")
    assert names() == ["c", "b", "a"]
    press(view, "sort:1")
    assert names() == ["b", "a", "c"]
    press(view, "sort:2")
    assert names() == ["a", "b", "c"]  # what is empty stays last


def test_a_table_is_copied_and_saved_in_the_order_it_is_looked_at(
    view: ConversationView, qtbot: Any, tmp_path: Path
) -> None:
    view.set_turns([answer("Look:", TABLE)])
    number = view.flow.entry(0).pieces.index(pieces(view, "table")[0])
    press(view, "sort:0")
    press(view, f"copy:{number}")
    held = QGuiApplication.clipboard().mimeData()
    assert held.text().split("\n")[:2] == ["Name\tMoney\tShare", "a\t$980\t-2%"]
    assert "<td>$980</td>" in held.html()
    with qtbot.waitSignal(view.pressed) as told:
        press(view, f"save:{number}")
    turn, action = told.args
    assert action == SaveTable(number)
    cells_to_csv(view.table(turn, number), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text().splitlines()[1:] == [
        "a,$980,-2%",
        'b,"$1,200",4%',
        "c,$12k,",
    ]


def test_a_long_table_shows_its_first_rows_and_all_of_them_on_request(
    view: ConversationView,
) -> None:
    rows = "".join(f"| n{n} | {n} |\n" for n in range(200))
    view.set_turns([answer(f"| name | n |\n|---|---|\n{rows}")])
    assert f"n{SHOWN - 1}\n" in shown(pieces(view, "table")[0])
    assert f"n{SHOWN}\n" not in shown(pieces(view, "table")[0])
    view.to_turn(0)
    press(view, "whole:1")
    assert "n199\n" in shown(pieces(view, "table")[0])
    assert len(view.table(view.flow.turns[0], 1)) == 201


def test_a_table_that_streams_is_added_to_and_ends_as_the_whole(view: ConversationView) -> None:
    text = (
        "| name | n |\n|---|---|\n"
        + "".join(f"| **n{n}** | {n}.5 |\n" for n in range(30))
        + "\nDone."
    )
    turn = answer("", state="running")
    view.set_turns([turn])
    documents = set[int]()
    kept: list[Any] = []
    for end in range(1, len(text) + 1, 7):
        turn.items[0] = Message("assistant", "message", text[:end])
        view.touch(turn)
        flush(view)
        for piece in pieces(view, "table"):
            kept.append(piece.document)
            documents.add(id(piece.document))
            assert "|" not in piece.document.toPlainText()
    turn.items[0], turn.state = Message("assistant", "message", text), "done"
    turn.items.append(Ended("done"))
    view.touch(turn)
    flush(view)
    streamed = shown(pieces(view, "table")[0])
    assert len(documents) < 6
    view.set_turns([turn])
    assert shown(pieces(view, "table")[0]) == streamed


def test_half_a_row_waits_until_it_is_whole_or_the_answer_ends(view: ConversationView) -> None:
    turn = answer("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 |", state="running")
    view.set_turns([turn])
    assert "3" not in shown(pieces(view, "table")[0])
    turn.items.append(Ended("done"))
    turn.state = "done"
    view.touch(turn)
    flush(view)
    assert "3" in shown(pieces(view, "table")[0])
    assert whole_rows("| a |\n|---|\n| 1 |") == "| a |\n|---|\n| 1 |"


def test_a_thought_is_folded_and_opens_to_its_words(view: ConversationView) -> None:
    thought = thought_ended("First *this*,\nthen that.", 3)
    turn = answer(thought_begun(), state="running")
    view.set_turns([turn])
    assert "Thinking …" in [shown(piece) for piece in pieces(view, "step")]
    turn.items += [thought, Message("assistant", "message", "So."), Ended("done")]
    turn.state = "done"
    view.touch(turn)
    flush(view)
    (line,) = pieces(view, "step")
    assert shown(line) == "▸ Thought for 3 s"
    press(view, "step:1")
    assert "First *this*,\nthen that." in shown(pieces(view, "step")[0])


def test_a_thought_can_be_read_while_it_grows_and_where_it_broke_off(
    view: ConversationView,
) -> None:
    turn = answer(thought_begun(), state="running")
    view.set_turns([turn])
    extend_thought(turn.items, "First this, ")
    view.touch(turn)
    flush(view)
    assert [shown(piece) for piece in pieces(view, "step")] == ["▸ Thinking …"]
    press(view, "step:0")
    extend_thought(turn.items, "then that.")
    view.touch(turn)
    flush(view)
    assert "First this, then that." in shown(pieces(view, "step")[0])
    press(view, "step:0")
    turn.items.append(Ended("stopped", "Stopped."))
    turn.state = "stopped"
    view.touch(turn)
    flush(view)
    assert [shown(piece) for piece in pieces(view, "step")] == ["▸ Thought (interrupted)"]
    view.set_turns([turn])  # as it is opened again
    press(view, "step:0")
    assert "First this, then that." in shown(pieces(view, "step")[0])


def test_words_that_turn_out_to_be_a_thought_are_folded_while_the_answer_goes_on(
    view: ConversationView,
) -> None:
    words = "Zebra. " * 400  # long enough for its lines to settle
    turn = answer("", state="running")
    view.set_turns([turn])
    for end in range(0, len(words) + 70, 70):
        turn.items[0] = Message("assistant", "message", words[:end])
        view.touch(turn)
        flush(view)
    assert recall_words(turn.items, 3) == 0
    turn.items.append(Message("assistant", "message", "It was **nine**."))
    view.touch(turn)
    flush(view)
    assert [shown(piece) for piece in pieces(view, "step")] == ["▸ Thought for 3 s"]
    assert [shown(piece) for piece in pieces(view, "text")] == ["It was nine."]
    turn.items.append(Ended("done"))
    turn.state = "done"
    view.touch(turn)
    flush(view)
    press(view, "step:0")
    (thought,) = pieces(view, "step")
    assert shown(thought).count("Zebra.") == 400


def test_a_picture_within_the_answer_is_shown_and_none_is_fetched(view: ConversationView) -> None:
    image, buffer = QImage(900, 300, QImage.Format.Format_RGB32), QBuffer()
    image.fill(0x336699)
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    held = base64.b64encode(buffer.data().data()).decode()
    view.set_turns(
        [
            answer(
                f"See ![a chart](data:image/png;base64,{held}) and"
                " ![other](https://example.com/x.png).",
                Message("computer", "image", held, "base64.png"),
                Message("computer", "image", "no picture", "base64.png"),
            )
        ]
    )
    text, (good, bad) = pieces(view, "text")[0], pieces(view, "image")
    assert "\ufffc" in text.document.toPlainText()
    assert "[other]" in text.document.toPlainText()
    assert "\ufffc" in good.document.toPlainText()
    assert 200 <= good.height <= 230  # fitted to the column
    assert bad.document.toPlainText() == "(a picture that cannot be shown)"
    assert picture_within("https://example.com/x.png") is None


def test_what_is_selected_is_copied_as_words_and_dressed(view: ConversationView) -> None:
    view.set_turns([answer("One **bold** $x^2$.\n\n" + TABLE + "\n```python\nx = 1\n```\n")])
    view.setFocus()
    QTest.keySequence(view, QKeySequence(QKeySequence.StandardKey.SelectAll))
    QTest.keySequence(view, QKeySequence(QKeySequence.StandardKey.Copy))
    held = QGuiApplication.clipboard().mimeData()
    assert "One bold $x^2$." in held.text()
    assert "b\t$1,200\t4%" in held.text()
    assert "<strong>bold</strong>" in held.html()
    assert "<pre>x = 1</pre>" in held.html()


def test_a_page_in_an_answer_is_shown_as_code_and_offered_once_the_answer_is_done(
    view: ConversationView,
) -> None:
    fence = "```html\n<b>first</b>\n```\n\nand\n\n```HTML\n<i>second</i>\n```"
    text = f"Here:\n\n{fence}\n\n```python\nhtml = 1\n```\n\n```html\n<b>left open"
    growing = answer(text, state="running")
    view.set_turns([growing])
    assert len(pieces(view, "code")) == 4
    assert not [p for p in pieces(view, "step") if "page:" in p.source]
    view.set_turns([answer(text)])
    offered = [p.source.split("href='")[1].split("'")[0] for p in pieces(view, "step")]
    assert offered == ["page:0.0", "page:0.1"]
    assert pages_in(text) == ["<b>first</b>", "<i>second</i>"]


def test_the_words_below_a_table_keep_away_from_it(view: ConversationView) -> None:
    view.set_turns([answer(TABLE + "\nBelow.")])
    boxes = [view.flow.box(0, n, 0, 0) for n in range(len(view.flow.entry(0).pieces))]
    table = next(box for box in boxes if box.piece.kind == "table")
    below = boxes[boxes.index(table) + 1]
    assert below.origin.y() - table.rect.bottom() >= 14


def test_a_foreign_table_is_saved_whole_from_its_own_line(view: ConversationView) -> None:
    view.set_turns([answer(Artifact("table", "T", [{"a": 1, "b": 2}, {"a": 0, "b": 3}]))])
    view.to_turn(0)
    hrefs = [hot.href for hot in view._hots()]
    assert sum(href.startswith(("csv:", "save:")) for href in hrefs) == 1
    press(view, "sort:0")
    assert shown(pieces(view, "table")[0]).split()[:4] == ["a", "▲", "b", "0"]


def test_orders_turn_and_numbers_stand_by_size() -> None:
    assert turned(turned(turned(None, 2), 2), 2) is None
    cells = [["€2.5k"], ["−3"], [""], ["1 000"], ["x"], ["2024-01-02"]]
    assert [cells[n][0] for n in ranks(cells, TableOrder(0))] == [
        "−3",
        "1 000",
        "€2.5k",
        "2024-01-02",
        "x",
        "",
    ]


def test_a_long_list_shows_no_seam_where_it_was_cut(view: ConversationView) -> None:
    view.set_turns([answer("".join(f"- item {n} of a list\n" for n in range(120)))])
    entry = view.flow.entry(0)
    parts = [n for n, piece in enumerate(entry.pieces) if piece.kind == "text"]
    assert len(parts) > 1
    assert {gap_of(entry.pieces, n) for n in parts[1:]} == {4}
